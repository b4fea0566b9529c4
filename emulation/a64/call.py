"""Emulate a call by the convention of AArch64 (AAPCS64, IHI 0055, 6): the state at entry and what must be preserved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...encoder.a64.abi import ARGUMENTS, CALLEE_SAVED, FRAME, PLATFORM, VECTOR_CALLEE_SAVED
from ...encoder.features import Target
from ..core.call import (
    JUNK,
    STACK,
    CallConvention,
    divided,
    fill,
    place_reals,
    require_kept,
    stack_size,
    weakly,
)
from ..core.late import may_be
from ..core.memory import JUNK as VECTOR_JUNK
from ..core.memory import Array, Memory
from ..core.u64 import placed
from .prefixes import PREFIX, unpaired
from .semantics import predecode
from .state import NEON_BYTES, A64State

_LINK = 30
_CLAIM, _CLAIMED = 0xD14007FF.to_bytes(4, "little"), 4096
"""sub sp, sp, 4096, by which code claims large pieces of the stack."""


def _moves(code: bytes | bytearray) -> bool:
    """Whether an instruction computes the stack pointer from another register. Constants may look like one."""
    words = np.frombuffer(code, np.uint32, len(code) // 4)
    of_register = words & 0x3FE0001F == 0x0B20001F  # add, sub of an extended register
    of_number = (words & 0xBF80001F == 0x9100001F) & (words >> 5 & 31 != 31)
    return bool((of_register | of_number).any())


class A64Call(CallConvention):
    """One call of a function, from its entry to its return."""

    arch = "a64"
    state: A64State
    saved = *CALLEE_SAVED, FRAME, PLATFORM
    flags = ("n", "z", "c", "v")
    wanted: Array = np.frombuffer(VECTOR_JUNK * 4, np.uint8)
    """The contents of the callee-saved vector registers, which must be preserved."""
    predecode = staticmethod(predecode)
    prefixes = (PREFIX,)
    unpaired = staticmethod(unpaired)

    def __init__(
        self,
        memory: Memory,
        target: Target,
        integers: Sequence[int],
        back: int,
        control: int | None = None,
        reals: Sequence[bytes] = (),
        phase: int = 0,
    ) -> None:
        vector_bytes = target.vector_bits // 8 if {"SVE", "SME"} & target.features else NEON_BYTES
        state = self.state = A64State(memory, vector_bytes)
        self.receive(control or 0)
        arguments, stacked = divided(integers, len(ARGUMENTS))
        size = stack_size([_CLAIMED] * memory.code.count(_CLAIM), _moves(memory.code))
        self._entry = STACK + size - phase
        data = bytes(size - phase) + stacked
        memory.add("the stack", STACK, len(data), data=data, floor=weakly(state.stack_end))
        state.sp = self._entry
        for number in range(31):
            state.x[number] = JUNK + number
        for register, value in zip(ARGUMENTS, arguments):
            state.x[register.num] = value
        state.x[_LINK] = back
        fill(state.vectors)
        place_reals(state.vectors, reals)
        state.predicates[:] = np.arange(state.predicates.size).reshape(state.predicates.shape) % 3 == 0
        self.open = tuple(number for number in range(len(arguments), _LINK))
        self.expect()

    def receive(self, control: int, flags: int = 0) -> None:
        """Enter under this FPCR, with these flags in FPSR."""
        self.state.set_fpcr(control)
        self.state.fpsr = flags
        self._control, self._flags = control, flags

    @property
    def general(self) -> list[int]:
        """Return the general registers."""
        return self.state.x

    def left(self, result: int | None = None) -> int:
        """Return from a function without executing it, with a result if it has one, and return the address to continue
        at."""
        if result is not None:
            self.general[0] = result
        return placed(self.state.x[_LINK])

    def check(self) -> None:
        """Raise AbiViolation unless the function preserved everything that the convention requires."""
        state = self.state
        lost = self.changed()
        wanted = self.wanted.tobytes()
        lost += [f"d{v.num}" for v in VECTOR_CALLEE_SAVED if state.vectors[v.num, :8].tobytes() != wanted]
        if state.sp != self._entry:
            lost.append(f"sp (off by {state.sp - self._entry})")
        if state.svcr:
            lost.append(f"svcr ({state.svcr}: streaming mode or ZA is still on)")
        if state.fpcr != self._control:
            lost.append(f"fpcr ({state.fpcr:#x}, not {self._control:#x})")
        if may_be(self._flags & ~state.fpsr):
            lost.append("the exception flags of fpsr that were set at entry")
        require_kept(lost)
