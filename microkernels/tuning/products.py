"""The numbers by which large products are cut into blocks (runtime/ops/)."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class ProductsTuning:
    """The defaults.

    The packed block of B that a kernel multiplies with is a *panel*: `panel_vectors` vector registers of columns, and
    as many steps of k as a *depth*. Rows of A come in *blocks* of the same depth.
    """

    panel_vectors: int = 3
    """Vector registers of columns in a panel. Source: 3 x 8 accumulators need the fewest loads of a step of k; measured
    on a Zen 4, one kernel from L2: 48 columns 0.97 to 0.99 of peak, 64 columns 0.90, 32 columns 0.83."""
    panel_vectors_of_few_registers: int = 2
    """The same on machines of 16 vector registers. Source: counting of loads."""
    depth_bytes: int = 1536
    """Bytes of a row of A in a block: 384 steps of f32. Source: measured on a Zen 4: 384 steps 0.99 of peak, 128 steps
    0.95 (C is read and written more often), 512 steps 0.94 (a panel of 98 KiB)."""
    block_share: float = 0.2
    """Part of the second-level cache that a packed block of A takes. Source: measured on a Zen 4 with 1 MiB: 128 rows
    of 1,536 bytes 0.96, 512 rows 0.94; the panel and C need room beside it."""
    slab_share: float = 0.25
    """Part of the third-level cache that all packed panels of a depth take. Source: estimate, not measured; other
    cores use this cache too."""
    slab_bytes: int = 4 << 20
    """The same where the size of the third-level cache is unknown. Source: estimate, not measured."""
    least_slab_panels: int = 4
    """Panels that a slab has at least. Source: estimate, not measured."""
    direct_columns: int = 192
    """Columns of C up to which rows of A are read where they lie: a copy costs about a cycle an element of f32, its
    products n / 16. Source: estimate, not measured."""
    direct_rows: int = 32
    """Rows of such a block of A. Source: estimate: 32 rows of 1,536 bytes are 48 KiB."""
    items: int = 16
    """Parts that the blocks of C are dealt out in, at least, where there are as many. Source: estimate: with 2, 4 or 8
    workers no worker has more than an eighth more than its share."""
