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
from .blocks import L2, LOW, PACKED, even, leading_a, packed_column, scratch
from .schedules import Blocks, Own, OwnSums, Schedule, Shared, SharedSums

_LINES = 4
"""`_LINES`: A is packed if its rows have at least this many lines. On a Sapphire
Rapids, a tile load takes 47 cycles if its rows cross lines and 9 if not; a store takes 34 and 17 (2026-11-26). numpy
places large arrays 16 bytes after the start of a line."""
_ROWS = 128
"""With at most this many rows of A, packing B takes most of the time."""
_BLOCK, _LONG, _SHARES = 1 << 18, 1024, 4
"""These apply to few rows of A, where each worker packs its own blocks of B. `_BLOCK`: bytes of a block of B. `_LONG`:
its most columns, which are read as long streams. `_SHARES`: the minimum number of blocks per core. One thread of a
Sapphire Rapids packs a B of 4096 x 4096 in bf16 in 2.7 ms by blocks of 4096 x 192, and in 1.6 by 128 x 1024
(2026-11-26)."""
_OF_B = 0.6
"""The most of L2 that a packed block of B takes."""
_WIDE, _NARROWEST, _UNIT = 384, 384, 32
"""`_WIDE`: the most columns of a kernel. `_NARROWEST`: the minimum columns of a block of B; if k is so deep that L2
holds fewer, the block does not stay in L2. `_UNIT`: the columns that a kernel keeps in tiles at a time."""
_ROW = 1024
"""Bytes of k in a block, if the sum may be cut: 32 rows of A then take 32 KiB of L1."""
_NARROW, _FEWEST, _OF_SUMS = 512, 128, 0.4
"""`_NARROW`, `_FEWEST`: the most and the fewest columns of a block whose sums stay in scratch memory. `_OF_SUMS`: the
share of L2 that the sums and a packed block of A take. With an L2 of 2 MiB that is 256 rows, with 512 KiB of sums and
256 KiB of A, beside 512 KiB of B."""
_LOWEST, _CORES = 64, 8
"""`_LOWEST`: the minimum number of rows of such a block. `_CORES`: blocks are made lower to give every core the same
number of them, for at most this many cores."""

_OF_COLUMNS, _IN_PLACE = 0.25, 64
"""These apply to a product by a few columns. `_OF_COLUMNS`: the share of L2 up to which B is one block with all of k.
`_IN_PLACE`: with at most this many columns, tiles of A are loaded where they lie: each is used so seldom that packing
takes more time than loads that cross cache lines."""


def for_tiles(plan: Blocks, spec: GemmSpec, l2: int, turns: bool = False) -> Blocks:
    """Return the blocks of a product for a target with tile registers. `plan` are the blocks without them; `turns`:
    whether blocks of C may be transposed."""
    if turns and plan.packs_b and spec.dtypes[2] != spec.acc_dtype:
        return _few_columns(plan, spec, l2 or L2)
    if not plan.packs_b or plan.n <= plan.nb:
        return plan
    others = (_low if plan.m <= _ROWS else _summed)(plan, spec, l2 or L2)
    found = (_held(plan, spec, l2 or L2) if plan.m > _ROWS else None) or others
    return _aligned(found or plan, spec, l2 or L2)


def prepacked(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks:
    """Return the blocks for a B that is packed in advance. They do not depend on the number of rows of A."""
    if not plan.packs_b or plan.n <= plan.nb:
        return plan
    found = _held(plan, spec, l2 or L2) or _summed(plan, spec, l2 or L2, _NARROW)
    return _aligned(found, spec, l2 or L2) if found else plan


def _aligned(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks:
    """Return the same blocks with A packed, if its rows are several cache lines long, and with k filled up to whole
    tiles, if scratch memory has room for that."""
    size = ELEMENT_BYTES[spec.dtypes[0]]
    if (plan.own_b and not plan.rb) or plan.kb * size < _LINES * CACHE_LINE:
        return plan
    schedule = plan.schedule
    if isinstance(schedule, Shared):
        schedule = replace(schedule, packs_a=True)
    packed = replace(plan, schedule=schedule)
    if scratch(packed, spec)[1] > l2 // 2:
        return plan
    whole = CACHE_LINE // size
    kb = min(plan.k, -(-plan.kb // whole) * whole)
    filled = replace(packed, kb=kb, schedule=schedule.filled(whole))
    return filled if scratch(filled, spec)[0] <= PACKED else packed


def _held(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks | None:
    """Return blocks with few rows of A and a block of B that stays in L2, or None if k is so deep that it would be too
    narrow."""
    size = ELEMENT_BYTES[spec.dtypes[1]]
    cut = spec.dtypes[2] == spec.acc_dtype
    kb = even(plan.k, _ROW // size, 2 * _UNIT) if cut else plan.k
    most = int(l2 * _OF_B) // (kb * size) // _UNIT * _UNIT
    if most < min(plan.n, _NARROWEST):
        return None
    nc = even(plan.n, most, _UNIT)
    nb = even(nc, _WIDE, _UNIT) if nc == plan.n else _part(nc)
    return replace(plan, mb=min(plan.m, LOW), nb=nb, kb=kb, schedule=Shared(nc, nc, plan.packs_a, plan.lines))


def _summed(plan: Blocks, spec: GemmSpec, l2: int, most: int | None = None, turns: bool = False) -> Blocks | None:
    """Return blocks whose sums stay in scratch memory, for a C that is narrower than its accumulators, or None. `most`
    is the most columns of a block; None: as many as 4 MiB hold with all of k, if those are enough. `turns`: see
    `for_tiles`."""
    size = ELEMENT_BYTES[spec.dtypes[1]]
    kb = even(plan.k, _ROW // size, 2 * _UNIT)
    if most is None:
        most = min(_NARROW, PACKED // (-(-plan.k // kb) * kb * size) // _UNIT * _UNIT)
    rows = turns or spec.order[2] == "C"
    if most < _FEWEST or not rows or spec.dtypes[2] == spec.acc_dtype:
        return None
    nb = min(plan.n, most, _NARROW // 2)
    nc = even(plan.n, most // nb * nb, nb)
    row = leading_a(kb, size) * size + nc * ELEMENT_BYTES[spec.acc_dtype]
    high = max(LOW, int(l2 * _OF_SUMS) // row // LOW * LOW)
    cores = min(os.cpu_count() or 1, _CORES)
    parts = -(-plan.m // (high * cores)) * cores
    mb = even(plan.m, max(_LOWEST, -(-plan.m // parts)), LOW)
    return replace(plan, mb=mb, nb=nb, kb=kb, schedule=SharedSums(nc, min(mb, LOW)))


def _low(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks | None:
    """Return blocks with few rows of A for a large B, whose blocks each worker packs for itself. If C is narrower than
    its accumulators, the sums stay in scratch memory."""
    size, narrow = ELEMENT_BYTES[spec.dtypes[1]], spec.dtypes[2] != spec.acc_dtype
    if (spec.order[2] != "C" if narrow else plan.packs_a) or plan.k * plan.n * size <= l2:
        return None
    cores = min(os.cpu_count() or 1, _CORES)
    nb = min(_LONG, even(plan.n, max(_WIDE // 2, plan.n // (_SHARES * cores)), _UNIT))
    kb = even(plan.k, max(_BLOCK // (nb * size), 2 * _UNIT) // _UNIT * _UNIT, 2 * _UNIT)
    schedule: Schedule = OwnSums(min(plan.m, LOW)) if narrow else Own()
    return replace(plan, mb=plan.m, nb=nb, kb=kb, schedule=schedule)


def _few_columns(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks:
    """Return the blocks of a product by a few columns, whose blocks of C are transposed."""
    if plan.n * packed_column(plan.k, spec) > l2 * _OF_COLUMNS:
        return _summed(plan, spec, l2, turns=True) or plan
    whole = replace(plan, mb=min(plan.m, LOW), nb=even(plan.n, _WIDE, _UNIT), kb=plan.k,
                    schedule=Shared(plan.n, plan.n, plan.packs_a, plan.lines))  # fmt: skip
    return _aligned(whole, spec, l2) if plan.n > _IN_PLACE else whole


def _part(columns: int) -> int:
    """Return the columns of a kernel. They divide the columns of a packed block of B evenly, since several workers pack
    it."""
    units = columns // _UNIT
    least = -(-columns // _WIDE)
    count = next((each for each in range(least, 2 * least + 1) if units % each == 0), 1)
    return columns // count
