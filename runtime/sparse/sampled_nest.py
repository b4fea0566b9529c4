"""The loops of a sampled product: the blocks of a product at the places of a sparse matrix, dealt out in runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.sparse import SPARSE
from ..api.brgemm import product_spec
from ..kernel.callable import kept
from ..loops.code import Address, Barrier, Call, Header, Load, Loop, Node, Share, When, affine, blocks_of, cases, index
from ..walks.moves import MoveKernels

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..kernel.kinds import AnyRequest

A, B, VALUES, TABLE, SHARED, BARRIER, STATE = range(7)
"""Positions of the operands in the job's table."""


class SampledProduct(NamedTuple):
    """Blocks of a product m x n of matrices m x k and k x n, as code is made for it.

    block      rows and columns of a block
    blocks     how many there are
    types      of A, B and the blocks
    a, b       elements between the rows of A and of B, or between the columns of B if those are its neighbours: turned
    along_k    whether blocks read columns of B whose elements are neighbours
    """

    m: int
    n: int
    k: int
    block: tuple[int, int]
    blocks: int
    types: tuple[str, str, str]
    a: int
    b: int
    turned: bool
    along_k: bool
    target: Target

    @property
    def copies(self) -> bool:
        """Whether B is copied first: into panels as wide as a block, or transposed."""
        return not (self.turned and self.along_k)

    @property
    def apart(self) -> int:
        """The elements from one line of B to the next, where blocks read them: from row to row of a panel, or from
        column to column."""
        if not self.along_k:
            return self.block[1]
        per = CACHE_LINE // ELEMENT_BYTES[self.types[1]]
        return -(-self.k // per) * per if self.copies else self.b

    @property
    def bytes_shared(self) -> int:
        """The bytes of the copy."""
        across = self.block[1]
        elements = self.n * self.apart if self.along_k else -(-self.n // across) * across * self.k
        return elements * ELEMENT_BYTES[self.types[1]] if self.copies else 0


class SampledNest:
    """Makes the nodes of a sampled product."""

    def __init__(self, of: SampledProduct) -> None:
        self.of = of
        self.size_a, self.size_b, self.size_c = (ELEMENT_BYTES[each] for each in of.types)

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        of = self.of
        each = Loop(
            Header("entry", index("run"), (index("run") + SPARSE.sampled, affine(of.blocks)), 1, SPARSE.sampled),
            (
                Load(
                    ("line", "place"),
                    TABLE,
                    index("entry") * 16,
                    tuple(self._blocks()),
                    ((0, -(-of.m // of.block[0]) - 1), (0, -(-of.n // of.block[1]) - 1)),
                ),
            ),
        )
        runs = Share((blocks_of("run", of.blocks, SPARSE.sampled),), (each,))
        copies = self._columns() if of.along_k else self._panels()
        return (copies, Barrier(BARRIER), runs) if of.copies else (runs,)

    def _columns(self) -> Share:
        """Return the transpose of B: of rows of memory as they are to lines."""
        of, moves, made = self.of, MoveKernels(self.of.types[1], self.of.target), list[Node]()
        for down, rows in cases("down", of.k, SPARSE.slab):
            for along, columns in cases("along", of.n, SPARSE.slab):
                kernel = moves.turn(rows, columns, of.b, of.apart)
                source = Address(B, (index("down") * of.b + index("along")) * self.size_b)
                to = Address(SHARED, (index("along") * of.apart + index("down")) * self.size_b)
                made += down(along([Call(kernel, (source, to))]))
        return Share((blocks_of("down", of.k, SPARSE.slab), blocks_of("along", of.n, SPARSE.slab)), tuple(made))

    def _panels(self) -> Share:
        """Return the copy of B into panels."""
        of, moves, made = self.of, MoveKernels(self.of.types[1], self.of.target), list[Node]()
        across = of.block[1]
        down, along = (1, of.b) if of.turned else (of.b, 1)
        for panel, columns in cases("panel", of.n, across):
            for depth, rows in cases("depth", of.k, SPARSE.slab):
                copied = (
                    moves.turn(columns, rows, of.b, across) if of.turned else moves.copy(rows, columns, of.b, across)
                )
                source = Address(B, (index("depth") * down + index("panel") * along) * self.size_b)
                to = Address(SHARED, (index("panel") * of.k + index("depth") * across) * self.size_b)
                made += panel(depth([Call(copied, (source, to))]))
        return Share((blocks_of("panel", of.n, across), blocks_of("depth", of.k, SPARSE.slab)), tuple(made))

    def _blocks(self) -> list[Node]:
        """Return the product of a block, with those at the ends of the matrix apart if they are smaller."""
        of, made = self.of, list[Node]()
        for at_line, rows in _ends("line", of.m, of.block[0]):
            for at_place, columns in _ends("place", of.n, of.block[1]):
                made += _under([*at_line, *at_place], [self._call(rows, columns)])
        return made

    def request(self, rows: int, columns: int) -> AnyRequest:
        """Return the request of the product of a block."""
        of, along_k = self.of, self.of.along_k
        return product_spec(
            rows,
            columns,
            of.k,
            dtype=of.types,
            order=("C", "F" if along_k else "C", "C"),
            beta=0.0,
            lda=of.a if rows > 1 else None,
            ldb=of.apart if (columns if along_k else of.k) > 1 else None,
            ldc=of.block[1] if rows > 1 else None,
        )

    def _call(self, rows: int, columns: int) -> Call:
        of, (down, across) = self.of, self.of.block
        line = across * self.size_b * (of.apart if of.along_k else of.k)
        return Call(
            kept(self.request(rows, columns), of.target),
            (
                Address(A, index("line") * (down * of.a * self.size_a)),
                Address(SHARED if of.copies else B, index("place") * line),
                Address(VALUES, index("entry") * (down * across * self.size_c)),
            ),
        )


Condition = tuple[str, str, int]


def _ends(name: str, extent: int, block: int) -> list[tuple[list[Condition], int]]:
    """Return the conditions for whole blocks and for the last one, if it is smaller, with their extents."""
    whole, rest = divmod(extent, block)
    if not rest:
        return [([], block)]
    return [*([([(name, "<", whole)], block)] if whole else []), ([(name, "==", whole)] if whole else [], rest)]


def _under(conditions: Sequence[Condition], body: list[Node]) -> list[Node]:
    for name, how, value in reversed(conditions):
        body = [When(index(name) - value, how, tuple(body))]
    return body
