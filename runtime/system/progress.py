"""How far long work is, and how long the rest will take: on the standard error.

    with progress("tables", len(tables)) as advance:
        for each in tables:
            ...
            advance(1)

On a terminal it is one line that is overwritten. Elsewhere lines are written ever more rarely, at last every minute,
but only for commands (`in_pipes`), because a library writes nothing into the logs of programs. What takes less than two
seconds says nothing. No thread draws, because that would take time from what is measured.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

Item = TypeVar("Item")
FIRST_WORD = 2.0
"""The seconds after which progress is told first, and until a line on a terminal is overwritten."""
_ERASE = "\r\033[K"
_tells_pipes: ContextVar[bool] = ContextVar("_tells_pipes", default=False)


@contextmanager
def in_pipes() -> Iterator[None]:
    """Tell progress in the body also where the standard error is no terminal."""
    token = _tells_pipes.set(True)
    try:
        yield
    finally:
        _tells_pipes.reset(token)


def is_told() -> bool:
    """Whether anybody is told."""
    return _is_terminal() or _tells_pipes.get()


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class Advance(Protocol):
    """A function that is called with the part of the total that has been done since, and, if there is no total, with
    what is being done and a function that returns which part of that is done."""

    def __call__(self, amount: float, doing: str = "", part: Callable[[], float] = float, /) -> None: ...


@contextmanager
def progress(what: str, total: float | None = None) -> Iterator[Advance]:
    """Yield the function that tells how far the body is. total: a number of things, or of seconds if it is a float.
    Without a total it tells how much time has passed."""
    if not is_told():
        yield lambda *_: None
        return
    start, terminal = time.monotonic(), _is_terminal()
    done, due = 0.0, start + FIRST_WORD

    def advance(amount: float, doing: str = "", part: Callable[[], float] = float, /) -> None:
        nonlocal done, due
        done += amount
        now = time.monotonic()
        if now < due or (total is not None and not 0 < done < total):
            return
        passed = now - start
        if total is None:
            text = f"{what}: {_clock(passed)} so far{f', {doing} {part():.0%}' if doing else ''}"
        else:
            share = f"{done / total:.0%}" if isinstance(total, float) else f"{done:.0f} of {total}"
            text = f"{what}: {share}, about {_clock(passed / done * (total - done))} left"
        print(f"{_ERASE}{text}" if terminal else text, end="" if terminal else "\n", file=sys.stderr, flush=True)
        due = now + (FIRST_WORD if terminal else min(passed, 60))

    try:
        yield advance
    finally:
        if terminal and due > start + FIRST_WORD:
            print(_ERASE, end="", file=sys.stderr, flush=True)


def steps(items: Iterable[Item], what: str) -> Iterator[Item]:
    """Yield the items, and tell how many of them are done."""
    every = list(items)
    with progress(what, len(every)) as advance:
        for each in every:
            yield each
            advance(1)


def _clock(seconds: float) -> str:
    """Return a time as minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
