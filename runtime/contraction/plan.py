"""How a contraction is cut: which loops are dealt to workers, what one of them computes at a time, and what is copied.

A *tile* is what a worker computes at a time: a block of one loop of A and C, and all loops inside of it. A is read
where it lies, or copied tile by tile into bands (packs.py). Where the columns of C are no neighbours, blocks of it are
turned from scratch memory. The way of the least estimated cycles is taken, whatever the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...encoder.features import Target
from ...encoder.records import cached_property, dataclass
from ...microkernels.codegen.long_sums import MOST_TERMS
from ...microkernels.contract.machine import Facts
from ...microkernels.dtypes import DTYPES, ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import facts_of
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..loops.code import index
from .form import Contraction, IndexedArray, IndexedAxis
from .packs import InputBand, PackedPanels, band_of, panels_of, refused
from .roles import Chain, LoopStrides, Roles, assigned
from .roles import refused as without_role


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
            staged = self._staged(of_c, extents)
            of_c, more = staged, [{name: staged[name] for name in each} for each in more]
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

    def _staged(self, of_c: Mapping[str, int], extents: Mapping[str, int]) -> dict[str, int]:
        """Return the strides of a block of C in scratch memory: rows of a panel's columns, in the order of C."""
        down = [name for name in of_c if self.contraction.a.has(name)]
        found, step = dict(of_c), self.width
        for name in sorted(down, key=lambda each: abs(of_c[each])):
            found[name] = step
            step *= extents[name]
        columns = [name for name in of_c if name not in down]
        if columns:
            found[min(columns, key=lambda each: abs(of_c[each]))] = 1
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
    def wide(self) -> tuple[IndexedArray, ...]:
        """The further operands with an element for each row of C."""
        return tuple(each for each in self.contraction.more if any(map(each.has, self.inner)))

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

    @property
    def bytes_staged(self) -> int:
        """Bytes of scratch memory for a block of C, per worker."""
        size = self.rows * self.width * ELEMENT_BYTES[self.contraction.c.dtype]
        return -(-size // CACHE_LINE) * CACHE_LINE if self.staged else 0

    @property
    def bytes_own(self) -> int:
        """Bytes of scratch memory per worker: a band, a block of C, and those of operands beside it."""
        return self.bytes_band + self.bytes_staged * (1 + len(self.wide))

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


def planned(contraction: Contraction, target: Target, group: int) -> TilingChoice:
    """Return the way of the least estimated time, with panels of B in which `group` neighbours along the depth lie side
    by side. Raises UnsupportedError if there is none."""
    trimmed, facts = contraction.trimmed().in_groups(group), facts_of(target)
    strides = _strides(trimmed)
    reason = without_role(strides)
    for each in (strides.c, *(dict(other.steps) for other in trimmed.more)):
        backwards = next((name for name, step in each.items() if step < 0), None)
        if backwards is not None:
            reason = f"C, or an array beside it, runs backwards in memory along {backwards}: compute into a copy"
    if reason:
        raise UnsupportedError(f"contraction: {reason}")
    found: list[tuple[float, Tiling]] = []
    reasons: dict[str, None] = {}
    for way in _ways(trimmed, facts, group):
        if isinstance(way, str):
            reasons[way] = None
        else:
            found.append(way)
    if not found:
        raise UnsupportedError(f"contraction: {'; '.join(reasons)}")
    found.sort(key=lambda each: each[0])
    return TilingChoice(found[0][1], found[0][0], tuple(found[1:]), tuple(reasons))


def _ways(contraction: Contraction, facts: Facts, group: int) -> Iterator[tuple[float, Tiling] | str]:
    """Yield the ways to cut a contraction with their estimated cycles, and reasons why others are not."""
    deep = depth_of(contraction, group)
    if not contraction.a.is_inside(contraction.extents):
        yield "A in place: elements outside of A are read"
    elif min(contraction.a.steps.values(), default=0) < 0:
        yield "A in place: it runs backwards in memory"
    else:
        yield from _cut(joined(contraction), facts, group, False, deep)
    yield from _cut(contraction, facts, group, True, deep)


def ordered(contraction: Contraction) -> bool:
    """Whether the bits of sums depend on the order in which their terms are added."""
    return DTYPES[contraction.a.dtype].real


def neighbours(contraction: Contraction) -> list[str]:
    """Return the loops that move to neighbours in bands of A: the last one of the sum, whatever lies so in A, unless
    rows move along its axis, too."""
    a, b, c = contraction.a, contraction.b, contraction.c
    last = [name for name in contraction.extents if a.has(name) and not c.has(name)][-1:]
    along = [name for axis in a.axes for name, _ in axis.index.terms if {name, *last} <= dict(axis.index.terms).keys()]
    return [] if any(c.has(name) and not b.has(name) for name in along) else last


def depth_of(contraction: Contraction, group: int) -> tuple[str, ...] | None:
    """Return the loops that are the depth of the products of every way, for equal bits, or None if any depth gives
    them. It matters where terms are multiplied in groups, or are so many that they are added in levels, which begin
    anew with each pair. It is the depth in a band of the whole of A: that in one of a tile is as deep or deeper."""
    if not ordered(contraction) or (group == 1 and contraction.terms <= MOST_TERMS):
        return None
    a, b, c, extents = contraction.a, contraction.b, contraction.c, contraction.extents
    local = {name: extent for name, extent in extents.items() if a.has(name) and not (b.has(name) and c.has(name))}
    band = band_of(a, extents, local, neighbours(contraction), "")
    of_a = {name: band.stride(name) for name in local}
    of_b = {name: b.stride(name) for name in local if b.has(name)}
    of_c = {name: c.stride(name) for name in local if c.has(name)}
    return assigned(LoopStrides(local, of_a, of_b, of_c)).depth.names


def _cut(
    contraction: Contraction, facts: Facts, group: int, copies: bool, deep: tuple[str, ...] | None
) -> Iterator[tuple[float, Tiling] | str]:
    a, b, c, extents = contraction.a, contraction.b, contraction.c, contraction.extents
    lanes = facts.target.vector_bits // 8 // max(4, ELEMENT_BYTES[b.dtype])
    down = sorted((n for n in extents if a.has(n) and c.has(n) and not b.has(n)), key=lambda n: -abs(c.stride(n)))
    across = {abs(c.stride(n)): extents[n] for n in extents if b.has(n) and c.has(n) and not a.has(n)}
    near = min(across, default=1)
    widths = widths_of(across.get(near, 1), lanes)
    for loop, inner in [(down[place], tuple(down[place:])) for place in (-2, -1) if len(down) >= -place] or [("", ())]:
        tiled = len(inner) == 1 and facts.tile(a.dtype, b.dtype) is not None
        blocks = _blocks(extents.get(loop, 1), 2 * CONTRACTIONS.tile if tiled else 1)
        for block in blocks:
            way = Tiling(contraction, loop, block, inner, copies, near != 1, widths[0], group, deep=deep)
            reason = refused(way.band(block)) if copies else ""
            if reason:
                yield f"A in bands: {reason}"
                return
            forms = [way, *([replace(way, spare=True)] if copies and _goes_on(way) else [])]
            forms += [replace(way, turned=False, along=True)] if near != 1 and group == 1 else []
            for each in forms:
                reason = impossible(each)
                if not reason:
                    yield min(_grouped(Costs.of(each, facts), widths), key=lambda found: found[0])
                elif block == blocks[-1]:
                    yield f"A in {'bands' if copies else 'place'}: {reason}"


def impossible(way: Tiling) -> str:
    """Return why a way is impossible; an empty string if it is not."""
    roles, sizes = way.roles, {ELEMENT_BYTES[each.dtype] for each in (way.contraction.a, way.contraction.b)}
    if way.deep not in (None, roles.depth.names):
        return "products would be less deep than those of bands with the sum inside, whose bits would be others"
    if way.along and (sizes not in ({4}, {8}) or not roles.rows.a == roles.rows.c == 1):
        return "no vectors along the rows, which are no neighbours in A or C, or are converted"
    if way.bytes_own > CONTRACTIONS.most_own:
        return (
            f"a worker would need {way.bytes_own >> 20} MiB of scratch memory, {way.bytes_band >> 20} MiB of A for a "
            f"tile of {way.block} {way.loop}, not at most {CONTRACTIONS.most_own >> 20}; give x with its padding "
            "stored and channels last, so that it is read in place"
        )
    return ""


def _goes_on(way: Tiling) -> bool:
    """Whether the rows of a tile may go on across the rim of its band, and few are computed in vain."""
    if len(way.inner) < 2:
        return False
    band, (outer, inner) = way.band(way.block), way.inner
    apart, step, extent = band.stride(outer), band.stride(inner), way.contraction.extents[inner]
    return step > 0 and apart % step == 0 and extent < apart // step <= CONTRACTIONS.spare * extent


def _grouped(costs: Costs, widths: Sequence[int]) -> Iterator[tuple[float, Tiling]]:
    """Yield a way of cutting A with all widths and groups of panels of B, with their estimated cycles."""
    for width in widths:
        panels = -(-costs.columns // width)
        for some in dict.fromkeys((1, -(-panels // 4), panels)):
            cycles, by_panels = costs.cycles(width, some)
            yield cycles, replace(costs.way, width=width, panels=some, by_panels=by_panels)


def widths_of(columns: int, lanes: int) -> list[int]:
    """Return the columns of panels that are tried: whole vectors."""
    return [vectors * lanes for vectors in (4, 3, 2, 1) if vectors == 1 or (vectors - 1) * lanes < columns]


def _blocks(extent: int, unit: int) -> list[int]:
    """Return the blocks of a loop that are tried: the loop in 1, 2, 4, 8... even parts, in whole units."""
    parts = [1 << power for power in range(extent.bit_length() + 1)]
    even = (-(-extent // min(each, extent)) for each in parts)
    return list(dict.fromkeys(min(extent, -(-each // unit) * unit) for each in even))


@dataclass(frozen=True)
class Costs:
    """What the cycles of a way depend on, beside the width of the panels of B and how many of them follow each other.

    rows, over         the rows of a product, and the products of a tile and a panel
    tiles              the number of tiles
    columns, across    of B: the columns beside each other, and the blocks of columns
    pairs              of the batch
    steps, bytes_step  along the depth and the batch: the steps, and the bytes of B for a column of one of them
    band, reads        bytes of a band, and of A that a tile reads
    own                bytes of scratch memory of a worker
    runs               of A that a tile copies, and of C that it stores, which are far from each other
    stored             bytes of C
    tiled              whether a unit of tiles multiplies the types
    """

    way: Tiling
    facts: Facts
    rows: int
    over: int
    tiles: int
    apart: int
    columns: int
    across: int
    pairs: int
    steps: int
    bytes_step: int
    band: int
    transposes: bool
    own: int
    runs: tuple[int, int]
    reads: int
    stored: int
    tiled: bool

    @classmethod
    def of(cls, way: Tiling, facts: Facts) -> Costs:
        """Return the costs of a way."""
        contraction, extents, roles = way.contraction, way.contraction.extents, way.roles
        size_a, size_b, size_c = (ELEMENT_BYTES[each.dtype] for each in (contraction.a, contraction.b, contraction.c))
        band = way.band(way.block) if way.copies else None
        whole = math.prod(extents[name] for name in way.dealt)
        return cls(
            way,
            facts,
            roles.rows.extent,
            math.prod(each.extent for each in roles.over),
            whole * (-(-extents[way.loop] // way.block) if way.loop else 1),
            math.prod(extents[name] for name in way.dealt if contraction.b.has(name)),
            roles.columns.extent,
            math.prod(each.extent for each in roles.across),
            pairs := math.prod(each.extent for each in roles.batch),
            pairs * -(-roles.depth.extent // way.group),
            way.group * size_b,
            band.elements * size_a if band else 0,
            band is not None and band.axes[-1].apart != 1,
            way.bytes_own,
            way.runs,
            (band.elements if band else way.rows * roles.depth.extent) * size_a,
            math.prod(extents[name] for name in extents if contraction.c.has(name)) * size_c,
            facts.tile(contraction.a.dtype, contraction.b.dtype) is not None,
        )

    def cycles(self, width: int, panels: int) -> tuple[float, bool]:
        """Estimate the cycles of one core: the products, the copies, and what comes from beyond L2. Return also whether
        a group of panels is to be multiplied by all tiles before the next one.

        A step of the depth loads the vectors of a panel's row once for each block of rows that the registers hold. A
        panel is read from L1 or L2 in each call. Panels come from beyond L2 once for each tile, unless a tile and all
        of its panels fit, or tiles once for each group of panels, if these are what stays.
        """
        tuning, facts, bits = CONTRACTIONS, self.facts, self.facts.target.vector_bits
        all_panels = -(-self.columns // width)
        panel = self.steps * self.bytes_step * width
        if self.way.along:
            return self._uneven(self._along(width, panels), panels, all_panels), False
        vectors = max(1, width * max(4, self.bytes_step // self.way.group) * 8 // bits)
        blocks = -(-self.rows // max(1, (facts.vector_registers - 1 - vectors) // vectors))
        arithmetic = max(self.rows * vectors * facts.fma_cycles(bits), blocks * facts.fma_latency)
        loads = (self.rows + blocks * vectors) * facts.load_cycles(bits)
        if self.tiled:  # a step is a tile deep, and a block two tiles high
            blocks = -(-self.rows // (2 * tuning.tile))
            arithmetic = self.rows * vectors / tuning.tile
            loads = (-(-self.rows // tuning.tile) + blocks * vectors) * tuning.load_of_tile / tuning.tile
        one = max(arithmetic * (1 + tuning.narrow / vectors), loads)
        nearness = tuning.near if panel > facts.l1_bytes * tuning.of_l1 else math.inf
        call = (
            max(self.steps * one, blocks * panel / nearness)
            + blocks * (tuning.block + self.pairs * tuning.pair)
            + tuning.call
        )
        groups = self.across * -(-all_panels // panels)
        products = self.tiles * self.over * self.across * all_panels * call
        copied = self.tiles * groups * self.band / (tuning.turned if self.transposes else tuning.copied)
        weights = self.across * all_panels * panel
        tile = self.reads + self.stored // self.tiles
        once, each_tile = self.apart * weights + self.tiles * tile, self.tiles * (weights + tile)
        each_group = self.apart * weights + groups * self.tiles * tile
        l2 = facts.l2_bytes * tuning.of_l2
        by_panels = tile + weights >= l2 and panels * panel < l2 and each_group < each_tile
        far = once if tile + weights < l2 else each_group if by_panels else each_tile
        turned = self.stored / (tuning.turned if self.way.turned else tuning.copied) if self.way.staged else 0
        beyond = (self.tiles * groups * self.band + self.stored * self.way.staged) / tuning.far if self.own > l2 else 0
        total = products + copied + far / tuning.far / 2 + turned + 2 * beyond
        return self._uneven(total + self._of_runs(groups), panels, all_panels), by_panels

    def _of_runs(self, groups: int) -> float:
        of_a, of_c = self.runs
        return self.tiles * (groups * of_a + of_c) * CONTRACTIONS.run

    def _uneven(self, total: float, panels: int, all_panels: int) -> float:
        """Return the cycles with those that cores wait for each other, of which each gets whole parts."""
        parts = self.tiles * self.across * -(-all_panels // panels)
        worth = [cores for cores in CONTRACTIONS.cores if total > cores * CONTRACTIONS.share]
        return total * (sum(cores * -(-parts // cores) / parts for cores in worth) / len(worth) if worth else 1.0)

    def _along(self, width: int, panels: int) -> float:
        """Estimate the cycles with vectors along the rows: a block of some vectors of A by some broadcast columns reads
        these vectors once for each step of the depth."""
        tuning, facts, bits = CONTRACTIONS, self.facts, self.facts.target.vector_bits
        way, roles, size = self.way, self.way.roles, self.bytes_step
        vectors, all_panels = -(-self.rows * size * 8 // bits), -(-self.columns // width)
        high = min(vectors, 3)
        wide = min(width, (facts.vector_registers - 1 - high) // high)
        blocks = -(-vectors // high) * -(-width // wide)
        arithmetic, loads = vectors * width * facts.fma_cycles(bits), blocks * (high + wide) * facts.load_cycles(bits)
        step = max(arithmetic, loads)
        if high * bits // 8 * self.steps > facts.l1_bytes * tuning.of_l1:
            step = max(step, blocks * high * bits / 8 / tuning.near)
        if roles.depth.a * size >= tuning.page:
            step += blocks * tuning.stray
        call = self.steps * step + blocks * (tuning.block + self.pairs * tuning.pair) + tuning.call
        groups = self.across * -(-all_panels // panels)
        products = self.tiles * self.over * self.across * all_panels * call
        copied = self.tiles * groups * self.band / tuning.copied
        weights = self.across * all_panels * self.steps * size * width
        tile, l2 = self.reads + self.stored // self.tiles, facts.l2_bytes * tuning.of_l2
        again = self.tiles if tile + weights >= l2 else self.apart
        far = again * weights + self.tiles * tile * (groups if way.copies or tile + weights >= l2 else 1)
        return products + copied + far / tuning.far / 2 + self._of_runs(groups)


def joined(contraction: Contraction) -> Contraction:
    """Return the contraction with one loop in place of loops of A and C that act as one, as the pixels of images
    without a rim do. A and C then have one axis for each loop."""
    a, b, c, extents = contraction.a, contraction.b, contraction.c, contraction.extents
    names = [name for name in extents if a.has(name) and c.has(name) and not b.has(name)]
    lie = (a, c, *contraction.more)
    of_a, of_c, *more = ({name: each.stride(name) for name in names if each.has(name)} for each in lie)
    found = assigned(LoopStrides({name: extents[name] for name in names}, of_a, {}, of_c, tuple(more)))
    chains = {name: each for each in (*found.over, found.rows) for name in each.names}
    loops = {_name(chains.get(name), name): (name, extent) for name, extent in contraction.loops}
    made = []
    for operand in lie:
        axes = []
        for joint, (name, extent) in loops.items():
            chain = chains.get(name, Chain((name,), extent))
            if operand.has(name):
                axes.append(IndexedAxis(chain.extent, operand.stride(chain.names[-1]), index(joint)))
        made.append(IndexedArray(operand.dtype, tuple(axes), operand.fill, operand.address.constant))
    lengths = ((joint, chains[name].extent if name in chains else extent) for joint, (name, extent) in loops.items())
    return Contraction(tuple(lengths), made[0], b, made[1], tuple(made[2:]))


def _name(chain: Chain | None, name: str) -> str:
    return "".join(chain.names) if chain else name


def _strides(contraction: Contraction) -> LoopStrides:
    a, b, c = (dict(each.steps) for each in (contraction.a, contraction.b, contraction.c))
    return LoopStrides(contraction.extents, a, b, c)
