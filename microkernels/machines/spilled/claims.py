"""The claims of general registers by a kernel, and the choice of those that get a register of the processor.

A kernel is emitted once with all values in memory, to see how long each claim lasts and how often its value is used,
and then again with the most used values in registers. Whenever it is emitted, it claims registers for one role in the
same order, but as many for saving them as are free. So a claim is known by its role and its number among those for the
role.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

Claim = tuple[str, int]
"""A role, and the number of earlier claims for it."""

_LOOP = 8
"""A use inside a loop counts as many uses outside of it."""


class RegisterClaims:
    """The claims in order: what has been claimed before each begins and ends, and the number of its uses."""

    def __init__(self) -> None:
        self.names: list[Claim] = []
        self.ends: list[int | None] = []
        self.uses: list[int] = []
        self.depth = 0  # the number of loops around the next instruction
        self._owners: dict[int, int] = {}  # virtual registers that are held, mapped to their claims

    def begin(self, register: int, name: Claim) -> None:
        """Note that a virtual register is claimed."""
        self.end([register])
        self.names.append(name)
        self._owners[register] = len(self.ends)
        self.ends.append(None)
        self.uses.append(0)

    def end(self, registers: Iterable[int]) -> None:
        """Note that virtual registers are free again."""
        for register in registers:
            if register in self._owners:
                self.ends[self._owners.pop(register)] = len(self.ends)

    def end_others(self, preserved: Collection[int]) -> None:
        """Note that all virtual registers but these are free again."""
        self.end([register for register in self._owners if register not in preserved])

    def use(self, registers: Iterable[int]) -> None:
        """Note an instruction that names virtual registers."""
        for register in registers:
            if register in self._owners:
                self.uses[self._owners[register]] += _LOOP**self.depth

    def in_memory(self, registers: int) -> frozenset[Claim]:
        """Return the claims whose values stay in memory, if there are so many registers: the most used
        values get one first."""
        held = [0] * (len(self.ends) + 1)
        left: list[Claim] = []
        for claim in sorted(range(len(self.ends)), key=lambda number: -self.uses[number]):
            end = self.ends[claim]
            span = range(claim, len(held) if end is None else end)
            if max((held[at] for at in span), default=0) >= registers:
                left.append(self.names[claim])
                continue
            for at in span:
                held[at] += 1
        return frozenset(left)
