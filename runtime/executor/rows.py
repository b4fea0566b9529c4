"""Steps over as many rows as a call has, and the tables from which machine code reads how many these are.

The code of such a step is the same for any number of rows: it calls kernels that take rows of their call, and finds in
a table which rows each part has. Executors make the tables of a number of rows once (`Executor.of_rows`).

Source of the kernels: Georganas et al., Tensor Processing Primitives, section 2.2, whose extents are known at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.products import EXECUTOR
from ..arguments.arrays import numpy_dtype
from ..kernel.callable import Kernel
from ..kernel.redirect import cycles_of
from ..loops.code import WORKERS, Address, Affine, Call, Header, Load, Node, Share, When, affine, index, once, placed
from ..ops.dealt import WORD
from ..ops.spread_cuts import BAND, block_of
from ..threads.called_code import JobTable
from .stages import JobStage, Numbers, TouchedElements, check_count, stage_of

if TYPE_CHECKING:
    from ..arguments.arrays import Array
    from ..grouped import nest as grouped
    from ..grouped import tables
    from ..ops import row_nest
    from .steps import RepeatedStep

grouped = lazy(__package__, "..grouped.nest")
tables = lazy(__package__, "..grouped.tables")
row_nest = lazy(__package__, "..ops.row_nest")

ROUNDED = "@rows"
"""The index that is the number of rows, rounded up to `CACHE_LINE`, so that so many of any bytes are whole lines."""


class RowsTable(Protocol):
    """What makes the words of a table for a number of rows of the call."""

    def words(self, rows: int) -> Array:
        """Return the words, of 64 bits."""


class RoundedRows(NamedTuple):
    """The table of one word, `ROUNDED`."""

    def words(self, rows: int) -> Array:
        """Return the word."""
        return np.array([rounded(rows)], np.int64)


def rounded(rows: int) -> int:
    """Return a number of rows, rounded up to `CACHE_LINE`."""
    return -(-rows // CACHE_LINE) * CACHE_LINE


class RowsOfParts(NamedTuple):
    """The table of a kernel whose rows are cut into parts: the rows, the parts, and the first row and the number of
    rows of each part.

    factor   rows of the kernel for each row of the call
    bytes    of all operands for a row of the kernel
    """

    factor: int
    bytes: int

    def cut(self, rows: int) -> tuple[int, int]:
        """Return the rows of the kernel, and those of a part."""
        total = rows * self.factor
        return total, block_of(total, self.bytes, BAND) or 1

    def words(self, rows: int) -> Array:
        """Return the words."""
        total, block = self.cut(rows)
        begin = np.minimum(np.arange(EXECUTOR.parts + 1) * block, total)
        parts = np.stack((begin[:-1], np.diff(begin)), axis=1)
        return np.concatenate(([total, -(-total // block)], parts.ravel())).astype(np.int64)


class PartsOfRows(NamedTuple):
    """The table of the number of parts of a kernel, of which there is one at least, and of the number of terms of each
    result, in an element type.

    terms    for each row of the call
    """

    parts: RowsOfParts
    terms: int
    dtype: str

    def words(self, rows: int) -> Array:
        """Return the words."""
        total, block = self.parts.cut(rows)
        terms = np.zeros(WORD, np.uint8).view(numpy_dtype(self.dtype))
        terms[0] = rows * self.terms
        return np.array([max(1, -(-total // block)), *terms.view(np.int64)], np.int64)


class RowsOfPieces(NamedTuple):
    """The table of a product in blocks of columns: the most workers of which one computes all of it, and the pieces, as
    `row_nest.row_table` makes them.

    factor   rows of the product for each row of the call
    n, columns, most   see there
    few      the most rows that one of several workers computes alone
    """

    factor: int
    n: int
    columns: int
    most: int
    few: int

    def words(self, rows: int) -> Array:
        """Return the words."""
        total = rows * self.factor
        pieces = row_nest.row_table(np.array([total], np.int64), self.n, self.columns, self.most)
        return np.concatenate(([1 if total > self.few else _EVERY], pieces)).astype(np.int64)


class RowsOfTerms(NamedTuple):
    """The table of a product whose terms are rows of the call: see `grouped.tables.depth_table`.

    factor   terms for each row of the call
    m, n, rows, columns   see there
    """

    factor: int
    m: int
    n: int
    rows: int
    columns: int

    def words(self, rows: int) -> Array:
        """Return the words."""
        ends = np.array([rows * self.factor], np.int64)
        return tables.depth_table(ends, self.m, self.n, self.rows, self.columns)


class RowsKernel(NamedTuple):
    """A kernel of rows that its call counts, as an entry of steps. The operands are those of the kernel, without the
    number of rows.

    factor   rows of the kernel for each row of the call
    steps    the bytes from one row of each operand to the next; 0: all rows have the same one
    apart    the bytes from what one part writes of each operand to what the next one writes, where each part reduces
             its rows to a result of its own, which `RowsJoined` joins; (): there is no such operand
    """

    kernel: Kernel
    factor: int
    steps: tuple[int, ...]
    apart: tuple[int, ...] = ()

    @property
    def spec(self) -> object:
        """What names the step."""
        return self.kernel.spec

    @property
    def table(self) -> RowsOfParts:
        """The table of its parts."""
        return RowsOfParts(self.factor, sum(self.steps))


class RowsJoined(NamedTuple):
    """A kernel of as many rows as a step has parts, as an entry of steps. The operands are what the parts wrote, a row
    each, and the result; between them a mean reads the number of its terms, which is no operand of the step.

    terms    of a result for each row of the call, and their element type, as the kernel reads them
    """

    kernel: Kernel
    parts: RowsOfParts
    terms: int
    dtype: str

    @property
    def spec(self) -> object:
        """What names the step."""
        return self.kernel.spec

    @property
    def table(self) -> PartsOfRows:
        """The table of the number of parts."""
        return PartsOfRows(self.parts, self.terms, self.dtype)


class RowsProduct(NamedTuple):
    """A product of rows that its call counts by weights in blocks, as an entry of steps. The operands are A, B or its
    packed blocks, the result, and those of the epilogue."""

    nest: row_nest.RowsNest
    factor: int

    @property
    def spec(self) -> object:
        """What names the step."""
        return self.nest

    @property
    def table(self) -> RowsOfPieces:
        """The table of its pieces."""
        kernels = self.nest.kernels
        few = int(EXECUTOR.divided / self.cycles)
        return RowsOfPieces(self.factor, kernels.n, kernels.block.columns, self.nest.rows, few)

    @property
    def cycles(self) -> float:
        """Those of a row, about; only whether several workers share the work depends on them."""
        return self.nest.kernels.k * self.nest.kernels.n / EXECUTOR.multiplied


class RowsTerms(NamedTuple):
    """A product whose terms are rows of the call, as an entry of steps. The operands are A, B, the result, and those of
    the epilogue."""

    nest: grouped.DepthNest
    factor: int

    @property
    def spec(self) -> object:
        """What names the step."""
        return self.nest

    @property
    def table(self) -> RowsOfTerms:
        """The table of its pieces."""
        kernels = self.nest.kernels
        return RowsOfTerms(self.factor, kernels.m, kernels.n, kernels.rows, kernels.across)

    @property
    def cycles(self) -> float:
        """Those of a term, about."""
        return self.nest.kernels.m * self.nest.kernels.n / EXECUTOR.multiplied


class RunsOfRows(NamedTuple):
    """The table of a loop over the rows of a call: for each of `EXECUTOR.parts` runs, the first row and the one behind
    the last; then so many multiples of the number of rows, from 0 on."""

    multiples: int = 0

    def words(self, rows: int) -> Array:
        """Return the words."""
        ends = np.arange(EXECUTOR.parts + 1) * rows // EXECUTOR.parts
        runs = np.stack((ends[:-1], ends[1:]), axis=1).ravel()
        return np.concatenate((runs, np.arange(self.multiples) * rows)).astype(np.int64)


class RowsMembers(NamedTuple):
    """A loop over the rows of a call, as an entry of steps: see `members`.

    steps      of a row, in order
    operands   how many the loop has. Different ones are different memory
    bytes      of the memory between the steps of a row
    moved      the bytes of all operands for a row
    around     the iterations of loops around that over the rows, outermost first
    apart      for each operand, the bytes from one iteration of each such loop to the next, and those for each row of
               the call that are added to these
    begin      for each operand, the bytes for each row of the call before the first of it
    """

    steps: tuple[RepeatedStep, ...]
    operands: int
    bytes: int
    moved: int
    around: tuple[int, ...] = ()
    apart: tuple[tuple[tuple[int, int], ...], ...] = ()
    begin: tuple[int, ...] = ()

    @property
    def table(self) -> RunsOfRows:
        """The table of its runs."""
        return RunsOfRows(max(2, *self.around) if any(self.begin) else max(self.around, default=0))


RowsEntry: TypeAlias = "RowsKernel | RowsJoined | RowsProduct | RowsTerms | RowsMembers"
"""Entries of steps over the rows of a call. The last operand of their stages is their table."""
ROWS = RowsKernel, RowsJoined, RowsProduct, RowsTerms, RowsMembers


@stage_of.register
def of_rows(entry: RowsKernel, numbers: Numbers) -> JobStage:
    """Return a kernel of the rows of a call, in parts that are dealt to workers."""
    kernel, count = entry.kernel._stand_in or entry.kernel, len(entry.steps)
    apart = entry.apart or (0,) * count
    check_count(kernel.name, count + 1, len(numbers))

    def call(part: Affine, begin: Affine, rows: Affine) -> Node:
        moved = [begin * step + part * own for step, own in zip(entry.steps, apart, strict=True)]
        return Call(kernel, (*(Address(at, each) for at, each in enumerate(moved)), rows))

    def nodes() -> tuple[Node, ...]:
        parts = index("parts")
        part = Load(
            ("begin", "count"),
            count,
            index("part") * (2 * WORD) + 2 * WORD,
            (call(index("part"), index("begin"), index("count")),),
        )
        header = Header("part", affine(0), (affine(EXECUTOR.parts), parts), 1, EXECUTOR.parts)
        alone = When(parts - 1, "<=", (once([call(affine(0), affine(0), index("rows"))]),))
        return (
            Load(
                ("rows", "parts"),
                count,
                affine(0),
                (alone, When(parts - 1, ">", (Share((header,), (part,), "turns"),))),
            ),
        )

    written = ["const" not in kind for kind, _ in kernel.kind.parameters(kernel.spec)]
    touched = (*(TouchedElements(at, written[at]) for at in range(count)), TouchedElements(count, False))
    table = JobTable(tuple(range(count + 1)), count + 1, count + 4, count + 2)
    cycles = max(cycles_of(kernel), sum(entry.steps) / EXECUTOR.moved) * entry.factor
    asked = entry.kernel.spec, entry.steps, entry.apart
    return JobStage(nodes, table, (0, 0), EXECUTOR.divided, True, True, touched, kernel.target, asked, per_row=cycles)


@stage_of.register
def of_joined(entry: RowsJoined, numbers: Numbers) -> JobStage:
    """Return a kernel that joins what the parts of a step wrote, which one worker calls."""
    kernel = entry.kernel._stand_in or entry.kernel
    check_count(kernel.name, 3, len(numbers))
    touched = tuple(TouchedElements(at, at == 1) for at in range(3))

    given = Address(0), *[Address(2, affine(WORD))] * (len(kernel.kind.parameters(kernel.spec)) - 3), Address(1)

    def nodes() -> tuple[Node, ...]:
        return (Load(("rows",), 2, affine(0), (once([Call(kernel, (*given, index("rows")))]),)),)

    cycles = max(1, int(cycles_of(kernel) * EXECUTOR.parts))
    table = JobTable((0, 1, 2), 3, 6, 4)
    return JobStage(nodes, table, (0, 0), cycles, False, True, touched, kernel.target, (entry.kernel.spec,))


@stage_of.register
def of_product_of_rows(entry: RowsProduct, numbers: Numbers) -> JobStage:
    """Return a product of the rows of a call, in pieces that are dealt to workers."""
    nest, made = entry.nest, _of_grouped(entry, entry.nest.nodes, numbers)
    others, place = index(WORKERS) - index("most"), row_nest.TABLE

    def nodes() -> tuple[Node, ...]:
        inside: dict[int, int | Address | Affine] = {each: each for each in (*made.table.operands, row_nest.OWN)}
        inside[place] = Address(place, affine(WORD))
        alone, dealt = (placed(each, inside) for each in (nest.alone(), nest.nodes()))
        return (Load(("most",), place, affine(0), (When(others, "<=", alone), When(others, ">", dealt))),)

    return made._replace(nodes=nodes)


@stage_of.register
def of_terms(entry: RowsTerms, numbers: Numbers) -> JobStage:
    """Return a product whose terms are rows of the call, in pieces that are dealt to workers."""
    return _of_grouped(entry, entry.nest.nodes, numbers)


def _of_grouped(entry: RowsProduct | RowsTerms, nodes: Callable[[], Sequence[Node]], numbers: Numbers) -> JobStage:
    nest = entry.nest
    extras = len(nest.finishing.extras) if nest.finishing is not None else 0
    check_count("product", 4 + extras, len(numbers))
    behind = row_nest.EXTRAS + extras
    operands = row_nest.A, row_nest.B, row_nest.C, *range(row_nest.EXTRAS, behind), row_nest.TABLE
    return JobStage(
        nodes,
        JobTable(operands, None, row_nest.OWN, behind),
        (0, nest.scratch.bytes),
        EXECUTOR.divided,
        True,
        True,
        tuple(TouchedElements(at, at == row_nest.C) for at in range(4 + extras)),
        nest.kernels.target,
        (nest,),
        per_row=entry.cycles * entry.factor,
    )


_EVERY = np.iinfo(np.int32).max
"""More workers than there are."""
