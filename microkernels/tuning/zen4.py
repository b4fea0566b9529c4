"""Zen 4: AVX-512 on pipes of 256 bits. Values without a differing measurement are those of the default table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.records import cached_property
from .default import DEFAULT
from .table import Tuning

if TYPE_CHECKING:
    from . import transform as tuning_transform
    from .eltwise import EltwiseTuning
    from .reduce import ReduceTuning
    from .transform import TransformTuning

tuning_transform = lazy(__package__, ".transform")


class Zen4(Tuning):
    """The constants of elementwise kernels, reductions and transposes differ from the defaults."""

    @cached_property
    def eltwise(self) -> EltwiseTuning:
        """Let stores narrow results by themselves."""
        # Measured on an EPYC of family 19H, model 11H, on 2026-11-23: narrowing stores take 0.89 (i32 to u8), 0.93 (f32
        # to u8) and 0.98 (f32 to i8) of the time of packs for 4,096 elements, and the same time beyond L1.
        return replace(DEFAULT.eltwise, packs_what_stores_narrow=False)

    @cached_property
    def reduce(self) -> ReduceTuning:
        """Use six vectors of accumulators for all elements."""
        # 3 accumulators of two vectors, or 6 of one. 16 x 384 f32 in L1 on 2026-11-23, as shares of the rate of loads:
        # maximum 0.92 instead of 0.89, largest magnitude 0.92 and 0.89, sum 0.93 and 0.92, sum with squares 0.88 and
        # 0.87.
        return replace(DEFAULT.reduce, all_step=6)

    @cached_property
    def transform(self) -> TransformTuning:
        """The measured costs of shuffles."""
        return replace(
            DEFAULT.transform,
            # Measured on an EPYC of family 19H, model 11H, on 2026-11-20: for 256 bits, three unpack or shufps start
            # per cycle, and two other shuffles; an insert from memory takes 0.55 of the pipes. For 512 bits all take
            # twice as long.
            shuffles_split=tuning_transform.ShuffleCosts(1 / 3, 1 / 2, 1 / 2, 1 / 2, insert=0.55),
        )


ZEN4 = Zen4()
