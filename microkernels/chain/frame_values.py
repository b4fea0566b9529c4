"""Values in the stack frame. The stages of a kernel run one after the other, and each may use all registers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..contract.machine import General, Machine, Slot


class FrameValues:
    """Named values in stack slots, or in registers that are set aside if the machine has enough of them."""

    def __init__(self, m: Machine, names: Sequence[str]) -> None:
        """names: the names of the function's arguments."""
        self.m = m
        self.at: dict[str, General | Slot] = {
            name: m.in_slot(value) for name, value in zip(names, m.arguments(len(names)))
        }

    def scratch(self, size: int) -> None:
        """Claim `size` bytes of scratch memory and keep its address as "scratch"."""
        if size:
            base = self.m.general("scratch memory")
            self.m.copy(base, self.m.scratch(size))
            self.at["scratch"] = self.m.to_slot(base)

    def copy_of(self, name: str, source: str) -> None:
        """Keep a copy of the current value of `source`."""
        register = self.m.general(name)
        self.m.copy(register, self.at[source])
        self.at[name] = self.m.to_slot(register)

    def counter(self, name: str) -> General | Slot:
        """Return the loop counter of this name in the frame; it is created on first use."""
        if name not in self.at:
            self.at[name] = self.m.counter(name)
        return self.at[name]

    def save(self) -> None:
        """Save the callee-saved registers before any loop. Stages may begin after this call."""
        self.m.save_for_parts()

    def free(self) -> None:
        """Free all registers except those of frame values. Called before each stage."""
        self.m.reclaim([*self.at.values()])

    def register(self, name: str, offset: int = 0) -> Any:
        """Return a new register with a frame value plus `offset` bytes."""
        register = self.m.general(name)
        self.m.copy(register, self.at[name])
        self.m.advance(register, offset)
        return register

    @contextmanager
    def aside(self, offset: int, size: int, kept: Collection[General | Slot] = ()) -> Iterator[None]:
        """The context of a stage. Frame values in registers are saved around it, except those in `kept`. The stage
        gets `size` bytes of scratch memory from `offset` on."""
        scratch_bytes = self.register("scratch", offset) if size else None
        stay = {id(each) for each in kept}
        aside = [each for each in self.at.values() if not isinstance(each, Slot) and id(each) not in stay]
        with self.m.set_aside(aside), self.m.scratch_within(scratch_bytes, size):
            yield

    @property
    def kept(self) -> list[Slot]:
        """The slots, which a stage that frees registers must not free."""
        return [each for each in self.at.values() if isinstance(each, Slot)]
