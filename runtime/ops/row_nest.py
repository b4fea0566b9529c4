"""The nest of products of any number of rows. Which rows and columns a piece has comes from a table that each call
fills, so that other numbers of rows need no new code. Pieces follow from the numbers and the shapes only, so the bits
of a result do not depend on the number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple, cached_property, dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.tuning.products import GROUPS
from ..loops.code import (
    WORKER,
    Address,
    Affine,
    Call,
    Header,
    Load,
    Loop,
    Node,
    Piece,
    Share,
    When,
    affine,
    blocks_of,
    cases,
    index,
    pieces,
    placed,
)
from .dealt import dealt, undealt, with_bounds
from .row_kernels import GIVEN, Finishing, RowKernels, Steps, finished

if TYPE_CHECKING:
    from ..arguments.arrays import Array

A, B, C, OWN, TABLE, EXTRAS = range(6)
"""The operands of the jobs: the matrices, each worker's scratch memory, the table of pieces, and the operands of the
epilogue."""
PIECE = "member", "row", "rows", "first", "last"
"""A piece of a product of any number of rows: its member, rows and columns."""


def columns_of(name: str, extent: int, block: int, stop: Affine, start: Affine) -> Iterator[tuple[Piece, int]]:
    """Yield the full blocks between two places of a dimension in a loop, and its remainder, if the last place is its
    end."""
    whole, rest = extent // block * block, extent % block
    if whole:
        yield Piece(index(name), Header(name, start, (stop, affine(whole)), block, 1)), block
    if rest:
        yield Piece(affine(whole), None), rest


class WorkerScratch(NamedTuple):
    """The bytes of scratch memory of a worker: packed blocks, and the sums behind them."""

    packed: int
    sums: int

    @property
    def bytes(self) -> int:
        """All of them, whole pages."""
        return -(-(self.packed + self.sums) // 4096) * 4096

    def at(self, offset: Affine) -> Address:
        """Return the address of a byte of the worker's memory."""
        return Address(OWN, index(WORKER) * self.bytes + offset)


@dataclass(frozen=True)
class RowsNest:
    """C[rows of g] = finishing(A[rows of g] @ B_g).

    a, b, c     where the matrices lie; b has no steps between rows if it was packed in advance
    prepacked   whether B lies in packed blocks, one member after the other
    """

    kernels: RowKernels
    a: Steps
    b: Steps
    c: Steps
    finishing: Finishing | None
    prepacked: bool = False

    @property
    def rows(self) -> int:
        """The most rows of a piece."""
        fits = GROUPS.sums // self.kernels.block.columns // 8 * 8
        return max(GROUPS.least, min(GROUPS.most, fits))

    @property
    def scratch(self) -> WorkerScratch:
        """The scratch memory of a worker."""
        kernels, whole = self.kernels, self.kernels.direct or self.fused
        sums = 0 if whole else self.rows * kernels.block.columns * ELEMENT_BYTES[kernels.dtypes[2]]
        return WorkerScratch(0 if self.prepacked else -(-kernels.bytes_b // 4096) * 4096, sums)

    @property
    def bytes_member(self) -> int:
        """The bytes of the packed blocks of a member."""
        kernels, block = self.kernels, self.kernels.block
        return -(-kernels.k // block.depth) * -(-kernels.n // block.columns) * kernels.bytes_b

    @cached_property
    def fused(self) -> bool:
        """Whether the epilogue is computed on the sums in registers, by the products of the last steps of k."""
        return self.finishing is not None and self.kernels.fuses(self.finishing)

    @property
    def bytes_packed(self) -> int:
        """The bytes of the packed blocks of a product that has one member."""
        return self.bytes_member

    @property
    def bytes_b(self) -> int:
        """The bytes from a packed block of B to the next one."""
        return self.kernels.bytes_b

    def nodes(self) -> tuple[Node, ...]:
        """Return the loops."""
        return (dealt(TABLE, PIECE, self._body()),)

    def alone(self) -> tuple[Node, ...]:
        """Return the loops for one worker."""
        return (undealt(TABLE, PIECE, self._body()),)

    def _body(self) -> list[Node]:
        kernels, body = self.kernels, list[Node]()
        for j, columns in columns_of("j", kernels.n, kernels.block.columns, index("last"), index("first")):
            steps: list[Node] = []
            for p, depth in pieces("p", kernels.k, kernels.block.depth):
                steps += p.around(self._step(p, depth, j.start, columns))
            if self.finishing is not None and not self.fused:
                steps.append(self._finish(self.finishing, j.start, columns))
            body += j.around(steps) if j.loop else [When(index("last") - kernels.n, "==", tuple(steps))]
        return body

    def packing(self) -> tuple[Node, ...]:
        """Return the loops that pack B of a product of one member. Their operands are B and the packed blocks."""
        return placed(self._packing(affine(1)), {B: 0, C: 1})

    def packing_of_members(self) -> tuple[Node, ...]:
        """Return the loops that pack all members, whose number is a word of the table."""
        (share,) = self._packing(index("members"))
        return (replace(share, body=(Load(("members",), TABLE, affine(0), share.body),)),)

    def _packing(self, members: Affine) -> tuple[Share]:
        kernels, body = self.kernels, list[Node]()
        for case, columns in cases("j", kernels.n, kernels.block.columns):
            steps: list[Node] = []
            for p, depth in pieces("p", kernels.k, kernels.block.depth):
                to = Address(C, self._packed(p.start, index("j")))
                steps += p.around([self._pack(p.start, index("j"), depth, columns, to)])
            body += case(steps)
        loop = Loop(Header("member", affine(0), (members,), 1, 1), tuple(body))
        return (Share((blocks_of("j", kernels.n, kernels.block.columns),), (loop,)),)

    def _pack(self, p: Affine, j: Affine, depth: int, columns: int, to: Address) -> Node:
        return Call(self.kernels.pack(depth, columns), (Address(B, self.b.at(p, j, index("member"))), to))

    def _packed(self, p: Affine, j: Affine) -> Affine:
        """Return the offset of a block of the packed blocks of the member."""
        block, size = self.kernels.block, self.kernels.bytes_b
        line = -(-self.kernels.n // block.columns) * size
        return index("member") * self.bytes_member + p * (line // block.depth) + j * (size // block.columns)

    def _step(self, p: Piece, depth: int, j: Affine, columns: int) -> list[Node]:
        """Multiply the rows of a piece by a block of B, which is packed first. Even a few rows are multiplied sooner
        this way than by a block of long rows where it lies."""
        if self.prepacked:
            return self._multiply(p, depth, j, columns, Address(B, self._packed(p.start, j)))
        own = self.scratch.at(affine(0))
        return [self._pack(p.start, j, depth, columns, own), *self._multiply(p, depth, j, columns, own)]

    def _multiply(self, p: Piece, depth: int, j: Affine, columns: int, b: Address) -> list[Node]:
        row, fused = index("row"), self.finishing if self.fused else None
        a = Address(A, self.a.at(row, p.start, affine(0)))
        to = Address(C, self.c.at(row, j, affine(0))) if self.kernels.direct or fused else self._sums()

        def call(first: bool, last: bool) -> Node:
            if fused is None or not last:
                return Call(self.kernels.multiply(depth, columns, first), (a, b, to, index("rows")))
            before, results = self._given(fused, j)
            return Call(self.kernels.fused(fused, depth, columns, first), (a, b, to, index("rows"), *before, *results))

        return in_steps(p, call, self.kernels.k - depth)

    def _sums(self) -> Address:
        return self.scratch.at(affine(self.scratch.packed))

    def _given(self, finishing: Finishing, j: Affine) -> tuple[list[Address | Affine], list[Address]]:
        """Return what the epilogue of a block is given: its operands and numbers, and the results beside C."""
        row, member = index("row"), index("member")
        before: list[Address | Affine] = [
            each.address(EXTRAS + at, row, j, member) for at, each in enumerate(finishing.extras)
        ]
        behind = EXTRAS + len(finishing.extras)
        before += [Address(behind + at) for at in range(finishing.seeds)]
        behind += finishing.seeds
        if finishing.origin == GIVEN:
            before += [Address(behind, row), Address(behind + 1, j)]
            behind += 2
        elif finishing.origin:
            before += [row, j]
        return before, [each.address(behind + at, row, j, member) for at, each in enumerate(finishing.results)]

    def _finish(self, finishing: Finishing, j: Affine, columns: int) -> Node:
        to = Address(C, self.c.at(index("row"), j, affine(0)))
        before, results = self._given(finishing, j)
        before[len(finishing.extras) : len(finishing.extras)] = [to] * finishing.reads_c
        sums = to if finishing.in_place else self._sums()
        return finished(self.kernels.finish(finishing, columns), sums, before, to, index("rows"), results)


def in_steps(p: Piece, call: Callable[[bool, bool], Node], final: int) -> list[Node]:
    """Return the calls for a step of k: call(whether it is the first one, whether it is the last one). final: where a
    last step like these begins."""
    if not p.loop:
        return [call(p.start == affine(0), True)]
    end = (p.loop.trips - 1) * p.loop.step
    if not end:
        return [call(True, final == 0)]
    inner, last = call(False, False), call(False, end == final)
    made: list[Node] = [When(p.start, "==", (call(True, False),))]
    if last == inner:
        return [*made, When(p.start, ">", (inner,))]
    if p.loop.trips > 2:
        made.append(When(p.start, ">", (When(p.start - end, "<", (inner,)),)))
    return [*made, When(p.start - end, "==", (last,))]


def row_table(ends: Array, n: int, columns: int, most: int) -> Array:
    """Return the table of a product of any number of rows.

    ends      the end of each member's rows
    columns   those of a block of B, of n
    most      the most rows of a piece
    """
    starts = np.concatenate((ends[:1] * 0, ends[:-1]))
    rows = ends - starts
    blocks = -(-rows // most)
    high = -(-rows // np.maximum(blocks, 1) // 8) * 8
    member = np.repeat(np.arange(len(ends)), blocks)
    number = np.arange(len(member)) - np.repeat(np.cumsum(blocks) - blocks, blocks)
    row = starts[member] + number * high[member]
    count = np.minimum(high[member], ends[member] - row)
    there = count > 0
    member, row, count = member[there], row[there], count[there]
    first, last = _cut(n, columns, len(member))
    pieces, across = len(member), len(first)
    table = np.empty((pieces, across, len(PIECE)), np.int64)
    for place, each in ((0, member), (1, row), (2, count)):
        table[:, :, place] = each[:, None]
    table[:, :, 3], table[:, :, 4] = first, last
    cost = (count[:, None] + GROUPS.around) * (last - first)
    return with_bounds(cost.ravel(), table.reshape(-1, len(PIECE)))


def covers(table: Array, rows: int, n: int, most: int) -> bool:
    """Whether the pieces of a table have each element of a product of so many rows once, at most so many rows each, and
    are dealt out once."""
    bounds, found = table[: GROUPS.parts + 1], table[GROUPS.parts + 1 :].reshape(-1, len(PIECE))
    _, row, count, first, last = found.T
    across = int((row == 0).sum())
    dealt_out = bounds[0] == 0 and bounds[-1] == len(found) and bool((np.diff(bounds) >= 0).all())
    if not dealt_out or not across or len(found) % across or not (0 < count.min() <= count.max() <= most):
        return False
    row, end = (each.reshape(-1, across) for each in (row, row + count))
    first, last = (each.reshape(-1, across) for each in (first, last))
    joined = (row[1:] == end[:-1]).all() and (row == row[:, :1]).all() and (end == end[:, :1]).all()
    side_by_side = (first[:, 1:] == last[:, :-1]).all() and not first[:, 0].any() and (last[:, -1] == n).all()
    return bool(joined and side_by_side and (first < last).all() and end[-1, 0] == rows)


def _cut(n: int, columns: int, pieces: int) -> tuple[Array, Array]:
    """Return where parts of all columns begin and end: so many that there are enough pieces."""
    blocks = -(-n // columns)
    parts = min(blocks, max(1, -(-GROUPS.pieces // max(1, pieces))))
    wide = -(-blocks // parts) * columns
    first = np.arange(0, n, wide)
    return first, np.minimum(first + wide, n)
