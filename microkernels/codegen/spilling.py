"""Register allocation for straight-line code that needs more vectors than there are, by spilling to scratch memory.

If no vector register is free, the value whose next use is furthest away is stored to a slot of scratch memory and
reloaded before that use. A value never changes, so it is stored at most once. This is the last resort: the code
computes one vector at a time, and every constant is a memory operand or is loaded for each use.

Source: Belady, A Study of Replacement Algorithms for a Virtual-Storage Computer, 1966.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from .linear_scan import Inputs, LinearScan
from .lowered import VECTOR, Line, NumberedRegister
from .selection import Arithmetic, NativeStep


class SpillingScan(LinearScan):
    """One pass over the steps within `vectors` vector registers. `slots` is the most values spilled at a time."""

    def __init__(
        self, steps: Sequence[NativeStep], results: Sequence[int], arithmetic: Arithmetic, vectors: int, inputs: Inputs
    ) -> None:
        self.vectors, self.slots = vectors, 0
        super().__init__(steps, results, arithmetic, 1, (), inputs)
        self._uses: list[list[int]] = [[] for _ in steps]
        for number, step in enumerate(steps):
            for arg in step.args:
                self._uses[arg].append(number)
        for moment, due in self._due.items():
            for number in due:
                self._uses[number].append(moment)
        for uses in self._uses:
            uses.sort()
        self._now = 0
        self._slot_of: dict[int, int] = {}  # the slot of each value that has been stored
        self._free_slots: list[int] = []

    def _claim(self, file: str) -> NumberedRegister:
        if file != VECTOR or self._free[file] or self.peak[file] < self.vectors:
            return super()._claim(file)
        victim = self._victim()
        if victim is None:
            return super()._claim(file)  # beyond the limit: the scan ends without code
        register = self._registers.pop((victim, 0))
        if victim not in self._slot_of:
            self._slot_of[victim] = self._new_slot()
            self._lines.append(Line("spill", None, (register,), self._slot_of[victim], 0))
        return register

    def _victim(self) -> int | None:
        """The value whose next use is furthest away, not counting values of the current step."""
        needed = {*self.steps[self._now].args, self._now, *self._due.get(self._now, ())}
        held = [
            number
            for (number, _), register in self._registers.items()
            if register.file == VECTOR and number not in needed and self._last_use[number] > self._now
        ]
        return max(held, key=self._next_use, default=None)

    def _next_use(self, number: int) -> int:
        uses = self._uses[number]
        return uses[bisect_right(uses, self._now)]

    def _new_slot(self) -> int:
        """Reuse a slot whose value no later step needs, or add one."""
        for number, slot in [*self._slot_of.items()]:
            if self._last_use[number] < self._now:
                del self._slot_of[number]
                self._free_slots.append(slot)
        if self._free_slots:
            return self._free_slots.pop()
        self.slots += 1
        return self.slots - 1

    def _reload(self, number: int) -> None:
        """Reload a spilled value."""
        if (number, 0) in self._registers or number not in self._slot_of:
            return
        register = self._claim(VECTOR)
        self._registers[number, 0] = register
        self._lines.append(Line("reload", register, (), self._slot_of[number], 0))

    def _operation(self, number: int, step: NativeStep, copy: int) -> None:
        self._now = number
        for arg in step.args:
            self._reload(arg)
        super()._operation(number, step, copy)
        for arg in {*step.args}.difference(self._due.get(number, ())):
            if self._last_use[arg] == number:
                self._registers.pop((arg, 0), None)

    def _input(self, number: int, step: NativeStep, copy: int) -> None:
        self._now = number
        super()._input(number, step, copy)

    def _store_results(self, number: int, moment: int, copy: int) -> None:
        self._now = moment
        self._reload(number)
        super()._store_results(number, moment, copy)
        if self._last_use[number] == moment:
            self._registers.pop((number, 0), None)
