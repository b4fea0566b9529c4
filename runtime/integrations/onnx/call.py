"""A node's operator, attributes and row: what the functions of operators read beside their operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from .library import ANY, FLOATS, Array, Compute

if TYPE_CHECKING:
    from ...graph.values import GraphValue

Attribute: TypeAlias = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | Array
Types: TypeAlias = frozenset[str]
Rule: TypeAlias = "Callable[..., GraphValue | tuple[GraphValue, ...]]"
"""What builds a node by operators of the graph compiler: see `lowering`."""
_NOTHING: Mapping[int, Types] = MappingProxyType({})


class NodeCall(NamedTuple):
    """A node: its name, operator and domain, the version of the operator set, its attributes, with the defaults that
    the operator's schema has, and the number of its results."""

    name: str
    operator: str
    domain: str
    version: int
    attributes: Mapping[str, Attribute]
    results: int

    def ints(self, name: str) -> tuple[int, ...] | None:
        """An attribute of whole numbers, or None if it is absent."""
        found = self.attributes.get(name)
        return found if isinstance(found, tuple) else None  # type: ignore[return-value]

    def number(self, name: str, absent: float = 0.0) -> float:
        """An attribute of one number."""
        found = self.attributes.get(name, absent)
        assert isinstance(found, (int, float)), name
        return found

    def whole(self, name: str, absent: int = 0) -> int:
        """An attribute of one whole number."""
        return int(self.number(name, absent))

    def text(self, name: str, absent: str = "") -> str:
        """An attribute of one text."""
        return str(self.attributes.get(name, absent))


def accepted(call: NodeCall) -> str | None:
    """Refuse nothing."""
    return None


class OnnxRow(NamedTuple):
    """An operator: the function that computes it, and what it takes.

    name      of the operator, in the domain
    since     the least version of the operator set whose meaning of it this is
    until     the first later version with another meaning
    types     element types of the first operand, by numpy's names
    more      those of other operands, by their places
    refuse    the reason why attributes are not supported, or None
    reads     places of operands whose values decide the shape of the result
    fixed     places of operands that may not depend on the model's inputs
    moves     whether no element is computed: results are views, copies, or follow from shapes
    rule      what builds the node in a program of several nodes; None: the compiler has no such operator
    """

    name: str
    compute: Compute
    types: Types = FLOATS
    more: Mapping[int, Types] = _NOTHING
    since: int = 1
    until: int = 1 << 30
    refuse: Callable[[NodeCall], str | None] = accepted
    reads: tuple[int, ...] = ()
    fixed: tuple[int, ...] = ()
    moves: bool = False
    domain: str = ""
    rule: Rule | None = None

    def reason(self, call: NodeCall, types: tuple[np.dtype[np.generic] | None, ...]) -> str | None:
        """Return why a node with operands of these types is not computed, or None. None among the types is an operand
        that is absent, or whose type is not known yet."""
        for place, dtype in enumerate(types):
            takes = self.types if place == 0 else self.more.get(place, ANY)
            if dtype is not None and takes is not ANY and dtype.name not in takes:
                return f"operand {place} has elements of {dtype.name}; kernels take {', '.join(sorted(takes))}"
        return self.refuse(call)
