"""A call by the System V convention of x86-64 (psABI 1.0, 3.2): what a function finds, and what it must leave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..encoder.features import Target
from ..encoder.x86.abi import ARGUMENTS, CALLEE_SAVED
from .cpu_faults import AbiViolation
from .memory import Memory
from .x86_semantics import ready
from .x86_state import MXCSR, RED_ZONE, RSP, X86State

STACK = 0x0057_AC00_0000_0000
_STACK_SIZE = 1 << 16
_FRAME = 1 << 10  # most bytes of arguments on the stack
_JUNK = 0x7FF5_F5F5_7FF5_F500  # a NaN as f64 and as both f32, with room for the number of a register
_VECTOR_JUNK = b"\xf5\xff"  # a NaN in every float type of 16 to 64 bits
_WORD = (1 << 64) - 1
_CONTROL = 0xFFC0  # of MXCSR: all but the sticky flags


class X86Call:
    """One call of a function, from its entry to its return."""

    arch = "x86"
    ready = staticmethod(ready)

    def __init__(self, memory: Memory, target: Target, integers: Sequence[int], back: int) -> None:
        state = self.state = X86State(memory)
        arguments = [value & _WORD for value in integers]
        stacked = arguments[len(ARGUMENTS) :]
        if 8 * len(stacked) > _FRAME:
            raise ValueError(f"{len(integers)} arguments: at most {len(ARGUMENTS) + _FRAME // 8}")
        data = b"".join(value.to_bytes(8, "little") for value in (back, *stacked))
        size = _STACK_SIZE + len(data)
        self._entry = STACK + _STACK_SIZE  # a multiple of 16 behind the return address, as the convention wants
        self._entry -= 8
        memory.add("the stack", STACK - 8, size, data=bytes(_STACK_SIZE) + data, floor=lambda: state.r[RSP] - RED_ZONE)
        for number in range(16):
            state.r[number] = _JUNK + number
        state.r[RSP] = self._entry
        for register, value in zip(ARGUMENTS, arguments):
            state.r[register.num] = value
        state.k = [_JUNK + 32 + number for number in range(8)]
        state.vectors[:] = np.tile(np.frombuffer(_VECTOR_JUNK, np.uint8), state.vectors.size // 2).reshape(
            state.vectors.shape
        )
        self._expected = {register.name: state.r[register.num] for register in CALLEE_SAVED}

    @property
    def result(self) -> int:
        """What the function returned."""
        value = self.state.r[0]
        return value - (1 << 64) if value >> 63 else value

    def check(self) -> None:
        """AbiViolation unless everything is preserved that must be."""
        state = self.state
        numbers = {register.name: register.num for register in CALLEE_SAVED}
        lost = [name for name, value in self._expected.items() if state.r[numbers[name]] != value]
        if state.r[RSP] != self._entry + 8:
            lost.append(f"rsp (off by {state.r[RSP] - self._entry - 8})")
        if (state.mxcsr ^ MXCSR) & _CONTROL:
            lost.append(f"mxcsr ({state.mxcsr:#x})")
        if state.tiles.shapes is not None:
            lost.append("the tile configuration (no tilerelease)")
        if lost:
            raise AbiViolation(f"the code returned without restoring {', '.join(lost)}")
