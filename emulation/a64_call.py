"""A call by the convention of AArch64 (AAPCS64, IHI 0055, 6): what a function finds, and what it must leave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..encoder.a64.abi import ARGUMENTS, CALLEE_SAVED, FRAME, PLATFORM, VECTOR_CALLEE_SAVED
from ..encoder.features import Target
from .a64_semantics import ready
from .a64_state import NEON_BYTES, A64State
from .cpu_faults import AbiViolation
from .memory import Memory

STACK = 0x0057_AC00_0000_0000
_STACK_SIZE = 1 << 16
_FRAME = 1 << 10  # most bytes of arguments on the stack
_JUNK = 0x7FF5_F5F5_7FF5_F500  # a NaN as f64 and as both f32, with room for the number of a register
_VECTOR_JUNK = b"\xf5\xff"  # a NaN in every float type of 16 to 64 bits
_WORD = (1 << 64) - 1
_LINK = 30


class A64Call:
    """One call of a function, from its entry to its return."""

    arch = "a64"
    ready = staticmethod(ready)

    def __init__(self, memory: Memory, target: Target, integers: Sequence[int], back: int) -> None:
        vector_bytes = target.vector_bits // 8 if {"SVE", "SME"} & target.features else NEON_BYTES
        state = self.state = A64State(memory, vector_bytes)
        arguments = [value & _WORD for value in integers]
        stacked = b"".join(value.to_bytes(8, "little") for value in arguments[len(ARGUMENTS) :])
        if len(stacked) > _FRAME:
            raise ValueError(f"{len(integers)} arguments: at most {len(ARGUMENTS) + _FRAME // 8}")
        self._entry = STACK + _STACK_SIZE
        data = bytes(_STACK_SIZE) + stacked
        memory.add("the stack", STACK, len(data), data=data, floor=state.stack_end)
        state.sp = self._entry
        for number in range(31):
            state.x[number] = _JUNK + number
        for register, value in zip(ARGUMENTS, arguments):
            state.x[register.num] = value
        state.x[_LINK] = back
        junk = np.frombuffer(_VECTOR_JUNK, np.uint8)
        state.vectors[:] = np.resize(junk, state.vectors.shape)
        state.predicates[:] = np.arange(state.predicates.size).reshape(state.predicates.shape) % 3 == 0
        self._saved = [*CALLEE_SAVED, FRAME, PLATFORM]

    @property
    def result(self) -> int:
        """What the function returned."""
        value = self.state.x[0]
        return value - (1 << 64) if value >> 63 else value

    def check(self) -> None:
        """AbiViolation unless everything is preserved that must be."""
        state = self.state
        lost = [register.name for register in self._saved if state.x[register.num] != _JUNK + register.num]
        wanted = _VECTOR_JUNK * 4
        lost += [f"d{v.num}" for v in VECTOR_CALLEE_SAVED if state.vectors[v.num, :8].tobytes() != wanted]
        if state.sp != self._entry:
            lost.append(f"sp (off by {state.sp - self._entry})")
        if state.svcr:
            lost.append(f"svcr ({state.svcr}: streaming mode or ZA is still on)")
        if state.fpcr:
            lost.append(f"fpcr ({state.fpcr:#x})")
        if lost:
            raise AbiViolation(f"the code returned without restoring {', '.join(lost)}")
