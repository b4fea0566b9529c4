"""Call frame information of emitted x86-64 code, as .eh_frame: how a debugger finds the caller from any instruction.

The emitted code moves rsp by push, pop, and add or sub of a number only; a walk over the instructions, along the jumps,
so knows it everywhere. Sources: DWARF 5, 6.4; System V psABI of x86-64, 3.7 (register numbers).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from ..encoder.code import Code
from ..encoder.operands import Label
from ..encoder.x86.abi import CALLEE_SAVED
from ..encoder.x86.registers import Mem, Reg

_NUMBERS = {"rax": 0, "rdx": 1, "rcx": 2, "rbx": 3, "rsi": 4, "rdi": 5, "rbp": 6, "rsp": 7}
_ADVANCE, _OFFSET, _RESTORE = 0x40, 0x80, 0xC0  # DW_CFA, in the two high bits
_ADVANCE4, _REMEMBER_NOTHING, _DEF_CFA_OFFSET, _DEF_CFA = 0x04, 0x00, 0x0E, 0x0C
_ENDS = ("ret", "jmp", "ud2")
_SAVED = {reg.name for reg in CALLEE_SAVED}

State = tuple[int, tuple[tuple[str, int], ...]]  # bytes from rsp to the caller's; where registers are, from there


def eh_frame(code: Code, address: int) -> bytes:
    """One CIE and one FDE for the code at this address; empty for code that is not x86-64."""
    if code.arch != "x86":
        return b""
    # version 1, "zR": pointers are absolute 8 bytes (0x00); code in bytes, data in -8 bytes; return address column 16
    initial = bytes([_DEF_CFA, 7, 8, _OFFSET | 16, 1])
    cie = _entry(struct.pack("<IB3sBBBBB", 0, 1, b"zR\0", 1, 0x78, 16, 1, 0) + initial)
    body = struct.pack("<IQQB", len(cie) + 4, address, code.text_size, 0) + b"".join(_rules(code))
    return cie + _entry(body) + bytes(4)


def _entry(body: bytes) -> bytes:
    body += bytes(-len(body) % 8 + 4)  # DW_CFA_nop; with the length a multiple of 8
    return struct.pack("<I", len(body)) + body


def _rules(code: Code) -> Iterator[bytes]:
    """What changes, where it changes."""
    before: State = (8, ())
    place = 0
    for offset, state in _states(code):
        if state == before:
            continue
        yield struct.pack("<BI", _ADVANCE4, offset - place)
        place = offset
        yield bytes([_DEF_CFA_OFFSET]) + _uleb(state[0])
        for name, _ in set(before[1]) - set(state[1]):
            yield bytes([_RESTORE | _number(name)])
        for name, at in set(state[1]) - set(before[1]):
            yield bytes([_OFFSET | _number(name)]) + _uleb(at // 8)
        before = state


def _states(code: Code) -> Iterator[tuple[int, State]]:
    """(offset, state before the instruction there) in the order of the code."""
    state: State = (8, ())
    known: dict[int, State] = {}
    for instruction in code.instructions:
        state = known.get(instruction.offset, state)
        yield instruction.offset, state
        mnemonic, operands = instruction.form.mnemonic, instruction.operands
        for operand in operands:
            if isinstance(operand, Label) and operand.offset is not None:
                known.setdefault(operand.offset, state)
        state = _after(mnemonic, operands, state)
        if mnemonic in _ENDS:
            state = (8, ())


def _after(mnemonic: str, operands: tuple[Any, ...], state: State) -> State:
    depth, saved = state
    first = operands[0] if operands else None
    if mnemonic == "push":
        depth += 8
        if isinstance(first, Reg) and first.name in _SAVED and first.name not in dict(saved):
            saved = (*saved, (first.name, depth))
    elif mnemonic == "pop":
        if isinstance(first, Reg) and dict(saved).get(first.name) == depth:
            saved = tuple(item for item in saved if item[0] != first.name)
        depth -= 8
    elif mnemonic in ("add", "sub") and isinstance(first, Reg) and first.name == "rsp":
        amount = operands[1]
        assert isinstance(amount, int) and not isinstance(first, Mem)
        depth += amount if mnemonic == "sub" else -amount
    return depth, saved


def _number(name: str) -> int:
    return _NUMBERS[name] if name in _NUMBERS else int(name[1:])


def _uleb(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
