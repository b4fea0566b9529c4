"""Zen 4: AVX-512 on pipes of 256 bits. What no measurement says otherwise is as in the default table."""

from __future__ import annotations

from dataclasses import replace

from .default import DEFAULT
from .transform import ShuffleCosts

ZEN4 = replace(
    DEFAULT,
    transform=replace(
        DEFAULT.transform,
        # Measured on an EPYC of family 19H, model 11H, on 2026-11-20: unpack and shufps start three a cycle for 256
        # bits, other shuffles two, an insert from memory takes 0.55 of the pipes. For 512 bits all take twice as long.
        shuffles_split=ShuffleCosts(1 / 3, 1 / 2, 1 / 2, 1 / 2, insert=0.55),
    ),
)
