"""What a call is on either architecture: where the stack lies, what stands in registers that no argument is in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .faults import AbiViolation
from .memory import JUNK as VECTOR_JUNK
from .memory import Array
from .u64 import WORD, signed

STACK = 0x0057_AC00_0000_0000
STACK_SIZE = 1 << 17  # scratch memory of a kernel (machine.SCRATCH_LIMIT), and room for its frame
JUNK = 0x7FF5_F5F5_7FF5_F500  # a NaN as f64 and as both f32, with room for the number of a register
REAL, REALS = 8, 8  # bytes of a real result, and how many real arguments registers pass
_MOST = 1 << 7  # arguments on the stack


def divided(integers: Sequence[int], registers: int) -> tuple[list[int], bytes]:
    """Arguments in registers, as words, and those behind them as they lie on the stack."""
    words = [value & WORD for value in integers]
    if len(words) > registers + _MOST:
        raise ValueError(f"{len(words)} arguments: at most {registers + _MOST}")
    return words[:registers], b"".join(value.to_bytes(8, "little") for value in words[registers:])


def fill(vectors: Array) -> None:
    """Junk in every vector register."""
    vectors[:] = np.resize(np.frombuffer(VECTOR_JUNK, np.uint8), vectors.shape)


def place_reals(vectors: Array, reals: Sequence[bytes]) -> None:
    """Real arguments, in the lowest bytes of the first vector registers: so on both architectures."""
    if len(reals) > REALS:
        raise ValueError(f"{len(reals)} real arguments: at most {REALS}, which registers pass")
    for number, data in enumerate(reals):
        vectors[number, : len(data)] = np.frombuffer(data, np.uint8)


def returned(register: int) -> int:
    """What a function returned in an integer register, as int64_t."""
    return signed(register, 64)


def require_kept(lost: Sequence[str]) -> None:
    """AbiViolation where something was lost that a function must preserve."""
    if lost:
        raise AbiViolation(f"the code returned without restoring {', '.join(lost)}")
