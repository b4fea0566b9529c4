"""Properties of a call on either architecture: where the stack lies, and what registers without an argument hold."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any
from weakref import WeakMethod

import numpy as np

from .faults import AbiViolation
from .memory import JUNK as VECTOR_JUNK
from .memory import Array
from .u64 import WORD, signed

STACK = 0x0057_AC00_0000_0000
STACK_SIZE = 1 << 19  # the scratch memory of most kernels, and room for their frames
SMALL_STACK = 1 << 17  # of code that claims less than a page at a time
LARGEST_STACK = 1 << 23  # of kernels with wide levels of sums (LEVELS_LIMIT)
JUNK = 0x7FF5_F5F5_7FF5_F500  # a NaN as f64 and as two f32, with room for the number of a register
REAL, REALS = 8, 8  # the bytes of a floating-point result, and the number of floating-point arguments in registers
_PAGE = 1 << 12
_MOST = 1 << 7  # the most arguments on the stack


class CallConvention:
    """One call of a function by the convention of an architecture, from its entry to its return.

    state    the processor's state
    saved    the callee-saved general registers
    open     the general registers whose contents at entry the convention leaves open
    """

    state: Any
    saved: tuple[Any, ...]
    open: tuple[int, ...]
    settled: Any = None
    """The value of the control register under which instructions were found to compute (symbolic/modes/)."""
    prefixes: Container[str] = ()
    """Instructions that are a part of the next one, for which `unpaired` tells why it must not follow."""
    unpaired: Callable[[Any, Any], str]

    @property
    def general(self) -> list[int]:
        """Return the general registers."""
        raise NotImplementedError

    def expect(self) -> None:
        """Require that at the return the callee-saved registers hold their current values."""
        self.expected = {register.num: self.general[register.num] for register in self.saved}

    def changed(self) -> list[str]:
        """Return the names of the callee-saved registers that the function has not restored."""
        return [each.name for each in self.saved if self.general[each.num] != self.expected[each.num]]

    @property
    def result(self) -> int:
        """Return the integer result of the function, as int64_t."""
        return signed(self.general[0], 64)

    @property
    def real(self) -> bytes:
        """Return the lowest bytes of the vector register that holds a floating-point result."""
        data: bytes = self.state.vectors[0, :REAL].tobytes()
        return data


def stack_size(claims: Sequence[int], moves: bool) -> int:
    """Return the bytes of a stack for code whose instructions claim so many each. moves: whether the stack pointer gets
    contents of other registers. A proof holds eight bytes for each byte of a stack, so only code that needs a large one
    has it: a claim of a page may be in a loop."""
    if not moves and max(claims, default=0) < _PAGE and sum(claims) < SMALL_STACK // 2:
        return SMALL_STACK
    return STACK_SIZE + (min(sum(claims), LARGEST_STACK - STACK_SIZE) & -_PAGE if sum(claims) > STACK_SIZE // 2 else 0)


def weakly(bound: Callable[[], int]) -> Callable[[], int]:
    """Return a function that calls a bound method and does not keep its object alive. The stack's segment asks the
    state where the stack ends, and the state holds the memory. With a strong reference, this cycle would keep all
    values of a proof until the garbage collector traverses them."""
    alive = WeakMethod(bound)

    def called() -> int:
        method = alive()
        return WORD if method is None else method()  # no call runs any more, so no access to the stack is allowed

    return called


def divided(integers: Sequence[int], registers: int) -> tuple[list[int], bytes]:
    """Return the arguments in registers, as words, and the remaining ones as they lie on the stack."""
    words = [value & WORD for value in integers]
    if len(words) > registers + _MOST:
        raise ValueError(f"{len(words)} arguments: at most {registers + _MOST}")
    return words[:registers], b"".join(value.to_bytes(8, "little") for value in words[registers:])


def fill(vectors: Array) -> None:
    """Fill every vector register with junk."""
    vectors[:] = np.resize(np.frombuffer(VECTOR_JUNK, np.uint8), vectors.shape)


def place_reals(vectors: Array, reals: Sequence[bytes]) -> None:
    """Put floating-point arguments into the lowest bytes of the first vector registers, as both architectures do."""
    if len(reals) > REALS:
        raise ValueError(f"{len(reals)} real arguments: at most {REALS}, which registers pass")
    for number, data in enumerate(reals):
        vectors[number, : len(data)] = np.frombuffer(data, np.uint8)


def require_kept(lost: Sequence[str]) -> None:
    """Raise AbiViolation if the function failed to preserve something."""
    if lost:
        raise AbiViolation(f"the code returned without restoring {', '.join(lost)}")
