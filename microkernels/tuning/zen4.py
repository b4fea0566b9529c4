"""Zen 4: AVX-512 on pipes of 256 bits. What no measurement says otherwise is as in the default table."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING

from ...encoder.deferred import deferred
from ...encoder.forks import cached_property
from .default import DEFAULT
from .table import Tuning

if TYPE_CHECKING:
    from .transform import TransformTuning


@deferred
def _transform() -> ModuleType:
    from . import transform

    return transform


class Zen4(Tuning):
    """Transposes differ."""

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
