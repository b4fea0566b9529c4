"""Operators of ONNX as operators of the graph compiler, whose kernels compute several nodes at once.

A rule takes the node, with the shapes of its results, and its operands, values of a graph or None. Operands that are
known, such as the shape of a Reshape, are read from `of.known`. A rule raises UnsupportedError if the compiler does not
compute the node as ONNX means it, and the node is computed by its row. `ruled` makes rows that compute by their rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from ....microkernels.errors import UnsupportedError
from ...graph.builder import GraphBuilder
from ...graph.compiled import CompiledGraph, compile
from ...graph.values import GraphValue
from .call import Attribute, NodeCall, OnnxRow, Rule, Types, accepted
from .library import FLOATS, Array, Compute, Results

Operands: TypeAlias = tuple[GraphValue | None, ...]
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


class LoweredNode(NamedTuple):
    """A node that is lowered: its call, the shapes and types of its results, and the operands that are known, by their
    places. A node by itself has neither shapes nor types."""

    graph: GraphBuilder
    call: NodeCall
    shapes: tuple[tuple[int, ...], ...]
    types: tuple[np.dtype[np.generic], ...]
    known: Mapping[int, Array]

    def apply(self, name: str, *values: GraphValue | float | None, **attributes: object) -> GraphValue:
        """Add an operator that has one result."""
        return self.graph.apply(name, *values, **attributes)

    def cast(self, value: GraphValue, dtype: np.dtype[np.generic]) -> GraphValue:
        """Return a value in another type."""
        return self.apply("cast", value, dtype=dtype)

    def scalar(self, place: int) -> float | None:
        """Return the number that an operand is known to be; None if it is absent."""
        found = self.known.get(place)
        if found is None:
            return None
        if found.size != 1:
            raise UnsupportedError("numbers for all elements only")
        return float(found.reshape(-1)[0])


def floats(value: GraphValue) -> GraphValue:
    """Return a value that is no integer, whose arithmetic the compiler has in other widths than ONNX."""
    if value.dtype.kind in "iu":
        raise UnsupportedError("integers")
    return value


def wide(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """Return the type of sums of elements."""
    return dtype if dtype.itemsize > 2 else F32


def ruled(
    name: str,
    rule: Rule,
    types: Types = FLOATS,
    more: Mapping[int, Types] = MappingProxyType({}),
    *,
    since: int = 1,
    until: int = 1 << 30,
    refuse: Callable[[NodeCall], str | None] = accepted,
    reads: tuple[int, ...] = (),
    domain: str = "",
) -> OnnxRow:
    """Return the row of an operator that a program of its rule computes."""
    compute = _on_arrays(rule, reads)
    return OnnxRow(name, compute, types, more, since, until, refuse, reads, domain=domain, rule=rule)


def _on_arrays(rule: Rule, reads: tuple[int, ...]) -> Compute:
    """Return a rule as a function of arrays. reads: the places of operands whose elements it must know."""

    def compute(call: NodeCall, *operands: Array | None) -> Results:
        given = dict(enumerate(operands))
        known = [(place, given.pop(place)) for place in reads if given.get(place) is not None]
        kinds = tuple((place, None if each is None else (each.shape, each.dtype)) for place, each in given.items())
        program = _program(
            rule,
            (call.operator, call.domain, call.version, call.results),
            tuple(sorted(call.attributes.items())),
            kinds,
            tuple((place, each.shape, each.dtype, each.tobytes()) for place, each in known if each is not None),
        )
        made: Results = program(*(each for each in given.values() if each is not None))
        return made

    return compute


@lru_cache(maxsize=1024)
def _program(
    rule: Rule,
    what: tuple[str, str, int, int],
    attributes: tuple[tuple[str, Attribute], ...],
    kinds: tuple[tuple[int, tuple[tuple[int, ...], np.dtype[np.generic]] | None], ...],
    elements: tuple[tuple[int, tuple[int, ...], np.dtype[np.generic], bytes], ...],
) -> CompiledGraph:
    """Return a node as a program of its operands, apart from those whose elements are known."""
    build, (operator, domain, version, results) = GraphBuilder(), what
    known = {place: np.ndarray(shape, dtype, data) for place, shape, dtype, data in elements}
    values = {place: None if each is None else build.input(*each) for place, each in kinds}
    values |= {place: build.constant(each) for place, each in known.items()}
    call = NodeCall(operator, operator, domain, version, dict(attributes), results)
    made = rule(LoweredNode(build, call, (), (), known), *(values[place] for place in sorted(values)))
    return compile(build.finish(*(made[:results] if isinstance(made, tuple) else (made,))))
