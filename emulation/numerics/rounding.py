"""Rounding as processors do it: formats, modes, flushing of denormals, what a NaN becomes. Data, and one rounding step.

    X86                         MXCSR as programs start: nearest even, denormals kept, the first NaN wins
    Environment.of_mxcsr(word)  any other; of_fpcr(word) for Arm

Sources: Intel SDM volume 1, 4.8.3 (NaN), 10.2.3 (MXCSR), 14.5 (FMA); Arm ARM DDI 0487, FPCR,
FPProcessNaNs, FPMulAdd, FPRound.
"""

from __future__ import annotations

import enum
from dataclasses import replace
from typing import Any

import numpy as np

from ...encoder.records import dataclass

Array = np.ndarray[Any, Any]


class Rounding(enum.Enum):
    """How a value between two neighbours becomes one of them."""

    NEAREST = "nearest, ties to even"
    DOWN = "towards -infinity"
    UP = "towards +infinity"
    ZERO = "towards zero"
    ODD = "to the one with an odd significand"


@dataclass(frozen=True)
class Nans:
    """Which NaN an operation returns.

    A NaN operand is returned with its quiet bit set: the first of the operands that is one. `signaling_first` prefers
    signaling ones, and `addend_first` asks the addend of a fused multiply-add before its factors. A result without a
    NaN operand is the default NaN. `only_default` returns that always; `invalid_wins` returns it for infinity * 0 plus
    a quiet NaN.
    """

    negative: bool  # sign of the default NaN
    signaling_first: bool = False
    addend_first: bool = False
    invalid_wins: bool = False
    only_default: bool = False


X86_NANS = Nans(negative=True)
ARM_NANS = Nans(negative=False, signaling_first=True, addend_first=True, invalid_wins=True)
DEFAULT_NANS = replace(ARM_NANS, only_default=True)


@dataclass(frozen=True)
class Environment:
    """What a control register says about an operation.

    `daz` takes denormal operands for zeros of their sign, `ftz` returns those instead of denormal results. A result is
    denormal when it would be after rounding with unbounded exponents (x86), or was before rounding (`tiny_before`,
    Arm). `saturate` returns the largest finite number instead of infinity. `daz16` is `daz` for f16 operands of Arm's
    instructions whose result is f32.
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
        """x86: DAZ is bit 6, RC bits 13 to 14, FTZ bit 15 (which acts only while underflow, bit 11, is masked)."""
        flush = bool(word >> 15 & 1) and bool(word >> 11 & 1)
        return Environment(_X86_MODES[word >> 13 & 3], bool(word >> 6 & 1), flush)

    @staticmethod
    def of_fpcr(word: int, half: bool = False) -> Environment:
        """Arm: RMode is bits 22 to 23, FZ bit 24, DN bit 25; bit 19, FZ16, takes FZ's place for f16 (`half`)."""
        flush = bool(word >> (19 if half else 24) & 1)
        nans = DEFAULT_NANS if word >> 25 & 1 else ARM_NANS
        return Environment(_ARM_MODES[word >> 22 & 3], flush, flush, nans, tiny_before=True, daz16=bool(word >> 19 & 1))

    def rounded(self, rounding: Rounding) -> Environment:
        """The same but for the mode: EVEX static rounding."""
        return replace(self, rounding=rounding)


_X86_MODES = (Rounding.NEAREST, Rounding.DOWN, Rounding.UP, Rounding.ZERO)
_ARM_MODES = (Rounding.NEAREST, Rounding.UP, Rounding.DOWN, Rounding.ZERO)

X86 = Environment()
X86_FLUSHED = Environment(daz=True, ftz=True)
"""Of VDPBF16PS and the floating-point tile products, whatever MXCSR says."""
ARM = Environment.of_fpcr(0)


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: significant bits with the hidden one, exponent of the smallest normal number.

    `unsigned` is the array type of its bits. Without infinities (`finite`, E4M3) all ones is the only NaN.
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
        """Bits of infinity; without infinities those of the NaN."""
        ones = (1 << (self.width - 1)) - 1
        return ones if self.finite else ones & -(1 << (self.precision - 1))

    @property
    def quiet(self) -> int:
        """The bit that a signaling NaN lacks."""
        return 1 << (self.precision - 2)

    def default_nan(self, nans: Nans) -> int:
        """Bits of the NaN that invalid operations return."""
        return (self.sign if nans.negative else 0) | self.infinity | (0 if self.finite else self.quiet)


F64 = Format("f64", 53, -1022, np.uint64, 64)
F32 = Format("f32", 24, -126, np.uint32, 32)
F16 = Format("f16", 11, -14, np.uint16, 16)
BF16 = Format("bf16", 8, -126, np.uint16, 16)
E5M2 = Format("e5m2", 3, -14, np.uint8, 8)
E4M3 = Format("e4m3", 4, -6, np.uint8, 8, finite=True)

_EXTRA = 3  # bits below f64's last place: a borrow from a power of two, then half a unit, then everything else
_WIDTH = 53 + _EXTRA


def pack(value: Array, tail: Array | float, exponent: Array | int, fmt: Format, env: Environment) -> Array:
    """Bits of (value + tail) * 2^exponent, rounded once. NaN gives an unspecified NaN.

    value is f64 and the nearest to value + tail, so that |tail| is at most half a unit in its last place: only its sign
    and whether it is a quarter or a half of a unit can matter. A zero value has no tail and keeps its sign.
    """
    negative = np.signbit(value)
    mantissa, scale = np.frexp(np.abs(np.where(np.isfinite(value), value, 0.0)))
    units = np.ldexp(np.where(negative, -tail, tail), _WIDTH - scale)
    below = np.floor(units)
    sig = np.ldexp(mantissa, _WIDTH).astype(np.int64) + below.astype(np.int64)
    sig |= below != units
    short = (sig < 1 << (_WIDTH - 1)) & (sig > 0)
    sig <<= short
    top = scale.astype(np.int64) - short + exponent - 1  # sig stands for a number from 2^top up to 2^(top + 1)

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
    """sig / 2^drop, rounded to an integer."""
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
    """Magnitude of a result that is too large: infinity, or the largest number where rounding does not go beyond it."""
    largest = fmt.infinity - 1
    if env.saturate or env.rounding in (Rounding.ZERO, Rounding.ODD):
        return largest
    if env.rounding is Rounding.NEAREST:
        return fmt.infinity
    return np.where(negative == (env.rounding is Rounding.DOWN), fmt.infinity, largest)
