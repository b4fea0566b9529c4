"""The forms of x86-64: they encode and print one encoding of one row (grammar.py makes forms from rows).

A form is encoded by a closure over everything that is known of it, made on first use. Printing is in syntax.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct
from types import ModuleType
from typing import Any

from ..code import Recorded, Repeated
from ..deferred import deferred
from ..errors import EncodeError
from ..form import Names
from ..operands import Label
from ..records import NamedTuple, cached_property, new
from . import words
from .encoding import Encoding
from .registers import BYTES, Mem, Reg, Rounding
from .words import EVEX, LEGACY

Encoder = Callable[[tuple[Any, ...]], bytes]
DISP32 = Struct("<i").pack
ROUNDING = {"rn-sae": 0, "rd-sae": 1, "ru-sae": 2, "rz-sae": 3, "sae": 0}


@deferred
def _syntax() -> ModuleType:
    from . import syntax

    return syntax


def encoder(form: Encoding) -> Encoder:
    """Return the function from operands to bytes."""
    made = _legacy_closure(form) if form.prefix.encoding == LEGACY else _vector_closure(form)
    return _checked(form, made) if form.checked else made


def _operand_bytes(
    form: Encoding, encoding: int, modrm_shift: int
) -> Callable[[int, tuple[Any, ...]], tuple[int, bytes]]:
    """Return the function that all encodings share: it XORs the operands into the word, and makes the bytes behind
    modrm."""
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


def vector_base(form: Encoding) -> int:
    """The VEX or EVEX word of a form with all operands 0."""
    prefix, encoding = form.prefix, form.prefix.encoding
    make = words.evex_base if encoding == EVEX else words.vex_base
    base = make(prefix.length, prefix.pp, prefix.map, prefix.w, form.opcode[0], form.modrm_base)
    if form.control:
        base |= words.EVEX_BROADCAST.insert(1)
        base = base & ~words.EVEX_LENGTH.insert(3) | words.EVEX_LENGTH.insert(ROUNDING[form.control])
    return base


def _vector_closure(form: Encoding) -> Encoder:
    """Return the encoder of a VEX or EVEX form."""
    encoding = form.prefix.encoding
    base = vector_base(form)
    if not form.control and form.modrm and set(form.roles) <= set("RVM"):
        return _plain_closure(form, base)
    fold = _operand_bytes(form, encoding, 40 if encoding == EVEX else 32)

    def encode(operands: tuple[Any, ...]) -> bytes:
        if form.control:
            operands = tuple(o for o in operands if not isinstance(o, Rounding))
        word, tail = fold(base, operands)
        if encoding == EVEX:
            return word.to_bytes(6, "little") + tail
        data = words.vex_bytes(word)
        return data + tail if form.modrm else data[:-1]  # vzeroupper: the word ends at the opcode

    return encode


def _plain_closure(form: Encoding, base: int) -> Encoder:
    """Return the encoder of the commonest forms, which is separate for speed: registers and at most one memory
    operand."""
    encoding = form.prefix.encoding
    evex = encoding == EVEX
    modrm_shift = 40 if evex else 32
    memory = next((i for i, c in enumerate(form.classes) if c.touches_memory), None)
    placed = [(i, encoding * 8 + words.ROLES.index(role)) for i, role in enumerate(form.roles) if i != memory]
    unit = form.disp_unit

    def encode(operands: tuple[Any, ...]) -> bytes:
        word: int = base
        for i, slot in placed:
            word ^= operands[i].code[slot]
        return word.to_bytes(6, "little") if evex else words.vex_bytes(word)

    if memory is None:
        return encode

    def encode_memory(operands: tuple[Any, ...]) -> bytes:
        mem: Mem = operands[memory]
        bits, tail = mem.tail(unit, modrm_shift)
        word = base ^ mem.code[encoding] ^ bits
        for i, slot in placed:
            word ^= operands[i].code[slot]
        return (word.to_bytes(6, "little") if evex else words.vex_bytes(word)) + tail

    return encode_memory


def _checked(form: Encoding, encode: Encoder) -> Encoder:
    """Return an encoder that also checks rules between operands, or rules that operand kinds do not determine."""

    def checked(operands: tuple[Any, ...]) -> bytes:
        problem = next(form.conflicts(tuple(o for o in operands if not isinstance(o, Rounding))), "")
        if problem:
            raise EncodeError(f"{form.mnemonic} {', '.join(map(repr, operands))}: {problem}")
        return encode(operands)

    return checked


def _legacy_closure(form: Encoding) -> Encoder:
    """Return the encoder of a legacy form: prefixes, REX if needed, opcode, modrm, displacement, immediate."""
    prefix = form.prefix
    head = b"".join(words.PREFIX_BYTE[name] for name in prefix.legacy)
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


def displacement_size(base: Any, disp: int, unit: int) -> int:
    """The bytes of a displacement from a base, as `Mem.tail` writes it."""
    if disp == 0 and base.num & 7 != 5:
        return 0
    return 1 if disp % unit == 0 and -128 <= disp // unit <= 127 else 4


class X86Form(Encoding):
    """An encoding with the functions that are derived from it."""

    siblings: list[X86Form]

    @cached_property
    def encode(self) -> Encoder:
        """The function from operands to bytes, made on first use."""
        return encoder(self)

    def displacement(self, operands: tuple[Any, ...]) -> tuple[int, int] | None:
        """The place of the memory operand and the bytes of its displacement; None if it has neither base nor label."""
        for place, operand in enumerate(operands):
            if type(operand) is Mem:
                base = operand.base
                if base is not None:
                    return place, displacement_size(base, operand.disp, self.disp_unit)
                return None if operand.label is None else (place, 4)
        return None

    @cached_property
    def memory(self) -> int:
        """The place of the memory operand; -1 if there is none."""
        return next((place for place, wanted in enumerate(self.classes) if wanted.touches_memory), -1)

    @cached_property
    def behind_displacement(self) -> int:
        """Bytes of immediates, and of a register that is encoded in one."""
        return sum(c.size // 8 if role == "I" else role == "S" for c, role in zip(self.classes, self.roles))

    def relocates(self, operands: tuple[Any, ...]) -> bool:
        """Whether the bytes depend on the place of a label: branches, and memory relative to rip."""
        return "D" in self.roles or any(isinstance(o, Mem) and o.label is not None for o in operands)

    def relocate(self, asm: Any, operands: tuple[Any, ...]) -> bytes:
        """Return the bytes for the assembler's position, and register a fixup for the label."""
        start = len(asm.buffer)
        if "D" in self.roles:
            return self._branch(asm, start, operands[0])
        data, behind = self.encode(operands), self.behind_displacement
        mem = next(o for o in operands if isinstance(o, Mem))
        end = start + len(data)
        asm.fixup(mem.label, end - behind - 4, 4, end, mem.disp)
        return data

    def _branch(self, asm: Any, start: int, target: Label | int) -> bytes:
        """Return the shortest encoding: 8 bits if the target is known and close (or there is no other form), else
        32."""
        short, near = (self.opcode, self.near) if self.classes[0].size == 8 else (b"", self.opcode)
        end = start + len(short) + 1
        offset = target.offset if isinstance(target, Label) else end + target
        reachable = offset is not None and -128 <= offset - end <= 127
        opcode, size = (short, 1) if short and (reachable or not near) else (near, 4)
        end = start + len(opcode) + size
        if isinstance(target, Label):
            asm.fixup(target, end - size, size, end, 0)
            return opcode + bytes(size)
        if not (near or reachable):
            raise EncodeError(f"{self.mnemonic} {target}: a distance that does not fit 8 bits, -128 to 127")
        return opcode + target.to_bytes(size, "little", signed=True)

    def text(self, operands: tuple[Any, ...], names: Names = str) -> str:
        """The instruction in Intel syntax as LLVM prints it. `names` returns the text of a label."""
        return _syntax().intel(self, operands, names)  # type: ignore[no-any-return]

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Names = str) -> str:
        """The text from which GNU as makes exactly `data`."""
        return _syntax().gas(self, operands, data, names)  # type: ignore[no-any-return]


class _Part(NamedTuple):
    """An instruction of a pattern whose address moves, or a run of instructions that do not change."""

    number: int  # number of the address's base; -1 for a run
    recorded: list[Recorded]  # the instruction, or the instructions of the run
    data: bytes  # the bytes of the run, or the instruction's bytes behind its displacement
    place: int  # place of the memory operand
    disp: int
    unit: int  # unit of 8-bit displacements
    always: bool  # whether a displacement of 0 is written
    heads: tuple[bytes, bytes, bytes]  # bytes before a displacement of 0, 8 and 32 bits

    def moved(self, distance: int) -> Recorded:
        """The instruction with its address moved by `distance` bytes."""
        form, operands, _ = self.recorded[0]
        mem = _moved(operands[self.place], self.disp + distance)
        operands = (*operands[: self.place], mem, *operands[self.place + 1 :])
        return form, operands, form.encode(operands)


def _moved(mem: Mem, disp: int) -> Mem:
    """Return the operand with another displacement, without repeating the checks of the unchanged parts."""
    if not -0x8000_0000 <= disp <= 0x7FFF_FFFF:
        return mem.offset(disp - mem.disp)  # raises the error
    made: Mem = object.__new__(Mem)
    made.base, made.index, made.scale, made.disp = mem.base, mem.index, mem.scale, disp
    made.size, made.broadcast, made.label, made.mask = mem.size, mem.broadcast, mem.label, mem.mask
    made.rip, made.kind, made.rm, made.sib, made.code = mem.rip, mem.kind, mem.rm, mem.sib, mem.code
    return made


_NO_HEADS = b"", b"", b""


class _Again(Repeated):
    """The instructions of a pattern with addresses moved by a distance for each base."""

    __slots__ = ("_parts", "_distances")

    def __init__(self, parts: list[_Part], distances: Sequence[int]) -> None:
        self._parts, self._distances = parts, distances

    def instructions(self) -> list[Recorded]:
        """Encode the instructions again. Their bytes equal those that were assembled from parts."""
        found: list[Recorded] = []
        for part in self._parts:
            found += part.recorded if part.number < 0 else [part.moved(self._distances[part.number])]
        return found


class X86Pattern:
    """Instructions that can be appended again with other displacements, which are inserted into the first bytes. Bits 6
    and 7 of the modrm byte give the size of a displacement (Intel SDM vol. 2, table 2-2)."""

    def __init__(self, asm: Any, recorded: list[Recorded], bases: Sequence[Reg]) -> None:
        self._asm = asm
        self._parts: list[_Part] = []
        run: list[Recorded] = []
        numbers: dict[int, int] = {id(base): number for number, base in enumerate(bases)}
        for each in recorded:
            form, operands, data = each
            place = form.memory
            number = numbers.get(id(operands[place].base)) if place >= 0 else None
            if number is None:
                run.append(each)
                continue
            self._end_run(run)
            run = []
            mem: Mem = operands[place]
            end = len(data) - form.behind_displacement
            modrm = end - displacement_size(mem.base, mem.disp, form.disp_unit) - len(mem.sib) - 1
            before, bits, sib = data[:modrm], data[modrm] & 0x3F, mem.sib
            heads = before + BYTES[bits] + sib, before + BYTES[bits | 0x40] + sib, before + BYTES[bits | 0x80] + sib
            always = displacement_size(mem.base, 0, 1) > 0
            self._parts.append(new(_Part, (number, [each], data[end:], place, mem.disp, form.disp_unit, always, heads)))
        self._end_run(run)

    def _end_run(self, run: list[Recorded]) -> None:
        if run:
            self._parts.append(new(_Part, (-1, run, b"".join([data for _, _, data in run]), -1, 0, 1, True, _NO_HEADS)))

    def append(self, distances: Sequence[int]) -> None:
        """Append the instructions with each address moved by the distance of its base."""
        again = _Again(self._parts, distances)
        made: list[bytes] = []
        for number, _, data, _, disp, unit, always, heads in self._parts:
            if number < 0:
                made.append(data)
                continue
            disp += distances[number]
            quotient = disp // unit
            if not (disp or always):
                made.append(heads[0] + data)
            elif -128 <= quotient <= 127 and quotient * unit == disp:
                made.append(heads[1] + BYTES[quotient] + data)
            elif -0x8000_0000 <= disp <= 0x7FFF_FFFF:
                made.append(heads[2] + DISP32(disp) + data)
            else:
                again.instructions()  # raises the error
        record, buffer = self._asm.output
        appended = b"".join(made)
        record.append((again, (), appended))
        buffer += appended


def pattern(machine: Any, emit: Callable[[], None], bases: Sequence[Reg]) -> X86Pattern | None:
    """Call `emit`, which appends instructions to a machine's assembler, and return their pattern. `bases` are the base
    registers of the addresses that move. None if the instructions refer to labels or have notes."""
    asm = machine.asm
    start, before = len(asm.record), (len(asm._fixups), len(asm.notes), len(asm.labels))
    emit()
    if before != (len(asm._fixups), len(asm.notes), len(asm.labels)):
        return None
    return X86Pattern(asm, asm.record[start:], bases)
