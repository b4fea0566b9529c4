"""bf16, the upper half of f32: conversions and dot products of x86 and Arm. An array of bf16 is one of uint16 bits.

    vdpbf16ps(c, a, b)      c[i] + a[2i+1] b[2i+1], then + a[2i] b[2i]       two fused steps
    bfdot(c, a, b)          c[i] + (a[2i] b[2i] + a[2i+1] b[2i+1])           three steps, each rounded to odd
    bfmmla(c, a, b)         C (2, 2) + A (2, 4) @ B (2, 4).T                 for every four accumulators

The last axis of a and b is twice as long as that of c; the other axes are the same. Sources: Intel SDM, VDPBF16PS and
VCVTNEPS2BF16; Arm ARM DDI 0487, BFDotAdd, BFMatMulAdd, BFRound with FPCR.EBF = 0; docs/numerics.md has the tests.
"""

from __future__ import annotations

import numpy as np

from . import fp
from .exact import odd_sum
from .primitive import primitive
from .rounding import ARM, BF16, X86_FLUSHED, Array, Environment

_HALF = np.uint32(16)
_F32_BITS = np.uint64((1 << 29) - 1)  # what of an f64 significand an f32 does not have
_F32_LAST = np.uint64(29)
_NAN = np.float32(np.nan)  # 0x7FC00000


def widened(bits: Array) -> Array:
    """bf16 as f32: exact."""
    wide: Array = bits.astype(np.uint32) << _HALF
    return wide.view(np.float32)


# x86


def vcvtneps2bf16(x: Array) -> Array:
    """f32 as bf16, rounded to nearest even; denormals become zeros; a NaN is made quiet. MXCSR plays no part."""
    return _nearest(fp.flushed(x))


def vcvtne2ps2bf16(high: Array, low: Array) -> Array:
    """Two registers of f32 as one of bf16: the instruction's first source becomes the upper half (last axis)."""
    return np.concatenate([vcvtneps2bf16(low), vcvtneps2bf16(high)], axis=-1)


def vdpbf16ps(c: Array, a: Array, b: Array) -> Array:
    """c + the products of pairs, the odd one first: two fused multiply-adds, denormals flushed. MXCSR plays no part."""
    a, b = widened(a), widened(b)
    return fp.fma(a[..., ::2], b[..., ::2], fp.fma(a[..., 1::2], b[..., 1::2], c, X86_FLUSHED), X86_FLUSHED)


@primitive
def _nearest(x: Array) -> Array:
    """f32 as bf16, rounded to nearest even; a NaN is made quiet."""
    bits = x.view(np.uint32)
    upper = bits >> _HALF
    rounded: Array = bits + np.uint32(0x7FFF) + (upper & np.uint32(1)) >> _HALF
    nan = x != x
    if np.count_nonzero(nan):
        rounded = np.where(nan, upper | np.uint32(0x40), rounded)
    return rounded.astype(np.uint16)


# Arm


def bfcvt(x: Array, env: Environment = ARM) -> Array:
    """f32 as bf16, as FPCR says."""
    return _nearest(x) if env == ARM else fp.convert(x, BF16, env)


def bfmlal(c: Array, a: Array, b: Array, top: bool, env: Environment = ARM) -> Array:
    """BFMLALB, and BFMLALT with `top`: one fused multiply-add of the even or odd elements, as FPCR says."""
    return fp.fma(widened(a[..., top::2]), widened(b[..., top::2]), c, env)


def bfdot(c: Array, a: Array, b: Array) -> Array:
    """c + (the sum of two products); FPCR plays no part."""
    with np.errstate(all="ignore"):
        wide = _wide(a) * _wide(b)
        return _dotted(c, wide[..., ::2], wide[..., 1::2])


def bfmmla(c: Array, a: Array, b: Array) -> Array:
    """Matrices of two rows: C + A @ B.T, in two steps along the four columns of A and B."""
    sums = c.reshape(*c.shape[:-1], -1, 2, 2)
    with np.errstate(all="ignore"):
        rows = _wide(a).reshape(*a.shape[:-1], -1, 2, 1, 4)
        columns = _wide(b).reshape(*b.shape[:-1], -1, 1, 2, 4)
        wide = rows * columns
        sums = _dotted(sums, wide[..., 0], wide[..., 1])
        sums = _dotted(sums, wide[..., 2], wide[..., 3])
    result: Array = sums.reshape(c.shape)
    return result


@primitive
def _wide(bits: Array) -> Array:
    """bf16 as f64, denormals as zeros."""
    return fp.flushed(widened(bits)).astype(np.float64)


@primitive
def _dotted(c: Array, first: Array, second: Array) -> Array:
    """c + (first + second) in f32, of exact products in f64."""
    total = _odd(odd_sum(_odd(first).astype(np.float64), _odd(second).astype(np.float64)))
    result = _odd(odd_sum(fp.flushed(c).astype(np.float64), total.astype(np.float64)))
    nan = result != result
    return np.where(nan, _NAN, result) if np.count_nonzero(nan) else result


def _odd(x: Array) -> Array:
    """f64, exact or rounded to odd, as f32 rounded to odd: infinite from 2^128 on, zero below the normal numbers."""
    bits: Array = fp.zeros_below(x, 2.0**-126).view(np.uint64)
    bits = bits & ~_F32_BITS | ((bits & _F32_BITS) != 0).astype(np.uint64) << _F32_LAST
    return bits.view(np.float64).astype(np.float32)
