"""The packing of B into panels in machine code: see `packs.packed`, which does the same in numpy.

The columns of a panel are neighbours in it, and seldom in B: weights (k, c, r, s) have k or c as columns. Where they
are, rows are copied. Where the rows of a panel are neighbours in B, blocks are transposed. Otherwise the places between
two columns, such as the taps of a channel, are transposed together into a worker's scratch memory, and from there rows
are copied to their places, in whatever order these are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..loops.code import WORKER, Address, Affine, Call, Header, Loop, Node, Share, affine, blocks_of, cases, index
from .moves import MoveKernels
from .tiling import Tiling

SOURCE, PANELS, OWN = range(3)
"""Positions of the operands in the job's table."""
PANEL, ROW = "panel", "row"


class BLoop(NamedTuple):
    """A loop of B: its iterations, and the elements that one of them moves in B and in the panels."""

    name: str
    extent: int
    source: int
    to: int


class PanelLoops(NamedTuple):
    """The loops of the panels of a way.

    dtype, width   of the panels
    columns        the loop of the columns
    row            the loop whose iterations are neighbouring rows of a panel
    others         the other loops
    start          the element of B of the first iterations
    panel          elements of a panel
    """

    dtype: str
    width: int
    columns: BLoop
    row: BLoop
    others: tuple[BLoop, ...]
    start: int
    panel: int

    @property
    def near(self) -> tuple[BLoop, ...]:
        """The loops whose places lie between two columns of B, few enough to be moved together."""
        found, span = list[BLoop](), 1
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
        if self.row.source == 1:
            return min(self.row.extent, CONTRACTIONS.between)
        of_row = self.run * self.width * ELEMENT_BYTES[self.dtype]
        return max(1, min(self.row.extent, CONTRACTIONS.packed // of_row))

    @property
    def own(self) -> int:
        """Bytes of scratch memory per worker."""
        direct = self.columns.source == 1 or self.row.source == 1
        size = self.rows * self.run * self.width * ELEMENT_BYTES[self.dtype]
        return 0 if direct else -(-size // 64) * 64


def loops_of(way: Tiling, strides: Sequence[int]) -> PanelLoops | None:
    """Return the loops of the panels of a way, for a B of these strides in elements; None if no kernels move them."""
    b, roles, panels = way.contraction.b, way.roles, way.b
    extents = way.contraction.extents
    source: dict[str, int] = {}
    for axis, stride in zip(b.axes, strides):
        for name, factor in axis.index.terms:
            source[name] = source.get(name, 0) + factor * stride
    if way.group > 1 or len(roles.columns.names) != 1:
        return None
    apart = [name for name in way.dealt if b.has(name)]
    across = [name for each in roles.across for name in each.names]
    within = [name for each in (*roles.batch, roles.depth) for name in each.names]
    to = _dense(within, extents, way.width) | _dense([*apart, *across], extents, panels.panels * panels.elements)
    column, row = roles.columns.names[0], within[-1] if within else None
    made = {name: BLoop(name, extents[name], source[name], step) for name, step in to.items()}
    rows = made.pop(row) if row else BLoop("", 1, 1 << 30, way.width)
    found = PanelLoops(
        b.dtype,
        way.width,
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


def nodes_of(loops: PanelLoops, before: int, own: int, target: Target) -> list[Node]:
    """Return the nest that packs the panels of a way.

    before   bytes of other panels before these
    own      bytes of scratch memory per worker
    """
    return _Packing(loops, before, own, target).nodes()


class _Packing:
    def __init__(self, loops: PanelLoops, before: int, own: int, target: Target) -> None:
        self.loops, self.before, self.own = loops, before, own
        self.size = ELEMENT_BYTES[loops.dtype]
        self.moves = MoveKernels(loops.dtype, target)

    def nodes(self) -> list[Node]:
        of = self.loops
        near = () if of.columns.source == 1 or of.row.source == 1 else of.near
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
        of = self.loops
        if of.columns.source == 1:
            copy = self.moves.copy(rows, columns, max(of.row.source, columns), of.row.to)
            return [Call(copy, (self._b(source), self._to(to)))]
        if of.row.source == 1:
            kernel = self.moves.turn(columns, rows, of.columns.source, of.row.to)
            return [Call(kernel, (self._b(source), self._to(to)))]
        line = of.run * of.width
        least = sum(min(0, each.source) * (each.extent - 1) for each in near)
        kernel = self.moves.turn(columns, of.run, of.columns.source, of.width)
        here, name = index(WORKER) * self.own, "moved"
        move = Call(
            kernel,
            (
                self._b(source + least + index(name) * of.row.source),
                Address(OWN, here + index(name) * (line * self.size)),
            ),
        )
        made: list[Node] = [Loop(Header(name, affine(0), (affine(rows),), 1, rows), (move,))]
        at, place = affine(-least * of.width), to
        for each in near:
            at, place = at + index(each.name) * (each.source * of.width), place + index(each.name) * each.to
        copy = self.moves.copy(rows, columns, line, of.row.to)
        nodes: list[Node] = [Call(copy, (Address(OWN, here + at * self.size), self._to(place)))]
        for each in near:
            nodes = [Loop(Header(each.name, affine(0), (affine(each.extent),), 1, each.extent), tuple(nodes))]
        return [*made, *nodes]

    def _b(self, place: Affine) -> Address:
        return Address(SOURCE, place * self.size)

    def _to(self, place: Affine) -> Address:
        return Address(PANELS, place * self.size + self.before)
