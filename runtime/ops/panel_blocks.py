"""How wide the packed blocks of B of a large product are: one panel of a kernel.

A panel is what a kernel multiplies while its sums stay in registers. A block as wide as one panel is contiguous in the
order in which it is read, so the processor's prefetches keep up with it; the panels of a wider block would be short
pieces, far apart. This is the micro-panel of Goto and van de Geijn (blocks.py).

With sixteen vector registers (SSE, AVX, AVX2) a panel has twelve accumulators, three vectors of columns by four rows.
Each step of k loads three vectors of B for twelve multiplications, twice as many loads per multiplication as with
thirty-two registers. Such targets have other block heights and depths, too. The measurements are in docs/log/gemm.md.
"""

from __future__ import annotations

import os
from dataclasses import replace

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from .blocks import (
    CORES,
    L2,
    LARGE,
    PACKED,
    balanced,
    dealt,
    even,
    leading_a,
    lowest,
    packed_blocks,
    packed_column,
)
from .schedules import Blocks, Shared

REGISTERS = 16
"""Targets with at most this many vector registers use the blocks of `panels`, others those of `narrow`."""
_VECTORS, _OF_DOT = 3, 4
"""Vectors of accumulators per row of a panel: of FMA instructions, and of dot-product instructions with thirty-two
registers. On one thread of a Zen 4, f64 of 2048 cubed runs at 0.99 of the peak in panels of 24 columns and at 0.95 in
blocks of 96; u8 x i8 of 4096 cubed at 0.96 in panels of 64 columns and at 0.93 in blocks of 192."""
_FEW = 4
"""Block heights are multiples of this many rows."""
_SHALLOW = 128
"""With fewer steps of k, storing C takes most of the time, and blocks are wide, so that they write longer pieces of its
rows. On one thread of a Zen 4, f32 of 4096 x 4096 x 64 runs at 92 GFLOP/s in blocks of 192 columns and at 82 in panels,
with 128 steps at 100 and 99."""
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
_BLOCK = 256 << 10
"""The most bytes of a block of C that is computed by rows in scratch memory, and transposed from there."""
UNPACKED_SHARE_OF_FEW = 0.35
"""The share of L2 up to which B is multiplied unpacked. On a Zen 3, f32 of 200 cubed takes 0.166 ms unpacked and 0.171
packed, f32 of 256 cubed 0.442 and 0.357."""
_STREAM_ROWS, _STREAM_STEPS, _STREAMS, _FETCHED_STREAMS = 16, 8, 16, 4
"""These apply to prepacked weights that L2 does not hold, and to so few rows of x that reading the weights takes most
of the time. `_STREAM_ROWS`: the most rows. `_STREAM_STEPS`: the steps of k for which each panel of a group is
multiplied in turn, so that the processor follows several streams. `_STREAMS`: the panels of a group;
`_FETCHED_STREAMS`: those of a group whose lines are also prefetched. On one thread of an Emerald Rapids beside others,
f32 of 8 x 4032 x 4096 reads its weights at 15.7 GB/s, and at 9.2 panel by panel without prefetches
(docs/log/gemm.md)."""
_ROWS_AT_REST, _FAR = 4, 32 << 20
"""Lines of streamed weights are prefetched if there are more than `_ROWS_AT_REST` rows, whose products leave the
processor's own prefetches too little time, or if there are several rows and more than `_FAR` bytes of weights. On the
same machine, 1 x 4032 x 1024 reads 26.1 GB/s without prefetches and 23.6 with them, 8 x 1056 x 1024 20.3 and 23.6, 2 x
4032 x 4096 17.3 and 18.8."""
_TALL, _SHARES = 4 << 20, 2
"""These apply to prepacked weights whose blocks are too large for L2, or one panel wide. `_TALL`: bytes of a block of
A, which then lies in the last-level cache. `_SHARES`: parts per thread if there are several, since each thread packs
its own block of A. On one thread of a Zen 4, f32 with 512 rows by 4096 squared runs at 110 GFLOP/s in blocks of 512
rows and at 101 in blocks of 32."""


def narrow(plan: Blocks, spec: GemmSpec, l2: int, lanes: int, ahead: bool = False) -> Blocks:
    """Return the same blocks, but with packed blocks of B one panel wide, on a target with thirty-two vector registers,
    or `plan` itself if k is short, if each worker packs its own block of B, or if L2 is so large that it holds several
    panels, unless B is packed `ahead` of the product."""
    dot, size = ELEMENT_BYTES[spec.dtypes[1]] < ELEMENT_BYTES[spec.acc_dtype], ELEMENT_BYTES[spec.dtypes[1]]
    nb = (_OF_DOT if dot else _VECTORS) * lanes
    wide = plan.own_b or plan.rb or plan.k < _SHALLOW or ((l2 or L2) >= LARGE and not ahead)
    if not plan.packs_b or wide or plan.n <= plan.nb or plan.nb <= nb:
        return plan
    nc = even(plan.n, max(nb, PACKED // packed_column(plan.kb, spec) // nb * nb), nb)
    lines = _LINES if spec.order[1] == "C" and size >= 4 else 0
    return replace(plan, nb=nb, schedule=Shared(nc, nc, plan.packs_a, lines, plan.whole))


def panel(spec: GemmSpec, lanes: int, ahead: bool = False) -> tuple[int, int]:
    """Return (columns, depth) of a packed block of B on a target with sixteen vector registers. If B is packed `ahead`
    of the product, they do not depend on the number of rows of A."""
    most = _SHORT if spec.m <= _FEW_ROWS and not ahead else _STEPS
    return min(spec.n, _VECTORS * lanes), spec.k if _is_whole(spec) else even(spec.k, most, 16)


def panels(plan: Blocks, spec: GemmSpec, l2: int, lanes: int, cores: int | None = None, ahead: bool = False) -> Blocks:
    """Return the blocks for sixteen vector registers, or `plan` itself if B is not packed or no wider than a panel.
    `lanes` is the number of accumulator elements per vector register, `cores` the number of cores (None: this
    machine's); ahead: see `panel`."""
    (nb, kb), l2, size = panel(spec, lanes, ahead), l2 or L2, ELEMENT_BYTES[spec.dtypes[1]]
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
    return replace(plan, mb=mb, nb=nb, kb=kb, schedule=Shared(nc, nc, packs_a, lines))


def turned(plan: Blocks, spec: GemmSpec) -> Blocks:
    """Return the same blocks, but let each block of a column-major C be computed by rows in scratch memory and then
    transposed, if it has all columns and all of k, or if its sums stay in scratch memory. Kernels that store by columns
    write pieces of cache lines."""
    whole = plan.nc == plan.n and plan.kb == plan.k and not (plan.packs_a and ELEMENT_BYTES[spec.dtypes[0]] >= 4)
    few = plan.mb * plan.n * ELEMENT_BYTES[spec.dtypes[2]] <= _BLOCK
    if not plan.packs_b or (plan.own_b and not plan.rb) or not (plan.rb or (whole and few)):
        return plan
    shared = plan.schedule
    whole_rows = replace(shared, ng=shared.nc) if isinstance(shared, Shared) else shared
    return replace(plan, turned=True, schedule=whole_rows)


def for_weights(plan: Blocks, spec: GemmSpec, l2: int, lanes: int, threads: int, few: bool, wide: bool) -> Blocks:
    """Return the blocks for a B that is packed in advance, all columns at a time. The layout of B does not depend on
    the number of rows of A. `few` says whether there are only sixteen vector registers, `wide` whether parts of blocks
    are converted before they are multiplied, so that a large L2 holds several panels of them."""
    if not plan.packs_b:
        nb, kb = panel(spec, lanes, ahead=True) if few else packed_blocks(spec, l2, lanes)
        kb = plan.k if plan.kb == plan.k else kb  # few rows: the steps are short, packed blocks are not
        found = replace(plan, nb=nb, kb=kb, schedule=Shared(plan.n, plan.n))
        found = found if few else narrow(found, spec, l2, lanes, not wide)
        return replace(found, schedule=Shared(plan.n, plan.n, found.packs_a))
    found = panels(plan, spec, l2, lanes, ahead=True) if few else narrow(plan, spec, l2, lanes, not wide)
    size, narrowed = ELEMENT_BYTES[spec.dtypes[0]], not few and found.nb < plan.nb
    found = dealt(found, threads)
    found = replace(found, schedule=Shared(plan.n, found.ng, found.packs_a))
    return _tall(found, size, l2, threads, narrowed)


def streamed(plan: Blocks, spec: GemmSpec, l2: int, threads: int) -> Blocks:
    """Return the blocks for a B that is packed in advance and read once, from beyond L2: as several streams if the sum
    may be cut, else block by block. Return `plan` itself if there are many rows, or if L2 holds B."""
    size, shared = spec.n * packed_column(spec.k, spec), plan.schedule
    if spec.m > _STREAM_ROWS or not isinstance(shared, Shared) or size <= (l2 or L2):
        return plan
    if _is_whole(spec) or ELEMENT_BYTES[spec.dtypes[1]] < 4:
        return replace(plan, schedule=replace(shared, fetched=True))
    fetched = spec.m > _ROWS_AT_REST or (spec.m > 1 and size > _FAR)
    groups = -(-spec.n // ((_FETCHED_STREAMS if fetched else _STREAMS) * plan.nb))
    groups = -(-groups // threads) * threads  # the same number for each thread
    ng = even(spec.n, -(-spec.n // groups), plan.nb)
    return replace(plan, schedule=replace(shared, ng=ng, lines=_STREAM_STEPS, fetched=fetched))


def _tall(plan: Blocks, size: int, l2: int, threads: int, panels: bool = False) -> Blocks:
    """Return the blocks for prepacked weights: higher ones if a block of B is as deep as k and does not fit L2, or if
    blocks of B are `panels`, which are read as streams. `size` is the bytes of an element of A."""
    deep = plan.kb * size
    if not panels and (plan.kb < plan.k or deep * plan.nb <= (l2 or L2) // 2):
        return plan
    mb = even(plan.m, max(plan.mb, _TALL // deep // _FEW * _FEW), _FEW)
    items = _SHARES * threads if threads > 1 else 1
    ng = even(plan.nc, -(-plan.nc // max(1, -(-items // -(-plan.m // mb)))), plan.nb)
    return replace(plan, mb=mb, schedule=Shared(plan.nc, ng, plan.packs_a))


def _is_whole(spec: GemmSpec) -> bool:
    """Whether the sum must not be cut, because C is narrower than its accumulators."""
    return spec.dtypes[2] != spec.acc_dtype
