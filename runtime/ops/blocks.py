"""How a large product is cut into blocks of A and B that fit the caches and are packed into scratch memory.

    for j0 over n in steps of nc                         the packed blocks of B of these columns fill scratch memory
      for p over k in steps of kb                        one block deep: each step adds to C once
        for j over nc in steps of nb         dealt out   pack B[p, j]
        for i over m in steps of mb,
            g over nc in steps of ng         dealt out   pack A[i, p]
              for j over ng in steps of nb               C[i, j] += A[i, p] @ B[p, j]

"Dealt out" loops are divided among the threads. If A has so few rows that a block of B is multiplied by all of them at
once, each worker packs its own blocks of B and no worker waits for another:

    for j over n in steps of nb        dealt out
      for p over k in steps of kb                          pack B[p, j] into the worker's own memory
        for i over m in steps of mb                        C[i, j] += A[i, p] @ B[p, j]

Each element of C is summed block by block in the order of p, whichever thread computes it, so the number of threads
does not change the bits of the result.

If C is narrower than its accumulators and k is deeper than the caches hold, the sums of a block of C stay in scratch
memory:

    for j0 over n in steps of nc
      pack B[:, j0], each step of k by itself              dealt out
      for i over m in steps of mb        dealt out
        for p over k in steps of kb                        pack A[i, p]
          for r over mb in steps of rb,
              j over nc in steps of nb                     sums[r, j] += A[i + r, p] @ B[p, j]
        C[i, j0] = epilogue(sums)

If A also has few rows:

    for j over n in steps of nb        dealt out
      for p over k in steps of kb                          pack A[:, p] and B[p, j] into the worker's own memory
        for r over m in steps of rb                        sums[r] += A[r, p] @ B[p, j]
      C[:, j] = epilogue(sums)

If C has so few blocks that most cores would get none, but k is long, k is cut into parts. How many follows from the
shape, so the bits of the result do not depend on the number of threads here either:

    for q over k in steps of of_k      dealt out           sums[q] = A[:, q] @ B[q]
    C = the total of sums[q]           dealt out

A block of a column-major C that has all columns and all of k is computed by rows in scratch memory, and transposed into
C from there (`turned` in panel_blocks.py).

The loop order and the packing follow Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, TOMS
2008. Here one kernel call computes a whole block of A, so the loops around it cost nothing. The measurements behind the
constants are in docs/log/gemm.md.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...encoder.features import Target
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.operands import CACHE_LINE, LARGEST
from .schedules import Blocks, InPlace, Own, Shared

L2 = 1 << 20
"""The size of L2 in bytes that is assumed if the target does not state it."""
_DEEP, WIDE = 2048, 12
"""`_DEEP`: bytes of k in a block, if that is more than `_STEPS` elements. `WIDE`: vector registers of accumulators per
row of a block, which makes blocks 192 columns wide in f32 on AVX-512. On a Zen 4, blocks of 96 x 192 x 512 reach 0.94
of peak at 1024 and 2048 cubed, blocks of 192 x 96 x 384 only 0.88."""
_STEPS = 1024
"""The minimum depth of a block in steps of k. Deeper blocks load and store the sums less often: one thread of a Zen 4
runs f64 of 2048 cubed at 0.94 of peak with 512 steps, and at 0.96 to 0.98 with 1024."""
_OF_A = 0.19
"""The share of L2 that a block of A takes: 48 rows of 1024 in f32."""
LARGE, _OF_LARGE, _LINE = 2 << 20, 0.35, 4096
"""On a target whose L2 has at least `LARGE` bytes, a block of A takes the share `_OF_LARGE` of it and its rows have at
most `_LINE` bytes, so that they stay in an L1 of 48 KiB for all columns. One thread of a Sapphire Rapids runs f64 of
1024 cubed at 93 GFLOP/s this way, and at 76 with the blocks of a Zen 4."""
LOW = 32
"""Rows of a block if C has no more columns than one block. A is then read once, unpacked, and the block of B is deep
enough to fill half of L2. On a Zen 4, 4096 x 64 x 4096 runs at 0.74 of peak with blocks of 32 rows and a depth of 2048,
and at 0.65 with packed blocks of 96 by 512."""
PACKED = 4 << 20
"""The most bytes of B that are packed at a time; they lie in the last-level cache. Packing more would not save
anything, since each byte is read m / mb times anyway."""
_ITEMS = 6
"""The minimum number of parts per thread if there are several threads and m and n allow it."""
CORES = 8
"""The most cores for which the rows of packed blocks are balanced; further cores share columns. The height of the
blocks does not depend on the number of threads, since a kernel of another height may add in another order. Blocks that
are balanced for 8 cores are also balanced for 2 and 4."""
_TRIES = 64
"""Roughly the number of block heights that are tried if blocks are high."""
_LESS, _UNEVEN, _ROW = 0.6, 1.06, 1.5
"""`_LESS`: how far a block may shrink (as a fraction of its rows) so that all cores get equal work. `_UNEVEN`: the most
rows of the busiest core, relative to an equal share. `_ROW`: the overhead of one block, counted in rows. On two threads
of a Zen 4, f32 of 1024 cubed runs at 195 GFLOP/s in blocks of 96 rows and at 211 in blocks of 64."""
_SETS = 4096
"""B is packed if the distance between its rows is a multiple of this many bytes, since such rows share a few cache
sets."""
_SAME, _GROUPS = 1024, 16
"""`_SAME`: 16 rows whose distance is a multiple of this many bytes compete for a
few sets of an L1. `_GROUPS`: groups of 4 bytes in a cache line."""
UNPACKED_SHARE = 0.65
"""The share of L2 up to which B is multiplied unpacked, unless its rows share a few cache sets: on a Zen 4, f32 of 400
cubed runs at 0.99 of peak unpacked and at 0.94 packed."""
_PARTS, _HIGH = 6, 48
"""These apply if B is multiplied unpacked. `_PARTS`: parts into which the rows of C are cut, enough that a few threads
get about equal work. `_HIGH`: the minimum number of rows per part. Each core gets a single part if half of L2 holds its
rows of A: on one thread of a Zen 4, parts of 4096 x 100 took 1.12 times as long as parts of 496 x 100."""
_FEW_ROWS = (4, 1024, 8), (16, 1024, 32), (48, 512, 64)
"""(rows, columns, depth): a C with at most this many rows reads B only once, so B is not packed; columns and depth are
those of its blocks. Such blocks read a few rows of B at a time as long streams. On a Zen 4, 4 x 4096 x 4096 takes 0.35
of the time of packed blocks. The entries for more than 4 rows apply to an L2 of at least `LARGE` bytes: 8 x 4096 x
4096 in f32 takes 4.1 ms unpacked and 7.5 ms packed on one thread of a Sapphire Rapids."""
_OWN, _SHARES_OWN = 2 << 20, 4
"""`_OWN`: the most bytes of a block of B that a worker packs for itself. `_SHARES_OWN`: the minimum number of such
blocks per core. With seven other processes on two processors, two threads took 0.41 of the time in f32, since no worker
waits for another."""
_SHALLOW, _LOWEST, _NEAR = 64, 8, 4
"""If k has at most `_SHALLOW` bytes, storing C takes most of the time. Blocks are then `_LOWEST` whole rows of C, whose
cache lines are written in sequence, and B is not packed but takes at most 1 / `_NEAR` of L2. On one thread of a Zen 4,
4096 x 4096 x 1 in f32 takes 3.6 ms with whole rows and 14 with blocks of 192 columns; blocks of 16 rows take 1.2 times
as long as blocks of 8."""
_FLAT, _LOW_ROWS, _MANY_ROWS, _RESIDENT, _STREAMED = 1024, 16, 256, 0.375, 8
"""These apply to an L2 of at least `LARGE` bytes and a C of at least `_MANY_ROWS` rows: `_LOW_ROWS` rows of A after
another are multiplied by a block of B that takes the share `_RESIDENT` of L2. It is `_LINE` bytes deep, or as deep as
k if that has at most `_FLAT` bytes. On one thread of a Sapphire Rapids, 4096 x 4096 x 64 in f32 takes 15.3 ms this way
and 23.7 with the blocks of other machines. A thread packs `_STREAMED` rows of B at a time, so that all threads pack."""
_PANEL = 3
"""Vectors of columns of a packed block there, unless k has at most `_FLAT` bytes: one panel of a kernel. On one thread
of an Emerald Rapids, f32 of 1000 x 1111 x 999 runs at 160 GFLOP/s in blocks of 48 columns and at 157 in blocks of
192."""
_LOW_PACKED_ROWS = 32
"""The same for a packed A, if k has at most `_FLAT` bytes. On one thread of an Emerald Rapids, 4096 x 4096 x 32 in f32
with a column-major A runs at 106 GFLOP/s, and at 47 with the blocks of other machines."""
_LEAST = 16
"""The minimum number of rows per block, if half of L2 holds that many."""
_WIDE_ELEMENT = 8
"""Blocks of an unpacked A of elements of so many bytes have `LOW` rows if that divides the work among the cores more
evenly than fewer rows, and 1 / `_NEAR` of L2 holds them. On a Zen 5 with 1 MiB of L2, f64 of 1024 cubed runs at 243
GFLOP/s on two threads in blocks of 32 rows, and at 235 in blocks of 24; f64 of 1000 cubed at 234 and 239. bf16 of 4096
cubed takes 1.01 times as long in blocks of 32 rows."""
_TILE = 8
"""A block of at least twice this many rows has a multiple of it: kernels for AVX-512 compute eight rows at a time, and
blocks of 46 rows took 1.01 times as long as blocks of 32 (f32 of 1024 cubed on a Zen 4)."""
_FEW = 4
"""Block heights are multiples of this many rows, so that the last block is about as high as the others."""


def blocks(spec: GemmSpec, l2: int, lanes: int, threads: int, cores: int | None = None,
           unpacked: float = UNPACKED_SHARE) -> Blocks:  # fmt: skip
    """Choose the blocking of a product. `lanes` is the number of accumulator elements per vector register, `cores` the
    number of cores (None: this machine's), `unpacked` the share of L2 up to which B is multiplied unpacked. The number
    of threads only decides how the parts are dealt out, so it does not change any bits."""
    cores, l2 = cores or os.cpu_count() or 1, l2 or L2
    m, n, k, size = spec.m, spec.n, spec.k, ELEMENT_BYTES[spec.dtypes[0]]
    nb = min(n, WIDE * lanes)
    if _is_shallow(spec) and n > nb:
        wide = even(n, max(nb, l2 // _NEAR // (k * size) // nb * nb), lanes)
        return Blocks(m, n, k, min(m, _LOWEST), wide, k, InPlace(n))
    if _multiplied_unpacked(spec, unpacked * l2):
        mb = even(m, max(_HIGH, min(-(-m // _PARTS), int(l2 * _OF_A) // (k * size))), _FEW)
        if cores > 1:  # each core gets one part, if that stays in L2 while all of B is read
            part = max(_HIGH, -(-m // cores))
            mb = even(m, part if part * k * size <= l2 // 2 else min(mb, part), _FEW)
            mb = balanced(m, mb, cores) or mb
        return Blocks(m, n, k, mb, n, k, InPlace(n))
    if spec.order[:2] == ("C", "C") and size >= 4 and spec.dtypes[2] == spec.acc_dtype:
        for rows, columns, step in _FEW_ROWS if l2 >= LARGE else _FEW_ROWS[:1]:
            if m <= rows:
                long = min(n, max(nb, even(n, min(columns, -(-n // cores)), lanes)))
                return Blocks(m, n, k, m, long, min(k, step), InPlace(long))
    nb, kb = packed_blocks(spec, l2, lanes)
    packs_a = spec.order[0] == "F"
    one_block_wide = n <= nb and spec.order[0] == "C"
    share = int(l2 * (_OF_A if l2 < LARGE else _OF_LARGE))
    row = (leading_a(kb, size) if packs_a else kb) * size
    mb = even(m, LOW if one_block_wide else max(lowest(row, l2), share // row // _FEW * _FEW), _FEW)
    mb = balanced(m, mb, min(cores, CORES)) or mb
    if size == _WIDE_ELEMENT and mb < LOW <= m and LOW * row <= l2 // _NEAR and not packs_a:
        mb = min(mb, LOW, key=lambda rows: _busiest(m, rows, min(cores, CORES)))
    nc = even(n, max(nb, PACKED // packed_column(kb, spec) // nb * nb), nb)
    return dealt(Blocks(m, n, k, mb, nb, kb, Shared(nc, nc, packs_a)), threads)


def depth_of_few_rows(rows: int, l2: int) -> int | None:
    """Return the depth of a block of so few rows of A that B is read only once, or None if there are more rows."""
    return next((step for most, _, step in (_FEW_ROWS if l2 >= LARGE else _FEW_ROWS[:1]) if rows <= most), None)


def packed_blocks(spec: GemmSpec, l2: int, lanes: int) -> tuple[int, int]:
    """Return (columns, depth) of a packed block of B. They do not depend on the number of rows of A."""
    n, k, nb = spec.n, spec.k, min(spec.n, WIDE * lanes)
    if spec.dtypes[2] != spec.acc_dtype:  # the sum is not cut, so blocks are as deep as k
        return min(nb, max(lanes, PACKED // packed_column(k, spec) // lanes * lanes)), k
    deep = _deep(spec, n > nb, spec.order[0] == "F", ELEMENT_BYTES[spec.dtypes[0]], l2 or L2)
    return nb, even(k, max(16, deep), 16)


def private(plan: Blocks, spec: GemmSpec, l2: int, cores: int | None = None) -> Blocks:
    """Return the same blocks, but let every worker pack its own blocks of B, if a block of B is multiplied by all rows
    of A at once and there are enough columns for all cores."""
    cores = cores or os.cpu_count() or 1
    size = ELEMENT_BYTES[spec.dtypes[0]]
    few = spec.m * min(plan.kb, _STEPS) * size <= (l2 or L2) // 2
    small = plan.nb * packed_column(plan.kb, spec) <= _OWN
    if not plan.packs_b or plan.packs_a or not few or not small or -(-spec.n // plan.nb) < _SHARES_OWN * cores:
        return plan
    return owned(plan)


def resident(plan: Blocks, spec: GemmSpec, l2: int, lanes: int) -> Blocks:
    """Return blocks that multiply a few rows of A at a time by columns of B that stay in a large L2, or `plan` itself
    if they do not apply. `lanes` is the number of accumulator elements per vector register."""
    size, whole = ELEMENT_BYTES[spec.dtypes[0]], spec.dtypes[2] == spec.acc_dtype
    flat = plan.k * size <= _FLAT
    rows = spec.order[2] == "C" and (flat or not plan.packs_a) and spec.m >= _MANY_ROWS and plan.n > plan.nb
    if l2 < LARGE or not plan.packs_b or size < 4 or not whole or not rows:
        return plan
    kb = plan.k if flat else even(plan.k, _LINE // size, 16)
    nb = plan.nb if flat else min(plan.nb, _PANEL * lanes)
    nc = even(plan.n, max(nb, int(l2 * _RESIDENT) // (kb * size) // nb * nb), nb)
    lines = 0 if flat or spec.order[1] == "F" else _STREAMED
    low = _LOW_PACKED_ROWS if plan.packs_a else _LOW_ROWS
    return replace(plan, mb=low, nb=nb, kb=kb, schedule=Shared(nc, nc, plan.packs_a, lines))


def owned(plan: Blocks) -> Blocks:
    """Return the same blocks, but let every worker pack its own blocks of B."""
    return replace(plan, schedule=Own())


def packed_column(depth: int, spec: GemmSpec) -> int:
    """Return the bytes of a column of packed B. Narrow elements lie in groups of four bytes."""
    return -(-depth * ELEMENT_BYTES[spec.dtypes[1]] // 4) * 4


def _deep(spec: GemmSpec, many: bool, packs_a: bool, size: int, l2: int) -> int:
    """Return the depth of a block in steps of k. If B is no wider than one block, the block may take half of L2. A
    packed A limits the depth, since it takes its share of L2."""
    if many:
        return max(_DEEP // size, _STEPS if l2 < LARGE else min(_STEPS, _LINE // size))
    deep = l2 // 2 // (spec.n * size)
    return min(deep, int(l2 * _OF_A) // (_LEAST * size)) if packs_a else deep


def lowest(line: int, l2: int) -> int:
    """Return the minimum number of rows per block, for rows of `line` bytes: `_LEAST`, or as many as half of L2
    holds."""
    return max(_FEW, min(_LEAST, l2 // 2 // line // _FEW * _FEW))


def leading_a(depth: int, size: int) -> int:
    """Return the elements between rows of a packed block of A. Tiles are loaded from rows of elements narrower than 4
    bytes: such rows begin at a cache line, and their distance keeps them from sharing a few cache sets, unless it would
    exceed the largest distance of a kernel."""
    if size >= 4:
        return depth
    line = -(-depth * size // CACHE_LINE) * CACHE_LINE
    return min(LARGEST, (line + CACHE_LINE * (line % _SAME == 0)) // size)


def leading_b(plan: Blocks, spec: GemmSpec) -> int:
    """Return the columns between rows of a packed block of B whose columns are grouped by 4 bytes. The last block has
    the row length of the others. If there is only one block, its rows begin at a cache line if scratch memory has room
    for that."""
    line = -(-plan.nb // _GROUPS) * _GROUPS
    return line if plan.nb == plan.n and line * packed_column(plan.kb, spec) <= PACKED else plan.nb


def scratch(plan: Blocks, spec: GemmSpec) -> tuple[int, int]:
    """Return the most bytes of scratch memory: for the packed blocks of B, and for each thread."""
    of_a = plan.packs_a * plan.mb * leading_a(plan.kb, ELEMENT_BYTES[spec.dtypes[0]]) * ELEMENT_BYTES[spec.dtypes[0]]
    if plan.own_b:
        return 0, of_a + sum(sums(plan, spec)) + plan.nb * packed_column(plan.deep(plan.kb), spec)
    packed = -(-plan.nc // plan.nb) * leading_b(plan, spec) * packed_column(plan.deep(plan.kb), spec)
    packed *= -(-plan.k // plan.kb) if plan.rb else 1
    return plan.packs_b * packed, of_a + sum(sums(plan, spec))


def sums(plan: Blocks, spec: GemmSpec) -> tuple[int, int]:
    """Return the bytes of scratch memory for the sums of a block of C, and for rows of C that are then transposed, each
    rounded up to whole cache lines."""
    of_sums = plan.mb * plan.nc * ELEMENT_BYTES[spec.acc_dtype] if plan.rb else 0
    of_c = (plan.rb or plan.mb) * plan.nc * ELEMENT_BYTES[spec.dtypes[2]] if plan.turned else 0
    return -(-of_sums // CACHE_LINE) * CACHE_LINE, -(-of_c // CACHE_LINE) * CACHE_LINE


def is_bounded(plan: Blocks, spec: GemmSpec, l2: int, lanes: int) -> bool:
    """Whether the packed blocks of B take at most 4 MiB and a packed block of A at most half of L2. The smallest
    possible block, one vector of columns and four rows, is always allowed, however deep the sum is."""
    packed, own = scratch(plan, spec)
    if plan.own_b:
        return own <= _OWN
    size = ELEMENT_BYTES[spec.dtypes[0]]
    row = leading_a(plan.kb, size) * size
    return packed <= max(PACKED, lanes * packed_column(plan.kb, spec)) and own <= max((l2 or L2) // 2, _FEW * row)


def dealt(plan: Blocks, threads: int) -> Blocks:
    """Return the same blocks, but with parts of so few columns that all threads get about equal work."""
    shared = plan.schedule
    if not isinstance(shared, Shared) or plan.turned:
        return plan
    ng = shared.nc
    if threads > 1 and not is_balanced(plan.m, plan.mb, threads):
        columns = -(-shared.nc // max(1, -(-_ITEMS * threads // -(-plan.m // plan.mb))))
        ng = even(shared.nc, max(plan.nb, columns), plan.nb)
    return replace(plan, schedule=replace(shared, ng=ng))


def is_balanced(m: int, mb: int, threads: int) -> bool:
    """Whether blocks of `mb` rows give every thread about the same number of rows."""
    return _busiest(m, mb, threads) < _UNEVEN * m / threads


def _busiest(m: int, mb: int, threads: int) -> float:
    """Return the rows of the thread that has most of them, including the overhead of its blocks."""
    count = -(-m // mb)
    ends = [min(m, count * worker // threads * mb) for worker in range(threads + 1)]
    return max(b - a for a, b in zip(ends, ends[1:])) * (1 + _ROW / mb)


def balanced(m: int, most: int, cores: int) -> int | None:
    """Return a block height of `most` or somewhat fewer rows that gives every core about the same number of rows, or
    None."""
    least = max(16, int(most * _LESS))
    unit = _TILE if most >= 2 * _TILE else _FEW
    step = max(unit, (most - least) // _TRIES // unit * unit)
    busiest = {mb: _busiest(m, mb, cores) for mb in range(most // unit * unit, least - 1, -step)}
    found = min(busiest, key=lambda mb: busiest[mb], default=None)
    return found if found is not None and busiest[found] < _UNEVEN * m / cores else None


def _multiplied_unpacked(spec: GemmSpec, most: float) -> bool:
    """Whether all of B, unpacked, fits a cache of `most` bytes and the rows of A and B do not evict each other."""
    lines = zip(spec.leading, spec.dtypes)
    apart = [fixed(leading) * ELEMENT_BYTES[dtype] % _SETS for leading, dtype in lines]
    size = ELEMENT_BYTES[spec.dtypes[1]]
    dense = spec.order[:2] == ("C", "C") and apart[0] and apart[1] and spec.dtypes[2] == spec.acc_dtype
    return bool(dense) and size >= 4 and spec.k * spec.n * size <= most


def _is_shallow(spec: GemmSpec) -> bool:
    """Whether a product mostly stores C, by rows. Products of bytes are excluded: four bytes are multiplied at once,
    which needs packing."""
    size = ELEMENT_BYTES[spec.dtypes[0]]
    return spec.order == ("C", "C", "C") and size > 1 and spec.k * size <= _SHALLOW


def lanes_of(product: GemmSpec, target: Target) -> int:
    """Return the number of accumulator elements per vector register."""
    return max(1, target.vector_bits // (8 * ELEMENT_BYTES[product.acc_dtype]))


def fixed(leading: Any) -> int:
    """Return a leading dimension, which is a number in requests of large products."""
    assert isinstance(leading, int), "leading dimensions of large products are numbers"
    return leading


def even(extent: int, most: int, unit: int) -> int:
    """Return the smallest multiple of `unit` that cuts `extent` into as few parts as `most` does."""
    parts = -(-extent // most)
    return min(extent, -(-extent // parts // unit) * unit) if parts > 1 else extent


def turns(product: GemmSpec, extras: Sequence[Any] = ()) -> bool:
    """Whether blocks of C may be transposed from scratch memory: C is column-major and only written, and the operands
    of an epilogue are vectors."""
    wide = ELEMENT_BYTES[product.dtypes[2]] > 1
    vectors = all(1 in (each.rows, each.columns) for each in extras)
    return product.order[2] == "F" and wide and vectors and product.beta == 0
