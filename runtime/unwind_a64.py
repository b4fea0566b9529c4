"""What emitted AArch64 instructions do to the stack: stores and loads of registers by sp, and add or sub of a number.

Source: DWARF for the Arm 64-bit Architecture (aadwarf64), 4.1 (register numbers).
"""

from __future__ import annotations

from typing import Any

from ..encoder.a64.abi import CALLEE_SAVED, FRAME, LINK
from ..encoder.a64.registers import D, Mem, sp
from .unwind import Convention, State

_STACK = 31
_BYTES = 8
_SAVED = {reg: reg.num for reg in (*CALLEE_SAVED, FRAME, LINK)} | {reg: 64 + reg.num for reg in D[8:16]}


def _after(mnemonic: str, operands: tuple[Any, ...], state: State) -> State:
    if mnemonic in ("add", "sub") and operands[0] is sp is operands[1]:
        return state.moved(operands[2] if mnemonic == "sub" else -operands[2])
    place = operands[-1] if operands else None
    if mnemonic not in ("str", "stp", "ldr", "ldp") or not isinstance(place, Mem) or place.base is not sp:
        return state
    store = mnemonic in ("str", "stp")
    at = place.offset
    if place.mode == "!":
        state, at = state.moved(-place.offset), 0
    first = 0 if place.mode == "," else at
    for i, register in enumerate(operands[:-1]):
        if register in _SAVED:
            state = (state.save if store else state.restore)(_SAVED[register], first + _BYTES * i)
    return state.moved(-place.offset) if place.mode == "," else state


CONVENTION = Convention(State(0), _STACK, LINK.num, ("ret", "b", "br", "udf"), _after)
