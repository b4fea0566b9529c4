"""How a large product is cut on a target with tile registers.

A tile of A is multiplied by two of B, and the other way round, so whatever comes from L2 is loaded once for two
products, and L2 gives it about as fast as they take. So the rows of A that a kernel takes are few and short enough for
L1, and a packed block of B, as wide as L2 holds, is read by all of them. The measurements: docs/log/gemm.md.
"""

from __future__ import annotations

import os
from dataclasses import replace

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from .blocks import L2, LOW, PACKED, Blocks, even, leading_a, scratch

_LINE, _LINES = 64, 4
"""Bytes of a cache line; lines, at least, of a row of A that is packed. On a Sapphire Rapids a load of a tile whose
rows cross lines takes 47 cycles, of one whose rows do not 9, a store 34 and 17 (2026-11-26). numpy puts large arrays 16
bytes behind a line."""
_ROWS = 128
"""Rows of A so few that what packing B takes decides."""
_BLOCK, _LONG, _SHARES = 1 << 18, 1024, 4
"""Bytes of a block of B there, which each worker packs for itself; its columns, most, which are read as long
streams; and such blocks side by side for each core at least. One thread of a Sapphire Rapids packs a B of 4096 x 4096
in bf16 in 2.7 ms by blocks of 4096 x 192, in 1.6 by 128 x 1024 (2026-11-26)."""
_OF_B = 0.6
"""The share of L2 that a packed block of B takes, at most."""
_WIDE, _NARROWEST, _UNIT = 384, 384, 32
"""Columns of a kernel; of a block of B, at least, where k is so deep that L2 holds few of them; and of what a kernel
keeps in tiles at a time."""
_ROW = 1024
"""Bytes of k in a block, where sums may be cut: 32 rows of A take 32 KiB of L1."""
_NARROW, _FEWEST, _OF_SUMS = 512, 128, 0.4
"""Columns of a block whose sums lie in scratch memory, most and fewest, and the share of L2 that they and a packed
block of A take: of an L2 of 2 MiB 256 rows, 512 KiB of sums and 256 KiB of A, beside 512 KiB of B."""
_LOWEST, _CORES = 64, 8
"""Rows of such a block at least, and cores at most for which it is made lower, so that each has as many of them."""


def for_tiles(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks:
    """Blocks of the product that `plan` cuts, for a target with tile registers."""
    if not plan.packs_b or plan.n <= plan.nb:
        return plan
    others = (_low if plan.m <= _ROWS else _summed)(plan, spec, l2 or L2)
    found = (_held(plan, spec, l2 or L2) if plan.m > _ROWS else None) or others
    return _aligned(found or plan, spec, l2 or L2)


def prepacked(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks:
    """The same where all of B is packed before, in blocks that do not depend on the number of rows of A."""
    if not plan.packs_b or plan.n <= plan.nb:
        return plan
    found = _held(plan, spec, l2 or L2) or _summed(plan, spec, l2 or L2, _NARROW)
    return _aligned(found, spec, l2 or L2) if found else plan


def _aligned(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks:
    """The same blocks; A is packed, where its rows are several lines long, and k is filled up to whole tiles, where
    there is room for that."""
    size = ELEMENT_BYTES[spec.dtypes[0]]
    if (plan.own_b and not plan.rb) or plan.kb * size < _LINES * _LINE:
        return plan
    packed = replace(plan, packs_a=True)
    if scratch(packed, spec)[1] > l2 // 2:
        return plan
    whole = _LINE // size
    filled = replace(packed, whole=whole, kb=min(plan.k, -(-plan.kb // whole) * whole))
    return filled if scratch(filled, spec)[0] <= PACKED else packed


def _held(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks | None:
    """Few rows of A by a block of B that stays in L2; None where k is so deep that it would be narrow."""
    size = ELEMENT_BYTES[spec.dtypes[1]]
    cut = spec.dtypes[2] == spec.acc_dtype
    kb = even(plan.k, _ROW // size, 2 * _UNIT) if cut else plan.k
    most = int(l2 * _OF_B) // (kb * size) // _UNIT * _UNIT
    if most < min(plan.n, _NARROWEST):
        return None
    nc = even(plan.n, most, _UNIT)
    nb = even(nc, _WIDE, _UNIT) if nc == plan.n else _part(nc)
    return replace(plan, mb=min(plan.m, LOW), nb=nb, kb=kb, nc=nc, ng=nc, own_b=False)


def _summed(plan: Blocks, spec: GemmSpec, l2: int, most: int | None = None) -> Blocks | None:
    """Blocks whose sums lie in scratch memory, of a C that is narrower than they are. `most`: columns of a block; None:
    as many as 4 MiB hold with all of k, if those are not few."""
    size = ELEMENT_BYTES[spec.dtypes[1]]
    kb = even(plan.k, _ROW // size, 2 * _UNIT)
    if most is None:
        most = min(_NARROW, PACKED // (-(-plan.k // kb) * kb * size) // _UNIT * _UNIT)
    if most < _FEWEST or spec.order[2] != "C" or spec.dtypes[2] == spec.acc_dtype:
        return None
    nb = min(plan.n, most, _NARROW // 2)
    nc = even(plan.n, most // nb * nb, nb)
    row = leading_a(kb, size) * size + nc * ELEMENT_BYTES[spec.acc_dtype]
    high = max(LOW, int(l2 * _OF_SUMS) // row // LOW * LOW)
    cores = min(os.cpu_count() or 1, _CORES)
    parts = -(-plan.m // (high * cores)) * cores
    mb = even(plan.m, max(_LOWEST, -(-plan.m // parts)), LOW)
    return replace(plan, mb=mb, nb=nb, kb=kb, nc=nc, ng=nc, own_b=False, packs_a=True, rb=min(mb, LOW))


def _low(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks | None:
    """Few rows by blocks of a large B that each worker packs for itself. Where C is narrower than its sums, these lie
    in scratch memory."""
    size, narrow = ELEMENT_BYTES[spec.dtypes[1]], spec.dtypes[2] != spec.acc_dtype
    if (spec.order[2] != "C" if narrow else plan.packs_a) or plan.k * plan.n * size <= l2:
        return None
    cores = min(os.cpu_count() or 1, _CORES)
    nb = min(_LONG, even(plan.n, max(_WIDE // 2, plan.n // (_SHARES * cores)), _UNIT))
    kb = even(plan.k, max(_BLOCK // (nb * size), 2 * _UNIT) // _UNIT * _UNIT, 2 * _UNIT)
    found = replace(plan, mb=plan.m, nb=nb, kb=kb, nc=nb, ng=nb, own_b=True)
    return replace(found, packs_a=True, rb=min(plan.m, LOW)) if narrow else found


def _part(columns: int) -> int:
    """Columns of a kernel, the same for all of a packed block of B, which several workers pack."""
    units = columns // _UNIT
    least = -(-columns // _WIDE)
    count = next((each for each in range(least, 2 * least + 1) if units % each == 0), 1)
    return columns // count
