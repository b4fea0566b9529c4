"""The packing of B into panels in machine code: see `packs.packed`, which does the same in numpy.

The columns of a panel are neighbours in it, and seldom in B: weights (k, c, r, s) have k or c as columns. Where they
are, rows are copied. Where the rows of a panel are neighbours in B, blocks are transposed. Otherwise the places between
two columns, such as the taps of a channel, are transposed together into a worker's scratch memory, and from there rows
are copied to their places, in whatever order these are. Of panels in groups, rows that an instruction multiplies
together are interleaved by that copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..loops.code import WORKER, Address, Call, Header, Loop, Node, Share, affine, blocks_of, cases, index
from ..walks.moves import MoveKernels
from ..walks.walk import Side, copied
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
        """Whether blocks are moved to their place at once."""
        if self.group == 1:
            return 1 in (self.columns.source, self.row.source)
        return self.columns.source == 1 and self.row.source >= min(self.width, self.columns.extent)

    def nodes(self, before: int, own: int, target: Target, places: PackingPlaces) -> list[Node]:
        """Return the nest that packs the panels.

        before   bytes of other panels before these
        own      bytes of scratch memory per worker
        """
        near, rows = self.near, self.row
        outer = [each for each in self.others if each not in near]
        source, to = affine(self.start), affine(0)
        for each in outer:
            source, to = source + index(each.name) * each.source, to + index(each.name) * each.to
        source += index(PANEL) * self.columns.source + index(ROW) * rows.source
        to += index(PANEL) * (self.panel // self.width) + index(ROW) * rows.to
        size = ELEMENT_BYTES[self.dtype]
        given = Side(places.source, self.dtype, source * size, (rows.source, 1, self.columns.source))
        panel = Side(places.panels, self.dtype, to * size + before, (rows.to, 1, 1))
        scratch = Side(places.own, self.dtype, index(WORKER) * own, (self.run * self.width, self.width, 1))
        body: list[Node] = []
        for across, columns in cases(PANEL, self.columns.extent, self.width):
            for down, count in cases(ROW, rows.extent, self.rows):
                body += across(down(self._block(count, columns, given, scratch, panel, target)))
        headers = [blocks_of(each.name, each.extent, 1) for each in outer]
        headers += [blocks_of(PANEL, self.columns.extent, self.width), blocks_of(ROW, rows.extent, self.rows)]
        return [Share(tuple(headers), tuple(body))]

    def _block(self, rows: int, columns: int, given: Side, scratch: Side, panel: Side, target: Target) -> list[Node]:
        """Move so many rows and columns of a panel, in all places of the near loops."""
        size = ELEMENT_BYTES[self.dtype]
        if self.direct and self.group == 1:
            return copied((rows, 1, columns), given, panel, target)
        made, source = list[Node](), given
        if not self.direct:
            least = sum(min(0, each.source) * (each.extent - 1) for each in self.near)
            made = copied((rows, self.run, columns), given._replace(start=given.start + least * size), scratch, target)
            source = scratch._replace(start=scratch.start - least * self.width * size)
        at, to = source.start, panel.start
        for each in self.near:
            at += index(each.name) * (each.source * self.width * size)
            to += index(each.name) * (each.to * size)
        moves, apart = MoveKernels(self.dtype, target), max(source.steps[0], columns)
        if self.group == 1:
            kernel = moves.copy(rows, columns, apart, self.row.to)
        else:
            kernel = moves.interleave(self.group, rows, columns, apart, self.row.to * self.group)
        nodes: list[Node] = [Call(kernel, (Address(source.at, at), Address(panel.at, to)))]
        for each in self.near:
            nodes = [Loop(Header(each.name, affine(0), (affine(each.extent),), 1, each.extent), tuple(nodes))]
        return [*made, *nodes]


def loops_of(way: Tiling, strides: Sequence[int]) -> PanelLoops | None:
    """Return the loops of the panels of a way, for a B of these strides in elements; None if no kernels move them."""
    b, roles, extents, group = way.contraction.b, way.roles, way.contraction.extents, way.group
    batch, depth = [name for each in roles.batch for name in each.names], roles.depth.names
    inner = depth if depth or group > 1 else batch
    if len(roles.columns.names) > 1 or (group > 1 and len(depth) > 1 and extents[depth[-1]] % group):
        return None
    lying = replace(b, axes=tuple(replace(axis, stride=step) for axis, step in zip(b.axes, strides)))
    made = {name: BLoop(name, extents[name], lying.stride(name), step) for name, step in way.steps_b.items()}
    rows = made.pop(inner[-1]) if inner else BLoop("", 1, 1 << 30, way.width)
    inside = [axis.extent for axis in b.axes if axis.factor(rows.name) and group > 1]  # rows behind it are zeros
    return PanelLoops(
        b.dtype,
        way.width,
        group,
        BLoop("", roles.columns.extent, lying.stride(roles.columns.names[0]) if roles.columns.names else 1, 1),
        rows._replace(extent=min([rows.extent, *inside])),
        tuple(made.values()),
        lying.address.constant,
        way.b.elements,
    )
