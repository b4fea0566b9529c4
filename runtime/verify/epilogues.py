"""Products with an epilogue: prove the sum over the reals, and the epilogue's expression of it bit for bit.

The proof searches each result's expression for a part that equals the request's sum at all random points. It then
computes the request's epilogue from these parts, and memory must hold exactly that.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.exhaustive import alike
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.masks import same_bits
from ...emulation.symbolic.provenance import Sums
from ...emulation.symbolic.reals import Point, measured
from ...emulation.symbolic.sweep import swept
from ...emulation.symbolic.terms import Part, Terms
from ...encoder.features import Target
from ...microkernels.depthwise.spec import DepthwiseSpec
from ...microkernels.dtypes import DTYPES, ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from .bounds import FEW, POINTS, by_values, chance, exposed
from .definition.algebra import Algebra, NodeAlgebra
from .definition.conversions import as_stored
from .definition.elementwise import elementwise
from .definition.moves import with_sums
from .operands import Call, numbers_of
from .products import Known, factors_of, formats, product, strangers
from .proof import Claim, Refutation

Array = np.ndarray[Any, Any]
Plan = list[tuple[int, int, Part]]
_UNKNOWN = "@sum"


def values(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that C is the epilogue's expression of the sums."""
    if any(each.name in spec.statistics for each in spec.results):
        raise UnsupportedError(
            "verify: an epilogue with statistics of c has no specification yet; one that gives c, "
            "and other matrices, has one"
        )
    held = {each.name: done.memory.held(each) for each in call.regions if each.writable}
    terms = Terms(done.table, formats(spec, call))
    roots = [node for each in held.values() for node in done.table.nodes_of(each).reshape(-1).tolist()]
    choices, longest, highest, plan = _sums(spec, terms, roots, done)
    wrong: str | None = None
    for sums in choices:
        known = [int(each) for each in sums.flat if (done.table.leaf(int(each)) or ("", "", 0))[1] != _UNKNOWN]
        of_sums = terms.below([terms.key(each, spec.acc_dtype) for each in known]) if plan else []
        if strange := strangers(spec, done, terms, known, of_sums):
            return Claim("arithmetic", False, f"{strange}: a NaN there counts"), None
        wrong = _differing(spec, done, target, held, sums)
        if wrong is None:
            break
    if not choices:
        return Claim("arithmetic", False, "no sum of the request enters the epilogue"), None
    if wrong is not None:
        return Claim("arithmetic", False, f"{wrong} has no proof: its sum has one, the epilogue has none"), None
    most = spec.k * sum(each.name.startswith("a[") for each in call.regions) + FEW
    how = (
        f"{len(roots)} sums are those of the request over the reals, {chance(len(roots), highest)}, "
        f"{exposed(longest, most)}; the epilogue of each is the request's for all inputs"
    )
    return Claim("arithmetic", longest <= most, how), None


def of_taps(
    code: bytes, target: Target, spec: DepthwiseSpec, call: Call, done: Done
) -> tuple[Claim, Refutation | None]:
    """Check that every element of a depthwise convolution is the epilogue of its sum, bit for bit."""
    (y,) = spec.elementwise.outputs
    algebra = with_sums(spec, NodeAlgebra(done.table, done.memory.inputs, target, numbers_of(spec)))
    sums = done.table.nodes_of(algebra.raw(spec.elementwise.inputs[0].name, ELEMENT_BYTES[spec.acc_dtype]))
    wanted = elementwise(spec.elementwise, algebra)[y.name]
    held = done.memory.held(next(each for each in call.regions if each.writable))
    place = _unproved(done, held, wanted.reshape(held.shape), False, DTYPES[y.dtype].real, sums)
    if place is not None:
        return Claim("arithmetic", False, f"{y.name}{list(place)} has no proof"), None
    return Claim("arithmetic", True, f"{sums.size} elements are those of the request, for all inputs"), None


def _sums(spec: Any, terms: Terms, roots: list[int], done: Done) -> tuple[list[Array], int, int, Plan]:
    """Return the candidate sums, the most roundings and the highest degree of a sum, and the evaluation plan. The first
    candidate takes the last nodes that equal the request's sums. The second takes the first such nodes, if they differ:
    when k is padded, zeros are added to a sum, so several nodes have its value."""
    of_sums = spec.acc_dtype
    real = DTYPES[of_sums].real
    nodes = list(_candidates(of_sums, terms, roots))
    keys = [terms.key(node, of_sums) for node in nodes] if real else []
    plan = terms.below(keys)
    points, known = [Point(terms, seed) for seed in range(POINTS)], Known()
    found = by_values(points, plan, nodes, of_sums if real else "")
    wanted = [_wanted(spec, done, known, point) for point in points]
    alike = [found.get(told, []) for told in zip(*wanted)]
    if real:
        sums = Sums(terms, of_sums, scaled=factors_of(spec.product))
        alike = sums.right(alike, partial(_wanted, spec, done, known), points)
    there = [node for each in alike if each for node in each]
    if not there and not any(map(any, wanted)):  # no pairs: sums of no terms
        return [np.full((spec.m, spec.n), terms.table.constant(0, ELEMENT_BYTES[of_sums]))], 0, 3, []
    if not there:
        return [], 0, 0, []
    longest, highest = measured(terms, [terms.key(each, of_sums) for each in there], plan) if real else (0, 3)
    # an unknown sum, which may be part of no result
    unknown = terms.table.inputs(_UNKNOWN, len(alike), ELEMENT_BYTES[of_sums]).tolist()
    choices = [[choice(each) if each else nobody for each, nobody in zip(alike, unknown)] for choice in (max, min)]
    made_of = [np.array(each).reshape(spec.m, spec.n) for each in choices]
    return made_of[: 1 + (choices[0] != choices[1])], longest, highest, plan


def _wanted(spec: Any, done: Done, known: Known, point: Point) -> list[int]:
    """Return the sums of the request at a point."""
    return list(product(spec.product, point, done.memory.inputs, "c", known).flat)


def _candidates(of_sums: str, terms: Terms, roots: list[int]) -> Iterator[int]:
    """Yield the nodes that may be a sum: results of operations in the accumulator's type, inputs and constants."""
    real, size = DTYPES[of_sums].real, ELEMENT_BYTES[of_sums]
    for node in terms.table.below(roots):
        operation, _ = terms.table.parts(node)
        if terms.table.size(node) == size and (operation is None or (operation.to[0] == "f") == real):
            yield node


def _differing(spec: Any, done: Done, target: Target, held: dict[str, Array], sums: Array) -> str | None:
    """Return the first element that differs from the epilogue of its sum, as text, or None."""
    walk, flipped = spec.elementwise, spec.order[2] == "F"
    algebra = NodeAlgebra(done.table, done.memory.inputs, target, numbers_of(spec))
    expected = results(spec, algebra, done.table.bytes_of(sums, ELEMENT_BYTES[spec.acc_dtype]))
    types = {"c": spec.dtype, **{each.name: each.dtype for each in spec.results}}
    for name, data in held.items():
        wanted = as_operand(expected[name], data.shape, flipped)
        place = _unproved(done, data, wanted, name in walk.bits, DTYPES[types[name]].real, sums)
        if place is not None:
            return f"{name}{list(place)}"
    return None


def results(spec: Any, algebra: Algebra, sums: Array) -> dict[str, Array]:
    """Return the epilogue's expression of the sums, whose bytes are given: c and the other results. In order "F" these
    are transposed."""
    walk, flipped, given = spec.elementwise, spec.order[2] == "F", dict[str, Array]()
    for at, each in enumerate(walk.inputs):
        name = each.name if each.name in algebra.names else "c"  # c as it was
        raw = algebra.raw(name, ELEMENT_BYTES[each.dtype]) if at else sums
        turned = raw.swapaxes(0, 1) if flipped and raw.ndim == 3 else raw
        given[each.name] = turned.reshape(each.rows, each.columns, -1)
    made = elementwise(walk, algebra.having(given))
    return {"c" if name == "y" else name: data for name, data in made.items()}


def as_operand(result: Array, shape: tuple[int, ...], flipped: bool) -> Array:
    """Return a result of the expression in the shape of its operand, including the groups of a packed operand.
    `flipped` means order "F"."""
    if not flipped:
        return result.reshape(shape)
    turned: Array = result.reshape(shape[1], shape[0], *shape[2:]).swapaxes(0, 1)
    return turned


def _unproved(done: Done, held: Array, expected: Array, bits: bool, real: bool, sums: Array) -> tuple[int, ...] | None:
    """Return the index of the first element that could not be proved equal to the expected one, or None.

    Both are compared with variables in place of the sums first: what holds for all values of these also holds for the
    sums. Elements that are the same expression of other sums are proved once. If that fails, the elements are compared
    with the sums as they are.
    """
    places = np.argwhere((held != expected).any(axis=-1))
    index = tuple(places.T)
    found, wanted = ([int(node) for node in done.table.nodes_of(each[index])] for each in (held, expected))
    table, prover = done.table, Prover(done.table)
    opaque = [node for node in dict.fromkeys(map(int, sums.flat)) if table.parts(node)[0] is not None]
    first = sorted(set(alike(table, found, wanted, opaque)))
    variables = dict(zip(opaque, table.inputs("@any sum", len(opaque), table.size(int(sums.flat[0]))).tolist()))
    one, other = ([prover.rebuilt(each[at], variables) for at in first] for each in (found, wanted))
    if _wrong(prover, one, other, bits, real) is None:
        return None
    wrong = _wrong(Prover(table), found, wanted, bits, real)
    return None if wrong is None else tuple(int(at) for at in places[wrong])


def _wrong(prover: Prover, found: list[int], wanted: list[int], bits: bool, real: bool) -> int | None:
    """Return the number of the first pair of nodes that could not be proved equal, or None."""
    found = found if bits else swept(prover, wanted, as_stored(prover.table, found))
    for number, pair in enumerate(zip(found, wanted)):
        if not (same_bits(prover, *pair) if bits else prover.equal(*pair, not real)):
            return number
    return None
