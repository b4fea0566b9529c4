"""The notation of operands: from the operand column of a row to the slots of its forms.

A slot is made from the notation of the operand column, with the fields of the pattern column at hand:

    Xn Wn Xn|sp Wn|sp         general registers; 31 is xzr, wzr, or the stack pointer
    Xm{lsl} Xm{ror} Xm{ext}   shifted by lsl, lsr, asr; by ror too; extended
    Xs^0 Xs^1                 an even register, and the one behind it
    Bd Hd Sd Dd Qd            scalars
    Vn.4s Zn.s Zn Pn.s Pn     vectors and predicates; PNn predicates as counters; Pg/M Pg/Z governing
    Vm.s[i] Zm.s[i] Zn[i]     elements
    {Vt.4s*2} {Vt.s*2}[i]     lists of consecutive registers; {Zt.s*2%8} every eighth
    #imm #simm                immediates; simm is signed; *4 scaled, +1 biased, #-sh counted down from 2^width
    #imm:mask.x ...           packed immediates (immediates.py): mask, float, add, wide, swide, bytes,
                              and those of mov: movz, movn, ones
    #i:0.5|1.0  #0  #0.0      one of two numbers, a fixed number
    zt0 zt0[i*8]              the lookup table, eight bytes of it
    label*4                   a place in the code
    cond !cond barrier ...    names (names.py); lsl#hw*16 a shift amount
    [Xn|sp] [Xn|sp,#imm*8]    memory: immediate, register and vector offsets, "mul vl", pre- and post-index; 31 is no
                              offset, but with Xm|zr
    ZAd.s ZAth.s[Wv+12,o]     tiles, their slices; za.d[Wv+8,o,vgx2] groups of ZA vectors, o:2 pairs of them
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from ..errors import EncodeError
from ..fields import Split
from . import immediates, names
from . import registers as regs
from .addresses import AddressSlot, Braced, IndexRegister, Lengths, Vectors, ZaSlice, ZeroedTiles
from .bit_fields import BitStart, BitWidth, LeftShift, Length, Negated
from .registers import ELEMENT_BITS, B, D, H, P, Q, S, V, W, X, Z, listed, sp, wsp, wzr, xzr
from .slots import (
    BranchTarget,
    Choice,
    ExtendedRegister,
    Fixed,
    FormSlot,
    Immediate,
    NumberChoice,
    Packed,
    Repeat,
    ShiftedRegister,
    SystemRegister,
    joined,
    width,
)

Fields = Callable[[str], Split]
"""Returns the field of a name, as the row's pattern places it."""

_SCALARS = {"B": B, "H": H, "S": S, "D": D, "Q": Q}
_NAMES = {
    "cond": names.CONDITIONS,
    "barrier": names.BARRIERS,
    "prfop": names.PREFETCHES,
    "pattern": names.PATTERNS,
    "vlx": names.COUNTER_LENGTHS,
    "svcr": names.STREAMING,
    "dc": names.DATA_CACHE,
    "ic": names.INSTRUCTION_CACHE,
    "bti": names.BRANCH_TARGETS,
}


def field_name(name: str) -> str:
    """The field of a register operand or of a pattern's token. Rd, Zd and Vd have the field d; predicates keep their
    letter."""
    return re.sub(r"^(?!P)[A-Z]+(?=[a-z])", "", name)


@cache
def general(letter: str, last: str, first: int = 0, count: int = 32) -> tuple[Any, ...]:
    """General registers by number. Number 31 is the stack pointer or zero."""
    file = X if letter == "X" else W
    end = {"X": (xzr, sp), "W": (wzr, wsp)}[letter][last == "sp"]
    return (*file, end)[first : first + count]


@cache
def views(file: str, arrangement: str, first: int, count: int) -> tuple[Any, ...]:
    """Vector or predicate registers in an arrangement."""
    registers: Any = {"V": V, "Z": Z, "P": P, "PN": regs.PN}[file][first : first + count]
    return tuple(reg.view(arrangement) for reg in registers) if arrangement else tuple(registers)


def _register(file: str, name: str, arrangement: str, fields: Fields) -> tuple[Split, tuple[Any, ...]]:
    """Return the field and the registers by number. Narrow fields reach the low registers, and for pn the high ones."""
    field = fields(field_name(file + name))
    count = 1 << width(field)
    first = 8 if file == "PN" and count == 8 else 0
    return field, views(file, arrangement, first, count)


def _general(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    letter, name, last, how, first, of_pair = m[1], m[2], (m[3] or "")[1:], m[4], m[5], m[6]
    field = fields(field_name(name))
    plain = Choice(text, general(letter, last, int(first or 0), 1 << width(field)), field)
    if of_pair:
        pairs = [plain.choices[number + int(of_pair)] if number % 2 == 0 else None for number in range(32)]
        return Choice(text, tuple(pairs), field)
    bits = 64 if letter == "X" else 32
    if how == "ext":
        wide = {True: plain, False: Choice(text, general("W", ""), field)} if letter == "X" else {False: plain}
        return ExtendedRegister(text, wide, fields("option"), fields("imm3"))
    if how:
        ops = regs.SHIFTS if how == "ror" else regs.SHIFTS[:3]
        return ShiftedRegister(text, plain, fields("shift"), fields("imm6"), ops, bits)
    return plain


def _scalar(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    return Choice(text, _SCALARS[m[1]], fields(field_name(m[2])))


def _vector(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    file, name, arrangement, index = m[1], m[2], m[3] or "", m[4]
    field, choices = _register(file, name, arrangement, fields)
    if index is None:
        return Choice(text, choices, field)
    return _elements(text, choices, field, index, fields)


def _elements(text: str, choices: tuple[Any, ...], field: Split, index: str, fields: Fields) -> FormSlot:
    if index.isdigit():
        return Choice(text, tuple(choice[int(index)] for choice in choices), field)
    number = fields(index)
    elements = tuple(choice[i] for i in range(1 << width(number)) for choice in choices)
    return Choice(text, elements, joined(field, number))


def _governing(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    field, choices = _register(m[1], m[2], "", fields)
    return Choice(text, tuple(reg.m if m[3] == "M" else reg.z for reg in choices), field)


def _listed(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    """A list in braces. If its field is too narrow for all registers, it counts lists, or omits a bit of the number."""
    file, name, arrangement, count, stride, index = m[1], m[2], m[3] or "", int(m[4]), int(m[5] or 1), m[6]
    field = fields(field_name(file + name))
    every = views(file, arrangement, 0, 32)
    numbers = range(1 << width(field))
    firsts: list[int] = list(numbers)
    if stride > 1:
        firsts = [(n // stride) * 16 + n % stride for n in numbers]
    elif len(numbers) < len(every):
        firsts = [n * count for n in numbers]
    lists = tuple(listed(*(every[(n + k * stride) % len(every)] for k in range(count))) for n in firsts)
    return Choice(text, lists, field) if index is None else _elements(text, lists, field, index, fields)


def _immediate(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    down, name, scale, bias = bool(m[1]), m[2], int(m[3] or 1), int(m[4] or 0)
    return Immediate(text, fields(name), name.startswith("simm"), scale, bias, down)


def _size(letter: str) -> int:
    """Bits of a general register or an element, by its letter."""
    return {"X": 64, "W": 32}.get(letter) or ELEMENT_BITS[letter]


_PACKED: dict[str, tuple[Callable[..., int], Callable[..., Any]]] = {
    "mask": (immediates.pack_bitmask, immediates.unpack_bitmask),
    "wide": (partial(immediates.pack_shifted8, signed=False), partial(immediates.unpack_shifted8, signed=False)),
    "swide": (partial(immediates.pack_shifted8, signed=True), partial(immediates.unpack_shifted8, signed=True)),
    "float": (immediates.pack_float, immediates.unpack_float),
    "add": (immediates.pack_shifted12, immediates.unpack_shifted12),
    "bytes": (immediates.pack_bytemask, immediates.unpack_bytemask),
    "movz": (immediates.pack_movz, immediates.unpack_movz),
    "movn": (immediates.pack_movn, immediates.unpack_movn),
    "ones": (immediates.pack_bitmask, immediates.unpack_ones),
}


_PACKED_NAMES = {"add": "imm12{<<12}", "wide": "imm8{<<8}", "swide": "simm8{<<8}"}  # names in messages
_BIT_FIELDS: dict[str, Callable[[str, Split, Split, int], FormSlot]] = {
    "start": BitStart,
    "negated": Negated,
    "width": BitWidth,
    "length": Length,
    "left": LeftShift,
}


def _packed(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    name, how, letter = m[1], m[2], m[3]
    if how in _BIT_FIELDS:
        return _BIT_FIELDS[how](f"#{name}", fields("immr"), fields("imms"), _size(letter))
    pack, unpack = _PACKED[how]
    if letter:
        bits = _size(letter)
        pack, unpack = partial(_with_bits, pack, bits), partial(_with_bits, unpack, bits)
    return Packed(f"#{_PACKED_NAMES.get(how, how)}", fields(name), pack, unpack, how == "float")


def _with_bits(function: Callable[..., Any], bits: int, value: int) -> Any:
    return function(value, bits=bits)


def _either(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    numbers = [float(part) if "." in part else int(part) for part in m[2].split("|")]
    return NumberChoice(text, tuple(numbers), fields(m[1]))


def _fixed(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    return Fixed(text, float(m[1]) if "." in m[1] else int(m[1]))


def _label(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    return BranchTarget("label", fields("label"), int(m[1]))


def _named(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    known = _NAMES[m[2]]
    field = fields(m[3] or m[2])
    choices: list[Any] = [None] * (1 << width(field))
    for operand in known.values():
        if operand.num < len(choices):
            choices[operand.num] = operand
    if m[1]:  # an inverted condition; always and never have no inverse
        choices = [choices[raw ^ 1] if raw < 14 else None for raw in range(16)]
    return Choice(text, tuple(choices), field)


def _system(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    return SystemRegister(text, fields("sysreg"), written=bool(m[1]))


def _vector_prefetch(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    operations = [names.PREFETCHES[f"{t}l{n}{p}"] for t in ("pld", "pst") for n in (1, 2, 3) for p in ("keep", "strm")]
    choices = [*operations[:6], None, None, *operations[6:], None, None]
    return Choice(text, tuple(choices), fields("prfop"))


def _modifier(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    op, name, scale, bias = m[1], m[2], int(m[3] or 1), int(m[4] or 0)
    if name.isdigit():
        return Choice(text, (names.modifier(op, int(name)),), Split((0, 0, 0)))
    field = fields(name)
    return Choice(text, tuple(names.modifier(op, raw * scale + bias) for raw in range(1 << width(field))), field)


def _tile(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    field = fields(m[1])
    return Choice(text, tuple(tile.view(m[2]) for tile in regs.ZA[: 1 << width(field)]), field)


def _tile_slice(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    name, way, element, index, first, offset, span = m.groups()
    bits = ELEMENT_BITS[element].bit_length() - 4
    tile = fields(name) if bits else None
    make = lambda num, reg, place: regs.ZA[num].view(element).direction(way)[reg, place]  # noqa: E731
    return _za(text, make, tile, index, int(first), offset, int(span or 1), fields)


def _array_slice(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    element, index, first, offset, span, group = m.groups()
    array = regs.za.view(element) if element else regs.za
    tail = (int(group),) if group else ()
    make = lambda num, reg, place: array[(reg, place) + tail]  # noqa: E731
    return _za(text, make, None, index, int(first), offset, int(span or 1), fields)


def _za(
    text: str, make: Any, tile: Split | None, index: str, first: int, offset: str, span: int, fields: Fields
) -> FormSlot:
    choices = Choice(index, general("W", "", first, 4), fields(field_name(index)))
    return ZaSlice(text, make, tile, choices, None if offset == "0" else fields(offset), span)


def _selected(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    """psel: a predicate element selected by a register and an offset."""
    field, choices = _register("P", m[1], m[2], fields)
    index = Choice(m[3], general("W", "", int(m[4]), 4), fields(field_name(m[3])))
    offset = fields(m[5])
    return ZaSlice(text, lambda num, reg, place: choices[num][reg, place], field, index, offset, 1)


def _memory(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    """An address. After the base: nothing, #imm, #imm,mul vl, a register or a vector with its extension."""
    inner, pre, post = m[1].split(","), m[2], m[3]
    base = slot(inner[0], fields)
    assert isinstance(base, Choice)
    rest = [post] if post else inner[1:]
    mode = "," if post else "!" if pre else ""
    return AddressSlot(text, base, _offset(rest, fields, inner[0][0] == "X") if rest else None, mode)


def _offset(parts: list[str], fields: Fields, scalar_base: bool) -> FormSlot:
    """The offset that is added to the base. Register 31 is not allowed (it encodes another form), except with a vector
    base."""
    text = ",".join(parts)
    if parts[0][0] == "X" and scalar_base:
        name, _, zero = parts[0].partition("|")
        plain: FormSlot = Choice(parts[0], general("X", "", 0, 32 if zero else 31), fields(field_name(name)))
    elif parts[0][0] in "XZ":
        plain = slot(parts[0], fields)
    if len(parts) == 1:
        return plain if parts[0][0] in "XZ" else slot(text, fields)
    if parts[1] == "mul vl":
        return Lengths(slot(parts[0], fields))
    if parts[0].startswith("R"):  # [Xn|sp,Rm,ext#2]: any extension, shifted by 0 or 2
        field = fields(field_name(parts[0]))
        shift = int(parts[1][4:])
        scaled = fields("S") if shift else None
        wide, narrow = (Choice(text, general(letter, ""), field) for letter in "XW")
        return IndexRegister(text, wide, narrow, fields("option"), scaled, shift)
    assert isinstance(plain, Choice)
    op, _, amount = parts[1].partition("#")
    ops = {"xtw": ("uxtw", "sxtw")}.get(op, (op,))
    number = slot(f"#{amount}", fields) if amount and not amount.isdigit() else int(amount or 0)
    return Vectors(text, plain, ops, fields("xs") if op == "xtw" else None, number)


def _zeroed(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    return ZeroedTiles(text, fields("tiles"))


def _table(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    if not m[1]:
        return Choice(text, (regs.zt0,), Split((0, 0, 0)))
    field = fields(m[1])
    return Choice(text, tuple(regs.zt0[raw * int(m[2])] for raw in range(1 << width(field))), field)


def _braced(text: str, fields: Fields, m: re.Match[str]) -> FormSlot:
    return Braced(slot(m[1], fields))


_NUMBER = r"(?:\*(\d+))?(?:\+(\d+))?"
_NOTATIONS: tuple[tuple[re.Pattern[str], Callable[[str, Fields, re.Match[str]], FormSlot]], ...] = tuple(
    (re.compile(pattern), make)
    for pattern, make in (
        (r"([XW])(\w+)(\|sp)?(?:\{(lsl|ror|ext)\}|\+(\d+)|\^([01]))?", _general),
        (r"P(\w+)\.(\w)\[(\w+)\+(\d+),(\w+)\]", _selected),
        (r"(PN|P)(\w+)/([MZ])", _governing),
        (r"(V|Z(?!A)|PN|P)(\w+)(?:\.(\w+))?(?:\[(\w+)\])?", _vector),
        (r"([BHSDQ])(\w+)", _scalar),
        (r"\{(V|Z|PN|P)(\w+)(?:\.(\w+))?\*(\d)(?:%(\d+))?\}(?:\[(\w+)\])?", _listed),
        (r"#(-?[\d.]+)", _fixed),
        (r"#(-)?(\w+)" + _NUMBER, _immediate),
        (r"#(\w+):(\w+)(?:\.(\w))?", _packed),
        (r"#(\w+):([\d.]+\|[\d.]+)", _either),
        (r"label\*(\d+)", _label),
        (r"(!?)(cond|barrier|prfop|pattern|vlx|svcr|dc|ic|bti)(?:=(\w+))?", _named),
        (r"vprfop", _vector_prefetch),
        (r"(w?)sysreg", _system),
        (r"(lsl|msl|mul)#(\w+)" + _NUMBER, _modifier),
        (r"ZA(\w+)\.(\w)", _tile),
        (r"ZA(\w*?)([hv])\.(\w)\[(\w+)\+(\d+),(\w+)(?::(\d))?\]", _tile_slice),
        (r"za(?:\.(\w))?\[(\w+)\+(\d+),(\w+)(?::(\d))?(?:,vgx(\d))?\]", _array_slice),
        (r"\[([^\]]*)\](!)?(?:,(.*))?", _memory),
        (r"\{tiles\}", _zeroed),
        (r"zt0(?:\[(\w+)\*(\d+)\])?", _table),
        (r"\{(ZA[^{}]*|zt0)\}", _braced),
    )
)


def slot(text: str, fields: Fields) -> FormSlot:
    """The slot that a notation stands for."""
    for pattern, make in _NOTATIONS:
        match = pattern.fullmatch(text)
        if match:
            return make(text, fields, match)
    raise EncodeError(f"operand {text!r}: no such notation")


def slots(texts: list[str], fields: Fields) -> list[FormSlot]:
    """The slots of all operands of a row. An operand that repeats an earlier one contributes no bits."""
    made: list[FormSlot] = []
    claimed = 0
    for text in texts:
        used: set[int] = set()

        def noted(name: str, used: set[int] = used) -> Split:
            field = fields(name)
            used.add(field.mask)
            return field

        new = slot(text, noted)
        mask = sum(used) if not isinstance(new, (BitWidth, BitStart)) else 0
        made.append(Repeat(new, claimed & mask) if claimed & mask else new)
        claimed |= mask
    return made


def split_operands(text: str) -> list[str]:
    """Split a row's operands. Commas inside brackets and braces, and before a post-index, do not separate."""
    parts: list[str] = []
    depth = 0
    for piece in text.split(","):
        joins = depth > 0 or (parts and re.match(r"(?:[rwx]:)?\[.*\]$", parts[-1]) and piece[:1] in "#XR")
        if joins:
            parts[-1] += "," + piece
        else:
            parts.append(piece)
        depth += sum(piece.count(c) for c in "[{") - sum(piece.count(c) for c in "]}")
    return parts
