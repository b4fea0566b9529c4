"""Call frame information of emitted code, as .eh_frame: how a debugger finds the caller from any instruction.

Emitted code moves the stack pointer by few instructions, always by a number; a walk over them, along the jumps, so
knows it everywhere. What they do is in `unwind_x86` and `unwind_a64`. Source: DWARF 5, 6.4.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..encoder.code import Code
from ..encoder.forks import load
from ..encoder.operands import Label

_ADVANCE4, _OFFSET, _RESTORE = 0x04, 0x80, 0xC0  # DW_CFA; the last two with a register in their low bits
_OFFSET_EXTENDED, _RESTORE_EXTENDED = 0x05, 0x06
_DEF_CFA_OFFSET, _DEF_CFA = 0x0E, 0x0C
_UNIT = 8  # bytes that offsets are counted in


class State(NamedTuple):
    """Before an instruction: bytes from the stack pointer up to the caller's frame, and how far below that frame
    registers are saved, by their numbers."""

    depth: int
    saved: tuple[tuple[int, int], ...] = ()

    def moved(self, amount: int) -> State:
        """The stack has grown."""
        return self._replace(depth=self.depth + amount)

    def save(self, number: int, place: int) -> State:
        """The register is first written to the stack here, `place` bytes above the stack pointer."""
        known = number in dict(self.saved)
        return self if known else self._replace(saved=(*self.saved, (number, self.depth - place)))

    def restore(self, number: int, place: int) -> State:
        """The register is read from there."""
        return self._replace(saved=tuple(item for item in self.saved if item != (number, self.depth - place)))


class Convention(NamedTuple):
    """How functions of an architecture begin, and what instructions do to the stack."""

    start: State
    stack: int  # number of the stack pointer
    link: int  # column of the return address
    ends: tuple[str, ...]  # mnemonics after which nothing falls through
    after: Callable[[str, tuple[Any, ...], State], State]


def eh_frame(code: Code, address: int) -> bytes:
    """One CIE and one FDE for the code at this address."""
    convention = _convention(code.arch)
    initial = bytes([_DEF_CFA, convention.stack]) + _uleb(convention.start.depth)
    initial += b"".join(_saved(number, at) for number, at in convention.start.saved)
    # version 1, "zR": pointers are absolute 8 bytes (0x00); code in bytes, data in -8 bytes
    cie = _entry(struct.pack("<IB3sBBBBB", 0, 1, b"zR\0", 1, -_UNIT & 0x7F, convention.link, 1, 0) + initial)
    body = struct.pack("<IQQB", len(cie) + 4, address, code.text_size, 0) + b"".join(_rules(code, convention))
    return cie + _entry(body) + bytes(4)


def _convention(arch: str) -> Convention:
    found: Convention = load(f".unwind_{arch}", __package__).CONVENTION
    return found


def _entry(body: bytes) -> bytes:
    body += bytes(-len(body) % 8 + 4)  # DW_CFA_nop; with the length a multiple of 8
    return struct.pack("<I", len(body)) + body


def _rules(code: Code, convention: Convention) -> Iterator[bytes]:
    """What changes, where it changes."""
    before, place = convention.start, 0
    for offset, state in states(code):
        if state == before:
            continue
        yield struct.pack("<BI", _ADVANCE4, offset - place)
        place = offset
        yield bytes([_DEF_CFA_OFFSET]) + _uleb(state.depth)
        for number, _ in set(before.saved) - set(state.saved):
            yield bytes([_RESTORE | number]) if number < 64 else bytes([_RESTORE_EXTENDED]) + _uleb(number)
        for number, at in set(state.saved) - set(before.saved):
            yield _saved(number, at)
        before = state


def _saved(number: int, at: int) -> bytes:
    if number < 64:
        return bytes([_OFFSET | number]) + _uleb(at // _UNIT)
    return bytes([_OFFSET_EXTENDED]) + _uleb(number) + _uleb(at // _UNIT)


def states(code: Code) -> Iterator[tuple[int, State]]:
    """(offset, state before the instruction there) in the order of the code."""
    convention = _convention(code.arch)
    state, known = convention.start, dict[int, State]()
    for instruction in code.instructions:
        state = known.get(instruction.offset, state)
        yield instruction.offset, state
        mnemonic, operands = instruction.form.mnemonic, instruction.operands
        for operand in operands:
            if isinstance(operand, Label) and operand.offset is not None:
                known.setdefault(operand.offset, state)
        state = convention.start if mnemonic in convention.ends else convention.after(mnemonic, operands, state)


def _uleb(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
