"""Permutations, moves and constants of vectors. Maps operations to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...encoder.a64.names import Modifier
from ...encoder.a64.registers import RegList
from ..core.closures import Run, called
from ..core.faults import CannotRun
from ..core.u64 import integer
from .lanes import lanes, places
from .operands import GENERAL, A64Context, Array, Semantic

Function = Callable[[Array, Array], Array]


def _zipped(second: bool) -> Function:
    def function(a: Array, b: Array) -> Array:
        half = len(a) // 2
        part = slice(half, 2 * half) if second else slice(0, half)
        return np.stack([a[part], b[part]], axis=1).reshape(-1)

    return function


def _unzipped(second: bool) -> Function:
    return lambda a, b: np.concatenate([a[second::2], b[second::2]])


def _transposed(second: bool) -> Function:
    return lambda a, b: np.stack([a[second::2], b[second::2]], axis=1).reshape(-1)


def _permute(function: Function) -> Semantic:
    """The semantics of permutations; 128-bit elements are pairs of 64-bit elements."""

    def predecode(ctx: A64Context) -> Run:
        if ctx.operands[0].kind[0] == "p":
            return _of_predicates(function, ctx)
        size = ctx.lanes(0).size
        if size == 16:
            if ctx.lanes(0).count < 2:
                raise CannotRun("the instruction permutes 128-bit elements, but these vectors hold only one")
            pair = np.dtype([("low", np.uint64), ("high", np.uint64)])

            def of_pairs(a: Array, b: Array) -> Array:
                return function(a.view(pair), b.view(pair)).view(np.uint64)

            return called(of_pairs, [ctx.source(1, "u", 8), ctx.source(2, "u", 8)], ctx.target(0, "u", 8))
        return lanes(function, "u", 2)(ctx)

    return predecode


def _of_predicates(function: Function, ctx: A64Context) -> Run:
    """Permute the elements of predicates; the bits between the elements' lowest bits move with them."""
    size, rows = ctx.lanes(0).size, [ctx.state.predicates[operand.num] for operand in ctx.operands]

    def run() -> None:
        first, second = (row.copy().reshape(-1, size) for row in rows[1:])
        index = np.arange(len(first))
        order = function(index, index + len(first))
        rows[0][:] = np.concatenate([first, second])[order].reshape(-1)

    return run


def _extracted(ctx: A64Context) -> Run:
    """ext: extract bytes of two concatenated vectors from an offset on."""
    by = ctx.operands[-1]
    if isinstance(ctx.operands[1], RegList):
        first, second = (ctx.state.row(reg.num, "u1", ctx.state.vector_bytes) for reg in ctx.operands[1].regs)
    else:
        first, second = (ctx.source(at, "u", 1)() for at in (1, 2))
    write, count = ctx.target(0, "u", 1), len(first)
    start = by if by < count else 0
    return lambda: write(np.concatenate([first[start:], second[:start]]))


def _looked_up(keep: bool, ctx: A64Context) -> Run:
    """tbl: an index beyond the tables gives zero; tbx: it keeps the old element."""
    size, table = ctx.lanes(0).size, ctx.operands[1]
    regs = table.regs if isinstance(table, RegList) else (table,)
    length = ctx.lanes(1).bytes
    rows = [ctx.state.row(reg.num, f"u{size}", length) for reg in regs]
    by, old, write = ctx.source(2, "u"), ctx.source(0, "u"), ctx.target(0, "u")

    def run() -> None:
        values, index = np.concatenate(rows), by()
        inside = index < len(values)
        entries = values[np.where(inside, index, 0).astype(np.intp)]
        write(np.where(inside, entries, old() if keep else entries.dtype.type(0)))

    return run


def _duplicated(ctx: A64Context) -> Run:
    """dup, mov, cpy: broadcast a number, a general register, an element or a scalar to all or the active elements."""
    at = places(ctx, 1)[0]
    operand, into = ctx.operands[at], ctx.lanes(0)
    if into.size == 16:
        return _duplicated_pair(ctx, at)
    if into.index is not None or not ctx.lanes(0).scalable:
        return _neon_moved(ctx, at)
    write = ctx.target(0, "u")
    if isinstance(operand, int) or getattr(operand, "kind", "") in GENERAL:
        value = ctx.source(at, "u", into.size)
        return lambda: write(np.broadcast_to(value(), (into.count,)))
    source = ctx.lanes(at)
    row = ctx.state.row(source.number, f"u{into.size}", max(source.bytes, into.size))
    if source.index is None and source.scalable:
        return lambda: write(row.copy())
    index = source.index or 0
    if index >= len(row):  # an index beyond this vector length gives zeros
        return lambda: write(np.zeros(into.count, f"u{into.size}"))
    one = row[index : index + 1]
    return lambda: write(np.repeat(one, into.count))


def _duplicated_pair(ctx: A64Context, at: int) -> Run:
    """dup of a 128-bit element."""
    source, write, count = ctx.lanes(at), ctx.target(0, "u", 8), ctx.lanes(0).count
    first = 2 * (source.index or 0)
    pair = ctx.state.row(source.number, "u8", source.bytes)[first : first + 2]
    blank = np.zeros(2, np.uint64)
    return lambda: write(np.tile(pair if len(pair) else blank, count))


def _neon_moved(ctx: A64Context, at: int) -> Run:
    into = ctx.lanes(0)
    if into.index is not None:  # an element of the destination
        cell = ctx.state.row(into.number, f"u{into.size}", into.bytes)[into.index : into.index + 1]
        above, value = ctx.state.vectors[into.number, 16:], ctx.source(at, "u", into.size)

        def insert() -> None:
            cell[:] = value()
            above[:] = 0

        return insert
    value, write = ctx.source(at, "u", into.size), ctx.target(0, "u")
    return lambda: write(value().copy())


def _to_general(sign: bool, ctx: A64Context) -> Run:
    """umov, smov, fmov to a general register."""
    read, put = ctx.source(1, "i" if sign else "u"), ctx.put(0)
    return lambda: put(integer(read()[0]))


def _constant(invert: bool, operation: Callable[[Array, Array], Array] | None, ctx: A64Context) -> Run:
    """movi, mvni, and orr, bic with a constant; msl shifts ones in."""
    into, value = ctx.lanes(0), ctx.operands[1]
    shift = ctx.operands[2] if len(ctx.operands) > 2 and isinstance(ctx.operands[2], Modifier) else None
    if shift is not None:
        value = value << shift.num | ((1 << shift.num) - 1 if shift.kind == "msl" else 0)
    bits = (1 << 8 * into.size) - 1
    filled = np.full(into.count, (~value if invert else value) & bits, f"u{into.size}")
    write, old = ctx.target(0, "u"), ctx.source(0, "u")
    if operation is None:
        return lambda: write(filled)
    return lambda: write(operation(old(), filled))


def _or_constant(vectors: Semantic, operation: Callable[[Array, Array], Array], ctx: A64Context) -> Run:
    """orr, bic of vectors, or in NEON with a constant."""
    if len(ctx.operands) > 1 and isinstance(ctx.operands[1], int):
        return _constant(False, operation, ctx)
    return vectors(ctx)


def _float_constant(ctx: A64Context) -> Run:
    """fmov between registers, or of a constant."""
    at = places(ctx, 1)[0]
    operand = ctx.operands[at]
    if ctx.operands[0].kind in GENERAL:
        return _to_general(False, ctx)
    into = ctx.lanes(0)
    if isinstance(operand, (int, float)):
        write, filled = ctx.target(0, "f"), np.full(into.count, operand, f"f{into.size}")
        return lambda: write(filled)
    if into.index is not None or operand.kind in GENERAL:
        return _neon_moved(ctx, at)
    read, put = ctx.source(at, "u"), ctx.target(0, "u")
    return lambda: put(read().copy())


def _index(ctx: A64Context) -> Run:
    """index: write start, start + step, and so on."""
    into = ctx.lanes(0)
    start, step = (ctx.source(at, "u", into.size) for at in (1, 2))
    write, count = ctx.target(0, "u"), np.arange(into.count).astype(f"u{into.size}")
    return lambda: write(start() + count * step())


def _selected(ctx: A64Context) -> Run:
    """sel: select the first source where the predicate is set, else the second."""
    if ctx.operands[0].kind[0] == "p":
        d, g, n, m = (ctx.state.predicates[operand.num] for operand in ctx.operands)

        def predicates() -> None:
            d[:] = np.where(g, n, m)

        return predicates
    size = ctx.lanes(0).size
    active, a, b, write = ctx.active(size), ctx.source(2, "u"), ctx.source(3, "u"), ctx.target(0, "u")
    return lambda: write(np.where(active, a(), b()))


def _compacted(ctx: A64Context) -> Run:
    size = ctx.lanes(0).size
    active, read, write = ctx.active(size), ctx.source(2, "u"), ctx.target(0, "u")

    def run() -> None:
        values = read()
        result = np.zeros_like(values)
        chosen = values[active]
        result[: len(chosen)] = chosen
        write(result)

    return run


def _spliced(ctx: A64Context) -> Run:
    """splice: the first source from its first active element to its last, followed by the second source."""
    size = ctx.lanes(0).size
    active, write = ctx.active(size), ctx.target(0, "u")
    if isinstance(ctx.operands[2], RegList):
        first, second = (ctx.state.row(reg.num, f"u{size}", ctx.state.vector_bytes) for reg in ctx.operands[2].regs)
    else:
        first, second = ctx.source(2, "u")(), ctx.source(3, "u")()

    def run() -> None:
        at = np.flatnonzero(active)
        part = first[at[0] : at[-1] + 1] if len(at) else first[:0]
        write(np.concatenate([part, second])[: len(first)])

    return run


def _last(after: bool, ctx: A64Context) -> Run:
    """lasta, lastb: return the element after the last active one, or that element itself."""
    at = places(ctx, 1)[0]
    size = ctx.lanes(at).size
    active, read = ctx.active(size), ctx.source(at, "u")
    write: Callable[[Any], None]
    if ctx.is_vector(0):
        vector = ctx.target(0, "u")
        write = lambda value: vector(np.array([value], f"u{size}"))  # noqa: E731
    else:
        write = ctx.put(0)

    def run() -> None:
        values, chosen = read(), np.flatnonzero(active)
        position = int(chosen[-1]) if len(chosen) else len(values) - 1
        position = (int(chosen[-1]) + 1 if len(chosen) else 0) % len(values) if after else position
        write(int(values[position]))

    return run


def _conditional_last(after: bool, ctx: A64Context) -> Run:
    """clasta, clastb: like lasta and lastb, but without an active element the destination keeps its value."""
    at = places(ctx, 1)[-1]
    size, active, read = ctx.lanes(at).size, ctx.active(ctx.lanes(at).size), ctx.source(at, "u")
    vector, general = ctx.is_vector(0), ctx.operands[0].kind in GENERAL
    old = ctx.source(0, "u", size)
    write: Callable[[Any], None] = ctx.target(0, "u", size) if vector else ctx.put(0)

    def run() -> None:
        values, chosen = read(), np.flatnonzero(active)
        position = (int(chosen[-1]) + after) % len(values) if len(chosen) else 0
        value = values[position : position + 1] if len(chosen) else old()
        write(int(value[0]) if general else value)

    return run


def _quads_reversed(a: Array) -> Array:
    """revd: swap the halves of every 128 bits."""
    return a.reshape(-1, 2)[:, ::-1].reshape(-1)


def _of_quads(function: Callable[[Array], Array], ctx: A64Context) -> Run:
    """Move elements of 128 bits under a predicate."""
    read, active = ctx.source(places(ctx, 1)[0], "u", 8), ctx.active(16)
    row, merges = ctx.state.row(ctx.lanes(0).number, "u8", ctx.state.vector_bytes), ctx.operands[1].kind == "p/m"

    def run() -> None:
        row[:] = np.where(np.repeat(active, 2), function(read()), row if merges else np.uint64(0))

    return run


def _shifted_in(ctx: A64Context) -> Run:
    """insr: shift up by one element and insert a scalar at the bottom."""
    into = ctx.lanes(0)
    old, value, write = ctx.source(0, "u"), ctx.source(1, "u", into.size), ctx.target(0, "u")
    return lambda: write(np.concatenate([value(), old()[:-1]]))


def _reversed(ctx: A64Context) -> Run:
    """rev: reverse the order of all elements."""
    if ctx.operands[0].kind[0] == "p":
        size = ctx.lanes(0).size
        to, source = (ctx.state.predicates[operand.num] for operand in ctx.operands)

        def predicates() -> None:
            to[:] = source.copy().reshape(-1, size)[::-1].reshape(-1)

        return predicates
    return lanes(lambda a: a[::-1].copy(), "u", 1)(ctx)


def _unpacked(kind: str, high: bool, ctx: A64Context) -> Run:
    """sunpklo, uunpkhi and their like: widen one half of the elements."""
    into = ctx.lanes(0)
    part = slice(into.count, None) if high else slice(0, into.count)
    read, write, dtype = ctx.source(1, kind, into.size // 2, part), ctx.target(0, kind), np.dtype(f"{kind}{into.size}")
    return lambda: write(read().astype(dtype))


def _prefixed(ctx: A64Context) -> Run:
    """movprfx: a move that a processor may fuse with the next instruction."""
    size = ctx.lanes(0).size
    read, write = ctx.source(places(ctx, 1)[0], "u", size), ctx.target(0, "u", size)
    return lambda: write(read().copy())


TABLE: dict[str, Semantic] = {
    **{
        f"{name}{number}": _permute(make(number == 2))
        for number in (1, 2)
        for name, make in (("zip", _zipped), ("uzp", _unzipped), ("trn", _transposed))
    },
    "ext": _extracted,
    "tbl": partial(_looked_up, False),
    "tbx": partial(_looked_up, True),
    "dup": _duplicated,
    "fmov": _float_constant,
    "umov": partial(_to_general, False),
    "smov": partial(_to_general, True),
    "movi": partial(_constant, False, None),
    "mvni": partial(_constant, True, None),
    "index": _index,
    "sel": _selected,
    "compact": _compacted,
    "splice": _spliced,
    "insr": _shifted_in,
    "rev": _reversed,
    "clasta": partial(_conditional_last, True),
    "clastb": partial(_conditional_last, False),
    "revd": partial(_of_quads, _quads_reversed),
    "movprfx": _prefixed,
    "lasta": partial(_last, True),
    "lastb": partial(_last, False),
    **{
        f"{sign}unpk{end}": partial(_unpacked, kind, end == "hi")
        for sign, kind in (("s", "i"), ("u", "u"))
        for end in ("lo", "hi")
    },
    "orr": partial(_or_constant, lanes(np.bitwise_or, "u", 2), np.bitwise_or),
    "bic": partial(_or_constant, lanes(lambda a, b: a & ~b, "u", 2), lambda a, b: a & ~b),
}

GENERAL_TABLE: dict[str, Semantic] = {name: TABLE[name] for name in ("clasta", "clastb")}
"""Operations whose destination is a general register."""
