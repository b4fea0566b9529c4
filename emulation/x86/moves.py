"""Loads, stores, broadcasts and moves of vectors. Maps semantics keys to factories of closures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...encoder.x86.registers import Mem, Reg
from ..core.closures import Run, called
from ..core.u64 import filled, integer
from .lanes import I1, I4, I8, U1, U2, U4, U8, UNSIGNED, Array, each, whole
from .operands import Semantic, X86Context


def _move(dtype: np.dtype[np.generic]) -> Semantic:
    """The semantics of moves between vector registers, and between a vector register and memory."""

    def predecode(ctx: X86Context) -> Run:
        count = ctx.length // dtype.itemsize
        return called(_same, [ctx.source(1, dtype, count)], ctx.target(0, dtype, count))

    return predecode


def _same(value: Array) -> Array:
    return value


def _scalar(dtype: np.dtype[np.generic]) -> Semantic:
    """vmovss and its like: a move of element 0 between registers, a load that clears the bits above, or a store."""

    def predecode(ctx: X86Context) -> Run:
        if len(ctx.operands) == 2:
            return called(_same, [ctx.source(1, dtype, 1)], ctx.target(0, dtype, 1))
        size, state = dtype.itemsize, ctx.state
        low, num = ctx.source(2, dtype, 1), ctx.operands[0].num
        row, rest, above = state.row(num, dtype, 1), state.vectors[num, size:16], state.above(num, 16)
        high, active, zeroing = state.vectors[ctx.operands[1].num, size:16], ctx.active(1), ctx.zeroing

        def run() -> None:
            value = low().copy() if active is None or active()[0] else row.copy() * np.uint8(not zeroing)
            rest[:] = high
            row[:] = value
            above[:] = 0

        return run

    return predecode


def _integer(size: int) -> Semantic:
    """vmovd, vmovq, vmovw: a move between a vector register and a general register, memory or a vector register."""
    dtype = {2: U2, 4: U4, 8: U8}[size]

    def predecode(ctx: X86Context) -> Run:
        to, source = ctx.operands[0], ctx.operands[1]
        if isinstance(to, Reg) and to.file == "xmm" and isinstance(source, Reg) and source.file != "xmm":
            get, write = ctx.get(1, size), ctx.target(0, dtype, 1)
            return lambda: write(filled(1, get(), dtype))
        if isinstance(to, Reg) and to.file != "xmm":
            read, put = ctx.source(1, dtype, 1), ctx.put(0)
            return lambda: put(integer(read()[0]))
        return called(_same, [ctx.source(1, dtype, 1)], ctx.target(0, dtype, 1))

    return predecode


def _broadcast(size: int, unit: np.dtype[np.generic]) -> Semantic:
    """Broadcast `size` bytes to every position; masks count elements of `unit`."""

    def predecode(ctx: X86Context) -> Run:
        count = ctx.length // unit.itemsize
        write, source = ctx.target(0, unit, count), ctx.operands[1]
        if isinstance(source, Reg) and source.file in ("r32", "r64"):
            get = ctx.get(1, size)
            return lambda: write(filled(count, get(), unit))
        each_one, active = size // unit.itemsize, ctx.active(count)
        read = ctx.source(1, unit, each_one, suppress=False)
        if isinstance(source, Mem) and active is not None:
            return lambda: write(np.tile(read(), count // each_one) if active().any() else np.zeros(count, unit))
        return lambda: write(np.tile(read(), count // each_one))

    return predecode


def _mask_vector(dtype: np.dtype[np.generic]) -> Semantic:
    """vmaskmovps and its like: the sign bits of a vector register are the mask."""

    def predecode(ctx: X86Context) -> Run:
        count, memory = ctx.length // dtype.itemsize, ctx.state.memory
        signs = ctx.source(1, dtype, count)
        if isinstance(ctx.operands[0], Mem):
            address, value = ctx.address(ctx.operands[0]), ctx.source(2, dtype, count)
            return lambda: memory.masked_store(address(), value(), signs() < 0)
        address, write = ctx.address(ctx.operands[2]), ctx.target(0, dtype, count)
        return lambda: write(memory.masked_load(address(), dtype, signs() < 0))

    return predecode


def _mask_bytes(ctx: X86Context) -> Run:
    """vmaskmovdqu: store the bytes under the sign bits of the second register to the address in rdi."""
    memory, r, value, signs = ctx.state.memory, ctx.state.r, ctx.source(0, U1, 16), ctx.source(1, I1, 16)
    return lambda: memory.masked_store(r[_RDI], value(), signs() < 0)


_RDI = 7


def _half(high: bool) -> Semantic:
    """vmovlps, vmovhps: a move between memory and one half of a register."""

    def predecode(ctx: X86Context) -> Run:
        state, part = ctx.state, int(high)
        if isinstance(ctx.operands[0], Mem):
            source, write = state.row(ctx.operands[1].num, U8, 2), ctx.target(0, U8, 1)
            return lambda: write(source[part : part + 1])
        memory, other, store = ctx.source(2, U8, 1), ctx.source(1, U8, 2), ctx.target(0, U8, 2)
        order: Callable[[Array, Array], list[Array]] = (lambda m, o: [o[:1], m]) if high else (lambda m, o: [m, o[1:]])
        return lambda: store(np.concatenate(order(memory(), other())))

    return predecode


def _zero_above(size: int) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        rows = ctx.state.vectors[:16, size:]

        def run() -> None:
            rows[:] = 0

        return run

    return predecode


TABLE: dict[str, Semantic] = {
    **each("vmovup{s,d}", lambda e: _move(U4 if e == "s" else U8)),
    **each("vmovap{s,d}", lambda e: _move(U4 if e == "s" else U8)),
    "vmovdqu8": _move(U1),
    "vmovdqu16": _move(U2),
    "vmovss": _scalar(U4),
    "vmovsd": _scalar(U8),
    "vmovsh": _scalar(U2),
    "vmovd": _integer(4),
    "vmovq": _integer(8),
    "vmovw": _integer(2),
    "vbroadcastss": _broadcast(4, U4),
    "vbroadcastsd": _broadcast(8, U8),
    "vpbroadcastb": _broadcast(1, U1),
    "vpbroadcastw": _broadcast(2, U2),
    **{
        f"vbroadcastf{unit}x{count}": _broadcast(unit // 8 * count, U4 if unit == 32 else U8)
        for unit, count in ((32, 2), (32, 4), (32, 8), (64, 2), (64, 4))
    },
    **each("vmaskmovp{s,d}", lambda e: _mask_vector(I4 if e == "s" else I8)),
    "vmaskmovdqu": _mask_bytes,
    **each("vmovrs{b,w,d,q}", lambda e: _move(UNSIGNED[e])),
    "vmovlps": _half(False),
    "vmovhps": _half(True),
    "vmovhlps": whole(lambda a, b: np.concatenate([b[1:], a[1:]]), U8, U8, U8),
    "vmovlhps": whole(lambda a, b: np.concatenate([a[:1], b[:1]]), U8, U8, U8),
    "vzeroupper": _zero_above(16),
    "vzeroall": _zero_above(0),
}
