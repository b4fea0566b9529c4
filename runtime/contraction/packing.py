"""The packing of B into panels in machine code: see `packs.packed`, which does the same in numpy.

The columns of a panel are neighbours in it, and seldom in B: weights (k, c, r, s) have k or c as columns. Where they
are, rows are copied. Where the rows of a panel are neighbours in B, blocks are transposed. Otherwise the places between
two columns, such as the taps of a channel, are transposed together into a worker's scratch memory, and from there rows
are copied to their places, in whatever order these are. Of panels in groups, rows that an instruction multiplies
together are interleaved by that copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..kernel.callable import Kernel
from ..loops.code import WORKER, Address, Affine, Call, Header, Loop, Node, Share, affine, blocks_of, cases, index
from ..walks.moves import MoveKernels
from .interface import PackingPlaces
from .tiling import Tiling

PANEL, ROW = "panel", "row"


class BLoop(NamedTuple):
    """A loop of B: its iterations, and the elements that one of them moves in B and in the panels."""

    name: str
    extent: int
    source: int
    to: int


class PanelLoops(NamedTuple):
    """The loops of the panels of a way.

    dtype, width, group   of the panels
    columns        the loop of the columns
    row            the loop whose iterations are neighbouring rows of a panel
    others         the other loops
    start          the element of B of the first iterations
    panel          elements of a panel
    """

    dtype: str
    width: int
    group: int
    columns: BLoop
    row: BLoop
    others: tuple[BLoop, ...]
    start: int
    panel: int

    @property
    def near(self) -> tuple[BLoop, ...]:
        """The loops whose places lie between two columns of B, few enough to be moved together."""
        found, span = list[BLoop](), 1
        if 1 in (self.columns.source, self.row.source):
            return ()
        for each in sorted(self.others, key=lambda loop: abs(loop.source)):
            span += abs(each.source) * (each.extent - 1)
            if span > min(CONTRACTIONS.between, abs(self.columns.source)):
                break
            found.append(each)
        return tuple(found)

    @property
    def run(self) -> int:
        """The elements of B from the first place of the near loops to the last one."""
        return 1 + sum(abs(each.source) * (each.extent - 1) for each in self.near)

    @property
    def rows(self) -> int:
        """The rows of a panel that are moved together."""
        if self.columns.source == 1:
            return self.row.extent
        of_row = self.run * self.width * ELEMENT_BYTES[self.dtype]
        most = CONTRACTIONS.between if self.row.source == 1 else CONTRACTIONS.packed // of_row
        return min(self.row.extent, max(1, most // self.group) * self.group)

    @property
    def own(self) -> int:
        """Bytes of scratch memory per worker."""
        size = self.rows * self.run * self.width * ELEMENT_BYTES[self.dtype]
        return 0 if self.direct else -(-size // CACHE_LINE) * CACHE_LINE

    @property
    def direct(self) -> bool:
        """Whether one kernel moves a block to its place."""
        return self.columns.source == 1 or (self.row.source == 1 and self.group == 1)


def loops_of(way: Tiling, strides: Sequence[int]) -> PanelLoops | None:
    """Return the loops of the panels of a way, for a B of these strides in elements; None if no kernels move them."""
    b, roles, panels = way.contraction.b, way.roles, way.b
    extents = way.contraction.extents
    source: dict[str, int] = {}
    for axis, stride in zip(b.axes, strides):
        for name, factor in axis.index.terms:
            source[name] = source.get(name, 0) + factor * stride
    if len(roles.columns.names) != 1:
        return None
    apart = [name for name in way.dealt if b.has(name)]
    across = [name for each in roles.across for name in each.names]
    batch, depth = [name for each in roles.batch for name in each.names], roles.depth.names
    to = _dense([*apart, *across], extents, panels.panels * panels.elements)
    to |= _dense(batch, extents, panels.groups * way.group * way.width) | _dense(depth, extents, way.width)
    column, row = roles.columns.names[0], (*batch, *depth)[-1] if batch or depth else None
    made = {name: BLoop(name, extents[name], source[name], step) for name, step in to.items()}
    rows = made.pop(row) if row else BLoop("", 1, 1 << 30, way.width)
    if way.group > 1:
        if rows.source < 0 or not depth or (len(depth) > 1 and rows.extent % way.group):
            return None
        rows = rows._replace(extent=min([rows.extent, *(axis.extent for axis in b.axes if axis.factor(rows.name))]))
    elif not b.is_inside(extents):
        return None
    found = PanelLoops(
        b.dtype,
        way.width,
        way.group,
        BLoop(column, panels.columns, source[column], 1),
        rows,
        tuple(made.values()),
        sum(axis.index.constant * stride for axis, stride in zip(b.axes, strides)),
        panels.elements,
    )
    fits = found.columns.source > 0 and (rows.source > 0 or found.columns.source != 1)
    if not fits or (found.columns.source == 1 and rows.extent > 1 and rows.source < min(way.width, panels.columns)):
        return None
    return found


def _dense(names: Sequence[str], extents: Mapping[str, int], step: int) -> dict[str, int]:
    """Return the steps of loops that lie behind each other, the last of which is `step`."""
    found: dict[str, int] = {}
    for name in reversed(names):
        found[name] = step
        step *= extents[name]
    return found


def nodes_of(loops: PanelLoops, before: int, own: int, target: Target, places: PackingPlaces) -> list[Node]:
    """Return the nest that packs the panels of a way.

    before   bytes of other panels before these
    own      bytes of scratch memory per worker
    """
    return _Packing(loops, before, own, target, places).nodes()


class _Packing:
    def __init__(self, loops: PanelLoops, before: int, own: int, target: Target, places: PackingPlaces) -> None:
        self.loops, self.before, self.own, self.places = loops, before, own, places
        self.size = ELEMENT_BYTES[loops.dtype]
        self.moves = MoveKernels(loops.dtype, target)

    def nodes(self) -> list[Node]:
        of = self.loops
        near = of.near
        outer = [each for each in of.others if each not in near]
        source, to = affine(of.start), affine(0)
        for each in outer:
            source, to = source + index(each.name) * each.source, to + index(each.name) * each.to
        source += index(PANEL) * of.columns.source + index(ROW) * of.row.source
        to += index(PANEL) * (of.panel // of.width) + index(ROW) * of.row.to
        body: list[Node] = []
        for across, columns in cases(PANEL, of.columns.extent, of.width):
            for down, rows in cases(ROW, of.row.extent, of.rows):
                body += across(down(self._block(near, source, to, columns, rows)))
        headers = [blocks_of(each.name, each.extent, 1) for each in outer]
        headers += [blocks_of(PANEL, of.columns.extent, of.width), blocks_of(ROW, of.row.extent, of.rows)]
        return [Share(tuple(headers), tuple(body))]

    def _block(self, near: Sequence[BLoop], source: Affine, to: Affine, columns: int, rows: int) -> list[Node]:
        """Move so many rows and columns of a panel, in all places of the near loops."""
        of, own = self.loops, self.places.own
        if of.columns.source == 1:
            return [Call(self._gathered(rows, columns, max(of.row.source, columns)), (self._b(source), self._to(to)))]
        if of.direct:
            kernel = self.moves.turn(columns, rows, of.columns.source, of.row.to)
            return [Call(kernel, (self._b(source), self._to(to)))]
        line = of.run * of.width
        least = sum(min(0, each.source) * (each.extent - 1) for each in near)
        here, name = index(WORKER) * self.own, "moved"
        if of.row.source == 1:
            kernel = self.moves.turn(columns, rows, of.columns.source, of.width)
            made: list[Node] = [Call(kernel, (self._b(source), Address(own, here)))]
        else:
            kernel = self.moves.turn(columns, of.run, of.columns.source, of.width)
            moved = Address(own, here + index(name) * (line * self.size))
            move = Call(kernel, (self._b(source + least + index(name) * of.row.source), moved))
            made = [Loop(Header(name, affine(0), (affine(rows),), 1, rows), (move,))]
        at, place = affine(-least * of.width), to
        for each in near:
            at, place = at + index(each.name) * (each.source * of.width), place + index(each.name) * each.to
        gathered = self._gathered(rows, columns, line)
        nodes: list[Node] = [Call(gathered, (Address(own, here + at * self.size), self._to(place)))]
        for each in near:
            nodes = [Loop(Header(each.name, affine(0), (affine(each.extent),), 1, each.extent), tuple(nodes))]
        return [*made, *nodes]

    def _gathered(self, rows: int, columns: int, apart: int) -> Kernel:
        """Return what moves rows, so far from each other, into a panel."""
        of = self.loops
        if of.group == 1:
            return self.moves.copy(rows, columns, apart, of.row.to)
        return self.moves.interleave(of.group, rows, columns, apart, of.row.to * of.group)

    def _b(self, place: Affine) -> Address:
        return Address(self.places.source, place * self.size)

    def _to(self, place: Affine) -> Address:
        return Address(self.places.panels, place * self.size + self.before)
