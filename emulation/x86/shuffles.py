"""Permutations and blends of vectors. Mnemonic -> how it is made ready."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...encoder.x86.registers import Mem
from ..core.closures import Run, called
from .lanes import U1, U2, U4, U8, UNSIGNED, Array, each, whole
from .operands import Context, Semantic

Function = Callable[..., Array]

BY_ENDING = {**UNSIGNED, "ps": U4, "pd": U8, "bw": U1, "wd": U2, "dq": U4, "qdq": U8}
"""The elements that are moved, by the ending of a mnemonic."""


def _rows(a: Array) -> Array:
    """The elements, a row for each 128 bits."""
    return a.reshape(-1, 16 // a.dtype.itemsize)


def _unpack(a: Array, b: Array, high: bool) -> Array:
    x, y = _rows(a), _rows(b)
    half = x.shape[1] // 2
    part = slice(half, None) if high else slice(0, half)
    return np.stack([x[:, part], y[:, part]], axis=2).reshape(-1)


def _digits(number: int, bits: int, count: int) -> list[int]:
    """`count` numbers of `bits` bits, the lowest first, from the start again where the immediate ends."""
    return [number >> at * bits % 8 & (1 << bits) - 1 for at in range(count)]


def _picked(a: Array, choice: int) -> Array:
    """vpshufd, vpermilps: four elements of each 128 bits by an immediate."""
    return _rows(a)[:, _digits(choice, 2, 4)].reshape(-1)


def _picked_pairs(a: Array, choice: int) -> Array:
    """vpermilpd: one bit for each element."""
    bits = np.array([choice >> at & 1 for at in range(len(a))])
    result: Array = a[np.arange(len(a)) & ~1 | bits]
    return result


def _picked_words(a: Array, choice: int, high: bool) -> Array:
    result: Array = a.copy()
    first = 4 if high else 0
    _rows(result)[:, first : first + 4] = _rows(a)[:, [first + digit for digit in _digits(choice, 2, 4)]]
    return result


def _shuffled(a: Array, b: Array, choice: int) -> Array:
    """vshufps: two elements of a, two of b."""
    i, j, k, m = _digits(choice, 2, 4)
    x, y = _rows(a), _rows(b)
    return np.stack([x[:, i], x[:, j], y[:, k], y[:, m]], axis=1).reshape(-1)


def _shuffled_pairs(a: Array, b: Array, choice: int) -> Array:
    """vshufpd: one element of a, one of b, by a bit each."""
    result = np.empty_like(a)
    for at in range(len(a)):
        source = b if at & 1 else a
        result[at] = source[at & ~1 | choice >> at & 1]
    return result


def _picked_by(a: Array, by: Array) -> Array:
    """vpermilps: by the low bits of a vector, in each 128 bits."""
    per = 16 // a.dtype.itemsize
    at = by & by.dtype.type(3) if per == 4 else by >> by.dtype.type(1) & by.dtype.type(1)
    result: Array = a[np.arange(len(a)) // per * per + at.astype(np.intp)]
    return result


def _bytes_by(a: Array, by: Array) -> Array:
    """vpshufb."""
    at = np.arange(len(a)) & ~15 | by & 15
    result: Array = np.where(by & 0x80, U1.type(0), a[at])
    return result


def _permuted(by: Array, a: Array) -> Array:
    """vpermd: elements from anywhere."""
    result: Array = a[(by & by.dtype.type(len(a) - 1)).astype(np.intp)]
    return result


def _permuted_quads(a: Array, choice: int) -> Array:
    """vpermq by an immediate: in each 256 bits."""
    return a.reshape(-1, 4)[:, _digits(choice, 2, 4)].reshape(-1)


def _from_two(first: Array, second: Array, by: Array) -> Array:
    both = np.concatenate([first, second])
    result: Array = both[(by & by.dtype.type(len(both) - 1)).astype(np.intp)]
    return result


def _blended(a: Array, b: Array, choice: int) -> Array:
    return np.where([bool(choice >> at % 8 & 1) for at in range(len(a))], b, a)


def _blended_by(a: Array, b: Array, by: Array) -> Array:
    """vblendvps: by sign bits."""
    return np.where(by >> by.dtype.type(8 * by.dtype.itemsize - 1), b, a)


def _aligned(a: Array, b: Array, by: int) -> Array:
    """valignd: b and then a, from an element on."""
    start = by & len(a) - 1
    return np.concatenate([b, a])[start : start + len(a)]


def _bytes_aligned(a: Array, b: Array, by: int) -> Array:
    """vpalignr: the same of bytes in each 128 bits, zeros behind."""
    x, y = _rows(a), _rows(b)
    both = np.concatenate([y, x, np.zeros_like(x), np.zeros_like(x)], axis=1)
    by = min(by & 0xFF, 32)
    return both[:, by : by + 16].reshape(-1)


def _halves(a: Array, b: Array, choice: int) -> Array:
    """vperm2f128: each half is one of four, or zero."""
    quarters = [a[:2], a[2:], b[:2], b[2:]]
    chosen = [np.zeros(2, U8) if part & 8 else quarters[part & 3] for part in (choice & 15, choice >> 4 & 15)]
    return np.concatenate(chosen)


def _blocks(a: Array, b: Array, choice: int) -> Array:
    """vshuff32x4: 128-bit blocks of a, then of b."""
    x, y = _rows(a), _rows(b)
    count = len(x)
    bits = 1 if count == 2 else 2
    picks = _digits(choice, bits, count)
    return np.concatenate([(x if at < count // 2 else y)[pick] for at, pick in enumerate(picks)])


def _doubled(first: int) -> Function:
    """vmovsldup, vmovshdup, vmovddup: every second element twice."""
    return lambda a: np.repeat(a[first::2], 2)


def _overloaded(by_immediate: Semantic, by_vector: Semantic) -> Semantic:
    return lambda ctx: (by_immediate if isinstance(ctx.operands[-1], int) else by_vector)(ctx)


def _whole(function: Function, sources: int) -> Callable[[str], Semantic]:
    """Of as many vectors, of elements as the ending says."""
    return lambda e: whole(function, *[BY_ENDING[e]] * (sources + 1))


def _t2(index: int) -> Callable[[str], Semantic]:
    """vpermt2, vpermi2: which of the three operands has the indices."""

    def function(*given: Array) -> Array:
        tables = [x for at, x in enumerate(given) if at != index]
        return _from_two(tables[0], tables[1], given[index])

    return _whole(function, 3)


TABLE: dict[str, Semantic] = {
    **each("vunpckl{ps,pd}", _whole(partial(_unpack, high=False), 2)),
    **each("vunpckh{ps,pd}", _whole(partial(_unpack, high=True), 2)),
    **each("vpunpckl{bw,wd}", _whole(partial(_unpack, high=False), 2)),
    **each("vpunpckh{bw,wd}", _whole(partial(_unpack, high=True), 2)),
    "vshufps": whole(_shuffled, U4, U4, U4), "vshufpd": whole(_shuffled_pairs, U8, U8, U8),
    "vpshufd": whole(_picked, U4, U4), "vpshufb": whole(_bytes_by, U1, U1, U1),
    "vpshuflw": whole(partial(_picked_words, high=False), U2, U2),
    "vpshufhw": whole(partial(_picked_words, high=True), U2, U2),
    "vpermilps": _overloaded(whole(_picked, U4, U4), whole(_picked_by, U4, U4, U4)),
    "vpermilpd": _overloaded(whole(_picked_pairs, U8, U8), whole(_picked_by, U8, U8, U8)),
    **each("vperm{b,w,d}", _whole(_permuted, 2)),
    "vpermq": _overloaded(whole(_permuted_quads, U8, U8), whole(_permuted, U8, U8, U8)),
    **each("vpermt2{b,w,d,q}", _t2(1)), **each("vpermi2{b,w,d,q}", _t2(0)),
    "vperm2f128": whole(_halves, U8, U8, U8),
    "vblendps": whole(_blended, U4, U4, U4), "vblendpd": whole(_blended, U8, U8, U8),
    "vpblendw": whole(_blended, U2, U2, U2),
    "vblendvps": whole(_blended_by, U4, U4, U4, U4), "vblendvpd": whole(_blended_by, U8, U8, U8, U8),
    "vpblendvb": whole(_blended_by, U1, U1, U1, U1),
    "valignd": whole(_aligned, U4, U4, U4), "valignq": whole(_aligned, U8, U8, U8),
    "vpalignr": whole(_bytes_aligned, U1, U1, U1),
    "vshuff32x4": whole(_blocks, U4, U4, U4), "vshuff64x2": whole(_blocks, U8, U8, U8),
    "vmovsldup": whole(_doubled(0), U4, U4), "vmovshdup": whole(_doubled(1), U4, U4),
}  # fmt: skip


def _movddup(ctx: Context) -> Run:
    """A 128-bit one reads 64 bits of memory."""
    if isinstance(ctx.operands[1], Mem) and ctx.length == 16:
        return called(lambda a: np.repeat(a, 2), [ctx.source(1, U8, 1, suppress=False)], ctx.target(0, U8, 2))
    return whole(_doubled(0), U8, U8)(ctx)


TABLE["vmovddup"] = _movddup
