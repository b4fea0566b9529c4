"""The quickest of several that compute the same, within a time: many are tried once, the best of them again and again.

First the contenders run in the order in which they are given, best guess first, until a part of the time is over. Then
those that were quickest, and the one that is used now, take turns in rounds, each in a drawn order. Only these rounds
count, so a lucky sample of one among many is no gain. A gain is the less of two figures, since other programs disturb
each in another way: the ratio of the least times, and the median of the ratios within a round.
"""

from __future__ import annotations

import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Generic, TypeVar

from ...encoder.deferred import deferred
from ...encoder.records import dataclass

T = TypeVar("T")

_FIRST, _FINALISTS, _ROUNDS, _SAMPLES = 0.6, 5, 5, 2
"""The share of the time in which contenders are tried; how many run again at most; rounds of them at least; samples of
one that is tried."""
_SAMPLE = 2e-3
"""Seconds of a sample at least: shorter calls are repeated."""
GAIN, OFTEN = 1.01, 0.75
"""How many times as fast the best must be as what is used now, and in which share of the rounds it must be quicker:
less is noise."""
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
    """A contender, the least seconds of a call in the rounds that count, or None, and the least when it was tried."""

    contender: T
    seconds: float | None
    tried: float


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """best: the quickest; used: least seconds of the one that is used now, and seconds: of the best, which may be the
    same; gain: how many times as fast the best is. timed: all that ran, finalists first."""

    best: T
    used: float
    seconds: float
    gain: float
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
    room = clock.left() / (_ROUNDS * max(_SAMPLE, tried[0][0]))
    finalists = [number for _, number in sorted(tried[1:])[: max(1, min(_FINALISTS, int(room) - 1))]]
    final = _rounds([0, *finalists], calls, {number: seconds for seconds, number in tried}, clock)
    gains = {number: _gain(final[0], final[number]) for number in finalists}
    best = max(finalists, key=lambda number: gains[number], default=0)
    best = best if gains.get(best, 0.0) >= GAIN else 0
    least = {number: min(seconds) for number, seconds in final.items()}
    timed = sorted((Timed(everyone[number], least.get(number), seconds) for seconds, number in tried),
                   key=lambda each: (each.seconds is None, each.seconds or each.tried))  # fmt: skip
    return Outcome(everyone[best], least[0], least[best], gains[best] if best else 1.0, tuple(timed))


def _gain(used: Sequence[float], other: Sequence[float]) -> float:
    """How many times as fast another one is, in the same rounds; 0 where it is not quicker often enough to tell."""
    ratios = [before / after for before, after in zip(used, other)]
    often = sum(each > 1 for each in ratios) >= OFTEN * len(ratios)
    return min(statistics.median(ratios), min(used) / min(other)) if often else 0.0


class _Clock:
    def __init__(self, until: float, advance: Callable[[float], None]) -> None:
        self.start = self.last = time.perf_counter()
        self.until, self.advance = until, advance

    def tick(self) -> None:
        now = time.perf_counter()
        self.advance(min(now, self.until) - min(self.last, self.until))
        self.last = now

    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self.until - time.perf_counter())

    def share(self) -> float:
        """Of the time, what has passed."""
        return (time.perf_counter() - self.start) / max(self.until - self.start, 1e-9)


def _tried(function: Callable[[], object], calls: dict[int, Callable[[], object]], number: int) -> float:
    """The least of the first samples, behind a call that makes what is missing."""
    calls[number] = function
    function()
    once = _sample(function, 1)
    return min(once, *(_sample(function, _count(once)) for _ in range(_SAMPLES)))


def _rounds(numbers: Sequence[int], calls: dict[int, Callable[[], object]], guess: dict[int, float], clock: _Clock
            ) -> dict[int, list[float]]:  # fmt: skip
    """Seconds of each in every round until the time is over."""
    found: dict[int, list[float]] = {number: [] for number in numbers}
    rng = random.Random(0)
    while len(found[0]) < _ROUNDS or clock.left() > 0:
        for number in rng.sample(list(numbers), len(numbers)):
            found[number].append(_sample(calls[number], _count(guess[number])))
        clock.tick()
    return found


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
