"""Reductions: sums and products over the real numbers, whose order is free.

    totals(spec, point, inputs)     what each result is at a random point: a list for each output

Extrema are taken bit for bit, as the largest or least of a set (emulation/symbolic/extrema.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.exact import OPERATIONS
from ...emulation.symbolic.extrema.floats import Extrema
from ...emulation.symbolic.lanes import Lanes
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.reals import PRIME, Point, measured
from ...emulation.symbolic.rewrites import bounds
from ...emulation.symbolic.terms import Terms
from ...emulation.symbolic.values import Table, place
from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from . import products
from .chance import POINTS, chance
from .conversions import NUMPY_TYPES, loaded
from .proof import Claim, Refutation
from .refutation import shown

Array = np.ndarray[Any, Any]
_SUMS = ("sum", "squares")
_ORDERLESS = (*_SUMS, "product", "product_squares")


def values(code: bytes, target: Any, spec: Any, call: Any, done: Done) -> tuple[Claim, Refutation | None]:
    """Whether every result is the total that the request says."""
    if spec.name in _EXTREMA:
        return _extrema(spec, call, done)
    _refuse(spec)
    real = DTYPES[spec.compute].real
    written = {region.name: region for region in call.regions if region.writable}
    held = [done.table.nodes_of(done.memory.held(written[y.name])).reshape(-1) for y in spec.outputs]
    terms = _terms(spec, done)
    for seed in range(POINTS):
        point = Point(terms, seed)
        value = partial(point.real, fmt=spec.out) if real else point.whole
        for y, nodes, wanted in zip(spec.outputs, held, totals(spec, point, done.memory.inputs)):
            differing = [at for at, node in enumerate(nodes.tolist()) if value(node) != wanted[at]]
            if differing:
                how = f"{y.name}[{differing[0]}] is not the {spec.name} that the request says"
                wrong = None if point.opaque or spec.divisor > 1 else _refuted(done, int(nodes[differing[0]]), how)
                return Claim("arithmetic", False, how), wrong
    return _proved(spec, done, [node for nodes in held for node in nodes.tolist()], real)


def _terms(spec: Any, done: Done) -> Terms:
    return Terms(done.table, {"x": spec.dtype, **{each.name: spec.out for each in spec.inits}})


def _refuse(spec: Any) -> None:
    strange = [name for name in spec.reductions if name not in _ORDERLESS]
    if strange:
        raise UnsupportedError(f"verify: {strange[0]} has no specification yet; sums, means, products, "
                               "max, min and absmax have one")  # fmt: skip
    if DTYPES[spec.compute].real != DTYPES[spec.out].real or DTYPES[spec.out].bytes < 4 or spec.compute == "i64":
        raise UnsupportedError(f"verify: {spec.name} computed in {spec.compute}, results of {spec.out}: results of "
                               "f32, f64 and i32 that are not converted have a specification")  # fmt: skip


def _extrema(spec: Any, call: Any, done: Done) -> tuple[Claim, None]:
    if spec.squared == "both" or (spec.out != spec.compute and DTYPES[spec.out].real):
        raise UnsupportedError(f"verify: {spec.name} of elements and of squares, or results of {spec.out} computed in "
                               f"{spec.compute}; one result, of the computed type, has a specification")  # fmt: skip
    groups = _elements(spec, done)
    (region,) = [region for region in call.regions if region.writable]
    held = done.memory.held(region)
    data = held.reshape(-1, held.shape[-1]).tolist()
    roots = [_whole_of(done.table, tuple(each)) for each in data]
    name, prover = _EXTREMA[spec.name], Prover(done.table)
    compute = np.dtype(NUMPY_TYPES[spec.compute])
    found: list[Any] = []
    ends = [bounds(done.table, node, compute.itemsize) for group in groups for node in group]
    above = min(ends)[0] >= 0
    none = {done.table.constant(0, compute.itemsize)} if above and name == "max" else set()
    for kind in "iu"[: 1 + above]:
        if compute.kind == "i" or (above and spec.name == "absmax"):  # without a sign bits are ordered as floats are
            comparisons = Extrema(prover, name, f"{kind}{compute.itemsize}", ())
            found.append([comparisons.of_integers(root) - none for root in roots])
    if compute.kind == "f" and not any(each == groups for each in found):
        groups = _elements(spec, done, sizes=False)
        every = [node for group in groups for node in group]
        found.append(Extrema(prover, spec.name, compute.str[1:], every).of_floats(roots))
    if groups not in found or not _fit(spec, ends):
        return Claim("arithmetic", False, f"results that have no proof as the {spec.name} of their elements"), None
    return Claim("arithmetic", True, f"{len(roots)} results are the {spec.name} of the elements that the request says, "
                                     "for all inputs, in an order of their own"), None  # fmt: skip


def _fit(spec: Any, ends: list[tuple[int, int]]) -> bool:
    """Whether no element is outside the type of the results."""
    if spec.out == spec.compute:
        return True
    info = np.iinfo(NUMPY_TYPES[spec.out])
    return all(info.min <= low and high <= info.max for low, high in ends)


def _whole_of(table: Table, data: tuple[int, ...]) -> int:
    """The node whose lowest bytes these are, or that they are."""
    node = table.joined(data)
    if node & 1 and data[0] >= 0 and place(data[0])[1] == 0 and data == tuple(range(data[0], data[0] + len(data))):
        return place(data[0])[0]
    return node


def _elements(spec: Any, done: Done, sizes: bool = True) -> list[frozenset[int]]:
    """What each result is the extremum of, as nodes of the computed type; of absmax the sizes of elements, or they."""
    table, inputs = done.table, done.memory.inputs
    compute = np.dtype(NUMPY_TYPES[spec.compute])

    def nodes(name: str, dtype: str) -> Array:
        own = np.dtype(NUMPY_TYPES[dtype])
        given = inputs[name][..., 0]
        value = loaded(Lanes(table.bytes_of(given, own.itemsize), own, table), dtype, compute)
        value = value * value if spec.squared and name == "x" else value
        value = OPERATIONS["a64"]["abs"](value, None) if spec.name == "absmax" and sizes else value
        made: Array = value.nodes()
        return made

    x = nodes("x", spec.dtype)
    groups = {0: list(x.T), 1: list(x), None: [x.reshape(-1)]}[spec.axis]
    more: Any = [()] * len(groups)
    if spec.init:
        more = [(node,) for node in nodes(spec.inits[0].name, spec.out).reshape(-1).tolist()]
    return [frozenset((*group.tolist(), *one)) for group, one in zip(groups, more)]


_EXTREMA = {"max": "max", "min": "min", "absmax": "max"}


def _refuted(done: Done, node: int, how: str) -> Refutation:
    """Sums and products of elements that are another polynomial are wrong."""
    return Refutation(f"refuted: {how}\n  it is {shown(done, node)}")


def _proved(spec: Any, done: Done, roots: list[int], real: bool) -> tuple[Claim, None]:
    if real and _wraps(spec, done, roots):
        return Claim("arithmetic", False, "integers are added before they are converted, where sums may wrap"), None
    what = f"{len(roots)} results are those of the request"
    if not real:
        return Claim("arithmetic", True, f"{what} modulo 2^32; {chance(done.table, roots)}"), None
    terms = _terms(spec, done)
    keys = [terms.key(root, spec.out) for root in roots]
    longest, most = measured(terms, keys, terms.below(keys))[0], spec.m * spec.n // spec.count + 2
    how = (f"{what} over the reals, in an order of their own; {chance(done.table, roots)}; at most {longest} "
           f"roundings one after the other, the bound allows {most}")  # fmt: skip
    return Claim("arithmetic", longest <= most, how), None


def _wraps(spec: Any, done: Done, roots: list[int]) -> bool:
    """Whether sums of integers that are converted may be larger than an i32."""
    bits = 8 * DTYPES[spec.dtype].bytes * (2 if spec.squared else 1)
    if DTYPES[spec.dtype].real or (spec.m * spec.n << bits < 1 << 31 and spec.reductions[0] in _SUMS):
        return False
    operations = (done.table.parts(node)[0] for node in done.table.below(roots))
    return any(each.to[0] in "iu" and each.name in _WHOLE for each in operations if each is not None)


_WHOLE = ("add", "subtract", "multiply", "negative", "left_shift")


def totals(spec: Any, point: Point, inputs: Mapping[str, Array]) -> list[list[int]]:
    """The results at a point, from the definition."""
    kind = products.value_of(spec.dtype)
    x = [[kind(point, node) for node in row] for row in inputs["x"][..., 0].tolist()]
    groups = {0: [list(column) for column in zip(*x)], 1: x, None: [[each for row in x for each in row]]}[spec.axis]
    found = []
    for at, name in enumerate(spec.reductions):
        start = [int(name not in _SUMS)] * len(groups)
        if spec.init:
            own = products.value_of(spec.out)
            nodes = inputs[spec.inits[at].name][..., 0].reshape(-1).tolist()
            start = [own(point, node) for node in nodes]
        found.append([_total(name, group, first) * pow(spec.divisor, -1, PRIME) % PRIME
                      for group, first in zip(groups, start)])  # fmt: skip
    return found


def _total(name: str, group: list[int], total: int) -> int:
    for each in group:
        term = each * each if name.endswith("squares") else each
        total = (total + term if name in _SUMS else total * term) % PRIME
    return total
