"""The loops of a product with a sparse matrix: a row of blocks is one batch of products, whose count and places come
from the tables of the matrix. C is written once, also where a row is empty.

B is read in panels of columns: in place, or copied first, each panel by the worker that computes with it, or all of
them by all workers. The rows are dealt out in pieces. A row of more entries than a piece may have is summed in parts,
each into scratch memory; after a barrier they are added in their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from ...encoder.records import NamedTuple, cached_property, dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import OFFSET
from ...microkernels.operands import CACHE_LINE, View
from ...microkernels.tuning.sparse import SPARSE
from ..api.brgemm import product_spec
from ..api.eltwise import binary, equation
from ..contraction.epilogues import function_of, inside_names
from ..grouped.operands import with_sums
from ..kernel.callable import Kernel, kept
from ..loops.code import (
    WORKER,
    Address,
    Affine,
    Barrier,
    Call,
    Header,
    Load,
    Loop,
    Node,
    Share,
    When,
    affine,
    blocks_of,
    cases,
    index,
)
from ..walks.moves import MoveKernels

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.epilogue.spec import EpilogueSpec
    from ...microkernels.expr.trace import TracedResults
    from ...microkernels.operands import Operand
    from ..api.typed import DType
    from ..kernel.accuracy import Accuracy
    from ..kernel.kinds import AnyRequest

VALUES, B, C, TABLE, SHARED, OWN, BARRIER, STATE, EXTRAS = range(9)
"""Positions of the operands in the job's table; further operands of the epilogue follow."""
IN_PLACE, ALONE, TOGETHER = "in place", "each worker copies its panels", "all workers copy all panels"
"""Who copies B into panels."""


class FurtherElements(NamedTuple):
    """An operand of the epilogue: which elements of C have one of their own ("row": a row of elements, "col", "scalar",
    None: all), and the elements between its rows."""

    name: str
    dtype: str
    shape: str | None
    apart: int


class TableSizes(NamedTuple):
    """How many of each the tables of a matrix hold: rows of blocks, pieces of rows, parts of long rows, long rows,
    blocks, and the most blocks of a row or a part."""

    lines: int
    pieces: int
    parts: int
    long: int
    entries: int
    most: int


@dataclass(frozen=True)
class SparseProduct:
    """A product of a sparse matrix m x k and a dense one k x n, as code is made for it.

    block       rows and columns of the blocks of A
    types       of A, B and C
    b, turned   elements between the rows of B, or between its columns if those are its neighbours
    c           elements between the rows of C
    groups      how many rows of B, and of C, lie side by side: `b` and `c` are then groups between rows of groups
    """

    m: int
    n: int
    k: int
    block: tuple[int, int]
    types: tuple[str, str, str]
    sizes: TableSizes
    b: int
    turned: bool
    c: int
    epilogue: TracedResults | None
    more: tuple[FurtherElements, ...]
    accuracy: Accuracy
    target: Target
    groups: tuple[int, int] = (1, 1)


@dataclass(frozen=True)
class PanelChoice:
    """How B is read: in panels of `width` columns, whose rows lie in groups of `group`, copied by whom; the cycles of
    one thread, roughly; and whether C is stored past the caches, where its rows are whole lines."""

    width: int
    group: int
    copies: str
    cycles: float = 0.0
    streams: bool = False

    def __str__(self) -> str:
        how = self.copies if self.copies == IN_PLACE else f"{self.copies}, {self.group} rows side by side"
        past = "; C is stored past the caches" * self.streams
        return f"panels of {self.width} columns of B, {how}{past}; about {self.cycles:.0f} cycles of one thread"


class TablePlaces(NamedTuple):
    """Where the lists of the table begin, in bytes: see `RowPieces`. The places of blocks of A, and of the rows of B
    that they are multiplied by, come last."""

    starts: int
    pieces: int
    parts: int
    long: int
    a: int
    b: int

    @classmethod
    def of(cls, sizes: TableSizes) -> TablePlaces:
        """Return the places for a table of so many of each."""
        lines, pieces, parts, long, _, most = sizes
        places = [0]
        for count in (lines + 1, 2 * pieces, 2 * parts, 3 * long, most):
            places.append(places[-1] + 8 * count)
        return cls(*places)


class SparseNest:
    """Makes the nodes of a product with a sparse matrix, read in one way."""

    def __init__(self, of: SparseProduct, way: PanelChoice) -> None:
        self.of, self.way = of, way
        self.size_a, self.size_b, self.size_c = (ELEMENT_BYTES[each] for each in of.types)
        self.places = TablePlaces.of(of.sizes)
        self.moves = MoveKernels(of.types[1], of.target)

    @cached_property
    def sums(self) -> str:
        """The type of the sums."""
        return with_sums(self.of.types)[2]

    @cached_property
    def first(self) -> AnyRequest:
        """The request of the product of whole blocks and a panel."""
        of = self.of
        return self._product(min(of.m, of.block[0]), min(of.n, self.way.width), of.types[2], True)

    def finishing(self) -> list[AnyRequest]:
        """Return the requests of the products that write C."""
        down, rest = self.of.block[0], self.of.m % self.of.block[0]
        wide, last = min(self.of.n, self.way.width), self.of.n % self.way.width
        every = [(rows, columns) for rows in (down if self.of.m >= down else 0, rest) for columns in (wide, last)]
        return [self._product(*each, self.of.types[2], True) for each in every if all(each)]

    @property
    def waits(self) -> bool:
        """Whether workers wait for each other."""
        return self.way.copies == TOGETHER or self.of.sizes.parts > 0

    @property
    def depth(self) -> int:
        """Rows of B that a panel has: all that blocks of A reach."""
        block = self.of.block[1]
        return -(-self.of.k // block) * block

    @property
    def bytes_panel(self) -> int:
        """Bytes of a panel."""
        return self._whole_lines(self.depth * self.way.width * self.size_b)

    def _whole_lines(self, size: int) -> int:
        """Return a number of bytes that whole lines have, and that the columns of a panel divide."""
        unit = math.lcm(CACHE_LINE, self.way.width)
        return -(-size // unit) * unit

    @property
    def panels(self) -> int:
        """The number of panels."""
        return -(-self.of.n // self.way.width)

    @property
    def bytes_own(self) -> int:
        """Bytes of scratch memory of each worker."""
        return self.bytes_panel if self.way.copies == ALONE else 0

    @property
    def bytes_panels(self) -> int:
        """Bytes of shared scratch memory for panels."""
        return self.panels * self.bytes_panel if self.way.copies == TOGETHER else 0

    @property
    def bytes_part(self) -> int:
        """Bytes of the sums of a part of a long row, for one panel."""
        return self._whole_lines(self.of.block[0] * self.way.width * ELEMENT_BYTES[self.sums])

    @property
    def bytes_shared(self) -> int:
        """Bytes of shared scratch memory."""
        return self.bytes_panels + self.of.sizes.parts * self.panels * self.bytes_part

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        of, way = self.of, self.way
        panel, piece = blocks_of("panel", of.n, way.width), blocks_of("piece", of.sizes.pieces, 1)
        part = blocks_of("part", of.sizes.parts, 1)
        made: list[Node] = []
        rows, parts = self._by_width(self._piece), self._by_width(self._part)
        if way.copies == TOGETHER:
            slab = blocks_of("depth", of.k, SPARSE.slab)
            made += [Share((panel, slab), self._by_width(self._slab)), Barrier(BARRIER)]
        if way.copies == ALONE:
            slabs = Loop(blocks_of("depth", of.k, SPARSE.slab), self._by_width(self._slab))
            body: list[Node] = [slabs, Loop(piece, rows)]
            made.append(Share((panel,), (*body, Loop(part, parts)) if of.sizes.parts else tuple(body)))
        else:
            made.append(Share((panel, piece), rows))
            made += [Share((panel, part), parts)] if of.sizes.parts else []
        if of.sizes.parts:
            made += [
                Barrier(BARRIER),
                Share((panel, blocks_of("long", of.sizes.long, 1)), self._by_width(self._folded)),
            ]
        return tuple(made)

    # Panels of B

    def _by_width(self, body: Callable[[int], list[Node]]) -> tuple[Node, ...]:
        """Return what is done for a panel, with the last panel apart if it is narrower."""
        made: list[Node] = []
        for case, columns in cases("panel", self.of.n, self.way.width):
            made += case(body(columns))
        return tuple(made)

    def _panel(self) -> Address:
        """Return the address of the panel, or of its first column in B."""
        if self.way.copies == IN_PLACE:
            return Address(B, index("panel") * (self.size_b * self.of.groups[0]))
        if self.way.copies == ALONE:
            return Address(OWN, index(WORKER) * self.bytes_own)
        return Address(SHARED, index("panel") * (self.bytes_panel // self.way.width))

    def _slab(self, columns: int) -> list[Node]:
        """Return the copy of some rows of B into a panel. Rows that blocks reach beyond B are zeros."""
        of, to, line = self.of, self._panel(), self.way.width * self.size_b
        made: list[Node] = []
        down, across = (1, of.b) if of.turned else (of.b, of.groups[0])
        for case, rows in cases("depth", of.k, SPARSE.slab):
            at = Address(B, (index("depth") * down + index("panel") * across) * self.size_b)
            there = Address(to.operand, to.offset + index("depth") * line)
            made += case([Call(self._copy(rows, columns), (at, there))])
        copied = -(-of.k // self.way.group) * self.way.group
        if copied < self.depth:
            behind = Address(to.operand, to.offset + copied * line)
            zeros = self.moves.zero(self.depth - copied, self.way.width)
            made.append(When(index("depth") + (SPARSE.slab - of.k), ">=", (Call(zeros, (behind, behind)),)))
        return made

    def _copy(self, rows: int, columns: int) -> Kernel:
        of, width = self.of, self.way.width
        if (group := of.groups[0]) > 1:
            return self.moves.copy(rows // group, columns * group, of.b * group, width * group)
        if self.way.group > 1:
            return self.moves.interleave(self.way.group, rows, columns, of.b, width * self.way.group)
        if of.turned:
            return self.moves.turn(columns, rows, of.b, width)
        return self.moves.copy(rows, columns, of.b, width)

    # Rows of A

    def _piece(self, columns: int) -> list[Node]:
        """Return the rows of a piece."""
        sizes, places = self.of.sizes, self.places
        calls = self._by_rows(index("line"), lambda rows: self._row(rows, columns))
        body = _loads(("first", "last"), places.starts, index("line"), sizes.entries, calls)
        trips = max(1, round(sizes.lines / max(1, sizes.pieces)))
        lines = Loop(Header("line", index("begin"), (index("end"),), 1, trips), tuple(body))
        return _loads(("begin", "end"), places.pieces, index("piece") * 2, sizes.lines, [lines])

    def _by_rows(self, line: Affine, body: Callable[[int], list[Node]]) -> list[Node]:
        """Return what is done for a row of blocks, with the last one apart if it has fewer rows of elements."""
        whole, rest = divmod(self.of.m, self.of.block[0])
        made: list[Node] = []
        if not rest:
            return list(body(self.of.block[0]))
        if whole:
            made.append(When(line - whole, "<", tuple(body(self.of.block[0]))))
        made.append(When(line - whole, "==", tuple(body(rest))))
        return made

    def _row(self, rows: int, columns: int) -> list[Node]:
        count = index("last") - index("first")
        kernel = kept(self._product(rows, columns, self.of.types[2], True), self.of.target)
        across = self.size_c * self.of.groups[1]
        to = Address(C, index("line") * (self.of.block[0] * self.of.c * self.size_c) + index("panel") * across)
        return [self._multiply(kernel, index("first"), count, to, self._extras(index("line")))]

    def _multiply(
        self, kernel: Kernel, first: Affine, count: Affine, to: Address, extras: Sequence[Address] = ()
    ) -> Call:
        """Return the product of so many blocks, from the `first` on."""
        down, across = self.of.block
        a = Address(VALUES, first * (down * across * self.size_a))
        table_a = Address(TABLE, affine(self.places.a))
        table_b = Address(TABLE, first * 8 + self.places.b)
        return Call(kernel, (a, self._panel(), to, table_a, table_b, count, *extras))

    def _extras(self, line: Affine) -> list[Address]:
        made = []
        for number, each in enumerate(self.of.more):
            size = ELEMENT_BYTES[each.dtype]
            down = each.apart if each.shape is None else 1 if each.shape == "col" else 0
            across = 1 if each.shape in (None, "row") else 0
            offset = line * (self.of.block[0] * down * size) + index("panel") * (across * size)
            made.append(Address(EXTRAS + number, offset))
        return made

    def _product(self, rows: int, columns: int, dtype: str, finishes: bool) -> EpilogueSpec:
        """Return the request of the product of a row of blocks and a panel. finishes: whether it writes C, and not sums
        of a part."""
        of, (_, depth) = self.of, self.of.block
        request: dict[str, object] = {"dtype": (*of.types[:2], dtype), "batch": OFFSET, "beta": 0.0}
        in_place = self.way.copies == IN_PLACE
        if depth > 1 or not in_place:
            request["ldb"] = of.b if in_place else self.way.width
        packs = finishes and of.groups[1] > 1
        if rows > (of.groups[1] if packs else 1):
            request["ldc"] = of.c if finishes else self.way.width
        if self.way.group > 1:
            request["b_layout"] = "vnni"
        if finishes and self.way.streams and not (columns * self.size_c) % CACHE_LINE:
            request["streaming"] = "c"
        if packs:
            request |= {"c_layout": "vnni", "accuracy": of.accuracy}
        if finishes and of.epilogue is not None:
            shapes = {name: (each.shape, each.dtype) for name, each in zip(self._names, of.more)}
            request |= {"operands": shapes, "accuracy": of.accuracy}
            request["epilogue"] = function_of(of.epilogue, self._names)
        make = cast("Callable[..., EpilogueSpec]", product_spec)
        spec = make(rows, columns, depth, **request)
        if not finishes or of.epilogue is None:
            return spec
        extras = (_apart(extra, each) for extra, each in zip(spec.extras, of.more, strict=True))
        return replace(spec, extras=tuple(extras))

    @property
    def _names(self) -> tuple[str, ...]:
        return inside_names([each.name for each in self.of.more])

    # Long rows

    def _sums_of(self, part: Affine) -> Address:
        """Return the address of the sums of a part."""
        width, parts = self.way.width, self.of.sizes.parts
        offset = part * self.bytes_part + index("panel") * (parts * self.bytes_part // width) + self.bytes_panels
        return Address(SHARED, offset)

    def _part(self, columns: int) -> list[Node]:
        """Return the sums of a part of a long row."""
        sizes, places = self.of.sizes, self.places
        kernel = kept(self._product(self.of.block[0], columns, self.sums, False), self.of.target)
        call = self._multiply(kernel, index("first"), index("count"), self._sums_of(index("part")))
        most = sizes.entries, sizes.most
        return _loads(("first", "count"), places.parts, index("part") * 2, most, [call])

    def _folded(self, columns: int) -> list[Node]:
        """Return a long row of C: its parts, added in their order."""
        of, sizes, places = self.of, self.of.sizes, self.places
        length = of.block[0] * self.way.width
        add = binary("add", 1, length, dtype=cast("DType", self.sums), target=of.target)
        total = self._sums_of(index("from"))
        more = Loop(
            Header("add", index("from") + 1, (index("to"),), 1, max(1, sizes.parts // max(1, sizes.long))),
            (Call(add, (total, self._sums_of(index("add")), total)),),
        )
        line = index("line")
        to = Address(C, line * (of.block[0] * of.c * self.size_c) + index("panel") * self.size_c)
        extras = self._extras(line)
        ends = self._by_rows(line, lambda rows: [Call(self._finish(rows, columns), (total, *extras, to))])
        most = sizes.lines, sizes.parts, sizes.parts
        return _loads(("line", "from", "to"), places.long, index("long") * 3, most, [more, *ends])

    def _finish(self, rows: int, columns: int) -> Kernel:
        """Return what makes elements of C of sums."""
        of = self.of
        if of.epilogue is None:
            return MoveKernels(self.sums, of.target).copy(rows, columns, self.way.width, of.c, of.types[2])
        shapes: dict[str, object] = {"c": (rows, columns), "ldc": self.way.width, "ldy": of.c}
        for name, each in zip(self._names, of.more):
            shapes[name] = {None: (rows, columns), "row": (1, columns), "col": (rows, 1), "scalar": (1, 1)}[each.shape]
            if each.shape is None:
                shapes[f"ld{name}"] = each.apart
        types = {"c": self.sums, **{name: each.dtype for name, each in zip(self._names, of.more)}}
        make: Callable[..., Kernel] = equation
        return make(
            function_of(of.epilogue, self._names),
            dtype=types,
            out=of.types[2],
            accuracy=of.accuracy,
            target=of.target,
            **shapes,
        )


def _loads(
    names: Sequence[str], place: int, number: Affine, most: int | Sequence[int], body: Sequence[Node]
) -> list[Node]:
    """Put nodes behind a load of neighbouring indices: from which place in the table on, the number in the list there,
    and the most that they may be."""
    bounds = tuple((0, each) for each in ([most] * len(names) if isinstance(most, int) else most))
    return [Load(tuple(names), TABLE, number * 8 + place, tuple(body), bounds)]


def _apart(extra: Operand, each: FurtherElements) -> Operand:
    return extra if each.shape is not None else extra._replace(view=View("C", each.apart))
