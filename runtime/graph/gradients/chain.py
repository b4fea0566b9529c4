"""The chain rule over the nodes of a program, from its results back to the values that gradients are wanted of.

The rules of operators (`rules`) say what a node adds to the gradients of its operands. A part of a value that a slice
shows has a part of the gradient: parts that do not overlap are joined, so that the gates of a recurrent layer cost one
copy at most, and no sums with zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from ....encoder.records import NamedTuple
from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.program import postorder
from ..values import Builds, GraphNode, GraphValue, Operator, Shape, Values, add


class GradientPart(NamedTuple):
    """The gradient of the elements of a value from `starts` to `stops` along its axes; that of the others is 0."""

    value: GraphValue
    starts: tuple[int, ...]
    stops: tuple[int, ...]


Contribution: TypeAlias = "GraphValue | GradientPart | None"
Gradients: TypeAlias = "Sequence[GraphValue | None]"
Rule: TypeAlias = "Callable[[Builds, GraphNode, Gradients, Sequence[bool]], Sequence[Contribution]]"
"""rule(build, node, gradients of its results, which inputs need one) returns what the node adds to the gradient of each
input. None stands for 0."""
RULES: dict[str, Rule] = {}
"""The rules, by the names of operators and, below these, of kinds of operators."""


def gradients_of(
    build: Builds, results: Sequence[GraphValue], wanted: Sequence[GraphValue], given: Sequence[GraphValue | None]
) -> list[GraphValue | None]:
    """Add the nodes of gradients, and return the gradient of each wanted value; None for 0.

    given   the gradient of each result, of its shape and type; None for 0

    Raises UnsupportedError for an operator on the way that has no rule.
    """
    found: dict[GraphValue, list[GraphValue | GradientPart]] = {}
    for value, gradient in zip(results, given):
        if gradient is not None:
            found.setdefault(value, []).append(gradient)
    on_the_way = depending(results, wanted)
    complete: dict[GraphValue, GraphValue | None] = {}

    def total(value: GraphValue) -> GraphValue | None:
        if value not in complete:
            complete[value] = _total(build, value, found.get(value, ()))
        return complete[value]

    for node in reversed(_nodes(results, on_the_way)):
        gradients = [total(value) if is_float(value) else None for value in node.results]
        if all(each is None for each in gradients):
            continue
        inputs = node.inputs if node.through is None else (node.through[0],)
        rule: Rule = _rule(node) if node.through is None else node.through[1]
        needed = [each is not None and each in on_the_way and is_float(each) for each in inputs]
        for operand, made in zip(inputs, rule(build, node, gradients, needed)):
            if operand is not None and made is not None and operand in on_the_way:
                found.setdefault(operand, []).append(made)
    return [total(each) for each in wanted]


def is_float(value: GraphValue) -> bool:
    """Whether a value has a gradient. Types of two bytes and less are no `floating` of numpy, but bf16 is a float."""
    return value.dtype.kind not in "biu"


def depending(results: Sequence[GraphValue], wanted: Collection[GraphValue]) -> set[GraphValue]:
    """Return the values that results are computed with, and that depend on wanted ones."""
    found = set(wanted)
    for value in postorder(results, operands_of):
        if value.node is not None and any(each in found for each in value.node.operands):
            found.add(value)
    return found


def operands_of(value: GraphValue) -> Sequence[GraphValue]:
    """Return what a value is computed of."""
    return () if value.node is None or value.constant is not None else value.node.operands


def _nodes(results: Sequence[GraphValue], among: Collection[GraphValue]) -> list[GraphNode]:
    """Return the nodes that compute such values, operands first. A node of several results comes once."""
    values = postorder(results, operands_of)
    return list(dict.fromkeys(each.node for each in values if each in among and each.node is not None))


def _rule(node: GraphNode) -> Rule:
    row = node.operator
    found = RULES.get(row.name) or RULES.get(row.kind)
    if found is None:
        error = UnsupportedError(f"{row.name}: no rule for its gradient; {sorted(RULES)} have one")
        error.node = node  # type: ignore[attr-defined]
        raise error
    return found


# Sums of what nodes add


def _total(build: Builds, value: GraphValue, found: Sequence[GraphValue | GradientPart]) -> GraphValue | None:
    """Return the sum of contributions to the gradient of a value."""
    parts = [each for each in found if isinstance(each, GradientPart)]
    wholes = [each for each in found if isinstance(each, GraphValue)]
    return _sum(build, [*wholes, *_joined(build, value.shape, parts)])


def _sum(build: Builds, values: Sequence[GraphValue]) -> GraphValue | None:
    total: GraphValue | None = None
    for each in values:
        total = each if total is None else build.apply("add", total, each)
    return total


def _joined(build: Builds, shape: Shape, parts: Sequence[GradientPart]) -> list[GraphValue]:
    """Return parts as gradients of the whole value: one, if they lie beside each other along one axis."""
    same: dict[tuple[Shape, Shape], list[GraphValue]] = {}
    for each in parts:
        same.setdefault((each.starts, each.stops), []).append(each.value)
    alone = [GradientPart(made, *place) for place, values in same.items() if (made := _sum(build, values)) is not None]
    cut = {axis for each in alone for axis, extent in enumerate(shape) if each.stops[axis] - each.starts[axis] < extent}
    if len(cut) == 1:
        (axis,) = cut
        ordered = sorted(alone, key=lambda each: each.starts[axis])
        if all(one.stops[axis] <= other.starts[axis] for one, other in zip(ordered, ordered[1:])):
            return [_beside(build, shape, ordered, axis)]
    return [
        build.apply("pad", value, before=starts, after=tuple(n - stop for n, stop in zip(shape, stops)))
        if cut
        else value
        for value, starts, stops in alone
    ]


def _beside(build: Builds, shape: Shape, parts: Sequence[GradientPart], axis: int) -> GraphValue:
    """Return parts along an axis as one array, with zeros between them."""
    made, at = list[GraphValue](), 0

    def fill(to: int) -> None:
        if to > at:
            made.append(zeros(build, (*shape[:axis], to - at, *shape[axis + 1 :]), parts[0].value))

    for each in parts:
        fill(each.starts[axis])
        made.append(each.value)
        at = each.stops[axis]
    fill(shape[axis])
    return made[0] if len(made) == 1 else build.apply("concatenate", *made, axis=axis)


def zeros(build: Builds, shape: Shape, like: GraphValue) -> GraphValue:
    """Return zeros of a type."""
    return build.constant(np.zeros(shape, like.dtype))


def summed_to(build: Builds, value: GraphValue, shape: Shape) -> GraphValue:
    """Return the gradient of a value that was broadcast from a shape: sums along the axes that it lacked."""
    ahead = value.ndim - len(shape)
    axes = tuple(axis for axis, extent in enumerate(value.shape) if axis < ahead or shape[axis - ahead] == 1 < extent)
    made = build.apply("sum", value, axes=axes) if axes else value
    return made if made.shape == shape else build.apply("reshape", made, shape=shape)


# The operator


def _gradients(build: Builds, *values: GraphValue, results: int = 1) -> Values:
    """Build the gradients of values: the results first, then as many gradients of these, then the wanted values."""
    found, given, wanted = values[:results], values[results : 2 * results], values[2 * results :]
    for value, gradient in zip(found, given):
        if gradient.kind != value.kind:
            raise ValueError(f"gradients: {value.kind} for the gradient of a result, not {gradient.kind}")
        if not is_float(value):
            raise TypeError(f"gradients: results of floats, not of {value.dtype}")
    for number, each in enumerate(wanted):
        if each.constant is not None or not is_float(each):
            what = "a constant" if each.constant is not None else str(each.dtype)
            raise TypeError(f"gradients: wanted value {number} is {what}; g.input makes floats that calls give")
    made = gradients_of(build, found, wanted, given)
    return tuple(zeros(build, value.shape, value) if each is None else each for value, each in zip(wanted, made))


add(Operator("gradients", "composite", expand=_gradients, takes="results"))


def rebuilt(build: Builds, values: Sequence[GraphValue], known: Mapping[GraphValue, GraphValue]) -> list[GraphValue]:
    """Return values as another builder computes them. known: what stands for some of them there."""
    made = dict(known)
    for value in postorder(values, lambda each: () if each in known else operands_of(each)):
        if value in made:
            continue
        node = value.node
        if value.constant is not None:
            made[value] = build.constant(value.constant)
            continue
        assert node is not None, "an input that nothing stands for"
        inputs = [None if each is None else made[each] for each in node.inputs]
        made |= dict(zip(node.results, build.results(node.operator.name, *inputs, **node.attributes)))
    return [made[each] for each in values]
