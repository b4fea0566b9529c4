"""The verbs of a machine on general registers: arguments, addresses, amounts, scratch memory, and control."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Generic

from ..errors import UnsupportedError
from .vector_verbs import SCRATCH_ALIGNMENT, AddressT, GeneralT, Room, Slot


class GeneralVerbsOf(ABC, Generic[GeneralT, AddressT]):
    """A general value (pointer, stride, count) lies in a register or in a `Slot`; an amount may be an int as well.

    General registers are claimed at the top of a kernel, before any loop.
    """

    room: Room | None = None
    """What `scratch` hands out parts of, inside `scratch_within`."""

    @abstractmethod
    def arguments(self, count: int) -> Sequence[GeneralT | Slot]:
        """Where the function's integer and pointer arguments are, in order; call it first."""

    @abstractmethod
    def general(self, role: str) -> GeneralT:
        """A free general register."""

    @abstractmethod
    def release(self, register: GeneralT) -> None:
        """Free a general register."""

    @abstractmethod
    def generals_left(self) -> int:
        """How many general registers are free, for kernels that can do without one."""

    @abstractmethod
    def reclaim(self, preserved: Sequence[GeneralT | Slot]) -> None:
        """Free all general registers but those in `preserved`: nothing else is needed any more."""

    @abstractmethod
    def scratch(self, size: int) -> GeneralT:
        """A register with the address of `size` bytes of the stack, aligned to 64, that the kernel may use until it
        returns. Claim it at the top of a kernel, before any loop. UnsupportedError beyond `STACK_LIMIT` bytes.
        """

    @contextmanager
    def scratch_within(self, base: GeneralT | Slot | None, size: int) -> Iterator[None]:
        """Inside the body `scratch` hands out parts of `size` bytes from `base` on, which is aligned to 64: so what
        claims scratch memory may stand in a loop. With None it is as before."""
        before, self.room = self.room, None if base is None else Room(base, size)
        yield
        self.room = before

    def _of_room(self, room: Room, size: int) -> GeneralT:
        """A register with the address of the next `size` bytes."""
        if room.used + size > room.size:
            raise UnsupportedError(f"{size} bytes of scratch memory inside a kernel that has {room.size - room.used}")
        register = self.general("scratch memory")
        self.copy(register, room.base)
        self.advance(register, room.used)
        room.used += -(-size // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT
        return register

    @abstractmethod
    def park(self, register: GeneralT) -> GeneralT | Slot:
        """Move a general register to the stack frame and free it, where registers are short."""

    @contextmanager
    def set_aside(self, registers: Sequence[GeneralT | Slot]) -> Iterator[None]:
        """General registers that the body may claim; behind the body they have their values again.

        This default frees nothing: where registers are short, long-lived values are parked already.
        """
        yield

    # Addresses

    @abstractmethod
    def at(self, base: GeneralT, disp: int = 0) -> AddressT:
        """The address base + disp bytes."""

    @abstractmethod
    def counter(self, role: str) -> GeneralT | Slot:
        """Where a loop outside the hot path counts: a register if there are many, else a slot."""

    @abstractmethod
    def multiples(self, stride: int | GeneralT | Slot, count: int) -> Sequence[GeneralT]:
        """What `column` needs to address base + j * stride for j < count; claims registers unless stride is an int."""

    @abstractmethod
    def column(
        self, base: GeneralT, stride: int | GeneralT | Slot, multiples: Sequence[GeneralT], j: int, disp: int
    ) -> AddressT:
        """The address base + j * stride + disp bytes."""

    # Amounts

    @abstractmethod
    def copy(self, dst: GeneralT | Slot, amount: int | GeneralT | Slot) -> None:
        """dst = amount."""

    @abstractmethod
    def load_general(self, dst: GeneralT, base: GeneralT, index: GeneralT | None) -> None:
        """dst = the 64-bit word at base + 8 * index."""

    @abstractmethod
    def advance(self, dst: GeneralT | Slot, amount: int | GeneralT | Slot, times: int = 1) -> None:
        """dst += amount * times."""

    @abstractmethod
    def shift_left(self, dst: GeneralT, bits: int) -> None:
        """dst <<= bits."""

    @abstractmethod
    def modulo(self, dst: GeneralT, power: int) -> None:
        """dst = the rest of dst, at least 0, by a power of two, which is more than 1."""

    # Control

    @abstractmethod
    def loop(self, counter: GeneralT | Slot | None, count: int | GeneralT | Slot) -> AbstractContextManager[None]:
        """The body `count` times, count at least 1. A count of 1 needs no counter."""

    @abstractmethod
    def index_loop(self, index: GeneralT, limit: int | GeneralT | Slot) -> AbstractContextManager[None]:
        """The body for index = 0 .. limit - 1, limit at least 1."""

    @abstractmethod
    def while_at_least(self, left: GeneralT | Slot, step: int) -> AbstractContextManager[None]:
        """The body while left >= step, perhaps never; each time left -= step. step > 0; of a negative left never."""

    @abstractmethod
    def unless_zero(self, amount: GeneralT | Slot) -> AbstractContextManager[None]:
        """The body unless amount is 0."""

    @abstractmethod
    def enter(self, vectors: int) -> None:
        """The function's first instructions; `vectors` is the most vector registers that it holds at a time. Behind
        them the kernel has the rounding mode that it needs (contract/own_rounding.py)."""

    @abstractmethod
    def leave(self) -> None:
        """Restore what the calling convention asks for, the caller's rounding mode included, and return."""
