"""Vectors made from a general register on x86: iota, and numbers that are arguments of the call."""

from __future__ import annotations

from typing import Any

from ....encoder.x86.registers import R32, R64, XMM, Mem, Reg, mem
from ....encoder.x86.virtual import lowest
from ...codegen.selection import Constant, Iota
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES
from .core import X86Lanes

_RAX, _EAX = R64[0], R32[0]


def _low(m: Any, numbers: Iota) -> Reg:
    """Return the number of element 0 in the low half of a general register."""
    source = numbers.source
    if numbers.first_bit:
        m.asm.mov(_RAX, source)
        m.asm.shr(_RAX, numbers.first_bit)
        source = _RAX
    if numbers.addend:
        m.asm.lea(_EAX, mem(source, numbers.addend))
        return _EAX
    return lowest(source)


def _add_steps(m: Any, register: Vector, step: int, lanes: X86Lanes) -> None:
    if step:
        dst, size = lanes.ops.file[register], 8 * ELEMENT_BYTES[lanes.dtype]
        steps = Constant(tuple(range(lanes.ops.bits // size)), size).data(lanes.ops.bits // 8)
        m.asm.vpaddd(dst, dst, Mem(label=m.asm.const(steps)))


def iota_by_move(m: Any, register: Vector, numbers: Iota, lanes: X86Lanes, spare: Any) -> None:
    """AVX2: move the register to the first element, then broadcast it."""
    m.asm.vmovd(XMM[register], _low(m, numbers))
    m.asm.vpbroadcastd(lanes.ops.file[register], XMM[register])
    _add_steps(m, register, numbers.step, lanes)


def iota_by_broadcast(m: Any, register: Vector, numbers: Iota, lanes: X86Lanes, spare: Any) -> None:
    """AVX-512: broadcast a general register to all elements."""
    m.asm.vpbroadcastd(lanes.ops.file[register], _low(m, numbers))
    _add_steps(m, register, numbers.step, lanes)
