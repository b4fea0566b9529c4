"""Zen 4: AVX-512 on pipes of 256 bits. What no measurement says otherwise is as in the default table."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING

from ...encoder.deferred import deferred
from ...encoder.records import cached_property
from .default import DEFAULT
from .table import Tuning

if TYPE_CHECKING:
    from .eltwise import EltwiseTuning
    from .reduce import ReduceTuning
    from .transform import TransformTuning


@deferred
def _transform() -> ModuleType:
    from . import transform

    return transform


class Zen4(Tuning):
    """Elementwise kernels, reductions and transposes differ."""

    @cached_property
    def eltwise(self) -> EltwiseTuning:
        """How narrow results are stored."""
        # Measured on an EPYC of family 19H, model 11H, on 2026-11-23: stores that narrow take 0.89 (i32 to u8), 0.93
        # (f32 to u8) and 0.98 (f32 to i8) of the time of packs for 4,096 elements, and the same beyond L1.
        return replace(DEFAULT.eltwise, packs_what_stores_narrow=False)

    @cached_property
    def reduce(self) -> ReduceTuning:
        """The accumulators."""
        # 3 accumulators of two vectors, or 6 of one: 16 x 384 f32 in L1 on 2026-11-23, by the rate of loads: maximum
        # 0.92 instead of 0.89, largest magnitude 0.92 and 0.89, sum 0.93 and 0.92, sum with squares 0.88 and 0.87.
        return replace(DEFAULT.reduce, all_step=6)

    @cached_property
    def transform(self) -> TransformTuning:
        """The costs of shuffles."""
        return replace(
            DEFAULT.transform,
            # Measured on an EPYC of family 19H, model 11H, on 2026-11-20: unpack and shufps start three a cycle for 256
            # bits, other shuffles two, an insert from memory takes 0.55 of the pipes. For 512 bits all take twice as
            # long.
            shuffles_split=_transform().ShuffleCosts(1 / 3, 1 / 2, 1 / 2, 1 / 2, insert=0.55),
        )


ZEN4 = Zen4()
