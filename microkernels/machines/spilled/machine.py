"""The part of spilled machines that both architectures share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from ....encoder.asm import Assembler
from ....encoder.features import Target
from ...contract.machine import MachineOf, facts_of
from .claims import Claim, RegisterClaims


class Spilled(MachineOf[Any, Any, Any, Any]):
    """A machine that hands out virtual registers, whose values lie in memory, for some claims, and if no other register
    is left."""

    described: ClassVar[Any]
    """The machine of the target, whose facts this one has."""
    values: ClassVar[int]
    """The number of virtual registers, an even one."""
    memory: ClassVar[Collection[Claim]]
    """The claims that get a virtual register even if others are left."""
    reserved: ClassVar[Sequence[Any]]
    """The registers that no claim gets."""
    _free_general: list[Any]
    _of_the_kernel = MachineOf._of_the_kernel | {"_claimed"}

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self.facts = facts_of(self.described, target)
        self._claimed: dict[str, int] = {}
        self._memory = frozenset(self.memory)  # no plain value, so contract/repeats.py keeps no parts of this kernel
        self._add_virtual(())

    @staticmethod
    def is_virtual(register: Any) -> bool:
        """Whether the value of a register lies in memory."""
        raise NotImplementedError

    @staticmethod
    def virtual(number: int) -> Any:
        """The virtual register of this number."""
        raise NotImplementedError

    def _add_virtual(self, preserved: Sequence[Any]) -> None:
        """Remove the reserved registers from the free ones, and add the virtual ones, which are claimed last."""
        names = {*map(id, preserved)}
        real = [each for each in self._free_general if each not in self.reserved]
        added = [self.virtual(number) for number in range(self.values - 1, -1, -1)]
        self._free_general = [*(each for each in added if id(each) not in names), *real]

    def received(self, registers: list[Any]) -> list[Any]:
        """Move arguments to memory if their claims say so."""
        return [self._received(each) for each in registers]

    def _received(self, register: Any) -> Any:
        role = "argument"
        if self.next_claim(role) not in self.memory:
            self._claim(role)
            return register
        place = self.general(role)
        self.copy(place, register)
        self.release(register)
        return place

    def general(self, role: str) -> Any:
        """Claim a register."""
        if self._claim(role) in self.memory:
            for at in range(len(self._free_general) - 1, -1, -1):
                if self.is_virtual(self._free_general[at]):
                    return self._free_general.pop(at)
        return super().general(role)  # type: ignore[safe-super]

    def next_claim(self, role: str) -> Claim:
        """Return the next claim for a role."""
        return role, self._claimed.get(role, 0)

    def _claim(self, role: str) -> Claim:
        role, number = self.next_claim(role)
        self._claimed[role] = number + 1
        return role, number

    def generals_left(self) -> int:
        """The number of free registers of the processor."""
        return sum(not self.is_virtual(each) for each in self._free_general)

    def reclaim(self, preserved: Sequence[Any]) -> None:
        """Free virtual registers too."""
        super().reclaim(preserved)  # type: ignore[safe-super]
        self._add_virtual(preserved)


class Everything(Collection[Claim]):
    """All claims."""

    def __contains__(self, claim: object) -> bool:
        return True

    def __iter__(self) -> Iterator[Claim]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Observed(Spilled):
    """A spilled machine that notes the claims of a kernel."""

    memory = Everything()

    def __init__(self, target: Target, asm: Any) -> None:
        self.claims = RegisterClaims()
        asm.observer = self.claims.use
        super().__init__(target, asm)

    def general(self, role: str) -> Any:
        """Note the claim."""
        claim = self.next_claim(role)
        register = super().general(role)
        if self.is_virtual(register):
            self.claims.begin(register.number, claim)
        return register

    def release(self, register: Any) -> None:
        """Note the end of a claim."""
        super().release(register)  # type: ignore[safe-super]
        if self.is_virtual(register):
            self.claims.end([register.number])

    def reclaim(self, preserved: Sequence[Any]) -> None:
        """Note the end of all other claims."""
        super().reclaim(preserved)
        self.claims.end_others({each.number for each in preserved if self.is_virtual(each)})

    @contextmanager
    def _inside(self, loop: Any) -> Iterator[None]:
        with loop:
            self.claims.depth += 1
            yield
            self.claims.depth -= 1

    def loop(self, counter: Any, count: Any) -> Any:
        """Count the loops around an instruction."""
        loop = super().loop(counter, count)  # type: ignore[safe-super]
        return loop if count == 1 else self._inside(loop)

    def index_loop(self, index: Any, limit: Any) -> Any:
        """Count the loops around an instruction."""
        return self._inside(super().index_loop(index, limit))  # type: ignore[safe-super]

    def while_at_least(self, left: Any, step: int) -> Any:
        """Count the loops around an instruction."""
        return self._inside(super().while_at_least(left, step))  # type: ignore[safe-super]
