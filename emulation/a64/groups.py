"""SME2: instructions on several vectors, on vectors of ZA, and on the look-up table ZT0. Maps operations to factories
of closures.

An operation that SVE has for one vector is executed for each vector of a list. An instruction on ZA names one, two or
four vectors at equal distances; an operation that widens two or four times has as many neighbouring results for each.
Floats are computed with the default NaN (Arm ARM, FPMulAdd_ZA, FPDotAdd_ZA).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from ...encoder.a64.registers import RegList, Slice
from ..core.closures import Run
from ..core.faults import CannotRun
from ..core.memory import WRITE
from ..numerics import bf16, fp
from ..numerics.rounding import DEFAULT_NANS, Environment
from .convert import convert
from .dots import extended, fdot
from .float import negated
from .matrix import tile_slice
from .operands import SIZES, A64Context, Array, Semantic
from .state import A64State

_SIGN = np.uint16(0x8000)


def _rows(ctx: A64Context, at: int, kind: str) -> list[Array]:
    """Return the vectors of a list, or a single one, as elements of the operand's size."""
    operand = ctx.operands[at]
    regs = operand.regs if isinstance(operand, RegList) else (operand,)
    size = SIZES[regs[0].kind.rstrip("[]").rpartition(".")[2]]
    dtype = f"{kind}{size}" if size < 16 else [("low", "u8"), ("high", "u8")]
    return [ctx.state.row(reg.num, np.dtype(dtype), ctx.state.vector_bytes) for reg in regs]


def _write(rows: list[Array], values: Array) -> None:
    for row, part in zip(rows, np.split(values, len(rows))):
        row[:] = part


def each(semantics: Mapping[str, Semantic], ctx: A64Context) -> Run:
    """Execute an instruction for every vector of its lists. All vectors are read before one is written."""
    state, first = ctx.state, ctx.operands[0]
    scratch = A64State(state.memory, state.vector_bytes)
    steps = []
    for at, reg in enumerate(first.regs):
        operands = tuple(o.regs[at] if isinstance(o, RegList) else o for o in ctx.operands)
        steps.append((reg.num, semantics[ctx.operation](A64Context(scratch, ctx.form, operands, ctx.end))))

    def run() -> None:
        scratch.env, scratch.half_env = state.env, state.half_env
        results = []
        for number, step in steps:
            scratch.vectors[:] = state.vectors
            step()
            results.append((number, scratch.vectors[number].copy()))
        for number, result in results:
            state.vectors[number] = result

    return run


# Widths and places


def _narrowed(kind: str, to: str, mixed: bool, ctx: A64Context) -> Run:
    """sqcvt, sqrshrn and their like: shift right with rounding and saturate; the vectors follow each other, or their
    elements take turns (`mixed`)."""
    d, sources = _rows(ctx, 0, to)[0], _rows(ctx, 1, kind)
    step = next((o for o in ctx.operands[2:] if isinstance(o, int)), 0)
    info = np.iinfo(d.dtype)

    def run() -> None:
        values = np.stack(sources, axis=1) if mixed else np.concatenate(sources)
        results = [(value + (1 << step >> 1)) >> step for value in values.reshape(-1).tolist()]
        d[:] = [min(max(value, int(info.min)), int(info.max)) for value in results]

    return run


def _narrow_floats(mixed: bool, brain: bool, ctx: A64Context) -> Run:
    """fcvt, fcvtn, bfcvt, bfcvtn of two vectors of f32."""
    d, sources, env = _rows(ctx, 0, "u")[0], _rows(ctx, 1, "f"), ctx.env(4)

    def run() -> None:
        values = (np.stack(sources, axis=1) if mixed else np.concatenate(sources)).reshape(-1)
        d[:] = bf16.bfcvt(values, env()) if brain else convert(values, np.dtype(np.float16), env()).view(np.uint16)

    return run


def _wide_floats(mixed: bool, ctx: A64Context) -> Run:
    """fcvt, fcvtl of a vector of f16 to two of f32."""
    d, (source,), env = _rows(ctx, 0, "f"), _rows(ctx, 1, "f"), ctx.env(4)

    def run() -> None:
        wide = convert(source.copy(), np.dtype(np.float32), env())
        _write(d, wide.reshape(-1, 2).T.reshape(-1) if mixed else wide)

    return run


def _converted(ctx: A64Context) -> Run:
    """fcvt: to two vectors, or of two."""
    wide = isinstance(ctx.operands[0], RegList)
    return _wide_floats(False, ctx) if wide else _narrow_floats(False, False, ctx)


def _unpacked(kind: str, ctx: A64Context) -> Run:
    """sunpk, uunpk: widen all elements."""
    d, sources = _rows(ctx, 0, kind), _rows(ctx, 1, kind)
    return lambda: _write(d, np.concatenate(sources).astype(d[0].dtype))


def _interleaved(apart: bool, ctx: A64Context) -> Run:
    """zip, uzp of two vectors to two, or of four to four."""
    d, count = _rows(ctx, 0, "u"), len(ctx.operands[0].regs)
    sources = _rows(ctx, 1, "u") if len(ctx.operands) == 2 else _rows(ctx, 1, "u") + _rows(ctx, 2, "u")
    if len(d[0]) < count:
        raise CannotRun(f"the instruction permutes groups of {count} elements, but these vectors hold fewer")

    def run() -> None:
        whole = np.concatenate(sources)
        _write(d, whole.reshape(-1, count).T.reshape(-1) if apart else whole.reshape(count, -1).T.reshape(-1))

    return run


# ZT0


def _looked_up(bits: int, ctx: A64Context) -> Run:
    """luti2, luti4: entries of ZT0, of which each has 32 bits, by indices of two or four bits."""
    d = _rows(ctx, 0, "u")
    size, index = d[0].dtype.itemsize, ctx.operands[2].index
    source = ctx.state.vectors[ctx.operands[2].num]
    part = index % (8 * size // (bits * len(d))) * len(d) * len(d[0])

    def run() -> None:
        table = _table(ctx).view("<u4")
        unpacked = np.stack([source >> np.uint8(by) & np.uint8((1 << bits) - 1) for by in range(0, 8, bits)], axis=1)
        chosen = unpacked.reshape(-1)[part : part + len(d) * len(d[0])]
        _write(d, table[chosen].astype(d[0].dtype))

    return run


def _table(ctx: A64Context) -> Array:
    if not ctx.state.za.enabled:
        raise CannotRun("ZT0 is off together with ZA: smstart comes first")
    return ctx.state.za.table


def _table_moved(store: bool, ctx: A64Context) -> Run:
    """ldr, str of ZT0."""
    address, view = ctx.address(1), ctx.state.memory.view

    def run() -> None:
        table = _table(ctx)
        if store:
            view(address(), len(table), WRITE)[:] = table
        else:
            table[:] = view(address(), len(table))

    return run


def _word_moved(ctx: A64Context) -> Run:
    """movt: copy a general register to 64 bits of ZT0, or back."""
    back = ctx.is_general(0)
    place = ctx.operands[1 if back else 0].index // 8
    if back:
        put = ctx.put(0)
        return lambda: put(int(_table(ctx).view(np.uint64)[place]))
    get = ctx.get(1)
    return lambda: _table(ctx).view(np.uint64).__setitem__(place, np.uint64(get()))


# ZA


def _vectors(ctx: A64Context, at: int) -> Callable[[], list[list[int]]]:
    """Return a function that returns the numbers of the vectors of ZA that an operand names: for each vector of the
    group, those of its neighbouring results."""
    operand: Slice = ctx.operands[at]
    group, results = operand.group or 1, operand.last - operand.first + 1
    get, apart = ctx.getter(operand.index), ctx.state.vector_bytes // group

    def numbers() -> list[list[int]]:
        start = (get() + operand.first) % apart // results * results
        return [[start + at * apart + result for result in range(results)] for at in range(group)]

    return numbers


def _moved(ctx: A64Context) -> Run:
    """mova of several vectors: with vectors of ZA, or with neighbouring slices of a tile."""
    into = isinstance(ctx.operands[0], Slice)
    operand: Slice = ctx.operands[0 if into else 1]
    regs, state = ctx.operands[1 if into else 0].regs, ctx.state
    if operand.group:
        numbers = _vectors(ctx, 0 if into else 1)
        views: Callable[[], list[Array]] = lambda: [state.za.vector(number) for (number,) in numbers()]  # noqa: E731
    else:
        size, count = SIZES[operand.kind.partition("[")[0].rpartition(".")[2]], len(regs)
        if state.vector_bytes // size < count:
            raise CannotRun(f"the instruction moves {count} slices, but these tiles have fewer")
        get, part = ctx.getter(operand.index), tile_slice(ctx, 0 if into else 1)
        views = lambda: [part(get() // count * count + operand.first + at) for at in range(count)]  # noqa: E731

    def run() -> None:
        for reg, view in zip(regs, views()):
            row = state.row(reg.num, view.dtype, state.vector_bytes)
            if into:
                view[:] = row
            else:
                row[:] = view

    return run


Operation = Callable[[Array, Array, Array, Environment, Environment], Array]
"""The new elements of ZA from the old ones, two sources, and the environments of f32 and f16."""


def _on_za(kinds: str, operation: Operation, vertical: bool, ctx: A64Context) -> Run:
    """An instruction whose first operand is vectors of ZA. `kinds` are the types of the result and of the sources."""
    state, numbers = ctx.state, _vectors(ctx, 0)
    operand: Slice = ctx.operands[0]
    size = SIZES[operand.kind.partition("[")[0].rpartition(".")[2]]
    first = _rows(ctx, 1, kinds[1])
    narrow = first[0].dtype.itemsize
    ratio, results = size // narrow, operand.last - operand.first + 1
    second = _factors(ctx, kinds[2], len(first), ratio if results == 1 else 1) if len(ctx.operands) > 2 else first
    env, halves = ctx.env(size if kinds[0] == "f" else 4), ctx.env(2)

    def run() -> None:
        if not state.za.streaming:
            raise CannotRun(f"{ctx.form.mnemonic} outside of streaming mode: smstart comes first")
        environments = replace(env(), nans=DEFAULT_NANS), replace(halves(), nans=DEFAULT_NANS)
        factors = second() if callable(second) else second
        for at, group in enumerate(numbers()):
            for result, number in enumerate(group):
                row = state.za.vector(number).view(f"{kinds[0]}{size}")
                a, b = first[at][result::results], factors[at][result::results]
                if vertical:  # the same element of every vector of the list
                    a = np.stack([each[at::ratio] for each in first], axis=1).reshape(-1)
                row[:] = operation(row.copy(), a.copy(), b.copy(), *environments)

    return run


def _factors(ctx: A64Context, kind: str, count: int, group: int) -> Callable[[], list[Array]]:
    """Return a reader of the second source for every vector of the first: a list, one vector, or an indexed one, of
    which an index selects one group of elements in each 128 bits."""
    operand = ctx.operands[2]
    rows = _rows(ctx, 2, kind)
    if isinstance(operand, RegList):
        return lambda: rows
    index, (row,) = getattr(operand, "index", None), rows
    if index is None:
        return lambda: rows * count
    size = row.dtype.itemsize * group
    segments = row.reshape(-1, 16 // size, group)

    def read() -> list[Array]:
        chosen = segments[:, index]
        return [np.repeat(chosen, 16 // size, axis=0).reshape(-1)] * count

    return read


def _integers(d: Array, a: Array, b: Array, *_: Environment) -> Array:
    """Add exact products, of as many neighbours as there are for each result."""
    products = (a.astype(np.int64) * b.astype(np.int64)).reshape(len(d), -1).sum(axis=1)
    result: Array = d + products.astype(d.dtype)
    return result


def _less(d: Array, a: Array, b: Array, *_: Environment) -> Array:
    result: Array = d - (a.astype(np.int64) * b.astype(np.int64)).astype(d.dtype)
    return result


_SIGNS = {"s": "ii", "u": "uu", "us": "ui", "su": "iu"}


def _sums() -> dict[str, Semantic]:
    """Return the operations that add to ZA, or subtract from it."""
    table: dict[str, tuple[str, Operation]] = {
        "fadd": ("fff", lambda d, a, b, env, halves: fp.add(d, a, env)),
        "fsub": ("fff", lambda d, a, b, env, halves: fp.sub(d, a, env)),
        "bfadd": ("uuu", lambda d, a, b, env, halves: bf16.add(d, a, env)),
        "bfsub": ("uuu", lambda d, a, b, env, halves: bf16.sub(d, a, env)),
        "fmla": ("fff", lambda d, a, b, env, halves: fp.fma(a, b, d, env)),
        "fmls": ("fff", lambda d, a, b, env, halves: fp.fma(negated(a), b, d, env)),
        "bfmla": ("uuu", lambda d, a, b, env, halves: bf16.fma(a, b, d, env)),
        "bfmls": ("uuu", lambda d, a, b, env, halves: bf16.fma(a ^ _SIGN, b, d, env)),
        "fmlal": ("fuu", lambda d, a, b, env, halves: fp.fma(extended(a, halves), extended(b, halves), d, env)),
        "fmlsl": ("fuu", lambda d, a, b, env, halves: fp.fma(extended(a ^ _SIGN, halves), extended(b, halves), d, env)),
        "bfmlal": ("fuu", lambda d, a, b, env, halves: fp.fma(bf16.widened(a), bf16.widened(b), d, env)),
        "bfmlsl": ("fuu", lambda d, a, b, env, halves: fp.fma(bf16.widened(a ^ _SIGN), bf16.widened(b), d, env)),
        "fdot": ("fuu", fdot),
        "bfdot": ("fuu", lambda d, a, b, env, halves: bf16.bfdot(d, a, b)),
    }
    table |= {f"{name[:-3]}vdot": table[name] for name in ("fdot", "bfdot")}
    for sign, kinds in _SIGNS.items():
        table |= {f"{sign}{name}": (f"i{kinds}", _integers) for name in ("dot", "vdot", "mlall")}
        if len(sign) == 1:
            table[f"{sign}mlal"] = f"i{kinds}", _integers
            table |= {f"{sign}{name}": (f"i{kinds}", _less) for name in ("mlsl", "mlsll")}
    return {name: partial(_on_za, *given, "vdot" in name) for name, given in table.items()}


def _sum_or_each(subtract: bool, ctx: A64Context) -> Run:
    """add, sub: of vectors; to ZA, or the sum of two sources as vectors of ZA."""
    function = np.subtract if subtract else np.add
    alone = len(ctx.operands) == 2
    return _on_za("uuu", lambda d, a, b, *_: function(d if alone else a, a if alone else b), False, ctx)


def _zero(ctx: A64Context) -> Run:
    return lambda: _table(ctx).fill(0)


_NARROWED = {"sq": ("i", "i"), "uq": ("u", "u")}

TABLE: dict[str, Semantic] = {
    **_sums(),
    "add": partial(_sum_or_each, False),
    "sub": partial(_sum_or_each, True),
    **{
        f"{name}{end}": partial(_narrowed, *kinds, end.endswith("n"))
        for name, kinds in _NARROWED.items()
        for end in ("cvt", "cvtn", "rshr", "rshrn")
    },
    **{f"sq{end}": partial(_narrowed, "i", "u", end.endswith("n")) for end in ("cvtu", "cvtun", "rshru", "rshrun")},
    "bfcvt": partial(_narrow_floats, False, True),
    "bfcvtn": partial(_narrow_floats, True, True),
    "fcvtn": partial(_narrow_floats, True, False),
    "fcvtl": partial(_wide_floats, True),
    "fcvt": _converted,
    "sunpk": partial(_unpacked, "i"),
    "uunpk": partial(_unpacked, "u"),
    "zip": partial(_interleaved, False),
    "uzp": partial(_interleaved, True),
    "luti2": partial(_looked_up, 2),
    "luti4": partial(_looked_up, 4),
    "movt": _word_moved,
    "zero": _zero,
    "ldr": partial(_table_moved, False),
    "str": partial(_table_moved, True),
    "mova": _moved,
    "mov": _moved,
}
"""Operations of SME2."""

OF_SVE2P1: dict[str, Semantic] = {
    name: TABLE[name] for name in ("sqcvtn", "uqcvtn", "sqcvtun", "sqrshrn", "uqrshrn", "sqrshrun")
}
"""Those that SVE2.1 has, too."""
