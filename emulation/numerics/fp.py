"""Floating-point arithmetic as processors do it, on arrays of f16, f32 or f64, including a * b + c with one rounding.

    fma32(a, b, c)                                     x86, in the environment that programs start with
    fma32(a, b, c, X86.rounded(Rounding.ZERO))         EVEX {rz-sae}
    fma64(a, b, c, Environment.of_mxcsr(0x9FC0))       denormals flushed
    fma(a, b, c, ARM)                                  any of the types; NaN rules of Arm

Operands are arrays of one type that broadcast; results are new arrays of that type. All results are bit exact,
including NaN payloads. `a` is the first factor of an x86 instruction's a * b + c; docs/numerics.md says which register
that is.

The product of two f32 or f16 is exact in f64. The product plus the addend is rounded to odd in f64 and then rounded
once to the result. For f64, the result is a sum of three f64, high + low + c (numerics/exact.py).
"""

from __future__ import annotations

import numpy as np

from .exact import odd_sum, product, sum_of_three
from .primitive import primitive
from .rounding import F16, F32, F64, X86, Array, Environment, Format, Nans, Rounding, pack

FORMATS = {np.dtype(np.float16): F16, np.dtype(np.float32): F32, np.dtype(np.float64): F64}

_NATIVE = {F16: np.float16, F32: np.float32}  # numpy rounds these to nearest even, also from f64 in one step
_FAR = 200  # a distance of exponents at which the smaller term only decides the direction of rounding
_SAFE = 2.0**-900  # the error of a product at least this large is representable in f64


# a * b + c


@primitive
def fma(a: Array, b: Array, c: Array, env: Environment = X86) -> Array:
    """Return a * b + c, rounded once."""
    if env.daz:
        a, b, c = flushed(a), flushed(b), flushed(c)
    with np.errstate(all="ignore"):
        result = _fused(a, b, c, env)
        return _with_nans(result, _of_three(a, b, c, env.nans), env) if _any_nan(result) else result


def fma16(a: Array, b: Array, c: Array, env: Environment = X86) -> Array:
    """`fma` for f16 arrays."""
    return fma(_typed(a, np.float16), _typed(b, np.float16), _typed(c, np.float16), env)


def fma32(a: Array, b: Array, c: Array, env: Environment = X86) -> Array:
    """`fma` for f32 arrays."""
    return fma(_typed(a, np.float32), _typed(b, np.float32), _typed(c, np.float32), env)


def fma64(a: Array, b: Array, c: Array, env: Environment = X86) -> Array:
    """`fma` for f64 arrays."""
    return fma(_typed(a, np.float64), _typed(b, np.float64), _typed(c, np.float64), env)


def _fused(a: Array, b: Array, c: Array, env: Environment) -> Array:
    """Return a * b + c; which NaN is returned is unspecified."""
    if a.dtype != np.float64:
        fmt = FORMATS[a.dtype]
        factors, addend = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
        if env.rounding is Rounding.NEAREST and not env.ftz:
            total = factors + addend
            if not _depends_on_its_error(total, fmt):
                return total.astype(a.dtype)
        return _narrowed(odd_sum(factors, addend), factors, addend, fmt, env)
    high, low = product(a, b)
    head, rest = sum_of_three(high, low, c)
    result = _signed(head + rest, high, c)
    if env.rounding is not Rounding.NEAREST or not result.ndim:
        return _fused_apart(a, b, c, env)
    usual = np.isfinite(result)
    if env.ftz:
        usual &= np.abs(result) > 2.0**F64.emin
    sure = (np.abs(high) >= _SAFE) & usual
    if np.count_nonzero(sure) == sure.size:
        return result
    sure |= ((a == 0) | (b == 0)) & (usual | (result == 0))
    if np.count_nonzero(sure) < sure.size:
        doubtful = ~sure
        a, b, c = np.broadcast_arrays(a, b, c)
        result[doubtful] = _fused_apart(a[doubtful], b[doubtful], c[doubtful], env)
    return result


def _depends_on_its_error(total: Array, fmt: Format) -> bool:
    """Whether a narrower format may round a sum in f64 otherwise than the exact sum: an element lies midway between two
    numbers of that format, or is denormal there. The numbers between them are f64, so no other sum is rounded across
    one."""
    half, bits = 1 << F64.precision - fmt.precision - 1, total.view(np.int64)
    below = bits & half - 1
    if np.count_nonzero(below) == below.size:  # none lies midway: the usual case
        return False
    if np.count_nonzero(bits & 2 * half - 1 == half):
        return True
    small = np.abs(total) < 2.0**fmt.emin
    return bool(np.count_nonzero(small) and np.count_nonzero(total[small]))


def _fused_apart(a: Array, b: Array, c: Array, env: Environment) -> Array:
    """Like `_fused` for f64, but with significands and exponents kept apart so that nothing overflows or underflows."""
    (a1, a2), (b1, b2), (c1, c2) = np.frexp(a), np.frexp(b), np.frexp(c)
    no_product = (a == 0) | (b == 0)
    scale = np.where(no_product, c2, a2 + b2)
    distance = np.where(c == 0, 0, c2 - scale)
    high, low = product(a1, b1)
    addend = np.ldexp(c1, np.clip(distance, -_FAR, _FAR))
    head, rest = sum_of_three(high, low, addend)
    value = _signed(head + rest, high, addend)
    tail = rest - (value - head)
    bits = pack(value, tail, scale + np.maximum(distance - _FAR, 0), F64, env)
    result = _zeros_down(bits.view(np.float64), value == 0, high, addend, env)
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    if np.count_nonzero(finite) < finite.size:
        # For a finite operand next to an infinity, only its sign matters and whether it is zero.
        signs = (np.where(np.isfinite(x), np.sign(x) + x * 0, x) for x in (a, b, c))
        result = np.where(finite, result, _plainly(*signs))
    return result


def _plainly(a: Array, b: Array, c: Array) -> Array:
    return np.asarray(a * b + c)


# The other operations


@primitive
def add(a: Array, b: Array, env: Environment = X86) -> Array:
    """Return a + b."""
    a, b = _operand(a, env), _operand(b, env)
    with np.errstate(all="ignore"):
        plain = env.rounding is Rounding.NEAREST and not env.ftz
        result = a + b if plain else _fused(a, np.ones_like(a), b, env)
        return _with_nans(result, (a, b), env) if _any_nan(result) else result


@primitive
def sub(a: Array, b: Array, env: Environment = X86) -> Array:
    """Return a - b."""
    a, b = _operand(a, env), _operand(b, env)
    with np.errstate(all="ignore"):
        plain = env.rounding is Rounding.NEAREST and not env.ftz
        result = a - b if plain else _fused(a, np.ones_like(a), -b, env)
        return _with_nans(result, (a, b), env) if _any_nan(result) else result


@primitive
def mul(a: Array, b: Array, env: Environment = X86) -> Array:
    """Return a * b."""
    a, b = _operand(a, env), _operand(b, env)
    with np.errstate(all="ignore"):
        result = a * b
        if env.rounding is not Rounding.NEAREST or env.ftz:
            result = _fused(a, b, np.copysign(np.zeros_like(result), result), env)
        return _with_nans(result, (a, b), env) if _any_nan(result) else result


@primitive
def div(a: Array, b: Array, env: Environment = X86) -> Array:
    """Return a / b."""
    a, b = _operand(a, env), _operand(b, env)
    with np.errstate(all="ignore"):
        result = a / b
        if env.rounding is not Rounding.NEAREST or env.ftz:
            fmt = FORMATS[a.dtype]
            (a1, a2), (b1, b2) = (np.frexp(x.astype(np.float64)) for x in (a, b))
            quotient = a1 / b1
            high, low = product(quotient, b1)
            error = ((a1 - high) - low) * np.sign(b1)
            bits = pack(quotient, _hint(error), a2 - b2, fmt, env).view(result.dtype)
            result = np.where(np.isfinite(a) & np.isfinite(b) & (b != 0), bits, result)
        return _with_nans(result, (a, b), env) if _any_nan(result) else result


@primitive
def sqrt(a: Array, env: Environment = X86) -> Array:
    """Return the square root of a."""
    a = _operand(a, env)
    with np.errstate(all="ignore"):
        result = np.sqrt(a)
        if env.rounding is not Rounding.NEAREST:
            a1, a2 = np.frexp(a.astype(np.float64))
            odd = a2 & 1
            a1, a2 = np.ldexp(a1, odd), a2 - odd
            root = np.sqrt(a1)
            high, low = product(root, root)
            bits = pack(root, _hint((a1 - high) - low), a2 >> 1, FORMATS[a.dtype], env).view(a.dtype)
            result = np.where(np.isfinite(a) & (a > 0), bits, result)
        return _with_nans(result, (a,), env) if _any_nan(result) else result


def _hint(error: Array) -> Array:
    """Return a small tail: on which side of the nearest f64 a quotient or root lies. It never lies halfway."""
    return np.ldexp(np.sign(error), -60)


@primitive
def convert(x: Array, fmt: Format, env: Environment = X86) -> Array:
    """Return the bits of x (f64, f32 or f16) in a narrower format, rounded once. A NaN keeps the top of its payload."""
    x = _operand(x, env)
    with np.errstate(all="ignore"):
        if fmt in _NATIVE and env.rounding is Rounding.NEAREST and not env.ftz and not env.saturate:
            bits = x.astype(_NATIVE[fmt]).view(fmt.unsigned)
        else:
            bits = pack(x.astype(np.float64), 0.0, 0, fmt, env)
    nan = np.isnan(x)
    if np.count_nonzero(nan) and not fmt.finite:
        source = FORMATS[x.dtype]
        kept = (_bits(x) >> source.unsigned(source.precision - fmt.precision)).astype(np.uint64)
        kept = kept & np.uint64(fmt.quiet - 1) | np.uint64(fmt.infinity | fmt.quiet)
        kept = kept.astype(fmt.unsigned) | bits & fmt.unsigned(fmt.sign)
        default = fmt.unsigned(fmt.default_nan(env.nans))
        bits = np.where(nan, default if env.nans.only_default else kept, bits)
    return bits


@primitive
def extend(x: Array, dtype: type[np.floating], env: Environment = X86) -> Array:
    """Return x (f16 or f32) in a wider type, which is exact. A NaN keeps its payload and becomes quiet."""
    x = _operand(x, env)
    with np.errstate(all="ignore"):
        result = x.astype(dtype)
        return _with_nans(result, (result,), env) if _any_nan(result) else result


# Signs and results


def _signed(value: Array, a: Array, b: Array) -> Array:
    """Return the value of a sum. If it is zero, give it the sign of a + b, which the sums of errors do not have."""
    return value if np.count_nonzero(value) == value.size else np.where(value == 0, a + b, value)


def _narrowed(value: Array, a: Array, b: Array, fmt: Format, env: Environment) -> Array:
    """Return the sum of a and b in a narrower format. `value` is that sum, rounded to odd."""
    dtype = np.dtype(f"f{fmt.width // 8}")
    if env.rounding is Rounding.NEAREST:
        if not env.ftz:
            return value.astype(dtype)
        # If the exponent were unbounded, values at least half an ulp below the smallest normal number would round to
        # it.
        normal = 2.0**fmt.emin - (0.0 if env.tiny_before else 2.0 ** (fmt.emin - fmt.precision - 1))
        return zeros_below(value, normal).astype(dtype)
    if env.rounding is Rounding.ZERO and not env.saturate:
        size = np.abs(value)
        if not np.count_nonzero((size < 2.0**fmt.emin) & (size > 0)):  # nothing is denormal
            nearest = value.astype(dtype)
            return (nearest.view(fmt.unsigned) - (np.abs(nearest.astype(np.float64)) > size)).view(dtype)
    return _zeros_down(pack(value, 0.0, 0, fmt, env).view(dtype), value == 0, a, b, env)


def _zeros_down(result: Array, zero: Array, a: Array, b: Array, env: Environment) -> Array:
    """When rounding down, replace an exact zero sum a + b by -0, unless both operands are +0."""
    if env.rounding is not Rounding.DOWN:
        return result
    positive = (a == 0) & (b == 0) & ~np.signbit(a) & ~np.signbit(b)
    return np.where(zero & ~positive, -np.zeros_like(result), result)


# NaN and denormals


def _any_nan(x: Array) -> bool:
    return bool(np.count_nonzero(x != x))


def _of_three(a: Array, b: Array, c: Array, nans: Nans) -> tuple[Array, ...]:
    """Return the operands in the order in which a NaN is searched among them."""
    if not nans.invalid_wins:
        return (c, a, b) if nans.addend_first else (a, b, c)
    invalid = np.isnan(a * b) & ~np.isnan(a) & ~np.isnan(b) & ~is_signaling(c)
    c = np.where(invalid, np.zeros_like(c), c)
    return (c, a, b) if nans.addend_first else (a, b, c)


@primitive
def is_signaling(x: Array) -> Array:
    """Return which elements are signaling NaNs."""
    fmt = FORMATS[x.dtype]
    signaling: Array = np.isnan(x) & (_bits(x) & fmt.unsigned(fmt.quiet) == 0)
    return signaling


def _with_nans(result: Array, operands: tuple[Array, ...], env: Environment) -> Array:
    """Return the result with each NaN replaced by the NaN that these operands produce."""
    fmt, nans = FORMATS[result.dtype], env.nans
    chosen = np.full(result.shape, fmt.default_nan(nans), fmt.unsigned)
    if not nans.only_default:
        tests = (np.isnan, is_signaling) if nans.signaling_first else (np.isnan,)
        for test in tests:
            for x in reversed(operands):
                chosen = np.where(test(x), _bits(x) | fmt.unsigned(fmt.quiet), chosen)
    return np.where(np.isnan(result), chosen, _bits(result)).view(result.dtype)


def first_nan(result: Array, operands: tuple[Array, ...], env: Environment) -> Array:
    """Return the result with each NaN replaced by the one that operands produce, the first of them first."""
    return _with_nans(result, operands, env)


@primitive
def flushed(x: Array) -> Array:
    """Return x with denormals replaced by zeros of the same sign."""
    return zeros_below(x, 2.0 ** FORMATS[x.dtype].emin)


def zeros_below(x: Array, limit: float) -> Array:
    """Return x with elements below `limit` in magnitude replaced by zeros of their sign; x itself if there are none."""
    small = np.abs(x) < limit
    return np.where(small, np.copysign(x.dtype.type(0), x), x) if np.count_nonzero(small) else x


def _operand(x: Array, env: Environment) -> Array:
    return flushed(x) if env.daz else x


def _typed(x: Array, dtype: type) -> Array:
    if np.asarray(x).dtype != dtype:
        raise TypeError(f"an array of {np.dtype(dtype).name} is wanted, not of {np.asarray(x).dtype.name}")
    return np.asarray(x)


def _bits(x: Array) -> Array:
    return x.view(FORMATS[x.dtype].unsigned)
