"""Single elements on AArch64. They are moved through x17; x16 holds an address if one must be computed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....encoder.a64.assembler import A64Assembler
from ....encoder.a64.names import CONDITIONS, PREFETCHES
from ....encoder.a64.registers import General, W, X, mem, xzr
from ...contract.element_moves import ElementMovesOf

_ADDRESS, _ELEMENT, _ELEMENT32 = X[16], X[17], W[17]
_LOADS = {1: "ldrb", 2: "ldrh", 4: "ldr", 8: "ldr"}
_STORES = {1: "strb", 2: "strh", 4: "str", 8: "str"}
_FAR = 1 << 12  # loads and stores reach displacements below this many elements


class A64Elements(ElementMovesOf[General]):
    """The verbs for single elements. The instruction itself shifts the index."""

    asm: A64Assembler

    def _place(self, base: General, index: General | None, disp: int, size: int) -> Any:
        if disp >= _FAR * size or disp % size or (disp and index is not None):
            self.asm.load_immediate(_ADDRESS, disp)
            self.asm.add(_ADDRESS, _ADDRESS, base)
            base, disp = _ADDRESS, 0
        if index is None:
            return mem[base, disp] if disp else mem[base]
        return mem[base, index.lsl(size.bit_length() - 1)] if size > 1 else mem[base, index]

    def load_index(self, dst: General, base: General, disp: int, size: int, index: General | None = None) -> None:
        """Emit ldrsw, or a plain load."""
        getattr(self.asm, "ldrsw" if size == 4 else "ldr")(dst, self._place(base, index, disp, size))

    def load_element(self, base: General, index: General | None, disp: int, size: int) -> None:
        """Load into x17."""
        register = _ELEMENT if size == 8 else _ELEMENT32
        getattr(self.asm, _LOADS[size])(register, self._place(base, index, disp, size))

    def store_element(self, base: General, index: General | None, disp: int, size: int) -> None:
        """Store from x17."""
        register = _ELEMENT if size == 8 else _ELEMENT32
        getattr(self.asm, _STORES[size])(register, self._place(base, index, disp, size))

    def zero_element(self) -> None:
        """x17 = 0."""
        self.asm.mov(_ELEMENT, xzr)

    def store_general(self, base: General, value: General) -> None:
        """Store 64 bits."""
        self.asm.str(value, mem[base])

    def prefetch(self, base: General, disp: int) -> None:
        """Prefetch into all cache levels."""
        self.asm.prfm(PREFETCHES["pldl1keep"], self._place(base, None, disp, 8))

    def prefetch_ahead(self, base: General, disp: int) -> None:
        """Prefetch into all cache levels but the first."""
        self.asm.prfm(PREFETCHES["pldl2keep"], self._place(base, None, disp, 8))

    def advance_product(self, dst: General, a: General, b: General) -> None:
        """Emit one instruction."""
        self.asm.madd(dst, a, b, dst)

    @contextmanager
    def within(self, value: General, limit: General | int) -> Iterator[None]:
        """Use one unsigned comparison, in which negative values are too large."""
        end = self.asm.label()
        self.asm.cmp(value, limit)
        self.asm.b_hs(end)
        yield
        self.asm.bind(end)

    @contextmanager
    def beyond(self, value: General, limit: General | int) -> Iterator[None]:
        """Use the opposite branch of `within`."""
        end = self.asm.label()
        self.asm.cmp(value, limit)
        self.asm.b_lo(end)
        yield
        self.asm.bind(end)

    @contextmanager
    def if_bit(self, amount: General, bit: int) -> Iterator[None]:
        """Emit tbz."""
        end = self.asm.label()
        self.asm.tbz(amount, bit.bit_length() - 1, end)
        yield
        self.asm.bind(end)

    @contextmanager
    def each_bit(self, bits: General, position: General) -> Iterator[None]:
        """Count the zeros before the highest bit of the mask in reverse; clear the lowest bit."""
        again, end = self.asm.label(), self.asm.label()
        self.asm.cbz(bits, end)
        self.asm.bind(again)
        self.asm.rbit(position, bits)
        self.asm.clz(position, position)
        self.asm.sub(_ELEMENT, bits, 1)
        self.asm.and_(bits, bits, _ELEMENT)
        yield
        self.asm.cbnz(bits, again)
        self.asm.bind(end)

    def lower(self, dst: General, other: General) -> None:
        """Emit a conditional move."""
        self.asm.cmp(other, dst)
        self.asm.csel(dst, other, dst, CONDITIONS["lo"])
