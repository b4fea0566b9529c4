"""Registers of an emulated x86-64 processor.

Vector registers are rows of one array of bytes, viewed as elements of any type; an instruction clears the bits above
its vector length, as every VEX and EVEX instruction does. General and mask registers are Python integers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..core.faults import CannotRun
from ..core.late import is_late
from ..core.memory import Memory
from ..core.u64 import WORD, placed
from ..numerics.amx import Tiles
from ..numerics.rounding import Environment, Rounding

Array = np.ndarray[Any, Any]

VECTORS, VECTOR_BYTES = 32, 64
RSP = 4
RED_ZONE = 128
MXCSR = 0x1F80  # the value at program start: all exceptions masked, round to nearest, denormals kept
_FLAG_BITS = {"cf": 0, "pf": 2, "af": 4, "zf": 6, "sf": 7, "df": 10, "of": 11}


class X86State:
    """Registers, flags and memory of one emulated processor."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.r = [0] * 16  # general registers, from 0 to 2^64 - 1
        self.k = [0] * 8
        self.vectors: Array = np.zeros((VECTORS, VECTOR_BYTES), np.uint8)
        self.cf = self.pf = self.af = self.zf = self.sf = self.of = False
        self.df = False  # the direction of string instructions
        self.set_mxcsr(MXCSR)
        self.tiles = Tiles()

    def row(self, number: int, dtype: Any, count: int) -> Array:
        """Return the lowest elements of a vector register as a view, which stays valid."""
        row: Array = self.vectors[number].view(dtype)[:count]
        return row

    def above(self, number: int, size: int) -> Array:
        """Return the bytes of a vector register from `size` on."""
        row: Array = self.vectors[number, size:]
        return row

    def stack_end(self) -> int:
        """Return the lower end of the stack. Nothing below it may be accessed."""
        return placed(self.r[RSP]) - RED_ZONE

    def set_mxcsr(self, word: int) -> None:
        """Load the control register, with the sticky flags in its low bits. If it is not known, nothing can compute
        before it is settled (symbolic/modes/)."""
        self.mxcsr = word
        self.env: Any = Environment.of_mxcsr(word) if not is_late(word) else None

    @property
    def flags(self) -> int:
        """Return the flags register. It is saved to be restored, so an undefined flag counts as clear."""
        values = ((getattr(self, name), bit) for name, bit in _FLAG_BITS.items())
        return 2 | sum(1 << bit for value, bit in values if not isinstance(value, Undefined) and value)

    @flags.setter
    def flags(self, word: int) -> None:
        for name, bit in _FLAG_BITS.items():
            setattr(self, name, bool(word >> bit & 1))

    def forget(self, flags: tuple[str, ...], mnemonic: str) -> None:
        """Make flags undefined."""
        for flag in flags:
            setattr(self, flag, undefined(flag, mnemonic))

    def push(self, value: int) -> None:
        """Push 64 bits onto the stack."""
        self.r[RSP] = (self.r[RSP] - 8) & WORD
        self.memory.store(self.r[RSP], 8, value & WORD)

    def pop(self) -> int:
        """Pop 64 bits off the stack."""
        value = self.memory.load(self.r[RSP], 8)
        self.r[RSP] = (self.r[RSP] + 8) & WORD
        return value


class Undefined:
    """A flag that an instruction left undefined: code may write it or save it, but not decide by it."""

    __slots__ = ("flag", "mnemonic")

    def __init__(self, flag: str, mnemonic: str) -> None:
        self.flag, self.mnemonic = flag, mnemonic

    def __int__(self) -> int:
        raise CannotRun(
            f"the flag {self.flag} is read, which {self.mnemonic} left undefined, so that processors differ: "
            "set it by an instruction that defines it, such as test or cmp"
        )

    def __bool__(self) -> bool:
        return bool(int(self))


@lru_cache(None)
def undefined(flag: str, mnemonic: str) -> Undefined:
    """Return the value of a flag that an instruction leaves undefined."""
    return Undefined(flag, mnemonic)


STATIC = {
    "rn-sae": Rounding.NEAREST,
    "rd-sae": Rounding.DOWN,
    "ru-sae": Rounding.UP,
    "rz-sae": Rounding.ZERO,
    "sae": None,
}
"""Maps the static rounding of an EVEX operand to the emulator's; None keeps the rounding of MXCSR."""


@lru_cache(1 << 12)
def bits(mask: int, count: int) -> Array:
    """Return the low bits of a number as an array of booleans, which must not be written to."""
    if not isinstance(mask, int):  # symbolic
        return mask.booleans(count)
    data = (mask & (1 << count) - 1).to_bytes((count + 7) // 8, "little")
    return np.unpackbits(np.frombuffer(data, np.uint8), count=count, bitorder="little").astype(bool)


def number(mask: Array) -> int:
    """Return an array of booleans as a number with element 0 in its lowest bit."""
    if type(mask) is not np.ndarray and hasattr(mask, "as_number"):
        symbolic: int = mask.as_number()
        return symbolic
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")
