"""Sums down the columns of many bands of rows: levels take the results' rows between bands (codegen/laid_by.py)."""

from __future__ import annotations

from collections.abc import Callable

from ..codegen.laid_by import LaidBy, RowSums
from ..codegen.long_sums import Between
from ..contract.machine import Amount
from .parked import Parked

_COUNT = "rows since sums were laid by"


class SumsOfBands:
    """Emits the additions to levels in scratch memory from `offset` on. Pointers and counters are parked."""

    def __init__(self, parked: Parked, plan: LaidBy, offset: int) -> None:
        self.parked, self.plan, self.offset = parked, plan, offset
        self.rows = parked.counter(_COUNT)
        self.sums = RowSums(parked.m, plan, parked.counter)

    def start(self) -> None:
        """Set all levels to 0, before the first band."""
        self.parked.m.copy(self.rows, 0)
        self._emit(lambda between: between.clear())

    def after(self, rows: Amount) -> None:
        """Lay the sums by if there were enough rows since the last time. rows: those of the band before."""
        self.parked.free()
        self.parked.m.advance(self.rows, rows)
        with self.parked.m.while_at_least(self.rows, self.plan.levels.steps):
            self._emit(lambda between: between.lay_by())

    def finish(self) -> None:
        """Add all levels to the results, after the last band."""
        self._emit(lambda between: between.bring_back())

    def _emit(self, part: Callable[[Between], None]) -> None:
        self.parked.free()
        pointers = {name: self.parked.register(name) for name, _ in self.plan.sums}
        base = self.parked.register("scratch", self.offset)
        with self.parked.m.predicates():
            part(self.sums.between(pointers, base))
