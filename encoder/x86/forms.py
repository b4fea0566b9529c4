"""The forms of x86-64: they encode and print one encoding of one row (grammar.py makes forms from rows).

A form is encoded by a closure over everything that is known of it, made on first use. Printing is in syntax.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from struct import Struct
from typing import TYPE_CHECKING, Any

from ..code import Recorded, Repeated
from ..deferred import lazy
from ..errors import EncodeError
from ..form import Names
from ..operands import Label
from ..records import NamedTuple, cached_property, new
from . import words
from .encoding import Encoding
from .registers import BYTES, Mem, Reg, StaticRounding
from .words import EVEX, LEGACY

if TYPE_CHECKING:
    from . import syntax

syntax = lazy(__package__, ".syntax")

Encoder = Callable[[tuple[Any, ...]], bytes]
DISP32 = Struct("<i").pack
ROUNDING = {"rn-sae": 0, "rd-sae": 1, "ru-sae": 2, "rz-sae": 3, "sae": 0}


def encoder(form: Encoding) -> Encoder:
    """Return the function from operands to bytes."""
    encoding = form.prefix.encoding
    if encoding == LEGACY:
        made = _folded(form, form.prefix.w << 3 | form.modrm_base << 8, 8, _legacy_bytes(form))
    elif encoding == EVEX:
        made = _folded(form, vector_base(form), 40, None)
    elif form.modrm:
        made = _folded(form, vector_base(form), 32, words.vex_bytes)
    else:  # vzeroupper: the word ends at the opcode
        made = _folded(form, vector_base(form), 32, lambda word: words.vex_bytes(word)[:-1])
    if form.control:
        made = _without_control(made)
    return _checked(form, made) if form.checked else made


def _folded(form: Encoding, base: int, modrm_shift: int, head: Callable[[int], bytes] | None) -> Encoder:
    """Return the encoder that all forms share: it XORs the operands into the word `base`.

    `head` turns the word into the bytes up to the modrm byte; None means its six bytes, as EVEX has them. SIB,
    displacement and immediates follow.
    """
    encoding, unit = form.prefix.encoding, form.disp_unit
    memory = next((i for i, c in enumerate(form.classes) if c.touches_memory), -1)
    placed = [
        (i, encoding * 8 + words.ROLES.index(role))
        for i, role in enumerate(form.roles)
        if role in "RVMO" and i != memory
    ]
    selector = form.roles.find("S")
    immediates = [(i, form.classes[i].size // 8) for i, role in enumerate(form.roles) if role == "I"]
    ends = selector >= 0 or bool(immediates)

    def encode(operands: tuple[Any, ...]) -> bytes:
        word, tail = base, b""
        for i, slot in placed:
            word ^= operands[i].code[slot]
        if memory >= 0:
            mem: Mem = operands[memory]
            bits, tail = mem.tail(unit, modrm_shift)
            word ^= mem.code[encoding] ^ bits
        if ends:
            if selector >= 0:
                tail += BYTES[operands[selector].num << 4]
            for i, size in immediates:
                tail += (operands[i] & (1 << size * 8) - 1).to_bytes(size, "little")
        return (word.to_bytes(6, "little") if head is None else head(word)) + tail

    return encode


def _without_control(encode: Encoder) -> Encoder:
    """Return an encoder that drops the rounding operand, which the word of the form already contains."""
    return lambda operands: encode(tuple([o for o in operands if not isinstance(o, StaticRounding)]))


def vector_base(form: Encoding) -> int:
    """The VEX or EVEX word of a form with all operands 0."""
    prefix, encoding = form.prefix, form.prefix.encoding
    make = words.evex_base if encoding == EVEX else words.vex_base
    base = make(prefix.length, prefix.pp, prefix.map, prefix.w, form.opcode[0], form.modrm_base)
    if form.control:
        base |= words.EVEX_BROADCAST.insert(1)
        base = base & ~words.EVEX_LENGTH.insert(3) | words.EVEX_LENGTH.insert(ROUNDING[form.control])
    return base


def _checked(form: Encoding, encode: Encoder) -> Encoder:
    """Return an encoder that also checks rules between operands, or rules that operand kinds do not determine."""

    def checked(operands: tuple[Any, ...]) -> bytes:
        problem = next(form.conflicts(tuple(o for o in operands if not isinstance(o, StaticRounding))), "")
        if problem:
            raise EncodeError(f"{form.mnemonic} {', '.join(map(repr, operands))}: {problem}")
        return encode(operands)

    return checked


def _legacy_bytes(form: Encoding) -> Callable[[int], bytes]:
    """Return the function that turns the word of a legacy form into prefixes, REX if needed, opcode and modrm."""
    prefix = form.prefix
    head = b"".join(words.PREFIX_BYTE[name] for name in prefix.legacy)
    escape = words.MAP_BYTES[prefix.map] + form.opcode[:-1]
    last, modrm = form.opcode[-1], form.modrm

    def made(word: int) -> bytes:
        needed = word & 0x7F
        if needed and word & words.REX_FORBIDDEN:
            raise EncodeError(f"{form.mnemonic}: ah, bh, ch, dh cannot stand in an instruction with a REX prefix")
        rex = BYTES[0x40 | word & 0x0F] if needed else b""
        return head + rex + escape + BYTES[last | word >> 16] + (BYTES[word >> 8 & 0xFF] if modrm else b"")

    return made


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
        data, mem = self.encode(operands), operands[self.memory]
        end = start + len(data)
        asm.fixup(mem.label, end - self.behind_displacement - 4, 4, end, mem.disp)
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
        return syntax.intel(self, operands, names)

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Names = str) -> str:
        """The text from which GNU as makes exactly `data`."""
        return syntax.gas(self, operands, data, names)


class _Part(NamedTuple):
    """An instruction of a pattern whose address moves, and the instructions after it that do not change."""

    number: int  # number of the address's base
    disp: int
    unit: int  # unit of 8-bit displacements; 0 if the displacement has 32 bits for every distance
    always: bool  # whether a displacement of 0 is written
    before: bytes  # the bytes before modrm, or before the displacement if that always has 32 bits
    modrm: int  # modrm without the two bits for the size of the displacement
    sib: bytes
    behind: bytes  # the bytes after the displacement, including the instructions that do not change
    recorded: list[Recorded]  # all instructions of the part

    def moved(self, distance: int) -> list[Recorded]:
        """Return the instructions with the address moved by `distance` bytes."""
        form, operands, _ = self.recorded[0]
        mem = operands[form.memory].at(self.disp + distance)
        operands = (*operands[: form.memory], mem, *operands[form.memory + 1 :])
        return [(form, operands, form.encode(operands)), *self.recorded[1:]]


def _part(number: int, recorded: list[Recorded]) -> _Part:
    """Return the part for these instructions, the first of which has an address relative to base `number`."""
    form, operands, data = recorded[0]
    mem: Mem = operands[form.memory]
    end = len(data) - form.behind_displacement
    modrm = end - displacement_size(mem.base, mem.disp, form.disp_unit) - len(mem.sib) - 1
    behind = b"".join([data[end:], *[staying for _, _, staying in recorded[1:]]])
    before, bits, unit = data[:modrm], data[modrm] & 0x3F, form.disp_unit
    if mem.disp >= 128 * unit:
        before, unit = before + BYTES[bits | 0x80] + mem.sib, 0
    always = displacement_size(mem.base, 0, 1) > 0
    return new(_Part, (number, mem.disp, unit, always, before, bits, mem.sib, behind, recorded))


class _Again(Repeated):
    """The instructions of a pattern with addresses moved by a distance for each base."""

    __slots__ = ("_pattern", "_distances")

    def __init__(self, pattern: X86Pattern, distances: Sequence[int]) -> None:
        self._pattern, self._distances = pattern, distances

    def instructions(self) -> list[Recorded]:
        """Encode the instructions again. Their bytes equal those that were assembled from parts."""
        moved = [part.moved(self._distances[part.number]) for part in self._pattern.parts]
        return [*self._pattern.staying, *chain.from_iterable(moved)]


class X86Pattern:
    """Instructions that can be appended again with other displacements, which are inserted into the first bytes. Bits 6
    and 7 of the modrm byte give the size of a displacement (Intel SDM vol. 2, table 2-2)."""

    def __init__(self, asm: Any, recorded: list[Recorded], bases: Sequence[Reg]) -> None:
        self._asm = asm
        numbers: dict[int, int] = {id(base): number for number, base in enumerate(bases)}
        based = [
            numbers.get(id(operands[form.memory].base)) if form.memory >= 0 else None for form, operands, _ in recorded
        ]
        moving = [(number, at) for at, number in enumerate(based) if number is not None]
        ends = [*[at for _, at in moving], len(recorded)]
        self.staying = recorded[: ends[0]]  # before the first one that moves
        self._start = b"".join([data for _, _, data in self.staying])
        self.parts = [_part(number, recorded[at:end]) for (number, at), end in zip(moving, ends[1:])]
        self._reach = 0x7FFF_FFFF - max([part.disp for part in self.parts], default=0)

    def append(self, distances: Sequence[int]) -> None:
        """Append the instructions with each address moved by the distance of its base."""
        again = _Again(self, distances)
        within = 0 <= min(distances) <= max(distances) <= self._reach
        appended = b"".join(self._moved(distances) if within else [data for _, _, data in again.instructions()])
        record, buffer = self._asm.output
        record.append((again, (), appended))
        buffer += appended

    def _moved(self, distances: Sequence[int]) -> list[bytes]:
        """Return the bytes for non-negative distances that 32-bit displacements can reach."""
        made = [self._start]
        for number, disp, unit, always, before, modrm, sib, behind, _ in self.parts:
            disp += distances[number]
            if not unit:
                made += before, DISP32(disp), behind
            elif not (disp or always):
                made += before, BYTES[modrm], sib, behind
            elif -128 <= (quotient := disp // unit) <= 127 and quotient * unit == disp:
                made += before, BYTES[modrm | 0x40], sib, BYTES[quotient], behind
            else:
                made += before, BYTES[modrm | 0x80], sib, DISP32(disp), behind
        return made


def pattern(machine: Any, emit: Callable[[], None], bases: Sequence[Reg]) -> X86Pattern | None:
    """Call `emit`, which appends instructions to a machine's assembler, and return their pattern. `bases` are the base
    registers of the addresses that move. None if the instructions refer to labels or have notes."""
    asm = machine.asm
    start, before = len(asm.record), (len(asm._fixups), len(asm.notes), len(asm.labels))
    emit()
    if before != (len(asm._fixups), len(asm.notes), len(asm.labels)):
        return None
    return X86Pattern(asm, asm.record[start:], bases)
