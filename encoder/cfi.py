"""Call frame information: how debuggers, profilers and C++ exceptions find a kernel's caller from any instruction.

It consists of the changes between instructions, taken from the frames that `walk` follows: as bytes of .eh_frame for
objects and debuggers, and as .cfi directives for GNU as. Code that cannot be traced has none, because wrong information
is worse than none. Sources: DWARF 5, 6.4; LSB 5.0, 10.6 (.eh_frame); aadwarf64, 4.1 (signed return addresses).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from .code import Code
from .conventions import convention_of
from .frames import Frame, FrameConvention, cfa
from .records import NamedTuple
from .walk import Trace, trace

_ADVANCE, _OFFSET, _RESTORE = 0x40, 0x80, 0xC0  # DW_CFA codes with a number in the low 6 bits
_ADVANCES = ((0x02, "<BB"), (0x03, "<BH"), (0x04, "<BI"))
_OFFSET_EXTENDED, _RESTORE_EXTENDED = 0x05, 0x06
_DEF_CFA, _DEF_CFA_REGISTER, _DEF_CFA_OFFSET, _NEGATE_RA_STATE = 0x0C, 0x0D, 0x0E, 0x2D
_UNIT = 8  # unit of places, in bytes
_ABSOLUTE, _RELATIVE = 0x00, 0x1B  # DW_EH_PE: 8 bytes; 4 signed bytes, relative to their own address


class Change(NamedTuple):
    """One directive: its name after `.cfi_`, and its numbers, which are registers and distances in bytes."""

    name: str
    numbers: tuple[int, ...] = ()


class Placed(NamedTuple):
    """Bytes of .eh_frame, in which the 4 bytes at `place` must be set to the code's address minus their own."""

    data: bytes
    place: int


def changes(known: Trace) -> Iterator[tuple[int, list[Change]]]:
    """Yield (offset, changes before the instruction there), in the order of the code."""
    if known.flow is None or not known.frames:
        return
    convention = known.flow.convention
    before = convention.start()
    for instruction, frame in zip(known.flow.instructions, known.frames):
        if frame is None or frame is before:
            continue
        found = list(_between(before, frame, convention))
        if found:
            yield instruction.offset, found
        before = frame


def _between(before: Frame, frame: Frame, convention: FrameConvention) -> Iterator[Change]:
    (old, distance), (register, offset) = cfa(before, convention), cfa(frame, convention)
    if register != old and offset != distance:
        yield Change("def_cfa", (register, offset))
    elif register != old:
        yield Change("def_cfa_register", (register,))
    elif offset != distance:
        yield Change("def_cfa_offset", (offset,))
    for number in sorted(set(before.saved) - set(frame.saved)):
        yield Change("restore", (number,))
    for number, place in sorted(frame.saved.items()):
        if before.saved.get(number) != place:
            yield Change("offset", (number, place))
    if frame.signed != before.signed:
        yield Change("negate_ra_state")


def directives(known: Trace) -> dict[int, list[str]]:
    """The lines for GNU as that come before the instruction at each offset."""
    return {
        offset: [f".cfi_{each.name} {', '.join(map(str, each.numbers))}".rstrip() for each in found]
        for offset, found in changes(known)
    }


def eh_frame(code: Code, address: int) -> bytes:
    """One CIE and one FDE for the code at this address, with an end mark; empty if the code cannot be traced."""
    known = trace(code)
    if known.lost:
        return b""
    cie = _cie(code, _ABSOLUTE)
    return cie + _fde(len(cie), struct.pack("<QQ", address, code.text_size), known) + bytes(4)


def relocatable_eh_frame(code: Code, known: Trace) -> Placed | None:
    """The same for an object, in which the linker fills in the address and the end; None if the code cannot be
    traced."""
    if known.lost:
        return None
    cie = _cie(code, _RELATIVE)
    return Placed(cie + _fde(len(cie), struct.pack("<iI", 0, code.text_size), known), len(cie) + 8)


def _cie(code: Code, pointers: int) -> bytes:
    """A CIE of version 1 with augmentation "zR", the encoding of pointers. Code is counted in bytes, places in -8
    bytes."""
    convention = convention_of(code.arch)
    start = convention.start()
    register, offset = cfa(start, convention)
    rules = _bytes(Change("def_cfa", (register, offset)))
    rules += b"".join(_bytes(Change("offset", item)) for item in sorted(start.saved.items()))
    head = struct.pack("<IB3sBBBBB", 0, 1, b"zR\0", 1, -_UNIT & 0x7F, convention.link, 1, pointers)
    return _entry(head + rules)


def _fde(behind: int, span: bytes, known: Trace) -> bytes:
    """An FDE for a span of code, given as its address and size. The CIE begins `behind` bytes before it."""
    rules, place = b"", 0
    for offset, found in changes(known):
        rules += _advance(offset - place) + b"".join(map(_bytes, found))
        place = offset
    return _entry(struct.pack("<I", behind + 4) + span + b"\0" + rules)


def _entry(body: bytes) -> bytes:
    body += bytes(-len(body) % 8 + 4)  # padded by DW_CFA_nop, so that with the length it is a multiple of 8
    return struct.pack("<I", len(body)) + body


def _advance(distance: int) -> bytes:
    if distance < _ADVANCE:
        return bytes([_ADVANCE | distance]) if distance else b""
    code, layout = next((code, layout) for code, layout in _ADVANCES if distance < 1 << 8 * struct.calcsize(layout[2]))
    return struct.pack(layout, code, distance)


def _bytes(change: Change) -> bytes:
    name, numbers = change
    if name in ("offset", "restore"):
        short, extended = {"offset": (_OFFSET, _OFFSET_EXTENDED), "restore": (_RESTORE, _RESTORE_EXTENDED)}[name]
        first = bytes([short | numbers[0]]) if numbers[0] < 64 else bytes([extended]) + _uleb(numbers[0])
        return first + b"".join(_uleb(-place // _UNIT) for place in numbers[1:])
    code = {
        "def_cfa": _DEF_CFA,
        "def_cfa_register": _DEF_CFA_REGISTER,
        "def_cfa_offset": _DEF_CFA_OFFSET,
        "negate_ra_state": _NEGATE_RA_STATE,
    }[name]
    return bytes([code]) + b"".join(map(_uleb, numbers))


def _uleb(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
