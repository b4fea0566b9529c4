"""Gathers, scatters and embedding bags: for given indices, prove that every element is the one its index names.

Indices and offsets have a value in each call, and what they decide is recorded (`indices`). The calls use random
indices, repeated ones, and the first and last position; offsets of bags of each number of rows, if the index is short.
If the kernel checks bounds, indices and offsets beyond both ends are included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...emulation.numerics.expressions import NUMPY
from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.machine import Done
from ...encoder.features import Target
from ...microkernels.errors import UnsupportedError
from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.gather.spec import GatherSpec
from .definition.algebra import NodeAlgebra
from .definition.conversions import NAN
from .definition.gathers import FIRST, bag, ends, groups_of_bags
from .extrema import alike, are_extrema, first_wrong
from .operands import Call, array_of, call_with
from .proof import Claim, Refutation

Array = np.ndarray[Any, Any]
GATHERS = GatherSpec, BagSpec
WORDS = "indices drawn, repeated, at both ends"


def described(spec: Any, kind: Any) -> tuple[str, Iterator[Call]]:
    """Return a description of the calls, and an iterator over them."""
    return WORDS, calls_of(spec, kind)


def calls_of(spec: Any, kind: Any, asked: Any = None) -> Iterator[Call]:
    """Yield calls with different indices. `asked` is the request of the called kernel, if it leaves extents open."""
    ends = list(_more_ends(spec)) if hasattr(spec, "bags") and asked is None else []
    outside = range(3, 3 + len(_outside(spec)))
    draws = [(draw, min(draw, 2), draw) for draw in range(3 + len(outside))]
    if getattr(spec, "second", "") == "table":  # an index that is only looked at where the first one is inside
        draws += [(0, draw, draw) for draw in outside]
    for number, (draw, other, at) in enumerate([*draws, *[(0, 0, 0)] * len(ends)]):
        rng = np.random.default_rng(draw)
        arrays = {each.name: array_of(each) for each in spec.arguments}
        if "index" in arrays:
            arrays["index"][...] = _indices(spec, rng, arrays["index"].shape, draw)
        if "index_t" in arrays:
            rng = np.random.default_rng(len(draws) + number)
            arrays["index_t"][...] = _indices(spec, rng, arrays["index_t"].shape, other, spec.second_size)
        if "offsets" in arrays:
            arrays["offsets"][...] = _offsets(spec, rng, at) if number < len(draws) else ends[number - len(draws)]
        data = [each for name, each in arrays.items() if name not in ("index", "index_t", "offsets", "bad")]
        made = call_with(asked or spec, kind, list(arrays.values()), data)
        # the position of an index outside is a result, and a number there; so offsets are numbers in such calls
        words = {"index", "index_t"} if at in outside else {"index", "index_t", "offsets"}
        yield made._replace(indices=frozenset(words & arrays.keys()))


def check_defined(spec: object) -> None:
    """Raise UnsupportedError for a request for a bag that has no definition here."""
    if not isinstance(spec, BagSpec):
        return
    missing = "positions of extrema" if spec.arg else "ranges of rows" if spec.ranged else ""
    if spec.each or missing:
        missing = missing or "results of single entries"
        raise UnsupportedError(f"verify: no specification of {missing} yet; k.run executes the bytes on given inputs")


def has_few_offsets(spec: BagSpec) -> bool:
    """Whether calls have all offsets that there are. Bags of one row at most do not repeat the code of a row, so that
    no drawn offsets lead to its repetition."""
    return spec.bounds == "call" and spec.count == 1 and spec.bags <= 16


def _more_ends(spec: BagSpec) -> Iterator[list[int]]:
    """Yield offsets of bags with all indices and with half of them, and, if the kernel checks bounds, offsets of which
    the last ends, the first ones, and both lie outside. All indices are inside in these calls."""
    count, bags = spec.count, spec.bags
    if has_few_offsets(spec):
        for empty in range(bags + 2):
            yield [0] * empty + [count] * (bags + 1 - empty)
    for rows in dict.fromkeys((count, (count + 1) // 2)) if bags else ():
        yield [0, rows, *[count] * bags][: bags + 1]
    if bags and spec.bounds == "kernel":
        ends = [0, -1, count // 2, 1 << 40, count + 1, count, 0]
        for first in range(0, len(ends) - 1, bags):
            yield [*ends[first : first + bags + 1], *[count] * bags][: bags + 1]


def _indices(spec: Any, rng: np.random.Generator, shape: tuple[int, ...], draw: int, size: int | None = None) -> Array:
    """Return the indices of a draw: first random ones; then one position for all; from then on every third index lies
    outside the table if the kernel checks bounds, then every one, then every other one. size: of another table than
    the first."""
    size = spec.size if size is None else size
    drawn = rng.integers(0, size, shape)
    if not draw:
        return drawn
    place, at = (size - 1, 0, *_outside(spec, size))[draw - 1], np.indices(shape).sum(0)
    chosen = {6: at >= 0, 7: at % 2 == 0}.get(draw, (at + draw) % 3 == 2)
    return np.where(chosen, place, drawn if draw > 2 else place)


def _outside(spec: Any, size: int | None = None) -> tuple[int, ...]:
    """Return indices outside the table, if the kernel checks bounds; of bags also such that
    differ from others only in their upper halves."""
    if spec.bounds != "kernel":
        return ()
    wide = hasattr(spec, "bags") and spec.index == "i64"
    size = spec.size if size is None else size
    return (size, -1, 1 << 30, *((1 << 32, -(1 << 32), 1 << 62) if wide else (size, -1)))


_AT_ENDS = {1: 1.0, 2: 0.5}
"""For the draws with empty bags, the share of the bags that are; the next one has all indices."""


def _offsets(spec: Any, rng: np.random.Generator, draw: int) -> Array:
    """Return the ends of the bags, some of which are empty. If the kernel checks bounds, some ends lie below 0 or
    beyond the index in the last draws."""
    found = np.sort(rng.integers(0, spec.count + 1, spec.bags + 1))
    if draw in _AT_ENDS:  # bags without an index, and bags with all
        found[:] = np.where(np.arange(spec.bags + 1) <= spec.bags * _AT_ENDS[draw], 0, spec.count)
    if spec.bounds != "kernel" or draw < _WITH_ENDS:
        return found
    if draw < _WITH_ENDS + 2:
        return rng.choice([*found, -3, spec.count + 5], found.shape)
    # every other end, or each, differs from one inside only in bits that 32-bit instructions do not see
    upper = rng.integers(-(1 << 31), 1 << 31) | 1
    chosen = (np.arange(found.size) + draw) % 2 == 0 if draw < _WITH_ENDS + 4 else True
    shifted: Array = np.where(chosen, found + (upper << 32), found)
    return shifted


_WITH_ENDS = 4
"""The first draw in which ends of bags lie outside."""


def compared(spec: Any) -> bool:
    """Whether a bag is a maximum or minimum of floats."""
    return isinstance(spec, BagSpec) and spec.name in FIRST and NUMPY[spec.acc_dtype].kind == "f"


def extrema_of_bags(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that every element is the extremum of the rows that its bag names. Bags without rows are constants."""
    regions = {each.name: each for each in call.regions}
    algebra = symbols(call, done, target)
    found = bag(spec, algebra)
    wanted, groups = found["y"], groups_of_bags(spec, algebra)
    held = done.memory.held(regions["y"]).reshape(wanted.shape)
    open_ = [
        (place, group)
        for place, group in zip(np.ndindex(*wanted.shape[:-1]), groups)
        if (held[place] != wanted[place]).any()
    ]
    nan, roots = NAN[spec.acc_dtype], [tuple(held[place].tolist()) for place, _ in open_]
    holds = alike(done.table, roots, [wanted[place] for place, _ in open_], nan) and are_extrema(
        Prover(done.table),
        spec.name,
        NUMPY[spec.acc_dtype],
        [done.table.joined(each) for each in roots],
        [group for _, group in open_],
        nan,
    )
    if not holds:
        claim = Claim("arithmetic", False, f"elements that have no proof as the {spec.name} of the rows of their bags")
        return claim, first_wrong(code, target, call, done, regions["y"], list(wanted.reshape(-1, wanted.shape[-1])))
    if "bad" in regions and (done.memory.held(regions["bad"]) != found["bad"]).any():
        return Claim("arithmetic", False, "the number of the first index that has no place"), None
    return Claim(
        "arithmetic",
        True,
        f"{held[..., 0].size} elements are the {spec.name} of the rows of their bags, for all inputs",
    ), None


def symbols(call: Call, done: Done, target: Target | None) -> NodeAlgebra:
    """Return the algebra of an execution."""
    arrays = {each.name: each.array for each in call.regions}
    return NodeAlgebra(done.table, done.memory.inputs, target, call.numbers, arrays)


def read_by_bags(spec: Any, offsets: Array, index: Array | None = None) -> frozenset[int]:
    """Return the positions of the indices that some bag reads: of a second one, those at which the first one names a
    row."""
    read = (p for bag in range(spec.bags) for p in range(*ends(spec, offsets, bag)))
    return frozenset(p for p in read if index is None or 0 <= index[p] < spec.size)
