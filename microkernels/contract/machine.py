"""The contract of a vector machine: the verbs that a kernel may use on any instruction set.

A kernel is a function of a machine. It names no instruction set: a planner reads the machine's `Facts`, and the kernel
emits instructions by verbs. Scopes hand out vector registers (`with m.vectors(4, "acc") as acc`), `m.lanes` says how
many elements of which type a verb processes, and `m.at(base, disp)` makes an address.

`MachineOf` is generic in the types of an architecture's registers and addresses; kernels use `Machine`, the same
contract on the opaque types of `values`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from ...encoder.asm import Assembler
from ...encoder.code import Role
from ...encoder.features import Target
from ..errors import UnsupportedError
from .element_moves import ElementMovesOf
from .facts import Facts
from .general_verbs import GeneralVerbsOf
from .own_rounding import OwnRounding
from .values import (
    SCRATCH_ALIGNMENT,
    SCRATCH_LIMIT,
    STACK_LIMIT,
    STACK_PAGE,
    Address,
    AddressT,
    Amount,
    Factor,
    FactorT,
    General,
    GeneralT,
    Lanes,
    LanesT,
    Mask,
    Slot,
    Vector,
    scratch_frame,
)
from .vector_verbs import VectorVerbsOf

if TYPE_CHECKING:
    from .dot_and_tile import ResultOf, TilesOf, UnitOf
    from .mmla import MmlaUnitOf
    from .outer_product import OuterProductsOf
    from .shuffle_set import ShuffleVerbsOf

# What most kernels need beside a machine.
__all__ = [
    "SCRATCH_ALIGNMENT", "SCRATCH_LIMIT", "STACK_LIMIT", "STACK_PAGE", "Address", "Amount", "Facts", "General", "Lanes",
    "Machine", "MachineOf", "Slot", "Vector", "scratch_frame",
]  # fmt: skip


class MachineOf(
    ElementMovesOf[GeneralT],
    GeneralVerbsOf[GeneralT, AddressT],
    VectorVerbsOf[GeneralT, AddressT, LanesT, FactorT],
    OwnRounding,
    Generic[GeneralT, AddressT, LanesT, FactorT],
):
    """The verbs of one kernel that is being emitted, with its free registers. `asm` is the assembler they append to."""

    asm: Assembler

    def __init__(self, target: Target, asm: Assembler) -> None:
        self.target, self.asm = target, asm
        self.facts = facts_of(type(self), target)
        self._free_vectors = list(range(self.facts.vector_registers - 1, -1, -1))
        self._holders: dict[str, int] = {}

    @classmethod
    @abstractmethod
    def facts_of(cls, target: Target) -> Facts:
        """The facts of this machine on a target."""

    def note(self, text: str) -> None:
        """A remark for the listing, beside the next instruction."""
        self.asm.note(text)

    # Vector registers

    @contextmanager
    def vectors(self, count: int, role: str) -> Iterator[list[Vector]]:
        """`count` vector registers for `role`, free again at the end of the scope."""
        if count > len(self._free_vectors):
            held = ", ".join(f"{n} {r}" for r, n in self._holders.items() if n)
            raise UnsupportedError(f"{count} vector registers for {role}: {len(self._free_vectors)} free, held: {held}")
        taken = [self._free_vectors.pop() for _ in range(count)]
        start = len(self.asm.buffer)
        self._holders[role] = self._holders.get(role, 0) + count
        try:
            yield taken
        finally:
            self._free_vectors += reversed(taken)
            self._holders[role] -= count
            if count:
                self.asm.roles.append(Role(role, tuple(taken), start, len(self.asm.buffer)))

    @contextmanager
    def masks(self, count: int) -> Iterator[Sequence[Mask]]:
        """`count` mask registers for expressions; none where masks are vectors."""
        yield ()

    def vectors_left(self) -> int:
        """How many vector registers are free."""
        return len(self._free_vectors)

    @abstractmethod
    def shuffles(self) -> ShuffleVerbsOf[GeneralT, AddressT, LanesT, FactorT]:
        """The verbs that shuffle registers; `facts.shuffles` describes them."""

    # Tensor units

    def unit(self, row_vector: str, group: str, numerics: str) -> UnitOf[AddressT, LanesT, FactorT]:
        """The unit that multiplies row vectors of one type by groups of another; `facts.unit` describes it."""
        raise UnsupportedError(f"{self.name} multiplies no {row_vector} by {group}")

    def mmla(self, row_vector: str, group: str, numerics: str) -> MmlaUnitOf[GeneralT, AddressT, LanesT]:
        """The MMLA unit for these types; `facts.mmla` describes it."""
        raise UnsupportedError(f"{self.name} has no matrix multiplication of {row_vector} by {group}")

    def tiles(self, x: str, y: str) -> TilesOf[GeneralT, AddressT, LanesT]:
        """The tile registers for products of these types; `facts.tile` describes them."""
        raise UnsupportedError(f"{self.name} has no tiles")

    def outer_products(self, x: str, y: str) -> OuterProductsOf[GeneralT, AddressT]:
        """The accumulators for outer products of these types; `facts.outer_product` describes them."""
        raise UnsupportedError(f"{self.name} has no outer-product accumulators")

    def result(self, dtype: str, sums: str) -> ResultOf[AddressT, LanesT]:
        """How sums of type `sums` are loaded from and stored to memory of type `dtype`."""
        raise UnsupportedError(f"{self.name} converts no {sums} to {dtype}")


Machine: TypeAlias = MachineOf[General, Address, Lanes, Factor]


@cache
def facts_of(machine: type[MachineOf[Any, Any, Any, Any]], target: Target) -> Facts:
    """The facts of a machine on a target: one object for each, so that caches keyed by it work."""
    return machine.facts_of(target)
