"""Vectors made from a general register on AArch64: iota, and numbers that are arguments of the call."""

from __future__ import annotations

from typing import Any

from ....encoder.a64.registers import Q, V, W, X, Z
from ....encoder.a64.virtual import lowest
from ...codegen.selection import Constant, Iota
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES
from .lanes import A64Lanes

_SCRATCH = X[16]


def _low(m: Any, numbers: Iota) -> Any:
    """Return the number of element 0 in the low half of a general register."""
    source = numbers.source
    if numbers.first_bit:
        m.asm.lsr(_SCRATCH, source, numbers.first_bit)
        source = _SCRATCH
    if numbers.addend:
        m.asm.add(_SCRATCH, source, numbers.addend)
        source = _SCRATCH
    return lowest(source)


def neon_iota(m: Any, register: Vector, numbers: Iota, lanes: A64Lanes, spare: Any) -> None:
    """Broadcast, then add 0, 1, 2, 3 from the constant pool."""
    m.asm.dup(V[register].s4, _low(m, numbers))
    if numbers.step:
        size = ELEMENT_BYTES[lanes.dtype]
        m.asm.ldr(Q[spare[0]], m.asm.const(Constant(tuple(range(16 // size)), 8 * size).data(16)))
        m.asm.add(V[register].s4, V[register].s4, V[spare[0]].s4)


def sve_iota(m: Any, register: Vector, numbers: Iota, lanes: A64Lanes, spare: Any) -> None:
    """Emit index or dup, one instruction each."""
    low = _low(m, numbers)
    if numbers.step:
        if ELEMENT_BYTES[lanes.dtype] == 8:
            m.asm.index(Z[register].d, X[W.index(low)], 1)
        else:
            m.asm.index(Z[register].s, low, 1)
    else:
        m.asm.dup(Z[register].s, low)
