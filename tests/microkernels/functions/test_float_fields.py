"""The square root by multiplications: its error over all normal numbers, its ends, and Adam's use of it."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import is_soak
from tilesmith.emulation.numerics.expressions import evaluate
from tilesmith.microkernels.expr.graph import operand, sqrt
from tilesmith.microkernels.expr.program import program
from tilesmith.microkernels.functions.float_fields import sqrt_nearly

NEARLY = program(sqrt_nearly(operand("x", "f32"), accuracy="standard", tables=16))
NORMAL = np.float32(2.0**-126)


def nearly(x: np.ndarray) -> np.ndarray:
    return evaluate(NEARLY, x=x)[0]


def error(x: np.ndarray) -> float:
    """Return the largest error in ulp of the root."""
    wanted = np.sqrt(x.astype(np.float64))
    return float((abs(nearly(x) - wanted) / np.spacing(wanted.astype(np.float32)).astype(np.float64)).max())


def test_error_of_all_mantissas():
    """The mantissa of the result depends on that of x and on whether its exponent is even. A soak takes them all."""
    step = 1 if is_soak() else 61
    for first in range(0x3F800000, 0x40800000, 1 << 20):
        assert error(np.arange(first, first + (1 << 20), step, np.int32).view(np.float32)) < 1


def test_error_of_all_exponents():
    mantissas = np.concatenate([np.arange(300), (1 << 23) - 1 - np.arange(300), np.arange(0, 1 << 23, 30011)])
    exponents = np.arange(1, 255)[:, None] << 23
    assert error((exponents + mantissas).astype(np.int32).view(np.float32)) < 1


def test_ends():
    x = np.array([0.0, -0.0, np.inf, np.nan, -1.0, -np.inf, -1e-45], np.float32)
    with np.errstate(invalid="ignore"):
        assert np.sqrt(x).tobytes()[:12] == nearly(x).tobytes()[:12]
    assert np.isnan(nearly(x)[3:]).all()
    denormal = np.arange(1, 1 << 23, 10007, np.int32).view(np.float32)
    assert denormal.max() < NORMAL and (nearly(denormal) >= 0).all() and (nearly(denormal) < 2.0**-62).all()


def test_other_forms_are_the_square_root():
    for dtype, accuracy, tables in (("f64", "standard", 16), ("f32", "accurate", 16), ("f32", "standard", 8)):
        x = operand("x", dtype)
        assert sqrt_nearly(x, accuracy=accuracy, tables=tables) is sqrt(x)


@pytest.mark.parametrize(
    ("options", "nearly"),
    [
        ({}, True),
        ({"accuracy": "accurate"}, False),
        ({"eps": 1e-20}, False),
        ({"dtype": "f64"}, False),
    ],
)
def test_adam_has_one_slow_instruction_if_eps_is_not_tiny(options, nearly):
    text = ts.fused("adam", 4, 64, target="avx512", **options).listing()
    assert ("vsqrtps zmm" in text or "vsqrtpd zmm" in text) != nearly


def test_adam_of_extreme_second_moments():
    """Moments of 0, denormal and infinite ones take steps of the size that the formula has in f64."""
    v = np.array([0, 1e-45, 1e-40, 2e-38, 1e-30, 1e30, 3.4e38, np.inf], np.float32)
    shape, zero = (1, v.size), np.zeros((1, v.size), np.float32)
    m = np.full(shape, 1e-6, np.float32)
    rate, c1, c2 = (np.full((1, 1), value, np.float32) for value in (1.0, 0.1, 0.001))
    w, new_m, _ = ts.fused("adam", *shape, target=None)(zero, m, v[None], zero, rate, c1, c2)
    kept = v.astype(np.float64) * 0.999
    wanted = -10 * new_m.astype(np.float64) / (np.sqrt(kept / 0.001) + 1e-8)
    assert np.allclose(w[0], wanted, rtol=1e-6, atol=0)
