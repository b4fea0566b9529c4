"""Gathers, scatters and embedding bags, for given indices: every element is the one that its index names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ....emulation.numerics.expressions import NUMPY
from ....emulation.symbolic.values import encoded
from ....microkernels.dtypes import DTYPES, ELEMENT_BYTES, FLOAT8
from ....microkernels.gather.bag_spec import BagSpec
from ....microkernels.gather.spec import GatherSpec
from ....microkernels.operands import Operand
from .algebra import Algebra, Array, raw_of
from .conversions import stored


def gather(spec: GatherSpec, algebra: Algebra) -> dict[str, Array]:
    """Return the elements of y, and the position of the first index that is out of range, or -1."""
    inside, places = _places(spec, algebra)
    found = {"y": (_gathered if spec.verb == "gather" else _scattered)(spec, algebra, inside, places)}
    if spec.bad is not None:
        index = algebra.arrays["index"]
        wrong = np.flatnonzero((index < 0) | (index >= spec.size))
        found["bad"] = _first(wrong if spec.m or spec.by != "columns" else ())
    return found


def _places(spec: GatherSpec, algebra: Algebra) -> tuple[Array, tuple[Array, ...]]:
    """Return which elements of the narrow matrix have an index inside the wide one, and the position there of each; of
    those outside, that of the first element."""
    rows, columns = np.arange(spec.m)[:, None], np.arange(spec.n)[None, :]
    if spec.by == "stride":
        return np.ones((spec.m, spec.n), bool), tuple(np.broadcast_arrays(rows, columns * spec.step))
    index = algebra.arrays["index"]
    found = np.broadcast_to(index[:, None] if spec.by == "rows" else index, (spec.m, spec.n))
    inside = (found >= 0) & (found < spec.size)
    every = {"rows": (found, columns), "columns": (rows, found), "offsets": (found,)}[spec.by]
    return inside, tuple(np.where(inside, each, 0) for each in every)


def _gathered(spec: GatherSpec, algebra: Algebra, inside: Array, places: tuple[Array, ...]) -> Array:
    raw = algebra.raw("x", ELEMENT_BYTES[spec.dtype])[places]
    made: Array = _converted(spec, algebra.having({"x": raw}), places[0]) if spec.converts else raw
    found: Array = np.where(inside[..., None], made, -1)  # the byte 0
    return found


def _scattered(spec: GatherSpec, algebra: Algebra, inside: Array, places: tuple[Array, ...]) -> Array:
    size = ELEMENT_BYTES[spec.dtype]
    x: Array = algebra.raw("x", size)
    y: Array = algebra.raw("y", size).copy()
    for at in zip(*np.nonzero(inside)):
        y[tuple(each[at] for each in places)] = x[at]
    return y


def _converted(spec: GatherSpec, algebra: Algebra, rows: Array) -> Array:
    compute = NUMPY[spec.compute]
    value = algebra.loaded("x", spec.dtype, compute)
    factors = {each.name: _spread(spec, algebra, each, rows) for each in spec.factors}
    if len(factors) == 2:
        value = algebra.run("fma", factors["scale"], value, factors["bias"])
    elif factors:
        value = algebra.run("mul" if spec.scale else "add", value, *factors.values())
    return raw_of(value if spec.out == spec.compute else stored(value, spec.out))


def _spread(spec: GatherSpec, algebra: Algebra, factor: Operand, rows: Array) -> Any:
    """Return the value of a factor at each element of y."""
    data, way = algebra.raw(factor.name, ELEMENT_BYTES[factor.dtype]), getattr(spec, factor.name)
    shape = (spec.m, spec.n, data.shape[-1])
    at = data[rows] if way == "col" else np.broadcast_to(data if way == "row" else data[0], shape)
    return algebra.lanes(np.ascontiguousarray(at), NUMPY[spec.compute])


def _first(places: Iterable[int]) -> Array:
    """Return the least of some positions, or -1, as the element of `bad`."""
    return encoded(np.array([min(map(int, places), default=-1)], np.int64))


# Embedding bags

FIRST: dict[str, Callable[[Any], Any]] = {
    "max": lambda dtype: -np.inf if dtype.kind == "f" else np.iinfo(dtype).min,
    "min": lambda dtype: np.inf if dtype.kind == "f" else np.iinfo(dtype).max,
}
"""The initial value of a comparison, by the name of the reduction."""


def bag(spec: BagSpec, algebra: Algebra) -> dict[str, Array]:
    """Return y, bag by bag, with rows taken in the order of the index, and the least position p, in any bag, with an
    index that is out of range, or -1."""
    compute, offsets = NUMPY[spec.acc_dtype], algebra.arrays["offsets"]
    rows = [np.empty((0, spec.n, compute.itemsize), np.int64)]
    for number, terms in enumerate(_terms(spec, algebra)):
        first, last = ends(spec, offsets, number)
        total: Any = np.zeros(spec.n, compute)
        if spec.name in FIRST and last > first:
            total = np.full(spec.n, FIRST[spec.name](compute), compute)
        for row, other in terms:
            total = _taken(spec, algebra, total, row, other)
        if spec.name == "mean" and last > first:
            total = algebra.run("div", total, np.full(spec.n, last - first, compute))
        rows.append(raw_of(total)[None])
    found = {"y": np.concatenate(rows)}
    if spec.bounds == "kernel":
        every = (p for number in range(spec.bags) for p in range(*ends(spec, offsets, number)))
        found["bad"] = _first(p for p in every if not _inside(spec, algebra, p))
    return found


def groups_of_bags(spec: BagSpec, algebra: Algebra) -> Iterator[frozenset[int]]:
    """Yield the set of the nodes that are compared for each element of y, row by row."""
    for terms in _terms(spec, algebra):
        nodes = [_combined(spec, algebra, *term).nodes().tolist() for term in terms]
        yield from (frozenset(row[j] for row in nodes) for j in range(spec.n))


def ends(spec: BagSpec, offsets: Array, number: int) -> tuple[int, int]:
    """Return the first position of a bag, and the one behind its last."""
    first, last = (int(offsets[number + each]) for each in (0, 1))
    # an offset out of range is clamped to the end of the index, as an unsigned comparison does
    if spec.bounds == "kernel":
        first, last = (each if 0 <= each <= spec.count else spec.count for each in (first, last))
    return first, max(first, last)


def _inside(spec: BagSpec, algebra: Algebra, p: int) -> bool:
    named = algebra.arrays.get("index_t")
    inside = 0 <= algebra.arrays["index"][p] < spec.size
    return bool(inside and (named is None or 0 <= named[p] < spec.second_size))


def _terms(spec: BagSpec, algebra: Algebra) -> Iterator[list[tuple[Any, Any]]]:
    """Yield, for each bag, the rows that indices inside the tables name, each with what it is combined with."""
    compute = NUMPY[spec.acc_dtype]
    types = {each.name: each.dtype for each in spec.arguments if isinstance(each, Operand)}
    x, index, offsets = algebra.loaded("x", spec.dtype, compute), algebra.arrays["index"], algebra.arrays["offsets"]
    name = "weights" if spec.weighted else "t" if spec.second else ""
    others = algebra.loaded(name, types[name], compute) if name else None
    row: dict[str, Callable[[int, int], Any]] = {
        "": lambda p, number: np.full(spec.n, p),  # a weight for the whole row
        "entries": lambda p, number: p,
        "rows": lambda p, number: number,
        "table": lambda p, number: int(algebra.arrays["index_t"][p]),
    }
    for number in range(spec.bags):
        places = [p for p in range(*ends(spec, offsets, number)) if _inside(spec, algebra, p)]
        yield [(x[int(index[p])], None if others is None else others[row[spec.second](p, number)]) for p in places]


def _combined(spec: BagSpec, algebra: Algebra, row: Any, other: Any) -> Any:
    """Return a term, which is not fused with what follows."""
    return row if other is None else algebra.run(spec.combine, row, other)


def _taken(spec: BagSpec, algebra: Algebra, total: Any, row: Any, other: Any) -> Any:
    """Return the value of a bag after one more row."""
    if spec.name in FIRST:
        return algebra.run(spec.name, total, _combined(spec, algebra, row, other))
    if other is None or spec.combine != "mul":
        return algebra.run("add", total, _combined(spec, algebra, row, other))
    # elements that a load converts by itself are added by the machine's verb
    by_verb = not spec.second and DTYPES[spec.dtype].real and spec.dtype not in FLOAT8
    return algebra.multiply_add(row, other, total) if by_verb else algebra.run("fma", row, other, total)
