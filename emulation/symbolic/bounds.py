"""Bounds on a proof: seconds of time, and loops that have no end.

    with bounded(20.0, told):     a proof that takes longer raises OutOfTime; `told` is called again and again
        ...
    check()                       called by whatever may take long

Besides, an execution is abandoned after `machine.LIMIT` instructions, and a table holds at most `values.MOST_VALUES`
values. A loop that comes back to a state it has been in is endless, because nothing else decides on its branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic
from typing import Any, TypeVar

from ...encoder.records import NamedTuple

Thing = TypeVar("Thing")


class OutOfTime(Exception):
    """A proof took longer than it may."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"no verdict within timeout={seconds:g} seconds; a larger timeout may have one, or a request "
            "of fewer rows, columns or steps, which takes the same instructions"
        )


class Endless(Exception):
    """A loop without an end, with the reason. `certain` if a state repeats, so that it never returns."""

    def __init__(self, reason: str, certain: bool) -> None:
        super().__init__(reason)
        self.certain = certain


Told = Callable[[str, Callable[[], float]], object]
"""A function that is told what a proof is doing ("": one of many small things), and which part of that is done."""
_OFTEN = 4096
"""How many things are done between two checks."""


class _Bound(NamedTuple):
    """The time at which a proof ends, the seconds that it has, and who is told that it goes on."""

    end: float = inf
    seconds: float = inf
    told: Told | None = None


_UNBOUNDED = _Bound()
_BOUND: ContextVar[_Bound] = ContextVar("_BOUND", default=_UNBOUNDED)


@contextmanager
def bounded(seconds: float | None, told: Told | None = None) -> Iterator[None]:
    """End the body's proof after this time; None for no bound. What is around it stays: an earlier bound, and who is
    told."""
    around = _BOUND.get()
    own = _UNBOUNDED if seconds is None else _Bound(monotonic() + seconds, seconds)
    token = _BOUND.set(min(own, around, key=lambda each: each.end)._replace(told=around.told or told))
    try:
        yield
    finally:
        _BOUND.reset(token)


def check(doing: str = "", share: Callable[[], float] = float) -> None:
    """Tell what the proof is doing, and which part of that is done. Raise OutOfTime if the time is over."""
    bound = _BOUND.get()
    if bound.told is not None:
        bound.told(doing, share)
    if bound.end < inf and monotonic() > bound.end:
        raise OutOfTime(bound.seconds)


def counted(doing: str, things: Sequence[Thing]) -> Iterator[Thing]:
    """Yield things, with a check now and then that tells how many are done."""
    for done in range(0, len(things), _OFTEN):
        check(doing, lambda: done / len(things))  # noqa: B023
        yield from things[done : done + _OFTEN]


_REPEATS = 256
"""How often in a row a state must repeat. Counters in vectors, which no kernel has, are not part of it."""


class States:
    """The states in which each backward branch was met last: general registers, flags, and words of memory."""

    def __init__(self, process: Any) -> None:
        self.process, self.memory = process, process.state.memory
        self._last: dict[int, tuple[Any, int]] = {}

    def at(self, offset: int) -> None:
        """Note that a backward branch is taken. Raise Endless if its state repeats."""
        state = self.process.state
        words = [*self.process.general, *(getattr(state, name) for name in self.process.flags)]
        key = (
            *(each if isinstance(each, int) else getattr(each, "key", id(each)) for each in words),
            self.memory.trace,
        )
        last, count = self._last.get(offset, (None, 0))
        if key != last:
            self._last[offset] = key, 0
        elif count < _REPEATS:
            self._last[offset] = key, count + 1
        else:
            raise Endless("a loop without an end: the registers are those of the iteration before", True)
