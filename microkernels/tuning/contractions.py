"""The numbers by which contractions are cut into tiles (runtime/contraction): what a call, a copy and a cache cost."""

from __future__ import annotations

from ...encoder.records import NamedTuple


class ContractionTuning(NamedTuple):
    """Costs in cycles of one core, and shares of caches: see runtime/contraction/plan.py."""

    call: float = 60.0
    """Cycles of a call of a kernel beside its products: the call, its loops, the first loads and the last stores."""
    block: float = 30.0
    pair: float = 8.0
    """Cycles of a block of rows, and of each pair of its batch, beside its products."""
    narrow: float = 0.12
    """By how much a product is slower with panels of one vector; by half of it with two."""
    near: float = 40.0
    far: float = 10.0
    """Bytes per cycle that a core reads from L2, and from beyond it."""
    copied: float = 16.0
    turned: float = 5.0
    """Bytes per cycle that kernels copy in order, and that they transpose."""
    of_l1: float = 0.5
    of_l2: float = 0.6
    """The shares of L1 and of L2 in which a panel of B, or a tile and what it is multiplied by, stay."""
    sets: int = 2048
    apart: int = 64
    """Rows of a band `sets` bytes apart, or a multiple of it, share few sets of L1; so many more bytes move them to
    others."""
    reused: int = 32
    """A factor that changes is packed in each call if so many products read each of its elements."""
    scattered: int = 2048
    page: int = 4096
    stray: float = 6.0
    """Bytes from which on runs of elements are far apart, and rows from another page each; and the cycles by which a
    step of a block is longer with vectors along such rows. On a Sapphire Rapids with other load, products of
    ResNet-50's layer 5 had 0.55 of the peak in place, and 0.62 to 0.69 with copying; those of layer 10, whose rows are
    3 KiB apart, 0.85 and 0.71 (0.54 without prefetching)."""
    run: float = 60.0
    """The cycles of a run of elements of A that is copied, or of C that is stored, if runs are so far apart. Without
    huge pages, tiles of 112 of 3136 pixels of NCHW took up to twice as long as tiles of 392."""
    most_own: int = 128 << 20
    """The most bytes of scratch memory of a worker, for a band of A and a block of C."""
    spare: float = 1.5
    """The most rows that are computed across the rim of a band, by those of C."""
    tile: int = 16
    load_of_tile: float = 8.0
    """`tile`: rows of a tile, and cycles of a product of whole tiles. `load_of_tile`: cycles of a load of one."""
    rows: int = 48
    most_rows: int = 192
    unit: int = 8
    wide: int = 16
    steps: int = 320
    blocks: int = 4
    """Of contractions of two arrays: the least and the most rows of a block of C, of which blocks are multiples, its
    most vectors of columns, the steps of the depth that a product adds up, and the number of blocks for which rows are
    fewer. On an Emerald Rapids, gradients by weights of ResNet-50's layers 1, 2, 4, 5 and 11 take 0.7 to 0.9 of the
    time that they take with 48 rows, 4 vectors, and a quarter of L2 for a part. With even blocks, of 64 x 256 and not
    of 48 x 192 and 16 x 64, layer 5 takes 0.80 of the time, layer 2 0.92."""
    sliced: int = 16
    slice: int = 768
    folded: int = 2048
    """Of the same: the most blocks and slices of sums that are dealt out, the least terms of a slice, and the elements
    of C whose slices are added up at once. There, slices cost one core 2 to 4 %; two take 0.51 of the time, where they
    took all of it."""
    between: int = 64
    packed: int = 16384
    """`between`: the most places between two columns of B that are transposed together. `packed`: bytes of scratch
    memory from which their rows are copied into panels, half of the smallest L1."""
    phased_vectors: int = 2
    phased_weights: int = 64
    """Gradients by weights of dilated sequences are computed by phases where the channels of a tap are fewer than so
    many vectors, and each element of x meets at least so many weights."""
    most_ways: int = 2000
    ranked: float = 0.3
    """The most ways that `ts.tune` estimates, and the share of its time for that."""
    parallel: int = 3000
    unrolled: int = 8
    """The limits of the first pair of breaking points (Weng et al., section III.C.2): of iterations that are fused and
    dealt to workers, and of unrolled ones."""
    equal: float = 1.03
    """Measured times that differ less are equal."""
    cores: tuple[int, ...] = (1, 2, 8)
    share: float = 20_000.0
    """`cores`: numbers of cores that are to get equal shares of more than `share` cycles. The cut does not depend on
    the number of threads."""


CONTRACTIONS = ContractionTuning()
