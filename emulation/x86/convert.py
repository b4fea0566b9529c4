"""Vector and scalar conversions, rounding to integers, exponents. Maps semantics keys to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.closures import Run, called
from ..core.u64 import signed
from ..numerics import bf16, fp
from ..numerics.primitive import primitive
from ..numerics.rounding import Environment, Rounding, pack
from .lanes import (
    F2,
    F4,
    F8,
    FLOATS,
    I2,
    I4,
    I8,
    SIGNED,
    U2,
    U4,
    U8,
    UNSIGNED,
    Array,
    each,
    floats,
    lanes,
    scalar_target,
)
from .operands import Semantic, X86Context
from .packed import saturated

ROUND: dict[Rounding, Callable[[Array], Array]] = {
    Rounding.NEAREST: np.rint,
    Rounding.DOWN: np.floor,
    Rounding.UP: np.ceil,
    Rounding.ZERO: np.trunc,
}
_MODES = (Rounding.NEAREST, Rounding.DOWN, Rounding.UP, Rounding.ZERO)
_INTEGERS = {"dq": I4, "udq": U4, "qq": I8, "uqq": U8, "w": I2, "uw": U2}
_HUGE = 5000  # larger than the exponent of any format


def converted(to: Any) -> Callable[[Array, Environment], Array]:
    """Convert between float types."""

    def function(x: Array, env: Environment) -> Array:
        if x.dtype.itemsize < to.itemsize:
            return fp.extend(fp.flushed(x) if env.daz and x.dtype != F2 else x, to)
        if to == F2:
            env = replace(env, ftz=False)
        return fp.convert(x, fp.FORMATS[to], env).view(to)

    return function


def from_integers(to: Any) -> Callable[[Array, Environment], Array]:
    """Convert integers to floats with one rounding."""

    def function(x: Array, env: Environment) -> Array:
        if env.rounding is Rounding.NEAREST and to != F2:
            return x.astype(to)
        value = x.astype(F8)
        tail = 0.0 if x.dtype.itemsize < 8 else np.array([n - int(v) for n, v in zip(x.tolist(), value.tolist())], F8)
        bits: Array = pack(value, tail, 0, fp.FORMATS[to], env).view(to)
        return np.where(x == 0, to.type(0), bits)

    return function


def to_integers(to: Any, truncate: bool) -> Callable[[Array, Environment], Array]:
    """Convert floats to integers. Out of range gives the integer indefinite: the minimum if signed, the maximum if
    unsigned.
    """
    info = np.iinfo(to)
    least, beyond = float(info.min), float(info.max + 1)

    def function(x: Array, env: Environment) -> Array:
        if env.daz and x.dtype != F2:
            x = fp.flushed(x)
        rounded = ROUND[Rounding.ZERO if truncate else env.rounding](x.astype(F8))
        fits = (rounded >= least) & (rounded < beyond)
        return np.where(fits, np.where(fits, rounded, 0).astype(to), to.type(info.max if info.min == 0 else info.min))

    return function


def _names() -> dict[str, Semantic]:
    """The semantics of vector conversions such as vcvtps2dq."""
    table: dict[str, Semantic] = {}
    kinds = {"ps": F4, "pd": F8, "ph": F2}
    for first, source in kinds.items():
        for second, to in _INTEGERS.items():
            if second in ("w", "uw") and first != "ph":
                continue
            for letter in ("", "t"):
                table[f"vcvt{letter}{first}2{second}"] = floats(to_integers(to, letter == "t"), to, source)
            table[f"vcvt{second}2{first}"] = floats(from_integers(source), source, to)
    for name, to, source in (
        ("ps2pd", F8, F4),
        ("pd2ps", F4, F8),
        ("ss2sd", F8, F4),
        ("sd2ss", F4, F8),
        ("ph2ps", F4, F2),
        ("ph2psx", F4, F2),
        ("ph2pd", F8, F2),
        ("pd2ph", F2, F8),
        ("ps2phx", F2, F4),
        ("ss2sh", F2, F4),
        ("sd2sh", F2, F8),
        ("sh2ss", F4, F2),
        ("sh2sd", F8, F2),
    ):
        table[f"vcvt{name}"] = floats(converted(to), to, source)
    return table


def _chosen(env: Environment, choice: int) -> Environment:
    """Return the environment with the rounding of an immediate; if its bit 2 is set, the rounding of MXCSR holds."""
    return env if choice & 4 else replace(env, rounding=_MODES[choice & 3])


def _ps2ph(x: Array, env: Environment, choice: int) -> Array:
    return fp.convert(x, fp.FORMATS[F2], replace(_chosen(env, choice), ftz=False)).view(F2)


# Scalars and general registers


def _from_general(letter: str, unsigned: bool) -> Semantic:
    dtype = FLOATS[letter]

    def predecode(ctx: X86Context) -> Run:
        size = ctx.size(2)
        get, env, write = ctx.get(2), ctx.env(), scalar_target(ctx, dtype)
        kind = (U8 if unsigned else I8) if size == 8 else (U4 if unsigned else I4)
        function = from_integers(dtype)

        def run() -> None:
            value = get() if unsigned else signed(get(), 8 * size)
            write(function(np.array([value], kind), env()))

        return run

    return predecode


def _to_general(letter: str, unsigned: bool, truncate: bool) -> Semantic:
    dtype = FLOATS[letter]

    def predecode(ctx: X86Context) -> Run:
        size = ctx.size(0)
        to = (U8 if unsigned else I8) if size == 8 else (U4 if unsigned else I4)
        read, env, put, function = ctx.source(1, dtype, 1), ctx.env(), ctx.put(0), to_integers(to, truncate)
        return lambda: put(int(function(read(), env())[0]) & (1 << 8 * size) - 1)

    return predecode


# Rounding, exponents, significands


def integral(x: Array, env: Environment, choice: int) -> Array:
    """vroundps, vrndscaleps: round to a multiple of 2^-M."""
    env = _chosen(env, choice)
    if env.daz and x.dtype != F2:
        x = fp.flushed(x)
    scale = choice >> 4 & 15
    if not scale:
        whole = ROUND[env.rounding](x)
        return np.where(np.isnan(x), _quiet(x), whole.view(_bits(x))).view(x.dtype)
    wide = x.astype(F8)
    rounded = np.ldexp(ROUND[env.rounding](np.ldexp(wide, scale)), -scale)
    rounded = np.where(np.abs(wide) < 2.0**52, rounded, wide)
    return np.where(np.isnan(x), _quiet(x), rounded.astype(x.dtype).view(_bits(x))).view(x.dtype)


def _round4(x: Array, env: Environment, choice: int) -> Array:
    return integral(x, env, choice & 7)


def _bits(x: Array) -> Any:
    return fp.FORMATS[x.dtype].unsigned


def _quiet(x: Array) -> Array:
    fmt = fp.FORMATS[x.dtype]
    result: Array = x.view(fmt.unsigned) | fmt.unsigned(fmt.quiet)
    return result


def getexp(x: Array, env: Environment) -> Array:
    """vgetexpps: compute floor(log2 |x|)."""
    if env.daz and x.dtype != F2:
        x = fp.flushed(x)
    exponent = np.frexp(x.astype(F8))[1] - 1.0
    exponent = np.where(x == 0, -np.inf, np.where(np.isinf(x), np.inf, exponent))
    return np.where(np.isnan(x), _quiet(x), exponent.astype(x.dtype).view(_bits(x))).view(x.dtype)


def getmant(x: Array, env: Environment, choice: int) -> Array:
    """vgetmantps: return the significand in [1, 2), [1/2, 2), [1/2, 1) or [3/4, 3/2), with the chosen sign."""
    if env.daz and x.dtype != F2:
        x = fp.flushed(x)
    fmt = fp.FORMATS[x.dtype]
    wide = x.astype(F8)
    fraction, exponent = np.frexp(np.abs(wide))
    doubled = fraction * 2
    interval, signs = choice & 3, choice >> 2 & 3
    odd = (exponent - 1) % 2 == 1
    result = (doubled, np.where(odd, fraction, doubled), fraction, np.where(doubled >= 1.5, fraction, doubled))[
        interval
    ]
    result = np.where((wide == 0) | np.isinf(wide), 1.0, result)
    result = result if signs & 1 else np.copysign(result, wide)
    invalid = bool(signs & 2) & (wide < 0)
    predecode = result.astype(x.dtype).view(fmt.unsigned)
    predecode = np.where(invalid, fmt.unsigned(fmt.default_nan(env.nans)), predecode)
    return np.where(np.isnan(x), _quiet(x), predecode).view(x.dtype)


@primitive
def scaled(a: Array, b: Array, env: Environment) -> Array:
    """vscalefps: compute a * 2^floor(b)."""
    if env.daz and a.dtype != F2:
        a, b = fp.flushed(a), fp.flushed(b)
    fmt = fp.FORMATS[a.dtype]
    by = np.clip(np.floor(np.where(np.isfinite(b), b, 0).astype(F8)), -_HUGE, _HUGE).astype(np.int64)
    bits = pack(a.astype(F8), 0.0, by, fmt, env)
    bits = np.where(a == 0, a.view(fmt.unsigned), bits)
    sign = a.view(fmt.unsigned) & fmt.unsigned(fmt.sign)
    default = fmt.unsigned(fmt.default_nan(env.nans))
    up, down = b == np.inf, b == -np.inf
    bits = np.where(up, np.where(a == 0, default, sign | fmt.unsigned(fmt.infinity)), bits)
    bits = np.where(down, np.where(np.isinf(a), default, sign), bits)
    lasting = np.isnan(a) & ~fp.is_signaling(a)
    nan = np.where(np.isnan(a), _quiet(a), np.where(np.isnan(b), _quiet(b), bits))
    nan = np.where(lasting & up, fmt.unsigned(fmt.infinity), np.where(lasting & down, fmt.unsigned(0), nan))
    return nan.astype(fmt.unsigned).view(a.dtype)


def reduced(x: Array, env: Environment, choice: int) -> Array:
    """vreduceps: return the difference between x and the result of vrndscaleps. That of infinities is +0, even where a
    difference of equal numbers is -0."""
    whole = integral(x, env, choice)
    result = fp.sub(x, whole, _chosen(env, choice))
    return np.where(np.isinf(x), np.zeros_like(x), result)


# Integers of other widths


def _narrowing(first: str, second: str, kind: str) -> Semantic:
    """vpmovdb truncates to the low bits; vpmovsdb and vpmovusdb saturate."""
    if kind == "":
        return lanes(lambda x: x.astype(UNSIGNED[second]), UNSIGNED[second], UNSIGNED[first])
    types = SIGNED if kind == "s" else UNSIGNED
    return lanes(lambda x: saturated(x, types[second]), types[second], types[first])


def _packing(source: Any, to: Any) -> Semantic:
    """vpackssdw: saturate the elements of a, then those of b, in each 128-bit lane; masks count the results."""

    def predecode(ctx: X86Context) -> Run:
        count = ctx.count(source)
        a, b = (ctx.source(at, source, count, suppress=False) for at in (1, 2))

        def function(x: Array, y: Array) -> Array:
            per = 16 // source.itemsize
            both = np.concatenate([x.reshape(-1, per), y.reshape(-1, per)], axis=1)
            return saturated(both.reshape(-1), to)

        return called(function, [a, b], ctx.target(0, to, 2 * count))

    return predecode


def _two_to_bf16(ctx: X86Context) -> Run:
    count = ctx.count(F4)
    high, low = (ctx.source(at, F4, count, suppress=False) for at in (1, 2))
    return called(bf16.vcvtne2ps2bf16, [high, low], ctx.target(0, U2, 2 * count))


# Loads of bf16 and f16 as f32 (AVX-NE-CONVERT), by which MXCSR does not matter


def _loaded(halves: bool, first: int | None) -> Semantic:
    """vcvtneeph2ps and its like: f16 or bf16 at even or odd places of memory, or one for all elements."""

    def predecode(ctx: X86Context) -> Run:
        count = ctx.count(F4)
        read, write = ctx.source(1, U2, 1 if first is None else 2 * count), ctx.target(0, F4, count)

        def run() -> None:
            bits = np.repeat(read(), count) if first is None else read()[first::2].copy()
            write(fp.extend(bits.view(F2), np.float32) if halves else bf16.widened(bits))

        return run

    return predecode


_SIZES = "bwdq"
_PAIRS = [(wide, narrow) for at, wide in enumerate(_SIZES) for narrow in _SIZES[:at]]

TABLE: dict[str, Semantic] = {
    **_names(),
    "vbcstnesh2ps": _loaded(True, None),
    "vbcstnebf162ps": _loaded(False, None),
    **{
        f"vcvtne{at}{name}2ps": _loaded(name == "ph", place)
        for at, place in (("e", 0), ("o", 1))
        for name in ("ph", "bf16")
    },
    "vcvtps2ph": floats(_ps2ph, F2, F4),
    "vcvtneps2bf16": lanes(bf16.vcvtneps2bf16, U2, F4),
    "vcvtne2ps2bf16": _two_to_bf16,
    **{f"vcvt{u}si2s{e}": _from_general(e, u == "u") for u in ("", "u") for e in "sdh"},
    **{f"vcvt{t}s{e}2{u}si": _to_general(e, u == "u", t == "t") for t in ("", "t") for u in ("", "u") for e in "sdh"},
    **each("vround{ps,pd,ss,sd}", lambda e: floats(_round4, FLOATS[e[1]], FLOATS[e[1]])),
    **each("vrndscale{ps,pd,ph,ss,sd,sh}", lambda e: floats(integral, FLOATS[e[1]], FLOATS[e[1]])),
    **each("vreduce{ps,pd,ph,ss,sd,sh}", lambda e: floats(reduced, FLOATS[e[1]], FLOATS[e[1]])),
    **each("vgetexp{ps,pd,ph,ss,sd,sh}", lambda e: floats(getexp, FLOATS[e[1]], FLOATS[e[1]])),
    **each("vgetmant{ps,pd,ph,ss,sd,sh}", lambda e: floats(getmant, FLOATS[e[1]], FLOATS[e[1]])),
    **each("vscalef{ps,pd,ph,ss,sd,sh}", lambda e: floats(scaled, *[FLOATS[e[1]]] * 3)),
    **{
        f"vpmov{kind}{wide}{narrow}": _narrowing(wide, narrow, kind)
        for kind in ("", "s", "us")
        for wide, narrow in _PAIRS
    },
    **{
        f"vpmov{sign}x{narrow}{wide}": lanes(lambda x, to=types[wide]: x.astype(to), types[wide], types[narrow])
        for sign, types in (("s", SIGNED), ("z", UNSIGNED))
        for wide, narrow in _PAIRS
    },
    "vpacksswb": _packing(I2, np.dtype(np.int8)),
    "vpackuswb": _packing(I2, np.dtype(np.uint8)),
    "vpackssdw": _packing(I4, I2),
    "vpackusdw": _packing(I4, U2),
}
