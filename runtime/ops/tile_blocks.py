"""How a large product is cut on a target with tile registers.

A tile of A is multiplied by two of B, and the other way round, so whatever comes from L2 is loaded once for two products,
and L2 gives it about as fast as they take. So the rows of A that a kernel takes are few and short enough for L1, and a
packed block of B, as wide as L2 holds, is read by all of them. The measurements: docs/log/gemm.md.
"""

from __future__ import annotations

import os
from dataclasses import replace

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from .blocks import L2, LOW, PACKED, Blocks, even

_LINE, _LINES = 64, 4
"""Bytes of a cache line; lines, at least, of a row of A that is packed. On a Sapphire Rapids a load of a tile whose rows
cross lines takes 47 cycles, of one whose rows do not 9 (2026-11-26). numpy puts large arrays 16 bytes behind a line."""
_ROWS = 128
"""Rows of A so few that what packing B takes decides, and blocks are those of other targets."""
_OF_B = 0.6
"""The share of L2 that a packed block of B takes, at most."""
_WIDE, _UNIT = 256, 32
"""Columns of a kernel, and of what it keeps in tiles; a block of B that is narrower than so many, because k is deep, is
not worth packing A for."""
_ROW = 1024
"""Bytes of k in a block, where sums may be cut: 32 rows of A take 32 KiB of L1."""
_HIGH, _NARROW = 256, 512
"""Rows and columns of a block whose sums lie in scratch memory: 512 KiB of L2, beside 256 KiB of A and 512 KiB of B."""
_LOWEST, _CORES = 64, 8
"""Rows of such a block at least, and cores at most for which it is made lower, so that each has as many of them."""


def for_tiles(plan: Blocks, spec: GemmSpec, l2: int, one_result: bool = True) -> Blocks:
    """Blocks of the product that `plan` cuts, for a target with tile registers. `one_result`: whether C is all that an
    epilogue stores, and depends on nothing but operands."""
    size = ELEMENT_BYTES[spec.dtypes[0]]
    if not plan.packs_b:
        return plan
    found = None
    if plan.m > _ROWS and plan.n > plan.nb:
        found = _held(plan, spec, l2 or L2) or (_summed(plan, spec) if one_result else None)
    return _aligned(found or plan, size)


def _aligned(plan: Blocks, size: int) -> Blocks:
    """The same blocks; A, of elements of so many bytes, is packed, where more than one block of columns takes it and its
    rows are several lines long."""
    taken = not plan.own_b and plan.n > plan.nb and plan.kb * size >= _LINES * _LINE
    return replace(plan, packs_a=True) if taken else plan


def _held(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks | None:
    """Few rows of A by a block of B that stays in L2; None where k is so deep that it would be narrow."""
    size = ELEMENT_BYTES[spec.dtypes[1]]
    cut = spec.dtypes[2] == spec.acc_dtype
    kb = even(plan.k, _ROW // size, 2 * _UNIT) if cut else plan.k
    most = int(l2 * _OF_B) // (kb * size) // _UNIT * _UNIT
    if most < min(plan.n, _WIDE):
        return None
    nc = even(plan.n, most, _UNIT)
    nb = even(nc, _WIDE, _UNIT) if nc == plan.n else _part(nc)
    return replace(plan, mb=min(plan.m, LOW), nb=nb, kb=kb, nc=nc, ng=nc, own_b=False)


def _summed(plan: Blocks, spec: GemmSpec) -> Blocks | None:
    """Blocks whose sums lie in scratch memory, of a C that is narrower than they are; None where all of k by so many
    columns of B takes more than 4 MiB."""
    size = ELEMENT_BYTES[spec.dtypes[1]]
    nb = min(plan.n, _WIDE)
    nc = min(_NARROW, PACKED // (plan.k * size)) // nb * nb
    if not nc or spec.order[2] != "C":
        return None
    cores = min(os.cpu_count() or 1, _CORES)
    parts = -(-plan.m // (_HIGH * cores)) * cores
    mb = even(plan.m, max(_LOWEST, -(-plan.m // parts)), LOW)
    kb = even(plan.k, _ROW // size, 2 * _UNIT)
    return replace(plan, mb=mb, nb=nb, kb=kb, nc=even(plan.n, nc, nb), ng=even(plan.n, nc, nb), own_b=False,
                   packs_a=True, rb=min(mb, LOW))  # fmt: skip


def _part(columns: int) -> int:
    """Columns of a kernel, the same for all of a packed block of B, which several workers pack."""
    units = columns // _UNIT
    least = -(-columns // _WIDE)
    count = next((each for each in range(least, 2 * least + 1) if units % each == 0), 1)
    return columns // count
