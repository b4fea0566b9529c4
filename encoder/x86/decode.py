"""Decode bytes to forms and operands of x86-64, using the forms' own words: the bits that the encoder XORs in are
extracted again.

A form accepts a word if it differs from the word of zero operands only in bits that belong to its operands. Some
encodings that the assembler would not choose are accepted where they have the same meaning: a long prefix, a wide
displacement, redundant REX, the load opcode of a move between registers. Prefixes without effect, and bits that the
processor ignores, are not accepted.
"""

from __future__ import annotations

from collections import defaultdict
from copy import copy
from typing import Any

from ..operands import Label
from ..records import NamedTuple
from . import words
from .assembler import TABLE as TABLE
from .classes import OperandClass
from .forms import X86Form, vector_base
from .lengths import run as run
from .registers import R8H, REGISTERS, Mem, Reg, rd_sae, rn_sae, ru_sae, rz_sae, sae
from .words import EVEX, LEGACY, VEX

_Key = tuple[int, str, str, int]  # encoding, prefix (VEX and EVEX only), map, opcode
_Found = tuple[X86Form, tuple[Any, ...], int]  # form, operands, length
_Refused = list[str] | None
_MAX_LENGTH = 15
_LEGACY_PREFIXES = {byte[0]: name for name, byte in words.PREFIX_BYTE.items()}
_PP = {value: name for name, value in words.PREFIX.items()}
_MAPS = {value: name for name, value in words.MAP.items()}
_ESCAPES = tuple((name, escape) for name, escape in reversed(words.MAP_BYTES.items()) if escape)  # longest first
_CONTROLS = {control.name: control for control in (rn_sae, rd_sae, ru_sae, rz_sae, sae)}
_W = 1 << 23  # the W bit of VEX and EVEX
_FILES = {"x": "xmm", "y": "ymm", "z": "zmm"}  # files of index vectors
_MOD = 0xC0
_BY_NUMBER: dict[tuple[str, int], Reg] = {(reg.file, reg.num): reg for reg in REGISTERS.values() if reg not in R8H}
_HIGH_BYTES = {reg.num: reg for reg in R8H}


class _Bytes(NamedTuple):
    """An instruction, split at the place common to all encodings: a word, and the bytes behind the opcode."""

    word: int  # without modrm
    rest: bytes  # from modrm on, or immediates
    start: int  # number of bytes before `rest`
    rex: bool


class _Reader:
    """Reads words of one form."""

    def __init__(self, form: X86Form, meant: X86Form) -> None:
        self.form, self.meant = form, meant  # the form of the bytes, and the form that they mean
        encoding = form.prefix.encoding
        self.shift = (32, 40, 8)[encoding]  # position of the modrm byte
        self.memory = next((i for i, c in enumerate(form.classes) if c.touches_memory), -1)
        self.masked = next((i for i, c in enumerate(form.classes) if c.mask), -1)
        self.broadcast = self.memory >= 0 and form.classes[self.memory].kind == "broadcast"
        self.gather = self.memory >= 0 and form.classes[self.memory].kind == "gather"
        self.fixed, self.prefixes = _fixed(form), sorted(form.prefix.legacy)
        if encoding == LEGACY:
            self.base = form.prefix.w << 3 | form.modrm_base << 8
        else:
            self.base = vector_base(form) | (words.EVEX_BROADCAST.insert(1) if self.broadcast else 0)
        if not form.modrm:
            self.base &= ~(0xFF << self.shift)
        self.free = self._free_bits(encoding)

    def _free_bits(self, encoding: int) -> int:
        """The bits that are determined by operands or ignored by the processor."""
        form, fields = self.form, words.FIELDS[encoding]
        free = 0
        for i, role in enumerate(form.roles):
            if role in "RVMO" and i != self.memory:
                free |= fields[words.ROLES.index(role)].mask
        if self.memory >= 0:
            free |= (_MOD | 7) << self.shift | words.MEM_BASE[encoding].mask | words.MEM_INDEX[encoding].mask
            if encoding == EVEX and not self.gather:
                free &= ~words.MEM_INDEX[EVEX].insert(16) | (
                    words.EVEX_FIELDS[words.V].mask if "V" in form.roles else 0
                )
        if encoding != LEGACY:
            free |= _W if form.prefix.w_ignored else 0
        if encoding == EVEX and self.masked >= 0:
            free |= words.EVEX_MASK.insert(7)
            free |= words.EVEX_ZEROING.insert(int(form.classes[self.masked].mask == "kz"))
        return free

    def read(self, data: _Bytes, refused: _Refused = None) -> tuple[tuple[Any, ...], int] | None:
        """Return the operands and the length, if the bytes are of this form; else None."""
        form, rest = self.form, data.rest
        word, at = data.word, 0
        if form.modrm:
            if not rest:
                return None
            word |= rest[0] << self.shift
            at = 1
        elif not rest.startswith(self.fixed):
            return None
        else:
            at = len(self.fixed)
        if (word ^ self.base) & ~self.free or (self.memory >= 0 and rest[0] >= _MOD):
            return None
        return self._operands(word, rest, at, data, refused)

    def _operands(
        self, word: int, rest: bytes, at: int, data: _Bytes, refused: _Refused
    ) -> tuple[tuple[Any, ...], int] | None:
        form = self.form
        mem: Mem | None = None
        if self.memory >= 0:
            found = self._mem(word, rest)
            if found is None:
                return None
            mem, at = found
        operands: list[Any] = []
        for i, (wanted, role) in enumerate(zip(form.classes, form.roles)):
            if i == self.memory:
                operand: Any = mem
            elif role in "ID":
                operand, at = _integer(wanted, rest, at)
            elif role == "S":
                operand = _BY_NUMBER[wanted.file, rest[at] >> 4] if at < len(rest) and not rest[at] & 15 else None
                at += 1
            else:
                operand = self._register(wanted, role, word, data.rex)
            if operand is None:
                return None
            operands.append(operand)
        if not self._mask(word, operands):
            return None
        if form.checked and (wrong := next(form.conflicts(tuple(operands)), None)):
            if refused is not None:
                refused.append(f"{form.mnemonic}: {wrong}")
            return None
        if form.control:
            place = len(operands) - form.roles.count("I")
            operands.insert(place, _CONTROLS[form.control])
        return tuple(operands), data.start + at

    def _register(self, wanted: OperandClass, role: str, word: int, rex: bool) -> Reg | int | None:
        if role == "N":
            return 1 if wanted.kind == "one" else REGISTERS[wanted.file]
        number = words.FIELDS[self.form.prefix.encoding][words.ROLES.index(role)].extract(word, self.base)
        if wanted.file == "r8" and not rex and number in _HIGH_BYTES and self.form.prefix.encoding == LEGACY:
            return _HIGH_BYTES[number]
        return _BY_NUMBER.get((wanted.file, number & ~1 if wanted.name == "pair" else number))

    def _mask(self, word: int, operands: list[Any]) -> bool:
        """Put the mask on its operand. False if zeroing has no mask, or a gather has none."""
        if self.form.prefix.encoding != EVEX or self.masked < 0:
            return True
        number, zeroing = words.EVEX_MASK.extract(word), words.EVEX_ZEROING.extract(word)
        if number:
            operand, mask = operands[self.masked], _BY_NUMBER["k", number]
            operands[self.masked] = operand.kz(mask) if zeroing else operand.k(mask)
        return bool(number) or not (zeroing or self.form.gathers)

    def _mem(self, word: int, rest: bytes) -> tuple[Mem, int] | None:
        """Return the memory operand, and the number of its bytes from modrm on."""
        address = words.address_of(rest)
        if address is None:
            return None
        encoding, wanted = self.form.prefix.encoding, self.form.classes[self.memory]
        # Split.extract returns 8 (and 16) if an extension bit is set.
        base_high = words.MEM_BASE[encoding].extract(word, self.base)
        index_high = words.MEM_INDEX[encoding].extract(word, self.base) & (24 if self.gather else 8)
        if not self._possible(address, base_high, index_high):
            return None
        base = _BY_NUMBER["r64", address.base | base_high] if address.based else None
        index: Reg | None = None
        if self.gather:
            index = _BY_NUMBER[_FILES[wanted.file], address.index_low | index_high]
        elif address.sib and address.index_low | index_high != 4:
            index = _BY_NUMBER["r64", address.index_low | index_high]
        disp = address.disp * (self.form.disp_unit if address.mod == 1 else 1)
        size, count = (0 if self.gather else wanted.size), (wanted.count if self.broadcast else 0)
        rip = not address.based and not address.sib
        return Mem(base, disp, index, address.scale, size, count, rip=rip), address.length

    def _possible(self, address: words.AddressFields, base_high: int, index_high: int) -> bool:
        """Whether this form is ever written with such an address, by this or another assembler."""
        if not address.based and base_high:
            return False  # the bit would extend a base that does not exist
        if not address.sib:
            return not self.gather and not index_high
        if self.gather or address.index_low | index_high != 4:
            return True
        # Without an index, a SIB byte is needed only for rsp, r12 and an absolute address.
        return address.scale == 1 and (address.base == 4 or not address.based)


def _integer(wanted: OperandClass, rest: bytes, at: int) -> tuple[int | None, int]:
    """Return an immediate or a distance, and the offset of its end."""
    end = at + wanted.size // 8
    value = int.from_bytes(rest[at:end], "little", signed=wanted.kind != "bits")
    return (value if end <= len(rest) else None), end


def _fixed(form: X86Form) -> bytes:
    """The bytes that follow the opcode byte of a form without modrm, such as 0F 01 D0."""
    whole = words.MAP_BYTES.get(form.prefix.map, b"") + form.opcode
    return whole[len(_escape(whole)) + 1 :] if form.prefix.encoding == LEGACY else b""


def _escape(data: bytes) -> bytes:
    return next((escape for _, escape in _ESCAPES if data.startswith(escape)), b"")


class _Near:
    """Reads the 32-bit encoding of a branch that also has a short one."""

    def __init__(self, form: X86Form) -> None:
        self.form = self.meant = form
        self.prefixes = sorted(form.prefix.legacy)

    def read(self, data: _Bytes, refused: _Refused = None) -> tuple[tuple[Any, ...], int] | None:
        """Return the distance and the length."""
        if data.word or len(data.rest) < 4:
            return None
        return (int.from_bytes(data.rest[:4], "little", signed=True),), data.start + 4


_mnemonics: dict[int, list[str]] = {}  # keyed by a byte of an opcode, in table order
_readers: dict[_Key, list[_Reader | _Near]] = {}  # of the opcodes met so far
_indexed = -1  # the version of the table that both were made from


def _readers_of(key: _Key) -> list[_Reader | _Near]:
    """Return an opcode's readers, made on first use. The index is made with the first, and again when rows are
    added."""
    global _mnemonics, _indexed
    if _indexed != TABLE.version:
        _mnemonics = _by_byte()  # assigned when complete, because other threads read it
        _readers.clear()
        _indexed = TABLE.version
    found = _readers.get(key)
    if found is None:
        forms = [form for mnemonic in _mnemonics.get(key[3], ()) for form in TABLE.forms(mnemonic)]
        mine = [form for form in forms if isinstance(form, X86Form) for place in _keys(form) if place == key]
        found = _readers[key] = _made_readers(key, mine)
    return found


def _by_byte() -> dict[int, list[str]]:
    """The mnemonics that may have an opcode with this byte, according to their rows, before forms are made."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for mnemonic in TABLE:
        numbers: set[int] = set()
        for encoding in (each for row in TABLE.rows(mnemonic) for each in row.encodings.split("|")):
            order, _, opcode, *rest = encoding.split()
            for each in bytes.fromhex(opcode + (rest[1] if rest[:1] == ["or"] else "")):
                numbers.update(range(each, each + 8) if "O" in order else (each,))
        for number in numbers:
            found[number].append(mnemonic)
    return found


def _made_readers(key: _Key, forms: list[X86Form]) -> list[_Reader | _Near]:
    made: list[_Reader | _Near] = []
    for form in forms:
        made.append(_Near(form) if form.near and key == _legacy_key(form.near) else _Reader(form, form))
    for form in forms:
        meant = _between_registers(form)
        if meant is not None:
            made.append(_Reader(_with_register(form, meant), meant))
    return made


def _between_registers(form: X86Form) -> X86Form | None:
    """The form that a load or store means if modrm names a register: 03 /r is add r, r, as 01 /r is. None if there is
    none."""
    place = next((i for i, c in enumerate(form.classes) if c.kind == "memory" and c.name != "sib"), -1)
    if place < 0 or form.checked or not form.classes[place].size or any(_same_opcode(form, f) for f in form.siblings):
        return None
    memory = form.classes[place]
    for other in form.siblings:
        same = len(other.classes) == len(form.classes) and other.prefix.encoding == form.prefix.encoding
        if not same or other.control or other.checked or other.classes[place].kind != "register":
            continue
        register = other.classes[place].file
        if any(c.kind == "register" and c.file != register for c in other.classes):
            continue
        fits = register in ("xmm", "ymm", "zmm") or register == f"r{memory.size}"
        if fits and all(a.name == b.name for i, (a, b) in enumerate(zip(form.classes, other.classes)) if i != place):
            return other
    return None


def _same_opcode(form: X86Form, other: X86Form) -> bool:
    """Whether the opcode already has a meaning with a register in modrm."""
    registers = not any(c.touches_memory for c in other.classes)
    return registers and _keys(form) == _keys(other) and (form.digit, form.prefix.w) == (other.digit, other.prefix.w)


def _with_register(form: X86Form, meant: X86Form) -> X86Form:
    """Return a copy of the form with the operands of `meant`."""
    made = copy(form)
    made.classes, made.modrm_base = meant.classes, form.modrm_base | _MOD
    return made


def _keys(form: X86Form) -> list[_Key]:
    prefix = form.prefix
    if prefix.encoding != LEGACY:
        return [(prefix.encoding, prefix.pp, prefix.map, form.opcode[0])]
    key = _legacy_key(words.MAP_BYTES[prefix.map] + form.opcode)
    keys = [(*key[:3], key[3] + low) for low in (range(8) if "O" in form.roles else (0,))]
    return [*keys, _legacy_key(form.near)] if form.near else keys


def _legacy_key(opcode: bytes) -> _Key:
    escape = _escape(opcode)
    name = next((name for name, bytes_ in _ESCAPES if bytes_ == escape), "")
    return LEGACY, "", name, opcode[len(escape)]


def why_undefined(data: bytes, offset: int) -> str:
    """Return which operands the processor refuses, or "" if these bytes are no instruction at all."""
    refused: list[str] = []
    decode(data, offset, refused)
    return refused[0] if refused else ""


def decode(data: bytes, offset: int = 0, refused: _Refused = None) -> _Found | None:
    """Return the form, operands and length of the instruction at `offset`; None if no row writes these bytes. `refused`
    gets the reasons why operands of a form do not go together."""
    window = bytes(data[offset : offset + _MAX_LENGTH])
    if not window:
        return None
    first = window[0]
    if first in (0xC4, 0xC5):
        return _decode_vex(window, refused)
    if first == 0x62:
        return _decode_evex(window, refused)
    return _decode_legacy(window)


def targets(form: X86Form, operands: tuple[Any, ...], end: int) -> tuple[Any, ...]:
    """Return the operands with a branch target as a label named by its offset. `end` is the offset behind the
    branch."""
    if "D" not in form.roles or not isinstance(operands[0], int):
        return operands
    return (Label(f"{end + operands[0]:#x}"),)


def labelled(form: X86Form, operands: tuple[Any, ...], end: int, places: Any) -> tuple[Any, ...]:
    """Return the operands with labels. `places` returns the label at an offset, or of the constant there, and the
    rest."""
    if "D" in form.roles:
        found = places(end + operands[0]) if isinstance(operands[0], int) else None
        return (found[0],) if found and not found[1] else operands
    return tuple(_labelled(operand, end, places) for operand in operands)


def _labelled(operand: Any, end: int, places: Any) -> Any:
    if not isinstance(operand, Mem) or not operand.rip:
        return operand
    found = places(end + operand.disp)
    return operand._with(label=found[0], disp=found[1], rip=False) if found else operand


def _decode_vex(window: bytes, refused: _Refused) -> _Found | None:
    if window[0] == 0xC5:  # convert to the long prefix: X, B and W clear, map 0F
        window = bytes([0xC4, window[1] & 0x80 | 0x61, window[1] & 0x7F]) + window[2:] if len(window) > 1 else window
        shorter = 1
    else:
        shorter = 0
    if len(window) < 4:
        return None
    key = VEX, _PP[window[2] & 3], _MAPS.get(window[1] & 0x1F, ""), window[3]
    parts = _Bytes(int.from_bytes(window[:4], "little"), window[4:], 4, False)
    found = _first(key, parts, refused)
    return found and (found[0], found[1], found[2] - shorter)


def _decode_evex(window: bytes, refused: _Refused) -> _Found | None:
    if len(window) < 5:
        return None
    key = EVEX, _PP[window[2] & 3], _MAPS.get(window[1] & 7, ""), window[4]
    return _first(key, _Bytes(int.from_bytes(window[:5], "little"), window[5:], 5, False), refused)


def _decode_legacy(window: bytes) -> _Found | None:
    at = 0
    while at < len(window) and window[at] in _LEGACY_PREFIXES:
        at += 1
    prefixes = sorted(_LEGACY_PREFIXES[byte] for byte in window[:at])
    rex = window[at] if at < len(window) and window[at] & 0xF0 == 0x40 else 0
    at += bool(rex)
    escape = _escape(window[at:])
    at += len(escape)
    if at >= len(window):
        return None
    opcode = window[at]
    name = next((name for name, bytes_ in _ESCAPES if bytes_ == escape), "")
    for reader in _readers_of((LEGACY, "", name, opcode)):
        if reader.prefixes != prefixes:
            continue
        low = opcode - reader.form.opcode[-1] if "O" in reader.form.roles else 0
        found = reader.read(_Bytes(rex & 15 | low << 16, window[at + 1 :], at + 1, bool(rex)))
        if found is not None:
            return reader.meant, *found
    return None


def _first(key: _Key, parts: _Bytes, refused: _Refused) -> _Found | None:
    for reader in _readers_of(key):
        found = reader.read(parts, refused)
        if found is not None:
            return reader.meant, *found
    return None
