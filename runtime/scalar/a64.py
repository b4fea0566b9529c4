"""The scalar machine of AArch64 under AAPCS64.

x16 and x17 are its scratch registers, for operands that an instruction cannot take directly. Tail calls jump through
x16, which a landing pad `bti c` accepts; x18 is reserved for the platform.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.a64.abi import ARGUMENTS, CALLEE_SAVED, FRAME, LINK, RESULT
from ...encoder.a64.assembler import A64Assembler
from ...encoder.a64.names import BRANCH_TARGETS, CONDITIONS
from ...encoder.a64.registers import General, W, X, mem, sp, xzr
from ...encoder.a64.targets import TARGETS
from ...encoder.operands import Label
from .machine import Operand, Scalar, ScalarMemory

_CONDITIONS = {
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
    "u<": "lo",
    "u>=": "hs",
    "u>": "hi",
}
_FIRST, _SECOND = X[16], X[17]
_NOTED = X[15]
_PAIR = X[2], X[3]  # nargsf and kwnames, which are read before any guard
_ADDRESS = 16  # bytes of the four instructions that load an address
_SMALL = 1 << 12  # constants below this are immediates of add and cmp


class A64Scalar(Scalar):
    """Emits three-operand forms on registers; memory operands are loaded first."""

    asm: A64Assembler
    arguments = ARGUMENTS
    result = RESULT
    stack = sp
    x, y, z = X[8], X[13], X[14]
    values = X[9], X[10], X[11]
    constants = X[12]
    more = X[4:8]
    kept = CALLEE_SAVED[:5]

    def __init__(self) -> None:
        super().__init__(A64Assembler(TARGETS["neon"]))
        self.pushed: list[General] = []
        self.frame = 0
        self.calls = False

    # Frames

    def begin(self, name: str) -> Label:
        label = self.asm.here(name)
        self.asm.bti(BRANCH_TARGETS["c"])  # a no-op on processors without BTI
        return label

    def open(self, slots: int, used: Sequence[General] = (), calls: bool = True) -> None:
        saved = [register for register in used if register in CALLEE_SAVED]
        self.pushed, self.calls = saved, calls
        self.frame = 8 * slots + 8 * slots % 16
        if calls:  # a frame record: debuggers and profilers follow x29
            self.asm.stp(FRAME, LINK, mem[sp, -16].pre)
            self.asm.mov(FRAME, sp)
        for register in saved:
            self.asm.str(register, mem[sp, -16].pre)
        if self.frame:
            self.asm.sub(sp, sp, self.frame)

    def close(self) -> None:
        if self.frame:
            self.asm.add(sp, sp, self.frame)
        for register in reversed(self.pushed):
            self.asm.ldr(register, mem[sp].post(16))
        if self.calls:
            self.asm.ldp(FRAME, LINK, mem[sp].post(16))

    def ret(self) -> None:
        self.asm.ret()

    def given(self, number: int) -> Operand:
        count = len(self.arguments)
        taken = self.frame + 16 * len(self.pushed) + 16 * self.calls
        return self.arguments[number] if number < count else ScalarMemory(self.stack, taken + 8 * (number - count))

    # Operands

    def _load(self, dst: General, place: ScalarMemory) -> None:
        short = W[dst.num]
        if place.size == 1:
            self.asm.ldrb(short, mem[place.base, place.offset])
        elif place.size == 4:
            self.asm.ldr(short, mem[place.base, place.offset])
        else:
            self.asm.ldr(dst, mem[place.base, place.offset])

    def _register(self, value: Operand, scratch: General) -> General:
        """Return a register that holds the value."""
        if isinstance(value, ScalarMemory):
            self._load(scratch, value)
            return scratch
        if isinstance(value, int):
            self.asm.load_immediate(scratch, value)
            self.noted(value, _ADDRESS)
            return scratch
        register: General = value
        return register

    def _second(self, value: Operand, scratch: General) -> General | int:
        """Return a register that holds the value, or a constant that is an immediate of add and cmp."""
        return value if isinstance(value, int) and 0 <= value < _SMALL else self._register(value, scratch)

    # Values

    def move(self, dst: General | ScalarMemory, src: Operand) -> None:
        if isinstance(dst, ScalarMemory):
            register = xzr if src == 0 else self._register(src, _FIRST)
            self.asm.str(register, mem[dst.base, dst.offset])
        elif isinstance(src, ScalarMemory):
            self._load(dst, src)
        elif isinstance(src, int):
            self.asm.load_immediate(dst, src)
            self.noted(src, _ADDRESS)
        else:
            self.asm.mov(dst, src)

    def add(self, dst: General, src: Operand) -> None:
        self.asm.add(dst, dst, self._second(src, _FIRST))

    def subtract(self, dst: General, src: Operand) -> None:
        self.asm.sub(dst, dst, self._register(src, _FIRST))

    def multiply(self, dst: General, src: Operand) -> None:
        self.asm.mul(dst, dst, self._register(src, _FIRST))

    def divide(self, by: General) -> None:
        self.asm.mov(_FIRST, self.x)
        self.asm.udiv(self.x, _FIRST, by)
        self.asm.msub(self.z, self.x, by, _FIRST)

    def bits_and(self, dst: General, src: Operand) -> None:
        self.asm.and_(dst, dst, self._register(src, _FIRST))

    def bits_or(self, dst: General, src: Operand) -> None:
        self.asm.orr(dst, dst, self._register(src, _FIRST))

    def shift_right(self, dst: General, bits: int) -> None:
        if bits:
            self.asm.lsr(dst, dst, bits)

    def negate(self, dst: General) -> None:
        self.asm.neg(dst, dst)

    def address(
        self, dst: General, base: General, index: General | None = None, scale: int = 1, offset: int = 0
    ) -> None:
        if index is not None:
            self.asm.add(dst, base, index.lsl(3) if scale == 8 else index)
            base = dst
        if offset < 0:
            self.asm.sub(dst, base, -offset)
        elif offset or index is None:
            self.asm.add(dst, base, offset)

    def constant(self, dst: General, data: bytes) -> None:
        self.asm.adr(dst, self.asm.const(data, 8))

    def element(self, dst: General, base: General, number: General) -> None:
        self.asm.add(dst, base, number.lsl(3))
        self.asm.ldur(dst, mem[dst, -8])

    def copy_words(self, target: General, source: General, count: General, found: Sequence[General]) -> None:
        """Copy in ascending order with pointers that advance."""
        asm, (low, high, bits) = self.asm, found
        done = asm.label("done")
        asm.ldr(low, mem[source].post(8))
        asm.str(low, mem[target].post(8))
        asm.mov(high, low)
        asm.mov(bits, low)
        asm.subs(count, count, 1)
        asm.b_eq(done)
        with self.loop(count):
            asm.ldr(self.x, mem[source].post(8))
            asm.str(self.x, mem[target].post(8))
            asm.orr(bits, bits, self.x)
            self.take_if(low, self.x, "<")
            self.take_if(high, self.x, ">")
        asm.bind(done)

    def multiply_checked(self, dst: General, src: Operand, overflow: Label) -> None:
        factor = self._register(src, _FIRST)
        self.asm.smulh(_SECOND, dst, factor)
        self.asm.mul(dst, dst, factor)
        self.asm.cmp(_SECOND, dst.asr(63))  # if the product fits, the high half consists of copies of the sign
        self.asm.b_ne(overflow)

    def add_checked(self, dst: General, src: General, overflow: Label) -> None:
        self.asm.adds(dst, dst, src)
        self.asm.b_vs(overflow)

    def take_if(self, dst: General, src: General, condition: str) -> None:
        self.asm.cmp(src, dst)
        self.asm.csel(dst, src, dst, CONDITIONS[_CONDITIONS[condition]])

    def increment(self, word: ScalarMemory) -> None:
        self._load(_FIRST, word)
        self.asm.add(_FIRST, _FIRST, 1)
        self.asm.str(_FIRST, mem[word.base, word.offset])

    # Control

    def branch(self, a: General | ScalarMemory, condition: str, b: Operand, label: Label) -> None:
        register = self._register(a, _FIRST)
        if isinstance(b, int) and b == 0 and condition in ("==", "!="):
            (self.asm.cbz if condition == "==" else self.asm.cbnz)(register, label)
            return
        self.asm.cmp(register, self._second(b, _SECOND))
        getattr(self.asm, f"b_{_CONDITIONS[condition]}")(label)

    def branch_if_bits(self, a: General | ScalarMemory, bits: int, present: bool, label: Label) -> None:
        self.asm.tst(self._register(a, _FIRST), self._register(bits, _SECOND))
        (self.asm.b_ne if present else self.asm.b_eq)(label)

    def differ(self, base: General, offset: int, constant: int, first: bool) -> None:
        self.asm.ldp(_FIRST, _SECOND, mem[base, offset])
        self.asm.ldp(*_PAIR, mem[self.constants, 8 * constant])
        self.asm.eor(_FIRST, _FIRST, _PAIR[0])
        self.asm.eor(_SECOND, _SECOND, _PAIR[1])
        if not first:
            self.asm.orr(_FIRST, _FIRST, _NOTED)
        self.asm.orr(_NOTED, _FIRST, _SECOND)

    def branch_if_different(self, label: Label) -> None:
        self.asm.cbnz(_NOTED, label)

    def jump(self, target: Label | int | General) -> None:
        if isinstance(target, Label):
            self.asm.b(target)
            return
        self.move(_FIRST, target)
        self.asm.br(_FIRST)

    def call(self, target: Label | int | General | ScalarMemory) -> None:
        if isinstance(target, Label):
            self.asm.bl(target)
            return
        self.asm.blr(self._register(target, _FIRST))
