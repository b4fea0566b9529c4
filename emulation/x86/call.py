"""Emulate a call by the System V convention of x86-64 (psABI 1.0, 3.2): the state at entry and what must be
preserved."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...encoder.features import Target
from ...encoder.x86.abi import ARGUMENTS, CALLEE_SAVED
from ...encoder.x86.control import CONTROL, FLAGS
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
from ..core.memory import Memory
from ..core.u64 import placed
from .semantics import predecode
from .state import MXCSR, RSP, X86State

_CLAIM = re.compile(rb"\x48\x81\xec(....)", re.DOTALL)
"""sub rsp, imm32"""


_MOVES = re.compile(
    rb"[\x48\x4c][\x01\x21\x29\x87\x89][\xc4\xcc\xd4\xdc\xe4\xec\xf4\xfc]"
    rb"|[\x48-\x4b](?:[\x03\x23\x2b\x87\x8b\x8d]|\x0f[\x40-\x4f])[\x20-\x27\x60-\x67\xa0-\xa7\xe0-\xe7]"
)
"""What the instructions begin with that move rsp by another register or by memory: mov, lea, xchg, cmov, add, sub and
and. Other bytes may look like one."""


def _stack_size(code: bytes | bytearray) -> int:
    claims = [int.from_bytes(each[1], "little") for each in _CLAIM.finditer(code)]
    return stack_size(claims, _MOVES.search(code) is not None)


class X86Call(CallConvention):
    """One call of a function, from its entry to its return."""

    arch = "x86"
    state: X86State
    saved = tuple(CALLEE_SAVED)
    predecode = staticmethod(predecode)
    flags = ("cf", "pf", "af", "zf", "sf", "of")

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
        state = self.state = X86State(memory)
        self.receive(MXCSR if control is None else control)
        arguments, stacked = divided(integers, len(ARGUMENTS))
        # The call pushed 8 bytes onto a stack aligned to 16 bytes, as the psABI requires.
        size = _stack_size(memory.code)
        self._entry = STACK + size - 8 - phase
        data = bytes(size - phase) + back.to_bytes(8, "little") + stacked
        memory.add("the stack", STACK - 8, len(data), data=data, floor=weakly(state.stack_end))
        for number in range(16):
            state.r[number] = JUNK + number
        state.r[RSP] = self._entry
        for register, value in zip(ARGUMENTS, arguments):
            state.r[register.num] = value
        state.k = [JUNK + 32 + number for number in range(8)]
        fill(state.vectors)
        place_reals(state.vectors, reals)
        given = {register.num for register, _ in zip(ARGUMENTS, arguments)}
        self.open = tuple(number for number in range(16) if number != RSP and number not in given)
        self.expect()

    def receive(self, control: int, flags: int = 0) -> None:
        """Enter under this MXCSR. `flags` are those of FPSR, which other processors have."""
        self.state.set_mxcsr(control)
        self._control = control

    @property
    def general(self) -> list[int]:
        """Return the general registers."""
        return self.state.r

    def left(self, result: int | None = None) -> int:
        """Return from a function without executing it, with a result if it has one, and return the address to continue
        at."""
        if result is not None:
            self.general[0] = result
        return placed(self.state.pop())

    def check(self) -> None:
        """Raise AbiViolation unless the function preserved everything that the convention requires."""
        state = self.state
        lost = self.changed()
        if state.r[RSP] != self._entry + 8:
            lost.append(f"rsp (off by {state.r[RSP] - self._entry - 8})")
        if state.mxcsr & CONTROL != self._control & CONTROL:
            lost.append(f"mxcsr ({state.mxcsr:#x}, not {self._control:#x})")
        if may_be(self._control & FLAGS & ~state.mxcsr):
            lost.append("the exception flags of mxcsr that were set at entry")
        if state.df:
            lost.append("the direction flag (no cld)")
        if state.tiles.shapes is not None:
            lost.append("the tile configuration (no tilerelease)")
        require_kept(lost)
