"""The loops of a contraction around its kernels: see `plan`.

The job's operands are A, the panels of B, C, the workers' scratch memory, and the further operands of an epilogue. The
loops that are dealt come first, then for each tile: the copy of its band, then for each panel of B the products of all
rows of the tile, and its block of C from scratch memory if it is staged there. No worker waits for another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product as every
from typing import TYPE_CHECKING

from ...encoder.features import Target
from ...encoder.records import dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ..loops.code import WORKER, Address, Affine, Call, Header, Loop, Node, Share, When, affine, blocks_of, index, once
from .form import IndexedArray
from .moves import MoveKernels
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
            body += _where(tile.only, [*self._copy(tile), *self._products(tile)])
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
            clips = (
                way.band(block).clips(dict.fromkeys(ranges, 0) | self._typical(ranges, values)) if way.copies else ()
            )
            only = tuple(
                (name, first, last)
                for name, (first, last, _) in zip(differ, found)
                if len(kinds) and (first, last) != (ranges[name][0], ranges[name][-1])
            )
            yield TileKind(only, block, clips)

    def _typical(self, ranges: Mapping[str, range], values: Mapping[str, int]) -> dict[str, int]:
        """Return values of all dealt loops, of which only those given matter."""
        return {name: values.get(name, each[0]) for name, each in ranges.items()}

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

    def _copy(self, tile: TileKind) -> list[Node]:
        """Return the nodes that fill the band of a tile."""
        if not self.way.copies:
            return []
        copying = Copying(self.way.band(tile.block), A, self._own(), self.target)
        return copying.nodes(tile.clips)

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
        blocks = {place: _Staged(way, tile.block, place) for place in way.moved}
        made: list[Node] = []
        extras: list[Address] = []
        for place, operand in enumerate(way.contraction.more, 1):
            block, at = blocks.get(place), EXTRAS - 1 + place
            if block is not None:
                made += self._move(block, roles, columns, first, at, False)
            extras.append(self._own_block(block, roles) if block else self._element(at, operand, roles, first))
        to = self._own_block(blocks[0], roles) if blocks else self._element(C, c, roles, first)
        call = Call(self.multiply(way, roles, columns), (self._a(roles, tile), self._b(roles, first), to, *extras))
        made += around(roles.over, [call])
        return [*made, *self._move(blocks[0], roles, columns, first, C, True)] if blocks else made

    def _a(self, roles: Roles, tile: TileKind) -> Address:
        """Return the address of the first row of a product in A or in its band."""
        way, a = self.way, self.way.contraction.a
        size = ELEMENT_BYTES[a.dtype]
        if not way.copies:
            return Address(A, self._place(a, roles.over) * size)
        band, local, start = way.band(tile.block), way.local(tile.block), affine(0)
        for each in band.axes:  # a loop that steps backwards begins at the other end
            steps = (factor * (local[name] - 1) for name, factor in each.axis.index.terms if name in local)
            start -= sum(min(0, step) for step in steps) // each.step * each.stride
        return Address(OWN, self._own().offset + (start + _steps(roles.over, "a")) * size)

    def _b(self, roles: Roles, first: Affine) -> Address:
        """Return the address of a panel."""
        way = self.way
        across = apart = affine(0)
        for chain in roles.across:
            across = across * chain.extent + index(loop_of(chain))
        for name in way.dealt:
            if way.contraction.b.has(name):
                apart = apart * way.contraction.extents[name] + index(name)
        columns = (apart * way.b.across + across) * (way.b.panels * way.b.panel)
        return Address(B, columns + first * (way.b.panel // way.width) + self.before_b)

    def _place(self, operand: IndexedArray, chains: Sequence[Chain]) -> Affine:
        """Return the place of a tile in an operand, and of these loops inside of it."""
        outside = {*self.way.dealt, self.way.loop} - {""}
        place = affine(operand.address.constant)
        for name in sorted(outside):
            place += index(name) * operand.stride(name)
        for chain in chains:
            place += index(loop_of(chain)) * operand.stride(chain.names[-1])
        return place

    def _element(self, at: int, operand: IndexedArray, roles: Roles, first: Affine) -> Address:
        """Return the address in C, or in an operand that lies beside it, of the first element of a product."""
        place = self._place(operand, (*roles.over, *roles.across))
        if roles.columns.names:
            place += first * operand.stride(roles.columns.names[-1])
        return Address(at, place * ELEMENT_BYTES[operand.dtype])

    def _own_block(self, block: _Staged, roles: Roles) -> Address:
        """Return the address of the first element of a product in a block of scratch memory."""
        return Address(OWN, self._own().offset + block.begin + _steps(roles.over, "c") * block.size)

    def _move(self, block: _Staged, roles: Roles, columns: int, first: Affine, at: int, out: bool) -> list[Node]:
        """Copy or transpose a block from scratch memory to its place in C, or from an operand that lies beside it."""
        operand, apart = block.operand, block.apart
        place = self._place(operand, (*block.outer, *roles.across)) + first * apart
        there = Address(at, place * block.size)
        here = Address(OWN, self._own().offset + block.begin + _steps(block.outer, "a") * block.size)
        moves = MoveKernels(operand.dtype, self.target)
        near, far = self.way.width, apart if block.turned else block.step
        lines = (near, far) if out else (far, near)
        if not block.turned:
            kernel = moves.copy(block.rows, columns, *lines)
        else:
            kernel = moves.turn(*((block.rows, columns) if out else (columns, block.rows)), *lines)
        return around(block.outer, [Call(kernel, (here, there) if out else (there, here))])

    def _own(self) -> Address:
        return Address(OWN, index(WORKER) * self.own)


def zeros(c: IndexedArray, extents: Mapping[str, int], at: int, target: Target) -> tuple[Node, ...]:
    """Return the nest that sets all elements of C to zero that a contraction writes."""
    names = sorted((name for name in extents if c.has(name)), key=lambda name: -abs(c.stride(name)))
    outer, inner = names[:-2], names[-2:]
    lines, columns = ([1, 1] + [extents[name] for name in inner])[-2:]
    apart, step = ([0, 1] + [c.stride(name) for name in inner])[-2:]
    moves = MoveKernels(c.dtype, target)
    if step == 1:
        kernel = moves.zero(lines, columns, apart)
    else:
        kernel, outer = moves.zero(columns, 1, step), names[:-1]
    place = affine(c.address.constant)
    for name in outer:
        place += index(name) * c.stride(name)
    address = Address(at, place * ELEMENT_BYTES[c.dtype])
    call = Call(kernel, (address, address))
    return (Share(tuple(blocks_of(name, extents[name], 1) for name in outer), (call,)) if outer else once([call]),)


class _Staged:
    """A block of C, or of an operand that lies beside it, in scratch memory: the rows of a tile by a panel's columns.

    apart   elements between neighbouring columns of the operand
    turned  whether they are no neighbours, so that the block is transposed
    rows    of it that one kernel moves: neighbours in memory where they are transposed to, or those of the last loop
    step    elements of the operand between them
    outer   the loops over such rows, with elements of the block as `a`
    begin   bytes of the worker's memory before it
    """

    def __init__(self, way: Tiling, block: int, place: int) -> None:
        c, local, columns = way.contraction.c, way.local(block), way.roles.columns.names
        whole = {**local, **way.further(block)}
        self.operand = operand = way.moved[place]
        self.size = ELEMENT_BYTES[operand.dtype]
        self.begin = way.bytes_before(place)
        self.apart = operand.stride(columns[-1]) if columns else 1
        self.turned = way.turned and self.apart != 1
        self.rows, self.step, step, outer = 1, 1, way.width, list[Chain]()
        for name in sorted((name for name in local if c.has(name)), key=lambda name: abs(c.stride(name))):
            first = self.rows == 1 and step == way.width and (not self.turned or operand.stride(name) == 1)
            joins = first or operand.stride(name) == self.rows * self.step
            if joins and not outer and step == way.width * self.rows:
                self.rows, self.step = self.rows * local[name], operand.stride(name) if first else self.step
            else:
                outer.insert(0, Chain((name,), local[name], a=step, c=operand.stride(name)))
            step *= whole[name]
        self.outer = tuple(outer)


def loop_of(chain: Chain) -> str:
    """Return the name of the index of a loop inside of a tile."""
    return "in " + " ".join(chain.names)


def _steps(chains: Sequence[Chain], operand: str) -> Affine:
    total = affine(0)
    for chain in chains:
        total += index(loop_of(chain)) * (chain.a if operand == "a" else chain.c)
    return total


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
