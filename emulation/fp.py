"""Floating-point arithmetic as processors do it, on arrays of f16, f32 or f64: a * b + c rounded once, and the rest.

    fma32(a, b, c)                                     x86, as programs start
    fma32(a, b, c, X86.rounded(Rounding.ZERO))         EVEX {rz-sae}
    fma64(a, b, c, Environment.of_mxcsr(0x9FC0))       denormals flushed
    fma(a, b, c, ARM)                                  any of the types; NaN as on Arm

Operands are arrays of one type that broadcast; results are new arrays of it. Everything is bit exact, NaN payloads
included. The first operand of an x86 instruction's a * b + c is `a`: docs/numerics.md says which register that is.

Nothing here is fused: an exact sum of two f64 is a pair (Knuth), an exact product too (Dekker), and f32 or f16 fit into
f64 so well that their product has no error. What cannot be held is rounded to odd, which a later rounding to fewer
bits does not notice (Boldo, Melquiond: "Emulation of a FMA and correctly rounded sums", 2008).
"""

from __future__ import annotations

import numpy as np

from .rounding import F16, F32, F64, X86, Array, Environment

FORMATS = {np.dtype(np.float16): F16, np.dtype(np.float32): F32, np.dtype(np.float64): F64}

_SPLIT = 2.0**27 + 1  # Veltkamp: halves of 26 bits
_FAR = 200  # exponents apart at which the smaller term cannot but decide on a direction
_SAFE = 2.0**-900  # products from here on have their error in f64's range


# a * b + c


def fma(a: Array, b: Array, c: Array, env: Environment = X86) -> Array:
    """a * b + c, rounded once."""
    a, b, c = (_operand(x, env) for x in (a, b, c))
    with np.errstate(all="ignore"):
        result = _fused(a, b, c, env)
        return _with_nans(result, _of_three(a, b, c, env.nans), env) if _any_nan(result) else result


def fma16(a: Array, b: Array, c: Array, env: Environment = X86) -> Array:
    """`fma` of f16 arrays."""
    return fma(_typed(a, np.float16), _typed(b, np.float16), _typed(c, np.float16), env)


def fma32(a: Array, b: Array, c: Array, env: Environment = X86) -> Array:
    """`fma` of f32 arrays."""
    return fma(_typed(a, np.float32), _typed(b, np.float32), _typed(c, np.float32), env)


def fma64(a: Array, b: Array, c: Array, env: Environment = X86) -> Array:
    """`fma` of f64 arrays."""
    return fma(_typed(a, np.float64), _typed(b, np.float64), _typed(c, np.float64), env)
