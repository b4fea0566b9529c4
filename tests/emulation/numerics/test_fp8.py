"""emulation/numerics/fp8.py against ml_dtypes, for every pattern, every f16 and every tie."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.emulation.numerics.floats import floats
from tests.emulation.numerics.test_fp import assert_same
from tilesmith.emulation.numerics import fp8
from tilesmith.emulation.numerics.rounding import E4M3, E5M2, F32, F64, Array, Format

ML_TYPES: dict[Format, Any] = {E5M2: ml_dtypes.float8_e5m2, E4M3: ml_dtypes.float8_e4m3fn}
ALL = np.arange(256).astype(np.uint8)

formats = pytest.mark.parametrize("fmt", ML_TYPES, ids=lambda fmt: fmt.name)


def inputs(dtype: Any, fmt: Format) -> Array:
    """Return every f16; for the wider types also every tie with its neighbours, and a stratified sample."""
    halves = np.arange(1 << 16).astype(np.uint16).view(np.float16)
    if dtype is np.float16:
        return halves
    value = np.sort(fp8.widened(ALL, fmt, np.float64)[:127])
    value = value[np.isfinite(value)]
    largest, step = value[-1], value[-1] - value[-2]
    ties = np.concatenate([(value[1:] + value[:-1]) / 2, value, [largest + step / 2, largest + step]]).astype(dtype)
    around = [np.nextafter(ties, dtype(limit)) for limit in (-np.inf, np.inf)]
    wide = F32 if dtype is np.float32 else F64
    sample = floats(np.random.default_rng(1), 1 << 18, wide).view(dtype)
    return np.concatenate([halves.astype(dtype), ties, -ties, *around, *(-x for x in around), sample])


@formats
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_every_pattern_widens(fmt: Format, dtype: Any) -> None:
    want = ALL.view(ML_TYPES[fmt]).astype(np.float64)
    got = fp8.widened(ALL, fmt, dtype)
    assert got.dtype == dtype
    assert np.array_equal(got.astype(np.float64), want, equal_nan=True)
    assert np.array_equal(np.signbit(got), ALL >= 128)


@formats
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rounds_once(fmt: Format, dtype: Any) -> None:
    x = inputs(dtype, fmt)
    with np.errstate(all="ignore"):
        want = _through_f32(x).astype(ML_TYPES[fmt]).view(np.uint8)
    number = ~np.isnan(x)
    got = fp8.narrowed(x, fmt)
    assert_same(got[number], want[number], x[number])
    assert np.isnan(fp8.widened(got[~number], fmt)).all()
    assert np.array_equal(got[~number] >= 128, np.signbit(x[~number]))


def _through_f32(x: Array) -> Array:
    """Round f64 to f32 by rounding to odd, so that the detour of ml_dtypes through f32 rounds only once."""
    if x.dtype != np.float64:
        return x
    nearest = x.astype(np.float32)
    beyond = np.abs(nearest.astype(np.float64)) > np.abs(x)
    truncated = (nearest.view(np.uint32) - beyond).astype(np.uint32)
    inexact = truncated.view(np.float32).astype(np.float64) != x
    return np.where(np.isnan(x), nearest.view(np.uint32), truncated | inexact).astype(np.uint32).view(np.float32)


@formats
def test_saturates(fmt: Format) -> None:
    """Within the range, saturation changes nothing; beyond it, results are the largest number."""
    x = inputs(np.float32, fmt)
    x = x[~np.isnan(x)]
    plain, saturated = fp8.narrowed(x, fmt), fp8.narrowed(x, fmt, saturating=True)
    large = ~np.isfinite(fp8.widened(plain, fmt))
    largest = float(ml_dtypes.finfo(ML_TYPES[fmt]).max)
    assert large.any() and np.array_equal(fp8.widened(saturated[large], fmt), np.copysign(largest, x[large]))
    assert_same(saturated[~large], plain[~large], x[~large])
    infinite = np.array([np.inf, -np.inf], np.float32)
    assert fp8.widened(fp8.narrowed(infinite, fmt, saturating=True), fmt).tolist() == [largest, -largest]
    nan = fp8.narrowed(np.array([np.nan], np.float32), fmt, saturating=True)
    assert np.isnan(fp8.widened(nan, fmt)).all()
