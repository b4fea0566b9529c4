"""The verbs of a machine on general registers: arguments, addresses, amounts, scratch memory, and control."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Generic

from ...encoder.operands import Label
from ..errors import UnsupportedError
from .vector_verbs import SCRATCH_ALIGNMENT, AddressT, GeneralT, ScratchArea, Slot


class GeneralVerbsOf(ABC, Generic[GeneralT, AddressT]):
    """The verbs on general registers. A general value (pointer, stride, count) is in a register or in a `Slot`; an
    amount may also be an int.

    General registers are claimed at the top of a kernel, before any loop.
    """

    claimed: int = 0
    """The bytes of stack that were claimed as scratch memory."""
    area: ScratchArea | None = None
    """Memory of which `scratch` hands out parts, inside `scratch_within`."""

    @abstractmethod
    def arguments(self, count: int) -> Sequence[GeneralT | Slot]:
        """Return the places of the function's integer and pointer arguments, in order. Call it first."""

    @abstractmethod
    def general(self, role: str) -> GeneralT:
        """Claim a free general register."""

    @abstractmethod
    def release(self, register: GeneralT) -> None:
        """Free a general register."""

    @abstractmethod
    def generals_left(self) -> int:
        """The number of free general registers, for kernels that can do without one."""

    @abstractmethod
    def reclaim(self, preserved: Sequence[GeneralT | Slot]) -> None:
        """Free all general registers except those in `preserved`, because nothing else is needed any more."""

    @abstractmethod
    def scratch(self, size: int) -> GeneralT:
        """Return a register with the address of `size` bytes of stack memory, aligned to 64, that the kernel may use
        until it returns. Claim it at the top of a kernel, before any loop. Raises UnsupportedError beyond
        `STACK_LIMIT` + `LEVELS_LIMIT` bytes."""

    @contextmanager
    def scratch_within(self, base: GeneralT | Slot | None, size: int) -> Iterator[None]:
        """A scope in which `scratch` hands out parts of the `size` bytes at `base`, which is aligned to 64. Code that
        claims scratch memory may then be inside a loop. If `base` is None, `scratch` claims stack memory as usual."""
        before, self.area = self.area, None if base is None else ScratchArea(base, size)
        yield
        self.area = before

    def _of_area(self, area: ScratchArea, size: int) -> GeneralT:
        """Return a register with the address of the next `size` bytes."""
        if area.used + size > area.size:
            raise UnsupportedError(
                f"{size} bytes of scratch memory are needed inside a kernel that has {area.size - area.used} left"
            )
        register = self.general("scratch memory")
        self.copy(register, area.base)
        self.advance(register, area.used)
        area.used += -(-size // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT
        return register

    @abstractmethod
    def to_slot(self, register: GeneralT) -> GeneralT | Slot:
        """Move a general register to the stack frame and free it, where registers are short."""

    @contextmanager
    def set_aside(self, registers: Sequence[GeneralT | Slot]) -> Iterator[None]:
        """A scope whose body may claim these general registers; they have their values again after it.

        This default frees nothing: where registers are short, long-lived values are kept in the frame already.
        """
        yield

    # Addresses

    @abstractmethod
    def at(self, base: GeneralT, disp: int = 0) -> AddressT:
        """The address base + disp bytes."""

    @abstractmethod
    def counter(self, role: str) -> GeneralT | Slot:
        """Return a place for the counter of a loop outside the hot path: a register if there are many, else a slot."""

    @abstractmethod
    def multiples(self, stride: int | GeneralT | Slot, count: int) -> Sequence[GeneralT]:
        """Return the registers that `column` needs to address base + j * stride for j < count. Claims registers unless
        stride is an int."""

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
    def pooled(self, dst: GeneralT, data: bytes) -> None:
        """dst = the address of these bytes in the constant pool, aligned to 64. They are at most 1 MiB with all other
        constants and the code between."""

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
    def shift_right(self, dst: GeneralT, bits: int) -> None:
        """dst >>= bits; zeros come in."""

    @abstractmethod
    def modulo(self, dst: GeneralT, power: int) -> None:
        """dst = dst modulo a power of two that is more than 1; the result is at least 0."""

    # Control

    @abstractmethod
    def if_bit(self, amount: GeneralT, bit: int) -> AbstractContextManager[None]:
        """Run the body if amount has this bit, a power of two that is at most 64."""

    @abstractmethod
    def loop(self, counter: GeneralT | Slot | None, count: int | GeneralT | Slot) -> AbstractContextManager[None]:
        """Run the body `count` times; count is at least 1. A count of 1 needs no counter."""

    @abstractmethod
    def index_loop(self, index: GeneralT, limit: int | GeneralT | Slot) -> AbstractContextManager[None]:
        """Run the body for index = 0 .. limit - 1; limit is at least 1."""

    @abstractmethod
    def while_at_least(self, left: GeneralT | Slot, step: int) -> AbstractContextManager[None]:
        """Run the body while left >= step, and subtract step each time. step > 0; a negative left runs it never."""

    @abstractmethod
    def unless_zero(self, amount: GeneralT | Slot) -> AbstractContextManager[None]:
        """Run the body unless amount is 0."""

    @abstractmethod
    def branch_if_more(self, amount: GeneralT | Slot, most: int, elsewhere: Label) -> None:
        """Branch if amount, which is at least 0, is more than `most`, which is at most 4,096."""

    @abstractmethod
    def enter(self, vectors: int) -> None:
        """Emit the function's first instructions. `vectors` is the most vector registers that the kernel holds at a
        time. After them, the kernel has the rounding mode that it needs (`OwnRounding` in machine.py)."""

    @abstractmethod
    def leave(self) -> None:
        """Restore what the calling convention requires, including the caller's rounding mode, and return."""
