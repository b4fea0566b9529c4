"""The accuracies that a request may name."""

from __future__ import annotations

ACCURATE, STANDARD, FAST = "accurate", "standard", "fast"
ACCURACIES = (STANDARD, ACCURATE, FAST)
"""At most 4 ulp; at most 1 (2 where stated); as each function states."""
STANDARD_F16 = "standard f16"
"""Standard for results that are rounded to f16: right for every f16 argument."""
