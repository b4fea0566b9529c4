"""The lengths of all instructions of x86-64, also of those that the table has no rows for.

A length follows from the prefixes, the opcode's map, whether a modrm byte follows, and the immediate (Intel SDM vol.
2, 2.1 to 2.7 and appendix A; AMD APM vol. 3, appendix A for XOP, FMA4 and 3DNow). So code with x87 or FMA4
instructions can be read instruction by instruction, though nothing here says what they do.
"""

from __future__ import annotations

from ..records import NamedTuple
from .words import address_of

_LONGEST = 15
_SEGMENTS = b"\x26\x2e\x36\x3e\x64\x65"
PREFIXES = frozenset(_SEGMENTS + b"\x66\x67\xf0\xf2\xf3")

# A character for each opcode, sixteen in a row. The letters say what follows the opcode:
#   .  nothing              m  modrm             x  not an instruction of 64-bit mode
#   b  8 bits               i  modrm, 8 bits     w  16 bits                e  16 bits and 8 bits
#   z  32 bits; 16 with the prefix 66            s  modrm, and the same    j  32 bits, a distance
#   v  like z, but 64 bits with REX.W            a  an absolute address    q  modrm, two immediates of 8 bits
#   r  modrm, which names registers whatever its first two bits are
#   p  a prefix or an escape, which is handled before the table
_ONE_BYTE = """
    mmmmbzxxmmmmbzxp mmmmbzxxmmmmbzxx mmmmbzpxmmmmbzpx mmmmbzpxmmmmbzpx
    pppppppppppppppp ................ xxpmppppzsbi.... bbbbbbbbbbbbbbbb
    isximmmmmmmmmmmm ..........x..... aaaa....bz...... bbbbbbbbvvvvvvvv
    iiw.ppise.w..bx. mmmmxxx.mmmmmmmm bbbbbbbbjjxb.... p.pp..mm......mm
"""
_TWO_BYTES = """
    mmmmx.....x.xm.i mmmmmmmmmmmmmmmm rrrrxxxxmmmmmmmm ......x.pxpxxxxx
    mmmmmmmmmmmmmmmm mmmmmmmmmmmmmmmm mmmmmmmmmmmmmmmm iiiimmm.mmmmmmmm
    jjjjjjjjjjjjjjjj mmmmmmmmmmmmmmmm ...mimmm...mimmm mmmmmmmmmmimmmmm
    mmimiiim........ mmmmmmmmmmmmmmmm mmmmmmmmmmmmmmmm mmmmmmmmmmmmmmmm
"""
_MAPS = {2: "m", 3: "i", 4: "m", 5: "m", 6: "m", 7: "s"}  # of VEX and EVEX, other than 0F
_XOP_MAPS = {8: "i", 9: "m", 10: "s"}
_BYTES = {"b": 1, "i": 1, "w": 2, "e": 3, "j": 4, "q": 2, "r": 1}


def _table(rows: str) -> str:
    return "".join(rows.split())


_ONE, _TWO = _table(_ONE_BYTE), _table(_TWO_BYTES)


# Opcodes of one byte by which digits of modrm they are instructions with: in memory, and of registers.
_DIGITS = {
    0x8F: ("0", "0"),
    0xC6: ("0", "0"),
    0xC7: ("0", "0"),
    0xFE: ("01", "01"),
    0xFF: ("0123456", "01246"),
    0x8D: ("01234567", ""),
}
_XBEGIN_XABORT = 0xF8  # the modrm byte of these, which are C7 and C6


class _Read(NamedTuple):
    """What stands before an opcode: the offset of the opcode, the prefixes before REX, and REX (0 if there is none)."""

    at: int
    prefixes: bytes
    rex: int

    @property
    def before_vectors(self) -> bool:
        """Whether VEX, EVEX and XOP may follow."""
        return not self.rex and not set(self.prefixes) & {0x66, 0xF0, 0xF2, 0xF3}


def _prefixes(data: bytes) -> _Read:
    at = 0
    while at < len(data) and data[at] in PREFIXES:
        at += 1
    rex = data[at] if at < len(data) and data[at] & 0xF0 == 0x40 else 0
    return _Read(at + bool(rex), data[:at], rex)


def run(data: bytes, offset: int) -> int:
    """Return how many bytes at `offset` belong together: those of an instruction, or else of prefixes, and the byte
    behind them unless it is a prefix again, which may begin an instruction."""
    data = bytes(data[offset : offset + _LONGEST + 1])
    found = length(data)
    if found is not None:
        return found
    at = _prefixes(data).at
    again = at < len(data) and (data[at] in PREFIXES or data[at] & 0xF0 == 0x40)
    return min(max(at + (not again), 1), len(data), _LONGEST)


def length(data: bytes) -> int | None:
    """Return the length in bytes of the instruction that `data` begins with. None if these bytes are no instruction of
    64-bit mode, or are cut off."""
    data = bytes(data[: _LONGEST + 1])
    read = _prefixes(data)
    opcode = data[read.at : read.at + 1]
    if not opcode:
        return None
    if opcode in (b"\xc4", b"\xc5", b"\x62"):
        found = _vector(data, read.at) if read.before_vectors else None
    elif opcode == b"\x8f" and len(data) > read.at + 1 and data[read.at + 1] & 0x1F >= 8:
        found = _xop(data, read.at) if read.before_vectors else None
    else:
        found = _legacy(data, read)
    return found if found is not None and found <= min(len(data), _LONGEST) else None


def _legacy(data: bytes, read: _Read) -> int | None:
    """The length of an instruction that has neither VEX, EVEX nor XOP."""
    at = read.at
    if data[at] != 0x0F:
        what = _ONE[data[at]] if _is_digit_of(data[at : at + 2]) else "x"
        if data[at] in (0xF6, 0xF7) and len(data) > at + 1 and data[at + 1] & 0x30 == 0:  # test; the others have none
            what = "i" if data[at] == 0xF6 else "s"
    else:
        at += 1
        if at >= len(data):
            return None
        what = _TWO[data[at]]
        if data[at] in (0x38, 0x3A):
            what = "m" if data[at] == 0x38 else "i"
            at += 1
        elif data[at] == 0x78 and {0x66, 0xF2} & set(read.prefixes):  # extrq, insertq of SSE4a
            what = "q"
    return _behind(data, at + 1, what, read)


def _is_digit_of(data: bytes) -> bool:
    """Whether an opcode, which is the first of these bytes, is an instruction with the digit in modrm."""
    digits = _DIGITS.get(data[0])
    if digits is None or len(data) < 2:
        return True
    modrm = data[1]
    return str(modrm >> 3 & 7) in digits[modrm >= 0xC0] or (data[0] in (0xC6, 0xC7) and modrm == _XBEGIN_XABORT)


def _behind(data: bytes, at: int, what: str, read: _Read) -> int | None:
    """The length of an instruction whose opcode ends at `at`, and is followed by `what`."""
    if what in "xp":
        return None
    if what in "misq":
        if at >= len(data):
            return None
        address = address_of(data[at:]) if data[at] < 0xC0 else None
        if data[at] < 0xC0 and address is None:
            return None
        at += address.length if address else 1
    short = 0x66 in read.prefixes and not read.rex & 8
    if what in "zsv":
        return at + (8 if what == "v" and read.rex & 8 else 2 if short else 4)
    if what == "a":
        return at + (4 if 0x67 in read.prefixes else 8)
    return at + _BYTES.get(what, 0)


def _vector(data: bytes, at: int) -> int | None:
    """The length of an instruction with VEX or EVEX, which begins at `at`."""
    size = {0xC5: 2, 0xC4: 3, 0x62: 4}[data[at]]
    if len(data) < at + size + 1 or (size == 4 and (data[at + 1] & 8 or not data[at + 2] & 4)):
        return None  # it is cut off, or reserved bits of EVEX have other values
    map_ = 1 if size == 2 else data[at + 1] & (7 if size == 4 else 0x1F)
    opcode = data[at + size]
    if map_ == 1:  # what follows is what follows the same opcode of the map 0F
        what = "." if opcode == 0x77 and size < 4 else "i" if _TWO[opcode] == "i" else "m"
    else:
        what = _MAPS.get(map_, "x")
    return _behind(data, at + size + 1, what, _Read(0, b"", 0))


def _xop(data: bytes, at: int) -> int | None:
    """The length of an instruction with XOP, which begins at `at`."""
    return _behind(data, at + 4, _XOP_MAPS.get(data[at + 1] & 0x1F, "x"), _Read(0, b"", 0))
