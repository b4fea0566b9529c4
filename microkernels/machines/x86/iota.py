"""Vectors made from a general register on x86: iota, and numbers that are arguments of the call."""

from __future__ import annotations

from typing import Any

from ....encoder.x86.registers import R32, R64, XMM, Mem, Reg, mem
from ...codegen.selection import Constant
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES
from .core import X86Lanes

_RAX, _EAX = R64[0], R32[0]


def _low(m: Any, source: Reg, first: int, addend: int) -> Reg:
    """Return 32 bits of a general register, starting at bit `first`, plus the addend."""
    if first:
        m.asm.mov(_RAX, source)
        m.asm.shr(_RAX, first)
        source = _RAX
    if addend:
        m.asm.lea(_EAX, mem(source, addend))
        return _EAX
    low: Reg = R32[source.num]
    return low


def _add_steps(m: Any, register: Vector, step: int, lanes: X86Lanes) -> None:
    if step:  # in elements of 64 bits, the lower half holds the place and the upper half is ignored
        dst, size = lanes.ops.file[register], 8 * ELEMENT_BYTES[lanes.dtype]
        steps = Constant(tuple(range(lanes.ops.bits // size)), size).data(lanes.ops.bits // 8)
        m.asm.vpaddd(dst, dst, Mem(label=m.asm.const(steps)))


def iota_by_move(m: Any, register: Vector, source: Reg, first: int, addend: int, step: int, lanes: X86Lanes,
                   spare: Any) -> None:  # fmt: skip
    """AVX2: move the register to the first element, then broadcast it."""
    m.asm.vmovd(XMM[register], _low(m, source, first, addend))
    m.asm.vpbroadcastd(lanes.ops.file[register], XMM[register])
    _add_steps(m, register, step, lanes)


def iota_by_broadcast(m: Any, register: Vector, source: Reg, first: int, addend: int, step: int, lanes: X86Lanes,
                        spare: Any) -> None:  # fmt: skip
    """AVX-512: broadcast a general register to all elements."""
    m.asm.vpbroadcastd(lanes.ops.file[register], _low(m, source, first, addend))
    _add_steps(m, register, step, lanes)
