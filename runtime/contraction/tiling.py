"""How a contraction is cut: which loops are dealt to workers, what one of them computes at a time, and what is copied.

A *tile* is what a worker computes at a time: a block of one loop of A and C, and all loops inside of it. A is read
where it lies, or copied tile by tile into bands (packs.py). Where the columns of C are no neighbours, blocks of it are
turned from scratch memory. plan.py takes one of these ways.
"""

from __future__ import annotations

import math

from ...encoder.records import cached_property, dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.notebook import plan_page
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.contractions import CONTRACTIONS
from .form import Contraction, IndexedArray
from .interface import ContractionLoops
from .packs import InputBand, PackedPanels, band_of, panels_of
from .roles import LoopStrides, Roles, assigned


@dataclass(frozen=True)
class Tiling:
    """A contraction cut into tiles.

    contraction   without loops of one iteration
    loop, block   the loop that is cut, and its iterations in a tile; without a loop there is one tile
    inner         the loops of A and C inside of a tile
    copies        whether A is copied in bands
    turned        whether blocks of C are transposed from scratch memory, because its columns are no neighbours
    spare         whether rows go on across the rim of a band, so that two loops act as one. What is computed there is
                  left in scratch memory, and only the rows of C are copied from it
    deep          the loops that may be the depth of products; None: all
    along         whether vectors lie along the rows, which are neighbours in A, or its band, and in C
    width         columns of a panel of B
    group         neighbours along the depth of B that lie side by side in a panel
    panels        panels of B that a tile is multiplied by in one part of the work
    by_panels     whether these panels are multiplied by all tiles before the next ones, so that they stay in a cache
    """

    contraction: Contraction
    loop: str
    block: int
    inner: tuple[str, ...]
    copies: bool
    turned: bool
    width: int
    group: int
    panels: int = 1
    by_panels: bool = False
    spare: bool = False
    deep: tuple[str, ...] | None = None
    along: bool = False

    @property
    def staged(self) -> bool:
        """Whether blocks of C come from scratch memory."""
        return self.turned or self.spare

    @cached_property
    def roles(self) -> Roles:
        """The roles of the loops inside of a full tile."""
        return self.roles_of(self.block)

    def roles_of(self, block: int) -> Roles:
        """Return the roles inside of a tile of so many iterations of the loop that is cut."""
        a, b, c = self.contraction.a, self.contraction.b, self.contraction.c
        local = self.local(block)
        extents = {n: e for n, e in {**self.contraction.extents, **local}.items() if n in local or not a.has(n)}
        place = self.band(block) if self.copies else a
        extents |= self.further(block)
        of_c, *more = ({n: each.stride(n) for n in extents if each.has(n)} for each in (c, *self.contraction.more))
        if self.staged:
            of_c = self.staged_steps(block)
            more = [{name: of_c[name] for name in each} for each in more]
        of_a = {name: place.stride(name) for name in extents if a.has(name)}
        of_b = {name: b.stride(name) for name in extents if b.has(name)}
        deep = self.deep if block == self.block else self.roles.depth.names  # as B is packed for all tiles
        return assigned(LoopStrides(extents, of_a, of_b, of_c, tuple(more), True, deep, self.along))

    def further(self, block: int) -> dict[str, int]:
        """Return the iterations of loops that go on across the rim of a band."""
        if not self.spare:
            return {}
        band, (outer, inner) = self.band(block), self.inner
        return {inner: band.stride(outer) // band.stride(inner)}

    def staged_steps(self, block: int) -> dict[str, int]:
        """Return the strides of a block of C in scratch memory: rows of a panel's columns, in the order of C."""
        c, local = self.contraction.c, {**self.local(block), **self.further(block)}
        columns = [name for name in self.contraction.extents if c.has(name) and not self.contraction.a.has(name)]
        found, step = {name: c.stride(name) for name in columns}, self.width
        if columns:
            found[min(columns, key=lambda each: abs(c.stride(each)))] = 1
        for name in sorted(filter(c.has, local), key=lambda each: abs(c.stride(each))):
            found[name] = step
            step *= local[name]
        return found

    def local(self, block: int) -> dict[str, int]:
        """Return the iterations of the loops of A inside of a tile: rows, and those that are summed."""
        a, c, extents = self.contraction.a, self.contraction.c, self.contraction.extents
        names = [name for name in extents if name in self.inner or a.has(name) and not c.has(name)]
        return {name: block if name == self.loop else extents[name] for name in names}

    @property
    def dealt(self) -> tuple[str, ...]:
        """The loops of A and C outside of the tiles, outermost first."""
        a, c = self.contraction.a, self.contraction.c
        names = [n for n in self.contraction.extents if a.has(n) and c.has(n) and n not in self.inner]
        return tuple(sorted(names, key=lambda name: -abs(c.stride(name))))

    def band(self, block: int) -> InputBand:
        """Return the band of a tile."""
        return self.whole_band if block == self.block else self._band(block)

    @cached_property
    def whole_band(self) -> InputBand:
        """The band of a full tile."""
        return self._band(self.block)

    def _band(self, block: int) -> InputBand:
        a, extents = self.contraction.a, self.contraction.extents
        near = [] if self.along else neighbours(self.contraction)
        return band_of(a, extents, self.local(block), near, self.loop)

    @cached_property
    def b(self) -> PackedPanels:
        """How B is packed."""
        return panels_of(self.contraction, self._apart_b, self.roles, self.width, self.group)

    @property
    def _apart_b(self) -> list[str]:
        return [name for name in self.dealt if self.contraction.b.has(name)]

    @cached_property
    def loops_b(self) -> tuple[str, ...]:
        """The loops of B in the order of its panels, outermost first."""
        chains = (*self.roles.across, self.roles.columns, *self.roles.batch, self.roles.depth)
        return (*self._apart_b, *(name for each in chains for name in each.names))

    @cached_property
    def steps_b(self) -> dict[str, int]:
        """The elements of the panels that an iteration of each loop of B moves, but of those of the columns."""
        panels, roles, found = self.b, self.roles, dict[str, int]()
        batch, across = ([name for each in chains for name in each.names] for chains in (roles.batch, roles.across))
        line = self.width * self.group
        every = (roles.depth.names, self.width), (batch, panels.groups * line)
        for names, step in (*every, ([*self._apart_b, *across], panels.panels * panels.elements)):
            for name in reversed(names):
                found[name] = step
                step *= self.contraction.extents[name]
        return found

    @property
    def rows(self) -> int:
        """The rows of a product in a tile."""
        extents = {**self.contraction.extents, self.loop: self.block, **self.further(self.block)}
        return math.prod(extents[name] for name in self.inner)

    @property
    def bytes_band(self) -> int:
        """Bytes of scratch memory for a band, per worker, with what rows across its rim read behind it."""
        if not self.copies:
            return 0
        band, local = self.band(self.block), {**self.local(self.block), **self.further(self.block)}
        last = sum((extent - 1) * abs(band.stride(name)) for name, extent in local.items())
        size = max(band.elements, last + 1) * ELEMENT_BYTES[self.contraction.a.dtype]
        return -(-size // CACHE_LINE) * CACHE_LINE

    @cached_property
    def moved(self) -> dict[int, IndexedArray]:
        """What lies as blocks in scratch memory, by its place: C, of place 0, and the further operands with an element
        for each of C."""
        c = self.contraction.c
        lie = enumerate((c, *self.contraction.more))
        return {place: each for place, each in lie if self.staged and each.steps.keys() == c.steps.keys()}

    @property
    def runs(self) -> tuple[int, int]:
        """Runs of neighbours of A that a tile copies, and of C that it stores, of those that are far from each other:
        of channels of images with channels first."""
        a, b, c, extents = self.contraction.a, self.contraction.b, self.contraction.c, self.contraction.extents
        summed = [name for name in extents if a.has(name) and not c.has(name)][-1:]
        across = [name for name in extents if b.has(name) and c.has(name) and not a.has(name)]
        found = []
        for operand, names in ((a, summed if self.copies else []), (c, across)):
            far = CONTRACTIONS.scattered // ELEMENT_BYTES[operand.dtype]
            found.append(math.prod(extents[n] for n in names) if any(operand.stride(n) >= far for n in names) else 0)
        return found[0], found[1]

    def bytes_before(self, place: int) -> int:
        """Bytes of scratch memory of a worker before the block of the operand at a place of `moved`."""
        before = (each for other, each in self.moved.items() if other < place)
        blocks = (self.rows * self.width * ELEMENT_BYTES[each.dtype] for each in before)
        return self.bytes_band + sum(-(-size // CACHE_LINE) * CACHE_LINE for size in blocks)

    @property
    def bytes_own(self) -> int:
        """Bytes of scratch memory per worker: a band, a block of C, and those of operands beside it."""
        return self.bytes_before(1 + len(self.contraction.more))

    def __str__(self) -> str:
        tile = f"tiles of {self.block} {self.loop}" if self.loop else "one tile"
        how = f"A in bands of {-(-self.bytes_band // 1024)} KiB" if self.copies else "A in place"
        turned = ", C turned" if self.turned else ", vectors along the rows" if self.along else ""
        turned += ", rows across the rim" if self.spare else ""
        panels = f"{self.panels} of {self.b.panels} panels of {self.width} columns{' first' * self.by_panels}"
        return f"{how}{turned}, {tile}, {panels}; {self.roles}"


@dataclass(frozen=True)
class TilingChoice:
    """The way that is taken, with the estimated cycles of one core, and the others with theirs or with reasons."""

    way: Tiling
    cycles: float
    others: tuple[tuple[float, Tiling], ...]
    reasons: tuple[str, ...]

    @property
    def rejected(self) -> tuple[str, ...]:
        """The other ways with their estimated cycles, and the reasons why further ones are impossible."""
        return (*self.reasons, *(f"{way}; about {cycles:,.0f} cycles" for cycles, way in self.others))

    def __str__(self) -> str:
        return f"{self.way}; about {self.cycles:,.0f} cycles"


class PartChoices:
    """The plans of all parts.

    reasons  why a convolution is not computed by other loops than those of products
    loops    such loops, which are taken in place of products, or None
    """

    def __init__(
        self, parts: tuple[TilingChoice, ...], reasons: tuple[str, ...] = (), loops: ContractionLoops | None = None
    ) -> None:
        self.parts, self.reasons, self.loops = parts, reasons, loops

    @property
    def ways(self) -> tuple[Tiling, ...]:
        """The ways of products."""
        return tuple(each.way for each in self.parts)

    @property
    def cycles(self) -> float:
        """The estimated cycles of one core."""
        return sum(each.cycles for each in self.parts) if self.loops is None else self.loops.cycles

    @property
    def rejected(self) -> tuple[str, ...]:
        """The ways that are not taken, with their estimated cycles, and reasons why others are impossible."""
        products = () if self.loops is None else map(str, self.parts)
        return (*self.reasons, *products, *(line for each in self.parts for line in each.rejected))

    def __repr__(self) -> str:
        return "; ".join(str(self).splitlines())

    def __str__(self) -> str:
        taken = self.parts if self.loops is None else [f"{self.loops}; about {self.cycles:,.0f} cycles"]
        return "\n".join(map(str, taken))

    def _repr_html_(self) -> str:
        """Return the plans for notebooks, with the other ways in a folded section."""
        return plan_page(self, self.rejected)


def neighbours(contraction: Contraction) -> list[str]:
    """Return the loops that move to neighbours in bands of A: the last one of the sum, whatever lies so in A, unless
    rows move along its axis, too."""
    a, b, c = contraction.a, contraction.b, contraction.c
    last = [name for name in contraction.extents if a.has(name) and not c.has(name)][-1:]
    along = [name for axis in a.axes for name, _ in axis.index.terms if {name, *last} <= dict(axis.index.terms).keys()]
    return [] if any(c.has(name) and not b.has(name) for name in along) else last
