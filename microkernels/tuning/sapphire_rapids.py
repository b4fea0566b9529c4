"""Sapphire Rapids and Emerald Rapids: 2 MiB of L2 for each core, and an L3 whose bandwidth for one core is about
memory's. Values without a differing measurement are those of the default table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...encoder.records import cached_property
from .default import DEFAULT
from .table import Tuning

if TYPE_CHECKING:
    from .fused import FusedTuning


class SapphireRapids(Tuning):
    """The constants of fused kernels differ from the defaults."""

    @cached_property
    def fused(self) -> FusedTuning:
        """Prefetch rows from L3 as rows from memory, in passes of any length."""
        # Measured on an Emerald Rapids, family 6, model CFH, on 2026-11-28, ns per element without and with:
        # log_softmax of 1024 x 384 0.486 and 0.381, softmax 0.387 and 0.359, of 4096 x 1024 0.491 and 0.420,
        # layernorm_inv of 1024 x 384 0.637 and 0.593, cross_entropy of 4096 x 1024 0.449 and 0.378; the others within
        # 0.03 of each other (docs/log/fused.md).
        return replace(DEFAULT.fused, far_bytes=2 << 20, busy=1 << 10)


SAPPHIRE_RAPIDS = SapphireRapids()
