"""How a request names the operands that a product prefetches or keeps out of the caches (gemm/hints.py)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from .errors import UnsupportedError
from .names import chosen

LEVELS = ("l1", "l2", "l3")


def prefetch_of(value: Any) -> str:
    """The request in one spelling: letters of operands, and the cache behind @ where it is not l2."""
    letters, at, level = value.partition("@") if isinstance(value, str) else ("?", "", "")
    level = chosen("prefetch", level, LEVELS) if at else "l2"
    found = _letters("prefetch", letters, value, ', and the cache behind @, as in "ab@l1"')
    return found if level == "l2" or not found else f"{found}@{level}"


def streaming_of(value: Any, beta: float, epilogue: bool) -> str:
    """The same; C, if it is read, is in the caches anyway."""
    found = _letters("streaming", value, value, "")
    if "c" in found and beta != 0:
        raise UnsupportedError('streaming="c": C is read, since beta is not 0; beta=0 stores it past the caches')
    if "c" in found and epilogue:
        raise UnsupportedError('streaming="c": an epilogue stores C through the caches; without one it works')
    return found


def _letters(what: str, letters: Any, value: Any, more: str) -> str:
    if not isinstance(letters, str) or not re.fullmatch("[abc]*", letters) or len({*letters}) < len(letters):
        raise ValueError(f'{what}: None for the planner\'s choice, "" for none, or letters of operands, as "ab"{more}; '
                         f"not {value!r}")  # fmt: skip
    return "".join(sorted(letters))


def without_hints(spec: Any) -> Any:
    """The same product, whose planner chooses."""
    return replace(spec, prefetch=None, streaming=None)
