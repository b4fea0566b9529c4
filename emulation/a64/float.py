"""Floating-point arithmetic, comparisons and reductions of AArch64. Maps operations to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core.closures import Run
from ..numerics import fp
from ..numerics.primitive import possible
from ..numerics.rounding import Environment
from .integer import condition_of
from .lanes import compare, floats, lanes, places
from .operands import A64Context, Array, Semantic

Binary = Callable[[Array, Array, Environment], Array]


def negated(x: Array) -> Array:
    """Flip the sign bit, even of a NaN."""
    bits = np.dtype(f"u{x.dtype.itemsize}").type
    result: Array = (x.view(bits) ^ bits(1 << 8 * x.dtype.itemsize - 1)).view(x.dtype)
    return result


def absolute(x: Array) -> Array:
    """Clear the sign bit, even of a NaN."""
    bits = np.dtype(f"u{x.dtype.itemsize}").type
    result: Array = (x.view(bits) & bits((1 << 8 * x.dtype.itemsize - 1) - 1)).view(x.dtype)
    return result


def flushed(x: Array, env: Environment) -> Array:
    """Replace denormals by zeros if the environment flushes."""
    return fp.flushed(x) if env.daz else x


def _extreme(larger: bool, numbers: bool) -> Binary:
    """fmax, fmin: a NaN wins, and +0 is above -0. fmaxnm, fminnm: a number wins against a quiet NaN."""

    def function(a: Array, b: Array, env: Environment) -> Array:
        a, b = np.broadcast_arrays(flushed(a, env), flushed(b, env))
        bits = np.dtype(f"u{a.dtype.itemsize}")
        first, second = a, b
        if numbers:
            missing = np.isnan(a) & ~fp.is_signaling(a), np.isnan(b) & ~fp.is_signaling(b)
            first = np.where(missing[0] & ~np.isnan(b), b, a)
            second = np.where(missing[1] & ~np.isnan(a), a, b)
        x, y = first, second
        chosen = np.where(x > y if larger else x < y, x, y)
        zeros = (x == 0) & (y == 0)
        signs = x.view(bits) & y.view(bits) if larger else x.view(bits) | y.view(bits)
        result = np.where(zeros, signs.view(x.dtype), chosen)
        nan = np.isnan(x) | np.isnan(y)
        return np.where(nan, fp.add(x, y, env), result) if possible(nan) else result

    return function


def _swapped(function: Binary) -> Binary:
    return lambda a, b, env: function(b, a, env)


def _fused(product: bool, addend: bool, order: tuple[int, int, int]) -> Callable[..., Array]:
    """Make the function of a fused multiply-add from two signs and the operand numbers of factors and addend."""
    i, j, k = order

    def function(*given: Any) -> Array:
        env: Environment = given[-1]
        n, c = given[i], given[k]
        return fp.fma(negated(n) if product else n, given[j], negated(c) if addend else c, env)

    return function


_ADDEND_FIRST, _ADDEND_LAST, _FACTOR_FIRST = (1, 2, 0), (0, 1, 2), (0, 1, 2)


def _multiplied_extended(a: Array, b: Array, env: Environment) -> Array:
    """fmulx: multiply, with 2 as the product of infinity and zero."""
    a, b = flushed(a, env), flushed(b, env)
    special = (np.isinf(a) & (b == 0)) | (np.isinf(b) & (a == 0))
    two = np.copysign(a.dtype.type(2), np.sign(np.copysign(1, a)) * np.copysign(1, b)).astype(a.dtype)
    return np.where(special, two, fp.mul(a, b, env))


def _difference(a: Array, b: Array, env: Environment) -> Array:
    return absolute(fp.sub(a, b, env))


def _step(constant: float, half: bool) -> Binary:
    """frecps: 2 - a b; frsqrts: (3 - a b) / 2. The product of infinity and zero counts as zero."""

    def function(a: Array, b: Array, env: Environment) -> Array:
        a, b = flushed(a, env), flushed(b, env)
        fmt = fp.FORMATS[a.dtype]
        special = (np.isinf(a) & (b == 0)) | (np.isinf(b) & (a == 0))
        start = np.full(np.broadcast(a, b).shape, constant, a.dtype)
        result = fp.fma(negated(a), np.broadcast_to(b, start.shape), start, env)
        if half:
            result = _halved(negated(a), b, start, result, env, fmt)
        return np.where(special, a.dtype.type(constant / 2 if half else constant), result)

    return function


def _halved(a: Array, b: Array, c: Array, whole: Array, env: Environment, fmt: Any) -> Array:
    """Return (a b + c) / 2, rounded once. Halving is exact except at the ends of the exponent range."""
    halves = fp.fma(a * a.dtype.type(0.5), b, c * a.dtype.type(0.5), env)
    small = np.abs(a) < 2.0 ** (fmt.emin + 1)
    return np.where(
        np.isnan(whole), whole, np.where(small, fp.fma(a, b * b.dtype.type(0.5), c * c.dtype.type(0.5), env), halves)
    )


# Scalars


def _compared(ctx: A64Context) -> Run:
    """fcmp: set the flags for less, equal, greater or unordered."""
    first, second, env, state = (
        ctx.source(0, "f"),
        ctx.source(1, "f", ctx.lanes(0).size),
        ctx.env(ctx.lanes(0).size),
        ctx.state,
    )

    def run() -> None:
        a, b = (float(flushed(x, env())[0]) for x in (first(), second()))
        state.n, state.z, state.c, state.v = a < b, a == b, not a < b, a != a or b != b

    return run


def _select(ctx: A64Context) -> Run:
    state, holds, write = ctx.state, condition_of(ctx), ctx.target(0, "u")
    a, b = ctx.source(1, "u"), ctx.source(2, "u")
    return lambda: write((a() if holds(state) else b()).copy())


def _conditional(ctx: A64Context) -> Run:
    state, holds, flags, compared = ctx.state, condition_of(ctx), ctx.operands[2], _compared(ctx)

    def run() -> None:
        if holds(state):
            compared()
        else:
            state.nzcv = flags

    return run


# Reductions


def _tree(function: Binary, ctx: A64Context) -> Run:
    """faddv, fmaxv: combine neighbours pairwise until one is left; inactive elements are the neutral element."""
    neutral = {"faddv": 0.0, "fmaxv": -np.inf, "fminv": np.inf, "fmaxnmv": np.nan, "fminnmv": np.nan}[ctx.operation]
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


def _in_order(ctx: A64Context) -> Run:
    """fadda: add the elements one after the other."""
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


def _pairwise(function: Binary, ctx: A64Context) -> Run:
    """faddp: combine neighbours of both sources, concatenated (SVE: interleaved), or the two elements of one source."""
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
    def predecode(ctx: A64Context) -> Run:
        size = ctx.lanes(places(ctx, 2)[0]).size
        env = ctx.env(size)

        def function(a: Array, b: Array) -> Array:
            x, y = (flushed(absolute(v) if magnitude else v, env()) for v in (a, b))
            result: Array = relation(x, y)
            return result

        return compare(function, "f", flags=False)(ctx)

    return predecode


def _unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


EXTREMES = {f"f{name}{end}": _extreme(name == "max", end == "nm") for name in ("max", "min") for end in ("", "nm")}
_TWO: dict[str, Binary] = {
    "fadd": fp.add,
    "fsub": fp.sub,
    "fmul": fp.mul,
    "fdiv": fp.div,
    "fsubr": _swapped(fp.sub),
    "fdivr": _swapped(fp.div),
    "fabd": _difference,
    "fmulx": _multiplied_extended,
    "fnmul": lambda a, b, env: negated(fp.mul(a, b, env)),
    "frecps": _step(2.0, False),
    "frsqrts": _step(3.0, True),
    **EXTREMES,
}
_RELATIONS: dict[str, Callable[..., Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "uo": _unordered,
}

TABLE: dict[str, Semantic] = {
    **{name: floats(function, 2) for name, function in _TWO.items()},
    **{
        name: floats(_fused(product, addend, order), 3)
        for name, product, addend, order in (
            ("fmla", False, False, _ADDEND_FIRST),
            ("fmls", True, False, _ADDEND_FIRST),
            ("fnmla", True, True, _ADDEND_FIRST),
            ("fnmls", False, True, _ADDEND_FIRST),
            ("fmad", False, False, _ADDEND_LAST),
            ("fmsb", True, False, _ADDEND_LAST),
            ("fnmad", True, True, _ADDEND_LAST),
            ("fnmsb", False, True, _ADDEND_LAST),
        )
    },
    "fsqrt": floats(fp.sqrt, 1),
    "fneg": lanes(negated, "f", 1),
    "fabs": lanes(absolute, "f", 1),
    "fcmp": _compared,
    "fccmp": _conditional,
    "fcsel": _select,
    **{f"fcm{name}": _relation(relation) for name, relation in _RELATIONS.items()},
    **{f"fac{name}": _relation(_RELATIONS[name], magnitude=True) for name in ("ge", "gt", "le", "lt")},
    **{f"{name}v": partial(_tree, function) for name, function in {**EXTREMES, "fadd": fp.add}.items()},
    **{f"{name}p": partial(_pairwise, function) for name, function in {**EXTREMES, "fadd": fp.add}.items()},
    "fadda": _in_order,
}
