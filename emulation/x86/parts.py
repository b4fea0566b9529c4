"""Insertion, extraction, mask blends, compression and expansion. Maps semantics keys to factories of closures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...encoder.x86.registers import Mem, Reg
from ..core.closures import Run, called
from ..core.memory import WRITE
from ..core.u64 import integer
from .lanes import U1, U4, U8, UNSIGNED, Array, each
from .operands import Semantic, X86Context
from .shuffles import BY_ENDING


def _insert_element(a: Array, b: Array, choice: int) -> Array:
    """vinsertps with a register source."""
    result: Array = a.copy()
    result[choice >> 4 & 3] = b[choice >> 6 & 3]
    result[[bool(choice >> at & 1) for at in range(4)]] = 0
    return result


def _vinsertps(ctx: X86Context) -> Run:
    choice, write = ctx.operands[3], ctx.target(0, U4, 4)
    first = ctx.source(1, U4, 4)
    if isinstance(ctx.operands[2], Mem):  # memory holds one element, so the source selector is ignored
        one = ctx.source(2, U4, 1)
        return lambda: write(_insert_element(first(), one(), choice & 0x3F))
    return called(lambda a, b: _insert_element(a, b, choice), [first, ctx.source(2, U4, 4)], write)


def _insert(size: int, unit: Any) -> Semantic:
    """vinsertf128 and its like: replace `size` bytes of a vector; masks count elements of `unit`."""

    def predecode(ctx: X86Context) -> Run:
        count, part = ctx.count(unit), size // unit.itemsize
        at = (ctx.operands[3] & ctx.length // size - 1) * part
        value, new, write = (
            ctx.source(1, unit, count),
            ctx.source(2, unit, part, suppress=False),
            ctx.target(0, unit, count),
        )

        def run() -> None:
            result = value().copy()
            result[at : at + part] = new()
            write(result)

        return run

    return predecode


def _extract(size: int, unit: Any) -> Semantic:
    """vextractf128 and its like: copy `size` bytes of a vector to a register or to memory."""

    def predecode(ctx: X86Context) -> Run:
        part = size // unit.itemsize
        at = (ctx.operands[2] & ctx.length // size - 1) * part
        value, write = ctx.source(1, unit, ctx.count(unit)), ctx.target(0, unit, part)
        return lambda: write(value()[at : at + part])

    return predecode


def _insert_integer(letter: str) -> Semantic:
    """vpinsrd and its like: insert an element from a general register or memory."""
    dtype = UNSIGNED[letter]

    def predecode(ctx: X86Context) -> Run:
        count = 16 // dtype.itemsize
        at, get = ctx.operands[3] & count - 1, ctx.get(2, dtype.itemsize)
        value, write = ctx.source(1, dtype, count), ctx.target(0, dtype, count)

        def run() -> None:
            result = value().copy()
            result[at] = get()
            write(result)

        return run

    return predecode


def _extract_integer(letter: str) -> Semantic:
    """vpextrd and its like: copy an element to a general register or memory."""
    dtype = UNSIGNED[letter]

    def predecode(ctx: X86Context) -> Run:
        count = 16 // dtype.itemsize
        at, value, put = ctx.operands[2] & count - 1, ctx.source(1, dtype, count), ctx.put(0, dtype.itemsize)
        return lambda: put(integer(value()[at]))

    return predecode


def _mask_blend(dtype: Any) -> Semantic:
    """vblendmps: take the second source if the mask bit is set, else the first (or zero)."""

    def predecode(ctx: X86Context) -> Run:
        count = ctx.count(dtype)
        a, b, active = ctx.source(1, dtype, count), ctx.source(2, dtype, count), ctx.active(count)
        num = ctx.operands[0].num
        row, above = ctx.state.row(num, dtype, count), ctx.state.above(num, ctx.length)
        zeroing = ctx.zeroing

        def run() -> None:
            second, first = b(), dtype.type(0) if zeroing else a()
            row[:] = second if active is None else np.where(active(), second, first)
            above[:] = 0

        return run

    return predecode


def _compress(dtype: Any) -> Semantic:
    """vcompressps: pack the selected elements; a store writes only these."""

    def predecode(ctx: X86Context) -> Run:
        count = ctx.count(dtype)
        value, active = ctx.source(1, dtype, count), ctx.active(count)
        to = ctx.operands[0]

        def chosen() -> Array:
            return value() if active is None else value()[active()]

        if isinstance(to, Mem):
            address, view = ctx.address(to), ctx.state.memory.view

            def store() -> None:
                some = chosen()
                if len(some):
                    view(address(), some.nbytes, WRITE)[:] = some.view(U1)

            return store
        row, above, zeroing = ctx.state.row(to.num, dtype, count), ctx.state.above(to.num, ctx.length), ctx.zeroing

        def run() -> None:
            some = chosen()
            row[: len(some)] = some
            if zeroing:
                row[len(some) :] = 0
            above[:] = 0

        return run

    return predecode


def _expand(dtype: Any) -> Semantic:
    """vexpandps: spread consecutive elements to the positions of set mask bits; a load reads only as many elements."""

    def predecode(ctx: X86Context) -> Run:
        count = ctx.count(dtype)
        source, active, write = ctx.operands[1], ctx.active(count), ctx.target(0, dtype, count)
        register = ctx.state.row(source.num, dtype, count) if isinstance(source, Reg) else None
        address = ctx.address(source) if isinstance(source, Mem) else None
        view = ctx.state.memory.view

        def run() -> None:
            wanted = np.ones(count, bool) if active is None else active()
            some = int(np.count_nonzero(wanted))
            result = np.zeros(count, dtype)
            if register is not None:
                result[wanted] = register[:some]
            elif some and address is not None:
                result[wanted] = view(address(), some * dtype.itemsize).view(dtype)
            write(result)

        return run

    return predecode


_BLOCKS = ((16, U4, "f32x4"), (16, U8, "f64x2"), (32, U4, "f32x8"), (32, U8, "f64x4"))

TABLE: dict[str, Semantic] = {
    "vinsertps": _vinsertps,
    "vextractps": _extract_integer("d"),
    **{f"vinsert{name}": _insert(size, unit) for size, unit, name in _BLOCKS},
    **{f"vextract{name}": _extract(size, unit) for size, unit, name in _BLOCKS},
    **each("vpinsr{b,w,d,q}", _insert_integer),
    **each("vpextr{b,w,q}", _extract_integer),
    **each("vblendm{ps,pd}", lambda e: _mask_blend(BY_ENDING[e])),
    **each("vpblendm{b,w}", lambda e: _mask_blend(BY_ENDING[e])),
    **each("vcompress{ps,pd}", lambda e: _compress(BY_ENDING[e])),
    **each("vpcompress{b,w}", lambda e: _compress(BY_ENDING[e])),
    **each("vexpand{ps,pd}", lambda e: _expand(BY_ENDING[e])),
    **each("vpexpand{b,w}", lambda e: _expand(BY_ENDING[e])),
}
