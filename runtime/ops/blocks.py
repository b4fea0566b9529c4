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
C from there (`with_transposed_blocks` in panel_blocks.py).

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
from ...microkernels.tuning.products import BLOCKS, blocks_of
from .schedules import Blocks, InPlace, OwnB, SharedB

L2 = 1 << 20
"""The size of L2 in bytes that is assumed if the target does not state it."""


def blocks(
    spec: GemmSpec, l2: int, lanes: int, threads: int, cores: int | None = None, unpacked: float = BLOCKS.unpacked
) -> Blocks:
    """Choose the blocking of a product. `lanes` is the number of accumulator elements per vector register, `cores` the
    number of cores (None: this machine's), `unpacked` the share of L2 up to which B is multiplied unpacked. The number
    of threads only decides how the parts are dealt out, so it does not change any bits."""
    cores, l2 = cores or os.cpu_count() or 1, l2 or L2
    m, n, k, size = spec.m, spec.n, spec.k, ELEMENT_BYTES[spec.dtypes[0]]
    nb = min(n, BLOCKS.wide * lanes)
    if _is_shallow(spec) and n > nb:
        wide = even(n, max(nb, l2 // BLOCKS.near // (k * size) // nb * nb), lanes)
        return Blocks(m, n, k, min(m, BLOCKS.lowest), wide, k, InPlace(n))
    if _multiplied_unpacked(spec, unpacked * l2):
        mb = even(m, max(BLOCKS.high, min(-(-m // BLOCKS.parts), int(l2 * BLOCKS.of_a) // (k * size))), BLOCKS.few)
        if cores > 1:  # each core gets one part, if that stays in L2 while all of B is read
            part = max(BLOCKS.high, -(-m // cores))
            mb = even(m, part if part * k * size <= l2 // 2 else min(mb, part), BLOCKS.few)
            mb = balanced(m, mb, cores) or mb
        return Blocks(m, n, k, mb, n, k, InPlace(n))
    if spec.order[:2] == ("C", "C") and size >= 4 and spec.dtypes[2] == spec.acc_dtype:
        for rows, columns, step in blocks_of(l2).few_rows:
            if m <= rows:
                long = min(n, max(nb, even(n, min(columns, -(-n // cores)), lanes)))
                return Blocks(m, n, k, m, long, min(k, step), InPlace(long))
    nb, kb = packed_blocks(spec, l2, lanes)
    packs_a = spec.order[0] == "F"
    one_block_wide = n <= nb and spec.order[0] == "C"
    share = int(l2 * blocks_of(l2).of_a)
    row = (leading_a(kb, size) if packs_a else kb) * size
    high = max(lowest(row, l2), share // row // BLOCKS.few * BLOCKS.few)
    mb = even(m, BLOCKS.low if one_block_wide else high, BLOCKS.few)
    mb = balanced(m, mb, min(cores, BLOCKS.cores)) or mb
    if size == BLOCKS.wide_element and mb < BLOCKS.low <= m and BLOCKS.low * row <= l2 // BLOCKS.near and not packs_a:
        mb = min(mb, BLOCKS.low, key=lambda rows: _busiest(m, rows, min(cores, BLOCKS.cores)))
    nc = even(n, max(nb, BLOCKS.packed // packed_column(kb, spec) // nb * nb), nb)
    return balanced_columns(Blocks(m, n, k, mb, nb, kb, SharedB(nc, nc, packs_a)), threads)


def depth_of_few_rows(rows: int, l2: int) -> int | None:
    """Return the depth of a block of so few rows of A that B is read only once, or None if there are more rows."""
    return next((step for most, _, step in blocks_of(l2).few_rows if rows <= most), None)


def packed_blocks(spec: GemmSpec, l2: int, lanes: int) -> tuple[int, int]:
    """Return (columns, depth) of a packed block of B. They do not depend on the number of rows of A."""
    n, k, nb = spec.n, spec.k, min(spec.n, BLOCKS.wide * lanes)
    if spec.dtypes[2] != spec.acc_dtype:  # the sum is not cut, so blocks are as deep as k
        return min(nb, max(lanes, BLOCKS.packed // packed_column(k, spec) // lanes * lanes)), k
    deep = _deep(spec, n > nb, spec.order[0] == "F", ELEMENT_BYTES[spec.dtypes[0]], l2 or L2)
    return nb, even(k, max(16, deep), 16)


def private(plan: Blocks, spec: GemmSpec, l2: int, cores: int | None = None) -> Blocks:
    """Return the same blocks, but let every worker pack its own blocks of B, if a block of B is multiplied by all rows
    of A at once and there are enough columns for all cores."""
    cores = cores or os.cpu_count() or 1
    size = ELEMENT_BYTES[spec.dtypes[0]]
    few = spec.m * min(plan.kb, BLOCKS.steps) * size <= (l2 or L2) // 2
    small = plan.nb * packed_column(plan.kb, spec) <= BLOCKS.own
    if not plan.packs_b or plan.packs_a or not few or not small or -(-spec.n // plan.nb) < BLOCKS.shares_own * cores:
        return plan
    return owned(plan)


def resident(plan: Blocks, spec: GemmSpec, l2: int, lanes: int) -> Blocks:
    """Return blocks that multiply a few rows of A at a time by columns of B that stay in a large L2, or `plan` itself
    if they do not apply. `lanes` is the number of accumulator elements per vector register."""
    size, whole = ELEMENT_BYTES[spec.dtypes[0]], spec.dtypes[2] == spec.acc_dtype
    flat = plan.k * size <= BLOCKS.flat
    rows = spec.order[2] == "C" and (flat or not plan.packs_a) and spec.m >= BLOCKS.many_rows and plan.n > plan.nb
    table = blocks_of(l2)
    if not table.resident or not plan.packs_b or size < 4 or not whole or not rows:
        return plan
    kb = plan.k if flat else even(plan.k, table.line // size, 16)
    nb = plan.nb if flat else min(plan.nb, BLOCKS.panel * lanes)
    nc = even(plan.n, max(nb, int(l2 * table.resident) // (kb * size) // nb * nb), nb)
    lines = 0 if flat or spec.order[1] == "F" else BLOCKS.streamed
    low = BLOCKS.low_packed_rows if plan.packs_a else BLOCKS.low_rows
    return replace(plan, mb=low, nb=nb, kb=kb, schedule=SharedB(nc, nc, plan.packs_a, lines))


def owned(plan: Blocks) -> Blocks:
    """Return the same blocks, but let every worker pack its own blocks of B."""
    return replace(plan, schedule=OwnB())


def packed_column(depth: int, spec: GemmSpec) -> int:
    """Return the bytes of a column of packed B. Narrow elements lie in groups of four bytes."""
    return -(-depth * ELEMENT_BYTES[spec.dtypes[1]] // 4) * 4


def _deep(spec: GemmSpec, many: bool, packs_a: bool, size: int, l2: int) -> int:
    """Return the depth of a block in steps of k. If B is no wider than one block, the block may take half of L2. A
    packed A limits the depth, since it takes its share of L2."""
    if many:
        line = blocks_of(l2).line
        return max(BLOCKS.deep // size, min(BLOCKS.steps, line // size) if line else BLOCKS.steps)
    deep = l2 // 2 // (spec.n * size)
    return min(deep, int(l2 * BLOCKS.of_a) // (BLOCKS.least * size)) if packs_a else deep


def lowest(line: int, l2: int) -> int:
    """Return the minimum number of rows per block, for rows of `line` bytes: `_LEAST`, or as many as half of L2
    holds."""
    return max(BLOCKS.few, min(BLOCKS.least, l2 // 2 // line // BLOCKS.few * BLOCKS.few))


def leading_a(depth: int, size: int) -> int:
    """Return the elements between rows of a packed block of A. Tiles are loaded from rows of elements narrower than 4
    bytes: such rows begin at a cache line, and their distance keeps them from sharing a few cache sets, unless it would
    exceed the largest distance of a kernel."""
    if size >= 4:
        return depth
    line = -(-depth * size // CACHE_LINE) * CACHE_LINE
    return min(LARGEST, (line + CACHE_LINE * (line % BLOCKS.same_sets == 0)) // size)


def leading_b(plan: Blocks, spec: GemmSpec) -> int:
    """Return the columns between rows of a packed block of B whose columns are grouped by 4 bytes. The last block has
    the row length of the others. If there is only one block, its rows begin at a cache line if scratch memory has room
    for that."""
    line = -(-plan.nb // BLOCKS.groups) * BLOCKS.groups
    return line if plan.nb == plan.n and line * packed_column(plan.kb, spec) <= BLOCKS.packed else plan.nb


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
        return own <= BLOCKS.own
    size = ELEMENT_BYTES[spec.dtypes[0]]
    row = leading_a(plan.kb, size) * size
    small = packed <= max(BLOCKS.packed, lanes * packed_column(plan.kb, spec))
    return small and own <= max((l2 or L2) // 2, BLOCKS.few * row)


def balanced_columns(plan: Blocks, threads: int) -> Blocks:
    """Return the same blocks, but with parts of so few columns that all threads get about equal work."""
    shared = plan.schedule
    if not isinstance(shared, SharedB) or plan.turned:
        return plan
    ng = shared.nc
    if threads > 1 and not is_balanced(plan.m, plan.mb, threads):
        columns = -(-shared.nc // max(1, -(-BLOCKS.items * threads // -(-plan.m // plan.mb))))
        ng = even(shared.nc, max(plan.nb, columns), plan.nb)
    return replace(plan, schedule=replace(shared, ng=ng))


def is_balanced(m: int, mb: int, threads: int) -> bool:
    """Whether blocks of `mb` rows give every thread about the same number of rows."""
    return _busiest(m, mb, threads) < BLOCKS.uneven * m / threads


def _busiest(m: int, mb: int, threads: int) -> float:
    """Return the rows of the thread that has most of them, including the overhead of its blocks."""
    count = -(-m // mb)
    ends = [min(m, count * worker // threads * mb) for worker in range(threads + 1)]
    return max(b - a for a, b in zip(ends, ends[1:])) * (1 + BLOCKS.row / mb)


def balanced(m: int, most: int, cores: int) -> int | None:
    """Return a block height of `most` or somewhat fewer rows that gives every core about the same number of rows, or
    None."""
    least = max(16, int(most * BLOCKS.less))
    unit = BLOCKS.tile if most >= 2 * BLOCKS.tile else BLOCKS.few
    step = max(unit, (most - least) // BLOCKS.tries // unit * unit)
    busiest = {mb: _busiest(m, mb, cores) for mb in range(most // unit * unit, least - 1, -step)}
    found = min(busiest, key=lambda mb: busiest[mb], default=None)
    return found if found is not None and busiest[found] < BLOCKS.uneven * m / cores else None


def _multiplied_unpacked(spec: GemmSpec, most: float) -> bool:
    """Whether all of B, unpacked, fits a cache of `most` bytes and the rows of A and B do not evict each other."""
    lines = zip(spec.leading, spec.dtypes)
    apart = [fixed(leading) * ELEMENT_BYTES[dtype] % BLOCKS.sets for leading, dtype in lines]
    size = ELEMENT_BYTES[spec.dtypes[1]]
    dense = spec.order[:2] == ("C", "C") and apart[0] and apart[1] and spec.dtypes[2] == spec.acc_dtype
    return bool(dense) and size >= 4 and spec.k * spec.n * size <= most


def _is_shallow(spec: GemmSpec) -> bool:
    """Whether a product mostly stores C, by rows. Products of bytes are excluded: four bytes are multiplied at once,
    which needs packing."""
    size = ELEMENT_BYTES[spec.dtypes[0]]
    return spec.order == ("C", "C", "C") and size > 1 and spec.k * size <= BLOCKS.shallow


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


def may_transpose_blocks(product: GemmSpec, extras: Sequence[Any] = ()) -> bool:
    """Whether blocks of C may be transposed from scratch memory: C is column-major and only written, and the operands
    of an epilogue are vectors."""
    wide = ELEMENT_BYTES[product.dtypes[2]] > 1
    vectors = all(1 in (each.rows, each.columns) for each in extras)
    return product.order[2] == "F" and wide and vectors and product.beta == 0
