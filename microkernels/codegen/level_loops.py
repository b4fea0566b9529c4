"""The loops over a batch whose pairs lie in several levels, each with distances of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...encoder.records import NamedTuple
from ..contract.machine import General, Machine, Slot

Counter = General | Slot


class LevelSteps(NamedTuple):
    """The iterations of a level, and the bytes from each to the next, for the matrices of a and of b."""

    times: int
    bytes: tuple[int, int]


class _Loop(NamedTuple):
    counter: Counter
    times: int
    moves: tuple[int, ...]  # bytes from behind the last pair inside to the next iteration


class LevelLoops:
    """The loops around the innermost level of a batch, which is a loop of the kernel's own. Claims their counters."""

    def __init__(self, m: Machine, levels: Sequence[LevelSteps]) -> None:
        """levels: all of them, the outermost first."""
        self.m, self.loops = m, list[_Loop]()
        for inner, level in zip(levels[:0:-1], levels[-2::-1]):
            moves = tuple(step - inner.times * done for step, done in zip(level.bytes, inner.bytes))
            self.loops.insert(0, _Loop(m.counter("level"), level.times, moves))

    @property
    def claims(self) -> list[Counter]:
        """The registers and slots that other code must not claim."""
        return [each.counter for each in self.loops]

    @contextmanager
    def pairs(self, pointers: Sequence[General | Slot], outside: int = 0) -> Iterator[None]:
        """A scope whose body runs in each iteration, and moves the pointers to a and b past the innermost level.
        outside: how many loops, counted from the innermost, are left out."""
        if outside == len(self.loops):
            yield
            return
        loop = self.loops[len(self.loops) - 1 - outside]
        with self.pairs(pointers, outside + 1), self.m.loop(loop.counter, loop.times):
            yield
            for pointer, distance in zip(pointers, loop.moves):
                self.m.advance(pointer, distance)
