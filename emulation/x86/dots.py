"""Dot products, horizontal sums, gathers and scatters. Maps semantics keys to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...encoder.x86.registers import Mem
from ..core.closures import Run
from ..core.memory import WRITE
from ..numerics import bf16, fp, fp16
from ..numerics.dot import DOTS
from ..numerics.rounding import Environment
from .float import negated
from .lanes import F2, F4, F8, I4, I8, U1, U2, U4, U8, Array, each, floats, lanes
from .operands import Semantic, X86Context

_TYPES = {2: U2, 4: U4, 8: U8}


def _dot(name: str) -> Semantic:
    """Each result element adds the products of its sub-elements; a mask bit stands for one sum."""
    dot = DOTS[name]
    to, parts = np.dtype(dot.result), (np.dtype(dot.first), np.dtype(dot.second))
    word = _TYPES[to.itemsize]
    if name.startswith("vpmadd"):
        return lanes(lambda a, b: dot(None, a.view(parts[0]), b.view(parts[1])), to, word, word)
    return lanes(lambda c, a, b: dot(c, a.view(parts[0]), b.view(parts[1])), to, to, word, word)


def _bf16(c: Array, a: Array, b: Array) -> Array:
    return bf16.vdpbf16ps(c, a.view(U2), b.view(U2))


def _pairwise(operation: Callable[[Array, Array, Environment], Array]) -> Callable[..., Array]:
    """vhaddps: combine neighbours of a, then neighbours of b, in each 128-bit lane."""

    def function(a: Array, b: Array, env: Environment) -> Array:
        per = 16 // a.dtype.itemsize
        both = np.concatenate([a.reshape(-1, per), b.reshape(-1, per)], axis=1)
        return operation(both[:, ::2].reshape(-1), both[:, 1::2].reshape(-1), env)

    return function


def _alternating(a: Array, b: Array, env: Environment) -> Array:
    """vaddsubps: subtract at even positions and add at odd positions."""
    result = fp.add(a, b, env)
    result[::2] = fp.sub(a[::2].copy(), b[::2].copy(), env)
    return result


def _masked_dot(a: Array, b: Array, env: Environment, choice: int) -> Array:
    """vdpps, vdppd: add the products that the high half of the immediate selects, by pairs; its low half selects the
    elements of each 128-bit lane that get the sum, the others become zero. The order of the operands of each
    sum, which decides between NaNs, is that of Intel's processors."""
    per = 16 // a.dtype.itemsize
    zero = np.zeros(1, a.dtype)
    chosen = np.array([choice >> 4 + at & 1 for at in range(per)], bool)
    sums = np.where(chosen, fp.mul(a, b, env).reshape(-1, per), zero)
    at = np.arange(per)
    if per == 4:
        sums = fp.add(sums[:, at ^ 1], sums, env)
    sums = fp.add(sums, sums[:, at ^ per // 2], env)
    written = np.array([choice >> at & 1 for at in range(per)], bool)
    return np.where(written, sums, zero).reshape(-1)


# Complex numbers of f16


def _complex(conjugate: bool) -> Callable[..., Array]:
    """vfmulcph, vfmaddcph: a b or c + a b by fused steps, first those with the real part of b. vfcmulcph and vfcmaddcph
    take the conjugate of b. Elements are pairs, the real part first."""

    def function(*given: Any) -> Array:
        *numbers, env = given
        c, a, b = (None, *numbers) if len(numbers) == 2 else numbers
        a, b = a.view(F2).reshape(-1, 2), b.view(F2).reshape(-1, 2)
        real, imaginary = b[:, :1], b[:, 1:]
        first = fp.mul(a, real, env) if c is None else fp.fma(a, real, c.view(F2).reshape(-1, 2), env)
        factors = a[:, ::-1].copy()
        negative = factors[:, int(conjugate)]
        factors[:, int(conjugate)] = np.where(np.isnan(negative), negative, negated(negative))
        return fp.fma(factors, imaginary, first, env).reshape(-1).view(U4)

    return function


def _complex_semantic(name: str) -> Semantic:
    function = _complex(conjugate=name.startswith("vfc"))

    def half(*given: Any) -> Array:
        return function(*given[:-1], fp16.environment(given[-1]))

    return floats(half, U4, *[U4] * (3 if "madd" in name else 2), rest=1)


# Gathers and scatters


def _gather(index_type: Any, dtype: Any) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        mem, state = ctx.operands[1], ctx.state
        count = ctx.count(index_type, dtype)
        row, above = (
            state.row(ctx.operands[0].num, dtype, count),
            state.above(ctx.operands[0].num, dtype.itemsize * count),
        )
        clear = _clear_mask(ctx, dtype, count)
        wanted = ctx.active(count) or _signs(ctx, dtype, count)
        places, view, size = _places(ctx, mem, index_type, count), state.memory.view, dtype.itemsize

        def run() -> None:
            active, at = wanted(), places()
            for i in np.flatnonzero(active).tolist():
                row[i : i + 1] = view(at[i], size).view(dtype)
            above[:] = 0
            clear()

        return run

    return predecode


def _signs(ctx: X86Context, dtype: Any, count: int) -> Callable[[], Array]:
    """Return the mask of a VEX gather, which is the sign bits of a vector register."""
    mask = ctx.source(2, I4 if dtype.itemsize == 4 else I8, count)
    return lambda: mask() < 0


def _clear_mask(ctx: X86Context, dtype: Any, count: int) -> Callable[[], None]:
    k, state, num = ctx.state.k, ctx.state, ctx.mask
    if num is not None:
        return lambda: k.__setitem__(num, 0)
    row = state.above(ctx.operands[2].num, 0)

    def clear() -> None:
        row[:] = 0

    return clear


def _places(ctx: X86Context, mem: Mem, index_type: Any, count: int) -> Callable[[], list[int]]:
    """Return the address of every element."""
    if mem.index is None:
        raise ValueError("a gather or scatter needs an address with a vector index")
    base, index, scale = ctx.address(mem), ctx.state.row(mem.index.num, index_type, count), mem.scale
    ones = (1 << 64) - 1
    return lambda: [(base() + at * scale) & ones for at in index.tolist()]


def _scatter(index_type: Any, dtype: Any) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        mem, state = ctx.operands[0], ctx.state
        count = ctx.count(index_type, dtype)
        value, wanted = ctx.source(1, dtype, count), ctx.active(count)
        places, view, size = _places(ctx, mem, index_type, count), state.memory.view, dtype.itemsize
        clear = _clear_mask(ctx, dtype, count)

        def run() -> None:
            given, at = value(), places()
            chosen = range(count) if wanted is None else np.flatnonzero(wanted()).tolist()
            for i in chosen:
                view(at[i], size, WRITE)[:] = given[i : i + 1].view(U1)
            clear()

        return run

    return predecode


def _by_index(name: str, make: Callable[[Any, Any], Semantic]) -> dict[str, Semantic]:
    """The semantics of gathers such as vgatherdps: indices of 32 or 64 bits (d, q), elements ps or pd."""
    table = {}
    for letter, index_type in (("d", I4), ("q", I8)):
        for ending, dtype in (("ps", U4), ("pd", U8)):
            table[f"v{name}{letter}{ending}"] = make(index_type, dtype)
    return table


TABLE: dict[str, Semantic] = {
    **{name: _dot(name) for name in DOTS if name.startswith("v")},
    "vdpbf16ps": lanes(_bf16, F4, F4, U4, U4),
    "vhaddps": floats(_pairwise(fp.add), F4, F4, F4),
    "vhaddpd": floats(_pairwise(fp.add), F8, F8, F8),
    "vhsubps": floats(_pairwise(fp.sub), F4, F4, F4),
    "vhsubpd": floats(_pairwise(fp.sub), F8, F8, F8),
    **each("vaddsub{ps,pd}", lambda e: floats(_alternating, *[F4 if e == "ps" else F8] * 3)),
    "vdpps": floats(_masked_dot, F4, F4, F4),
    "vdppd": floats(_masked_dot, F8, F8, F8),
    **{
        name: _complex_semantic(name)
        for kind in ("mul", "madd")
        for c in ("", "c")
        for e in "ps"
        for name in (f"vf{c}{kind}c{e}h",)
    },
    **_by_index("gather", _gather),
    **_by_index("scatter", _scatter),
}
