"""Operands of x86-64 instructions as functions, made when an instruction is predecoded and called when it executes.

This module handles masks, zeroing, broadcast, static rounding and fault suppression, so that the semantics of an
instruction are a function of arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...encoder.x86.forms import X86Form
from ...encoder.x86.registers import Mem, Reg
from ...encoder.x86.registers import StaticRounding as Control
from ..core.closures import Run
from ..core.memory import WRITE
from ..core.u64 import WORD
from ..numerics.primitive import possible
from ..numerics.rounding import Environment
from .state import STATIC, X86State, bits
from .unsuppressed import exception_class, told

Array = np.ndarray[Any, Any]

_HIGH = ("ah", "ch", "dh", "bh")
_ALL = np.ones(64, bool)
_ALL.flags.writeable = False


class X86Context:
    """One instruction while it is predecoded."""

    def __init__(self, state: X86State, form: X86Form, operands: tuple[Any, ...], end: int) -> None:
        self.state, self.form, self.end = state, form, end
        self.operation = form.row.key  # the semantics key
        self.control = next((operand.name for operand in operands if isinstance(operand, Control)), "")
        self.operands = tuple(operand for operand in operands if not isinstance(operand, Control))
        self.length = form.prefix.length // 8  # bytes of a vector
        self.scalar = form.prefix.scalar
        masked = next((o for o in self.operands if getattr(o, "mask", None) is not None), None)
        self.mask = masked.mask.num if masked is not None else None
        self.zeroing = bool(masked is not None and getattr(masked, "zeroing", False))

    # General registers, immediates and memory as integers

    def address(self, mem: Mem) -> Callable[[], int]:
        """Return a function that computes the address of a memory operand."""
        r, disp, scale = self.state.r, mem.disp, mem.scale
        if mem.rip:
            target = self.state.memory.of_code(self.end + disp)
            return lambda: target
        base = None if mem.base is None else mem.base.num
        index = None if mem.index is None or mem.index.file != "r64" else mem.index.num
        if index is None:
            if base is None:
                return lambda: disp & WORD
            if disp == 0:
                return lambda: r[base]
            return lambda: (r[base] + disp) & WORD
        if base is None:
            return lambda: (r[index] * scale + disp) & WORD
        return lambda: (r[base] + r[index] * scale + disp) & WORD

    def size(self, at: int) -> int:
        """Return the bytes of a general register or memory operand."""
        operand = self.operands[at]
        return operand.width // 8 if isinstance(operand, Reg) else self.form.classes[at].size // 8

    def get(self, at: int, size: int = 0) -> Callable[[], int]:
        """Return a reader of an operand as an unsigned integer; the value of a mask register is also cut to `size`
        bytes.
        """
        operand, r = self.operands[at], self.state.r
        if isinstance(operand, int):
            value = operand & (1 << 8 * (size or 8)) - 1
            return lambda: value
        if isinstance(operand, Mem):
            address, load, wide = self.address(operand), self.state.memory.load, size or self.size(at)
            return lambda: load(address(), wide)
        num = operand.num
        if operand.file == "k":
            k, ones = self.state.k, (1 << 8 * (size or 8)) - 1
            return lambda: k[num] & ones
        if operand.name in _HIGH:
            return lambda: r[num - 4] >> 8 & 0xFF
        if operand.width == 64 and size in (0, 8):
            return lambda: r[num]
        ones = (1 << min(operand.width, 8 * size or 64)) - 1
        return lambda: r[num] & ones

    def put(self, at: int, size: int = 0) -> Callable[[int], None]:
        """Return a function that writes an integer, which must be in range, to an operand."""
        operand, r = self.operands[at], self.state.r
        if isinstance(operand, Mem):
            address, store, wide = self.address(operand), self.state.memory.store, size or self.size(at)
            return lambda value: store(address(), wide, value)
        num = operand.num
        if operand.file == "k":
            return _setter(self.state.k, num)
        if operand.width >= 32:
            return _setter(r, num)
        if operand.name in _HIGH:
            return lambda value: r.__setitem__(num - 4, r[num - 4] & ~0xFF00 | value << 8)
        rest = ~((1 << operand.width) - 1)
        return lambda value: r.__setitem__(num, r[num] & rest | value)

    # Vectors

    def count(self, *types: Any) -> int:
        """Return the number of elements of the widest of these types that the instruction computes."""
        return 1 if self.scalar else self.length // max(np.dtype(type_).itemsize for type_ in types)

    def env(self) -> Callable[[], Environment]:
        """Return the rounding and flushing that hold when the instruction executes."""
        state, rounding = self.state, STATIC.get(self.control)
        if rounding is None:
            return lambda: state.env
        return lambda: _rounded(state.env, rounding)

    def active(self, count: int) -> Callable[[], Array] | None:
        """Return a function that reads the mask, or None if the instruction has no mask."""
        if self.mask is None:
            return None
        k, num = self.state.k, self.mask
        return lambda: bits(k[num], count)

    def source(self, at: int, dtype: Any, count: int, suppress: bool = True) -> Callable[[], Array]:
        """Return a reader of an operand's elements. With `suppress`, memory under a clear mask bit is not read and
        gives 0, unless the instruction reads all of it (unsuppressed.py).
        """
        operand, dtype = self.operands[at], np.dtype(dtype)
        if isinstance(operand, Reg):
            row = self.state.row(operand.num, dtype, count)
            return lambda: row
        name = exception_class(self.form.mnemonic, at) if self.mask is not None else ""
        if name:
            return told(self._from_memory(operand, dtype, count, False), self.form.mnemonic, name)
        return self._from_memory(operand, dtype, count, suppress)

    def _from_memory(self, operand: Mem, dtype: Any, count: int, suppress: bool) -> Callable[[], Array]:
        address, view, memory = self.address(operand), self.state.memory.view, self.state.memory
        active = self.active(count) if suppress else None
        if operand.broadcast:
            return _broadcast(address, view, dtype, count, active)
        size = dtype.itemsize * count
        if active is None:
            return lambda: view(address(), size).view(dtype)
        return lambda: memory.masked_load(address(), dtype, active())

    def target(self, at: int, dtype: Any, count: int) -> Callable[[Array], None]:
        """Return a function that writes elements to an operand under the mask and clears the bits above the vector."""
        operand, dtype = self.operands[at], np.dtype(dtype)
        active = self.active(count)
        if isinstance(operand, Mem):
            name = exception_class(self.form.mnemonic, at) if active is not None else ""
            write = self._stored(operand, dtype, count, active, bool(name))
            return told(write, self.form.mnemonic, name) if name else write
        row = self.state.row(operand.num, dtype, count)
        above = self.state.above(operand.num, dtype.itemsize * count)
        if active is None:

            def write(value: Array) -> None:
                row[:] = value
                above[:] = 0
        elif self.zeroing:

            def write(value: Array) -> None:
                row[:] = np.where(active(), value, dtype.type(0))
                above[:] = 0
        else:

            def write(value: Array) -> None:
                np.copyto(row, value, where=active())
                above[:] = 0

        return write

    def _stored(
        self, operand: Mem, dtype: Any, count: int, active: Callable[[], Array] | None, whole: bool
    ) -> Callable[[Array], None]:
        address, memory, size = self.address(operand), self.state.memory, dtype.itemsize * count
        if active is None:

            def write(value: Array) -> None:
                memory.view(address(), size, WRITE)[:] = value.view(np.uint8)
        else:

            def write(value: Array) -> None:
                if whole:
                    memory.require_whole(address(), size, WRITE)
                memory.masked_store(address(), value, active())

        return write


def _broadcast(
    address: Callable[[], int], view: Callable[..., Array], dtype: Any, count: int, active: Callable[[], Array] | None
) -> Callable[[], Array]:
    size = dtype.itemsize

    def read() -> Array:
        if active is not None and not possible(active()):
            return np.zeros(count, dtype)
        return np.repeat(view(address(), size).view(dtype), count)

    return read


@lru_cache(64)
def _rounded(env: Environment, rounding: Any) -> Environment:
    return env.rounded(rounding)


def _setter(values: list[int], num: int) -> Callable[[int], None]:
    def put(value: int) -> None:
        values[num] = value

    return put


Semantic = Callable[[X86Context], Run]
"""The semantics of a mnemonic: a function that predecodes an instruction into its closure."""
