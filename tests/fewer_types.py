"""A made-up target that multiplies and converts fewer types than any real one, for tests of refusals."""

from __future__ import annotations

from dataclasses import replace

from tilesmith.encoder.features import TARGETS

FEWER = replace(TARGETS["sse"], name="fewer", features=TARGETS["sse"].features - {"SSE4_1", "SSE4_2"})
"""SSSE3: no unit of 16 or 8 bits, native or composed."""
