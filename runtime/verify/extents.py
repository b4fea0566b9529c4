"""Calls of kernels whose extents are given at the call: of any numbers (`counts_of`), and of a few usual ones
(`calls_of`). Which numbers a proof takes is found from the code (coverage.py)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...emulation.core.memory import Region
from ...microkernels.attention.spec import SEEN, AttentionSpec
from ...microkernels.errors import UnsupportedError
from ...microkernels.fused.spec import FusedSpec
from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.gather.spec import GatherSpec
from ...microkernels.gemm.spec import PairBatch
from ...microkernels.grouped.spec import GroupedSpec
from ...microkernels.indexed.spec import IndexedSpec
from ..arguments.arrays import address_of
from . import calls, gathers
from .coverage import Numbers
from .operands import Call, array_of, call_with, number_of, numbers_of

_ROWS = (0, 1, 138)
"""Row counts: none, one, and enough for two of the widest blocks (64 rows) followed by narrower ones of 8 and 1. For
reductions they make several blocks, the last of which overlaps the one before. For traced functions with products they
make half a band of at most 96 rows and a remainder."""
_COUNTED = {"m": (0, 1, 5), "bags": (0, 1, 4), "size": (1, 7), "count": (0, 9)}
_COLUMNS = (1, 2, 4, 8, 16, 61)
"""Extents of products: each narrower block once, then the widest block several times with a remainder."""


Calls = tuple[str, Iterator[tuple[Any, Call]]]


def counts_of(spec: Any, kind: Any) -> Numbers:
    """Return the numbers that a call gives for extents, and the calls with any of them."""
    if getattr(spec, "counted", ""):
        return calls.counts_of_lines(spec, kind)
    if of_any_rows(spec):
        return Numbers(
            ("rows",), (_least_rows(spec),), lambda given: iter([(spec.of(*given), _rows(spec, kind, *given))])
        )
    if isinstance(spec, AttentionSpec):
        if spec.of_pairs:
            reason = "the lines of the mask are those of all keys, and the definition has only those that count"
            raise UnsupportedError(f'seen: no proof with mask="{spec.mask}": {reason}')
        fewest = (spec.numbers[0].least,)
        return Numbers((SEEN,), fewest, lambda given: iter([_of_seen(spec, *given)]), most=spec.keys)
    if isinstance(spec, GroupedSpec):
        return Numbers((spec.extent,), (0,), lambda given: iter([(spec.of(*given), _rows(spec, kind, *given))]))
    least = tuple(_LEAST.get(each, 0) for each in spec.at_call)

    def of(given: tuple[int, ...]) -> Iterator[tuple[Any, Call]]:
        one = spec.of(dict(zip(spec.at_call, given)))
        return ((one, call) for call in gathers.calls_of(one, kind, spec))

    return Numbers(spec.at_call, least, of, gathers.WORDS)


_LEAST = {"size": 1}


def _least_rows(spec: Any) -> int:
    """Return the least number of rows of which there is a definition: a reduction of no rows is undefined."""
    if isinstance(spec, IndexedSpec):
        raise UnsupportedError(
            "verify: rows by an index have no specification for any number of rows yet; elementwise "
            "and fused kernels, reductions and products have one"
        )
    return int(isinstance(spec, FusedSpec) and bool(spec.column_sums or spec.swept))


def calls_of(spec: Any, kind: Any) -> Calls:
    """Return a description of the calls, and an iterator over (request with fixed extents, call of it)."""
    numbers, every = counts_of(spec, kind), _usual(spec)
    return numbers.text(every), (pair for given in every for pair in numbers.of(given))


def _usual(spec: Any) -> list[tuple[int, ...]]:
    """Return usual numbers for the extents that a call gives."""
    if getattr(spec, "counted", ""):
        several = isinstance(spec.batch, PairBatch)
        return [(number, *((at + 1) % 4,) * several) for at, number in enumerate(_COLUMNS)]
    if of_any_rows(spec):
        return [(rows,) for rows in _ROWS[_least_rows(spec) :]]
    if isinstance(spec, AttentionSpec):
        least = spec.numbers[0].least
        return [(seen,) for seen in dict.fromkeys((least, min(least + 1, spec.keys), min(least + 9, spec.keys)))]
    if isinstance(spec, GroupedSpec):
        return [(0,), (1,), (3,)]
    lists = [_COUNTED[name] for name in spec.at_call]
    return [tuple(each[min(at, len(each) - 1)] for each in lists) for at in range(max(map(len, lists)))]


def _rows(spec: Any, kind: Any, rows: int) -> Call:
    arguments = spec.interface.of([rows]).arguments
    given = [array_of(each) if hasattr(each, "dtype") else number_of(each) for each in arguments]
    made = call_with(spec, kind, given, [each for each in given if isinstance(each, np.ndarray)])
    return made._replace(numbers=numbers_of(spec))


def _of_seen(spec: AttentionSpec, seen: int) -> tuple[AttentionSpec, Call]:
    """Return a request whose keys are those that count, and a call with no other keys behind them."""
    held = {name: spec.stacks[name].view for name in "kv"}  # heads lie as far apart as with all keys
    one = replace(spec, keys=seen, views=tuple({**dict(spec.views), **held}.items()))
    arrays = {each.name: array_of(each) for each in one.operands}
    integers = [arrays.get(each.name, seen) for each in one.arguments]
    places = [each if isinstance(each, int) else address_of(each) for each in integers]
    regions = [Region(each.name, arrays[each.name], each.output) for each in one.operands]
    return one, Call(places, regions, list(arrays.values()), arrays)


COUNTED: tuple[type, ...] = GatherSpec, BagSpec, GroupedSpec
"""The requests, beside those of any number of rows, of which a call may give extents."""


def of_any_rows(spec: Any) -> bool:
    """Whether the number of rows is given at the call."""
    return getattr(spec, "dynamic", False)


def at_call(spec: Any) -> bool:
    """Whether a call gives extents of this request."""
    if isinstance(spec, AttentionSpec):
        return spec.seen and not spec.inverse
    return of_any_rows(spec) or (type(spec) in COUNTED and bool(spec.interface.extents))
