"""The quickest of several that compute the same, within a time: many are tried once, the best of them again and again.

First the contenders run in the order in which they are given, best guess first, until a part of the time is over. Then
those that were quickest, and the one that is used now, take turns in a drawn order. Only these turns count, so a lucky
sample of one among many is no gain.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Generic, TypeVar

from ...encoder.deferred import deferred
from ...encoder.records import dataclass

T = TypeVar("T")

_FIRST, _FINALISTS, _ROUNDS, _SAMPLES = 0.6, 5, 3, 2
"""The share of the time in which contenders are tried; how many run again; rounds of them at least; samples of one that
is tried."""
_SAMPLE = 2e-3
"""Seconds of a sample at least: shorter calls are repeated."""
GAIN = 1.01
"""How much quicker the best must be than what is used now: less is noise."""
_UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0}
_BUDGET = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|min)\s*")


@deferred
def _progress() -> ModuleType:
    import rich.progress

    return rich.progress


@deferred
def _console() -> ModuleType:
    import rich.console

    return rich.console


@dataclass(frozen=True)
class Timed(Generic[T]):
    """A contender, the least seconds of a call in the turns that count, or None, and the least when it was tried."""

    contender: T
    seconds: float | None
    tried: float


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """best: the quickest; used: seconds of the one that is used now, and seconds: of the best, which may be the same.
    timed: all that ran, finalists first."""

    best: T
    used: float
    seconds: float
    timed: tuple[Timed[T], ...]


def seconds_of(budget: str | float, argument: str = "budget") -> float:
    """A time such as "10s", "500ms", "2min", or a number of seconds."""
    if isinstance(budget, str):
        found = _BUDGET.fullmatch(budget)
        if found:
            budget = float(found[1]) * _UNITS[found[2]]
    if isinstance(budget, bool) or not isinstance(budget, (int, float)):
        raise ValueError(f'{argument}: seconds, or a time such as "10s", "500ms" or "2min", not {budget!r}')
    if not 0 < budget < float("inf"):
        raise ValueError(f"{argument}: more than no time, not {budget!r}")
    return float(budget)


def contest(used: T, ranked: Sequence[T], call: Callable[[T], Callable[[], object]], until: float,
            advance: Callable[[float], None] = lambda _: None) -> Outcome[T]:  # fmt: skip
    """The quickest of `used` and `ranked`, best guess first. call: makes the function that is timed. until: when to
    stop, by time.perf_counter; the least that it takes is done in any case. advance: is told of the seconds that went
    by."""
    clock = _Clock(until, advance)
    calls: dict[int, Callable[[], object]] = {}
    tried = [(_tried(call(used), calls, 0), 0)]
    for number, each in enumerate(ranked, 1):
        if number > 1 and clock.share() > _FIRST:
            break
        tried.append((_tried(call(each), calls, number), number))
        clock.tick()
    everyone = (used, *ranked)
    finalists = [number for _, number in sorted(tried[1:])[:_FINALISTS]]
    final = _turns([0, *finalists], calls, {number: seconds for seconds, number in tried}, clock)
    best = min(finalists, key=lambda number: final[number], default=0)
    best = best if final[0] >= GAIN * final[best] else 0
    timed = sorted((Timed(everyone[number], final.get(number), seconds) for seconds, number in tried),
                   key=lambda each: (each.seconds is None, each.seconds or each.tried))  # fmt: skip
    return Outcome(everyone[best], final[0], final[best], tuple(timed))


class _Clock:
    def __init__(self, until: float, advance: Callable[[float], None]) -> None:
        self.start = self.last = time.perf_counter()
        self.until, self.advance = until, advance

    def tick(self) -> None:
        now = time.perf_counter()
        self.advance(min(now, self.until) - min(self.last, self.until))
        self.last = now

    def share(self) -> float:
        """Of the time, what has passed."""
        return (time.perf_counter() - self.start) / max(self.until - self.start, 1e-9)


def _tried(function: Callable[[], object], calls: dict[int, Callable[[], object]], number: int) -> float:
    """The least of the first samples, behind a call that makes what is missing."""
    calls[number] = function
    function()
    once = _sample(function, 1)
    return min(once, *(_sample(function, _count(once)) for _ in range(_SAMPLES)))


def _turns(numbers: Sequence[int], calls: dict[int, Callable[[], object]], guess: dict[int, float], clock: _Clock
           ) -> dict[int, float]:  # fmt: skip
    """The least seconds of each, in rounds until the time is over."""
    least = dict.fromkeys(numbers, float("inf"))
    rng, rounds = random.Random(0), 0
    while rounds < _ROUNDS or clock.share() < 1:
        for number in rng.sample(list(numbers), len(numbers)):
            least[number] = min(least[number], _sample(calls[number], _count(guess[number])))
        rounds += 1
        clock.tick()
    return least


def _count(seconds: float) -> int:
    return max(1, round(_SAMPLE / seconds))


def _sample(function: Callable[[], object], count: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(count):
        function()
    return max(1, time.perf_counter_ns() - start) * 1e-9 / count


@contextmanager
def bar(title: str, total: float) -> Iterator[Callable[[float], None]]:
    """A progress bar where there is a terminal; yields what moves it on."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with _progress().Progress(console=_console().Console(stderr=True), transient=True) as shown:
        task = shown.add_task(title, total=total)
        yield lambda amount: shown.advance(task, amount)
