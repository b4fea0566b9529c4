"""Reductions: sums and products over the real numbers, whose order is free.

    totals(spec, point, inputs)     what each result is at a random point: a list for each output

Extrema are taken bit for bit: `extrema`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.reals import PRIME, Point, measured
from ...emulation.symbolic.terms import Terms
from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from . import extrema, products
from .chance import POINTS, chance
from .proof import Claim, Refutation
from .refutation import shown

Array = np.ndarray[Any, Any]
_SUMS = ("sum", "squares")
_ORDERLESS = (*_SUMS, "product", "product_squares")


def values(code: bytes, target: Any, spec: Any, call: Any, done: Done) -> tuple[Claim, Refutation | None]:
    """Whether every result is the total that the request says."""
    if spec.name in extrema.EXTREMA:
        return extrema.values(spec, call, done)
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
