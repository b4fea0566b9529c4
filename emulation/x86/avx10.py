"""AVX10.2: arithmetic of bf16, minima and maxima of IEEE 754-2019, comparisons for signed conditions, saturating
conversions and conversions to and from 8-bit floats. Maps semantics keys to factories of closures.

Arithmetic of bf16 rounds to nearest even and flushes denormals, whatever MXCSR is. Source: Intel AVX10.2 architecture
specification (361050).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core.closures import Run
from ..numerics import bf16, fp, fp8, fp16
from ..numerics.rounding import X86_FLUSHED, Environment, Rounding
from . import convert
from . import float as arithmetic
from .lanes import F2, F4, F8, FLOATS, I1, I4, I8, U1, U2, U4, U8, Array, each, floats, lanes, masked, sources
from .operands import Semantic, X86Context

_UNIT = ("ps", "pd", "ph", "ss", "sd", "sh")

# bf16


def _lifted(function: Callable[..., Array], count: int) -> Semantic:
    """The semantics of a function of f32 in an environment, on operands that are bf16. Its results are bf16, too."""

    def of_bits(*given: Any) -> Array:
        wide = [bf16.widened(x) for x in given[:count]]
        return bf16.upper(function(*wide, X86_FLUSHED, *given[count:]))

    return lanes(of_bits, *[U2] * (count + 1))


def _of_bits(function: Callable[..., Array], count: int) -> Semantic:
    """The semantics of a function of bf16 in an environment."""
    return lanes(lambda *given: function(*given, X86_FLUSHED), *[U2] * (count + 1))


def _fma(a: Array, b: Array, c: Array, env: Environment) -> Array:
    return bf16.widened(bf16.fma(bf16.upper(a), bf16.upper(b), bf16.upper(c), env))


def _tested(function: Callable[..., Array], count: int) -> Semantic:
    """The semantics of a function whose result is a mask."""

    def of_bits(*given: Any) -> Array:
        return function(*[bf16.widened(x) for x in given[:count]], X86_FLUSHED, *given[count:])

    return masked(of_bits, *[U2] * count)


def _bf16_table() -> dict[str, Semantic]:
    two: dict[str, Callable[..., Array]] = {
        "scalef": convert.scaled,
        "max": arithmetic.maximum,
        "min": arithmetic.minimum,
        "minmax": minmax,
    }
    one: dict[str, Callable[..., Array]] = {
        "getexp": convert.getexp,
        "getmant": convert.getmant,
        "reduce": convert.reduced,
        "rndscale": convert.integral,
    }
    table = {f"v{name}bf16": _lifted(function, 2) for name, function in two.items()}
    table |= {f"v{name}bf16": _lifted(function, 1) for name, function in one.items()}
    plain: dict[str, tuple[Callable[..., Array], int]] = {
        "add": (bf16.add, 2),
        "sub": (bf16.sub, 2),
        "mul": (bf16.mul, 2),
        "div": (bf16.div, 2),
        "sqrt": (bf16.sqrt, 1),
        "rcp": (partial(bf16.inverse, root=False), 1),
        "rsqrt": (partial(bf16.inverse, root=True), 1),
    }
    table |= {f"v{name}bf16": _of_bits(*function) for name, function in plain.items()}
    for name in ("fmadd", "fmsub", "fnmadd", "fnmsub"):
        for order in arithmetic.ORDERS:
            table[f"v{name}{order}bf16"] = _lifted(arithmetic.fused(name, order, _fma), 3)
    return table | {"vcmpbf16": _tested(arithmetic.compared, 2), "vfpclassbf16": _tested(arithmetic.classified, 1)}


# Minimum and maximum


def minmax(a: Array, b: Array, env: Environment, choice: int) -> Array:
    """vminmaxps: bits 0 and 1 choose the minimum or maximum, of values or magnitudes, where -0 is below +0. Bit 4 lets
    a number win against a NaN. Bits 2 and 3 choose the sign: of the first source, of the result, positive, negative."""
    if env.daz:
        a, b = fp.flushed(a), fp.flushed(b)
    fmt = fp.FORMATS[a.dtype]
    x, y = a.view(fmt.unsigned), b.view(fmt.unsigned)
    keys = (np.abs(a), np.abs(b)) if choice & 2 else (a, b)
    below = (keys[0] < keys[1]) | (keys[0] == keys[1]) & np.signbit(a)
    chosen = np.where(below ^ bool(choice & 1), x, y)
    first, second = np.isnan(a), np.isnan(b)
    nans = np.where(first & (fp.is_signaling(a) | ~fp.is_signaling(b)) | ~second, x, y) | fmt.unsigned(fmt.quiet)
    if choice & 16:
        chosen = np.where(first & second, nans, np.where(first, y, np.where(second, x, chosen)))
    else:
        chosen = np.where(first | second, nans, chosen)
    sign = fmt.unsigned(fmt.sign)
    signs = (x & sign, chosen & sign, fmt.unsigned(0), sign)[choice >> 2 & 3]
    number = ~np.isnan(chosen.view(a.dtype))
    result: Array = np.where(number, chosen & ~sign | signs, chosen).astype(fmt.unsigned)
    return result.view(a.dtype)


# Comparisons that set the flags


def _flags(read: Callable[[X86Context, int], Callable[[], tuple[float, bool]]], signed: bool) -> Semantic:
    """vcomxss: zf is set only if the operands are equal, and sf differs from of only if the first is less. Without
    `signed`, the flags of vucomiss."""

    def predecode(ctx: X86Context) -> Run:
        state, first, second = ctx.state, read(ctx, 0), read(ctx, 1)

        def run() -> None:
            a, b = first(), second()
            unordered, equal, less = a != a or b != b, a == b, a < b
            state.af, state.pf, state.cf = False, unordered, unordered or less
            if signed:
                state.zf, state.sf, state.of = equal, equal or unordered, equal or less or unordered
            else:
                state.zf, state.sf, state.of = equal or unordered, False, False

        return run

    return predecode


def _number(letter: str) -> Callable[[X86Context, int], Callable[[], Any]]:
    def read(ctx: X86Context, at: int) -> Callable[[], Any]:
        value, env = ctx.source(at, FLOATS[letter], 1), ctx.env()
        return lambda: float((fp.flushed(value()) if env().daz and letter != "h" else value())[0])

    return read


def _bf16_number(ctx: X86Context, at: int) -> Callable[[], Any]:
    bits = ctx.source(at, U2, 1)
    return lambda: float(fp.flushed(bf16.widened(bits()))[0])


# Conversions to integers that saturate


def _saturated(to: Any, truncate: bool) -> Callable[[Array, Environment], Array]:
    """Convert to integers. What is out of range gives the nearest integer, and a NaN gives 0."""
    info = np.iinfo(to)

    def function(x: Array, env: Environment) -> Array:
        rounded = convert.ROUND[Rounding.ZERO if truncate else env.rounding](x.astype(F8))
        above, below = rounded >= float(info.max + 1), rounded < float(info.min)
        inside = np.where(above | below | np.isnan(x), 0, rounded).astype(to)
        return np.where(above, to.type(info.max), np.where(below, to.type(info.min), inside))

    return function


def _saturated_scalar(letter: str, unsigned: bool) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        size = ctx.size(0)
        to = (U8 if unsigned else I8) if size == 8 else (U4 if unsigned else I4)
        read, env, put, function = ctx.source(1, FLOATS[letter], 1), ctx.env(), ctx.put(0), _saturated(to, True)
        return lambda: put(int(function(read(), env())[0]) & (1 << 8 * size) - 1)

    return predecode


def _to_bytes(kind: str, to: Any, truncate: bool) -> Semantic:
    """vcvtps2ibs: saturated bytes, each in an element of zeros as wide as the source's."""
    inner = _saturated(to, truncate)
    if kind == "bf16":
        return lanes(lambda x: inner(bf16.widened(x), X86_FLUSHED).view(U1).astype(U2), U2, U2)
    source, wide = (F4, U4) if kind == "ps" else (F2, U2)
    return floats(lambda x, env: inner(x, env).view(U1).astype(wide), wide, source)


# 8-bit floats


def _joined(function: Callable[..., Array], source: Any, to: Any, env: bool = False) -> Semantic:
    """The semantics of a conversion of two sources into one: the second one becomes the lower half."""

    def predecode(ctx: X86Context) -> Run:
        count, settings = ctx.count(source), ctx.env()
        high, low = sources(ctx, (source, source), count, suppress=False)
        extra = (lambda: (settings(),)) if env else tuple
        write = ctx.target(0, to, 2 * count)
        return lambda: write(function(np.concatenate([low(), high()]), *extra()))

    return predecode


_BEYOND = {fp8.E5M2: 65536.0, fp8.E4M3: 480.0}
"""The number after the largest of a format, if its exponent went on."""


def _biased(fmt: Any, saturating: bool) -> Callable[[Array, Array], Array]:
    """vcvtbiasph2hf8: add the low byte of each bias below the last place of the result, then truncate. For results that
    are denormal in E4M3 the place is that of the denormals."""

    def function(bias: Array, x: Array) -> Array:
        size, by = np.abs(x).astype(F8), (bias & 0xFF).astype(F8)
        unit = 2.0 ** (np.maximum(x.view(U2).astype(I4) >> 10 & 31, 1) - 25)
        if fmt.finite:
            small = size < 2.0**-6
            by, unit = np.where(small, by, by // 2), np.where(small, 2.0**-17, unit)
        total = np.where(np.isfinite(size), size + by * unit, 0)
        bits = fp.convert(np.copysign(total, x), fmt, Environment(Rounding.ZERO))
        sign = bits & U1.type(0x80)
        over = U1.type(fmt.infinity - saturating) | sign
        return np.where(np.isfinite(x), np.where(total >= _BEYOND[fmt], over, bits), fp8.narrowed(x, fmt, saturating))

    return function


def _from_hf8(bits: Array) -> Array:
    """vcvthf82ph: exact; a NaN keeps its bits."""
    sign = (bits & U1.type(0x80)).astype(U2) << U2.type(8)
    nan = bits & U1.type(0x7F) == 0x7F
    return np.where(nan, sign | U2.type(0x7F80), fp8.widened(bits, fp8.E4M3, np.float16).view(U2)).view(F2)


def _fp8_table() -> dict[str, Semantic]:
    table: dict[str, Semantic] = {"vcvthf82ph": lanes(_from_hf8, F2, U1)}
    for name, fmt in (("bf8", fp8.E5M2), ("hf8", fp8.E4M3)):
        for ending in ("", "s"):
            narrowed = partial(fp8.narrowed, fmt=fmt, saturating=ending == "s")
            table[f"vcvtph2{name}{ending}"] = lanes(narrowed, U1, F2)
            table[f"vcvt2ph2{name}{ending}"] = _joined(narrowed, F2, U1)
            table[f"vcvtbiasph2{name}{ending}"] = lanes(_biased(fmt, ending == "s"), U1, U2, F2)
    return table


def _dot(c: Array, a: Array, b: Array) -> Array:
    """vdpphps: add the products of the odd elements, then those of the even ones, by fused steps."""
    x, y = (fp16.widened(each.view(F2)) for each in (a, b))
    sums = fp.fma(x[1::2], y[1::2], c, X86_FLUSHED)
    return fp.fma(x[::2], y[::2], sums, X86_FLUSHED)


_INTEGERS = {"dqs": I4, "udqs": U4, "qqs": I8, "uqqs": U8}

TABLE: dict[str, Semantic] = {
    **_bf16_table(),
    **_fp8_table(),
    **{f"vminmax{ending}": floats(minmax, *[FLOATS[ending[1]]] * 3) for ending in _UNIT},
    **each("vcomx{ss,sd,sh}", lambda e: _flags(_number(e[1]), True)),
    **each("vucomx{ss,sd,sh}", lambda e: _flags(_number(e[1]), True)),
    "vcomisbf16": _flags(_bf16_number, False),
    **{
        f"vcvttp{letter}2{ending}": floats(_saturated(to, True), to, FLOATS[letter])
        for letter in "sd"
        for ending, to in _INTEGERS.items()
    },
    **{f"vcvtts{letter}2{u}sis": _saturated_scalar(letter, u == "u") for letter in "sd" for u in ("", "u")},
    **{
        f"vcvt{t}{kind}2i{u}bs": _to_bytes(kind, U1 if u else I1, t == "t")
        for t in ("", "t")
        for kind in ("ps", "ph", "bf16")
        for u in ("", "u")
    },
    "vcvt2ps2phx": _joined(convert.converted(F2), F4, F2, env=True),
    "vdpphps": lanes(_dot, F4, F4, U4, U4),
}
