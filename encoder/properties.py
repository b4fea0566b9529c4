"""What code promises to a linker about a processor's control-flow checks, in a note: .note.gnu.property.

A linker keeps a promise for its output only if every input makes it, so an object without the note removes it for the
others. The promises are:

IBT, BTI   indirect branches lead only to endbr64 and bti
SHSTK      a shadow stack always matches the stack
PAC        return addresses in memory are signed

Only what is known of the code is promised; hand-written code may promise nothing. Sources: psABI of x86-64 1.0, 4.1.3;
AAELF64, "Program property"; the Linux gABI extensions.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from .code import Code
from .records import NamedTuple
from .walk import Trace

_TYPE, _NAME = 5, b"GNU\0"  # NT_GNU_PROPERTY_TYPE_0
ALIGNMENT = 8
_BITS, _BITS_AT = struct.Struct("<I"), 24  # the promises, and their offset in the section


class _Property(NamedTuple):
    """The AND property of an architecture, and its two bits."""

    type: int
    landing: int  # GNU_PROPERTY_X86_FEATURE_1_IBT, GNU_PROPERTY_AARCH64_FEATURE_1_BTI
    returns: int  # GNU_PROPERTY_X86_FEATURE_1_SHSTK, GNU_PROPERTY_AARCH64_FEATURE_1_PAC


_PROPERTIES = {"x86": _Property(0xC0000002, 1, 2), "a64": _Property(0xC0000000, 1, 2)}


def note(code: Code, known: Trace) -> bytes:
    """Return the contents of the section; empty if the code promises nothing."""
    words = note_words(code, known)
    return struct.pack("<3I4s4I", *words[:3], _NAME, *words[4:]) if words else b""


def shared(notes: Sequence[bytes]) -> bytes:
    """Return the note of an object with several functions: the promises that all of them make."""
    if not all(notes):
        return b""
    bits = _BITS.unpack_from(notes[0], _BITS_AT)[0]
    for note in notes[1:]:
        bits &= _BITS.unpack_from(note, _BITS_AT)[0]
    return notes[0][:_BITS_AT] + _BITS.pack(bits) + notes[0][_BITS_AT + _BITS.size :] if bits else b""


def note_words(code: Code, known: Trace) -> tuple[int, ...]:
    """Return the note as 32-bit words."""
    flow, what = known.flow, _PROPERTIES[code.arch]
    if flow is None:
        return ()
    instructions = flow.instructions
    bits = what.landing * all(flow.convention.lands(instructions[at], at == 0) for at in flow.landings)
    if known.frames and flow.convention.guarded(instructions, known.frames):
        bits |= what.returns
    name = int.from_bytes(_NAME, "little")
    return (len(_NAME), 16, _TYPE, name, what.type, 4, bits, 0) if bits else ()
