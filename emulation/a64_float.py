"""Floating-point arithmetic, comparisons and conversions of AArch64. Mnemonic -> how it is made ready."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from . import fp
from .a64_integer import Semantic, condition_of
from .a64_lanes import called, compare, floats, half_of, lanes, narrowing, places
from .a64_operands import Array, Context, Run, bits_of
from .cpu_faults import Refusal
from .rounding import Environment, Rounding, pack

Binary = Callable[[Array, Array, Environment], Array]


def negated(x: Array) -> Array:
    """x with the other sign, NaN too."""
    bits = np.dtype(f"u{x.dtype.itemsize}").type
    result: Array = (x.view(bits) ^ bits(1 << 8 * x.dtype.itemsize - 1)).view(x.dtype)
    return result


def absolute(x: Array) -> Array:
    """x without its sign, NaN too."""
    bits = np.dtype(f"u{x.dtype.itemsize}").type
    result: Array = (x.view(bits) & bits((1 << 8 * x.dtype.itemsize - 1) - 1)).view(x.dtype)
    return result


def _flushed(x: Array, env: Environment) -> Array:
    return fp.flushed(x) if env.daz else x


def _extreme(larger: bool, numbers: bool) -> Binary:
    """fmax, fmin: NaN wins, +0 is above -0. fmaxnm, fminnm: a quiet NaN beside a number loses."""

    def function(a: Array, b: Array, env: Environment) -> Array:
        a, b = np.broadcast_arrays(_flushed(a, env), _flushed(b, env))
        bits = np.dtype(f"u{a.dtype.itemsize}")
        first, second = a, b
        if numbers:
            missing = np.isnan(a) & ~fp.is_signaling(a), np.isnan(b) & ~fp.is_signaling(b)
            first = np.where(missing[0] & ~np.isnan(b), b, a)
            second = np.where(missing[1] & ~np.isnan(a), a, b)
        x, y = np.ascontiguousarray(first), np.ascontiguousarray(second)
        chosen = np.where(x > y if larger else x < y, x, y)
        zeros = (x == 0) & (y == 0)
        signs = x.view(bits) & y.view(bits) if larger else x.view(bits) | y.view(bits)
        result = np.where(zeros, signs.view(x.dtype), chosen)
        nan = np.isnan(x) | np.isnan(y)
        return np.where(nan, fp.add(x, y, env), result) if nan.any() else result

    return function


def _swapped(function: Binary) -> Binary:
    return lambda a, b, env: function(b, a, env)


def _fused(product: bool, addend: bool, order: tuple[int, int, int]) -> Callable[..., Array]:
    """Signs of product and addend, and which operands are the factors and the addend."""
    i, j, k = order

    def function(*given: Any) -> Array:
        env: Environment = given[-1]
        n, c = given[i], given[k]
        return fp.fma(negated(n) if product else n, given[j], negated(c) if addend else c, env)

    return function


_ADDEND_FIRST, _ADDEND_LAST, _FACTOR_FIRST = (1, 2, 0), (0, 1, 2), (0, 1, 2)


def _multiplied_extended(a: Array, b: Array, env: Environment) -> Array:
    """fmulx: infinity times zero is 2."""
    a, b = _flushed(a, env), _flushed(b, env)
    special = (np.isinf(a) & (b == 0)) | (np.isinf(b) & (a == 0))
    two = np.copysign(a.dtype.type(2), np.sign(np.copysign(1, a)) * np.copysign(1, b)).astype(a.dtype)
    return np.where(special, two, fp.mul(a, b, env))


def _difference(a: Array, b: Array, env: Environment) -> Array:
    return absolute(fp.sub(a, b, env))


def _step(constant: float, half: bool) -> Binary:
    """frecps: 2 - a b; frsqrts: (3 - a b) / 2; infinity times zero counts as zero."""

    def function(a: Array, b: Array, env: Environment) -> Array:
        a, b = _flushed(a, env), _flushed(b, env)
        fmt = fp.FORMATS[a.dtype]
        special = (np.isinf(a) & (b == 0)) | (np.isinf(b) & (a == 0))
        start = np.full(np.broadcast(a, b).shape, constant, a.dtype)
        result = fp.fma(negated(a), np.broadcast_to(b, start.shape), start, env)
        if half:
            result = _halved(negated(a), b, start, result, env, fmt)
        return np.where(special, a.dtype.type(constant / 2 if half else constant), result)

    return function


def _halved(a: Array, b: Array, c: Array, whole: Array, env: Environment, fmt: Any) -> Array:
    """(a b + c) / 2, rounded once: halving is exact but for the smallest and the largest numbers."""
    halves = fp.fma(a * a.dtype.type(0.5), b, c * a.dtype.type(0.5), env)
    small = np.abs(a) < 2.0 ** (fmt.emin + 1)
    return np.where(
        np.isnan(whole), whole, np.where(small, fp.fma(a, b * b.dtype.type(0.5), c * c.dtype.type(0.5), env), halves)
    )


# Rounding

_ROUND: dict[Rounding, Callable[[Array], Array]] = {
    Rounding.NEAREST: np.rint, Rounding.DOWN: np.floor, Rounding.UP: np.ceil, Rounding.ZERO: np.trunc,
}  # fmt: skip


def _away(x: Array) -> Array:
    """To nearest, ties away from zero."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole)


_BY_LETTER: dict[str, Callable[[Array], Array] | None] = {
    "a": _away, "i": None, "x": None, "m": np.floor, "n": np.rint, "p": np.ceil, "z": np.trunc,
}  # fmt: skip


def _integral(letter: str) -> Callable[[Array, Environment], Array]:
    chosen = _BY_LETTER[letter]

    def function(x: Array, env: Environment) -> Array:
        x = _flushed(x, env)
        rounded = (chosen or _ROUND[env.rounding])(x)
        rounded = np.copysign(rounded, x).astype(x.dtype)
        nan = np.isnan(x)
        return np.where(nan, fp.add(x, x, env), rounded) if nan.any() else rounded

    return function


def to_integers(x: Array, to: Any, letter: str, env: Environment, fraction: int = 0) -> Array:
    """Floats as integers: the nearest one that there is, 0 for NaN."""
    info = np.iinfo(to)
    wide = np.ldexp(_flushed(x, env).astype(np.float64), fraction)
    rounded = (_BY_LETTER[letter] or _ROUND[env.rounding])(wide)
    low, high = rounded < float(info.min), rounded >= float(info.max + 1)
    kept = np.where(low | high | np.isnan(rounded), 0, rounded).astype(to)
    return np.where(low, to.type(info.min), np.where(high, to.type(info.max), kept))


def from_integers(x: Array, to: Any, env: Environment, fraction: int = 0) -> Array:
    """Integers as floats, rounded once."""
    fmt = fp.FORMATS[to]
    value = x.astype(np.float64)
    tail = (
        0.0 if x.dtype.itemsize < 8 else np.array([n - int(v) for n, v in zip(x.tolist(), value.tolist())], np.float64)
    )
    bits: Array = pack(value, tail, -fraction, fmt, env).view(to)
    return np.where(x == 0, to.type(0), bits)


def _to_integer(letter: str, unsigned: bool) -> Semantic:
    """fcvtzs and its like: in a vector register, or to a general one."""

    def made(ctx: Context) -> Run:
        fraction = next((o for o in ctx.operands[1:] if isinstance(o, int)), 0)
        at = places(ctx, 1)[0]
        if not ctx.is_vector(0):
            to = np.dtype(f"{'u' if unsigned else 'i'}{bits_of(ctx.operands[0]) // 8}")
            read, env, put = ctx.source(at, "f"), ctx.env(ctx.lanes(at).size), ctx.put(0)
            return lambda: put(int(to_integers(read(), to, letter, env(), fraction)[0]))
        into, source = ctx.lanes(0).size, ctx.lanes(at).size
        to = np.dtype(f"{'u' if unsigned else 'i'}{into}")
        return _converted(ctx, at, source, into, lambda x, env: to_integers(x, to, letter, env, fraction), "f", to.kind)

    return made


def _from_integer(unsigned: bool) -> Semantic:
    kind = "u" if unsigned else "i"

    def made(ctx: Context) -> Run:
        fraction = next((o for o in ctx.operands[2:] if isinstance(o, int)), 0)
        into = ctx.lanes(0).size
        to, env, at = np.dtype(f"f{into}"), ctx.env(into), places(ctx, 1)[0]
        if not ctx.is_vector(at):
            size = bits_of(ctx.operands[at]) // 8
            read, write = ctx.source(at, kind, size), ctx.target(0, "f")
            return lambda: write(from_integers(read(), to, env(), fraction))
        return _converted(ctx, at, ctx.lanes(at).size, into, lambda x, e: from_integers(x, to, e, fraction), kind, "f")

    return made


def _converted(ctx: Context, at: int, source: int, into: int, function: Callable[[Array, Environment], Array],
               kind: str, to: str) -> Run:  # fmt: skip
    """Between elements of two sizes. In SVE the narrow one is at the bottom of a place of the wide one; integers are
    extended to all of it."""
    env = ctx.env(4 if kind == to else source if kind == "f" else into)
    if not ctx.lanes(0).scalable:
        read, write = ctx.source(at, kind), ctx.target(0, to)
        return lambda: write(function(read(), env()))
    place = max(source, into)
    values = ctx.source(at, kind, source)()[:: place // source]
    wide = ctx.state.row(ctx.lanes(0).number, f"{to}{place}" if to != "f" else f"u{place}", ctx.state.vector_bytes)
    active, bits = ctx.active(place), f"u{into}"

    def run() -> None:
        result = function(values, env())
        extended = result if to != "f" else result.view(bits)
        np.copyto(wide, extended.astype(wide.dtype), where=active)

    return run


def convert(x: Array, to: Any, env: Environment) -> Array:
    """Between float types. FZ flushes f32 and f64 alone, and FZ16 plays no part."""
    if x.dtype.itemsize < to.itemsize:
        return fp.extend(x, to, replace(env, daz=env.daz and x.dtype.itemsize > 2))
    result: Array = fp.convert(x, fp.FORMATS[to], replace(env, ftz=env.ftz and to.itemsize > 2)).view(to)
    return result


def _fcvt(ctx: Context) -> Run:
    at = places(ctx, 1)[0]
    source, into = ctx.lanes(at).size, ctx.lanes(0).size
    to = np.dtype(f"f{into}")
    return _converted(ctx, at, source, into, lambda x, e: convert(x, to, e), "f", "f")


def _fcvtl(ctx: Context) -> Run:
    """fcvtl: the low (or high) half of the elements, twice as wide."""
    into = ctx.lanes(0)
    to = np.dtype(f"f{into.size}")
    read, env = ctx.source(1, "f", into.size // 2, half_of(ctx, 1, into.count)), ctx.env(4)
    return called(lambda x, e: convert(x, to, e), [read, env], ctx.target(0, "f"))


def _fcvtn(ctx: Context) -> Run:
    to = np.dtype(f"f{ctx.lanes(0).size}")
    env = ctx.env(4)
    return narrowing(lambda x: convert(x, to, env()), "f", 1)(ctx)


# Scalars


def _compared(ctx: Context) -> Run:
    """fcmp: less, equal, greater or unordered in the flags."""
    first, second, env, state = (
        ctx.source(0, "f"),
        ctx.source(1, "f", ctx.lanes(0).size),
        ctx.env(ctx.lanes(0).size),
        ctx.state,
    )

    def run() -> None:
        a, b = (float(_flushed(x, env())[0]) for x in (first(), second()))
        state.n, state.z, state.c, state.v = a < b, a == b, not a < b, a != a or b != b

    return run


def _select(ctx: Context) -> Run:
    state, holds, write = ctx.state, condition_of(ctx), ctx.target(0, "u")
    a, b = ctx.source(1, "u"), ctx.source(2, "u")
    return lambda: write((a() if holds(state) else b()).copy())


def _conditional(ctx: Context) -> Run:
    state, holds, flags, compared = ctx.state, condition_of(ctx), ctx.operands[2], _compared(ctx)

    def run() -> None:
        if holds(state):
            compared()
        else:
            state.nzcv = flags

    return run


# Reductions


def _tree(function: Binary, ctx: Context) -> Run:
    """faddv, fmaxv: neighbours pairwise until one is left; inactive elements count as the neutral one."""
    neutral = {"faddv": 0.0, "fmaxv": -np.inf, "fminv": np.inf, "fmaxnmv": np.nan, "fminnmv": np.nan}[ctx.form.mnemonic]
    at = places(ctx, 1)[0]
    size = ctx.lanes(at).size
    read, env, write = ctx.source(at, "f"), ctx.env(size), ctx.target(0, "f")
    active = ctx.active(size) if ctx.governing is not None else None

    def run() -> None:
        values = read()
        if active is not None:
            values = np.where(active, values, values.dtype.type(neutral))
            if len(values) & len(values) - 1:
                power = 1 << len(values).bit_length()
                values = np.concatenate([values, np.full(power - len(values), neutral, values.dtype)])
        while len(values) > 1:
            values = function(values[::2].copy(), values[1::2].copy(), env())
        write(values)

    return run


def _in_order(ctx: Context) -> Run:
    """fadda: one after the other."""
    size = ctx.lanes(0).size
    start, read, env, write, active = (
        ctx.source(0, "f"),
        ctx.source(3, "f"),
        ctx.env(size),
        ctx.target(0, "f"),
        ctx.active(size),
    )

    def run() -> None:
        total, values = start().copy(), read()
        for at in np.flatnonzero(active).tolist():
            total = fp.add(total, values[at : at + 1].copy(), env())
        write(total)

    return run


def _pairwise(function: Binary, ctx: Context) -> Run:
    """faddp: neighbours of both sources one after the other (in SVE in turn), or the two elements of one."""
    size = ctx.lanes(0).size
    env, write = ctx.env(size), ctx.target(0, "f")
    if len(ctx.operands) == 2:
        pair = ctx.source(1, "f")
        return lambda: write(function(pair()[:1].copy(), pair()[1:2].copy(), env()))
    a, b = (ctx.source(at, "f") for at in places(ctx, 2)[-2:])
    scalable = ctx.lanes(0).scalable

    def run() -> None:
        x, y = a(), b()
        if scalable:
            result = np.empty_like(x)
            result[::2] = function(x[::2].copy(), x[1::2].copy(), env())
            result[1::2] = function(y[::2].copy(), y[1::2].copy(), env())
            write(result)
            return
        both = np.concatenate([x, y])
        write(function(both[::2].copy(), both[1::2].copy(), env()))

    return run


def _relation(relation: Callable[..., Any], magnitude: bool = False) -> Semantic:
    def made(ctx: Context) -> Run:
        size = ctx.lanes(places(ctx, 2)[0]).size
        env = ctx.env(size)

        def function(a: Array, b: Array) -> Array:
            x, y = (_flushed(absolute(v) if magnitude else v, env()) for v in (a, b))
            result: Array = relation(x, y)
            return result

        return compare(function, "f", flags=False)(ctx)

    return made


def _unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


def _estimate(ctx: Context) -> Run:
    raise Refusal(f"{ctx.form.mnemonic} is not emulated: no kernel of ours needs it")


_EXTREMES = {f"f{name}{end}": _extreme(name == "max", end == "nm") for name in ("max", "min") for end in ("", "nm")}
_TWO: dict[str, Binary] = {
    "fadd": fp.add, "fsub": fp.sub, "fmul": fp.mul, "fdiv": fp.div,
    "fsubr": _swapped(fp.sub), "fdivr": _swapped(fp.div),
    "fabd": _difference, "fmulx": _multiplied_extended, "fnmul": lambda a, b, env: negated(fp.mul(a, b, env)),
    "frecps": _step(2.0, False), "frsqrts": _step(3.0, True), **_EXTREMES,
}  # fmt: skip
_RELATIONS: dict[str, Callable[..., Any]] = {
    "eq": np.equal, "ne": np.not_equal, "ge": np.greater_equal, "gt": np.greater, "le": np.less_equal, "lt": np.less,
    "uo": _unordered,
}  # fmt: skip

TABLE: dict[str, Semantic] = {
    **{name: floats(function, 2) for name, function in _TWO.items()},
    **{name: floats(_fused(product, addend, order), 3) for name, product, addend, order in (
        ("fmla", False, False, _ADDEND_FIRST), ("fmls", True, False, _ADDEND_FIRST),
        ("fnmla", True, True, _ADDEND_FIRST), ("fnmls", False, True, _ADDEND_FIRST),
        ("fmad", False, False, _ADDEND_LAST), ("fmsb", True, False, _ADDEND_LAST),
        ("fnmad", True, True, _ADDEND_LAST), ("fnmsb", False, True, _ADDEND_LAST),
        ("fmadd", False, False, _ADDEND_LAST), ("fmsub", True, False, _ADDEND_LAST),
        ("fnmadd", True, True, _ADDEND_LAST), ("fnmsub", False, True, _ADDEND_LAST))},
    "fsqrt": floats(fp.sqrt, 1), "fneg": lanes(negated, "f", 1), "fabs": lanes(absolute, "f", 1),
    **{f"frint{letter}": floats(_integral(letter), 1) for letter in _BY_LETTER},
    **{f"fcvt{letter}{end}": _to_integer(letter, end == "u") for letter in "amnpz" for end in "su"},
    "scvtf": _from_integer(False), "ucvtf": _from_integer(True), "fcvt": _fcvt,
    "fcvtl": _fcvtl, "fcvtl2": _fcvtl, "fcvtn": _fcvtn, "fcvtn2": _fcvtn,
    "fcmp": _compared, "fcmpe": _compared, "fccmp": _conditional, "fccmpe": _conditional, "fcsel": _select,
    **{f"fcm{name}": _relation(relation) for name, relation in _RELATIONS.items()},
    **{f"fac{name}": _relation(_RELATIONS[name], magnitude=True) for name in ("ge", "gt", "le", "lt")},
    **{f"{name}v": partial(_tree, function) for name, function in {**_EXTREMES, "fadd": fp.add}.items()},
    **{f"{name}p": partial(_pairwise, function) for name, function in {**_EXTREMES, "fadd": fp.add}.items()},
    "fadda": _in_order,
    **dict.fromkeys(("frecpx", "fexpa", "ftmad", "ftssel", "ftsmul"), _estimate),
}  # fmt: skip
