"""How a large product is cut on a target with tile registers.

A kernel multiplies two tiles of A by two of B, so each tile that comes from L2 is used for two products, and L2
delivers tiles about as fast as the products consume them. Therefore a kernel takes few rows of A, short enough for L1,
and all of them read the same packed block of B, which is as wide as L2 holds. The measurements are in docs/log/gemm.md.
"""

from __future__ import annotations

import os
from dataclasses import replace

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.products import BLOCKS, TILES
from .blocks import L2, even, leading_a, packed_column, scratch
from .schedules import Blocks, BlockSchedule, OwnB, OwnSums, SharedB, SharedSums


def for_tiles(plan: Blocks, spec: GemmSpec, l2: int, turns: bool = False) -> Blocks:
    """Return the blocks of a product for a target with tile registers. `plan` are the blocks without them; `turns`:
    whether blocks of C may be transposed."""
    if turns and plan.packs_b and spec.dtypes[2] != spec.acc_dtype:
        return _few_columns(plan, spec, l2 or L2)
    if not plan.packs_b or plan.n <= plan.nb:
        return plan
    others = (_low if plan.m <= TILES.rows else _summed)(plan, spec, l2 or L2)
    found = (_held(plan, spec, l2 or L2) if plan.m > TILES.rows else None) or others
    return _aligned(found or plan, spec, l2 or L2)


def prepacked(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks:
    """Return the blocks for a B that is packed in advance. They do not depend on the number of rows of A."""
    if not plan.packs_b or plan.n <= plan.nb:
        return plan
    found = _held(plan, spec, l2 or L2) or _summed(plan, spec, l2 or L2, TILES.narrow)
    return _aligned(found, spec, l2 or L2) if found else plan


def _aligned(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks:
    """Return the same blocks with A packed, if its rows are several cache lines long, and with k filled up to whole
    tiles, if scratch memory has room for that."""
    size = ELEMENT_BYTES[spec.dtypes[0]]
    if (plan.own_b and not plan.rb) or plan.kb * size < TILES.lines * CACHE_LINE:
        return plan
    schedule = plan.schedule
    if isinstance(schedule, SharedB):
        schedule = replace(schedule, packs_a=True)
    packed = replace(plan, schedule=schedule)
    if scratch(packed, spec)[1] > l2 // 2:
        return plan
    whole = CACHE_LINE // size
    kb = min(plan.k, -(-plan.kb // whole) * whole)
    filled = replace(packed, kb=kb, schedule=schedule.filled(whole))
    return filled if scratch(filled, spec)[0] <= BLOCKS.packed else packed


def _held(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks | None:
    """Return blocks with few rows of A and a block of B that stays in L2, or None if k is so deep that it would be too
    narrow."""
    size = ELEMENT_BYTES[spec.dtypes[1]]
    cut = spec.dtypes[2] == spec.acc_dtype
    kb = even(plan.k, TILES.row // size, 2 * TILES.unit) if cut else plan.k
    most = int(l2 * TILES.of_b) // (kb * size) // TILES.unit * TILES.unit
    if most < min(plan.n, TILES.narrowest):
        return None
    nc = even(plan.n, most, TILES.unit)
    nb = even(nc, TILES.wide, TILES.unit) if nc == plan.n else _part(nc)
    return replace(plan, mb=min(plan.m, BLOCKS.low), nb=nb, kb=kb, schedule=SharedB(nc, nc, plan.packs_a, plan.lines))


def _summed(plan: Blocks, spec: GemmSpec, l2: int, most: int | None = None, turns: bool = False) -> Blocks | None:
    """Return blocks whose sums stay in scratch memory, for a C that is narrower than its accumulators, or None. `most`
    is the most columns of a block; None: as many as 4 MiB hold with all of k, if those are enough. `turns`: see
    `for_tiles`."""
    size = ELEMENT_BYTES[spec.dtypes[1]]
    kb = even(plan.k, TILES.row // size, 2 * TILES.unit)
    if most is None:
        most = min(TILES.narrow, BLOCKS.packed // (-(-plan.k // kb) * kb * size) // TILES.unit * TILES.unit)
    rows = turns or spec.order[2] == "C"
    if most < TILES.fewest or not rows or spec.dtypes[2] == spec.acc_dtype:
        return None
    nb = min(plan.n, most, TILES.narrow // 2)
    nc = even(plan.n, most // nb * nb, nb)
    row = leading_a(kb, size) * size + nc * ELEMENT_BYTES[spec.acc_dtype]
    high = max(BLOCKS.low, int(l2 * TILES.of_sums) // row // BLOCKS.low * BLOCKS.low)
    cores = min(os.cpu_count() or 1, TILES.cores)
    parts = -(-plan.m // (high * cores)) * cores
    mb = even(plan.m, max(TILES.lowest, -(-plan.m // parts)), BLOCKS.low)
    return replace(plan, mb=mb, nb=nb, kb=kb, schedule=SharedSums(nc, min(mb, BLOCKS.low)))


def _low(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks | None:
    """Return blocks with few rows of A for a large B, whose blocks each worker packs for itself. If C is narrower than
    its accumulators, the sums stay in scratch memory."""
    size, narrow = ELEMENT_BYTES[spec.dtypes[1]], spec.dtypes[2] != spec.acc_dtype
    if (spec.order[2] != "C" if narrow else plan.packs_a) or plan.k * plan.n * size <= l2:
        return None
    cores = min(os.cpu_count() or 1, TILES.cores)
    nb = min(TILES.long, even(plan.n, max(TILES.wide // 2, plan.n // (TILES.shares * cores)), TILES.unit))
    kb = even(plan.k, max(TILES.block // (nb * size), 2 * TILES.unit) // TILES.unit * TILES.unit, 2 * TILES.unit)
    schedule: BlockSchedule = OwnSums(min(plan.m, BLOCKS.low)) if narrow else OwnB()
    return replace(plan, mb=plan.m, nb=nb, kb=kb, schedule=schedule)


def _few_columns(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks:
    """Return the blocks of a product by a few columns, whose blocks of C are transposed."""
    if plan.n * packed_column(plan.k, spec) > l2 * TILES.of_columns:
        return _summed(plan, spec, l2, turns=True) or plan
    whole = replace(
        plan,
        mb=min(plan.m, BLOCKS.low),
        nb=even(plan.n, TILES.wide, TILES.unit),
        kb=plan.k,
        schedule=SharedB(plan.n, plan.n, plan.packs_a, plan.lines),
    )
    return _aligned(whole, spec, l2) if plan.n > TILES.in_place else whole


def _part(columns: int) -> int:
    """Return the columns of a kernel. They divide the columns of a packed block of B evenly, since several workers pack
    it."""
    units = columns // TILES.unit
    least = -(-columns // TILES.wide)
    count = next((each for each in range(least, 2 * least + 1) if units % each == 0), 1)
    return columns // count
