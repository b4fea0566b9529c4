"""Vectors made from a general register on AArch64: iota, and numbers that are arguments of the call."""

from __future__ import annotations

from typing import Any

from ....encoder.a64.registers import General, Q, V, W, X, Z
from ...codegen.selection import Constant
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES
from .lanes import A64Lanes

_SCRATCH = X[16]


def _low(m: Any, source: General, first: int, addend: int) -> Any:
    """Return 32 bits of a general register, starting at bit `first`, plus the addend."""
    if first:
        m.asm.lsr(_SCRATCH, source, first)
        source = _SCRATCH
    if addend:
        m.asm.add(_SCRATCH, source, addend)
        source = _SCRATCH
    return W[X.index(source)]


def neon_iota(m: Any, register: Vector, source: General, first: int, addend: int, step: int, lanes: A64Lanes,
                spare: Any) -> None:  # fmt: skip
    """Broadcast, then add 0, 1, 2, 3 from the constant pool. A 64-bit element holds its index in the low half."""
    m.asm.dup(V[register].s4, _low(m, source, first, addend))
    if step:
        size = ELEMENT_BYTES[lanes.dtype]
        m.asm.ldr(Q[spare[0]], m.asm.const(Constant(tuple(range(16 // size)), 8 * size).data(16)))
        m.asm.add(V[register].s4, V[register].s4, V[spare[0]].s4)


def sve_iota(m: Any, register: Vector, source: General, first: int, addend: int, step: int, lanes: A64Lanes,
               spare: Any) -> None:  # fmt: skip
    """Emit index or dup, one instruction each. A 64-bit element holds its index in the low half."""
    if step:
        low = _low(m, source, first, addend)
        if ELEMENT_BYTES[lanes.dtype] == 8:
            m.asm.index(Z[register].d, X[W.index(low)], 1)
        else:
            m.asm.index(Z[register].s, low, 1)
    else:
        m.asm.dup(Z[register].s, _low(m, source, first, addend))
