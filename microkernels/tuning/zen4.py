"""Zen 4: AVX-512 on pipes of 256 bits. What no measurement says otherwise is as in the default table."""

from __future__ import annotations

from dataclasses import replace

from .default import DEFAULT
from .transform import ShuffleCosts

ZEN4 = replace(
    DEFAULT,
    # Measured on an EPYC of family 19H, model 11H, on 2026-11-23: stores that narrow take 0.89 (i32 to u8), 0.93 (f32
    # to u8) and 0.98 (f32 to i8) of the time of packs for 4,096 elements, and the same beyond the first-level cache.
    eltwise=replace(DEFAULT.eltwise, packs_what_stores_narrow=False),
    transform=replace(
        DEFAULT.transform,
        # Measured on an EPYC of family 19H, model 11H, on 2026-11-20: unpack and shufps start three a cycle for 256
        # bits, other shuffles two, an insert from memory takes 0.55 of the pipes. For 512 bits all take twice as long.
        shuffles_split=ShuffleCosts(1 / 3, 1 / 2, 1 / 2, 1 / 2, insert=0.55),
    ),
)
