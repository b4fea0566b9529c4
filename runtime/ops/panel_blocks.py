"""How a large product is cut on a target of sixteen vector registers: SSE, AVX, AVX2.

There a kernel has twelve sums, three vectors of columns by four rows, and each step of k loads three vectors of B for
twelve multiplications: twice as many for each as thirty-two registers need. A block of B that is one such panel wide
lies in memory as it is read, one line after the other, which the processor's prefetches keep up with; the panels of a
wider block are pieces of 96 bytes. It is the micro-panel of Goto and van de Geijn (blocks.py). The measurements:
docs/log/gemm.md.
"""

from __future__ import annotations

import os
from dataclasses import replace

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from .blocks import CORES, L2, PACKED, Blocks, balanced, even, leading_a, lowest, packed_column

REGISTERS = 16
"""Vector registers of a target that has these blocks."""
_VECTORS = 3
"""Vectors of sums in the columns of a panel."""
_FEW = 4
"""Rows of A are cut to multiples of so many."""
_STEPS, _FEW_ROWS, _SHORT = 1024, 64, 512
"""Steps of k in a block at most, where sums may be cut; rows of A so few that what packing takes decides, and steps
there. One thread of a Zen 3, ms with 512 and 1024: f64 of 1000 x 1111 x 999 55.4 and 50.5, of 512 x 4096 x 4096 494 and
467; f32 of 17 x 4096 x 1000 2.4 and 2.7 (2026-11-26)."""
_LINES = 8
"""Rows of B that are packed at a time, for all panels of a group. Each is a stream then; packed panel by panel it would
be read 96 bytes at a time. One thread of an idle Zen 3, ms by 4, 8 and 16 rows: f64 of 17 x 4096 x 1000 5.6, 5.3, 6.2,
of 64 x 4096 x 4096 61.3, 60.4, 64.7; f32 of that 28.6 and 28.0, of 2048 cubed 214 and 212. Panel by panel, beside other
programs: f32 of 64 x 4096 x 4096 36.7, f64 67 (2026-11-26)."""
_ROWS, _OF_A = 256, 0.5
"""Rows of a block of A that is read as it lies: four rows at a time are streams, which may come from the last-level
cache. And the share of L2 for a block of A that is packed, since it lies by columns. One thread of a Zen 3, ms with 64
rows and with 256: f32 of 2048 cubed 213 and 206, of 512 x 4096 x 4096 231 and 210, f64 of 1500 cubed 174 and 163;
packed, with 64 rows, 213, 231 and 175 (2026-11-26)."""
HELD_BY_FEW = 0.35
"""The share of L2 up to which B is multiplied as it lies. On a Zen 3, ms as it lies and packed: f32 of 200 cubed 0.166
and 0.171, of 256 cubed 0.442 and 0.357, f64 of 200 cubed 0.438 and 0.354 (2026-11-26)."""


def panel(spec: GemmSpec, lanes: int) -> tuple[int, int]:
    """(columns, depth) of a packed block of B."""
    most = _SHORT if spec.m <= _FEW_ROWS else _STEPS
    return min(spec.n, _VECTORS * lanes), spec.k if _is_whole(spec) else even(spec.k, most, 16)


def panels(plan: Blocks, spec: GemmSpec, l2: int, lanes: int, cores: int | None = None) -> Blocks:
    """The same product, where B is packed and wider than a panel. `lanes`: sums in a vector register; `cores`: of the
    machine, None: this one."""
    (nb, kb), l2, size = panel(spec, lanes), l2 or L2, ELEMENT_BYTES[spec.dtypes[1]]
    lines = _LINES if spec.order[1] == "C" and size >= 4 and not _is_whole(spec) else 0
    if not plan.packs_b or plan.n == nb or (plan.own_b and not lines):
        return plan
    packs_a, rows = spec.order[0] == "F", _ROWS
    if packs_a:
        row = leading_a(kb, size) * size
        rows = max(lowest(row, l2), int(l2 * _OF_A) // row // _FEW * _FEW)
    mb = even(plan.m, rows, _FEW)
    mb = balanced(plan.m, mb, min(cores or os.cpu_count() or 1, CORES)) or mb
    nc = even(plan.n, max(nb, PACKED // packed_column(kb, spec) // nb * nb), nb)
    return replace(plan, mb=mb, nb=nb, kb=kb, nc=nc, ng=nc, packs_a=packs_a, own_b=False, lines=lines)


def _is_whole(spec: GemmSpec) -> bool:
    """Whether a sum is not cut, since C is narrower."""
    return spec.dtypes[2] != spec.acc_dtype
