"""Floating-point arithmetic and comparisons of vectors. Maps semantics keys to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core.closures import Run
from ..numerics import estimates, fp, fp16
from ..numerics.rounding import Environment
from .fixup import TABLE as FIXED
from .lanes import FLOATS, SIGNED, UNSIGNED, Array, each, floats, masked
from .operands import Semantic, X86Context

_ENDINGS = "{ps,pd,ph,ss,sd,sh}"
_PACKED = "{ps,pd,ph}"


def _flushed(x: Array, env: Environment) -> Array:
    return fp.flushed(x) if env.daz else x


def maximum(a: Array, b: Array, env: Environment) -> Array:
    """Return the second operand if one operand is a NaN or if both are zeros, as vmaxps does."""
    a, b = _flushed(a, env), _flushed(b, env)
    return np.where(a > b, a, b)


def minimum(a: Array, b: Array, env: Environment) -> Array:
    """Return the second operand if one operand is a NaN or if both are zeros, as vminps does."""
    a, b = _flushed(a, env), _flushed(b, env)
    return np.where(a < b, a, b)


def _range(a: Array, b: Array, env: Environment, choice: int) -> Array:
    """vrangeps: bits 0 and 1 choose the minimum or maximum, of values or magnitudes; bits 2 and 3 choose the sign of
    the first source, of the result, positive or negative. A number wins against a quiet NaN; -0 is below +0."""
    a, b = _flushed(a, env), _flushed(b, env)
    fmt = fp.FORMATS[a.dtype]
    x, y = a.view(fmt.unsigned), b.view(fmt.unsigned)
    magnitudes = x & fmt.unsigned(fmt.sign - 1), y & fmt.unsigned(fmt.sign - 1)
    keys = magnitudes if choice & 2 else (a, b)
    first = keys[0] > keys[1] if choice & 1 else keys[0] < keys[1]
    ties = keys[0] == keys[1]
    first = np.where(ties, np.signbit(a) != bool(choice & 1), first)
    chosen = np.where(first, x, y)
    chosen = np.where(np.isnan(b), x, np.where(np.isnan(a), y, chosen))
    sign = (x, chosen, fmt.unsigned(0), fmt.unsigned(fmt.sign))[choice >> 2 & 3] & fmt.unsigned(fmt.sign)
    result = chosen & fmt.unsigned(fmt.sign - 1) | sign
    for source, bits in ((b, y), (a, x)):
        result = np.where(fp.is_signaling(source), bits | fmt.unsigned(fmt.quiet), result)
    ranged: Array = result.astype(fmt.unsigned).view(a.dtype)
    return ranged


_ARITHMETIC = {"add": fp.add, "sub": fp.sub, "mul": fp.mul, "div": fp.div, "max": maximum, "min": minimum}

# Fused multiply-add: the operand numbers of the two factors and of the addend.
ORDERS = {"132": (0, 2, 1), "213": (1, 0, 2), "231": (1, 2, 0)}


def negated(x: Array) -> Array:
    """Flip the sign bit, even of a NaN."""
    bits = UNSIGNED[{2: "w", 4: "d", 8: "q"}[x.dtype.itemsize]]
    result: Array = (x.view(bits) ^ bits.type(1 << 8 * x.dtype.itemsize - 1)).view(x.dtype)
    return result


def _signs(name: str) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    same: Callable[[Array], Array] = lambda x: x  # noqa: E731
    return (negated if name.startswith("fnm") else same), (negated if name.endswith("sub") else same)


def fused(name: str, order: str, fma: Callable[..., Array] = fp.fma) -> Callable[..., Array]:
    """Return the function of the three operands, in the order in which an instruction such as vfmsub213ps has them."""
    x, y, z = ORDERS[order]
    if name == "fmadd":

        def run(a: Array, b: Array, c: Array, env: Environment) -> Array:
            given = a, b, c
            return fma(given[x], given[y], given[z], env)
    elif name in ("fmaddsub", "fmsubadd"):

        def run(a: Array, b: Array, c: Array, env: Environment) -> Array:
            given = a, b, c
            addend = given[z].copy()
            where = slice(0, None, 2) if name == "fmaddsub" else slice(1, None, 2)
            addend[where] = negated(addend[where])
            return _kept_nans(fma, given[x], given[y], given[z], addend, env)
    else:
        product, sign = _signs(name)

        def run(a: Array, b: Array, c: Array, env: Environment) -> Array:
            given = a, b, c
            return _kept_nans(fma, given[x], given[y], given[z], sign(given[z]), env, product)

    return run


def _kept_nans(
    fma: Callable[..., Array],
    a: Array,
    b: Array,
    c: Array,
    addend: Array,
    env: Environment,
    factor: Callable[[Array], Array] = lambda x: x,
) -> Array:
    """Return +-a * b +- c, where a NaN operand keeps its sign."""
    a = np.where(np.isnan(a), a, factor(a))
    return fma(a, b, np.where(np.isnan(c), c, addend), env)


def _fused_table() -> dict[str, Semantic]:
    table: dict[str, Semantic] = {}
    for name in ("fmadd", "fmsub", "fnmadd", "fnmsub", "fmaddsub", "fmsubadd"):
        endings = _PACKED if name in ("fmaddsub", "fmsubadd") else _ENDINGS
        for order in ORDERS:
            function = fused(name, order)
            table |= each(f"v{name}{order}{endings}", lambda e, f=function: floats(f, *[FLOATS[e[1]]] * 4))  # type: ignore[misc]
    return table


# Comparisons: for each predicate, whether it holds for less, equal, greater, unordered

_HOLDS = ("e", "l", "le", "u", "lgu", "egu", "gu", "leg", "eu", "lu", "leu", "", "lg", "eg", "g", "legu")


def compared(a: Array, b: Array, env: Environment, predicate: int) -> Array:
    """Evaluate one of the 32 predicates of vcmpps. The upper half differs only in which NaNs signal."""
    a, b = _flushed(a, env), _flushed(b, env)
    holds = _HOLDS[predicate & 15]
    result = np.zeros(np.broadcast_shapes(a.shape, b.shape), bool)
    for letter, relation in (("l", np.less), ("e", np.equal), ("g", np.greater)):
        if letter in holds:
            result |= relation(a, b)
    if "u" in holds:
        result |= np.isnan(a) | np.isnan(b)
    return result


def _ordered(letter: str) -> Semantic:
    """vucomiss, vcomiss: the flags encode greater (none), less (carry), equal (zero) or unordered (all three)."""
    dtype = FLOATS[letter]

    def predecode(ctx: X86Context) -> Run:
        first, second, env, state = ctx.source(0, dtype, 1), ctx.source(1, dtype, 1), ctx.env(), ctx.state

        def run() -> None:
            given = fp16.environment(env()) if letter == "h" else env()
            a, b = (float(_flushed(x, given)[0]) for x in (first(), second()))
            unordered = a != a or b != b
            state.zf, state.pf, state.cf = unordered or a == b, unordered, unordered or a < b
            state.of = state.af = state.sf = False

        return run

    return predecode


def _tested(dtype: Any) -> Semantic:
    """vtestps: set the flags by the sign bits of AND and of AND NOT."""

    def predecode(ctx: X86Context) -> Run:
        count, state = ctx.count(dtype), ctx.state
        first, second = ctx.source(0, dtype, count), ctx.source(1, dtype, count)

        def run() -> None:
            a, b = first(), second()
            state.zf, state.cf = not (a & b < 0).any(), not (~a & b < 0).any()
            state.of = state.af = state.pf = state.sf = False

        return run

    return predecode


_CLASSES: tuple[Callable[[Array], Array], ...] = (
    lambda x: np.isnan(x) & ~fp.is_signaling(x),
    lambda x: (x == 0) & ~np.signbit(x),
    lambda x: (x == 0) & np.signbit(x),
    lambda x: x == np.inf,
    lambda x: x == -np.inf,
    lambda x: (x != 0) & (fp.flushed(x) == 0),
    lambda x: (x < 0) & (x != -np.inf),
    fp.is_signaling,
)


def classified(x: Array, env: Environment, choice: int) -> Array:
    """vfpclassps: the classes are quiet NaN, +0, -0, +infinity, -infinity, denormal, negative, signaling NaN."""
    x = _flushed(x, env)
    chosen = [test(x) for at, test in enumerate(_CLASSES) if choice >> at & 1]
    return np.any(chosen, axis=0) if chosen else np.zeros(x.shape, bool)


def _of(letter: str, count: int) -> list[Any]:
    return [FLOATS[letter]] * count


TABLE: dict[str, Semantic] = {
    **{
        key: value
        for name, function in _ARITHMETIC.items()
        for key, value in each(
            f"v{name}{_ENDINGS}",
            lambda e, f=function: floats(f, *_of(e[1], 3)),  # type: ignore[misc]
        ).items()
    },
    **FIXED,
    **each("vrange{ps,pd,ss,sd}", lambda e: floats(_range, *_of(e[1], 3))),
    **each(f"vsqrt{_ENDINGS}", lambda e: floats(fp.sqrt, *_of(e[1], 2))),
    **_fused_table(),
    **{
        f"v{name}{ending}": floats(partial(function, root=name.startswith("rsqrt")), *_of(ending[1], 2))
        for suffix, function, endings in (
            ("", estimates.coarse, "ps ss"),
            ("14", estimates.fine, "ps pd ss sd"),
            ("", estimates.nearest, "ph sh"),
        )
        for name in (f"rcp{suffix}", f"rsqrt{suffix}")
        for ending in endings.split()
    },
    **each("vcmp{ps,pd,ph,ss,sd,sh}", lambda e: masked(compared, *_of(e[1], 2), env=True)),
    **each("vfpclass{ps,pd,ph,ss,sd,sh}", lambda e: masked(classified, FLOATS[e[1]], env=True)),
    **{f"vucomis{letter}": _ordered(letter) for letter in FLOATS},
    "vtestps": _tested(SIGNED["d"]),
    "vtestpd": _tested(SIGNED["q"]),
}
