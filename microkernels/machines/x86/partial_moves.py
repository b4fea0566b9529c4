"""Loads and stores of 1 to 32 bytes without masks, for elements of 8 and 16 bits on AVX2.

Up to 16 bytes are moved in pieces of 8, 4, 2 and 1 bytes. More bytes need two vectors: a load reads the last 16 bytes,
which overlap the first 16, and shifts out the overlap; a store splits the register into halves.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.registers import XMM, YMM, mem
from ...contract.machine import Vector
from .core import X86Address

_PIECES = (8, 4, 2, 1)
_INSERT = {8: "vpinsrq", 4: "vpinsrd", 2: "vpinsrw", 1: "vpinsrb"}
_EXTRACT = {8: "vpextrq", 4: "vpextrd", 2: "vpextrw", 1: "vpextrb"}
_MOVE = {16: "vmovdqu", 8: "vmovq", 4: "vmovd"}  # moves of the first bytes; a load clears the others


def load_bytes(asm: X86Assembler, dst: Vector, address: X86Address, count: int) -> None:
    """Load `count` bytes, from 1 to 32, into dst and clear the others."""
    if count in _MOVE:
        getattr(asm, _MOVE[count])(XMM[dst], mem(*address))
    elif count == 32:
        asm.vmovdqu(YMM[dst], mem(*address))
    elif count > 16:
        asm.vmovdqu(XMM[dst], mem(*_further(address, count - 16)))
        asm.vpsrldq(XMM[dst], XMM[dst], 32 - count)
        asm.vperm2i128(YMM[dst], YMM[dst], YMM[dst], 0x08)  # zeros, then the low half
        asm.vinserti128(YMM[dst], YMM[dst], mem(*address), 0)
    else:
        _load_pieces(asm, dst, address, count)


def _load_pieces(asm: X86Assembler, dst: Vector, address: X86Address, count: int) -> None:
    register = XMM[dst]
    for offset, size in _pieces(count):
        operand = mem(*_further(address, offset))
        if offset == 0 and size in _MOVE:
            getattr(asm, _MOVE[size])(register, operand)
            continue
        if offset == 0:
            asm.vpxor(register, register, register)
        getattr(asm, _INSERT[size])(register, register, operand, offset // size)


def store_bytes(asm: X86Assembler, address: X86Address, src: Vector, count: int) -> None:
    """Store the first `count` bytes of src, from 1 to 32; destroys src."""
    if count == 32:
        asm.vmovdqu(mem(*address), YMM[src])
        return
    if count > 16:
        asm.vmovdqu(mem(*address), XMM[src])
        asm.vextracti128(XMM[src], YMM[src], 1)
        address, count = _further(address, 16), count - 16
    if count in _MOVE:
        getattr(asm, _MOVE[count])(mem(*address), XMM[src])
        return
    for offset, size in _pieces(count):
        operand = mem(*_further(address, offset))
        if offset == 0 and size in _MOVE:
            getattr(asm, _MOVE[size])(operand, XMM[src])
        else:
            getattr(asm, _EXTRACT[size])(operand, XMM[src], offset // size)


def _pieces(count: int) -> Iterator[tuple[int, int]]:
    """Yield (offset, size) of the pieces of `count` < 16 bytes; each offset is a multiple of its size."""
    offset = 0
    for size in _PIECES:
        if count & size:
            yield offset, size
            offset += size


def _further(address: X86Address, disp: int) -> X86Address:
    base, offset, index, scale = address
    return base, offset + disp, index, scale
