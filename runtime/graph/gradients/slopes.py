"""Gradients of pointwise operators: the derivative of the operator's own expression, times the gradient of its result.

`slope` is that operator. Its operands are the gradient and those of the operator whose derivative it is, without the
ones that the derivative does not depend on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

from ....encoder.records import NamedTuple
from ....microkernels.expr.derivative import derivative
from ....microkernels.expr.graph import Expr, operand, ordered, rebuilt, with_args
from ....microkernels.functions.activations import GRADIENTS
from ..operators import arithmetic, placeholder
from ..values import Attribute, Builds, GraphNode, GraphValue, Operator, add, named
from .chain import RULES, summed_to

_BY, _GRADIENT = "by", "g"
Pairs: TypeAlias = "tuple[tuple[str, Attribute], ...]"
"""Attributes as data."""


class SlopeUses(NamedTuple):
    """What a derivative depends on.

    zero     whether it is 0
    one      whether it is 1
    operands the places of the operands that it depends on
    """

    zero: bool
    one: bool
    operands: frozenset[int]


def _derived(g: Expr, operands: Sequence[Expr], of: str, by: int, attributes: Pairs) -> Expr:
    """Return g times the derivative of an operator by one of its operands."""
    x = operand(_BY, g.dtype)
    row = named(of)
    assert row.expression is not None
    value = row.expression(*(x if place == by else each for place, each in enumerate(operands)), **dict(attributes))
    assert isinstance(value, Expr)
    made = derivative(value, _BY, GRADIENTS.keys(), g)
    return rebuilt([made], lambda node, args: operands[by] if node is x else with_args(node, args))[0]


def _slope(g: Expr, *operands: Expr | None, of: str = "", by: int = 0, given: Pairs = ()) -> Expr:
    """The gradient of operand `by` of the operator `of`, whose attributes are `given`."""
    known = [operand(f"{_BY}{place}", g.dtype) if each is None else each for place, each in enumerate(operands)]
    return _derived(g, known, of, by, given)


@cache
def _uses(of: str, by: int, dtypes: tuple[object, ...], compute: str, attributes: Pairs) -> SlopeUses:
    g = operand(_GRADIENT, compute)
    operands = [placeholder(f"x{place}", each, compute) for place, each in enumerate(dtypes)]  # type: ignore[arg-type]
    made = _derived(g, operands, of, by, attributes)
    nodes = ordered([made])
    found = {each.value for each in nodes if each.op == "input"}
    used = frozenset(place for place in range(len(dtypes)) if f"x{place}" in found)
    return SlopeUses(_GRADIENT not in found, made is g, used)


def _pointwise(
    build: Builds, node: GraphNode, gradients: Sequence[GraphValue | None], needed: Sequence[bool]
) -> list[GraphValue | None]:
    (g,) = gradients
    assert g is not None
    return [
        summed_to(build, made, value.shape)
        if value is not None and need and (made := _by(build, node, g, place)) is not None
        else None
        for place, (value, need) in enumerate(zip(node.inputs, needed))
    ]


def _by(build: Builds, node: GraphNode, g: GraphValue, place: int) -> GraphValue | None:
    """Return the gradient of an operand, of the shape of the result."""
    name, attributes = node.operator.name, tuple(sorted(node.attributes.items()))
    operands = [each for each in node.inputs if each is not None]
    uses = _uses(name, place, tuple(each.dtype for each in operands), arithmetic(g.dtype), attributes)
    if uses.zero or uses.one:
        return g if uses.one else None
    kept = [each if number in uses.operands else None for number, each in enumerate(operands)]
    return build.apply("slope", g, *kept, of=name, by=place, given=attributes)


def _cast(
    build: Builds, node: GraphNode, gradients: Sequence[GraphValue | None], needed: Sequence[bool]
) -> list[GraphValue | None]:
    (g,), (x,) = gradients, node.operands
    assert g is not None
    return [build.apply("cast", g, dtype=x.dtype) if needed[0] else None]


RULES["pointwise"] = _pointwise
RULES["cast"] = _cast
add(Operator("slope", "pointwise", expression=_slope, takes="of by given"))
