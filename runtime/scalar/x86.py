"""The scalar machine of x86-64 under the System V convention, on processors with AVX2. `older_x86` replaces the verbs
that need it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...encoder.features import TARGETS
from ...encoder.operands import Label
from ...encoder.x86.abi import ARGUMENTS, CALLEE_SAVED
from ...encoder.x86.assembler import X86Assembler
from ...encoder.x86.registers import R32, R64, REGISTERS, XMM, YMM, Mem, Reg, byte, dword, ptr, qword
from .machine import Operand, Scalar, ScalarMemory

_JUMPS = {"==": "je", "!=": "jne", "<": "jl", "<=": "jle", ">": "jg", ">=": "jge", "u<": "jb", "u>=": "jae"}
_MOVES = {"<": "cmovl", ">": "cmovg", "u<": "cmovb", "u>": "cmova"}
_SIZES = {8: qword, 4: dword, 1: byte}
_ADDRESS = 8  # bytes of an address in an instruction
_NOTED, _NEXT = REGISTERS["xmm0"], REGISTERS["xmm1"]
_LOW = {wide.num: low for wide, low in zip(R64, R32)}


@lru_cache(maxsize=1 << 12)
def _place(memory: ScalarMemory) -> Mem:
    """Return the operand. It is created once, since the assembler recognizes operands that it has encoded by their
    identity."""
    place: Mem = _SIZES[memory.size][memory.base + memory.offset]
    return place


def _operand(value: Operand) -> Any:
    return _place(value) if isinstance(value, ScalarMemory) else value


def _low(register: Reg) -> Reg:
    """Return the low 32 bits of a register; a write to them clears the high 32."""
    return _LOW[register.num]


class X86Scalar(Scalar):
    """Emits two-operand forms; comparisons take memory operands."""

    asm: X86Assembler
    arguments = ARGUMENTS
    stack = REGISTERS["rsp"]
    result = x = REGISTERS["rax"]
    y, z = REGISTERS["rcx"], REGISTERS["rdx"]
    values = REGISTERS["r8"], REGISTERS["r9"], REGISTERS["r10"]
    constants = REGISTERS["r11"]
    kept = CALLEE_SAVED[:5]
    more = CALLEE_SAVED[:4]

    target = TARGETS["avx2"]

    def __init__(self) -> None:
        super().__init__(X86Assembler(self.target))
        self.pushed: list[Reg] = []
        self.frame = 0

    # Frames

    def begin(self, name: str) -> Label:
        label = self.asm.here(name)
        self.asm.endbr64()
        return label

    def open(self, slots: int, used: Sequence[Reg] = (), calls: bool = True) -> None:
        self.pushed = [register for register in used if register in CALLEE_SAVED]
        # at entry rsp is 8 below a multiple of 16; at a call it must be a multiple
        taken = 8 + 8 * len(self.pushed) + 8 * slots
        self.frame = 8 * slots + (taken % 16 if calls else 0)
        for register in self.pushed:
            self.asm.push(register)
        if self.frame:
            self.asm.sub(self.stack, self.frame)

    def close(self) -> None:
        if self.frame:
            self.asm.add(self.stack, self.frame)
        for register in reversed(self.pushed):
            self.asm.pop(register)

    def ret(self) -> None:
        self.asm.ret()

    def given(self, number: int) -> Operand:
        count = len(self.arguments)
        taken = self.frame + 8 * len(self.pushed) + 8  # and the return address
        return self.arguments[number] if number < count else ScalarMemory(self.stack, taken + 8 * (number - count))

    # Values

    def move(self, dst: Reg | ScalarMemory, src: Operand) -> None:
        if isinstance(dst, ScalarMemory):
            self.asm.mov(_place(dst), _operand(src))
        elif isinstance(src, ScalarMemory):
            if src.size == 1:
                self.asm.movzx(_low(dst), _place(src))
            else:
                self.asm.mov(_low(dst) if src.size == 4 else dst, _place(src))
        elif isinstance(src, int) and src == 0:
            self.asm.xor(_low(dst), _low(dst))
        elif isinstance(src, int) and 0 < src < 1 << 32:
            self.asm.mov(_low(dst), src)
        else:
            self.asm.mov(dst, src)
            self.noted(src, _ADDRESS)

    def add(self, dst: Reg, src: Operand) -> None:
        self.asm.add(dst, _operand(src))

    def subtract(self, dst: Reg, src: Operand) -> None:
        self.asm.sub(dst, _operand(src))

    def multiply(self, dst: Reg, src: Operand) -> None:
        if isinstance(src, int):
            self.asm.imul(dst, dst, src)
        else:
            self.asm.imul(dst, _operand(src))

    def divide(self, by: Reg) -> None:
        self.asm.xor(_low(self.z), _low(self.z))
        self.asm.div(by)

    def bits_and(self, dst: Reg, src: Operand) -> None:
        self.asm.and_(dst, _operand(src))

    def bits_or(self, dst: Reg, src: Operand) -> None:
        self.asm.or_(dst, _operand(src))

    def shift_right(self, dst: Reg, bits: int) -> None:
        if bits:
            self.asm.shr(dst, bits)

    def negate(self, dst: Reg) -> None:
        self.asm.neg(dst)

    def address(self, dst: Reg, base: Reg, index: Reg | None = None, scale: int = 1, offset: int = 0) -> None:
        self.asm.lea(dst, ptr[base + offset] if index is None else ptr[base + index * scale + offset])

    def constant(self, dst: Reg, data: bytes) -> None:
        self.asm.lea(dst, ptr[self.asm.const(data, 8)])

    def element(self, dst: Reg, base: Reg, number: Reg) -> None:
        self.asm.mov(dst, qword[base + number * 8 - 8])

    def copy_words(self, target: Reg, source: Reg, count: Reg, found: Sequence[Reg]) -> None:
        """Copy four words at a time from the end; a remainder copies the first four again, with overlap."""
        asm, (low, high, bits) = self.asm, found
        few, done = asm.label("few"), asm.label("done")
        asm.cmp(count, 4)
        asm.jb(few)
        self._copy_vectors(target, source, count, found)
        asm.jmp(done)
        asm.bind(few)
        asm.mov(low, qword[source])
        asm.mov(qword[target], low)
        asm.mov(high, low)
        asm.mov(bits, low)
        for place in (8, 16):
            asm.dec(count)
            asm.je(done)
            asm.mov(self.x, qword[source + place])
            asm.mov(qword[target + place], self.x)
            asm.or_(bits, self.x)
            self.take_if(low, self.x, "<")
            self.take_if(high, self.x, ">")
        asm.bind(done)

    def _copy_vectors(self, target: Reg, source: Reg, count: Reg, found: Sequence[Reg]) -> None:
        """Copy vectors; a word that overlaps is read twice, and its last value is both copied and compared."""
        asm, (words, mask, *wide) = self.asm, YMM[:5]
        top, check = asm.label("vectors"), asm.label("check")
        low, high, bits = wide
        first, to = ptr[source + count * 8 - 32], ptr[target + count * 8 - 32]
        asm.vmovdqu(words, first)
        asm.vmovdqu(to, words)
        for each in wide:
            asm.vmovdqa(each, words)
        asm.jmp(check)
        asm.bind(top)
        asm.vmovdqu(words, first)
        asm.vmovdqu(to, words)
        asm.vpor(bits, bits, words)
        self._take_words(low, words, "<", mask)
        self._take_words(high, words, ">", mask)
        asm.bind(check)
        asm.sub(count, 4)
        asm.cmp(count, 4)
        asm.jge(top)
        asm.test(count, count)
        asm.mov(count, 4)
        asm.jg(top)
        for register, each, condition in zip(found, wide, "<>|"):
            self._collect(register, each, condition)
        asm.vzeroupper()

    def _collect(self, register: Reg, wide: Reg, condition: str) -> None:
        """Reduce the four words of a vector to the minimum, the maximum or the OR."""
        asm, both, (half, mask) = self.asm, XMM[wide.num], XMM[:2]
        asm.vextracti128(half, wide, 1)
        if condition == "|":
            asm.vpor(both, both, half)
        else:
            self._take_words(both, half, condition, mask)
        asm.vmovq(register, both)
        asm.vpextrq(self.x, both, 1)
        if condition == "|":
            asm.or_(register, self.x)
        else:
            self.take_if(register, self.x, condition)

    def _take_words(self, dst: Reg, src: Reg, condition: str, mask: Reg) -> None:
        """Do `take_if` for each word of a vector; destroys the mask."""
        self.asm.vpcmpgtq(mask, *((dst, src) if condition == "<" else (src, dst)))
        self.asm.vblendvpd(dst, dst, src, mask)

    def multiply_checked(self, dst: Reg, src: Operand, overflow: Label) -> None:
        self.multiply(dst, src)
        self.asm.jo(overflow)

    def add_checked(self, dst: Reg, src: Reg, overflow: Label) -> None:
        self.asm.add(dst, src)
        self.asm.jo(overflow)

    def take_if(self, dst: Reg, src: Reg, condition: str) -> None:
        self.asm.cmp(src, dst)
        getattr(self.asm, _MOVES[condition])(dst, src)

    def increment(self, word: ScalarMemory) -> None:
        self.asm.inc(_place(word))

    # Control

    def branch(self, a: Reg | ScalarMemory, condition: str, b: Operand, label: Label) -> None:
        if isinstance(b, int) and b == 0 and not isinstance(a, ScalarMemory):
            self.asm.test(a, a)
        elif isinstance(a, ScalarMemory) and a.size == 4 and isinstance(b, Reg):
            self.asm.cmp(_place(a), _low(b))
        else:
            self.asm.cmp(_operand(a), _operand(b))
        getattr(self.asm, _JUMPS[condition])(label)

    def branch_if_bits(self, a: Reg | ScalarMemory, bits: int, present: bool, label: Label) -> None:
        self.asm.test(_place(a) if isinstance(a, ScalarMemory) else _low(a), bits)
        (self.asm.jne if present else self.asm.je)(label)

    def differ(self, base: Reg, offset: int, constant: int, first: bool) -> None:
        difference = _NOTED if first else _NEXT
        self.asm.vmovdqu(difference, ptr[base + offset])
        self.asm.vpxor(difference, difference, ptr[self.constants + 8 * constant])
        if not first:
            self.asm.vpor(_NOTED, _NOTED, difference)

    def branch_if_different(self, label: Label) -> None:
        self.asm.vptest(_NOTED, _NOTED)
        self.asm.jne(label)

    def jump(self, target: Label | int | Reg) -> None:
        if isinstance(target, int):
            self.move(self.result, target)
            target = self.result
        self.asm.jmp(target)

    def call(self, target: Label | int | Reg | ScalarMemory) -> None:
        if isinstance(target, int):
            self.move(self.result, target)
            target = self.result
        self.asm.call(_operand(target))
