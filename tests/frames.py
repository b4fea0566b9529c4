"""How many Python functions a call runs: a measure of work that a busy machine does not change."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType


def frames(function: Callable[[], object]) -> Counter[str]:
    """Return how often each Python function was entered by `function`, which is counted too, keyed by its name."""
    found: Counter[str] = Counter()

    def entered(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            found[frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(entered)
    try:
        function()
    finally:
        sys.setprofile(before)
    return found
