"""From a row of the x86-64 table to forms.

Operand column: operands separated by commas, alternatives by `/`, decorations in braces. The role prefixes are `w:`
(written, the default of the first operand), `x:` (read and written) and `r:` (read, the default of the others). The
roles are those of the unmasked form. A register that keeps part of its value, or all of it at times, counts as read;
memory does not.

    V H Q E       vector register of the form's length, a half, a quarter, an eighth of it (xmm at least)
    M MH MQ ME    memory of the same sizes; X Y Z xmm/ymm/zmm; K mask; P a pair of masks by its even one; T tile
    b16 b32 b64   one element in memory, broadcast; m8..m512 memory of a size; m memory of any size
    sib           memory with a base and an index, the distance of rows (tiles)
    Rv Mv Ry My   general register, memory: 16/32/64 bits, or 32/64 bits, by operand-size prefix and REX.W
    r8..r64       general registers; al cl ax dx eax rax xmm0 that register only
    i8 i16 i32 i64 immediates, sign-extended to the bits of the first operand, as whose bit pattern they may also be
                  written; u8 u16 bit patterns; iv 16 bits at operand size 16, else 32, sign-extended
    1             the literal 1; rel8 rel32 branch targets (`75 or 0F85`: opcode at 8 bits, at 32)
    vx32 vy64     gather addresses: vector index (x, y, z) and bits of an element
    {k} {kz}      may be masked merging, also zeroing; {er} {sae} rounding or exception control follows this operand
    {ne}          this register must differ from the other operands, or the processor raises #UD

Encoding column: order, prefix, opcode, then /r or /digit, and immediates that are implied by the operands. The order
gives each operand's role (see emulation/core/u64.py). Prefixes: `VEX|EVEX[.128|256|512|LIG].pp.map[.Wn|WIG]`, or
`L[.66][.F2|F3|F0][.map][.W1]` for legacy instructions. VEX and EVEX without a length stand for all lengths of the
encoding; VEX without W ignores it. disp8 of EVEX counts in units of the memory operand's size; `nK` after the opcode
states another unit (gathers, compressed vectors).

Feature column: features joined by `+`, for each encoding; `AVX/AVX2` has one for each length. Forms of 128 and 256 bits
under EVEX also need AVX512VL, except in rows with EVEX.128 alone, which state it if it is needed.

Effects, behind `;`: registers and flags that the instruction reads (r:), writes (w:) or both (x:) without naming them.
`flags` are cf, pf, af, zf, sf and of; a flag that is left undefined counts as written. General registers have their
64-bit names. Whole register files (vzeroall, xsave) and MXCSR are not named.
A row `mnemonic = other` makes an alias.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from ..errors import EncodeError
from ..form import Row
from ..records import NamedTuple
from . import words
from .classes import OperandClass, operand_class
from .encoding import Prefix
from .forms import X86Form
from .words import EVEX, LEGACY, VEX

_FILES = {"X": "xmm", "Y": "ymm", "Z": "zmm", "K": "k", "P": "pair", "T": "tmm"}
_VECTOR_FILE = {128: "xmm", 256: "ymm", 512: "zmm"}
_FRACTION = {"V": 1, "H": 2, "Q": 4, "E": 8}


def takes_numbers(row: Row) -> bool:
    """Whether an operand of a row may be a number: an immediate or the distance of a branch."""
    names = [name for spec in _operands(row.operands).specs for name in spec.split("/")]
    return any(name in ("1", "iv") or name.rstrip("0123456789") in ("i", "u", "rel") for name in names)


@cache
def _parse_prefix(text: str) -> tuple[Prefix, ...]:
    """The prefixes that a column stands for, one for each length."""
    head, *tokens = text.split(".")
    pp = next((t for t in tokens if t in words.PREFIX), "NP")
    map_ = next((t for t in tokens if t in words.MAP), "")
    w = int("W1" in tokens)
    if head == "L":
        return (Prefix(LEGACY, 0, pp, map_, w, legacy=tuple(t for t in tokens if t in words.PREFIX_BYTE)),)
    encoding = {"VEX": VEX, "EVEX": EVEX}[head]
    ignored = not {"W0", "W1"} & set(tokens)
    if "LIG" in tokens:
        return (Prefix(encoding, 128, pp, map_, w, w_ignored=ignored, scalar=True),)
    stated = [int(t) for t in tokens if t in ("128", "256", "512")]
    lengths = stated or ([128, 256] if encoding == VEX else [128, 256, 512])
    return tuple([Prefix(encoding, length, pp, map_, w, w_ignored=ignored) for length in lengths])


class _Operands(NamedTuple):
    """The contents of an operand column.

    specs     the operands without roles
    access    the role of each operand: r, w or x
    control   `er` or `sae` if rounding or exceptions are controlled
    widths    the operand sizes in bits; 0 if there is only one
    """

    specs: tuple[str, ...]
    access: str
    control: str
    widths: tuple[int, ...]


@cache
def _operands(column: str) -> _Operands:
    """Parse an operand column, which many rows share."""
    specs = [spec.strip() for spec in column.split(",")] if column else []
    access = "".join([spec[0] if spec[1:2] == ":" else "w" if i == 0 else "r" for i, spec in enumerate(specs)])
    specs = [spec[2:] if spec[1:2] == ":" else spec for spec in specs]
    control = next((c for spec in specs for c in ("er", "sae") if f"{{{c}}}" in spec), "")
    widths: tuple[int, ...] = (0,)
    if any(name in column for name in ("Rv", "Mv", "Ry", "My")):
        widths = (32, 64) if "Ry" in column or "My" in column else (16, 32, 64)
    return _Operands(tuple(specs), access, control, widths)


def expand(row: Row) -> Iterator[X86Form]:
    """Every form of a row."""
    encodings = [part.strip() for part in row.encodings.split("|")]
    features = [part.strip() for part in row.features.split("|")]
    operands = _operands(row.operands)
    for encoding, feature in zip(encodings, features, strict=True):
        order, prefix_text, *tail = encoding.split()
        roles = "" if order == "-" else order
        if len(operands.specs) != len(roles):
            raise EncodeError(f"row {row.mnemonic}: {len(operands.specs)} operands but roles {roles!r}")
        prefixes = _parse_prefix(prefix_text)
        by_length = feature.split("/") if "/" in feature else [feature] * len(prefixes)
        for prefix, needed in zip(prefixes, by_length, strict=True):
            yield from _at_length(row, operands, roles, prefix, " ".join(tail), _features(needed, prefix, prefixes))


@cache
def _features(feature: str, prefix: Prefix, prefixes: tuple[Prefix, ...]) -> frozenset[str]:
    needed = set(feature.split("+")) - {"-"}
    alone = len(prefixes) == 1 and prefix.length == 128
    if prefix.encoding == EVEX and prefix.length < 512 and not prefix.scalar and not alone:
        needed.add("AVX512VL")
    return frozenset(needed)


@cache
def _sized(prefix: Prefix, width: int) -> Prefix:
    """The prefix at an operand size: REX.W or W for 64 bits, an additional 66 byte for 16."""
    legacy = ("66", *prefix.legacy) if width == 16 else prefix.legacy
    return Prefix(
        prefix.encoding, prefix.length, prefix.pp, prefix.map, int(width == 64), scalar=prefix.scalar, legacy=legacy
    )


def _at_length(
    row: Row, operands: _Operands, roles: str, prefix: Prefix, tail: str, features: frozenset[str]
) -> Iterator[X86Form]:
    """The forms of a row with one encoding at one vector length."""
    evex = prefix.encoding == EVEX
    for width in operands.widths:
        sized = _sized(prefix, width) if width else prefix
        for classes in _classes(operands.specs, evex, sized.length, width):
            yield X86Form(row, classes, roles, operands.access, sized, tail, "", features)
            if operands.control:
                for control in _controls(operands.control, classes, sized):
                    yield X86Form(row, classes, roles, operands.access, sized, tail, control, features)


@cache
def _classes(specs: tuple[str, ...], evex: bool, length: int, width: int) -> list[tuple[OperandClass, ...]]:
    """The combinations of operand classes that specs stand for under a prefix."""
    beside = width or (_bits_of(specs[0].partition("/")[0].partition("{")[0]) if specs else 0)
    return [*product(*[_alternatives(spec, evex, length, width, beside) for spec in specs])]


def _bits_of(name: str) -> int:
    """The bits of a general register or of memory; 0 for other operands."""
    named = {"al": 8, "ax": 16, "eax": 32, "rax": 64}
    return named.get(name) or (int(name[1:]) if name[0] in "rm" and name[1:].isdigit() else 0)


def _controls(control: str, classes: tuple[OperandClass, ...], prefix: Prefix) -> tuple[str, ...]:
    """The rounding operands that may follow these operands."""
    if prefix.encoding != EVEX or (prefix.length < 512 and not prefix.scalar):
        return ()
    if any(each.touches_memory for each in classes):
        return ()
    return ("rn-sae", "rd-sae", "ru-sae", "rz-sae") if control == "er" else ("sae",)


@cache
def _alternatives(spec: str, evex: bool, length: int, width: int, beside: int) -> list[OperandClass]:
    """The operand classes that a spec stands for under a prefix. `beside` are the bits of the first operand."""
    mask = next((m for m in ("kz", "k") if f"{{{m}}}" in spec), "") if evex else ""
    names = [alternative.partition("{")[0] for alternative in spec.split("/")]
    classes = []
    for name in names:
        if name[0] == "b" and name[1:].isdigit() and not evex:
            continue
        concrete = _concrete(name, length, width)
        distinct = "{ne}" in spec and name[0] != "m"
        extended = beside if concrete[0] == "i" else 0  # signed immediates are extended to the first operand's bits
        classes.append(operand_class(concrete, mask, evex, _vector_bits(names, length), distinct, extended))
    return classes


def _vector_bits(names: list[str], length: int) -> int:
    """Bits of the vector that a broadcast fills: those of the memory or register that it replaces."""
    for name in reversed(names):
        if name[-1] in _FRACTION or name == "M":
            return length // _FRACTION[name[-1] if name != "M" else "V"]
        if name[0] == "m" and name[1:].isdigit():
            return int(name[1:])
    return length


def _concrete(name: str, length: int, width: int) -> str:
    if name in _FRACTION:
        return _VECTOR_FILE[max(length // _FRACTION[name], 128)]
    if name in ("M", "MH", "MQ", "ME"):
        return f"m{length // _FRACTION[name[1:] or 'V']}"
    if name in ("Rv", "Ry"):
        return f"r{width}"
    if name in ("Mv", "My"):
        return f"m{width}"
    if name == "iv":
        return "i16" if width == 16 else "i32"
    return _FILES.get(name, name)
