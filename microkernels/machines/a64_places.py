"""Vectors made of a general register, on AArch64: an element's place, and numbers that are given at the call."""

from __future__ import annotations

from typing import Any

from ...encoder.a64.registers import Q, V, W, X, Z
from ..arithmetic import Constant
from ..machine import General, Lanes, Vector

_SCRATCH = X[16]


def _low(m: Any, source: General, first: int, addend: int) -> Any:
    """32 bits of a general register from the first on, + addend."""
    if first:
        m.asm.lsr(_SCRATCH, source, first)
        source = _SCRATCH
    if addend:
        m.asm.add(_SCRATCH, source, addend)
        source = _SCRATCH
    return W[X.index(source)]


def neon_places(m: Any, register: Vector, source: General, first: int, addend: int, step: int, lanes: Lanes,
                spare: Any) -> None:  # fmt: skip
    """Everywhere, then 0, 1, 2, 3 from the pool."""
    m.asm.dup(V[register].s4, _low(m, source, first, addend))
    if step:
        m.asm.ldr(Q[spare[0]], m.asm.const(Constant(tuple(range(4)), 32).data(16)))
        m.asm.add(V[register].s4, V[register].s4, V[spare[0]].s4)


def sve_places(m: Any, register: Vector, source: General, first: int, addend: int, step: int, lanes: Lanes,
               spare: Any) -> None:  # fmt: skip
    """One instruction either way."""
    if step:
        m.asm.index(Z[register].s, _low(m, source, first, addend), 1)
    else:
        m.asm.dup(Z[register].s, _low(m, source, first, addend))
