"""Estimates of reciprocals and of reciprocal square roots on x86.

The manual bounds the error of an estimate, and processors differ within the bound. `rcpps` and `rsqrtps` are those of
Intel's processors: of the middle of the interval that the first 11 or 10 bits of a significand select, rounded to 13
bits. The others are rounded once from the exact number: `rcp14*` and `rsqrt14*` to 14 bits, where processors are off by
up to 2^-14, and those of f16 and bf16 to the format, where they are off by up to a unit in the last place.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from . import fp
from .primitive import primitive
from .rounding import Array, Environment, Rounding

_TABLE_BITS = {False: 12, True: 13}  # bits of a significand of f32 that do not select an entry
_BITS = 13  # of an entry
_FINE_BITS = 14


def _inverse(x: Array, root: bool) -> Array:
    wide = x.astype(np.float64)
    value: Array = 1 / np.sqrt(wide) if root else 1 / wide
    return value


def _cut(value: Array, digits: int) -> Array:
    """Round to a number of significant bits."""
    mantissa, exponent = np.frexp(value)
    rounded: Array = np.ldexp(np.rint(np.ldexp(mantissa, digits)), exponent - digits)
    return rounded


def _numbers(x: Array, value: Array, env: Environment) -> Array:
    """Return estimates in the format of x, with its rules for NaN."""
    fmt = fp.FORMATS[x.dtype]
    if x.dtype == np.float64:
        bits = (fp.flushed(value) if env.ftz else value).view(np.uint64)
    else:
        bits = fp.convert(value, fmt, replace(env, rounding=Rounding.NEAREST, daz=False))
    bits = np.where(np.isnan(value), fmt.unsigned(fmt.default_nan(env.nans)), bits)
    return np.where(np.isnan(x), x.view(fmt.unsigned) | fmt.unsigned(fmt.quiet), bits).view(x.dtype)


@primitive
def coarse(x: Array, env: Environment, root: bool) -> Array:
    """rcpps, rsqrtps. Denormals count as zeros and small results become zeros, whatever MXCSR is."""
    x = fp.flushed(x)
    low = np.uint32(1 << _TABLE_BITS[root])
    middle = (x.view(np.uint32) & ~(low - np.uint32(1)) | low >> np.uint32(1)).view(np.float32)
    middle = np.where(np.isfinite(x) & (x != 0), middle, x)
    with np.errstate(all="ignore"):
        value = _cut(_inverse(middle, root), _BITS)
        return _numbers(x, value, replace(env, ftz=True))


@primitive
def fine(x: Array, env: Environment, root: bool) -> Array:
    """rcp14ps, rsqrt14ps and the same of f64. MXCSR flushes, but does not round."""
    x = fp.flushed(x) if env.daz else x
    with np.errstate(all="ignore"):
        return _numbers(x, _cut(_inverse(x, root), _FINE_BITS), env)


@primitive
def nearest(x: Array, env: Environment, root: bool) -> Array:
    """rcpph, rsqrtph."""
    with np.errstate(all="ignore"):
        return _numbers(x, _inverse(x, root), env)
