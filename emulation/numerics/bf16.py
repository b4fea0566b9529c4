"""bf16, the upper half of f32: conversions and dot products of x86 and Arm, on arrays of uint16 bits.

    vdpbf16ps(c, a, b)      c[i] + a[2i+1] b[2i+1], then + a[2i] b[2i]       two fused steps
    bfdot(c, a, b)          c[i] + (a[2i] b[2i] + a[2i+1] b[2i+1])           three steps, each rounded to odd
    bfmmla(c, a, b)         C (2, 2) + A (2, 4) @ B (2, 4).T                 for every four accumulators

The last axis of a and b is twice as long as that of c; the other axes are the same. Sources: Intel SDM, VDPBF16PS and
VCVTNEPS2BF16; Arm ARM DDI 0487, BFDotAdd, BFMatMulAdd, BFRound with FPCR.EBF = 0. docs/numerics.md describes the tests.
"""

from __future__ import annotations

import numpy as np

from . import fp
from .exact import odd_sum
from .primitive import primitive
from .rounding import ARM, BF16, X86_FLUSHED, Array, Environment, pack

_HALF = np.uint32(16)
_F32_BITS = np.uint64((1 << 29) - 1)  # the bits of an f64 significand that an f32 lacks
_F32_LAST = np.uint64(29)
_NAN = np.float32(np.nan)  # 0x7FC00000


def widened(bits: Array) -> Array:
    """Return bf16 as f32, which is exact."""
    wide: Array = bits.astype(np.uint32) << _HALF
    return wide.view(np.float32)


# x86


def vcvtneps2bf16(x: Array) -> Array:
    """Round f32 to bf16, to nearest even. Denormals become zeros, and a NaN becomes quiet. MXCSR has no effect."""
    return _nearest(fp.flushed(x))


def vcvtne2ps2bf16(high: Array, low: Array) -> Array:
    """Convert two registers of f32 to one of bf16. The first source becomes the upper half of the last axis."""
    return np.concatenate([vcvtneps2bf16(low), vcvtneps2bf16(high)], axis=-1)


def vdpbf16ps(c: Array, a: Array, b: Array) -> Array:
    """Return c + the products of pairs, the odd one first, by two fused multiply-adds. Denormals are flushed, and MXCSR
    has no effect."""
    a, b = widened(a), widened(b)
    return fp.fma(a[..., ::2], b[..., ::2], fp.fma(a[..., 1::2], b[..., 1::2], c, X86_FLUSHED), X86_FLUSHED)


def upper(x: Array) -> Array:
    """Return f32 that are bf16 as such."""
    bits: Array = (x.view(np.uint32) >> _HALF).astype(np.uint16)
    return bits


def div(a: Array, b: Array, env: Environment) -> Array:
    """VDIVBF16: a / b. Rounding to f64 first is harmless, because f64 has more than twice the digits."""
    x, y = _operand(a, env), _operand(b, env)
    return _rounded(x.astype(np.float64) / y.astype(np.float64), fp.div(x, y, env), env)


def sqrt(a: Array, env: Environment) -> Array:
    """VSQRTBF16: the square root of a."""
    x = _operand(a, env)
    return _rounded(np.sqrt(x.astype(np.float64)), fp.sqrt(x, env), env)


def inverse(a: Array, env: Environment, root: bool) -> Array:
    """VRCPBF16, VRSQRTBF16: processors may be off by a unit in the last place."""
    x = _operand(a, env)
    exact = 1 / (np.sqrt(x.astype(np.float64)) if root else x.astype(np.float64))
    nan = fp.sqrt(x, env) if root else fp.div(np.ones_like(x), x, env)
    return _rounded(exact, nan, env)


@primitive
def _nearest(x: Array) -> Array:
    """Round f32 to bf16, to nearest even. A NaN becomes quiet."""
    bits = x.view(np.uint32)
    upper = bits >> _HALF
    rounded: Array = bits + np.uint32(0x7FFF) + (upper & np.uint32(1)) >> _HALF
    nan = x != x
    if np.count_nonzero(nan):
        rounded = np.where(nan, upper | np.uint32(0x40), rounded)
    return rounded.astype(np.uint16)


# Arm


def bfcvt(x: Array, env: Environment = ARM) -> Array:
    """Round f32 to bf16 as FPCR specifies."""
    return _nearest(x) if env == ARM else fp.convert(x, BF16, env)


def bfmlal(c: Array, a: Array, b: Array, top: bool, env: Environment = ARM) -> Array:
    """BFMLALB, or BFMLALT with `top`: one fused multiply-add of the even or odd elements, as FPCR specifies."""
    return fp.fma(widened(a[..., top::2]), widened(b[..., top::2]), c, env)


def add(a: Array, b: Array, env: Environment) -> Array:
    """BFADD: return a + b in bf16, rounded once as FPCR specifies."""
    x, y = _operand(a, env), _operand(b, env)
    return _rounded(odd_sum(x.astype(np.float64), y.astype(np.float64)), fp.add(x, y, env), env)


def sub(a: Array, b: Array, env: Environment) -> Array:
    """BFSUB: return a - b in bf16."""
    x, y = _operand(a, env), _operand(b, env)
    return _rounded(odd_sum(x.astype(np.float64), -y.astype(np.float64)), fp.sub(x, y, env), env)


def mul(a: Array, b: Array, env: Environment) -> Array:
    """BFMUL: return a * b in bf16."""
    x, y = _operand(a, env), _operand(b, env)
    return _rounded(x.astype(np.float64) * y.astype(np.float64), fp.mul(x, y, env), env)


def fma(a: Array, b: Array, c: Array, env: Environment) -> Array:
    """BFMLA: return a * b + c in bf16, rounded once."""
    x, y, z = (_operand(each, env) for each in (a, b, c))
    exact = odd_sum(x.astype(np.float64) * y.astype(np.float64), z.astype(np.float64))
    return _rounded(exact, fp.fma(x, y, z, env), env)


def _operand(bits: Array, env: Environment) -> Array:
    return fp.flushed(widened(bits)) if env.daz else widened(bits)


def _rounded(exact: Array, single: Array, env: Environment) -> Array:
    """Return a result that is exact, or rounded to odd, in bf16. The same result in f32 says which NaN it is, and the
    sign of zero."""
    bits = pack(exact, 0.0, 0, BF16, env)
    result: Array = np.where((exact == 0) | np.isnan(single), single.view(np.uint32) >> _HALF, bits)
    return result.astype(np.uint16)


def bfdot(c: Array, a: Array, b: Array) -> Array:
    """Return c + (the sum of two products). FPCR has no effect."""
    with np.errstate(all="ignore"):
        wide = _wide(a) * _wide(b)
        return _dotted(c, wide[..., ::2], wide[..., 1::2])


def bfmmla(c: Array, a: Array, b: Array) -> Array:
    """Return C + A @ B.T for matrices of two rows, in two steps along the four columns of A and B."""
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
    """Return bf16 as f64, with denormals flushed to zero."""
    return fp.flushed(widened(bits)).astype(np.float64)


@primitive
def _dotted(c: Array, first: Array, second: Array) -> Array:
    """Return c + (first + second) in f32, for exact products in f64."""
    total = _odd(odd_sum(_odd(first).astype(np.float64), _odd(second).astype(np.float64)))
    result = _odd(odd_sum(fp.flushed(c).astype(np.float64), total.astype(np.float64)))
    nan = result != result
    return np.where(nan, _NAN, result) if np.count_nonzero(nan) else result


def _odd(x: Array) -> Array:
    """Round an f64, which is exact or rounded to odd, to f32, to odd. Values from 2^128 on become infinite, values
    below the normal numbers become zero."""
    bits: Array = fp.zeros_below(x, 2.0**-126).view(np.uint64)
    bits = bits & ~_F32_BITS | ((bits & _F32_BITS) != 0).astype(np.uint64) << _F32_LAST
    return bits.view(np.float64).astype(np.float32)
