"""Reductions: prove sums and products over the real numbers, in any order of their terms.

Extrema are proved bit for bit in `extrema`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.provenance import ADDED, Sums
from ...emulation.symbolic.reals import Point, degree, measured, multiplied_by_zero
from ...emulation.symbolic.terms import Terms
from ...microkernels.dtypes import DTYPES, FOUR_BITS
from ...microkernels.errors import UnsupportedError
from . import extrema, searches
from .bounds import POINTS, allowed, chance, exposed
from .converted import Converted
from .definition.algebra import NodeAlgebra, field
from .definition.conversions import NAN, NUMPY_TYPES, stored
from .definition.sums import EXTREMA, SEARCHES, SUMS, compared, totals
from .proof import Claim, Refutation
from .refutation import shown

Array = np.ndarray[Any, Any]
_ORDERLESS = (*SUMS, "product", "product_squares")


def values(code: bytes, target: Any, spec: Any, call: Any, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that every result is the reduction that the request asks for."""
    if not any(y.shape and np.prod(y.shape) for y in spec.outputs):
        return Claim("arithmetic", True, "there are no results"), None
    if not {spec.dtype, spec.out}.isdisjoint(FOUR_BITS):
        raise UnsupportedError("verify: reductions of integers of 4 bits have no specification; those of i8 have one")
    if spec.name in EXTREMA:
        return extrema.values(code, target, spec, call, done)
    if spec.name in SEARCHES:
        return searches.values(code, target, spec, call, done)
    _refuse(spec)
    real = DTYPES[spec.compute].real
    written = {region.name: region for region in call.regions if region.writable}
    held = [done.table.nodes_of(done.memory.held(written[y.name])).reshape(-1) for y in spec.outputs]
    terms = _terms(spec, done)
    if _converts(spec) and _are_elements(spec, written, done):
        how = "elements are those of the request, each alone in its sum, for all inputs"
        return Claim("arithmetic", True, f"{sum(map(len, held))} {how}"), None
    if _converts(spec):
        parts = _before_conversion(spec, terms, held, done)
        if parts is None:
            how = f"results that have no proof as the {spec.name} that the request says, converted"
            return Claim("arithmetic", False, how), None
        held = parts
    points = [Point(terms, seed) for seed in range(POINTS)]
    for point in points:
        value = partial(point.real, fmt=_format(spec)) if real else point.whole
        for y, nodes, wanted in zip(spec.outputs, held, totals(spec, field(point, done.memory.inputs))):
            differing = [at for at, node in enumerate(nodes.tolist()) if value(node) != wanted[at]]
            if differing:
                how = f"{y.name}[{differing[0]}] is not the {spec.name} that the request says"
                wrong = None if point.opaque or spec.divisor > 1 else _refuted(done, int(nodes[differing[0]]), how)
                return Claim("arithmetic", False, how), wrong
    roots = [node for nodes in held for node in nodes.tolist()]
    found = [[root] for root in roots]
    if real and not all(Sums(terms, spec.compute).right(found, _wanted(spec, done), points, _format(spec))):
        return Claim("arithmetic", False, ADDED), None
    return _proved(spec, target, done, roots, real)


def _terms(spec: Any, done: Done) -> Terms:
    return Terms(done.table, {"x": spec.dtype, **{each.name: spec.out for each in spec.inits}})


def _wanted(spec: Any, done: Done) -> Callable[[Point], list[int]]:
    """Return the function that computes all results at a point."""
    return lambda point: [
        each for results in totals(spec, field(point, done.memory.inputs)) for each in results.tolist()
    ]


def _refuse(spec: Any) -> None:
    strange = [name for name in spec.reductions if name not in _ORDERLESS]
    if strange:
        raise UnsupportedError(
            f"verify: {strange[0]} has no specification yet; sums, means, products, max, min and absmax have one"
        )
    if spec.compute == "i64":
        raise UnsupportedError(
            f"verify: {spec.name} computed in i64 has no specification yet; i32, f32 and f64 have one"
        )


def _converts(spec: Any) -> bool:
    """Whether results are rounded to a narrower type or converted between integers and floats."""
    return DTYPES[spec.compute].real != DTYPES[spec.out].real or DTYPES[spec.out].bytes < 4


def _are_elements(spec: Any, written: Mapping[str, Any], done: Done) -> bool:
    """Whether each sum has one element, all of whose values were tried and give the result that is requested."""
    if spec.init or spec.m * spec.n != spec.count or tuple(spec.reductions) != ("sum",):
        return False
    (y,) = spec.outputs
    value = compared(spec, NodeAlgebra(done.table, done.memory.inputs), 0, False).reshape(-1)
    data = done.memory.held(written[y.name])
    results = data.reshape(-1, data.shape[-1]).tolist()
    return extrema.of_few_inputs(done.table, results, list(stored(value, spec.out).raw), NAN.get(spec.out))


def _format(spec: Any) -> str:
    """Return the type of the totals that are compared."""
    return str(spec.compute if _converts(spec) else spec.out)


def _before_conversion(spec: Any, terms: Terms, held: list[Array], done: Done) -> list[Array] | None:
    """Return, for each result, the part of its expression that equals the requested total and whose conversion is the
    result. Return None if a result has no such part."""
    points = [Point(terms, seed) for seed in range(POINTS)]
    wanted = [totals(spec, field(point, done.memory.inputs)) for point in points]
    prover = Prover(done.table)
    converted = Converted(prover, np.dtype(NUMPY_TYPES[spec.compute]), spec.out, None)
    values = [partial(point.real, fmt=spec.compute) if DTYPES[spec.compute].real else point.whole for point in points]
    found = []
    for number, nodes in enumerate(held):
        parts = []
        for at, root in enumerate(nodes.tolist()):
            told = [each[number][at] for each in wanted]
            part = next(
                (
                    part
                    for part in converted.parts(root)
                    if [value(part) for value in values] == told and converted.is_of(root, part, False)
                ),
                None,
            )
            if part is None:
                return None
            parts.append(part)
        found.append(np.array(parts))
    return found


def _refuted(done: Done, node: int, how: str) -> Refutation:
    """Return a refutation. A sum or product of the elements that is a different polynomial is wrong."""
    return Refutation(f"refuted: {how}\n  it is {shown(done, node)}")


def _proved(spec: Any, target: Any, done: Done, roots: list[int], real: bool) -> tuple[Claim, None]:
    if real and _wraps(spec, done, roots):
        return Claim("arithmetic", False, "integers are added before they are converted, where sums may wrap"), None
    what, likely = f"{len(roots)} results are those of the request", chance(len(roots), degree(done.table, roots))
    if not real:
        return Claim("arithmetic", True, f"{what} modulo 2^32; {likely}"), None
    terms = _terms(spec, done)
    keys = [terms.key(root, _format(spec)) for root in roots]
    plan = terms.below(keys)
    if multiplied_by_zero(terms, plan):
        return Claim("arithmetic", False, "a product of zero and data is part of a sum: a NaN there counts"), None
    longest = measured(terms, keys, plan)[0]
    lanes = 1 if spec.axis == 0 else max(target.vector_bits // 8 // DTYPES[spec.compute].bytes, 1)
    most = allowed(spec.m * spec.n // spec.count, lanes=lanes if spec.reductions[0] in SUMS else 1)
    how = f"{what} over the reals, in an order of their own; {likely}; {exposed(longest, most)}"
    return Claim("arithmetic", longest <= most, how), None


def _wraps(spec: Any, done: Done, roots: list[int]) -> bool:
    """Whether sums of integers may overflow an i32 before they are converted."""
    bits = 8 * DTYPES[spec.dtype].bytes * (2 if spec.squared else 1)
    if DTYPES[spec.dtype].real or (spec.m * spec.n << bits < 1 << 31 and spec.reductions[0] in SUMS):
        return False
    operations = (done.table.parts(node)[0] for node in done.table.below(roots))
    return any(each.to[0] in "iu" and each.name in _WHOLE for each in operations if each is not None)


_WHOLE = ("add", "subtract", "multiply", "negative", "left_shift")
