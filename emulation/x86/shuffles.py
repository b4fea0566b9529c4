"""Permutations and blends of vectors. Maps semantics keys to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...encoder.x86.registers import Mem
from ..core.closures import Run, called
from .lanes import U1, U2, U4, U8, UNSIGNED, Array, each, whole
from .operands import Semantic, X86Context

Function = Callable[..., Array]

BY_ENDING = {**UNSIGNED, "ps": U4, "pd": U8, "bw": U1, "wd": U2, "dq": U4, "qdq": U8}
"""The elements that are moved, by the ending of a mnemonic."""


def _rows(a: Array) -> Array:
    """Return the elements as an array with one row for each 128-bit lane."""
    return a.reshape(-1, 16 // a.dtype.itemsize)


def _unpack(a: Array, b: Array, high: bool) -> Array:
    x, y = _rows(a), _rows(b)
    half = x.shape[1] // 2
    part = slice(half, None) if high else slice(0, half)
    return np.stack([x[:, part], y[:, part]], axis=2).reshape(-1)


def _digits(number: int, bits: int, count: int) -> list[int]:
    """Split an immediate into `count` fields of `bits` bits, the lowest first; they repeat if the immediate ends."""
    return [number >> at * bits % 8 & (1 << bits) - 1 for at in range(count)]


def _picked(a: Array, choice: int) -> Array:
    """vpshufd, vpermilps: select four elements in each 128-bit lane by an immediate."""
    return _rows(a)[:, _digits(choice, 2, 4)].reshape(-1)


def _picked_pairs(a: Array, choice: int) -> Array:
    """vpermilpd: select each element by one bit."""
    bits = np.array([choice >> at & 1 for at in range(len(a))])
    result: Array = a[np.arange(len(a)) & ~1 | bits]
    return result


def _picked_words(a: Array, choice: int, high: bool) -> Array:
    result: Array = a.copy()
    first = 4 if high else 0
    _rows(result)[:, first : first + 4] = _rows(a)[:, [first + digit for digit in _digits(choice, 2, 4)]]
    return result


def _shuffled(a: Array, b: Array, choice: int) -> Array:
    """vshufps: select two elements of a and two of b."""
    i, j, k, m = _digits(choice, 2, 4)
    x, y = _rows(a), _rows(b)
    return np.stack([x[:, i], x[:, j], y[:, k], y[:, m]], axis=1).reshape(-1)


def _shuffled_pairs(a: Array, b: Array, choice: int) -> Array:
    """vshufpd: select one element of a and one of b, by one bit each."""
    result = np.empty_like(a)
    for at in range(len(a)):
        source = b if at & 1 else a
        result[at] = source[at & ~1 | choice >> at & 1]
    return result


def _picked_by(a: Array, by: Array) -> Array:
    """vpermilps: select elements by the low bits of a vector in each 128-bit lane."""
    per = 16 // a.dtype.itemsize
    at = by & by.dtype.type(3) if per == 4 else by >> by.dtype.type(1) & by.dtype.type(1)
    result: Array = a[np.arange(len(a)) // per * per + at.astype(np.intp)]
    return result


def _bytes_by(a: Array, by: Array) -> Array:
    """vpshufb: select bytes in each 128-bit lane, or zero if the index has its high bit set."""
    at = np.arange(len(a)) & ~15 | by & 15
    result: Array = np.where(by & 0x80, U1.type(0), a[at])
    return result


def _permuted(by: Array, a: Array) -> Array:
    """vpermd: select elements across the whole vector."""
    result: Array = a[(by & by.dtype.type(len(a) - 1)).astype(np.intp)]
    return result


def _permuted_quads(a: Array, choice: int) -> Array:
    """vpermq by an immediate: select elements in each 256 bits."""
    return a.reshape(-1, 4)[:, _digits(choice, 2, 4)].reshape(-1)


def _from_two(first: Array, second: Array, by: Array) -> Array:
    both = np.concatenate([first, second])
    result: Array = both[(by & by.dtype.type(len(both) - 1)).astype(np.intp)]
    return result


def _blended(a: Array, b: Array, choice: int) -> Array:
    return np.where([bool(choice >> at % 8 & 1) for at in range(len(a))], b, a)


def _blended_by(a: Array, b: Array, by: Array) -> Array:
    """vblendvps: select by sign bits."""
    return np.where(by >> by.dtype.type(8 * by.dtype.itemsize - 1), b, a)


def _aligned(a: Array, b: Array, by: int) -> Array:
    """valignd: concatenate b (low) and a (high), and shift right by whole elements."""
    start = by & len(a) - 1
    return np.concatenate([b, a])[start : start + len(a)]


def _bytes_aligned(a: Array, b: Array, by: int) -> Array:
    """vpalignr: concatenate and shift right by bytes in each 128-bit lane; zeros are shifted in."""
    x, y = _rows(a), _rows(b)
    both = np.concatenate([y, x, np.zeros_like(x), np.zeros_like(x)], axis=1)
    by = min(by & 0xFF, 32)
    return both[:, by : by + 16].reshape(-1)


def _halves(a: Array, b: Array, choice: int) -> Array:
    """vperm2f128: each half of the result is one of four source halves, or zero."""
    quarters = [a[:2], a[2:], b[:2], b[2:]]
    chosen = [np.zeros(2, U8) if part & 8 else quarters[part & 3] for part in (choice & 15, choice >> 4 & 15)]
    return np.concatenate(chosen)


def _blocks(a: Array, b: Array, choice: int) -> Array:
    """vshuff32x4: select 128-bit blocks of a, then of b."""
    x, y = _rows(a), _rows(b)
    count = len(x)
    bits = 1 if count == 2 else 2
    picks = _digits(choice, bits, count)
    return np.concatenate([(x if at < count // 2 else y)[pick] for at, pick in enumerate(picks)])


def _doubled(first: int) -> Function:
    """vmovsldup, vmovshdup, vmovddup: duplicate every second element."""
    return lambda a: np.repeat(a[first::2], 2)


def _overloaded(by_immediate: Semantic, by_vector: Semantic) -> Semantic:
    return lambda ctx: (by_immediate if isinstance(ctx.operands[-1], int) else by_vector)(ctx)


def _whole(function: Function, sources: int) -> Callable[[str], Semantic]:
    """The semantics of a function of `sources` vectors, whose element type is the ending of the mnemonic."""
    return lambda e: whole(function, *[BY_ENDING[e]] * (sources + 1))


def _t2(index: int) -> Callable[[str], Semantic]:
    """The semantics of vpermt2 and vpermi2; `index` is the operand that holds the indices."""

    def function(*given: Array) -> Array:
        tables = [x for at, x in enumerate(given) if at != index]
        return _from_two(tables[0], tables[1], given[index])

    return _whole(function, 3)


TABLE: dict[str, Semantic] = {
    **each("vunpckl{ps,pd}", _whole(partial(_unpack, high=False), 2)),
    **each("vunpckh{ps,pd}", _whole(partial(_unpack, high=True), 2)),
    **each("vpunpckl{bw,wd}", _whole(partial(_unpack, high=False), 2)),
    **each("vpunpckh{bw,wd}", _whole(partial(_unpack, high=True), 2)),
    "vshufps": whole(_shuffled, U4, U4, U4),
    "vshufpd": whole(_shuffled_pairs, U8, U8, U8),
    "vpshufd": whole(_picked, U4, U4),
    "vpshufb": whole(_bytes_by, U1, U1, U1),
    "vpshuflw": whole(partial(_picked_words, high=False), U2, U2),
    "vpshufhw": whole(partial(_picked_words, high=True), U2, U2),
    "vpermilps": _overloaded(whole(_picked, U4, U4), whole(_picked_by, U4, U4, U4)),
    "vpermilpd": _overloaded(whole(_picked_pairs, U8, U8), whole(_picked_by, U8, U8, U8)),
    **each("vperm{b,w,d}", _whole(_permuted, 2)),
    "vpermq": _overloaded(whole(_permuted_quads, U8, U8), whole(_permuted, U8, U8, U8)),
    **each("vpermt2{b,w,d,q}", _t2(1)),
    **each("vpermi2{b,w,d,q}", _t2(0)),
    "vperm2f128": whole(_halves, U8, U8, U8),
    "vblendps": whole(_blended, U4, U4, U4),
    "vblendpd": whole(_blended, U8, U8, U8),
    "vpblendw": whole(_blended, U2, U2, U2),
    "vblendvps": whole(_blended_by, U4, U4, U4, U4),
    "vblendvpd": whole(_blended_by, U8, U8, U8, U8),
    "vpblendvb": whole(_blended_by, U1, U1, U1, U1),
    "valignd": whole(_aligned, U4, U4, U4),
    "valignq": whole(_aligned, U8, U8, U8),
    "vpalignr": whole(_bytes_aligned, U1, U1, U1),
    "vshuff32x4": whole(_blocks, U4, U4, U4),
    "vshuff64x2": whole(_blocks, U8, U8, U8),
    "vmovsldup": whole(_doubled(0), U4, U4),
    "vmovshdup": whole(_doubled(1), U4, U4),
}


def _movddup(ctx: X86Context) -> Run:
    """Predecode vmovddup; the 128-bit form reads only 64 bits of memory."""
    if isinstance(ctx.operands[1], Mem) and ctx.length == 16:
        return called(lambda a: np.repeat(a, 2), [ctx.source(1, U8, 1, suppress=False)], ctx.target(0, U8, 2))
    return whole(_doubled(0), U8, U8)(ctx)


TABLE["vmovddup"] = _movddup
