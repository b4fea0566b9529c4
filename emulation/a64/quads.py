"""Instructions of SVE2.1 on 128-bit segments and elements. Maps operations to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...encoder.a64.registers import Element, Mem, RegList
from ..core.closures import Run, called
from ..core.memory import WRITE
from ..core.u64 import WORD
from ..numerics import fp
from . import float as a64_float
from .lanes import lanes
from .operands import SIZES, A64Context, Array, Semantic

_QUAD = 16


def _by_segments(function: Callable[..., Array], sources: int) -> Semantic:
    """The semantics of a function of arrays whose last axis is the elements of one segment."""

    def run(*given: Array) -> Array:
        result: Array = function(*(each.reshape(-1, _QUAD // each.dtype.itemsize) for each in given))
        return result.reshape(-1)

    return lanes(run, "u", sources)


def _zipped(second: bool) -> Callable[[Array, Array], Array]:
    def function(a: Array, b: Array) -> Array:
        half = a.shape[1] // 2
        part = slice(half, None) if second else slice(0, half)
        return np.stack([a[:, part], b[:, part]], axis=2)

    return function


def _unzipped(second: bool) -> Callable[[Array, Array], Array]:
    return lambda a, b: np.concatenate([a[:, second::2], b[:, second::2]], axis=1)


def _entries(table: Array, index: Array, otherwise: Array) -> Array:
    inside = index < table.shape[1]
    found = np.take_along_axis(table, np.where(inside, index, 0).astype(np.intp), axis=1)
    return np.where(inside, found, otherwise)


def _table_lookup(ctx: A64Context) -> Run:
    """tblq: elements of the same segment; zero for an index beyond it."""
    size = ctx.lanes(0).size
    table = ctx.state.row(ctx.operands[1].regs[0].num, f"u{size}", ctx.state.vector_bytes).reshape(-1, _QUAD // size)

    def function(index: Array) -> Array:
        return _entries(table, index.reshape(table.shape), np.zeros_like(table)).reshape(-1)

    return called(function, [ctx.source(2, "u")], ctx.target(0, "u"))


def _repeated(ctx: A64Context) -> Run:
    """dupq: repeat an element of every segment in it."""
    size, index = ctx.lanes(0).size, ctx.operands[1].index
    source = ctx.state.row(ctx.operands[1].num, f"u{size}", ctx.state.vector_bytes).reshape(-1, _QUAD // size)
    write = ctx.target(0, "u")
    return lambda: write(np.repeat(source[:, index], _QUAD // size))


def _extracted(ctx: A64Context) -> Run:
    """extq: the bytes from an offset on of two concatenated segments."""
    start = ctx.operands[-1]

    def function(a: Array, b: Array) -> Array:
        both = np.concatenate([a.reshape(-1, _QUAD), b.reshape(-1, _QUAD)], axis=1)
        return both[:, start : start + _QUAD].reshape(-1)

    return called(function, [ctx.source(at, "u", 1) for at in (1, 2)], ctx.target(0, "u", 1))


def _reduced(function: Callable[..., Any], kind: str, neutral: str, ctx: A64Context) -> Run:
    """addqv and its like: combine the same elements of all segments pairwise; inactive ones are neutral."""
    size = ctx.lanes(0).size
    read, active, write = ctx.source(2, kind), ctx.active(size), ctx.target(0, kind)
    info = np.finfo(f"f{size}") if kind == "f" else np.iinfo(f"{kind}{size}")
    dtype, env = np.dtype(f"{kind}{size}"), ctx.env(size)
    start = {
        "zero": 0,
        "low": info.min,
        "high": info.max,
        "ones": info.max,
        "least": -np.inf,
        "most": np.inf,
        "none": np.nan,
    }[neutral]
    given: list[Callable[[], Any]] = [env] if kind == "f" else []

    def run() -> None:
        values = np.where(active, read(), dtype.type(start)).reshape(-1, _QUAD // size)
        while len(values) > 1:
            halves = values[::2].reshape(-1), values[1::2].reshape(-1)
            values = function(*halves, *[each() for each in given]).reshape(-1, _QUAD // size)
        write(values[0])

    return run


def _predicate_moved(ctx: A64Context) -> Run:
    """pmov: the elements of a predicate as neighbouring bits of a vector, or back."""
    to_vector = not ctx.operands[0].kind.startswith("p")
    vector, predicate = ctx.operands if to_vector else ctx.operands[::-1]
    size, index = SIZES[predicate.arrangement], vector.index if isinstance(vector, Element) else 0
    row, length = ctx.state.vectors[vector.num], ctx.state.vector_bytes
    elements, whole = ctx.state.predicates[predicate.num][::size], ctx.state.predicates[predicate.num]
    start = index * (length // size)

    def run() -> None:
        bits = np.unpackbits(row, bitorder="little")
        if not to_vector:
            whole[:] = False
            elements[:] = bits[start : start + length // size]
            return
        if index == 0:
            bits[:] = 0
        bits[start : start + length // size] = elements
        row[:] = np.packbits(bits, bitorder="little")

    return run


# Loads and stores of elements of 128 bits


def _rows(ctx: A64Context) -> list[Array]:
    regs: RegList = ctx.operands[0]
    return [ctx.state.vectors[reg.num].reshape(-1, _QUAD) for reg in regs.regs]


def _widened(store: bool, size: int, ctx: A64Context) -> Run:
    """ld1w, st1d and their like of 128-bit elements, of which memory holds the lowest bytes."""
    (row,), memory, active = _rows(ctx), ctx.state.memory, ctx.active(_QUAD)
    address, dtype = ctx.address(2, ctx.state.vector_bytes // _QUAD * size), np.dtype(f"u{size}")
    lowest = row[:, :size]
    if store:
        return lambda: memory.masked_store(address(), lowest.copy().view(dtype).reshape(-1), active)

    def load() -> None:
        data = memory.masked_load(address(), dtype, active)
        row[:] = 0
        lowest[:] = data.reshape(-1, 1).view(np.uint8)

    return load


def _gathered(store: bool, ctx: A64Context) -> Run:
    """ld1q, st1q: a vector holds the addresses of the elements."""
    mem: Mem = ctx.operands[2]
    (row,), view, active = _rows(ctx), ctx.state.memory.view, ctx.active(_QUAD)
    bases, add = ctx.state.row(mem.base.num, "u8", ctx.state.vector_bytes)[::2], ctx.getter(mem.offset)

    def run() -> None:
        places = [(base + add()) & WORD for base in bases.tolist()]
        if not store:
            result = np.zeros_like(row)
            for at in np.flatnonzero(active).tolist():
                result[at] = view(places[at], _QUAD)
            row[:] = result
            return
        for at in np.flatnonzero(active).tolist():
            view(places[at], _QUAD, WRITE)[:] = row[at]

    return run


def _structures(store: bool, ctx: A64Context) -> Run:
    """ld2q to ld4q, st2q to st4q: structures of 128-bit elements."""
    rows, memory, active = _rows(ctx), ctx.state.memory, ctx.active(_QUAD)
    address = ctx.address(2)

    def run() -> None:
        mask = np.repeat(active, len(rows) * _QUAD)
        if store:
            memory.masked_store(address(), np.stack(rows, axis=1).reshape(-1), mask)
            return
        data = memory.masked_load(address(), np.dtype(np.uint8), mask).reshape(-1, len(rows), _QUAD)
        for at, row in enumerate(rows):
            row[:] = data[:, at]

    return run


_REDUCTIONS: dict[str, tuple[Callable[..., Any], str, str]] = {
    "add": (np.add, "u", "zero"),
    "and": (np.bitwise_and, "u", "ones"),
    "or": (np.bitwise_or, "u", "zero"),
    "eor": (np.bitwise_xor, "u", "zero"),
    "smax": (np.maximum, "i", "low"),
    "smin": (np.minimum, "i", "high"),
    "umax": (np.maximum, "u", "low"),
    "umin": (np.minimum, "u", "high"),
    "fadd": (fp.add, "f", "zero"),
    "fmax": (a64_float.EXTREMES["fmax"], "f", "least"),
    "fmin": (a64_float.EXTREMES["fmin"], "f", "most"),
    "fmaxnm": (a64_float.EXTREMES["fmaxnm"], "f", "none"),
    "fminnm": (a64_float.EXTREMES["fminnm"], "f", "none"),
}

TABLE: dict[str, Semantic] = {
    **{
        f"{name}{number}": _by_segments(make(number == 2), 2)
        for number in (1, 2)
        for name, make in (("zipq", _zipped), ("uzpq", _unzipped))
    },
    **{f"{name}qv": partial(_reduced, *given) for name, given in _REDUCTIONS.items()},
    "tblq": _table_lookup,
    "tbxq": _by_segments(lambda d, table, index: _entries(table, index, d), 3),
    "dupq": _repeated,
    "extq": _extracted,
    "pmov": _predicate_moved,
    **{
        f"{verb}1{letter}": partial(_widened, verb == "st", size)
        for verb in ("ld", "st")
        for letter, size in (("w", 4), ("d", 8))
    },
    **{f"{verb}1q": partial(_gathered, verb == "st") for verb in ("ld", "st")},
    **{f"{verb}{count}q": partial(_structures, verb == "st") for verb in ("ld", "st") for count in (2, 3, 4)},
}
"""Operations of SVE2.1."""
