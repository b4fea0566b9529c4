"""Rounding as processors do it: formats, rounding modes, flushing of denormals and NaN rules, plus one rounding step.

    X86                         MXCSR as programs start: nearest even, denormals kept, the first NaN wins
    Environment.of_mxcsr(word)  any other MXCSR; of_fpcr(word) for Arm

Sources: Intel SDM volume 1, 4.8.3 (NaN), 10.2.3 (MXCSR), 14.5 (FMA); Arm ARM DDI 0487, FPCR, FPProcessNaNs, FPMulAdd,
FPRound.
"""

from __future__ import annotations

import enum
from dataclasses import replace
from typing import Any

import numpy as np

from ...encoder.records import dataclass

Array = np.ndarray[Any, Any]


class Rounding(enum.Enum):
    """How a value between two representable numbers is rounded."""

    NEAREST = "nearest, ties to even"
    DOWN = "towards -infinity"
    UP = "towards +infinity"
    ZERO = "towards zero"
    ODD = "to the one with an odd significand"


@dataclass(frozen=True)
class Nans:
    """Which NaN an operation returns.

    If an operand is a NaN, the first such operand is returned with its quiet bit set. `signaling_first` prefers
    signaling NaNs, and `addend_first` checks the addend of a fused multiply-add before its factors. Without a NaN
    operand, an invalid operation returns the default NaN. `only_default` always returns the default NaN; `invalid_wins`
    returns it for infinity * 0 plus a quiet NaN.
    """

    negative: bool  # the sign of the default NaN
    signaling_first: bool = False
    addend_first: bool = False
    invalid_wins: bool = False
    only_default: bool = False


X86_NANS = Nans(negative=True)
ARM_NANS = Nans(negative=False, signaling_first=True, addend_first=True, invalid_wins=True)
DEFAULT_NANS = replace(ARM_NANS, only_default=True)


@dataclass(frozen=True)
class Environment:
    """The control-register settings that apply to an operation.

    `daz` treats denormal operands as zeros of their sign; `ftz` returns such zeros instead of denormal results. A
    result counts as denormal if it would be denormal after rounding with an unbounded exponent (x86), or if it was
    before rounding (`tiny_before`, Arm). `saturate` returns the largest finite number instead of infinity. `daz16` is
    `daz` for the f16 operands of Arm instructions whose result is f32.
    """

    rounding: Rounding = Rounding.NEAREST
    daz: bool = False
    ftz: bool = False
    nans: Nans = X86_NANS
    tiny_before: bool = False
    saturate: bool = False
    daz16: bool = False

    @staticmethod
    def of_mxcsr(word: int) -> Environment:
        """Decode MXCSR: DAZ is bit 6, RC bits 13 to 14, FTZ bit 15 (which acts only while underflow, bit 11, is
        masked)."""
        flush = bool(word >> 15 & 1) and bool(word >> 11 & 1)
        return Environment(_X86_MODES[word >> 13 & 3], bool(word >> 6 & 1), flush)

    @staticmethod
    def of_fpcr(word: int, half: bool = False) -> Environment:
        """Decode FPCR: RMode is bits 22 to 23, FZ bit 24, DN bit 25. For f16 (`half`), bit 19, FZ16, replaces FZ."""
        flush = bool(word >> (19 if half else 24) & 1)
        nans = DEFAULT_NANS if word >> 25 & 1 else ARM_NANS
        return Environment(_ARM_MODES[word >> 22 & 3], flush, flush, nans, tiny_before=True, daz16=bool(word >> 19 & 1))

    def rounded(self, rounding: Rounding) -> Environment:
        """Return the same environment with another rounding mode, as for EVEX static rounding."""
        return replace(self, rounding=rounding)


_X86_MODES = (Rounding.NEAREST, Rounding.DOWN, Rounding.UP, Rounding.ZERO)
_ARM_MODES = (Rounding.NEAREST, Rounding.UP, Rounding.DOWN, Rounding.ZERO)

X86 = Environment()
X86_FLUSHED = Environment(daz=True, ftz=True)
"""The environment of VDPBF16PS and the floating-point tile products, which ignore MXCSR."""
ARM = Environment.of_fpcr(0)


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: its precision, including the hidden bit, and the exponent of the smallest normal
    number.

    `unsigned` is the array type of its bits. In a format without infinities (`finite`, E4M3), all ones is the only NaN.
    """

    name: str
    precision: int
    emin: int
    unsigned: type[np.unsignedinteger[Any]]
    width: int
    finite: bool = False

    @property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.width - 1)

    @property
    def infinity(self) -> int:
        """The bits of infinity; in a format without infinities, the bits of the NaN."""
        ones = (1 << (self.width - 1)) - 1
        return ones if self.finite else ones & -(1 << (self.precision - 1))

    @property
    def quiet(self) -> int:
        """The bit that is set in quiet NaNs and clear in signaling ones."""
        return 1 << (self.precision - 2)

    def default_nan(self, nans: Nans) -> int:
        """Return the bits of the NaN that invalid operations return."""
        return (self.sign if nans.negative else 0) | self.infinity | (0 if self.finite else self.quiet)


F64 = Format("f64", 53, -1022, np.uint64, 64)
F32 = Format("f32", 24, -126, np.uint32, 32)
F16 = Format("f16", 11, -14, np.uint16, 16)
BF16 = Format("bf16", 8, -126, np.uint16, 16)
E5M2 = Format("e5m2", 3, -14, np.uint8, 8)
E4M3 = Format("e4m3", 4, -6, np.uint8, 8, finite=True)

_EXTRA = 3  # bits below f64's last place: one lost to a borrow from a power of two, half a unit, and a sticky bit
_WIDTH = 53 + _EXTRA


def pack(value: Array, tail: Array | float, exponent: Array | int, fmt: Format, env: Environment) -> Array:
    """Return the bits of (value + tail) * 2^exponent, rounded once. Which NaN a NaN gives is unspecified.

    `value` is the f64 nearest to value + tail, so |tail| is at most half a unit in its last place. Only the tail's
    sign, and how it compares with a quarter and a half of a unit, can matter. A zero value has no tail and keeps its
    sign.
    """
    negative = np.signbit(value)
    mantissa, scale = np.frexp(np.abs(np.where(np.isfinite(value), value, 0.0)))
    units = np.ldexp(np.where(negative, -tail, tail), _WIDTH - scale)
    below = np.floor(units)
    sig = np.ldexp(mantissa, _WIDTH).astype(np.int64) + below.astype(np.int64)
    sig |= below != units
    short = (sig < 1 << (_WIDTH - 1)) & (sig > 0)
    sig <<= short
    top = scale.astype(np.int64) - short + exponent - 1  # sig represents a number in [2^top, 2^(top + 1))

    denormal = np.maximum(fmt.emin - top, 0)
    drop = np.minimum(_WIDTH - fmt.precision + denormal, 62)
    biased = np.clip(top - fmt.emin, 0, fmt.infinity >> (fmt.precision - 1))
    bits = (biased << (fmt.precision - 1)) + _shifted(sig, drop, negative, env.rounding)
    if env.ftz:
        tiny = denormal > 0
        if not env.tiny_before:
            full = _shifted(sig, np.int64(_WIDTH - fmt.precision), negative, env.rounding)
            tiny &= (denormal > 1) | (full < 1 << fmt.precision)
        bits = np.where(tiny, 0, bits)
    bits = np.where(sig == 0, 0, bits)
    bits = np.where(bits.view(np.uint64) >= fmt.infinity, _overflowed(negative, fmt, env), bits)
    bits = np.where(np.isinf(value), fmt.infinity - env.saturate, bits)
    bits = np.where(np.isnan(value), fmt.default_nan(env.nans) & (fmt.sign - 1), bits)
    signed: Array = bits.astype(fmt.unsigned) | (negative.astype(fmt.unsigned) << fmt.unsigned(fmt.width - 1))
    return signed


def _shifted(sig: Array, drop: Any, negative: Array, rounding: Rounding) -> Array:
    """Return sig / 2^drop, rounded to an integer."""
    kept: Array = sig >> drop
    rest = sig - (kept << drop)
    if rounding is Rounding.NEAREST:
        half = np.int64(1) << (drop - 1)
        kept += (rest > half) | ((rest == half) & (kept & 1 == 1))
    elif rounding is Rounding.ODD:
        kept |= rest > 0
    else:
        away = {Rounding.ZERO: False, Rounding.UP: ~negative, Rounding.DOWN: negative}[rounding]
        kept += (rest > 0) & away
    return kept


def _overflowed(negative: Array, fmt: Format, env: Environment) -> Any:
    """Return the magnitude of an overflowed result: infinity, or the largest number if the rounding mode does not
    exceed it."""
    largest = fmt.infinity - 1
    if env.saturate or env.rounding in (Rounding.ZERO, Rounding.ODD):
        return largest
    if env.rounding is Rounding.NEAREST:
        return fmt.infinity
    return np.where(negative == (env.rounding is Rounding.DOWN), fmt.infinity, largest)
