"""From a row of the x86-64 table to forms: operand classes, encodings, and the closures that append bytes.

Operand column: operands separated by commas, alternatives by `/`, decorations in braces, role prefix `w:` (written,
the default of the first), `x:` (read and written) or `r:` (read, the default of the others).

    V H Q E       vector register of the form's length, a half, a quarter, an eighth of it (xmm at least)
    M MH MQ ME    memory of the same sizes; X Y Z xmm/ymm/zmm; K mask; T tile
    b16 b32 b64   one element in memory, broadcast; m8..m512 memory of a size; m memory of any size
    Rv Mv Ry My   general register, memory: 16/32/64 bits, or 32/64 bits, by operand-size prefix and REX.W
    r8..r64       general registers; al cl ax dx eax rax that register only
    i8 i16 i32 i64 sign-extended immediates; u8 u16 bit patterns; iv 16 bits at operand size 16, else sign-extended 32
    1             the literal 1; rel8 rel32 branch targets (`75 or 0F85`: opcode at 8 bits, at 32)
    vx32 vy64     gather addresses: vector index (x, y, z) and bits of an element
    {k} {kz}      may be masked merging, also zeroing; {er} {sae} rounding or exception control follows this operand

Encoding column: order, prefix, opcode, then /r or /digit, and immediates that are implied by the operands. The order
gives each operand's role (see words.py). Prefixes: `VEX|EVEX[.128|256|512|LIG].pp.map[.Wn|WIG]`, or `L[.pp][.map][.W1]`
for legacy instructions. VEX and EVEX without a length stand for each length the encoding has. disp8 of EVEX counts in
units of the memory operand's size; `nK` after the opcode states another unit (gathers, compressed vectors).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from itertools import product
from typing import Any

from ..errors import EncodeError
from ..operands import Label, kind_of
from ..table import Names, Row
from . import syntax, words
from .registers import IMPLIED, Mem, Reg, Rounding
from .words import EVEX, LEGACY, VEX

Encoder = Callable[[tuple[Any, ...]], bytes]
_FILES = {"X": "xmm", "Y": "ymm", "Z": "zmm", "K": "k", "T": "tmm"}
_VECTOR_FILE = {128: "xmm", 256: "ymm", 512: "zmm"}
_FRACTION = {"V": 1, "H": 2, "Q": 4, "E": 8}
_ROUNDING = {"rn-sae": 0, "rd-sae": 1, "ru-sae": 2, "rz-sae": 3, "sae": 0}


class OperandClass:
    """What one operand of a form may be, e.g. zmm{kz}, m512, b32, i8."""

    __slots__ = ("name", "kind", "size", "mask", "file", "high", "_taken")

    def __init__(self, name: str, mask: str, high: bool) -> None:
        self._taken: dict[str, bool] = {}  # by kind of operand
        self.name = name
        self.mask = mask  # "", "k" or "kz"
        self.high = high  # registers 16..31 exist (EVEX)
        self.size = 0  # bits of memory or of an immediate
        self.file = ""
        match = re.fullmatch(r"(m|b|vx|vy|vz|i|u|rel)(\d*)", name)
        if match and name != "u":
            self.kind = {"m": "memory", "b": "broadcast", "i": "signed", "u": "bits", "rel": "branch"}.get(
                match[1], "gather"
            )
            self.size = int(match[2] or 0)
            self.file = match[1][1] if self.kind == "gather" else ""
        elif name == "1":
            self.kind = "one"
        else:
            self.kind, self.file = "register", name

    @property
    def touches_memory(self) -> bool:
        """Whether this operand is a memory operand."""
        return self.kind in ("memory", "broadcast", "gather")

    def takes(self, operand: Any) -> bool:
        """Whether the operand fits. Operands of equal kinds are interchangeable, so the answer is kept."""
        kind = kind_of(operand)
        taken = self._taken.get(kind)
        if taken is None:
            taken = self._taken[kind] = not self.problem(operand)
        return taken

    def problem(self, operand: Any) -> str:
        """Why the operand does not fit; empty if it does."""
        if self.kind == "register":
            return self._register_problem(operand)
        if self.touches_memory:
            return self._memory_problem(operand)
        if self.kind == "branch":
            return self._branch_problem(operand)
        if not isinstance(operand, int):
            return "is not a Python integer"
        return self._immediate_problem(operand)

    def _register_problem(self, operand: Any) -> str:
        if not isinstance(operand, Reg):
            return self._wanted_register()
        if self.file in IMPLIED:
            return "" if operand.name == self.file else f"must be {self.file}"
        if operand.file != self.file:
            return self._wanted_register()
        if operand.num > 15 and not self.high:
            return "is a register above 15, which needs an EVEX encoding"
        return self._mask_problem(operand)

    def _wanted_register(self) -> str:
        return f"is not {'an' if self.file[0] in 'rx' else 'a'} {self.file} register"

    def _mask_problem(self, operand: Reg | Mem) -> str:
        if operand.mask is None:
            return ""
        if not self.mask:
            return "cannot be masked here"
        if isinstance(operand, Reg) and operand.zeroing and self.mask == "k":
            return "cannot be zero-masked here"
        return ""

    def _memory_problem(self, operand: Any) -> str:
        if not isinstance(operand, Mem):
            return "is not memory"
        if operand.broadcast != (self.kind == "broadcast"):
            return "is not a broadcast" if self.kind == "broadcast" else "cannot be broadcast"
        vector = operand.index is not None and operand.index.file != "r64"
        if vector != (self.kind == "gather"):
            return "needs a vector index" if self.kind == "gather" else "has a vector index, which is for gathers"
        if self.kind == "gather" and operand.index is not None:
            if operand.index.file[0] != self.file:
                return f"needs its index in a {self.file}mm register"
            if operand.index.num > 15 and not self.high:
                return "has an index above 15, which needs an EVEX encoding"
        if self.size and operand.size not in (0, self.size):
            return f"has {operand.size} bits, {self.size} are accessed"
        return self._mask_problem(operand)

    @staticmethod
    def _branch_problem(operand: Any) -> str:
        if isinstance(operand, int):
            return "" if -0x8000_0000 <= operand <= 0x7FFF_FFFF else "is a distance that does not fit 32 bits"
        return "" if isinstance(operand, Label) else "is not a label"

    def _immediate_problem(self, value: int) -> str:
        if self.kind == "one":
            return "" if value == 1 else "must be 1"
        low = -(1 << self.size - 1)
        high = (1 << self.size) - 1 if self.kind == "bits" else -low - 1
        return "" if low <= value <= high else f"must be from {low} to {high}"

    def __repr__(self) -> str:
        return self.name + (f"{{{self.mask}}}" if self.mask else "")


class X86Form:
    """One encoding of one row at one length and operand size."""

    siblings: list[X86Form]  # every form of the mnemonic, in order of preference

    def __init__(self, row: Row, classes: list[OperandClass], roles: str, access: str, prefix: Prefix, tail: str,
                 control: str, features: frozenset[str]) -> None:  # fmt: skip
        self.mnemonic, self.row, self.classes, self.roles, self.access = row.mnemonic, row, classes, roles, access
        self.prefix, self.control, self.features = prefix, control, features
        parts = tail.split()
        self.opcode = bytes.fromhex(parts[0])
        self.near = bytes.fromhex(parts[2]) if "or" in parts else b""  # the opcode of a branch with 32 bits
        modifier = [part[1:] for part in parts if part.startswith("/")]
        self.modrm = bool(modifier)
        self.digit = int(modifier[0]) if modifier and modifier[0].isdigit() else 0
        unit = [int(part[1:]) for part in parts[1:] if part.startswith("n")]
        sizes = [c.size // 8 for c in classes if c.kind in ("memory", "broadcast") and c.size]
        self.disp_unit = (unit or sizes or [1])[0] if prefix.encoding == EVEX else 1
        memory = any(c.touches_memory for c in classes)
        self.modrm_base = self.digit << 3 | (0 if memory else 0xC0)
        self.gathers = any(c.kind == "gather" for c in classes)

    @cached_property
    def encode(self) -> Encoder:
        """The function from operands to bytes, made when the form is first used."""
        made = _legacy_closure(self) if self.prefix.encoding == LEGACY else _vector_closure(self)
        return _distinct(self, made) if self.gathers and self.classes[0].kind == "register" else made

    def relocates(self, operands: tuple[Any, ...]) -> bool:
        """Whether the bytes depend on where a label is: branches, and memory relative to rip."""
        return "D" in self.roles or any(isinstance(o, Mem) and o.label is not None for o in operands)

    def relocate(self, asm: Any, operands: tuple[Any, ...]) -> bytes:
        """The bytes for the assembler's position, with a fixup for the label registered."""
        start = len(asm.buffer)
        if "D" in self.roles:
            return self._branch(asm, start, operands[0])
        data = self.encode(operands)
        behind = sum(c.size // 8 if role == "I" else role == "S" for c, role in zip(self.classes, self.roles))
        mem = next(o for o in operands if isinstance(o, Mem))
        end = start + len(data)
        asm.fixup(mem.label, end - behind - 4, 4, end, mem.disp)
        return data

    def _branch(self, asm: Any, start: int, target: Label | int) -> bytes:
        """The shortest encoding: 8 bits when the target is known and close (or has no other form), else 32."""
        short, near = (self.opcode, self.near) if self.classes[0].size == 8 else (b"", self.opcode)
        end = start + len(short) + 1
        offset = target.offset if isinstance(target, Label) else end + target
        reachable = offset is not None and -128 <= offset - end <= 127
        opcode, size = (short, 1) if short and (reachable or not near) else (near, 4)
        end = start + len(opcode) + size
        if isinstance(target, Label):
            asm.fixup(target, end - size, size, end, 0)
            return opcode + bytes(size)
        return opcode + target.to_bytes(size, "little", signed=True)

    def accepts(self, operands: tuple[Any, ...]) -> bool:
        """Whether every operand fits."""
        if len(operands) != len(self.classes) + bool(self.control):
            return False
        if self.control or self.gathers:
            return next(self.problems(operands), None) is None
        return all(wanted.takes(operand) for operand, wanted in zip(operands, self.classes))

    def problems(self, operands: tuple[Any, ...]) -> Iterator[str]:
        """Why the operands do not fit: every one that does not, by name."""
        plain = tuple(operand for operand in operands if not isinstance(operand, Rounding))
        controls = [operand.kind for operand in operands if isinstance(operand, Rounding)]
        if len(plain) != len(self.classes):
            yield f"takes {len(self.classes)} operands, not {len(plain)}"
        if controls != [self.control][: bool(self.control)]:
            yield f"takes {{{self.control}}}" if self.control else "takes no rounding or sae operand"
        elif controls and any(isinstance(operand, Rounding) for operand in operands[: self._control_place]):
            yield f"{{{self.control}}} stands behind the registers"
        for operand, wanted in zip(plain, self.classes):
            problem = wanted.problem(operand)
            if problem:
                yield f"{operand!r} {problem}"
        if self.gathers and self.prefix.encoding == EVEX and all(operand.mask is None for operand in plain):
            yield f"{operands[0]!r} needs a mask, k1 to k7"

    @property
    def _control_place(self) -> int:
        """Where a rounding operand stands: before the immediates."""
        return len(self.classes) - self.roles.count("I")

    def sizes(self) -> tuple[int, ...]:
        """Bits of memory that each operand touches, 0 for others."""
        sizes = [c.size if c.touches_memory else 0 for c in self.classes]
        return tuple(sizes) + (0,)  # a rounding operand may stand in between, but never with memory

    def syntax(self) -> str:
        """The form as the manual writes it, with its feature."""
        classes = [repr(wanted) for wanted in self.classes]
        if self.control:
            classes.insert(self._control_place, f"{{{self.control}}}")
        features = f" [{', '.join(sorted(self.features))}]" if self.features else ""
        return f"{self.mnemonic} {', '.join(classes)}{features}"

    def text(self, operands: tuple[Any, ...], names: Names = str) -> str:
        """The instruction in Intel syntax as LLVM prints it; `names` gives the text of a label."""
        return syntax.intel(self, operands, names)

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Names = str) -> str:
        """The text from which GNU as makes exactly `data`."""
        return syntax.gas(self, operands, data, names)


class Prefix:
    """The prefix part of an encoding, at one vector length or operand size."""

    __slots__ = ("encoding", "length", "pp", "map", "w", "scalar", "half")

    def __init__(self, encoding: int, length: int, pp: str, map_: str, w: int, *, scalar: bool, half: bool = False):
        self.encoding, self.length, self.pp, self.map, self.w = encoding, length, pp, map_, w
        self.scalar = scalar  # the length field is ignored
        self.half = half  # 16-bit operands: an extra 66 byte


def _parse_prefix(text: str) -> list[Prefix]:
    """The prefixes a column stands for, one for each length."""
    head, *tokens = text.split(".")
    pp = next((t for t in tokens if t in words.PREFIX), "NP")
    map_ = next((t for t in tokens if t in words.MAP), "")
    w = int("W1" in tokens)
    if head == "L":
        return [Prefix(LEGACY, 0, pp, map_, w, scalar=False)]
    encoding = {"VEX": VEX, "EVEX": EVEX}[head]
    if "LIG" in tokens:
        return [Prefix(encoding, 128, pp, map_, w, scalar=True)]
    stated = [int(t) for t in tokens if t in ("128", "256", "512")]
    lengths = stated or ([128, 256] if encoding == VEX else [128, 256, 512])
    return [Prefix(encoding, length, pp, map_, w, scalar=False) for length in lengths]


def expand(row: Row) -> Iterator[X86Form]:
    """Every form of a row."""
    encodings = [part.strip() for part in row.encodings.split("|")]
    features = [part.strip() for part in row.features.split("|")]
    for encoding, feature in zip(encodings, features, strict=True):
        order, prefix_text, *tail = encoding.split()
        roles = "" if order == "-" else order
        for prefix in _parse_prefix(prefix_text):
            yield from _expand_operands(row, roles, prefix, " ".join(tail), feature)


def _expand_operands(row: Row, roles: str, prefix: Prefix, tail: str, feature: str) -> Iterator[X86Form]:
    specs = [spec.strip() for spec in row.operands.split(",")] if row.operands else []
    if len(specs) != len(roles):
        raise EncodeError(f"row {row.mnemonic}: {len(specs)} operands but roles {roles!r}")
    access = "".join(spec[0] if spec[1:2] == ":" else "w" if i == 0 else "r" for i, spec in enumerate(specs))
    specs = [spec[2:] if spec[1:2] == ":" else spec for spec in specs]
    control = next((c for spec in specs for c in ("er", "sae") if f"{{{c}}}" in spec), "")
    operand_size = any(name in row.operands for name in ("Rv", "Mv", "Ry", "My"))
    widths = ([32, 64] if re.search("[RM]y", row.operands) else [16, 32, 64]) if operand_size else [0]
    for width in widths:
        sized = prefix
        if width:
            w, half = int(width == 64), width == 16
            sized = Prefix(prefix.encoding, prefix.length, prefix.pp, prefix.map, w, scalar=prefix.scalar, half=half)
        for combination in product(*[_alternatives(spec, sized, width) for spec in specs]):
            classes = list(combination)
            yield from _with_control(row, classes, roles, access, sized, tail, control, _features(feature, sized))


def _features(feature: str, prefix: Prefix) -> frozenset[str]:
    needed = set(feature.split("+")) - {"-"}
    if prefix.encoding == EVEX and prefix.length < 512 and not prefix.scalar and "AVX512VL" not in needed:
        needed.add("AVX512VL")
    return frozenset(needed)


def _with_control(row: Row, classes: list[OperandClass], roles: str, access: str, prefix: Prefix, tail: str,
                  control: str, features: frozenset[str]) -> Iterator[X86Form]:  # fmt: skip
    yield X86Form(row, classes, roles, access, prefix, tail, "", features)
    registers_only = not any(c.touches_memory for c in classes)
    if control and prefix.encoding == EVEX and registers_only and (prefix.length == 512 or prefix.scalar):
        for name in ("rn-sae", "rd-sae", "ru-sae", "rz-sae") if control == "er" else ("sae",):
            yield X86Form(row, classes, roles, access, prefix, tail, name, features)


def _alternatives(spec: str, prefix: Prefix, width: int) -> list[OperandClass]:
    """The operand classes a spec stands for under a prefix."""
    evex = prefix.encoding == EVEX
    mask = next((m for m in ("kz", "k") if f"{{{m}}}" in spec), "") if evex else ""
    names = re.sub(r"\{\w+\}", "", spec).split("/")
    classes = []
    for name in names:
        if name[0] == "b" and name[1:].isdigit() and not evex:
            continue
        concrete = _concrete(name, prefix.length, width)
        classes.append(_operand_class(concrete, mask, evex, _vector_bits(names, prefix.length)))
    return classes


@cache
def _operand_class(name: str, mask: str, high: bool, vector_bits: int) -> OperandClass:
    """The one object for a class; `vector_bits` is what a broadcast fills."""
    made = OperandClass(name, mask, high)
    if made.kind == "broadcast":
        made.file = str(vector_bits // made.size)
    return made


def _vector_bits(names: list[str], length: int) -> int:
    """Bits of the vector that a broadcast fills: those of the register it stands in for."""
    for name in names:
        if name[-1] in _FRACTION and name[0] in "MVHQE":
            return max(length // _FRACTION[name[-1] if name[0] != "M" else "V"], 1)
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


def _operand_bytes(
    form: X86Form, encoding: int, modrm_shift: int
) -> Callable[[int, tuple[Any, ...]], tuple[int, bytes]]:
    """What all encodings share: fold the operands into the word, and make the bytes behind the modrm byte."""
    memory = [i for i, c in enumerate(form.classes) if c.touches_memory]
    placed = [
        (i, encoding * 8 + words.ROLES.index(role))
        for i, role in enumerate(form.roles)
        if role in "RVMO" and i not in memory
    ]
    selector = form.roles.find("S")
    immediates = [(i, form.classes[i].size // 8) for i, role in enumerate(form.roles) if role == "I"]

    def fold(word: int, operands: tuple[Any, ...]) -> tuple[int, bytes]:
        tail = b""
        for i, slot in placed:
            word ^= operands[i].code[slot]
        for i in memory:
            mem = operands[i]
            bits, tail = mem.tail(form.disp_unit, modrm_shift)
            word ^= mem.code[encoding] ^ bits
        if selector >= 0:
            tail += bytes([operands[selector].num << 4])
        for i, size in immediates:
            tail += (operands[i] & (1 << size * 8) - 1).to_bytes(size, "little")
        return word, tail

    return fold


def _vector_closure(form: X86Form) -> Encoder:
    """The encoder of a VEX or EVEX form."""
    prefix, encoding = form.prefix, form.prefix.encoding
    make, shift = (words.evex_base, 40) if encoding == EVEX else (words.vex_base, 32)
    base = make(prefix.length, prefix.pp, prefix.map, prefix.w, form.opcode[0], form.modrm_base)
    if form.control:
        base |= words.EVEX_BROADCAST.insert(1)
        base = base & ~words.EVEX_LENGTH.insert(3) | words.EVEX_LENGTH.insert(_ROUNDING[form.control])
    if encoding == EVEX and not form.control and form.modrm and set(form.roles) <= set("RVM"):
        return _plain_closure(form, base)
    fold = _operand_bytes(form, encoding, shift)

    def encode(operands: tuple[Any, ...]) -> bytes:
        if form.control:
            operands = tuple(o for o in operands if not isinstance(o, Rounding))
        word, tail = fold(base, operands)
        if encoding == EVEX:
            return word.to_bytes(6, "little") + tail
        data = words.vex_bytes(word)
        return data + tail if form.modrm else data[:-1]  # vzeroupper: the word ends at the opcode

    return encode


def _plain_closure(form: X86Form, base: int) -> Encoder:
    """The commonest encoder, on its own for speed: EVEX, registers and at most one memory operand, nothing else."""
    memory = next((i for i, c in enumerate(form.classes) if c.touches_memory), None)
    placed = [(i, EVEX * 8 + words.ROLES.index(role)) for i, role in enumerate(form.roles) if i != memory]
    unit = form.disp_unit

    def encode(operands: tuple[Any, ...]) -> bytes:
        word = base
        for i, slot in placed:
            word ^= operands[i].code[slot]
        if memory is None:
            return word.to_bytes(6, "little")
        mem = operands[memory]
        bits, tail = mem.tail(unit, 40)
        return (word ^ mem.code[EVEX] ^ bits).to_bytes(6, "little") + tail

    return encode


def _distinct(form: X86Form, encode: Encoder) -> Encoder:
    """The encoder of a gather: the processor demands that destination, index and mask are distinct registers."""

    def checked(operands: tuple[Any, ...]) -> bytes:
        numbers = [o.index.num if isinstance(o, Mem) and o.index else o.num for o in operands]
        if len(set(numbers)) < len(numbers):
            raise EncodeError(f"{form.mnemonic} {', '.join(map(repr, operands))}: the same vector register twice")
        return encode(operands)

    return checked


def _legacy_closure(form: X86Form) -> Encoder:
    """The encoder of a legacy form: prefixes, REX when needed, opcode, modrm, displacement, immediate."""
    prefix = form.prefix
    head = (b"\x66" if prefix.half else b"") + words.PREFIX_BYTE[prefix.pp]
    escape = words.MAP_BYTES[prefix.map] + form.opcode[:-1]
    last = form.opcode[-1:]
    base = prefix.w << 3 | form.modrm_base << 8
    fold = _operand_bytes(form, LEGACY, 8)

    def encode(operands: tuple[Any, ...]) -> bytes:
        word, tail = fold(base, operands)
        needed, high_byte = word & 0x7F, word & words.REX_FORBIDDEN
        if needed and high_byte:
            raise EncodeError(f"{form.mnemonic}: ah, bh, ch, dh cannot stand in an instruction with a REX prefix")
        opcode = bytes([last[0] | word >> 16])
        modrm = bytes([word >> 8 & 0xFF]) if form.modrm else b""
        return head + (bytes([0x40 | word & 0x0F]) if needed else b"") + escape + opcode + modrm + tail

    return encode
