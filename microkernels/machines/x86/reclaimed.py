"""The registers and stack slots that are free again after a part of a kernel."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ....encoder.x86.registers import Reg
from ...contract.vector_verbs import Slot


class Reclaimed:
    """What is free if some registers and slots are preserved. Most parts of a kernel ask for the same as the part
    before them, so the last answer is kept."""

    def __init__(self, every: Sequence[Reg]) -> None:
        self._every = every
        self._asked: Any = None
        self._slots: list[int] = []
        self._registers: list[Reg] = []

    def after(
        self, preserved: Sequence[Reg | Slot], slots: int, saved: Sequence[tuple[Reg, Slot]], used: Collection[int]
    ) -> tuple[list[int], list[Reg]]:
        """Return the numbers of the free slots, of `slots`, and the free registers, both in the order in which they
        are claimed from the end. saved: the caller's registers, with the slots that hold them. used: the slots that
        were used before, which are claimed first."""
        asked = preserved, slots, [*saved], {*used}
        if asked != self._asked:
            aside = [*preserved, *[slot for _, slot in saved]]
            held = {slot.number for slot in aside if isinstance(slot, Slot)}
            free = sorted({*range(1, slots + 1)} - held, reverse=True)
            self._slots = sorted(free, key=used.__contains__)
            names = {*map(id, preserved)}  # registers are compared as objects: there is one of each
            self._registers = [reg for reg in self._every if id(reg) not in names]
            self._asked = asked
        return self._slots, self._registers
