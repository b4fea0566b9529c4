"""Dot products and small matrix products of AArch64. Maps operations to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core.closures import Run, called
from ..core.faults import CannotRun
from ..numerics import bf16, fp
from ..numerics.dot import DOTS, MATRICES
from ..numerics.exact import odd_sum
from ..numerics.rounding import F32, Environment, Rounding, pack
from .float import EXTREMES, Binary, negated
from .lanes import floats, places
from .operands import A64Context, Array, Semantic


def _groups(ctx: A64Context, at: int, kind: str, size: int, group: int) -> Callable[[], Array]:
    """Return a reader of a source; an indexed source repeats one group for every element of the result.

    An index counts whole groups of 32 bits: v0.4b[1], z0.b[1].
    """
    operand = ctx.lanes(at)
    index = operand.index
    if index is None:
        return ctx.source(at, kind, size)
    wide = ctx.state.row(operand.number, f"u{size * group}", operand.bytes)
    count = ctx.lanes(0).count
    if not operand.scalable:
        return lambda: np.repeat(wide[index : index + 1], count).view(f"{kind}{size}")
    per = 16 // (size * group)
    chosen = wide.reshape(-1, per)[:, index]
    return lambda: np.repeat(chosen, per).view(f"{kind}{size}")


def _dot(name: str, ctx: A64Context) -> Run:
    end = ".d" if ctx.lanes(0).size == 8 else ".h" if ctx.lanes(1).size == 2 else ""
    dot = DOTS[name + end]
    first, second = np.dtype(dot.first), np.dtype(dot.second)
    a = _groups(ctx, 1, first.kind, first.itemsize, dot.group)
    b = _groups(ctx, 2, second.kind, second.itemsize, dot.group)
    return called(dot, [ctx.source(0, "i"), a, b], ctx.target(0, "i"))


def _matrix(name: str, ctx: A64Context) -> Run:
    product = MATRICES[name]
    return called(product, [ctx.source(0, "i"), ctx.source(1, "u"), ctx.source(2, "u")], ctx.target(0, "i"))


def _bfdot(ctx: A64Context) -> Run:
    a, b = (_groups(ctx, at, "u", 2, 2) for at in (1, 2))
    return called(bf16.bfdot, [ctx.source(0, "f"), a, b], ctx.target(0, "f"))


def _bfmmla(ctx: A64Context) -> Run:
    return called(bf16.bfmmla, [ctx.source(0, "f"), ctx.source(1, "u"), ctx.source(2, "u")], ctx.target(0, "f"))


def _bfmlal(top: bool, ctx: A64Context, subtract: bool = False) -> Run:
    """bfmlalb, bfmlalt, bfmlslb: multiply the even or odd elements; an indexed source gives one element for all."""
    count, env = ctx.lanes(0).count, ctx.env(4)
    plain, c, b = ctx.source(1, "u"), ctx.source(0, "f"), ctx.source(2, "u")
    sign = np.uint16(0x8000 if subtract else 0)
    a = (lambda: plain() ^ sign) if subtract else plain
    if ctx.lanes(2).index is None:
        return called(lambda x, y, z: bf16.bfmlal(x, y, z, top, env()), [c, a, b], ctx.target(0, "f"))
    return called(
        lambda x, y, z: bf16.bfmlal(x, y, np.resize(z, 2 * count) if len(z) == 1 else z, top, env()),
        [c, a, b],
        ctx.target(0, "f"),
    )


def _bfcvt(ctx: A64Context) -> Run:
    """bfcvt: convert to bf16, a scalar or, in SVE, the bottom half of every 32 bits."""
    env = ctx.env(4)
    if not ctx.lanes(0).scalable:
        return called(lambda x: bf16.bfcvt(x, env()), [ctx.source(1, "f")], ctx.target(0, "u"))
    values, row, active = (
        ctx.source(2, "f"),
        ctx.state.row(ctx.lanes(0).number, "u2", ctx.state.vector_bytes),
        ctx.active(4),
    )
    top = int(ctx.operation == "bfcvtnt")

    def run() -> None:
        result, chosen = bf16.bfcvt(values(), env()), active.copy()
        if not top:
            row[1::2][chosen] = 0
        row[top::2] = np.where(chosen, result, row[top::2])

    return run


def _bfcvtn(ctx: A64Context) -> Run:
    env = ctx.env(4)
    into = ctx.lanes(0)
    row, above = ctx.state.row(into.number, "u2", into.bytes), ctx.state.vectors[into.number, into.bytes :]
    part = row[4:] if ctx.operation[-1] == "2" else row
    read = ctx.source(1, "f")

    def run() -> None:
        part[:] = bf16.bfcvt(read(), env())
        above[:] = 0

    return run


def extended(bits: Array, env: Environment) -> Array:
    """Convert f16 to f32 and keep signaling NaNs signaling, because the precedence of NaNs is decided later."""
    x = bits.view(np.float16)
    wide = (fp.flushed(x) if env.daz else x).astype(np.float32)
    nan = (bits & 0x7FFF) > 0x7C00
    raw = (bits.astype(np.uint32) & 0x8000) << 16 | 0x7F800000 | (bits.astype(np.uint32) & 0x3FF) << 13
    result: Array = np.where(nan, raw, wide.view(np.uint32)).view(np.float32)
    return result


def _long_multiply(subtract: bool, ctx: A64Context) -> Run:
    """fmlal, fmlalb: add exact products of f16 to f32 with one rounding."""
    into, env, halves = ctx.lanes(0), ctx.env(4), ctx.env(2)
    if into.scalable:
        part = slice(int(ctx.operation[-1] == "t"), None, 2)
    else:
        second = ctx.operation[-1] == "2"
        part = slice(into.count, 2 * into.count) if second else slice(0, into.count)

    def factor(at: int) -> Callable[[], Array]:
        operand = ctx.lanes(at)
        if operand.index is not None:
            one = ctx.source(at, "u", 2, slice(0, None, 2))
            return lambda: extended(one(), halves())
        row = ctx.state.row(operand.number, "u2", ctx.state.vector_bytes if operand.scalable else 16)[part]
        return lambda: extended(row, halves())

    def function(c: Array, a: Array, b: Array) -> Array:
        return fp.fma(negated(a) if subtract else a, b, c, env())

    return called(function, [ctx.source(0, "f"), factor(1), factor(2)], ctx.target(0, "f"))


def fdot(c: Array, a: Array, b: Array, env: Environment, halves: Environment) -> Array:
    """Return c + (the sum of two products of f16, rounded once to f32)."""
    x, y = extended(a, halves), extended(b, halves)
    with np.errstate(all="ignore"):
        products = x.astype(np.float64) * y.astype(np.float64)
        total = pack(odd_sum(products[::2], products[1::2]), 0.0, 0, F32, env).view(np.float32)
        parts = (x[::2], x[1::2], y[::2], y[1::2])
        nan = np.isnan(total)
        if nan.any():
            total = np.where(nan, fp.first_nan(total, parts, env), total)
        if env.rounding is Rounding.DOWN:
            total = np.where(total == 0, fp.fma(x[::2], y[::2], fp.mul(x[1::2], y[1::2], env), env), total)
    return fp.add(c, total, env)


def _fdot(ctx: A64Context) -> Run:
    a, b = (_groups(ctx, at, "u", 2, 2) for at in (1, 2))
    env, halves = ctx.env(4), ctx.env(2)
    return called(lambda c, x, y: fdot(c, x, y, env(), halves()), [ctx.source(0, "f"), a, b], ctx.target(0, "f"))


def brain(function: Callable[..., Array], sources: int) -> Semantic:
    """The semantics of arithmetic in bf16."""

    def predecode(ctx: A64Context) -> Run:
        arguments: list[Callable[[], Any]] = [ctx.source(at, "u", 2) for at in places(ctx, sources)]
        return called(function, [*arguments, ctx.env(4)], ctx.target(0, "u"))

    return predecode


def _wider(function: Binary) -> Callable[[Array, Array, Environment], Array]:
    """Compute the larger or smaller of two bf16 in f32."""

    def run(a: Array, b: Array, env: Environment) -> Array:
        result: Array = function(bf16.widened(a), bf16.widened(b), env).view(np.uint32) >> np.uint32(16)
        return result.astype(np.uint16)

    return run


def _clamp(larger: Callable[..., Array], smaller: Callable[..., Array]) -> Callable[..., Array]:
    """fclamp: not below the first source, and not above the second one; a number wins against a quiet NaN."""
    return lambda d, a, b, env: smaller(larger(a, d, env), b, env)


def _fmmla(ctx: A64Context) -> Run:
    """fmmla: multiply matrices of two rows of f32 or f64; products are rounded, then added in order."""
    size = ctx.lanes(0).size
    env = ctx.env(size)
    if ctx.lanes(0).count % 4:
        raise CannotRun("the instruction multiplies matrices of four elements, but these vectors hold fewer")

    def function(c: Array, a: Array, b: Array) -> Array:
        x, y, z = a.reshape(-1, 2, 1, 2), b.reshape(-1, 1, 2, 2), c.reshape(-1, 2, 2)
        shape = (len(z), 2, 2)
        first = fp.mul(np.broadcast_to(x[..., 0], shape), np.broadcast_to(y[..., 0], shape), env())
        second = fp.mul(np.broadcast_to(x[..., 1], shape), np.broadcast_to(y[..., 1], shape), env())
        return fp.add(z, fp.add(first, second, env()), env()).reshape(-1)

    return called(function, [ctx.source(at, "f") for at in range(3)], ctx.target(0, "f"))


_SIGN = np.uint16(0x8000)
_BRAIN: dict[str, Callable[..., Array]] = {
    "bfadd": bf16.add,
    "bfsub": bf16.sub,
    "bfmul": bf16.mul,
    **{f"b{name}": _wider(function) for name, function in EXTREMES.items()},
}

SVE2P1: dict[str, Semantic] = {
    **{name: brain(function, 2) for name, function in _BRAIN.items()},
    "bfmla": brain(lambda d, a, b, env: bf16.fma(a, b, d, env), 3),
    "bfmls": brain(lambda d, a, b, env: bf16.fma(a ^ _SIGN, b, d, env), 3),
    "bfclamp": brain(_clamp(_BRAIN["bfmaxnm"], _BRAIN["bfminnm"]), 3),
    "fclamp": floats(_clamp(EXTREMES["fmaxnm"], EXTREMES["fminnm"]), 3),
    "fdot": _fdot,
    "sdot": partial(_dot, "sdot"),
    "udot": partial(_dot, "udot"),
    "bfmlslb": partial(_bfmlal, False, subtract=True),
    "bfmlslt": partial(_bfmlal, True, subtract=True),
}
"""Operations of SVE2.1."""

TABLE: dict[str, Semantic] = {
    **{name: partial(_dot, name) for name in ("sdot", "udot", "usdot", "sudot")},
    **{name: partial(_matrix, name) for name in MATRICES},
    "bfdot": _bfdot,
    "bfmmla": _bfmmla,
    "bfmlalb": partial(_bfmlal, False),
    "bfmlalt": partial(_bfmlal, True),
    "bfcvt": _bfcvt,
    "bfcvtnt": _bfcvt,
    "bfcvtn": _bfcvtn,
    "bfcvtn2": _bfcvtn,
    "fmmla": _fmmla,
    **{f"fml{letter}l{end}": partial(_long_multiply, letter == "s") for letter in "as" for end in ("", "2", "b", "t")},
}
