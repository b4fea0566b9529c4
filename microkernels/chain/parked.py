"""What lies in the stack frame while the stages of a kernel run one after the other, each with all registers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..contract.machine import General, Machine, Slot

_SPARE = 12
"""General registers that a stage may need: they are saved once, before any loop."""


class Parked:
    """Values by name: in slots, or in registers that are set aside, where there are enough of them."""

    def __init__(self, m: Machine, names: Sequence[str]) -> None:
        """names: of the function's arguments."""
        self.m = m
        self.at: dict[str, General | Slot] = {
            name: value if isinstance(value, Slot) else m.park(value)
            for name, value in zip(names, m.arguments(len(names)))
        }

    def scratch(self, size: int) -> None:
        """Scratch memory, which is at["scratch"]."""
        if size:
            base = self.m.general("scratch memory")
            self.m.copy(base, self.m.scratch(size))
            self.at["scratch"] = self.m.park(base)

    def copy_of(self, name: str, source: str) -> None:
        """A further value that is as another one is now."""
        register = self.m.general(name)
        self.m.copy(register, self.at[source])
        self.at[name] = self.m.park(register)

    def counter(self, name: str) -> General | Slot:
        """A further value, of a loop."""
        if name not in self.at:
            self.at[name] = self.m.counter(name)
        return self.at[name]

    def save(self) -> None:
        """What the calling convention has saved is saved before any loop; behind this stages may begin."""
        for _ in range(min(_SPARE, self.m.generals_left() or _SPARE)):
            self.m.general("saved before any loop")

    def free(self) -> None:
        """Before a stage: all registers but those of values are free."""
        self.m.reclaim([*self.at.values()])

    def register(self, name: str, offset: int = 0) -> Any:
        """A register with a value, or `offset` bytes more."""
        register = self.m.general(name)
        self.m.copy(register, self.at[name])
        self.m.advance(register, offset)
        return register

    @contextmanager
    def aside(self, offset: int, size: int, kept: Collection[General | Slot] = ()) -> Iterator[None]:
        """A stage: values that lie in registers are saved, but for those of `kept`, and it has `size` bytes of scratch
        memory from there on."""
        room = self.register("scratch", offset) if size else None
        stay = {id(each) for each in kept}
        aside = [each for each in self.at.values() if not isinstance(each, Slot) and id(each) not in stay]
        with self.m.set_aside(aside), self.m.scratch_within(room, size):
            yield

    @property
    def kept(self) -> list[Slot]:
        """What a stage that frees registers must not free."""
        return [each for each in self.at.values() if isinstance(each, Slot)]
