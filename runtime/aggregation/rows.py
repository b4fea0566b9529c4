"""Reductions of compressed rows on arrays that were checked: the pieces on all cores, then the long rows."""

from __future__ import annotations

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.codegen.long_sums import MOST_TERMS
from ...microkernels.gather.bag_spec import DOT, EACH
from ..arguments.arrays import Array
from ..arguments.infer import type_of
from ..kernel import call_plans
from .job import job_for, panel_of, request_of
from .pieces import Compressed, Pieces, SplitRows


class EntryTerms(NamedTuple):
    """What the rows of a table are combined with, and how: weights, a number for each entry; or the rows of `second`,
    one for each entry, for each row of the result, or as `named` says."""

    combine: str = "mul"
    weights: Array | None = None
    second: Array | None = None
    by: str = ""
    named: Array | None = None


class _Walk(NamedTuple):
    """A reduction of all rows, whose results go to several places: the table, as it lies or packed in panels, and the
    columns of one."""

    of: Compressed
    name: str
    terms: EntryTerms
    table: Array
    columns: int
    threads: int
    target: Target

    def over(self, ends: Array, pieces: Pieces, y: Array, arg: Array | None) -> list[int]:
        """Compute pieces of rows, and return what each of them notes as bad."""
        of, terms, columns = self.of, self.terms, self.table.shape[-1]
        n = y.shape[1] if self.columns else columns
        if not n:
            y[...] = 0  # of rows without elements, only a dot product has any
        if not pieces.rows or not n:
            return []
        request = request_of(
            n,
            tuple(leading_of(each) for each in (self.table, y, terms.second) if each is not None),
            type_of("table", self.table),
            index=type_of("indices", of.indices),
            name=self.name,
            weights=terms.weights is not None,
            combine=terms.combine,
            second=terms.by,
            arg=arg is not None,
            bounds="call" if of.checked else "kernel",
            pieces=pieces.number,
            sources=self.table.shape[-2],
            columns=self.columns,
            target=self.target,
        )
        bad = np.full(pieces.number, -1, np.int64)
        arrays = {"x": self.table, "index": of.indices, "weights": terms.weights, "t": terms.second}
        arrays |= {"index_t": terms.named, "offsets": ends, "ranges": pieces.ranges, "y": y, "arg": arg, "bad": bad}
        job = job_for(request)
        if call_plans.wanted:
            second = 1 if terms.second is None else len(terms.second)
            own = of._replace(ends=ends, pieces=pieces)
            call_plans.note(lambda: job.planned(own, self.table.shape[-2], terms.named, second))
        job.on([found for each, _, _ in job._arrays if (found := arrays[each]) is not None], self.threads)
        made: list[int] = bad.tolist()
        return made


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
    terms, (sources, n) = terms or EntryTerms(), table.shape
    dot = terms.combine == DOT
    columns = 0 if dot else panel_of(n, type_of("table", table), sources, len(of.indices), target)
    walk = _Walk(of, name, terms, _packed(table, columns) if columns else table, columns, threads, target)
    bad = walk.over(of.ends, of.pieces, y, arg)
    if of.long is not None:
        bad += _reduced_long(walk, of.long, y, arg)
    return min((each for each in bad if each >= 0), default=-1)


def _packed(table: Array, columns: int) -> Array:
    """Return the table panel by panel: the rows of each panel of columns one after the other."""
    sources, n = table.shape
    made = np.empty((-(-n // columns), sources, columns), table.dtype)
    for panel, first in zip(made, range(0, n, columns)):
        panel[:, : n - first] = table[:, first : first + columns]
    return made


def leading_of(rows: Array) -> int:
    """Return the elements from one row to the next."""
    columns: int = rows.shape[-1]
    return max(rows.strides[-2] // rows.itemsize, columns) if rows.shape[-2] > 1 else columns


def _reduced_long(walk: _Walk, long: SplitRows, y: Array, arg: Array | None) -> list[int]:
    """Compute the parts of long rows, and fold them in order."""
    name, terms, ends, parts = walk.name, walk.terms, walk.of.ends, len(long.ends) - 1
    if terms.by == "rows" and terms.second is not None:
        rows = np.repeat(long.rows, np.diff(long.starts))[:parts]
        walk = walk._replace(terms=terms._replace(second=terms.second[rows]))
    if name == EACH:
        return walk.over(long.ends, long.pieces, y, None)
    beside = np.empty((parts, y.shape[1]), y.dtype)
    places = None if arg is None else np.empty((parts, y.shape[1]), arg.dtype)
    bad = walk._replace(name="sum" if name == "mean" else name).over(long.ends, long.pieces, beside, places)
    for number, row in enumerate(long.rows):
        some = beside[long.parts(number)]
        if name in ("sum", "mean"):
            total = _total(some)
            y[row] = total / float(ends[row + 1] - ends[row]) if name == "mean" else total
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
