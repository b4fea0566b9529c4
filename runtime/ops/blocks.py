"""How a large product is cut: blocks of A and B that the caches hold, packed one after the other into scratch memory.

    for j0 over n in steps of nc                         columns whose packed blocks of B lie in scratch memory
      for p over k in steps of kb                        one block deep: C is added to once for each step
        for j over nc in steps of nb         dealt out   pack B[p, j]
        for i over m in steps of mb,
            g over nc in steps of ng         dealt out   pack A[i, p]
              for j over ng in steps of nb               C[i, j] += A[i, p] @ B[p, j]

Where A has so few rows that a block of B is multiplied by all of them at once, nobody packs for others:

    for j over n in steps of nb        dealt out
      for p over k in steps of kb                          pack B[p, j], into memory of the worker's own
        for i over m in steps of mb                        C[i, j] += A[i, p] @ B[p, j]

An element of C is the sum over its blocks in the order of p, whoever computes it: bits do not depend on threads.

Where C is narrower than its sums and k deeper than caches hold, sums of a block of C lie in scratch memory:

    for j0 over n in steps of nc
      pack B[:, j0], each step of k by itself              dealt out
      for i over m in steps of mb        dealt out
        for p over k in steps of kb                        pack A[i, p]
          for r over mb in steps of rb,
              j over nc in steps of nb                     sums[r, j] += A[i + r, p] @ B[p, j]
        C[i, j0] = sums, and the epilogue of them

Where A has few rows as well:

    for j over n in steps of nb        dealt out
      for p over k in steps of kb                          pack A[:, p] and B[p, j], into memory of the worker's own
        for r over m in steps of rb                        sums[r] += A[r, p] @ B[p, j]
      C[:, j] = sums, and the epilogue of them

The order of loops and what is packed: Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, TOMS
2008. Here a kernel takes a whole block of A, so that the loops around it cost nothing.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from ...encoder.records import dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec

L2 = 1 << 20
"""Bytes of the second-level cache where the target does not know them."""
_DEEP, _WIDE = 2048, 12
"""Bytes of k in a block, where those are more than `_STEPS`, and vectors of sums in its columns: 192 wide in f32 on
AVX-512. On a Zen 4, blocks of 96 x 192 x 512 gave 0.94 of peak at 1024 and 2048 cubed, 192 x 96 x 384 0.88
(2026-11-23)."""
_STEPS = 1024
"""Steps of k in a block at least. Shares of peak on one thread of a busy Zen 4, by the time of the processor: f64 of
2048 cubed 0.94 with 512, 0.96 to 0.98 with 1024, 0.97 with 2048; f32 0.95, 0.98 with 1024: sums are loaded and stored
half as often. Rows of A that are a multiple of 4096 bytes apart need no packing (f32 0.97 packed, 0.98 as they lie; of
1024 and 2048 cubed in f64 with 512 0.91 and 0.93 packed, 0.94 and 0.95 as they lie; 2026-11-24)."""
_OF_A = 0.19
"""The share of L2 for a block of A: 48 rows of 1024 in f32."""
_LARGE, _OF_LARGE, _LINE = 2 << 20, 0.35, 4096
"""An L2 from which on a block of A may take this share, and has rows of so many bytes, which stay in an L1 of 48 KiB
for all columns. One thread of a Sapphire Rapids (2 MiB), GFLOP/s of 1024 and 2048 cubed: f64 76 and 79 with blocks as
on a Zen 4, 93 and 87 with these; f32 177 and 183, 186 and 191 (2026-11-26)."""
_TALL, _SHARES = 4 << 20, 2
"""Bytes of a block of A, in the last-level cache, by which packed weights are multiplied that L2 does not hold, and
parts for each of several threads: each packs its block of A. On a busy Zen 4, one thread, bf16, 512 rows by 2048, 4096
and 8192 squared, of peak: 0.96, 0.96, 0.91; with `_OF_A` of L2 0.92, 0.64, 0.48 (2026-11-23)."""
LOW = 32
"""Rows of a block where C has no more columns than one block: A is read once, as it lies, and B's block is as deep as
half of L2. On a Zen 4, 4096 x 64 x 4096: blocks 32 high and 2048 deep 0.74 of peak, 96 by 512, packed, 0.65."""
PACKED = 4 << 20
"""Bytes of packed B at a time, in the last-level cache: more of them cost no less, as each is read m / mb times."""
_ITEMS = 6
"""Parts at least for each of several threads, where m and n have so many."""
CORES = 8
"""Cores for which rows of packed blocks are balanced, at most: more share columns. The height of blocks is the same for
any number of threads, since a kernel of another height may add in another order. Blocks that are balanced for 8 are so
for 2 and 4."""
_TRIES = 64
"""Numbers of rows that are looked at, about, where blocks are high."""
_LESS, _UNEVEN, _ROW = 0.6, 1.06, 1.5
"""Of the rows of a block, how few there may be so that cores have as much to do as each other; of a core's share of
rows, how many the busiest one may have; and the cost of a block in rows. On two threads of a Zen 4, GFLOP/s of 1024
and 2048 cubed in f32: blocks of 96 rows 195 and 199, of 88 200 and 200, of 64 211 and 207 (2026-11-23)."""
_SETS = 4096
"""Bytes between rows that fall into the same few sets of a cache, or multiples: B is packed then."""
_CACHE_LINE, _SAME, _GROUPS = 64, 1024, 16
"""Bytes of a cache line, bytes between rows of which 16 crowd few sets of an L1, and groups of 4 bytes in a line."""
HELD = 0.65
"""The share of L2 up to which B is multiplied as it lies: 400 cubed in f32 on a Zen 4 0.99 of peak, 0.94 packed
(2026-11-23). Not where its rows fall into the same few sets."""
_PARTS, _HIGH = 6, 48
"""Parts of the rows of C there, so many that some threads have about as much to do, and rows of a part at least. A core
has one part where half of L2 holds it: on one thread of a busy Zen 4 parts of 4096 x 100 took 1.12 times as long as
parts of 496 x 100, of 1500 x 300 1.13 times as long as of 164 x 300 (2026-11-24)."""
_FEW_ROWS = (4, 1024, 8), (16, 1024, 32), (48, 512, 64)
"""Rows of C so few that B, which is read once, is not packed; then columns and depth of blocks: a few rows of B at a
time are long streams. On a busy Zen 4 4 x 4096 x 4096 took 0.35 of the time of packed blocks, 1 x 4096 x 4096 0.4. More
than 4 rows are tried on an L2 from `_LARGE` on: on one thread of a Sapphire Rapids, ms packed and as B lies, 8 x 4096 x
4096 7.5 and 4.1 in f32, 19.0 and 10.0 in f64; 17 x 4096 x 1000 2.0 and 1.4, 3.7 and 2.8; 32 x 4096 x 4096 in f32 12.9
and 11.9; 48 x 4096 x 4096 15.8 and 15.4 (2026-11-26)."""
_OWN, _SHARES_OWN = 2 << 20, 4
"""Bytes at most of a block of B that a worker packs for itself, and such blocks side by side for each core at least.
Of f32 peak on one thread of a busy Zen 4, 64 x 4096 x 4096, blocks 192 wide 0.75, 96 wide 0.73, 48 wide 0.57: rows of
B are copied in longer pieces; packed for all workers 0.75 as well. Beside seven other processes on two processors two
threads took 0.41 of the time in f32 and 0.54 in bf16, since nobody waits for anybody (2026-11-24)."""
_SHALLOW, _LOWEST, _NEAR = 64, 8, 4
"""Bytes of k so few that storing C takes longest: blocks are whole rows of C, 8 of them, whose lines are written one
after the other, and B, of at most a quarter of L2, is not packed. 4096 x 4096 x k on one thread of a Zen 4, ms with
blocks 192 wide and with rows: in f32 k of 1 14 and 3.6, of 4 13 and 3.6, of 16 11 and 8.5, of 32 20 and 21; in bf16 of
1 7.8 and 2.0, of 16 5.6 and 3.2, of 32 7.6 and 6.0. Blocks of 16 rows take 1.2 times as long (2026-11-23)."""
_FLAT, _LOW_ROWS, _MANY_ROWS, _RESIDENT, _SHORT = 1024, 16, 256, 0.375, 256
"""On an L2 from `_LARGE` on, of a C of so many rows: the share of L2 for a block of B, by which few rows of A after
another are multiplied, and its steps of k. Where k has few bytes storing C takes long, and blocks of 16 rows write
lines of C one after the other; else they have `LOW` rows. One thread of a Sapphire Rapids, ms with blocks as on other
machines and with these: 4096 x 4096 x k, f32 of 64 23.7 and 15.3, of 128 34.3 and 28.3; f64 of 64 46.6 and 29.8, of 128
72 and 57; f32 of 1024 cubed 15.0 and 14.1, of 2048 120.7 and 112.7, of 1000 x 1111 x 999 15.4 and 14.7; f64 of 1024
cubed 30.5 and 28.8, of 2048 227 and 224 (2026-11-26)."""
_LEAST = 16
"""Rows of a block at least, where half of L2 holds so many."""
_TILE = 8
"""Rows of a block that is as high as two of them, a multiple: kernels for AVX-512 compute eight rows at a time, and
blocks of 46 took 1.01 times as long as of 32 (f32 of 1024 cubed, a busy Zen 4, 2026-11-24)."""
_FEW = 4
"""Rows are cut to multiples of so many, so that the last block is about as high as the others."""


@dataclass(frozen=True)
class Blocks:
    """Rows, columns and depth of blocks: see above. All but the last of each are whole."""

    m: int
    n: int
    k: int
    mb: int
    nb: int
    kb: int
    nc: int
    ng: int
    packs_a: bool
    packs_b: bool = True
    own_b: bool = False  # whether each worker packs the blocks of B that it multiplies
    gain: float | None = None  # of blocks that ts.tune has found: how many times as fast they were as the others
    rb: int = 0  # rows that a kernel takes of a block whose sums lie in scratch memory from step to step of k; 0: in C
    lines: int = 0  # rows of B that are packed at a time, across all blocks of a group; 0: a block at a time
    whole: int = 1  # packed blocks of A and B are filled up with zeros to a multiple of so many steps of k, as kb is

    def deep(self, depth: int) -> int:
        """Steps of k that so many take in packed blocks."""
        return -(-depth // self.whole) * self.whole

    def __str__(self) -> str:
        tuned = "" if self.gain is None else f"; tuned on this machine, {self.gain:.3f} times as fast as untuned"
        if self.rb and self.own_b:
            return (f"blocks of {self.mb} x {self.nb} x {self.kb}, {self.rb} rows at a time, sums in scratch memory; A "
                    f"packed; columns of B dealt out and packed{tuned}")  # fmt: skip
        if self.rb:
            return (f"blocks of {self.mb} x {self.nb} x {self.kb}, {self.rb} rows at a time, sums in scratch memory; A "
                    f"packed; B packed {self.nc} columns at a time, all of k{tuned}")  # fmt: skip
        if not self.packs_b:
            return f"blocks of {self.mb} x {self.nb} x {self.kb} dealt out; A and B as they are{tuned}"
        if self.own_b:
            return f"blocks of {self.mb} x {self.nb} x {self.kb}; A as it is; columns of B dealt out and packed{tuned}"
        a = "packed" if self.packs_a else "as it is"
        return (f"blocks of {self.mb} x {self.nb} x {self.kb}; A {a}; B packed {self.nc} columns at a time; parts of "
                f"{self.mb} x {self.ng} dealt out{tuned}")  # fmt: skip


def blocks(spec: GemmSpec, l2: int, lanes: int, threads: int, cores: int | None = None, held: float = HELD) -> Blocks:
    """Of a product, `lanes` of whose sums are a vector register, on a machine of so many cores (None: this one). The
    number of threads decides how parts are dealt out, and nothing that bits depend on. `held`: the share of L2 up to
    which B is multiplied as it lies."""
    cores, l2 = cores or os.cpu_count() or 1, l2 or L2
    m, n, k, size = spec.m, spec.n, spec.k, ELEMENT_BYTES[spec.dtypes[0]]
    nb = min(n, _WIDE * lanes)
    if _is_shallow(spec) and n > nb:
        wide = even(n, max(nb, l2 // _NEAR // (k * size) // nb * nb), lanes)
        return Blocks(m, n, k, min(m, _LOWEST), wide, k, n, n, False, False)
    if _is_held(spec, held * l2):
        mb = even(m, max(_HIGH, min(-(-m // _PARTS), int(l2 * _OF_A) // (k * size))), _FEW)
        if cores > 1:  # a part for each, if that stays in L2 while all of B goes by
            part = max(_HIGH, -(-m // cores))
            mb = even(m, part if part * k * size <= l2 // 2 else min(mb, part), _FEW)
            mb = balanced(m, mb, cores) or mb
        return Blocks(m, n, k, mb, n, k, n, n, False, False)
    if spec.order[:2] == ("C", "C") and size >= 4 and spec.dtypes[2] == spec.acc_dtype:
        for rows, columns, step in _FEW_ROWS if l2 >= _LARGE else _FEW_ROWS[:1]:
            if m <= rows:
                long = min(n, max(nb, even(n, min(columns, -(-n // cores)), lanes)))
                return Blocks(m, n, k, m, long, min(k, step), n, long, False, False)
    nb, kb = packed_blocks(spec, l2, lanes)
    packs_a = spec.order[0] == "F"
    thin = n <= nb and spec.order[0] == "C"
    share = int(l2 * (_OF_A if l2 < _LARGE else _OF_LARGE))
    row = (leading_a(kb, size) if packs_a else kb) * size
    mb = even(m, LOW if thin else max(lowest(row, l2), share // row // _FEW * _FEW), _FEW)
    mb = balanced(m, mb, min(cores, CORES)) or mb
    nc = even(n, max(nb, PACKED // packed_column(kb, spec) // nb * nb), nb)
    return dealt(Blocks(m, n, k, mb, nb, kb, nc, nc, packs_a), threads)


def packed_blocks(spec: GemmSpec, l2: int, lanes: int) -> tuple[int, int]:
    """(columns, depth) of a block of B that is packed, whatever the number of rows of A is."""
    n, k, nb = spec.n, spec.k, min(spec.n, _WIDE * lanes)
    if spec.dtypes[2] != spec.acc_dtype:  # the sum is not cut, so blocks are as deep as it is
        return min(nb, max(lanes, PACKED // packed_column(k, spec) // lanes * lanes)), k
    deep = _deep(spec, n > nb, spec.order[0] == "F", ELEMENT_BYTES[spec.dtypes[0]], l2 or L2)
    return nb, even(k, max(16, deep), 16)


def private(plan: Blocks, spec: GemmSpec, l2: int, cores: int | None = None) -> Blocks:
    """The same blocks, where every worker packs those of B for itself, if all rows of A are multiplied by one at once
    and columns are enough for all cores."""
    cores = cores or os.cpu_count() or 1
    size = ELEMENT_BYTES[spec.dtypes[0]]
    few = spec.m * min(plan.kb, _STEPS) * size <= (l2 or L2) // 2
    small = plan.nb * packed_column(plan.kb, spec) <= _OWN
    if not plan.packs_b or plan.packs_a or not few or not small or -(-spec.n // plan.nb) < _SHARES_OWN * cores:
        return plan
    return owned(plan)


def resident(plan: Blocks, spec: GemmSpec, l2: int) -> Blocks:
    """The same product by few rows of A at a time, and a block of B that stays in a large L2 meanwhile."""
    size, whole = ELEMENT_BYTES[spec.dtypes[0]], spec.dtypes[2] == spec.acc_dtype
    rows = spec.order[0] == spec.order[2] == "C" and spec.m >= _MANY_ROWS and plan.n > plan.nb
    if l2 < _LARGE or not plan.packs_b or size < 4 or not whole or not rows:
        return plan
    flat = plan.k * size <= _FLAT
    kb = plan.k if flat else even(plan.k, _SHORT, 16)
    nc = even(plan.n, max(plan.nb, int(l2 * _RESIDENT) // (kb * size) // plan.nb * plan.nb), plan.nb)
    return replace(plan, mb=_LOW_ROWS if flat else LOW, kb=kb, nc=nc, ng=nc, own_b=False)


def owned(plan: Blocks) -> Blocks:
    """The same blocks, where every worker packs those of B for itself."""
    return replace(plan, nc=plan.nb, ng=plan.nb, own_b=True, lines=0)


def packed_column(depth: int, spec: GemmSpec) -> int:
    """Bytes of a column of packed B: of what is narrow, four bytes lie side by side."""
    return -(-depth * ELEMENT_BYTES[spec.dtypes[1]] // 4) * 4


def _deep(spec: GemmSpec, many: bool, packs_a: bool, size: int, l2: int) -> int:
    """Steps of k in a block. Where B is no wider than one block, it may take half of L2; a packed A takes its part."""
    if many:
        return max(_DEEP // size, _STEPS if l2 < _LARGE else min(_STEPS, _LINE // size))
    deep = l2 // 2 // (spec.n * size)
    return min(deep, int(l2 * _OF_A) // (_LEAST * size)) if packs_a else deep


def lowest(line: int, l2: int) -> int:
    """Rows of a block at least, of so many bytes: as many as half of L2 holds, where there are not `_LEAST`."""
    return max(_FEW, min(_LEAST, l2 // 2 // line // _FEW * _FEW))


def leading_a(depth: int, size: int) -> int:
    """Elements between rows of a packed block of A. Tiles are loaded from rows of elements narrower than 4 bytes: these
    begin at a cache line, and do not fall into the same few sets."""
    if size >= 4:
        return depth
    line = -(-depth * size // _CACHE_LINE) * _CACHE_LINE
    return (line + _CACHE_LINE * (line % _SAME == 0)) // size


def leading_b(plan: Blocks, spec: GemmSpec) -> int:
    """Columns between rows of a packed block of B, of which 4 bytes of a column lie side by side: a last block has the
    rows of the others. Rows of the only one begin at a cache line, where scratch memory has room for that."""
    line = -(-plan.nb // _GROUPS) * _GROUPS
    return line if plan.nb == plan.n and line * packed_column(plan.kb, spec) <= PACKED else plan.nb


def scratch(plan: Blocks, spec: GemmSpec) -> tuple[int, int]:
    """Bytes of scratch memory at most: for packed blocks of B, and for a block of A of each thread."""
    of_a = plan.packs_a * plan.mb * leading_a(plan.kb, ELEMENT_BYTES[spec.dtypes[0]]) * ELEMENT_BYTES[spec.dtypes[0]]
    if plan.own_b:
        return 0, of_a + sums(plan, spec) + plan.nb * packed_column(plan.deep(plan.kb), spec)
    packed = -(-plan.nc // plan.nb) * leading_b(plan, spec) * packed_column(plan.deep(plan.kb), spec)
    packed *= -(-plan.k // plan.kb) if plan.rb else 1
    return plan.packs_b * packed, of_a + sums(plan, spec)


def sums(plan: Blocks, spec: GemmSpec) -> int:
    """Bytes of scratch memory in which sums of a block of C lie: whole cache lines."""
    size = plan.mb * plan.nc * ELEMENT_BYTES[spec.acc_dtype] if plan.rb else 0
    return -(-size // _CACHE_LINE) * _CACHE_LINE


def is_bounded(plan: Blocks, spec: GemmSpec, l2: int, lanes: int) -> bool:
    """Whether packed blocks of B take 4 MiB at most, and one of A half of L2; or the least that there is, a vector of
    columns and four rows, as deep as the sum."""
    packed, own = scratch(plan, spec)
    if plan.own_b:
        return own <= _OWN
    size = ELEMENT_BYTES[spec.dtypes[0]]
    row = leading_a(plan.kb, size) * size
    return packed <= max(PACKED, lanes * packed_column(plan.kb, spec)) and own <= max((l2 or L2) // 2, _FEW * row)


def dealt(plan: Blocks, threads: int) -> Blocks:
    """The same blocks, with columns of a part so few that so many threads have about as much to do as each other."""
    if not plan.packs_b or plan.own_b or plan.rb:
        return plan
    if threads == 1 or is_balanced(plan.m, plan.mb, threads):
        return replace(plan, ng=plan.nc)
    columns = -(-plan.nc // max(1, -(-_ITEMS * threads // -(-plan.m // plan.mb))))
    return replace(plan, ng=even(plan.nc, max(plan.nb, columns), plan.nb))


def is_balanced(m: int, mb: int, threads: int) -> bool:
    """Whether blocks of so many rows give every thread about as many rows."""
    return _busiest(m, mb, threads) < _UNEVEN * m / threads


def _busiest(m: int, mb: int, threads: int) -> float:
    """Rows of the thread that has most, with what its blocks cost."""
    count = -(-m // mb)
    ends = [min(m, count * worker // threads * mb) for worker in range(threads + 1)]
    return max(b - a for a, b in zip(ends, ends[1:])) * (1 + _ROW / mb)


def balanced(m: int, most: int, cores: int) -> int | None:
    """Rows of a block, `most` or somewhat fewer, with which every core has about as many rows, if there are such."""
    least = max(16, int(most * _LESS))
    unit = _TILE if most >= 2 * _TILE else _FEW
    step = max(unit, (most - least) // _TRIES // unit * unit)
    busiest = {mb: _busiest(m, mb, cores) for mb in range(most // unit * unit, least - 1, -step)}
    found = min(busiest, key=lambda mb: busiest[mb], default=None)
    return found if found is not None and busiest[found] < _UNEVEN * m / cores else None


def tall(plan: Blocks, size: int, l2: int, threads: int) -> Blocks:
    """The same for weights that were packed before: blocks of as many rows as there are, where those of B are as deep
    as k and come from beyond L2. `size`: bytes of an element of A."""
    deep = plan.kb * size
    if plan.kb < plan.k or deep * plan.nb <= (l2 or L2) // 2:
        return plan
    mb = even(plan.m, max(plan.mb, _TALL // deep // _FEW * _FEW), _FEW)
    items = _SHARES * threads if threads > 1 else 1
    return replace(plan, mb=mb, ng=even(plan.nc, -(-plan.nc // max(1, -(-items // -(-plan.m // mb)))), plan.nb))


def _is_held(spec: GemmSpec, most: float) -> bool:
    """Whether all of B stays in a cache of so many bytes as it lies, and rows of A and B do not push each other out."""
    lines = zip(spec.leading, spec.dtypes)
    apart = [_leading(leading) * ELEMENT_BYTES[dtype] % _SETS for leading, dtype in lines]
    size = ELEMENT_BYTES[spec.dtypes[1]]
    dense = spec.order[:2] == ("C", "C") and apart[0] and apart[1] and spec.dtypes[2] == spec.acc_dtype
    return bool(dense) and size >= 4 and spec.k * spec.n * size <= most


def _is_shallow(spec: GemmSpec) -> bool:
    """Whether a product mostly stores C, by rows. Bytes are packed, in fours that are multiplied at once."""
    size = ELEMENT_BYTES[spec.dtypes[0]]
    return spec.order == ("C", "C", "C") and size > 1 and spec.k * size <= _SHALLOW


def _leading(leading: Any) -> int:
    assert isinstance(leading, int), "leading dimensions of large products are numbers"
    return leading


def even(extent: int, most: int, unit: int) -> int:
    """The least multiple of a unit that cuts an extent into as few parts as `most` does."""
    parts = -(-extent // most)
    return min(extent, -(-extent // parts // unit) * unit) if parts > 1 else extent
