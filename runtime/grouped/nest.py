"""The nests of grouped products. Which rows, columns and terms a piece has comes from a table that each call fills:
`tables` makes it of the offsets, so that new offsets need no new code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...encoder.records import NamedTuple, dataclass
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
)
from ..ops.dealt import WORD, dealt, undealt
from .kernels import DepthKernels, Finishing, RowKernels, Steps, finished

A, B, C, OWN, TABLE, EXTRAS = range(6)
"""The operands of the jobs: the matrices, each worker's scratch memory, the table of pieces, and the operands of the
epilogue."""
PIECE = "member", "row", "rows", "first", "last"
"""A piece of a product of any number of rows: its member, rows and columns."""
DEEP_PIECE = "member", "chunk0", "chunks", "row", "rows", "first", "last"
"""A piece of a product of any number of terms: its member, the chunks of its terms, its rows and its columns."""
CHUNK = "term", "terms", "pairs", "rest"
"""A chunk of terms: the first one, how many, and how many pairs of matrices and single terms these are."""


def _columns(name: str, extent: int, block: int, stop: Affine, start: Affine) -> Iterator[tuple[Piece, int]]:
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
        kernels, whole = self.kernels, self.finishing is None
        sums = 0 if whole else self.rows * kernels.block.columns * ELEMENT_BYTES[kernels.dtypes[2]]
        return WorkerScratch(0 if self.prepacked else -(-kernels.bytes_b // 4096) * 4096, sums)

    @property
    def bytes_member(self) -> int:
        """The bytes of the packed blocks of a member."""
        kernels, block = self.kernels, self.kernels.block
        return -(-kernels.k // block.depth) * -(-kernels.n // block.columns) * kernels.bytes_b

    def nodes(self) -> tuple[Node, ...]:
        """Return the loops."""
        return (dealt(TABLE, PIECE, self._body()),)

    def alone(self) -> tuple[Node, ...]:
        """Return the loops for one worker."""
        return (undealt(TABLE, PIECE, self._body()),)

    def _body(self) -> list[Node]:
        kernels, body = self.kernels, list[Node]()
        for j, columns in _columns("j", kernels.n, kernels.block.columns, index("last"), index("first")):
            steps: list[Node] = []
            for p, depth in pieces("p", kernels.k, kernels.block.depth):
                steps += p.around(self._step(p, depth, j.start, columns))
            if self.finishing is not None:
                steps.append(self._finish(self.finishing, j.start, columns))
            body += j.around(steps) if j.loop else [When(index("last") - kernels.n, "==", tuple(steps))]
        return body

    def packing(self) -> tuple[Node, ...]:
        """Return the loops that pack all members, whose number is a word of the table."""
        kernels, body = self.kernels, list[Node]()
        for case, columns in cases("j", kernels.n, kernels.block.columns):
            steps: list[Node] = []
            for p, depth in pieces("p", kernels.k, kernels.block.depth):
                to = Address(C, self._packed(p.start, index("j")))
                steps += p.around([self._pack(p.start, index("j"), depth, columns, to)])
            body += case(steps)
        members = Loop(Header("member", affine(0), (index("members"),), 1, 1), tuple(body))
        return (
            Share(
                (blocks_of("j", kernels.n, kernels.block.columns),), (Load(("members",), TABLE, affine(0), (members,)),)
            ),
        )

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
        row = index("row")
        a = Address(A, self.a.at(row, p.start, affine(0)))
        to = Address(C, self.c.at(row, j, affine(0))) if self.finishing is None else self._sums()

        def call(first: bool) -> Node:
            return Call(self.kernels.multiply(depth, columns, first), (a, b, to, index("rows")))

        return in_steps(p, call)

    def _sums(self) -> Address:
        return self.scratch.at(affine(self.scratch.packed))

    def _finish(self, finishing: Finishing, j: Affine, columns: int) -> Node:
        row, member = index("row"), index("member")
        extras = tuple(Address(EXTRAS + at, each.at(row, j, member)) for at, each in enumerate(finishing.extras))
        to = Address(C, self.c.at(row, j, affine(0)))
        return finished(self.kernels.finish(finishing, columns), self._sums(), extras, to, index("rows"))


def in_steps(p: Piece, call: Callable[[bool], Node]) -> list[Node]:
    """Return the calls for a step of k: the first one writes sums, later ones add to them."""
    if not p.loop:
        return [call(p.start == affine(0))]
    if p.loop.trips == 1:
        return [call(True)]
    return [When(p.start, "==", (call(True),)), When(p.start, ">", (call(False),))]


@dataclass(frozen=True)
class DepthNest:
    """C_g = finishing(A[:, terms of g] @ B[terms of g])."""

    kernels: DepthKernels
    a: Steps
    b: Steps
    c: Steps
    finishing: Finishing | None

    @property
    def sizes(self) -> tuple[int, int]:
        """The bytes of an element of packed A and B, and of sums."""
        return ELEMENT_BYTES[self.kernels.types[0]], ELEMENT_BYTES[self.kernels.dtypes[2]]

    @property
    def scratch(self) -> WorkerScratch:
        """The scratch memory of a worker."""
        kernels, (packed, sums) = self.kernels, self.sizes
        both = kernels.rows + kernels.columns if kernels.packs else 0
        return WorkerScratch(
            both * GROUPS.terms * packed, 0 if self.finishing is None else kernels.rows * kernels.across * sums
        )

    def nodes(self) -> tuple[Node, ...]:
        """Return the loops."""
        kernels, body = self.kernels, list[Node]()
        for i, rows in _columns("i", kernels.m, kernels.rows, index("row") + index("rows"), index("row")):
            inside: list[Node] = []
            chunk = Load(
                CHUNK,
                TABLE,
                index("chunk") * (WORD * len(CHUNK)) + index("chunk0"),
                tuple(self._chunk(i.start, rows)),
            )
            inside.append(Loop(Header("chunk", affine(0), (index("chunks"),), 1, 1), (chunk,)))
            if self.finishing is not None:
                for j, columns in self._across():
                    finish = [self._finish(self.finishing, (i.start, j.start), (rows, columns))]
                    inside += self._around(j, finish)
            body += (
                i.around(inside) if i.loop else [When(index("row") + index("rows") - kernels.m, "==", tuple(inside))]
            )
        return (dealt(TABLE, DEEP_PIECE, body),)

    def _across(self) -> Iterator[tuple[Piece, int]]:
        return _columns("j", self.kernels.n, self.kernels.columns, index("last"), index("first"))

    def _around(self, j: Piece, body: list[Node]) -> list[Node]:
        return j.around(body) if j.loop else [When(index("last") - self.kernels.n, "==", tuple(body))]

    def _chunk(self, i: Affine, rows: int) -> list[Node]:
        """Add the products of a chunk of terms to a block of C."""
        kernels, term, terms = self.kernels, index("term"), index("terms")
        of_a = self.a.at(i, affine(0), affine(0)) + term * self.a.column
        body: list[Node] = []
        if kernels.packs:
            body.append(Call(kernels.pack("a", rows), (Address(A, of_a), self.scratch.at(affine(0)), terms)))
        for j, columns in self._across():
            of_b, steps = term * self.b.row + j.start * self.b.column, list[Node]()
            if kernels.packs:
                to = self.scratch.at(affine(self._before_b))
                steps.append(Call(kernels.pack("b", columns), (Address(B, of_b), to, terms)))
            body += self._around(j, [*steps, *self._multiply((i, j.start), (rows, columns), of_a, of_b)])
        return body

    @property
    def _before_b(self) -> int:
        return self.kernels.rows * GROUPS.terms * self.sizes[0]

    def _multiply(self, at: tuple[Affine, Affine], extents: tuple[int, int], of_a: Affine, of_b: Affine) -> list[Node]:
        kernels, (i, j) = self.kernels, at
        if kernels.packs:
            rows, columns = extents
            steps = rows * self.sizes[0], columns * self.sizes[0]
            a, b, base = affine(0), affine(self._before_b), self.scratch.at
        else:
            steps, a, b, base = (self.a.column, self.b.row), of_a, of_b, None
        to = self._to(i, j) if self.finishing is None else self._sums(j)

        def call(pair: int, first: bool, count: Affine, done: Affine) -> Node:
            of, by = a + done * steps[0], b + done * steps[1]
            left, right = (base(of), base(by)) if base else (Address(A, of), Address(B, by))
            kernel = kernels.multiply(*extents, pair, first)
            return Call(kernel, (left, right, to, count, *(affine(pair * each) for each in steps)))

        pairs, nothing = index("pairs"), affine(0)
        return [
            When(index("chunk"), "==", (call(GROUPS.pair, True, pairs, nothing),)),
            When(index("chunk"), ">", (call(GROUPS.pair, False, pairs, nothing),)),
            When(index("rest"), ">", (call(1, False, index("rest"), pairs * GROUPS.pair),)),
        ]

    def _to(self, i: Affine, j: Affine) -> Address:
        return Address(C, self.c.at(i, j, index("member")))

    def _sums(self, j: Affine) -> Address:
        return self.scratch.at((j - index("first")) * self.sizes[1] + self.scratch.packed)

    def _finish(self, finishing: Finishing, at: tuple[Affine, Affine], extents: tuple[int, int]) -> Node:
        (i, j), member = at, index("member")
        extras = tuple(Address(EXTRAS + place, each.at(i, j, member)) for place, each in enumerate(finishing.extras))
        return finished(self.kernels.finish(finishing, *extents), self._sums(j), extras, self._to(i, j), affine(0))
