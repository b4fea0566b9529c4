"""The values that a kernel passes between verbs: registers, addresses, amounts and lanes. All of them are opaque.

A kernel receives `General`, `Address` and `Lanes` from one verb and gives them to another; it never looks inside. Each
architecture has its own types in their place, which the type parameters below stand for: `VerbsOf[Reg, X86Address,
X86Lanes, Mem]` is what an x86 machine implements, and `Verbs`, which kernels see, is the same contract on opaque types.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, TypeVar

from ...encoder.records import dataclass
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError

Vector: TypeAlias = int
"""The number of a vector register."""

SCRATCH_LIMIT = 64 << 10
"""Bytes of scratch memory that a plan may request."""
STACK_LIMIT = SCRATCH_LIMIT + (16 << 10)
"""Bytes of stack that one kernel may claim. It exceeds `SCRATCH_LIMIT` so that tiles have room beside any plan: blocks
of one by six tiles need at most thirteen KiB. A thread has at least 2 MiB of stack under Linux, 128 KiB under musl.
"""
SCRATCH_ALIGNMENT = 64
STACK_PAGE = 4096
"""A claim touches every page of its stack memory in order, so that none steps over the guard page below the stack."""


class General:
    """A 64-bit integer or pointer that a kernel holds in a general register or in a `Slot`."""

    __slots__ = ()


@dataclass(frozen=True)
class Slot(General):
    """A 64-bit word of the stack frame that holds a general value."""

    number: int


class Address:
    """A memory address, from `at`, `further` or `column`."""

    __slots__ = ()


class Factor:
    """The last operand of `fma`, `mul` and `add` where it is no vector register: from `scalar` or `of_group`."""

    __slots__ = ()


class Mask(Protocol):
    """A mask register, from `masks`."""

    @property
    def name(self) -> str:
        """The register's name in assembly."""


class Lanes:
    """`count` elements of type `dtype`, held in the narrowest register that has room for them.

    `capacity` is the number of elements of that register. A machine's subclass adds what its instructions need.
    """

    __slots__ = ("dtype", "count", "capacity", "bytes")

    def __init__(self, dtype: str, count: int, capacity: int) -> None:
        self.dtype, self.count, self.capacity = dtype, count, capacity
        self.bytes = count * ELEMENT_BYTES[dtype]

    @property
    def full(self) -> bool:
        """Whether every element of the register is used."""
        return self.count == self.capacity

    def __repr__(self) -> str:
        return f"{self.count}/{self.capacity} {self.dtype}"


class Room:
    """Scratch memory that is handed out in parts: `size` bytes from `base` on, the first `used` of them taken."""

    __slots__ = ("base", "size", "used")

    def __init__(self, base: Any, size: int) -> None:
        self.base, self.size, self.used = base, size, 0


Amount: TypeAlias = int | General | Slot
"""What a verb takes for a count or a distance: a number that is known when the kernel is made, or a general value."""

T = TypeVar("T")
GeneralT = TypeVar("GeneralT")
AddressT = TypeVar("AddressT")
LanesT = TypeVar("LanesT", bound=Lanes)
FactorT = TypeVar("FactorT")


def claimed(register: T | None) -> T:
    """A register that the plan claims only for some kernels, this one among them."""
    assert register is not None, "the plan claims no such register"
    return register


def known(amount: Amount) -> int:
    """An amount that is a number in every kernel that comes here."""
    assert isinstance(amount, int), "the plan has a number here"
    return amount


def held(amount: Amount) -> General:
    """An amount that is a general value in every kernel that comes here."""
    assert not isinstance(amount, int), "the plan has a general value here"
    return amount


def scratch_frame(size: int, claimed: int) -> int:
    """Bytes by which the stack pointer moves for an aligned claim of `size`, after `claimed` bytes of other claims."""
    frame = -(-size // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT + SCRATCH_ALIGNMENT
    if size < 1 or claimed + frame > STACK_LIMIT + SCRATCH_ALIGNMENT:
        raise UnsupportedError(
            f"{size} bytes of scratch memory beside {claimed}: a kernel has at most {STACK_LIMIT}; "
            "block the problem so that a kernel works on less at a time"
        )
    return frame
