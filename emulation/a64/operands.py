"""Operands of AArch64 instructions as functions, made when an instruction is predecoded and called when it executes.

Shifted and extended registers, addresses with write-back, arrangements, elements, predication and vector lengths are
handled here, so that the semantics of an instruction are a function of integers or of arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...encoder.a64.registers import Element, Mem, RegList, Shifted, View
from ..core.closures import Run
from ..core.faults import CannotRun
from ..core.u64 import WORD, element, placed, signed
from ..numerics.rounding import Environment
from .state import NEON_BYTES, A64State

Array = np.ndarray[Any, Any]

SIZES = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16}
GENERAL = frozenset(("x", "w", "xzr", "wzr", "sp", "wsp"))
_SHIFTS: dict[str, Callable[[int, int, int], int]] = {
    "lsl": lambda value, by, bits: value << by,
    "lsr": lambda value, by, bits: value >> by,
    "asr": lambda value, by, bits: signed(value, bits) >> by,
    "ror": lambda value, by, bits: value >> by | value << bits - by,
}


def bits_of(operand: Any) -> int:
    """Return the bits of a general register."""
    return 32 if operand.kind[0] == "w" else 64


class VectorElements:
    """The elements of a vector operand: its register row, the bytes of it, the element size, and an index or None.

    `total` is the number of bytes that a write sets: bytes above the elements become zero.
    """

    def __init__(self, operand: Any, vector_bytes: int) -> None:
        self.index: int | None = None
        self.list: tuple[Any, ...] = ()
        if isinstance(operand, RegList):
            self.list, operand = operand.regs, operand.regs[0]
        if isinstance(operand, Element):
            self.index, operand = operand.index, operand.of
            if isinstance(operand, RegList):
                self.list, operand = operand.regs, operand.regs[0]
        self.number = operand.num
        self.scalable = operand.kind[0] == "z"
        if isinstance(operand, View):
            letter, count = operand.arrangement[-1], operand.arrangement[:-1]
            self.size = SIZES[letter]
            if self.index is not None and count:  # v0.4b[1]: an index counts groups
                self.size, count = self.size * int(count), ""
            self.bytes = self.size * int(count) if count else vector_bytes if self.scalable else NEON_BYTES
        elif operand.kind in SIZES:
            self.size = self.bytes = SIZES[operand.kind]
        else:  # a whole register
            self.size, self.bytes = 1, vector_bytes if self.scalable else NEON_BYTES

    @property
    def count(self) -> int:
        """Return the number of elements."""
        return self.bytes // self.size


class A64Context:
    """One instruction while it is predecoded."""

    def __init__(self, state: A64State, form: Any, operands: tuple[Any, ...], end: int) -> None:
        self.state, self.form, self.operands, self.end = state, form, operands, end
        self.operation = form.row.key.partition(".")[2]  # the semantics key without its domain
        self.pc = end - 4
        self.governing = next(
            (at for at, o in enumerate(operands) if getattr(o, "kind", "") in ("p/m", "p/z", "p")), None
        )

    # General registers

    def get(self, at: int) -> Callable[[], int]:
        """Return a reader of a general register (plain, shifted or extended) or an immediate as an unsigned integer."""
        return self.getter(self.operands[at])

    def getter(self, operand: Any) -> Callable[[], int]:
        """Return the reader of `get` for an operand itself."""
        x, state = self.state.x, self.state
        if isinstance(operand, int):
            value = operand & WORD
            return lambda: value
        if isinstance(operand, Shifted):
            return self._shifted(operand)
        num, kind = operand.num, operand.kind
        if kind in ("xzr", "wzr"):
            return lambda: 0
        if kind == "sp":
            return lambda: state.sp
        if kind == "wsp":
            return lambda: state.sp & 0xFFFF_FFFF
        if kind == "w":
            return lambda: x[num] & 0xFFFF_FFFF
        return lambda: x[num]

    def _shifted(self, operand: Shifted) -> Callable[[], int]:
        value, op, by = self.getter(operand.reg), operand.op, operand.amount
        bits = bits_of(operand.reg)
        if op in _SHIFTS:
            shift, ones = _SHIFTS[op], (1 << bits) - 1
            return lambda: shift(value(), by, bits) & ones
        width = 8 * SIZES[{"b": "b", "h": "h", "w": "s", "x": "d"}[op[-1]]]
        if op[0] == "u":
            return lambda: (value() & (1 << width) - 1) << by & WORD
        return lambda: signed(value() & (1 << width) - 1, width) << by & WORD

    def put(self, at: int) -> Callable[[int], None]:
        """Return a function that writes an integer, cut to the register's size."""
        operand, x, state = self.operands[at], self.state.x, self.state
        num, kind = operand.num, operand.kind
        ones = 0xFFFF_FFFF if kind[0] == "w" else WORD
        if kind in ("xzr", "wzr"):
            return lambda value: None
        if kind in ("sp", "wsp"):
            return lambda value: setattr(state, "sp", value & ones)

        def put(value: int) -> None:
            x[num] = value & ones

        return put

    # Addresses

    def address(self, at: int, unit: int = 0) -> Callable[[], int]:
        """Return the address of a memory operand with a general base; write-back updates the base.

        unit    the bytes that `mul vl` stands for: those of the whole access, by default one vector
        """
        mem: Mem = self.operands[at]
        state, base, offset, mode = self.state, self.getter(mem.base), mem.offset, mem.mode
        check = mem.base.kind == "sp"
        plain = _aligned(base, state) if check else base
        if getattr(offset, "kind", "") == "vl":
            offset = offset.num * (unit or state.vector_bytes)
        if not mode:
            if isinstance(offset, int):
                if offset == 0:
                    return plain
                return lambda: (plain() + offset) & WORD
            add = self.getter(offset)
            return lambda: (plain() + add()) & WORD
        write = self._base_writer(mem.base)
        step = self.getter(offset)
        after = mode == ","

        def moved() -> int:
            start = plain()
            end = (start + step()) & WORD
            write(end)
            if check and after:
                state.left = start
            return start if after else end

        return moved

    def _base_writer(self, base: Any) -> Callable[[int], None]:
        x, state, num = self.state.x, self.state, base.num
        if base.kind == "sp":
            return lambda value: setattr(state, "sp", value)
        return lambda value: x.__setitem__(num, value)

    # Vectors

    def lanes(self, at: int) -> VectorElements:
        """Return the elements that an operand consists of."""
        return VectorElements(self.operands[at], self.state.vector_bytes)

    def is_general(self, at: int) -> bool:
        """Return whether an operand is a general register."""
        return getattr(self.operands[at], "kind", "") in GENERAL

    def is_vector(self, at: int) -> bool:
        """Return whether an operand is a vector, a scalar in a vector register, or an element."""
        kind = getattr(self.operands[at], "kind", "")
        return kind[:1] in ("v", "z", "{") or kind in SIZES

    def source(self, at: int, kind: str, size: int = 0, part: slice = slice(None)) -> Callable[[], Array]:
        """Return a reader of elements as numbers of a kind (f, i, u); an immediate or one element is broadcast.

        size    bytes of an element; by default that of the operand's arrangement
        part    selects some of the elements
        """
        operand = self.operands[at]
        if isinstance(operand, (int, float)):
            value = _number(operand, np.dtype(f"{kind}{size}"))
            return lambda: value
        if operand.kind in GENERAL:
            get, dtype = self.get(at), np.dtype(f"u{size}")
            ones = (1 << 8 * size) - 1
            return lambda: element(get() & ones, dtype).view(f"{kind}{size}")
        lanes = self.lanes(at)
        size = lanes.size if lanes.index is not None else size or lanes.size
        whole = self.state.row(lanes.number, f"{kind}{size}", lanes.bytes)
        if lanes.index is None:
            row = whole[part]
            return lambda: row
        if not lanes.scalable:
            one = whole[lanes.index : lanes.index + 1]
            return lambda: one
        per = NEON_BYTES // size  # the index selects one element in each 128 bits, which is repeated in them
        segments = whole.reshape(-1, per)
        chosen = segments[:, lanes.index]
        return lambda: np.repeat(chosen, per)[part]

    def target(self, at: int, kind: str, size: int = 0) -> Callable[[Array], None]:
        """Return a function that writes elements under the governing predicate and clears the bytes above them."""
        lanes = self.lanes(at)
        dtype = np.dtype(f"{kind}{size or lanes.size}")
        row = self.state.row(lanes.number, dtype, lanes.bytes)
        above = self.state.vectors[lanes.number, lanes.bytes :]
        if lanes.scalable:
            return self._predicated(row)
        if not len(above):

            def write(value: Array) -> None:
                row[:] = value
        else:

            def write(value: Array) -> None:
                row[:] = value
                above[:] = 0

        return write

    def _predicated(self, row: Array) -> Callable[[Array], None]:
        operand = None if self.governing is None else self.operands[self.governing]
        if operand is None or operand.kind == "p":

            def write(value: Array) -> None:
                row[:] = value
        else:
            active = self.state.active(operand.num, row.dtype.itemsize)
            if operand.kind == "p/m":

                def write(value: Array) -> None:
                    np.copyto(row, value, where=active)
            else:

                def write(value: Array) -> None:
                    row[:] = np.where(active, value, row.dtype.type(0))

        return write

    def active(self, size: int) -> Array:
        """Return the governing predicate for elements of a size, all true if there is none."""
        if self.governing is None:
            return np.ones(self.state.vector_bytes // size, bool)
        return self.state.active(self.operands[self.governing].num, size)

    def env(self, size: int) -> Callable[[], Environment]:
        """Return the rounding and flushing of floats of a size."""
        state = self.state
        return (lambda: state.half_env) if size == 2 else (lambda: state.env)


def _number(value: float, dtype: Any) -> Array:
    if dtype.kind == "f":
        return np.array([value], dtype)
    return np.array([int(value) & (1 << 8 * dtype.itemsize) - 1], f"u{dtype.itemsize}").view(dtype)


def _aligned(base: Callable[[], int], state: A64State) -> Callable[[], int]:
    """Check that the stack pointer is a multiple of 16 when it is the base of an address."""

    def checked() -> int:
        pointer = base()
        state.left = WORD
        if pointer % 16:
            raise CannotRun(f"the stack pointer is {placed(pointer):#x}, which is not a multiple of 16")
        return pointer

    return checked


Semantic = Callable[[A64Context], Run]
"""The semantics of an operation: a function that predecodes an instruction into its closure."""
