"""The parts of a request that concern tensor units: numerics, configuration of tile registers, blocks of operands.

They are here so that requests can be checked, and looked up in a cache, without importing the machines' verbs
(contract/dot_and_tile.py, contract/mmla.py).
"""

from __future__ import annotations

NUMERICS = ("exact", "fast")
HALF = "half"
"""Numerics of kernels whose sums are f16."""
PAIRED = "paired"
"""Numerics of products of bf16 elements that were converted to f32: the same sums as those of the bf16 elements."""
PLAIN = "plain"
"""Numerics of products of one type, f32 or f64, with a multiply-add for each element."""
TILED = "tiled"
"""Numerics of kernels that replace a kernel on tile registers by other instructions, with sums in the same order."""

OWN, SHARED, HELD = "own", "shared", "held"
"""Who configures the tile registers. OWN: the kernel. SHARED: the caller, and the kernel reconfigures on a mismatch.
HELD: the caller, and the kernel does not check."""

BLOCK_BYTES = 16
"""Bytes of a block of an MMLA unit: neighbours along k, of each of two rows or columns."""
COLUMNS = 2
"""Columns of one 2 x 2 product, which has the same number of rows."""
