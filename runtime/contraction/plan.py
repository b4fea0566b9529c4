"""The way to cut a contraction (tiling.py): that of the least estimated cycles, whatever the number of threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...encoder.features import Target
from ...microkernels.codegen.long_sums import MOST_TERMS
from ...microkernels.contract.machine import Facts
from ...microkernels.dtypes import DTYPES, ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import facts_of
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..loops.code import index
from .costs import Costs
from .form import Contraction, IndexedArray, IndexedAxis
from .packs import band_of, refused
from .roles import Chain, LoopStrides, assigned
from .roles import refused as without_role
from .tiling import Tiling, TilingChoice, neighbours


def planned(contraction: Contraction, target: Target, group: int, threads: int | None = None) -> TilingChoice:
    """Return the way of the least estimated time, with panels of B in which `group` neighbours along the depth lie side
    by side. All ways give the same bits, so that a number of threads that all calls have may decide. Raises
    UnsupportedError if there is none."""
    trimmed, facts = contraction.trimmed().forwards().in_groups(group), facts_of(target)
    a, b, c = (dict(each.steps) for each in (trimmed.a, trimmed.b, trimmed.c))
    strides = LoopStrides(trimmed.extents, a, b, c)
    reason = without_role(strides)
    for each in (strides.c, *(dict(other.steps) for other in trimmed.more)):
        backwards = next((name for name, step in each.items() if step < 0), None)
        if backwards is not None:
            reason = f"C, or an array beside it, runs backwards in memory along {backwards}: compute into a copy"
    if reason:
        raise UnsupportedError(f"contraction: {reason}")
    found: list[tuple[float, Tiling]] = []
    reasons: dict[str, None] = {}
    for way in _ways(trimmed, facts, group, threads):
        if isinstance(way, str):
            reasons[way] = None
        else:
            found.append(way)
    if not found:
        raise UnsupportedError(f"contraction: {'; '.join(reasons)}")
    found.sort(key=lambda each: each[0])
    return TilingChoice(found[0][1], found[0][0], tuple(found[1:]), tuple(reasons))


def _ways(
    contraction: Contraction, facts: Facts, group: int, threads: int | None
) -> Iterator[tuple[float, Tiling] | str]:
    """Yield the ways to cut a contraction with their estimated cycles, and reasons why others are not."""
    deep = depth_of(contraction, group)
    if not contraction.a.is_inside(contraction.extents):
        yield "A in place: elements outside of A are read"
    elif min(contraction.a.steps.values(), default=0) < 0:
        yield "A in place: it runs backwards in memory"
    else:
        yield from _cut(joined(contraction), facts, group, False, deep, threads)
    yield from _cut(contraction, facts, group, True, deep, threads)


def ordered(contraction: Contraction) -> bool:
    """Whether the bits of sums depend on the order in which their terms are added."""
    return DTYPES[contraction.a.dtype].real


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
    contraction: Contraction,
    facts: Facts,
    group: int,
    copies: bool,
    deep: tuple[str, ...] | None,
    threads: int | None,
) -> Iterator[tuple[float, Tiling] | str]:
    a, b, c, extents = contraction.a, contraction.b, contraction.c, contraction.extents
    lanes = facts.target.vector_bits // 8 // max(4, ELEMENT_BYTES[b.dtype])
    # a loop that goes backwards in A is no row of a product: it is outside of the tiles
    down = [n for n in extents if a.stride(n) > 0 and c.has(n) and not b.has(n)]
    down.sort(key=lambda name: -abs(c.stride(name)))
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
                    yield min(grouped(Costs(each, facts, threads), widths), key=lambda found: found[0])
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


def grouped(costs: Costs, widths: Sequence[int]) -> Iterator[tuple[float, Tiling]]:
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
