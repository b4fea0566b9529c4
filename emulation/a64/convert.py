"""Conversions between floats, between floats and integers, and to integral floats. Maps operations to factories of
closures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.closures import Run, called
from ..numerics import fp
from ..numerics.primitive import possible, primitive
from ..numerics.rounding import Environment, Rounding, pack
from .float import flushed
from .lanes import floats, half_of, narrowing, places
from .operands import A64Context, Array, Semantic, bits_of

_HUGE = 10_000  # larger than the exponent of any format

# Rounding

_ROUND: dict[Rounding, Callable[[Array], Array]] = {
    Rounding.NEAREST: np.rint,
    Rounding.DOWN: np.floor,
    Rounding.UP: np.ceil,
    Rounding.ZERO: np.trunc,
}


def _away(x: Array) -> Array:
    """Round to nearest, ties away from zero."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole)


_BY_LETTER: dict[str, Callable[[Array], Array] | None] = {
    "a": _away,
    "i": None,
    "x": None,
    "m": np.floor,
    "n": np.rint,
    "p": np.ceil,
    "z": np.trunc,
}


def _integral(letter: str) -> Callable[[Array, Environment], Array]:
    chosen = _BY_LETTER[letter]

    def function(x: Array, env: Environment) -> Array:
        x = flushed(x, env)
        rounded = (chosen or _ROUND[env.rounding])(x)
        nan = np.isnan(x)
        return np.where(nan, fp.add(x, x, env), rounded) if possible(nan) else rounded

    return function


def to_integers(x: Array, to: Any, letter: str, env: Environment, fraction: int = 0) -> Array:
    """Convert floats to integers: saturate to the range, and give 0 for NaN."""
    info = np.iinfo(to)
    wide = flushed(x, env).astype(np.float64)
    wide = np.ldexp(wide, fraction) if fraction else wide
    rounded = (_BY_LETTER[letter] or _ROUND[env.rounding])(wide)
    low, high = rounded < float(info.min), rounded >= float(info.max + 1)
    kept = np.where(low | high | np.isnan(rounded), 0, rounded).astype(to)
    return np.where(low, to.type(info.min), np.where(high, to.type(info.max), kept))


def from_integers(x: Array, to: Any, env: Environment, fraction: int = 0) -> Array:
    """Convert integers to floats with one rounding."""
    fmt = fp.FORMATS[to]
    if env.rounding is Rounding.NEAREST and not fraction and fmt.unsigned != np.uint16:
        plain: Array = x.astype(to)
        return plain
    value = x.astype(np.float64)
    tail = (
        0.0 if x.dtype.itemsize < 8 else np.array([n - int(v) for n, v in zip(x.tolist(), value.tolist())], np.float64)
    )
    bits: Array = pack(value, tail, -fraction, fmt, env).view(to)
    return np.where(x == 0, to.type(0), bits)


def _to_integer(letter: str, unsigned: bool) -> Semantic:
    """The semantics of fcvtzs and its like, whose result is in a vector register or a general one."""

    def predecode(ctx: A64Context) -> Run:
        fraction = next((o for o in ctx.operands[1:] if isinstance(o, int)), 0)
        at = places(ctx, 1)[0]
        if not ctx.is_vector(0):
            to = np.dtype(f"{'u' if unsigned else 'i'}{bits_of(ctx.operands[0]) // 8}")
            read, env, put = ctx.source(at, "f"), ctx.env(ctx.lanes(at).size), ctx.put(0)
            return lambda: put(int(to_integers(read(), to, letter, env(), fraction)[0]))
        into, source = ctx.lanes(0).size, ctx.lanes(at).size
        to = np.dtype(f"{'u' if unsigned else 'i'}{into}")
        return _converted(ctx, at, source, into, lambda x, env: to_integers(x, to, letter, env, fraction), "f", to.kind)

    return predecode


def _from_integer(unsigned: bool) -> Semantic:
    kind = "u" if unsigned else "i"

    def predecode(ctx: A64Context) -> Run:
        fraction = next((o for o in ctx.operands[2:] if isinstance(o, int)), 0)
        into = ctx.lanes(0).size
        to, env, at = np.dtype(f"f{into}"), ctx.env(into), places(ctx, 1)[0]
        if not ctx.is_vector(at):
            size = bits_of(ctx.operands[at]) // 8
            read, write = ctx.source(at, kind, size), ctx.target(0, "f")
            return lambda: write(from_integers(read(), to, env(), fraction))
        return _converted(ctx, at, ctx.lanes(at).size, into, lambda x, e: from_integers(x, to, e, fraction), kind, "f")

    return predecode


def _converted(
    ctx: A64Context,
    at: int,
    source: int,
    into: int,
    function: Callable[[Array, Environment], Array],
    kind: str,
    to: str,
) -> Run:
    """Predecode a conversion between element sizes. In SVE a narrow element is the bottom of a wide one; integers are
    extended to all of it."""
    env = ctx.env(4 if kind == to else source if kind == "f" else into)
    if not ctx.lanes(0).scalable:
        read, write = ctx.source(at, kind), ctx.target(0, to)
        return lambda: write(function(read(), env()))
    widest = max(source, into)
    values = ctx.source(at, kind, source)()[:: widest // source]
    wide = ctx.state.row(ctx.lanes(0).number, f"{to}{widest}" if to != "f" else f"u{widest}", ctx.state.vector_bytes)
    active, bits = ctx.active(widest), f"u{into}"

    def run() -> None:
        result = function(values, env())
        extended = result if to != "f" else result.view(bits)
        np.copyto(wide, extended.astype(wide.dtype), where=active)

    return run


def convert(x: Array, to: Any, env: Environment) -> Array:
    """Convert between float types. FZ flushes only f32 and f64, and FZ16 has no effect."""
    if x.dtype.itemsize < to.itemsize:
        return fp.extend(x, to, replace(env, daz=env.daz and x.dtype.itemsize > 2))
    result: Array = fp.convert(x, fp.FORMATS[to], replace(env, ftz=env.ftz and to.itemsize > 2)).view(to)
    return result


def _fcvt(ctx: A64Context) -> Run:
    at = places(ctx, 1)[0]
    source, into = ctx.lanes(at).size, ctx.lanes(0).size
    to = np.dtype(f"f{into}")
    return _converted(ctx, at, source, into, lambda x, e: convert(x, to, e), "f", "f")


def _fcvtl(ctx: A64Context) -> Run:
    """fcvtl, fcvtl2: widen the low or high half of the elements."""
    into = ctx.lanes(0)
    to = np.dtype(f"f{into.size}")
    read, env = ctx.source(1, "f", into.size // 2, half_of(ctx, 1, into.count)), ctx.env(4)
    return called(lambda x, e: convert(x, to, e), [read, env], ctx.target(0, "f"))


def _fcvtn(ctx: A64Context) -> Run:
    to = np.dtype(f"f{ctx.lanes(0).size}")
    env = ctx.env(4)
    return narrowing(lambda x: convert(x, to, env()), "f", 1)(ctx)


def _fcvtlt(ctx: A64Context) -> Run:
    """fcvtlt: widen the odd elements under the predicate."""
    into = ctx.lanes(0)
    to, env = np.dtype(f"f{into.size}"), ctx.env(4)
    read = ctx.source(2, "f", into.size // 2, slice(1, None, 2))
    return called(lambda x, e: convert(x.copy(), to, e), [read, env], ctx.target(0, "f"))


def _fcvtnt(ctx: A64Context) -> Run:
    """fcvtnt: narrow into the odd elements under the predicate."""
    into = ctx.lanes(0)
    to, env, read = np.dtype(f"f{into.size}"), ctx.env(4), ctx.source(2, "f", 2 * into.size)
    row = ctx.state.row(into.number, to, into.bytes)[1::2]
    active = ctx.active(2 * into.size)
    return lambda: np.copyto(row, convert(read(), to, env()), where=active)


@primitive
def scaled(x: Array, by: Array, env: Environment) -> Array:
    """fscale: x * 2^by, rounded once."""
    x, fmt = flushed(x, env), fp.FORMATS[x.dtype]
    exponent = np.clip(by.astype(np.int64), -_HUGE, _HUGE)
    packed = pack(x.astype(np.float64), 0.0, exponent, fmt, env).view(x.dtype)
    result: Array = np.where((x == 0) | np.isinf(x), x, np.where(np.isnan(x), fp.add(x, x, env), packed))
    return result


def _fscale(ctx: A64Context) -> Run:
    """fscale: multiply a float by a power of two whose exponent is an integer element."""
    size = ctx.lanes(0).size
    a, b = places(ctx, 2)
    return called(scaled, [ctx.source(a, "f"), ctx.source(b, "i"), ctx.env(size)], ctx.target(0, "f"))


def to_odd(x: Array, env: Environment) -> Array:
    """fcvtx: convert f64 to f32, to the neighbour with an odd significand where it is inexact."""
    return convert(x, np.dtype(np.float32), replace(env, rounding=Rounding.ODD))


def _fcvtx(ctx: A64Context) -> Run:
    """fcvtxn and fcvtxn2 of NEON, fcvtx and fcvtxnt of SVE."""
    env, into = ctx.env(4), ctx.lanes(0)
    if not into.scalable:
        return narrowing(lambda x: to_odd(x, env()), "f", 1)(ctx)
    row, active, read = ctx.state.row(into.number, "f4", into.bytes), ctx.active(8), ctx.source(2, "f", 8)
    if ctx.operation[-1] == "t":
        return lambda: np.copyto(row[1::2], to_odd(read(), env()), where=active)
    wide = row.view("u8")
    return lambda: np.copyto(wide, to_odd(read(), env()).view("u4").astype("u8"), where=active)


def _within(letter: str, bits: int) -> Callable[[Array, Environment], Array]:
    """frint32z, frint64x and their like: integral floats, and the least integer for what does not fit."""
    whole = _integral(letter)

    def function(x: Array, env: Environment) -> Array:
        rounded, least = whole(x, env), -(2.0 ** (bits - 1))
        fits = (rounded >= least) & (rounded < -least)
        return np.where(fits, rounded, x.dtype.type(least))

    return function


def _exponent(ctx: A64Context) -> Run:
    """flogb: the exponent of a float as an integer, the least integer for zero and NaN, the largest for infinity."""
    size = ctx.lanes(0).size
    info, env = np.iinfo(f"i{size}"), ctx.env(size)

    def function(x: Array, e: Environment) -> Array:
        x = flushed(x, e)
        exponent = np.frexp(np.where(np.isfinite(x), x, 0))[1].astype(np.int64) - 1
        exponent = np.where((x == 0) | np.isnan(x), info.min, np.where(np.isinf(x), info.max, exponent))
        return exponent.astype(info.dtype)

    return called(function, [ctx.source(places(ctx, 1)[0], "f"), env], ctx.target(0, "i"))


def _javascript(ctx: A64Context) -> Run:
    """fjcvtzs: convert f64 to an integer modulo 2^32; Z says that this is exact."""
    read, env, put, state = ctx.source(1, "f"), ctx.env(8), ctx.put(0), ctx.state

    def run() -> None:
        given = float(read()[0])
        value = float(flushed(read(), env())[0])
        whole = int(value) if np.isfinite(value) else 0
        put(whole & 0xFFFF_FFFF)
        exact = whole == value and -(1 << 31) <= whole < 1 << 31
        state.nzcv = 4 * (exact and given == value and not (value == 0 and np.signbit(value)))

    return run


GENERAL_TABLE: dict[str, Semantic] = {"fjcvtzs": _javascript}
"""Operations whose destination is a general register."""

TABLE: dict[str, Semantic] = {
    "fcvtx": _fcvtx,
    "fcvtxnt": _fcvtx,
    "fcvtxn": _fcvtx,
    "fcvtxn2": _fcvtx,
    "flogb": _exponent,
    **{f"frint{bits}{letter}": floats(_within(letter, bits), 1) for bits in (32, 64) for letter in "xz"},
    **{f"frint{letter}": floats(_integral(letter), 1) for letter in "aimnpz"},
    **{f"fcvt{letter}{end}": _to_integer(letter, end == "u") for letter in "amnpz" for end in "su"},
    "scvtf": _from_integer(False),
    "ucvtf": _from_integer(True),
    "fcvt": _fcvt,
    "fscale": _fscale,
    "fcvtl": _fcvtl,
    "fcvtl2": _fcvtl,
    "fcvtn": _fcvtn,
    "fcvtn2": _fcvtn,
    "fcvtlt": _fcvtlt,
    "fcvtnt": _fcvtnt,
}
