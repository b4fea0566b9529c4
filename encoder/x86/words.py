"""The instruction words of x86-64: which bit belongs to which operand.

Byte maps (Intel SDM vol. 2, 2.1-2.7); ~ marks bits stored inverted, byte 0 is the lowest of the little-endian word.

    VEX    C4 | ~R ~X ~B m4..m0 | W ~v3..~v0 L p1 p0 | opcode | mod reg rm
    EVEX   62 | ~R ~X ~B ~R' 0 m2 m1 m0 | W ~v3..~v0 1 p1 p0 | z L1 L0 b ~V' a2 a1 a0 | opcode | mod reg rm
    legacy [66|F2|F3] [0100 W R X B] [0F [38|3A]] opcode | mod reg rm

An operand contributes bits that are XORed into the word with all operands 0. The place of an operand is its role: R
modrm.reg, V vvvv, M modrm.rm, O low bits of the opcode (legacy only), S bits 7..4 of a trailing byte, I immediate, D
displacement of a branch, N nowhere (an operand that the opcode implies).
"""

from __future__ import annotations

from ..fields import Field, Split
from ..records import NamedTuple

ROLES = "RVMOSIDN"
R, V, M, O, S, I, D, N = range(8)  # noqa: E741

VEX_FIELDS = {R: Split((0, 3, 35), (3, 1, 15)), V: Split((0, 4, 19)), M: Split((0, 3, 32), (3, 1, 13))}
EVEX_FIELDS = {
    R: Split((0, 3, 43), (3, 1, 15), (4, 1, 12)),
    V: Split((0, 4, 19), (4, 1, 27)),
    M: Split((0, 3, 40), (3, 1, 13), (4, 1, 14)),
}
# One word for legacy instructions: byte 0 is the REX payload WRXB (below the flags REX_NEEDED and REX_FORBIDDEN), byte
# 1 is modrm, byte 2 has the opcode's low bits.
LEGACY_FIELDS = {R: Split((0, 3, 11), (3, 1, 2)), M: Split((0, 3, 8), (3, 1, 0)), O: Split((0, 3, 16), (3, 1, 0))}
VEX, EVEX, LEGACY = range(3)
FIELDS = (VEX_FIELDS, EVEX_FIELDS, LEGACY_FIELDS)
# spl, bpl, sil, dil exist only with REX; one bit per role, so that they cannot cancel
REX_NEEDED = {R: 0x10, M: 0x20, O: 0x40}
REX_FORBIDDEN = 0x80  # ah, ch, dh, bh exist only without REX

# Memory: B extends the base and X the index; V' extends an index of 16 and above (gathers).
_X, _B = Split((3, 1, 14)), Split((3, 1, 13))
MEM_BASE = (_B, _B, Split((3, 1, 0)))
MEM_INDEX = (_X, Split((3, 1, 14), (4, 1, 27)), Split((3, 1, 1)))
SIB_SCALE, SIB_INDEX, SIB_BASE = Field(6, 2), Field(3, 3), Field(0, 3)

EVEX_MASK, EVEX_ZEROING, EVEX_BROADCAST, EVEX_LENGTH = Field(24, 3), Field(31, 1), Field(28, 1), Field(29, 2)

PREFIX = {"NP": 0, "66": 1, "F3": 2, "F2": 3}
PREFIX_BYTE = {"66": b"\x66", "F3": b"\xf3", "F2": b"\xf2", "F0": b"\xf0"}
MAP = {"0F": 1, "0F38": 2, "0F3A": 3, "MAP4": 4, "MAP5": 5, "MAP6": 6, "MAP7": 7}
MAP_BYTES = {"": b"", "0F": b"\x0f", "0F38": b"\x0f\x38", "0F3A": b"\x0f\x3a"}
LENGTH = {128: 0, 256: 1, 512: 2}


def vex_base(length: int, prefix: str, map_: str, w: int, opcode: int, modrm: int) -> int:
    """The 5-byte VEX word with all operands 0."""
    byte1 = 0xE0 | MAP[map_]
    byte2 = w << 7 | 0x78 | LENGTH[length] << 2 | PREFIX[prefix]
    return 0xC4 | byte1 << 8 | byte2 << 16 | opcode << 24 | modrm << 32


def evex_base(length: int, prefix: str, map_: str, w: int, opcode: int, modrm: int) -> int:
    """The 6-byte EVEX word with all operands 0."""
    byte1 = 0xF0 | MAP[map_]
    byte2 = w << 7 | 0x7C | PREFIX[prefix]
    byte3 = LENGTH[length] << 5 | 0x08
    return 0x62 | byte1 << 8 | byte2 << 16 | byte3 << 24 | opcode << 32 | modrm << 40


def vex_bytes(word: int) -> bytes:
    """Return the shortest encoding of a VEX word: two prefix bytes if X, B and W are clear and the map is 0F."""
    if word & 0x80_7F00 == 0x6100:
        return (0xC5 | (word >> 8 & 0x80 | word >> 16 & 0x7F) << 8 | word >> 24 << 16).to_bytes(4, "little")
    return word.to_bytes(5, "little")


class AddressFields(NamedTuple):
    """The fields of modrm, SIB and displacement, without the bits of prefixes."""

    mod: int
    sib: bool
    base: int  # the low three bits
    index_low: int
    scale: int
    disp: int  # as stored
    length: int

    @property
    def based(self) -> bool:
        """Whether there is a base register: base 5 with mod 0 means the instruction pointer, or none."""
        return self.mod > 0 or self.base != 5


def address_of(rest: bytes) -> AddressFields | None:
    """Return the address that begins with the modrm byte; None if bytes are missing."""
    mod, base, index, scale, at = rest[0] >> 6, rest[0] & 7, 4, 1, 1
    sib = base == 4
    if sib:
        if len(rest) < 2:
            return None
        base, index = SIB_BASE.extract(rest[1]), SIB_INDEX.extract(rest[1])
        scale, at = 1 << SIB_SCALE.extract(rest[1]), 2
    size = (0, 1, 4)[mod] if mod or base != 5 else 4
    disp = int.from_bytes(rest[at : at + size], "little", signed=True)
    return AddressFields(mod, sib, base, index, scale, disp, at + size) if len(rest) >= at + size else None
