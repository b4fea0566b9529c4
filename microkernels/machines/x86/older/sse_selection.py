"""Arithmetic of SSE4.2: that of AVX on 128 bits, with the destination in an operand's register."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .....encoder.x86.registers import XMM, Mem
from ....codegen.selection import LAG, Constant, InstructionRow
from ..core import X86Lanes
from ..selection import PACKED
from .avx_selection import ARITHMETIC as OF_AVX

_COMMUTE = ("add", "mul", "and", "or", "xor", "eq")
_FREE = ("fma", "sqrt", "to_int", "round_int", "to_float", "abs", "rint", "floor", "ceil", "trunc")


def _ties(op: str, dtype: str) -> tuple[int, ...]:
    """The operands that the destination may overwrite, best first."""
    if op in _FREE:
        return ()
    if op == "select":
        return (2,)
    if op in ("lt", "lt_bits") and dtype not in PACKED:  # pcmpgtd has its operands in reverse order
        return (1,)
    commutes = op in _COMMUTE or (op in ("max", "min") and dtype not in PACKED)
    return (0, 1) if commutes else (0,)


def _tied(rows: Mapping[tuple[str, str], InstructionRow]) -> dict[tuple[str, str], InstructionRow]:
    early = {key: row.early and key[0] != LAG for key, row in rows.items()}  # LAG is one instruction of 128 bits
    return {key: replace(row, ties=_ties(*key), early=early[key]) for key, row in rows.items()}


def _constant(m: Any, dst: int, value: Constant, lanes: X86Lanes) -> None:
    if value.bits == 0:
        m.asm.vxorps(XMM[dst], XMM[dst], XMM[dst])
    else:  # aligned, because it is as long as a register
        m.asm.vmovaps(XMM[dst], Mem(label=m.asm.const(value.data(16))))


def _move(m: Any, dst: int, src: int, lanes: X86Lanes) -> None:
    m.asm.vmovaps(XMM[dst], XMM[src])


ARITHMETIC = replace(OF_AVX, rows=_tied(OF_AVX.rows), constant=_constant, move=_move)
