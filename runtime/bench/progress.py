"""How far a benchmark is, on the standard error: `for row in each(rows, "layers"): ...`.

No thread draws, because that would take time from what is measured: the text changes between two steps. On a terminal
it is one line that is overwritten, elsewhere a line every half minute, the first one after two seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

_FIRST, _LATER = 2.0, 30.0
_ERASE = "\r\033[K"


def each(items: Iterable[Item], what: str) -> Iterator[Item]:
    """Yield the items. Before each, say how many are done and how long the others will take at the same pace."""
    steps, start = list(items), time.monotonic()
    terminal, due = sys.stderr.isatty(), start + _FIRST
    for done, step in enumerate(steps):
        now = time.monotonic()
        if done and (terminal or now >= due):
            text = f"{what}: {done} of {len(steps)}, about {_clock((now - start) / done * (len(steps) - done))} left"
            print(f"{_ERASE}{text}" if terminal else text, end="" if terminal else "\n", file=sys.stderr, flush=True)
            due = now + _LATER
        yield step
    if terminal:
        print(_ERASE, end="", file=sys.stderr, flush=True)


def _clock(seconds: float) -> str:
    """Return a time as minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
