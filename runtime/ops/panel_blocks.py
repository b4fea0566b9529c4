"""How a large product is cut on a target with sixteen vector registers: SSE, AVX, AVX2.

A kernel has twelve accumulators there, three vectors of columns by four rows. Each step of k loads three vectors of B
for twelve multiplications, twice as many loads per multiplication as with thirty-two registers. Therefore a packed
block of B is as wide as one such panel: it is contiguous in the order in which it is read, so the processor's
prefetches keep up with it. The panels of a wider block would be pieces of 96 bytes. This is the micro-panel of Goto and
van de Geijn (blocks.py). The measurements are in docs/log/gemm.md.
"""

from __future__ import annotations

import os
from dataclasses import replace

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from .blocks import CORES, L2, PACKED, Blocks, balanced, even, leading_a, lowest, packed_column

REGISTERS = 16
"""Targets with at most this many vector registers use the blocks of this module."""
_VECTORS = 3
"""Vectors of accumulators per row of a panel."""
_FEW = 4
"""Block heights are multiples of this many rows."""
_STEPS, _FEW_ROWS, _SHORT = 1024, 64, 512
"""`_STEPS`: the most steps of k in a block, if the sum may be cut. `_FEW_ROWS`: with at most this many rows of A,
packing takes most of the time, and a block has at most `_SHORT` steps. On one thread of a Zen 3, f64 of 1000 x 1111 x
999 takes 50.5 ms with 1024 steps and 55.4 with 512, but f32 of 17 x 4096 x 1000 takes 2.7 and 2.4."""
_LINES = 8
"""The rows of B that are packed at a time, across all panels of a group. Each row is then read as a stream; packing one
panel at a time would read pieces of 96 bytes. On one thread of a Zen 3, f64 of 64 x 4096 x 4096 takes 60.4 ms with 8
rows, 61.3 with 4, 64.7 with 16, and 67 panel by panel."""
_ROWS, _OF_A = 256, 0.5
"""`_ROWS`: rows of a block of an unpacked A. Four rows at a time are read as streams, which may come from the
last-level cache: f32 of 512 x 4096 x 4096 takes 210 ms with 256 rows and 231 with 64 on one thread of a Zen 3. `_OF_A`:
the share of L2 for a block of A that is packed because A is column-major."""
HELD_BY_FEW = 0.35
"""The share of L2 up to which B is multiplied unpacked. On a Zen 3, f32 of 200 cubed takes 0.166 ms unpacked and 0.171
packed, f32 of 256 cubed 0.442 and 0.357."""


def panel(spec: GemmSpec, lanes: int) -> tuple[int, int]:
    """Return (columns, depth) of a packed block of B."""
    most = _SHORT if spec.m <= _FEW_ROWS else _STEPS
    return min(spec.n, _VECTORS * lanes), spec.k if _is_whole(spec) else even(spec.k, most, 16)


def panels(plan: Blocks, spec: GemmSpec, l2: int, lanes: int, cores: int | None = None) -> Blocks:
    """Return blocks one panel wide, or `plan` itself if B is not packed or no wider than a panel. `lanes` is the number
    of accumulator elements per vector register, `cores` the number of cores (None: this machine's)."""
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
    """Whether the sum must not be cut, because C is narrower than its accumulators."""
    return spec.dtypes[2] != spec.acc_dtype
