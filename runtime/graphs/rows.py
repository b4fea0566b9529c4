"""Reductions of compressed rows on arrays that were checked: the pieces on all cores, then the long rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.codegen.long_sums import MOST_TERMS
from ...microkernels.gather.bag_spec import EACH
from ..arguments.arrays import Array
from ..arguments.infer import type_of
from .job import job_for, request_of
from .pieces import Compressed, Pieces, SplitRows


class EntryTerms(NamedTuple):
    """What the rows of a table are combined with, and how: weights, a number for each entry; or the rows of `second`,
    one for each entry, for each row of the result, or as `named` says."""

    combine: str = "mul"
    weights: Array | None = None
    second: Array | None = None
    by: str = ""
    named: Array | None = None


def reduce_rows(
    of: Compressed,
    table: Array,
    y: Array,
    *,
    name: str = "sum",
    terms: EntryTerms | None = None,
    arg: Array | None = None,
    threads: int = 1,
    target: Target,
) -> int:
    """Compute y[b], the reduction of row b; and in `arg` the positions of maxima. Return the position of the first
    entry that names a row outside of a table, or -1. If there is one, the result is not complete.

    Rows of arrays have neighbouring elements. `name` is "each" if y has a row, or an element of a dot product, for each
    entry. Sums of a row are added in the order of its entries, in parts if they are many.
    """
    terms = terms or EntryTerms()
    given = {"x": table, "index": of.indices, "weights": terms.weights, "t": terms.second, "index_t": terms.named}
    bad = _reduced(of.ends, of.pieces, of, {**given, "y": y, "arg": arg}, name, terms, threads, target)
    if of.long is not None:
        bad += _reduced_long(of, of.long, given, y, arg, name, terms, threads, target)
    return min((each for each in bad if each >= 0), default=-1)


def _reduced(
    ends: Array,
    pieces: Pieces,
    of: Compressed,
    given: Mapping[str, Array | None],
    name: str,
    terms: EntryTerms,
    threads: int,
    target: Target,
) -> list[int]:
    """Compute pieces of rows, and return what each of them notes as bad."""
    arrays = {key: value for key, value in given.items() if value is not None}
    table, y, second = arrays["x"], arrays["y"], terms.second
    if not pieces.rows or not table.shape[1]:
        return []
    leading = [_leading(each) for each in (table, y, *([second] if second is not None else []))]
    request = request_of(
        table.shape[1],
        leading,
        type_of("table", table),
        index=type_of("indices", of.indices),
        name=name,
        weights=terms.weights is not None,
        combine=terms.combine,
        second=terms.by,
        arg="arg" in arrays,
        bounds="call" if of.checked else "kernel",
        pieces=pieces.number,
        size=table.size * table.itemsize,
        target=target,
    )
    arrays |= {"offsets": ends, "ranges": pieces.ranges}
    if not of.checked:
        arrays["bad"] = np.full(pieces.number, -1, np.int64)
    job = job_for(request)
    job.at([arrays[each] for each, _, _ in job._arrays], threads)
    return [] if of.checked else arrays["bad"].tolist()


def _leading(rows: Array) -> int:
    """Return the elements from one row to the next."""
    return max(int(rows.strides[0]) // rows.itemsize, rows.shape[1]) if len(rows) > 1 else rows.shape[1]


def _reduced_long(
    of: Compressed,
    long: SplitRows,
    given: Mapping[str, Array | None],
    y: Array,
    arg: Array | None,
    name: str,
    terms: EntryTerms,
    threads: int,
    target: Target,
) -> list[int]:
    """Compute the parts of long rows, and fold them in order."""
    parts = len(long.ends) - 1
    if terms.by == "rows" and terms.second is not None:
        rows = np.repeat(long.rows, np.diff(long.starts))[:parts]
        terms = terms._replace(second=terms.second[rows])
        given = {**given, "t": terms.second}
    if name == EACH:
        return _reduced(long.ends, long.pieces, of, {**given, "y": y, "arg": None}, name, terms, threads, target)
    beside = np.empty((parts, y.shape[1]), y.dtype)
    places = None if arg is None else np.empty((parts, y.shape[1]), arg.dtype)
    of_parts = "sum" if name == "mean" else name
    bad = _reduced(long.ends, long.pieces, of, {**given, "y": beside, "arg": places}, of_parts, terms, threads, target)
    for number, row in enumerate(long.rows):
        some = beside[long.parts(number)]
        if name in ("sum", "mean"):
            total = _total(some)
            y[row] = total / float(of.ends[row + 1] - of.ends[row]) if name == "mean" else total
        elif places is None or arg is None:
            y[row] = _extremum(some, name)
        else:
            y[row], arg[row] = _first_extremum(some, places[long.parts(number)], name)
    return bad


def _total(parts: Array) -> Array:
    """Return the sum of parts in order, in f64, with at most MOST_TERMS additions one after the other."""
    while len(parts) > MOST_TERMS:
        parts = np.add.reduceat(parts, np.arange(0, len(parts), MOST_TERMS), axis=0, dtype=np.float64)
    made: Array = np.add.reduce(parts, axis=0, dtype=np.float64)
    return made


def _extremum(parts: Array, name: str) -> Array:
    """Return the maximum or minimum as kernels define it: NaN is above everything, and +0 above -0."""
    if name == "min":
        made: Array = -_extremum(-parts, "max")
        return made
    made = np.maximum.reduce(parts, axis=0)
    zero = made == 0
    if zero.any():  # a zero is negative if all zeros are
        made = np.where(zero & ((parts == 0) & ~np.signbit(parts)).any(axis=0), 0, made).astype(parts.dtype)
    return made


def _first_extremum(parts: Array, places: Array, name: str) -> tuple[Array, Array]:
    """Return the first largest or smallest value of parts, or the first NaN, and its place."""
    at = (np.argmax if name == "max" else np.argmin)(parts, axis=0)[None]
    return np.take_along_axis(parts, at, 0)[0], np.take_along_axis(places, at, 0)[0]
