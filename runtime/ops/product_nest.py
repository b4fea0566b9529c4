"""The nest of a large product as loops over kernels: see `blocks`.

The operands of the job are A, B, C, scratch memory for packed blocks of B and of A, the barrier and its state, and the
further inputs of an epilogue. Each worker has its own part of the scratch memory for A, which also holds its block of B
if it packs that itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple, dataclass
from ..loops.code import (
    WORKER,
    Address,
    Affine,
    Barrier,
    Call,
    Header,
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
)
from .schedules import Blocks, InPlace, OwnB, OwnSums, PartsOfK, SharedB, SharedSums

if TYPE_CHECKING:
    from ..kernel.callable import Kernel

A, B, C, PACKED_B, PACKED_A, BARRIER, STATE, EXTRAS = range(8)
"""Positions of the operands in the job's table."""


@dataclass(frozen=True)
class MatrixStrides:
    """A matrix in memory: the bytes between neighbouring rows and between neighbouring columns."""

    row: int
    column: int

    def at(self, operand: int, i: Affine, j: Affine) -> Address:
        """Return the address of an element."""
        return Address(operand, i * self.row + j * self.column)


@dataclass(frozen=True)
class Filling:
    """Zeros that fill up a packed block, from `begin` bytes after its beginning."""

    begin: int
    kernel: Kernel

    def after(self, place: Address) -> Call:
        """Return the call that writes the zeros into the block at `place`."""
        at = Address(place.operand, place.offset + self.begin)
        return Call(self.kernel, (at, at))


class EpilogueArguments(NamedTuple):
    """What the epilogue of a block is given: the addresses of its operands and of its results beside C, and between
    them the numbers of the call and the place of the block."""

    operands: tuple[Address, ...] = ()
    numbers: tuple[Address | Affine, ...] = ()
    results: tuple[Address, ...] = ()

    def around(self, *c: Address) -> tuple[Address | Affine, ...]:
        """Return the arguments of the epilogue alone, behind the sums: the old C, if it is read, and C in their
        places."""
        *before, to = c
        return *self.operands, *before, *self.numbers, to, *self.results


@dataclass(frozen=True)
class Parts:
    """The kernels that the nest calls. Each function takes the extents of a block and returns its kernel.

    pack_a     (rows, depth); fill_a: the zeros that fill up such a block, or None
    pack_b     (depth, columns); fill_b likewise
    widen      (depth, columns): converts a part of a block of B that was packed in advance
    total      (columns): adds the sums of all parts of k, for one row of C
    multiply   (rows, columns, depth, whether this is the first block of k, whether it is the last)
    epilogue   (row, column) of a block: what its epilogue is given
    turn       (rows, columns): transposes a block of C from the worker's scratch memory; None: blocks are stored in C
    before_c   the offset of that block in the worker's memory; a packed block of A precedes it
    """

    pack_a: Callable[[int, int], Kernel]
    pack_b: Callable[[int, int], Kernel]
    multiply: Callable[[int, int, int, bool, bool], Kernel]
    epilogue: Callable[[Affine, Affine], EpilogueArguments]
    fill_a: Callable[[int, int], Filling | None]
    fill_b: Callable[[int, int], Filling | None]
    widen: Callable[[int, int], Kernel]
    total: Callable[[int], Kernel]
    turn: Callable[[int, int], Kernel] | None = None
    before_c: int = 0

    def packing_a(self, rows: int, depth: int, a: Address, to: Address) -> list[Node]:
        """Return the calls that pack a block of A."""
        filling = self.fill_a(rows, depth)
        return [Call(self.pack_a(rows, depth), (a, to)), *([filling.after(to)] if filling else [])]

    def packing_b(self, depth: int, columns: int, b: Address, to: Address) -> list[Node]:
        """Return the calls that pack a block of B."""
        filling = self.fill_b(depth, columns)
        return [Call(self.pack_b(depth, columns), (b, to)), *([filling.after(to)] if filling else [])]


@dataclass(frozen=True)
class BlockSums:
    """The sums of a block of C in a worker's scratch memory, in rows of `Blocks.nc` elements, and their kernels.

    begin     the offset of the sums in the worker's memory; a packed block of A precedes them
    end       the offset behind the sums, where a block of B begins if the worker packs its own
    size      bytes of an element
    row_a     bytes between rows of a packed block of A
    reads_c   whether `finish` reads C as well
    add       (rows, columns, depth, whether this is the first block of k): adds a product of packed blocks to the sums
    finish    (rows, columns): computes C from the sums
    """

    begin: int
    end: int
    size: int
    row_a: int
    reads_c: bool
    add: Callable[[int, int, int, bool], Kernel]
    finish: Callable[[int, int], Kernel]


@dataclass(frozen=True)
class StepsOfK:
    """The steps of k of a call: `depth` of them from block + inside on.

    block         where the packed block of B begins that the call reads
    inside        the steps of that block before it
    least, most   the first and the last place at which the calls of the loops around it begin
    step          the distance between such places
    """

    depth: int
    block: Affine
    inside: Affine
    least: int
    most: int
    step: int

    @property
    def start(self) -> Affine:
        """The first of these steps of k."""
        return self.block + self.inside

    @classmethod
    def of(cls, p: Piece, depth: int) -> StepsOfK:
        """Return the steps of whole blocks, or of the last one."""
        return cls(depth, p.start, affine(0), *_range(p), depth)

    def part(self, s: Piece, depth: int) -> StepsOfK:
        """Return the steps of a part of the blocks."""
        least, most = _range(s)
        return StepsOfK(depth, self.block, s.start, self.least + least, self.most + most, depth)


def _range(piece: Piece) -> tuple[int, int]:
    """Return the first and the last place at which blocks begin."""
    if piece.loop is None:
        return piece.start.constant, piece.start.constant
    return piece.loop.start.constant, piece.loop.start.constant + (piece.loop.trips - 1) * piece.loop.step


@dataclass(frozen=True)
class ProductNest:
    """The loops of a product: its blocks, kernels and matrices.

    bytes_own   bytes of scratch memory per worker
    bytes_b     bytes of a packed block of B
    bytes_part  bytes from the sums of a part of k to those of the next, in shared scratch memory
    prepacked   whether all of B is packed already, ordered by steps of k and then by columns
    """

    blocks: Blocks
    parts: Parts
    a: MatrixStrides
    b: MatrixStrides
    c: MatrixStrides
    bytes_own: int
    bytes_b: int
    sums: BlockSums | None = None
    prepacked: bool = False
    bytes_part: int = 0

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        nests = {
            SharedB: self._shared,
            InPlace: self._shared,
            SharedSums: self._shared_sums,
            OwnB: self._private,
            OwnSums: self._private_sums,
            PartsOfK: self._parts_of_k,
        }
        return nests[type(self.blocks.schedule)]()

    def _shared(self) -> tuple[Node, ...]:
        """Return the nest in which sums go into C."""
        return self._by_columns(self._columns)

    def _shared_sums(self) -> tuple[Node, ...]:
        """Return the nest of `_shared` for blocks whose sums stay in scratch memory."""
        return self._by_columns(self._summed)

    def _by_columns(self, body: Callable[[Affine, int], list[Node]]) -> tuple[Node, ...]:
        made: list[Node] = []
        for j0, columns in pieces("j0", self.blocks.n, self.blocks.nc):
            made += j0.around(body(j0.start, columns))
        return tuple(made)

    def _parts_of_k(self) -> tuple[Node, ...]:
        """Return the nest of a small C and a long k: the sums of each part of k, and then their total."""
        blocks, q, i = self.blocks, index("q"), index("i")
        m, n = blocks.m, blocks.n
        body: list[Node] = []
        for case, depth in cases("q", blocks.k, blocks.of_k):
            a = self.a.at(A, affine(0), q)
            packing = self.parts.packing_a(m, depth, a, self._packed_a()) if blocks.packs_a else []
            body += case([*packing, *self._part(q, depth)])
        row = i * (n * self.c.column)
        total = Call(self.parts.total(n), (Address(PACKED_B, row), Address(C, row)))
        return (
            Share((blocks_of("q", blocks.k, blocks.of_k),), tuple(body)),
            Barrier(BARRIER),
            Share((blocks_of("i", m, 1),), (total,)),
        )

    def _part(self, q: Affine, depth: int) -> list[Node]:
        """Return the calls that compute the sums of the part of k that begins at q, block by block."""
        blocks, made = self.blocks, list[Node]()
        sums = Address(PACKED_B, q * (self.bytes_part // blocks.of_k))
        for p, steps in pieces("p", depth, blocks.kb):
            a = self._packed_a() if blocks.packs_a else self.a.at(A, affine(0), q + p.start)
            arguments = a, self.b.at(B, q + p.start, affine(0)), sums
            first, again = (
                Call(self.parts.multiply(blocks.m, blocks.n, steps, start, False), arguments) for start in (True, False)
            )
            if p.loop is None:
                made.append(again if depth > steps else first)
            elif p.loop.trips == 1:
                made += p.around([first])
            else:
                made += p.around([When(p.start, "==", (first,)), When(p.start, ">", (again,))])
        return made

    def _private(self) -> tuple[Node, ...]:
        """Return the nest in which each worker packs the blocks of B of its own columns, so that no worker waits for
        another."""
        blocks = self.blocks
        body: list[Node] = []
        for across, columns in cases("j", blocks.n, blocks.nb):
            steps: list[Node] = []
            for p, depth in pieces("p", blocks.k, blocks.kb):
                steps += p.around([*self._pack_own(p.start, depth, columns), *self._rows(p, depth, columns)])
            body += across(steps)
        return (Share((blocks_of("j", blocks.n, blocks.nb),), tuple(body)),)

    def _private_sums(self) -> tuple[Node, ...]:
        """Return the nest of `_private` for blocks whose sums stay in scratch memory."""
        blocks, j = self.blocks, index("j")
        i = index("i") if blocks.mb < blocks.m else affine(0)
        body: list[Node] = []
        all_rows, all_columns = cases("i", blocks.m, blocks.mb), cases("j", blocks.n, blocks.nb)
        for (down, rows), (across, columns) in product(all_rows, all_columns):
            steps: list[Node] = []
            for p, depth in pieces("p", blocks.k, blocks.lines or blocks.kb):
                packing = self.parts.packing_a(rows, depth, self.a.at(A, i, p.start), self._packed_a())
                steps += p.around(
                    [
                        *packing,
                        *self._pack_own(p.start, depth, columns),
                        *self._adding(p, rows, columns, depth, lambda _: self._own_b()),
                    ]
                )
            body += down(across([*steps, *self._finish(rows, columns, i, j)]))
        headers = blocks_of("i", blocks.m, blocks.mb), blocks_of("j", blocks.n, blocks.nb)
        return (Share(headers if blocks.mb < blocks.m else headers[1:], tuple(body)),)

    def _pack_own(self, p: Affine, depth: int, columns: int) -> list[Node]:
        """Pack a block of B into the worker's memory; or convert a part of one that is packed already."""
        if not self.prepacked:
            return self.parts.packing_b(depth, columns, self.b.at(B, p, index("j")), self._own_b())
        blocks = self.blocks
        place = self._packed(p, index("j"))
        if blocks.lines < blocks.kb:  # all of k is one block
            place = self._packed(affine(0), index("j")) + p * (columns * (self.bytes_b // (blocks.kb * blocks.nb)))
        return [Call(self.parts.widen(depth, columns), (Address(B, place), self._own_b()))]

    def _rows(self, p: Piece, depth: int, columns: int) -> list[Node]:
        """Multiply all rows of A by a block of B."""
        blocks = self.blocks
        made: list[Node] = []
        for i, rows in pieces("i", blocks.m, blocks.mb):
            made += i.around(
                self._multiply_at(StepsOfK.of(p, depth), (rows, columns), i.start, index("j"), self._own_b())
            )
        return made

    def _columns(self, j0: Affine, columns: int) -> list[Node]:
        made: list[Node] = []
        for p, depth in pieces("p", self.blocks.k, self.blocks.kb):
            if self.prepacked or not self.blocks.packs_b:
                # each worker computes the same part of C for every p, so none waits for another
                made += p.around([self._computing(p, depth, j0, columns)])
                continue
            made += p.around(
                [
                    self._packing(p.start, depth, j0, columns, self._packed_b),
                    Barrier(BARRIER),
                    self._computing(p, depth, j0, columns),
                    Barrier(BARRIER),
                ]
            )
        return made

    def _summed(self, j0: Affine, columns: int) -> list[Node]:
        """Return the loops of blocks of C whose sums stay in scratch memory."""
        blocks = self.blocks
        made: list[Node] = []
        for p, depth in () if self.prepacked else pieces("p", blocks.k, blocks.kb):
            made += p.around([self._packing(p.start, depth, j0, columns, partial(self._packed_step, p.start))])
        body: list[Node] = []
        for case, rows in cases("i", blocks.m, blocks.mb):
            steps: list[Node] = []
            for p, depth in pieces("p", blocks.k, blocks.kb):
                b = self._step_of_b(p.start, j0)
                steps += p.around([*self._pack_a(p.start, rows, depth), *self._adding(p, rows, columns, depth, b)])
            body += case([*steps, *self._finish(rows, columns, index("i"), j0)])
        computing = Share((blocks_of("i", blocks.m, blocks.mb),), tuple(body))
        return [computing] if self.prepacked else [*made, Barrier(BARRIER), computing, Barrier(BARRIER)]

    def _adding(self, p: Piece, rows: int, columns: int, depth: int, b: Callable[[Affine], Address]) -> list[Node]:
        """Add the products of a packed block of A and the blocks of B of a step of k to the sums. `b` maps a column to
        the address of its block."""
        made: list[Node] = []
        for r, high in pieces("r", rows, self.blocks.rb):
            for j, wide in pieces("c", columns, self.blocks.nb):
                made += r.around(j.around(self._add(p, r.start, j.start, (high, wide, depth), b(j.start))))
        return made

    def _add(self, p: Piece, r: Affine, j: Affine, extents: tuple[int, int, int], b: Address) -> list[Node]:
        sums, blocks = self.sums, self.blocks
        assert sums is not None
        own = index(WORKER) * self.bytes_own
        arguments = (Address(PACKED_A, own + r * sums.row_a), b, self._sums_at(r, j))
        first = Call(sums.add(*extents, True), arguments)
        if not p.loop:
            return [Call(sums.add(*extents, False), arguments)] if blocks.k > extents[2] else [first]
        again = Call(sums.add(*extents, False), arguments)
        return [When(p.start, "==", (first,)), When(p.start, ">", (again,))]

    def _finish(self, rows: int, columns: int, i: Affine, j0: Affine) -> list[Node]:
        """Compute a block of C from its sums."""
        sums, c = self.sums, self.c.at(C, i, j0)
        assert sums is not None
        if self.parts.turn is None:
            before = (c,) if sums.reads_c else ()
            arguments = (self._sums_at(affine(0), affine(0)), *self.parts.epilogue(i, j0).around(*before, c))
            return [Call(sums.finish(rows, columns), arguments)]
        made: list[Node] = []
        for r, high in pieces("r", rows, self.blocks.rb):
            own, to = self._block_at(affine(0)), i + r.start
            arguments = (self._sums_at(r.start, affine(0)), *self.parts.epilogue(to, j0).around(own))
            made += r.around(
                [
                    Call(sums.finish(high, columns), arguments),
                    Call(self.parts.turn(high, columns), (own, self.c.at(C, to, j0))),
                ]
            )
        return made

    def _sums_at(self, r: Affine, j: Affine) -> Address:
        sums = self.sums
        assert sums is not None
        return Address(PACKED_A, index(WORKER) * self.bytes_own + sums.begin + (r * self.blocks.nc + j) * sums.size)

    def _step_of_b(self, p: Affine, j0: Affine) -> Callable[[Affine], Address]:
        """Return a function from a column, counted from j0, to the address of its block of B for this step of k."""
        if self.prepacked:
            return lambda j: Address(B, self._packed(p, j0 + j))
        return partial(self._packed_step, p)

    def _packed_step(self, p: Affine, j: Affine) -> Address:
        """Return the address of a block of B if the blocks of all steps of k are packed for `nc` columns at a time."""
        line = -(-self.blocks.nc // self.blocks.nb) * self.bytes_b
        return Address(PACKED_B, p * (line // self.blocks.kb) + j * (self.bytes_b // self.blocks.nb))

    def packing(self) -> tuple[Node, ...]:
        """Return the nest that packs all of B for a nest with `prepacked`. Its operands are B and the packed blocks."""
        made: list[Node] = []
        j = index("j")
        for p, depth in pieces("p", self.blocks.k, self.blocks.kb):
            body = [
                node
                for case, width in cases("j", self.blocks.n, self.blocks.nb)
                for node in case(
                    self.parts.packing_b(depth, width, self.b.at(0, p.start, j), Address(1, self._packed(p.start, j)))
                )
            ]
            made += p.around([Share((blocks_of("j", self.blocks.n, self.blocks.nb),), tuple(body))])
        return tuple(made)

    @property
    def bytes_packed(self) -> int:
        """The bytes of all packed blocks of B."""
        return -(-self.blocks.k // self.blocks.kb) * -(-self.blocks.n // self.blocks.nb) * self.bytes_b

    def _packed(self, p: Affine, j: Affine) -> Affine:
        """Return the offset of a block of B if all of B is packed."""
        line = -(-self.blocks.n // self.blocks.nb) * self.bytes_b
        return p * (line // self.blocks.kb) + j * (self.bytes_b // self.blocks.nb)

    def _packing(self, p: Affine, depth: int, j0: Affine, columns: int, to: Callable[[Affine], Address]) -> Node:
        if self.blocks.lines:
            return self._streaming(p, depth, j0, columns, to)
        j = index("j")
        body = [
            node
            for case, width in cases("j", columns, self.blocks.nb)
            for node in case(self.parts.packing_b(depth, width, self.b.at(B, p, j0 + j), to(j)))
        ]
        return Share((blocks_of("j", columns, self.blocks.nb),), tuple(body))

    def _streaming(self, p: Affine, depth: int, j0: Affine, columns: int, to: Callable[[Affine], Address]) -> Node:
        """Pack a few rows of B at a time, across all blocks, so that they are read as long streams."""
        blocks, s = self.blocks, index("s")
        size = self.bytes_b // (blocks.kb * blocks.nb)
        body: list[Node] = []
        for case, rows in cases("s", depth, blocks.lines):
            steps: list[Node] = []
            for j, width in pieces("j", columns, blocks.nb):
                place = to(j.start)
                place = Address(place.operand, place.offset + s * (width * size))
                steps += j.around(self.parts.packing_b(rows, width, self.b.at(B, p + s, j0 + j.start), place))
            body += case(steps)
        return Share((blocks_of("s", depth, blocks.lines),), tuple(body))

    def _computing(self, p: Piece, depth: int, j0: Affine, columns: int) -> Node:
        blocks = self.blocks
        body: list[Node] = []
        for case, rows in cases("i", blocks.m, blocks.mb):
            packing = self._pack_a(p.start, rows, depth) if blocks.packs_a else []
            turning = self._turn(rows, columns) if self.parts.turn else []
            body += case([*packing, *self._row(p, rows, depth, j0, columns), *turning])
        headers = blocks_of("i", blocks.m, blocks.mb), blocks_of("g", columns, blocks.ng)
        return Share(headers, tuple(body))

    def _pack_a(self, p: Affine, rows: int, depth: int) -> list[Node]:
        return self.parts.packing_a(rows, depth, self.a.at(A, index("i"), p), self._packed_a())

    def _row(self, p: Piece, rows: int, depth: int, j0: Affine, columns: int) -> list[Node]:
        """Multiply a block of A by the blocks of B in a group: one block after another, or a few rows of each in turn,
        so that B is read as several streams."""
        blocks = self.blocks
        if not (self.prepacked and 0 < blocks.lines < depth):
            return self._across(StepsOfK.of(p, depth), rows, j0, columns)
        made: list[Node] = []
        for s, lines in pieces("s", depth, blocks.lines):
            made += s.around(self._across(StepsOfK.of(p, depth).part(s, lines), rows, j0, columns))
        return made

    def _across(self, steps: StepsOfK, rows: int, j0: Affine, columns: int) -> list[Node]:
        """Multiply some steps of k of a block of A by those of the blocks of B in a group."""
        blocks, j, g = self.blocks, index("j"), index("g")
        whole = columns // blocks.nb * blocks.nb
        made: list[Node] = []
        if whole:
            header = Header("j", g, (g + blocks.ng, affine(whole)), blocks.nb, -(-blocks.ng // blocks.nb))
            made.append(Loop(header, tuple(self._multiply(steps, (rows, blocks.nb), j0, j))))
        if whole < columns:
            last = (columns - 1) // blocks.ng * blocks.ng
            calls = self._multiply(steps, (rows, columns - whole), j0, affine(whole))
            made.append(When(g - last, "==", tuple(calls)))
        return made

    def _turn(self, rows: int, columns: int) -> list[Node]:
        """Transpose a block of C with all columns and all of k."""
        assert self.parts.turn is not None
        return [Call(self.parts.turn(rows, columns), (self._block_at(affine(0)), self.c.at(C, index("i"), affine(0))))]

    def _block_at(self, j: Affine) -> Address:
        """Return the address of column j of a row-major block of C in the worker's scratch memory."""
        return Address(PACKED_A, index(WORKER) * self.bytes_own + self.parts.before_c + j * self.c.row)

    def _multiply(self, steps: StepsOfK, extents: tuple[int, int], j0: Affine, j: Affine) -> list[Node]:
        b = self._packed_b(j) if self.blocks.packs_b else self.b.at(B, steps.start, j0 + j)
        if self.prepacked:
            line = extents[1] * (self.bytes_b // (self.blocks.kb * self.blocks.nb))  # bytes of a row of the block
            b = Address(B, self._packed(steps.block, j0 + j) + steps.inside * line)
        return self._multiply_at(steps, extents, index("i"), j0 + j, b)

    def _multiply_at(self, steps: StepsOfK, extents: tuple[int, int], i: Affine, j: Affine, b: Address) -> list[Node]:
        """Compute the block of C at row i and column j: add the product of these steps of k to it. `extents` are the
        rows and columns of that product."""
        k, depth, start = self.blocks.k, steps.depth, steps.start
        a = self._packed_a() if self.blocks.packs_a else self.a.at(A, i, start)
        plain = (a, b, self._block_at(j) if self.parts.turn else self.c.at(C, i, j))
        behind = self.parts.epilogue(i, j)
        finished = *plain, *behind.operands, *behind.numbers, *behind.results

        def call(first: bool, last: bool) -> Call:
            return Call(self.parts.multiply(*extents, depth, first, last), finished if last else plain)

        final = k - depth  # where the last step begins
        if steps.least == steps.most:  # there is one step, or these are the remainder of k
            return [call(steps.least == 0, steps.most == final)]
        inner, ends = call(False, False), steps.most == final
        last = call(False, True) if ends else inner
        made: list[Node] = [When(start, "==", (call(True, False),))] if steps.least == 0 else []
        if last.kernel is inner.kernel:
            return [*made, When(start, ">", (inner,))] if made else [inner]
        made.append(When(start - final, "==", (last,)))
        between = [When(start - final, "<", (inner,))]
        if steps.least > 0:
            return [*made, *between]
        return [*made, *([When(start, ">", tuple(between))] if final > steps.step else [])]

    def _packed_a(self) -> Address:
        return Address(PACKED_A, index(WORKER) * self.bytes_own)

    def _own_b(self) -> Address:
        return Address(PACKED_A, index(WORKER) * self.bytes_own + (self.sums.end if self.sums else 0))

    def _packed_b(self, j: Affine) -> Address:
        return Address(PACKED_B, j * (self.bytes_b // self.blocks.nb))
