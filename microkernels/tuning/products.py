"""The numbers by which large products are cut into blocks (runtime/ops): sizes, shares of caches and thresholds.

They differ between families of processors by the size of L2, which decides how much of A and B stays near: `blocks_of`
returns the table of an L2.
"""

from __future__ import annotations

from ...encoder.records import NamedTuple


class BlockTuning(NamedTuple):
    """The cuts of all products: see runtime/ops/blocks.py."""

    deep: int = 2048
    wide: int = 12
    """`deep`: bytes of k in a block, if that is more than `steps` elements. `wide`: vector registers of
    accumulators per row of a block, which makes blocks 192 columns wide in f32 on AVX-512. On a Zen 4, blocks of 96
    x 192 x 512 reach 0.94 of peak at 1024 and 2048 cubed, blocks of 192 x 96 x 384 only 0.88."""
    steps: int = 1024
    """The minimum depth of a block in steps of k. Deeper blocks load and store the sums less often: one thread of a
    Zen 4 runs f64 of 2048 cubed at 0.94 of peak with 512 steps, and at 0.96 to 0.98 with 1024."""
    of_a: float = 0.19
    """The share of L2 that a block of A takes: 48 rows of 1024 in f32."""
    line: int = 0
    """The most bytes of a row of a block of A; 0: any. With 4096, and 0.35 of an L2 of 2 MiB for a block of A, its rows
    stay in an L1 of 48 KiB for all columns: one thread of a Sapphire Rapids runs f64 of 1024 cubed at 93 GFLOP/s this
    way, and at 76 with the blocks of a Zen 4."""
    low: int = 32
    """Rows of a block if C has no more columns than one block. A is then read once, unpacked, and the block of B is
    deep enough to fill half of L2. On a Zen 4, 4096 x 64 x 4096 runs at 0.74 of peak with blocks of 32 rows and a
    depth of 2048, and at 0.65 with packed blocks of 96 by 512."""
    packed: int = 4 << 20
    """The most bytes of B that are packed at a time; they lie in the last-level cache. Packing more would not save
    anything, since each byte is read m / mb times anyway."""
    items: int = 6
    """The minimum number of parts per thread if there are several threads and m and n allow it."""
    cores: int = 8
    """The most cores for which the rows of packed blocks are balanced; further cores share columns. The height of
    the blocks does not depend on the number of threads, since a kernel of another height may add in another order.
    Blocks that are balanced for 8 cores are also balanced for 2 and 4."""
    tries: int = 64
    """Roughly the number of block heights that are tried if blocks are high."""
    less: float = 0.6
    uneven: float = 1.06
    row: float = 1.5
    """`less`: how far a block may shrink (as a fraction of its rows) so that all cores get equal work. `uneven`:
    the most rows of the busiest core, relative to an equal share. `row`: the overhead of one block, counted in
    rows. On two threads of a Zen 4, f32 of 1024 cubed runs at 195 GFLOP/s in blocks of 96 rows and at 211 in blocks
    of 64."""
    sets: int = 4096
    """B is packed if the distance between its rows is a multiple of this many bytes, since such rows share a few
    cache sets."""
    same_sets: int = 1024
    groups: int = 16
    """`same_sets`: 16 rows whose distance is a multiple of this many bytes compete for a few sets of an L1.
    `groups`: groups of 4 bytes in a cache line."""
    unpacked: float = 0.65
    """The share of L2 up to which B is multiplied unpacked, unless its rows share a few cache sets: on a Zen 4, f32
    of 400 cubed runs at 0.99 of peak unpacked and at 0.94 packed."""
    unpacked_as_is: float = 0.65
    """The same share, for operands that keep their types. On one thread of an Emerald Rapids, f32 of 512 cubed takes
    1.07 to 1.29 of the time of packed blocks if B is read where it lies, depending on the pages that the arrays get,
    288 cubed 1.0 to 1.17, 256 cubed 0.98."""
    parts: int = 6
    high: int = 48
    """These apply if B is multiplied unpacked. `parts`: parts into which the rows of C are cut, enough that a few
    threads get about equal work. `high`: the minimum number of rows per part. Each core gets a single part if half
    of L2 holds its rows of A: on one thread of a Zen 4, parts of 4096 x 100 took 1.12 times as long as parts of 496
    x 100."""
    few_rows: tuple[tuple[int, int, int], ...] = ((4, 1024, 8),)
    """(rows, columns, depth): a C with at most this many rows reads B only once, so B is not packed; columns and
    depth are those of its blocks. Such blocks read a few rows of B at a time as long streams. On a Zen 4, 4 x 4096
    x 4096 takes 0.35 of the time of packed blocks. More rows are of use with a
    large L2: 8 x 4096 x 4096 in f32 takes 4.1 ms unpacked and 7.5 ms packed on one thread of a Sapphire Rapids."""
    own: int = 2 << 20
    shares_own: int = 4
    """`own`: the most bytes of a block of B that a worker packs for itself. `shares_own`: the minimum number of
    such blocks per core. With seven other processes on two processors, two threads took 0.41 of the time in f32,
    since no worker waits for another."""
    shallow: int = 64
    lowest: int = 8
    near: int = 4
    """If k has at most `shallow` bytes, storing C takes most of the time. Blocks are then `lowest` whole rows of C,
    whose cache lines are written in sequence, and B is not packed but takes at most 1 / `near` of L2. On one thread
    of a Zen 4, 4096 x 4096 x 1 in f32 takes 3.6 ms with whole rows and 14 with blocks of 192 columns; blocks of 16
    rows take 1.2 times as long as blocks of 8."""
    flat: int = 1024
    low_rows: int = 16
    many_rows: int = 256
    resident: float = 0.0
    streamed: int = 8
    """These apply if `resident` is not 0, to a C of at least `many_rows` rows: `low_rows` rows of A after another are
    multiplied by a block of B that takes the share `resident` of L2, which is large. It is `line` bytes deep, or
    as deep as k if that has at most `flat` bytes. On one thread of a Sapphire Rapids, 4096 x 4096 x 64 in f32 takes
    15.3 ms this way and 23.7 with the blocks of other machines. A thread packs `streamed` rows of B at a time, so
    that all threads pack."""
    panel: int = 3
    """Vectors of columns of a packed block there, unless k has at most `flat` bytes: one panel of a kernel. On one
    thread of an Emerald Rapids, f32 of 1000 x 1111 x 999 runs at 160 GFLOP/s in blocks of 48 columns and at 157 in
    blocks of 192."""
    low_packed_rows: int = 32
    """The same for a packed A, if k has at most `flat` bytes. On one thread of an Emerald Rapids, 4096 x 4096 x 32
    in f32 with a column-major A runs at 106 GFLOP/s, and at 47 with the blocks of other machines."""
    least: int = 16
    """The minimum number of rows per block, if half of L2 holds that many."""
    wide_element: int = 8
    """Blocks of an unpacked A of elements of so many bytes have `low` rows if that divides the work among the cores
    more evenly than fewer rows, and 1 / `near` of L2 holds them. On a Zen 5 with 1 MiB of L2, f64 of 1024 cubed
    runs at 243 GFLOP/s on two threads in blocks of 32 rows, and at 235 in blocks of 24; f64 of 1000 cubed at 234
    and 239. bf16 of 4096 cubed takes 1.01 times as long in blocks of 32 rows."""
    tile: int = 8
    """A block of at least twice this many rows has a multiple of it: kernels for AVX-512 compute eight rows at a
    time, and blocks of 46 rows took 1.01 times as long as blocks of 32 (f32 of 1024 cubed on a Zen 4)."""
    few: int = 4
    """Block heights are multiples of this many rows, so that the last block is about as high as the others."""


class TileBlockTuning(NamedTuple):
    """The cuts for targets with tile registers."""

    lines: int = 4
    """`lines`: A is packed if its rows have at least this many lines. On a Sapphire Rapids, a tile load takes 47
    cycles if its rows cross lines and 9 if not; a store takes 34 and 17 (2026-11-26). numpy places large arrays 16
    bytes after the start of a line."""
    rows: int = 128
    """With at most this many rows of A, packing B takes most of the time."""
    block: int = 1 << 18
    long: int = 1024
    shares: int = 4
    """These apply to few rows of A, where each worker packs its own blocks of B. `block`: bytes of a block of B.
    `long`: its most columns, which are read as long streams. `shares`: the minimum number of blocks per core. One
    thread of a Sapphire Rapids packs a B of 4096 x 4096 in bf16 in 2.7 ms by blocks of 4096 x 192, and in 1.6 by
    128 x 1024 (2026-11-26)."""
    of_b: float = 0.6
    """The most of L2 that a packed block of B takes."""
    wide: int = 384
    narrowest: int = 384
    unit: int = 32
    """`wide`: the most columns of a kernel. `narrowest`: the minimum columns of a block of B; if k is so deep that
    L2 holds fewer, the block does not stay in L2. `unit`: the columns that a kernel keeps in tiles at a time."""
    row: int = 1024
    """Bytes of k in a block, if the sum may be cut: 32 rows of A then take 32 KiB of L1."""
    narrow: int = 512
    fewest: int = 128
    of_sums: float = 0.4
    """`narrow`, `fewest`: the most and the fewest columns of a block whose sums stay in scratch memory. `of_sums`:
    the share of L2 that the sums and a packed block of A take. With an L2 of 2 MiB that is 256 rows, with 512 KiB
    of sums and 256 KiB of A, beside 512 KiB of B."""
    lowest: int = 64
    cores: int = 8
    """`lowest`: the minimum number of rows of such a block. `cores`: blocks are made lower to give every core the
    same number of them, for at most this many cores."""
    of_columns: float = 0.25
    in_place: int = 64
    """These apply to a product by a few columns. `of_columns`: the share of L2 up to which B is one block with all
    of k. `in_place`: with at most this many columns, tiles of A are loaded where they lie: each is used so seldom
    that packing takes more time than loads that cross cache lines."""


class PanelTuning(NamedTuple):
    """Packed blocks of B that are one panel of a kernel wide."""

    registers: int = 16
    """Targets with at most this many vector registers use the blocks of `panels`, others those of `narrow`."""
    vectors: int = 3
    of_dot: int = 4
    """Vectors of accumulators per row of a panel: of FMA instructions, and of dot-product instructions with
    thirty-two registers. On one thread of a Zen 4, f64 of 2048 cubed runs at 0.99 of the peak in panels of 24
    columns and at 0.95 in blocks of 96; u8 x i8 of 4096 cubed at 0.96 in panels of 64 columns and at 0.93 in blocks
    of 192."""
    few: int = 4
    """Block heights are multiples of this many rows."""
    shallow: int = 128
    """With fewer steps of k, storing C takes most of the time, and blocks are wide, so that they write longer
    pieces of its rows. On one thread of a Zen 4, f32 of 4096 x 4096 x 64 runs at 92 GFLOP/s in blocks of 192
    columns and at 82 in panels, with 128 steps at 100 and 99."""
    steps: int = 1024
    few_rows: int = 64
    short: int = 512
    """`steps`: the most steps of k in a block, if the sum may be cut. `few_rows`: with at most this many rows of A,
    packing takes most of the time, and a block has at most `short` steps. On one thread of a Zen 3, f64 of 1000 x
    1111 x 999 takes 50.5 ms with 1024 steps and 55.4 with 512, but f32 of 17 x 4096 x 1000 takes 2.7 and 2.4."""
    lines: int = 8
    """The rows of B that are packed at a time, across all panels of a group. Each row is then read as a stream;
    packing one panel at a time would read pieces of 96 bytes. On one thread of a Zen 3, f64 of 64 x 4096 x 4096
    takes 60.4 ms with 8 rows, 61.3 with 4, 64.7 with 16, and 67 panel by panel."""
    rows: int = 256
    of_a: float = 0.5
    """`rows`: rows of a block of an unpacked A. Four rows at a time are read as streams, which may come from the
    last-level cache: f32 of 512 x 4096 x 4096 takes 210 ms with 256 rows and 231 with 64 on one thread of a Zen 3.
    `of_a`: the share of L2 for a block of A that is packed because A is column-major."""
    block: int = 256 << 10
    """The most bytes of a block of C that is computed by rows in scratch memory, and transposed from there."""
    unpacked: float = 0.35
    """The share of L2 up to which B is multiplied unpacked. On a Zen 3, f32 of 200 cubed takes 0.166 ms unpacked
    and 0.171 packed, f32 of 256 cubed 0.442 and 0.357."""
    few_of_weights: int = 16
    stream_rows: int = 12
    near: int = 6
    stream_steps: int = 8
    streams: int = 16
    fetched_streams: int = 4
    """These apply to prepacked weights that L2 does not hold, and to so few rows of x that reading the weights
    takes most of the time: at most `few_of_weights`. `stream_rows`: the most rows whose weights are read as streams;
    more take longer to multiply than the weights to come. `near`: the multiple of L2 up to which weights come from the
    last-level cache soon enough panel by panel. On one thread of an Ice Lake with 1.25 MiB of L2, beside others, f32
    of 8 x 1024 x 1024 takes 241 us in streams and 163 panel by panel, 12 x 1024 x 1024 439 and 257, 8 x 1536 x 1024
    357 and 286, 8 x 2048 x 1024 as long, 8 x 4096 x 1024 1.38 ms and 1.81, 12 x 4096 x 4096 6.9 and 8.0, 16 x 4096 x
    4096 11.5 and 8.7. `stream_steps`: the steps of k for which each panel of a
    group is multiplied in turn, so that the processor follows several streams. `streams`: the panels of a group;
    `fetched_streams`: those of a group whose lines are also prefetched. On one thread of an Emerald Rapids beside
    others, f32 of 8 x 4032 x 4096 reads its weights at 15.7 GB/s, and at 9.2 panel by panel without prefetches
    (docs/log/gemm.md)."""
    rows_at_rest: int = 4
    far: int = 32 << 20
    """Lines of streamed weights are prefetched if there are more than `rows_at_rest` rows, whose products leave the
    processor's own prefetches too little time, or if there are several rows and more than `far` bytes of weights.
    On the same machine, 1 x 4032 x 1024 reads 26.1 GB/s without prefetches and 23.6 with them, 8 x 1056 x 1024 20.3
    and 23.6, 2 x 4032 x 4096 17.3 and 18.8."""
    tall: int = 4 << 20
    shares: int = 2
    """These apply to prepacked weights whose blocks are too large for L2, or one panel wide. `tall`: bytes of a
    block of A, which then lies in the last-level cache. `shares`: parts per thread if there are several, since each
    thread packs its own block of A. On one thread of a Zen 4, f32 with 512 rows by 4096 squared runs at 110 GFLOP/s
    in blocks of 512 rows and at 101 in blocks of 32."""


class ConversionTuning(NamedTuple):
    """Products whose operands are converted to f32 as they are packed."""

    rows: int = 12
    rows_by_f32: int = 48
    rows_of_bytes: int = 4
    """The fewest rows of A (of A' if C is transposed) for which operands are converted as they are packed: with
    fewer, each element of B is converted about once in any case. `rows_by_f32`: if one operand is f32.
    `rows_of_bytes`: if both are floats of 8 bits, whose conversion takes several instructions. docs/log/gemm.md has
    the measurements."""
    step: int = 256
    of_b: float = 0.25
    of_sums: float = 0.4
    """`step`: the steps of k that are converted at a time. `of_b`, `of_sums`: the shares of L2 for such a block of
    B, and for the rows of A and their sums. On one thread of an Emerald Rapids, f16 of 64 x 4096 x 4096 runs at 127
    GFLOP/s so, at 98 if the threads convert blocks for each other, and 17 x 4096 x 1000 at 89 and 57."""
    few: int = 128
    """With at most this many rows, f32 results have sums in scratch memory, too: 24 x 1024 x 1024 in f16 with f32
    results runs at 103 GFLOP/s instead of 73, but 4096 x 4096 x 64 at 83 instead of 134."""
    shares: int = 2
    cores: int = 8
    narrowest: int = 128
    """Blocks have fewer columns, but at least `narrowest`, if that gives each core `shares` parts, for at most
    `cores` cores."""


class CandidateTuning(NamedTuple):
    """The blocks that `ts.tune` compares."""

    heights: tuple[int, ...] = (16, 24, 32, 48, 64, 72, 96, 120, 144, 192, 256, 384)
    widths: tuple[int, ...] = (2, 4, 6, 8, 12, 16, 24)
    depths: tuple[int, ...] = (128, 192, 256, 320, 384, 512, 640, 768, 1024, 1536, 2048)
    packed: tuple[int, ...] = (1 << 20, 4 << 20)
    """Candidate heights, widths in vector registers of accumulators, depths, and bytes of B that are packed at a
    time. The best blocks of a Zen 4 lie well inside these ranges; the largest values fill half of an L2 of 2
    MiB."""
    unpacked: int = 2
    """The most bytes of a B that is multiplied unpacked, as a multiple of L2."""


class CompressedTuning(NamedTuple):
    """The cuts of products by compressed weights: see runtime/ops/expanding.py and microkernels/compressed."""

    ahead: int = 4096
    """Bytes of weights ahead of those at hand that are prefetched by a kernel that expands in registers. On one thread
    of an Emerald Rapids beside eight others, 1 x 11008 x 4096 in f32 by 4-bit weights from the last-level cache runs at
    7.0 G weights/s without, and at 7.9, 9.7, 12.0 and 13.0 with 512, 1024, 2048 and 4096 bytes (2026-11-30)."""
    most_rows: int = 16
    pointers: int = 4
    """`most_rows`: the most rows of x of such a kernel, whose sums are in registers. On one thread of an Emerald
    Rapids, 16 x 11008 x 4096 runs at 3.3 G weights/s so, the product of expanded blocks at 2.1, the dense one at 2.3
    (2026-11-30). `pointers`: to rows of x; further rows are named by their distance from these."""
    deepest: int = 128
    """The most rows of a record of weights that share scales. With scales of f16 that is 128 bytes of scale beside 4096
    bytes of codes."""
    written: int = 32
    """The most rows of such a kernel whose code is written out. Source: estimate, not measured."""

    bits: int = 16
    shifted: int = 4
    """`bits`: those of a mask whose code is written out, where they are expanded one by one: a multiple of `shifted`,
    after so many of which the mask is shifted. Source: estimates, not measured."""
    nonzeros_ahead: int = 512
    """Bytes of non-zeros ahead of those at hand that are prefetched when bit masks are expanded: those of eight rows of
    bf16 at a density of a half. On one thread of an Emerald Rapids beside eight others, 1 x 11008 x 4096 in bf16 of
    which 50 % and 75 % are zero runs at 1.40 and 1.62 times the dense product without, and at 1.57 and 1.74 with 512
    bytes, 1.46 and 1.67 with 1024 (2026-11-30)."""

    few_rows: int = 64
    """With at most this many rows, each worker expands its own blocks of B."""
    shared: int = 4 << 20
    """The most bytes of expanded B that workers share."""


class GroupTuning(NamedTuple):
    """The cuts of grouped products: see runtime/grouped."""

    rows: int = 256
    """The rows of a member for which the blocks of B are chosen."""
    nominal: int = 64
    """The rows for which kernels that finish sums are planned."""
    sums: int = 64 << 10
    """The most elements of a block whose sums lie in scratch memory; a piece of a member has so many rows."""
    most: int = 512
    least: int = 64
    """The most rows of a piece, for which each block of B is packed once, and the least."""
    pieces: int = 256
    """The pieces into which all products together are cut at least, if they have so many blocks of columns."""
    parts: int = 240
    """The runs of pieces that are dealt out to threads, a number that many numbers of threads divide."""
    around: int = 16
    """The time to pack a block of B, as a number of rows that are multiplied by it."""
    depth: int = 1024
    """The steps of k of a block of B that is converted in the kernel."""
    terms: int = 512
    pair: int = 32
    """The terms of a block of A and B, of products of any number of terms, and those of a pair of their batches."""
    high: int = 128
    wide: int = 512
    """The rows and columns of a block of C of such a product."""
    per_cycle: int = 5
    """An overestimate of the operations per cycle and vector element of one thread, by which the time of a product is
    estimated, also of ts.gemm. It exceeds what the hardware does, since packing and Python's overhead are not divided
    among threads: called from Python on a Zen 4, f32 of 100 cubed takes 26 us on one thread and 18 on two, but 37 and
    46 if the second worker sleeps (docs/log/gemm.md)."""


class SpreadTuning(NamedTuple):
    """The cuts of `spread`: see runtime/ops/spread_moves.py."""

    wide: int = 4096
    """The bytes of a row from which its columns are cut rather than the rows, whose results would have to be joined."""
    least_rows: int = 64
    """The fewest rows of a part whose results are joined with those of others."""
    joined: int = 512
    """The columns of a result that a worker joins at a time."""


class ExecutorTuning(NamedTuple):
    """How the steps of a compiled graph are dealt to threads: see runtime/executor/schedule.py."""

    divided: int = 12_000
    """The cycles of one thread from which on all threads compute a step together, in parts. Each such step needs a
    barrier before the next one that reads its result, and another one after the step before it."""
    barrier: int = 1_500
    """The cycles of a barrier, about half a microsecond. Steps that several threads could compute next to each other
    are computed by one, if the barrier behind them would cost more than that."""
    moved: int = 16
    """The bytes a cycle that one core reads and writes in its second cache, about. A step takes at least its bytes by
    that, since the planners' estimates are of operands in the first cache."""
    parts: int = 64
    """The most parts of a stack of products, enough for the cores of one machine."""
    multiplied: int = 16
    """The products of elements in a cycle of one thread, about, by which threads share a product of the rows of a call,
    or do not."""
    counts: int = 8
    """The most numbers of threads for which a segment keeps what calls it."""


BLOCKS, TILES, PANELS = BlockTuning(), TileBlockTuning(), PanelTuning()
LARGE_L2 = BlockTuning(
    of_a=0.35, line=4096, few_rows=((4, 1024, 8), (16, 1024, 32), (48, 512, 64)), resident=0.375, unpacked_as_is=0.14
)
"""The cuts of Sapphire and Emerald Rapids, and of other processors whose L2 has 2 MiB."""
CONVERTED, CANDIDATES, GROUPS, SPREAD = ConversionTuning(), CandidateTuning(), GroupTuning(), SpreadTuning()
EXECUTOR = ExecutorTuning()
COMPRESSED = CompressedTuning()


def blocks_of(l2: int) -> BlockTuning:
    """Return the table of a family of processors, by the bytes of L2."""
    return LARGE_L2 if l2 >= _LARGE else BLOCKS


_LARGE = 2 << 20


class ProgramTuning(NamedTuple):
    """By which programs are cut into kernels (runtime/graph).

    spread     the elements from which a region, attention or a gather runs on all cores. Waking a worker takes about
               2 us, and f32 of 16,384 elements in L2 about 4 (prototype of torch.compile, docs/log/graph.md)
    products   the products of a batch above which a loop in machine code calls their kernel, in place of a step for
               each: making such a loop takes 0.8 ms, as long as some 600 calls (runtime/ops/calls.py)
    kept       the numbers of rows whose programs are kept: as many lengths as a server meets, at some 100 KB of code
    power      the largest exponent that becomes multiplications: seven of them, of which each rounds once
    banded     the bytes of weights up to which a product of the rows of a call is one kernel in bands of rows. Larger
               ones are read in blocks, whose sums are finished in a second pass: 64 x 64 of f32 by 8 to 256 rows take
               5 to 10% longer than a kernel of known rows in bands, 64 x 256 up to 5% in blocks and 30 to 60% in bands
               (tests/bench/rows_of_calls.py; Emerald Rapids, one thread)
    stand_ins  pairs of primes that stand for a number of rows, so that no extent is a multiple of them by chance; the
               next ones, if one is
    recorded   a larger prime, which stands for it in the shapes that a user of ts.graph sees: of these, no attribute
               may have a multiple
    compared   the most bytes of constants that are compared byte by byte, and not by where they lie
    nominal    the rows of a call for which steps of one worker are weighed
    topk_block  the fewest elements of a block of a row whose k best elements are wanted: a vector's
    topk_heads  how much longer an element of such a block takes where the best one of each is found than in a long
               row: 0.9 ns in blocks of 16, 0.7 in those of 32 to 128, 0.49 in rows of 32,000 (f32, Emerald Rapids, one
               thread)
    heads      the most elements of a row of q, k and v with which products around a softmax become attention: a block
               of keys and its sums then fit the scratch memory of its kernels on every target
    """

    spread: int
    products: int
    power: int
    kept: int
    banded: int
    stand_ins: tuple[tuple[int, int], ...]
    recorded: int
    compared: int
    nominal: int
    heads: int
    topk_block: int
    topk_heads: int


PROGRAMS = ProgramTuning(
    spread=16_384,
    products=64,
    power=64,
    kept=64,
    banded=20 << 10,
    stand_ins=((101, 103), (107, 109), (113, 127)),
    recorded=1_000_003,
    compared=4 << 20,
    nominal=64,
    heads=256,
    topk_block=16,
    topk_heads=2,
)
