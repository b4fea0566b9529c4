"""The operands that a product prefetches or keeps out of the caches, and how a request names them (gemm/hints.py)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..encoder.records import NamedTuple
from .errors import UnsupportedError
from .names import chosen

LEVELS = ("l1", "l2", "l3")


class Hints(NamedTuple):
    """The hints of one kernel, by the letters of the call's operands."""

    prefetch: str = ""
    level: int = 2  # the cache level into which a and b are fetched
    steps: int = 0  # how many steps of k ahead
    streaming: str = ""

    def __str__(self) -> str:
        told = []
        ahead = [name.upper() for name in self.prefetch if name != "c"]
        if ahead:
            told.append(
                f"lines of {' and '.join(ahead)} are prefetched {self.steps} steps of k ahead, into L{self.level}"
            )
        if "c" in self.prefetch:
            told.append("lines of C are prefetched for writing when a block begins")
        loaded = [name.upper() for name in self.streaming if name != "c"]
        if loaded:
            told.append(f"tiles of {' and '.join(loaded)} are loaded past the first-level cache")
        if "c" in self.streaming:
            told.append("C is stored past the caches where it is aligned to lines")
        return "; ".join(told)


NONE = Hints()


def prefetch_of(value: Any) -> str:
    """Normalise the request: letters of operands, then @ and the cache level if it is not l2."""
    letters, at, level = value.partition("@") if isinstance(value, str) else ("?", "", "")
    level = chosen("prefetch", level, LEVELS) if at else "l2"
    found = _letters("prefetch", letters, value, ', and the cache behind @, as in "ab@l1"')
    return found if level == "l2" or not found else f"{found}@{level}"


def streaming_of(value: Any, beta: float, epilogue: bool) -> str:
    """Normalise the request for streaming. If C is read, it is in the caches anyway, so "c" is refused."""
    found = _letters("streaming", value, value, "")
    if "c" in found and beta != 0:
        raise UnsupportedError(
            'streaming="c": needs beta=0, because otherwise C is read; with beta=0 it is stored past the caches'
        )
    if "c" in found and epilogue:
        raise UnsupportedError('streaming="c": an epilogue stores C through the caches; leave one of them out')
    return found


def _letters(what: str, letters: Any, value: Any, more: str) -> str:
    if not isinstance(letters, str) or not re.fullmatch("[abc]*", letters) or len({*letters}) < len(letters):
        raise ValueError(
            f'{what}: None for the planner\'s choice, "" for none, or letters of operands, as "ab"{more}; not {value!r}'
        )
    return "".join(sorted(letters))


def without_hints(spec: Any) -> Any:
    """Return the product without hints, so that the planner chooses."""
    return replace(spec, prefetch=None, streaming=None)
