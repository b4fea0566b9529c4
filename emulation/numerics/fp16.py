"""f16 arithmetic and conversions of x86, AVX512-FP16 and F16C, which partly ignore MXCSR.

Arithmetic on f16 keeps denormals whatever DAZ and FTZ are; only MXCSR's rounding mode applies. Conversions keep the
denormals of f16, too, but DAZ flushes those of f32 and f64 inputs. Arm's f16 arithmetic uses numerics/fp.py directly,
with the environment `Environment.of_fpcr(word, half=True)`; `fmlal` is its multiply-add into f32. Sources: Intel
AVX512-FP16 architecture specification (document 347407); SDM, VCVTPS2PH; Arm ARM DDI 0487, FPMulAddH.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from . import fp
from .rounding import ARM, F16, F32, X86, Array, Environment, Rounding


def environment(env: Environment) -> Environment:
    """Return the environment for f16 arithmetic on x86: nothing is flushed."""
    return replace(env, daz=False, ftz=False)


def vaddph(a: Array, b: Array, env: Environment = X86) -> Array:
    """Return a + b."""
    return fp.add(a, b, environment(env))


def vsubph(a: Array, b: Array, env: Environment = X86) -> Array:
    """Return a - b."""
    return fp.sub(a, b, environment(env))


def vmulph(a: Array, b: Array, env: Environment = X86) -> Array:
    """Return a * b."""
    return fp.mul(a, b, environment(env))


def vdivph(a: Array, b: Array, env: Environment = X86) -> Array:
    """Return a / b."""
    return fp.div(a, b, environment(env))


def vsqrtph(a: Array, env: Environment = X86) -> Array:
    """Return the square root of a."""
    return fp.sqrt(a, environment(env))


def vfmaddph(a: Array, b: Array, c: Array, env: Environment = X86) -> Array:
    """Return a * b + c, rounded once. `a` is the first factor, as in numerics/fp.py."""
    return fp.fma16(a, b, c, environment(env))


# Conversions


def widened(x: Array, dtype: type[np.floating] = np.float32) -> Array:
    """VCVTPH2PS(X), VCVTPH2PD: exact, including denormals."""
    return fp.extend(x, dtype)


def narrowed(x: Array, env: Environment = X86, rounding: Rounding | None = None) -> Array:
    """VCVTPS2PH(X), VCVTPD2PH: round f32 or f64 once to f16. `rounding` is the mode of an immediate byte, if any."""
    env = replace(env, ftz=False, rounding=rounding or env.rounding)
    return fp.convert(x, F16, env).view(np.float16)


# Arm


def fmlal(c: Array, a: Array, b: Array, env: Environment = ARM) -> Array:
    """FMLAL, and FMLAL2 for the other halves of a and b: c + a * b in f32 for factors in f16, rounded once."""
    if env.daz16:
        a, b = fp.flushed(a), fp.flushed(b)
    # A signaling NaN stays signaling here, so that it still takes precedence. The operation makes it quiet.
    return fp.fma32(_bits_widened(a), _bits_widened(b), c, env)


def _bits_widened(x: Array) -> Array:
    """Return f16 as f32. Signaling NaNs stay signaling."""
    quiet = np.uint32(F32.quiet)
    bits = widened(x).view(np.uint32)
    return np.where(fp.is_signaling(x), bits & ~quiet, bits).view(np.float32)
