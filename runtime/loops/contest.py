"""Find the fastest of several contenders that compute the same, within a time limit.

First the contenders run in the given order, best guess first, until a part of the time is over. Then the fastest of
them and the one that is in use now take turns in rounds, each round in a random order. Only these rounds count, so a
single lucky sample among many does not win. The gain is the smaller of two figures, since disturbances by other
programs affect each of them differently: the ratio of the least times, and the median of the ratios within a round.
"""

from __future__ import annotations

import random
import re
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ...encoder.records import dataclass

T = TypeVar("T")

_FIRST, _FINALISTS, _ROUNDS, _SAMPLES = 0.6, 5, 5, 2
"""`_FIRST`: the share of the time in which contenders are tried. `_FINALISTS`: the most contenders that run again.
`_ROUNDS`: the minimum number of rounds. `_SAMPLES`: samples per contender that is tried."""
_SAMPLE = 2e-3
"""The minimum seconds of a sample. Shorter calls are repeated."""
GAIN, OFTEN = 1.01, 0.75
"""`GAIN`: how many times as fast the best must be as the one in use. `OFTEN`: the share of the rounds in which it must
be faster. Smaller differences are noise."""
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_BUDGET = re.compile(rf"\s*(\d+(?:\.\d+)?)\s*({'|'.join(_UNITS)})\s*")


@dataclass(frozen=True)
class Timed(Generic[T]):
    """A contender, its least seconds per call in the rounds that count (or None), and its least seconds when it was
    tried."""

    contender: T
    seconds: float | None
    tried: float


@dataclass(frozen=True)
class ContestResult(Generic[T]):
    """The result of a contest.

    best      the fastest contender
    used      the least seconds of the contender in use now
    seconds   the least seconds of the best one, which may be the same
    gain      how many times as fast the best one is; 1 if the one in use now stays, since none is faster
    timed     all contenders that ran, finalists first
    """

    best: T
    used: float
    seconds: float
    gain: float
    timed: tuple[Timed[T], ...]


def times(used: float, before: str, seconds: float, gain: float) -> str:
    """Return what a contest has found, in words. before: what the contender in use until now is called."""
    if gain == 1:
        return f"{used * 1e3:.3f} ms {before}, which stays: nothing faster was found"
    return f"{used * 1e3:.3f} ms {before}, {seconds * 1e3:.3f} ms tuned, {gain:.3f} times as fast"


def seconds_of(budget: str | float) -> float:
    """Return the seconds of a time such as "10s", "500ms" or "2min", or of a number of seconds."""
    if isinstance(budget, str):
        found = _BUDGET.fullmatch(budget)
        if found:
            budget = float(found[1]) * _UNITS[found[2]]
    if isinstance(budget, bool) or not isinstance(budget, (int, float)):
        units = ", ".join(_UNITS)
        raise ValueError(f'budget: seconds, or a time such as "10s" or "500ms" (units: {units}), not {budget!r}')
    if not 0 < budget < float("inf"):
        raise ValueError(f"budget: must be more than 0 seconds, not {budget!r}")
    return float(budget)


def contest(
    used: T,
    ranked: Sequence[T],
    call: Callable[[T], Callable[[], object]],
    until: float,
    advance: Callable[[float], None] = lambda _: None,
) -> ContestResult[T]:
    """Return the fastest of `used` and `ranked`, which has the best guess first. `call` makes the function that is
    timed. `until` is the time.perf_counter at which to stop; a minimum of work is done in any case. `advance` receives
    the seconds that have passed."""
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
    timed = sorted(
        (Timed(everyone[number], least.get(number), seconds) for seconds, number in tried),
        key=lambda each: (each.seconds is None, each.seconds or each.tried),
    )
    return ContestResult(everyone[best], least[0], least[best], gains[best] if best else 1.0, tuple(timed))


def whole_gain(outcome: ContestResult[T], untuned: Callable[[T], bool], before: float | None) -> float:
    """Return how many times as fast the best contender is as the untuned one, of which `untuned` knows. `before` is the
    gain of the one in use by an earlier contest, None if that is the untuned one. It counts only if the untuned one did
    not run again."""
    if before is None or untuned(outcome.best):
        return outcome.gain if before is None else 1.0
    again = next((each.seconds or each.tried for each in outcome.timed if untuned(each.contender)), None)
    return before * outcome.gain if again is None else max(1.0, again / outcome.seconds)


def _gain(used: Sequence[float], other: Sequence[float]) -> float:
    """Return how many times as fast the other contender is in the same rounds, or 0 if it is not faster often
    enough."""
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
        """Return the seconds that are left."""
        return max(0.0, self.until - time.perf_counter())

    def share(self) -> float:
        """Return the share of the time that has passed."""
        return (time.perf_counter() - self.start) / max(self.until - self.start, 1e-9)


def _tried(function: Callable[[], object], calls: dict[int, Callable[[], object]], number: int) -> float:
    """Return the least time of the first samples, taken after one call that initializes everything."""
    calls[number] = function
    function()
    once = _sample(function, 1)
    return min(once, *(_sample(function, _count(once)) for _ in range(_SAMPLES)))


def _rounds(
    numbers: Sequence[int], calls: dict[int, Callable[[], object]], guess: dict[int, float], clock: _Clock
) -> dict[int, list[float]]:
    """Return the seconds of each contender in every round until the time is over."""
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
