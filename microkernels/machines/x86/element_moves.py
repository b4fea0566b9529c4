"""Single elements on x86. They are moved through rax."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ....encoder.features import Target
from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.registers import R8, R16, R32, R64, Mem, Reg, mem
from ....encoder.x86.virtual import lowest
from ...contract.element_moves import ElementMovesOf

_RAX = {1: R8[0], 2: R16[0], 4: R32[0], 8: R64[0]}


class X86Elements(ElementMovesOf[Reg]):
    """The verbs for single elements. Loads of 8 and 16 bits fill the register, so that they depend on no earlier
    value."""

    asm: X86Assembler
    target: Target

    def load_index(self, dst: Reg, base: Reg, disp: int, size: int, index: Reg | None = None) -> None:
        """Emit movsxd, or a plain load."""
        operand = mem(base, disp, index, size if index is not None else 1, size=8 * size)
        if size == 4:
            self.asm.movsxd(dst, operand)
        else:
            self.asm.mov(dst, operand)

    def load_element(self, base: Reg, index: Reg | None, disp: int, size: int) -> None:
        """Load into rax."""
        operand = mem(base, disp, index, size if index is not None else 1, size=8 * size)
        if size < 4:
            self.asm.movzx(_RAX[4], operand)
        else:
            self.asm.mov(_RAX[size], operand)

    def store_element(self, base: Reg, index: Reg | None, disp: int, size: int) -> None:
        """Store from rax."""
        self.asm.mov(mem(base, disp, index, size if index is not None else 1, size=8 * size), _RAX[size])

    def zero_element(self) -> None:
        """rax = 0."""
        self.asm.xor(_RAX[4], _RAX[4])

    def store_general(self, base: Reg, value: Reg) -> None:
        """Store 64 bits."""
        self.asm.mov(Mem(base, size=64), value)

    def prefetch(self, base: Reg, disp: int) -> None:
        """Prefetch into all cache levels."""
        self.asm.prefetcht0(mem(base, disp, size=8))

    def prefetch_ahead(self, base: Reg, disp: int) -> None:
        """Prefetch into all cache levels but the first."""
        self.asm.prefetcht1(mem(base, disp, size=8))

    def prefetch_line(self, address: tuple[Reg, int, Reg | None, int], level: int, written: bool = False) -> None:
        """Emit PREFETCHW for lines to be written if the target has it, else PREFETCHT."""
        base, disp, index, scale = address
        written = written and "PREFETCHW" in self.target.features
        prefetch = self.asm.prefetchw if written else getattr(self.asm, f"prefetcht{level - 1}")
        prefetch(mem(base, disp, index, scale, size=8))

    def advance_product(self, dst: Reg, a: Reg, b: Reg) -> None:
        """Multiply in rax, then add."""
        self.asm.mov(_RAX[8], a)
        self.asm.imul(_RAX[8], b)
        self.asm.add(dst, _RAX[8])

    @contextmanager
    def within(self, value: Reg, limit: Reg | int) -> Iterator[None]:
        """Use one unsigned comparison, in which negative values are too large."""
        end = self.asm.label()
        self.asm.cmp(value, limit)
        self.asm.jae(end)
        yield
        self.asm.bind(end)

    @contextmanager
    def beyond(self, value: Reg, limit: Reg | int) -> Iterator[None]:
        """Use the opposite branch of `within`."""
        end = self.asm.label()
        self.asm.cmp(value, limit)
        self.asm.jb(end)
        yield
        self.asm.bind(end)

    @contextmanager
    def if_bit(self, amount: Reg, bit: int) -> Iterator[None]:
        """Test the lowest byte."""
        end = self.asm.label()
        self.asm.test(lowest(amount, 8), bit)
        self.asm.je(end)
        yield
        self.asm.bind(end)

    @contextmanager
    def each_bit(self, bits: Reg, position: Reg) -> Iterator[None]:
        """Find the lowest bit, and clear it. The bit scan of older processors finds it, too, because there is one."""
        again, end = self.asm.label(), self.asm.label()
        self.asm.test(bits, bits)
        self.asm.je(end)
        self.asm.bind(again)
        if "BMI1" in self.target.features:
            self.asm.tzcnt(position, bits)
            self.asm.blsr(bits, bits)
        else:
            self.asm.bsf(position, bits)
            self.asm.lea(_RAX[8], mem(bits, -1))
            self.asm.and_(bits, _RAX[8])
        yield
        self.asm.test(bits, bits)
        self.asm.jne(again)
        self.asm.bind(end)

    def lower(self, dst: Reg, other: Reg) -> None:
        """Emit a conditional move."""
        self.asm.cmp(other, dst)
        self.asm.cmovb(dst, other)
