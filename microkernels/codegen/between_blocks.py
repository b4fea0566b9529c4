"""The levels of sums in memory, those of C or of another matrix, to which blocks are added: see long_sums.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ..contract.machine import Amount, General, Machine, Slot
from .laid_by import LaidBy, RowSums
from .long_sums import Between

Matrices = Mapping[str, tuple[General | Slot, Amount]]
"""By name: the address of a matrix, and the bytes between two of its lines."""


class BlockEmitter(Protocol):
    """What emits the blocks. Between two of them registers are free, except for those that it preserves."""

    m: Machine

    @property
    def preserved(self) -> Sequence[General | Slot]:
        """The registers and slots that hold values."""

    @property
    def aside(self) -> Sequence[General | Slot]:
        """Those of them that are saved while other code runs, which may use their registers."""

    def claim_pointers(self) -> None:
        """Claim the registers that the next block needs."""


class BetweenBlocks:
    """Emits the additions of matrices, or of some of their lines and columns, to levels in scratch memory."""

    def __init__(self, outer: BlockEmitter, plan: LaidBy, matrices: Callable[[], Matrices], every: int) -> None:
        """every: the additions, as `after` counts them, until sums are laid by."""
        self.outer, self.m, self.plan, self.matrices, self.every = outer, outer.m, plan, matrices, every
        self.base = self.m.to_slot(self.m.scratch(plan.bytes))
        self.added = self.m.counter("additions since sums were laid by")
        self.claimed: dict[str, General | Slot] = {}
        RowSums(self.m, plan, self._counter)

    @property
    def claims(self) -> list[General | Slot]:
        """The registers and slots that other code must not claim."""
        return [self.base, self.added, *self.claimed.values()]

    def _counter(self, name: str) -> General | Slot:
        if name not in self.claimed:
            self.claimed[name] = self.m.counter(name)
        return self.claimed[name]

    def begin(self, columns: int = 0, lines: int = 0) -> None:
        """Set all levels to 0, before the first block. columns, lines: those of the part of each matrix to which the
        next blocks are added; 0: all."""
        sums = tuple((name, columns or all_) for name, all_ in self.plan.sums)
        self.part = self.plan._replace(sums=sums, lines=lines or self.plan.lines)
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
        m, outer, own = self.m, self.outer, {id(each) for each in self.claims}
        m.reclaim(outer.preserved)
        base, pointers, pitches = m.general("levels"), {}, {}
        m.copy(base, self.base)
        for name, (pointer, pitch) in self.matrices().items():
            pointers[name], pitches[name] = m.general(name), pitch
            m.copy(pointers[name], pointer)
        with m.set_aside([each for each in outer.aside if id(each) not in own]), m.predicates():
            part(RowSums(m, self.part, self._counter, pitches).between(pointers, base))
        outer.claim_pointers()
