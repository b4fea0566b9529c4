"""8-bit floating point of the OCP specification (OFP8, revision 1.0), E5M2 and E4M3, on arrays of uint8 bits.

    widened(bits, E4M3)                  f32: exact
    narrowed(x, E4M3)                    nearest even; overflow gives infinity (E5M2) or NaN (E4M3)
    narrowed(x, E4M3, saturating=True)   overflow and infinity give the largest number of that sign, 57344 or 448

E4M3 has no infinity and one NaN of each sign, whose other bits are all ones.
"""

from __future__ import annotations

import functools

import numpy as np

from . import fp
from .rounding import E4M3, E5M2, Array, Environment, Format

__all__ = ["E4M3", "E5M2", "narrowed", "widened"]

_SATURATING = {False: Environment(), True: Environment(saturate=True)}


def widened(bits: Array, fmt: Format, dtype: type[np.floating] = np.float32) -> Array:
    """Return the numbers as f16, f32 or f64, which hold every value. A NaN becomes a quiet one of the same sign."""
    return _values(fmt).astype(dtype)[bits]


def narrowed(x: Array, fmt: Format, saturating: bool = False) -> Array:
    """Round f16, f32 or f64 once to eight bits, to nearest even. Denormals of both formats are kept."""
    return fp.convert(x, fmt, _SATURATING[saturating])


@functools.cache
def _values(fmt: Format) -> Array:
    """Return the value of each of the 256 bit patterns, by the definition of a binary format."""
    magnitude = np.arange(256) & (fmt.sign - 1)
    exponent, fraction = np.divmod(magnitude, 1 << (fmt.precision - 1))
    hidden = (exponent > 0) << (fmt.precision - 1)
    value = np.ldexp(hidden + fraction, np.maximum(exponent, 1) - 1 + fmt.emin - (fmt.precision - 1))
    value = np.where(magnitude == fmt.infinity, np.inf, value)
    value = np.where(magnitude > fmt.infinity - fmt.finite, np.nan, value)
    return np.copysign(value, np.where(np.arange(256) & fmt.sign, -1.0, 1.0))
