"""The loops of a contraction around its kernels: see `plan`.

The job's operands are A, the panels of B, C, the workers' scratch memory, and the further operands of an epilogue. The
loops that are dealt come first, then for each tile: the copy of its band, then for each panel of B the products of all
rows of the tile, and its block of C from scratch memory if it is staged there. No worker waits for another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product as every
from typing import TYPE_CHECKING

from ...encoder.features import Target
from ...encoder.records import dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ..loops.code import WORKER, Address, Affine, Call, Header, Loop, Node, Share, When, affine, blocks_of, index, once
from ..walks.walk import Side, copied, dealt_out, filled
from .form import IndexedArray, moved
from .packs import Copying, segments
from .roles import Chain, Roles
from .tiling import Tiling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..kernel.callable import Kernel

A, B, C, OWN, EXTRAS = range(5)
"""Positions of the operands in the job's table."""
PANEL = "panel"
"""The index of the first column of a panel of B."""


@dataclass(frozen=True)
class TileKind:
    """Tiles with equal kernels: those of some iterations of the dealt loops.

    only   (loop, first, last): the iterations of dealt loops
    block  iterations of the loop that is cut
    clips  the part of each axis of the band that lies inside of A
    """

    only: tuple[tuple[str, int, int], ...]
    block: int
    clips: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ContractionNest:
    """The loops of a contraction.

    multiply  the kernel of a product by its roles and columns
    own       bytes of scratch memory per worker
    before_b  bytes of other panels before those of B
    """

    way: Tiling
    target: Target
    multiply: Callable[[Tiling, Roles, int], Kernel]
    own: int
    before_b: int = 0

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        way = self.way
        extents = way.contraction.extents
        headers = [blocks_of(name, extents[name], 1) for name in way.dealt]
        if way.loop:
            headers.append(blocks_of(way.loop, extents[way.loop], way.block))
        columns, step = way.b.columns, way.panels * way.width
        if step < columns:
            headers.insert(0 if way.by_panels else len(headers), blocks_of("group", columns, step))
        body: list[Node] = []
        for tile in self._tiles():
            band = Copying(way.band(tile.block), A, self._own(), self.target).nodes(tile.clips) if way.copies else []
            body += _where(tile.only, [*band, *self._products(tile)])
        return (Share(tuple(headers), tuple(body)) if headers else once(body),)

    def _tiles(self) -> Iterator[TileKind]:
        """Yield the kinds of tiles."""
        way, extents = self.way, self.way.contraction.extents
        ranges = {name: range(extents[name]) for name in way.dealt}
        if way.loop:
            ranges[way.loop] = range(0, extents[way.loop], way.block)
        differ = list(way.band(way.block).clipping(ranges)) if way.copies else []
        if way.loop and extents[way.loop] % way.block and way.loop not in differ:
            differ.append(way.loop)
        kinds = [list(segments(ranges[name], partial(self._kind, name))) for name in differ]
        for found in every(*kinds):
            values = {name: first for name, (first, _, _) in zip(differ, found)}
            block = self._block(values.get(way.loop, 0))
            typical = {name: values.get(name, each[0]) for name, each in ranges.items()}
            clips = way.band(block).clips(typical) if way.copies else ()
            only = tuple(
                (name, first, last)
                for name, (first, last, _) in zip(differ, found)
                if (first, last) != (ranges[name][0], ranges[name][-1])
            )
            yield TileKind(only, block, clips)

    def _kind(self, name: str, value: int) -> tuple[object, ...]:
        """Return what distinguishes tiles at a value of a dealt loop."""
        way = self.way
        block = self._block(value) if name == way.loop else way.block
        if not way.copies:
            return (block,)
        zeros = dict.fromkeys((*way.dealt, way.loop), 0)
        return block, way.band(block).clips({**zeros, name: value})

    def _block(self, start: int) -> int:
        """Return the iterations of the loop that is cut in the tile that begins at `start`."""
        way = self.way
        return min(way.block, way.contraction.extents[way.loop] - start) if way.loop else 1

    def _products(self, tile: TileKind) -> list[Node]:
        """Multiply a tile by a group of panels."""
        way = self.way
        roles = way.roles_of(tile.block)
        columns, step = way.b.columns, way.panels * way.width
        start = index("group") if step < columns else affine(0)
        whole = columns // way.width * way.width
        made: list[Node] = []
        if whole:
            stops = (start + step, affine(whole)) if step < columns else (affine(whole),)
            trips = min(way.panels, whole // way.width)
            body = self._panel(roles, tile, way.width, index(PANEL))
            made.append(Loop(Header(PANEL, start, stops, way.width, trips), tuple(body)))
        if whole < columns:
            body = self._panel(roles, tile, columns - whole, affine(whole))
            last = (columns - 1) // step * step
            made += [When(start - last, "==", tuple(body))] if step < columns else body
        return around(roles.across, made)

    def _panel(self, roles: Roles, tile: TileKind, columns: int, first: Affine) -> list[Node]:
        """Multiply a tile by a panel that begins at a column."""
        way, c = self.way, self.way.contraction.c
        made: list[Node] = []
        extras: list[Address] = []
        for place, operand in enumerate(way.contraction.more, 1):
            staged, at = place in way.moved, EXTRAS - 1 + place
            made += self._move(place, at, roles, tile, columns, first) if staged else []
            extras.append(self._own_block(place, roles) if staged else self._element(at, operand, roles, first))
        to = self._own_block(0, roles) if way.staged else self._element(C, c, roles, first)
        call = Call(self.multiply(way, roles, columns), (self._a(roles, tile), self._b(roles, first), to, *extras))
        made += around(roles.over, [call])
        return [*made, *self._move(0, C, roles, tile, columns, first)] if way.staged else made

    def _a(self, roles: Roles, tile: TileKind) -> Address:
        """Return the address of the first row of a product in A or in its band."""
        way, a, over = self.way, self.way.contraction.a, indices_of(roles.over)
        size = ELEMENT_BYTES[a.dtype]
        if not way.copies:
            return Address(A, (a.at(self._outside) + moved(a.steps, over)) * size)
        return Address(OWN, self._own().offset + way.band(tile.block).at(over) * size)

    def _b(self, roles: Roles, first: Affine) -> Address:
        """Return the address of a panel."""
        way, size = self.way, ELEMENT_BYTES[self.way.b.dtype]
        columns = moved(way.steps_b, self._outside | indices_of(roles.across)) * size
        return Address(B, columns + first * (way.b.panel // way.width) + self.before_b)

    @property
    def _outside(self) -> dict[str, Affine]:
        """The values of the loops outside of a tile."""
        return {name: index(name) for name in (*self.way.dealt, self.way.loop) if name}

    def _element(self, at: int, operand: IndexedArray, roles: Roles, first: Affine) -> Address:
        """Return the address in C, or in an operand that lies beside it, of the first element of a product."""
        inside = indices_of((*roles.over, *roles.across)) | dict.fromkeys(roles.columns.names[-1:], first)
        place = operand.at(self._outside) + moved(operand.steps, inside)
        return Address(at, place * ELEMENT_BYTES[operand.dtype])

    def _own_block(self, place: int, roles: Roles) -> Address:
        """Return the address of the first element of a product in a block of scratch memory."""
        offset = moved({each.names[-1]: each.c for each in roles.over}, indices_of(roles.over))
        size = ELEMENT_BYTES[self.way.moved[place].dtype]
        return Address(OWN, self._own().offset + offset * size + self.way.bytes_before(place))

    def _move(self, place: int, at: int, roles: Roles, tile: TileKind, columns: int, first: Affine) -> list[Node]:
        """Copy a block from scratch memory to its place in C, or there from an operand that lies beside it."""
        way, operand = self.way, self.way.moved[place]
        local, staged = way.local(tile.block), way.staged_steps(tile.block)
        extents = {name: local[name] for name in local if operand.has(name)}
        extents |= dict.fromkeys(roles.columns.names[-1:], columns)
        start = self._element(at, operand, replace(roles, over=()), first).offset
        there = Side(at, operand.dtype, start, tuple(map(operand.stride, extents)))
        begin = self._own().offset + way.bytes_before(place)
        here = Side(OWN, operand.dtype, begin, tuple(staged[name] for name in extents))
        return copied([*extents.values()], *((there, here) if place else (here, there)), self.target)

    def _own(self) -> Address:
        return Address(OWN, index(WORKER) * self.own)


def zeros(c: IndexedArray, extents: Mapping[str, int], at: int, target: Target) -> tuple[Node, ...]:
    """Return the nest that sets all elements of C to zero that a contraction writes."""
    names = [name for name in extents if c.has(name)]
    begin = affine(c.address.constant * ELEMENT_BYTES[c.dtype])
    side = Side(at, c.dtype, begin, tuple(map(c.stride, names)))
    return dealt_out(filled([extents[name] for name in names], side, 0, target))


def loop_of(chain: Chain) -> str:
    """Return the name of the index of a loop inside of a tile."""
    return "in " + " ".join(chain.names)


def indices_of(chains: Sequence[Chain]) -> dict[str, Affine]:
    """Return the values of loops inside of a tile, those of a chain as one."""
    return {chain.names[-1]: index(loop_of(chain)) for chain in chains if chain.names}


def around(chains: Sequence[Chain], body: list[Node]) -> list[Node]:
    """Put nodes into loops over these chains, outermost first."""
    for chain in reversed(chains):
        body = [Loop(Header(loop_of(chain), affine(0), (affine(chain.extent),), 1, chain.extent), tuple(body))]
    return body


def _where(only: Sequence[tuple[str, int, int]], body: list[Node]) -> list[Node]:
    """Put nodes under the condition that loops have these values."""
    for name, first, last in only:
        if first == last:
            body = [When(index(name) - first, "==", tuple(body))]
        else:
            body = [When(index(name) - first, ">=", (When(index(name) - last, "<=", tuple(body)),))]
    return body
