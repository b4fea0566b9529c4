"""Sums down the columns of many bands of rows: levels take the results' rows between bands (codegen/laid_by.py)."""

from __future__ import annotations

from collections.abc import Callable

from ..codegen.laid_by import LaidBy, RowSums
from ..codegen.long_sums import Between
from ..contract.machine import Amount
from .frame_values import FrameValues

_COUNT = "rows since sums were laid by"


class SumsOfBands:
    """Emits the additions to levels in scratch memory from `offset` on. Pointers and counters are kept in the frame."""

    def __init__(self, frame: FrameValues, plan: LaidBy, offset: int) -> None:
        self.frame, self.plan, self.offset = frame, plan, offset
        self.rows = frame.counter(_COUNT)
        self.sums = RowSums(frame.m, plan, frame.counter)

    def start(self) -> None:
        """Set all levels to 0, before the first band."""
        self.frame.m.copy(self.rows, 0)
        self._emit(lambda between: between.clear())

    def after(self, rows: Amount) -> None:
        """Lay the sums by if there were enough rows since the last time. rows: those of the band before."""
        self.frame.free()
        self.frame.m.advance(self.rows, rows)
        with self.frame.m.while_at_least(self.rows, self.plan.levels.steps):
            self._emit(lambda between: between.lay_by())

    def finish(self) -> None:
        """Add all levels to the results, after the last band."""
        self._emit(lambda between: between.bring_back())

    def _emit(self, part: Callable[[Between], None]) -> None:
        self.frame.free()
        pointers = {name: self.frame.register(name) for name, _ in self.plan.sums}
        base = self.frame.register("scratch", self.offset)
        with self.frame.m.predicates():
            part(self.sums.between(pointers, base))
