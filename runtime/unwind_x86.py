"""What emitted x86-64 instructions do to the stack: push, pop, and add or sub of a number.

Source: System V psABI of x86-64, 3.7.1 (register numbers).
"""

from __future__ import annotations

from typing import Any

from ..encoder.x86.abi import CALLEE_SAVED
from ..encoder.x86.registers import REGISTERS, Reg
from .unwind import Convention, State

_NUMBERS = {"rax": 0, "rdx": 1, "rcx": 2, "rbx": 3, "rsi": 4, "rdi": 5, "rbp": 6, "rsp": 7}
_LINK = 16
_STACK = REGISTERS["rsp"]


def _number(register: Reg) -> int:
    return _NUMBERS.get(register.name, register.num)


def _after(mnemonic: str, operands: tuple[Any, ...], state: State) -> State:
    first = operands[0] if operands else None
    if mnemonic == "push":
        state = state.moved(8)
        return state.save(_number(first), 0) if first in CALLEE_SAVED else state
    if mnemonic == "pop":
        return (state.restore(_number(first), 0) if first in CALLEE_SAVED else state).moved(-8)
    if mnemonic in ("add", "sub") and first is _STACK:
        return state.moved(operands[1] if mnemonic == "sub" else -operands[1])
    return state


CONVENTION = Convention(State(8, ((_LINK, 8),)), _NUMBERS["rsp"], _LINK, ("ret", "jmp", "ud2"), _after)
