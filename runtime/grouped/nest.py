"""The nest of products of any number of terms. Which rows, columns and terms a piece has comes from a table that each
call fills: `tables` makes it of the offsets, so that new offsets need no new code.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...encoder.records import dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.tuning.products import GROUPS
from ..loops.code import Address, Affine, Call, Header, Load, Loop, Node, Piece, When, affine, index
from ..ops.dealt import WORD, dealt
from ..ops.row_kernels import Finishing, Steps, finished
from ..ops.row_nest import EXTRAS, TABLE, A, B, C, WorkerScratch, columns_of
from .kernels import DepthKernels

DEEP_PIECE = "member", "chunk0", "chunks", "row", "rows", "first", "last"
"""A piece of a product of any number of terms: its member, the chunks of its terms, its rows and its columns."""
CHUNK = "term", "terms", "pairs", "rest"
"""A chunk of terms: the first one, how many, and how many pairs of matrices and single terms these are."""


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
        for i, rows in columns_of("i", kernels.m, kernels.rows, index("row") + index("rows"), index("row")):
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
        return dealt(TABLE, DEEP_PIECE, body)

    def _across(self) -> Iterator[tuple[Piece, int]]:
        return columns_of("j", self.kernels.n, self.kernels.columns, index("last"), index("first"))

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
