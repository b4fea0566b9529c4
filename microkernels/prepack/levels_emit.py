"""The levels of a C to which blocks of products are added in memory: see codegen/long_sums.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..codegen.laid_by import LaidBy, RowSums
from ..codegen.long_sums import Between
from ..contract.machine import Amount, General, Slot


class LevelsOfC:
    """Emits the additions of C, or of a part of its columns, to levels in scratch memory. `outer` emits the blocks: its
    registers are free between two of them."""

    def __init__(self, outer: Any, plan: LaidBy, pointer: Callable[[], General | Slot], pitch: Callable[[], Amount],
                 every: int) -> None:  # fmt: skip
        """pointer: returns the place of the address of the sums. pitch: returns the bytes between two of their lines.
        every: the additions, as `after` counts them, until sums are laid by."""
        self.outer, self.m, self.plan, self.pointer, self.pitch, self.every = outer, outer.m, plan, pointer, pitch, every
        self.base = self.m.park(self.m.scratch(plan.bytes))
        self.added = self.m.counter("additions since sums were laid by")
        self.claimed: dict[str, General | Slot] = {}
        RowSums(self.m, plan, self._counter)

    @property
    def places(self) -> list[General | Slot]:
        """The registers and slots that other code must not claim."""
        return [self.base, self.added, *self.claimed.values()]

    def _counter(self, name: str) -> General | Slot:
        if name not in self.claimed:
            self.claimed[name] = self.m.counter(name)
        return self.claimed[name]

    def begin(self, columns: int) -> None:
        """Set all levels to 0, before the first block of a part of C with so many columns."""
        self.columns = columns
        self._emit(lambda between: between.clear())
        self.m.copy(self.added, 0)

    def after(self, additions: int) -> None:
        """Lay the sums by if there were enough additions since the last time."""
        self.m.advance(self.added, additions)
        with self.m.while_at_least(self.added, self.every):
            self.lay_by()

    def lay_by(self) -> None:
        """Add the sums to the first level, and set them to 0."""
        self._emit(lambda between: between.lay_by())

    def end(self) -> None:
        """Add all levels to the sums."""
        self._emit(lambda between: between.bring_back())

    def _emit(self, part: Callable[[Between], None]) -> None:
        m, outer, own = self.m, self.outer, {id(each) for each in self.places}
        m.reclaim(outer.preserved)
        c, base = m.general("sums"), m.general("levels")
        m.copy(c, self.pointer())
        m.copy(base, self.base)
        pitch = self.pitch()
        plan = self.plan._replace(sums=(("c", self.columns),))
        with m.set_aside([each for each in outer.aside if id(each) not in own]), m.predicates():
            part(RowSums(m, plan, self._counter, pitch).between({"c": c}, base))
        outer.claim_pointers()
