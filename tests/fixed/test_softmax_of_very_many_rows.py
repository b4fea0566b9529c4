"""Softmax down the columns of more than 8192 rows was off by 3,500 ulp for 16384 rows and by 115,146 for 2^20, where at
most 6 are promised: its parts of powers were multiples whose sums are exact up to 8192 rows, whatever the number of
rows. Under "accurate" it was off by 297 ulp, where at most 2 are promised.
"""

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.dtypes import FRACTION_BITS
from tilesmith.microkernels.functions.power_parts import COUNTED_ROWS, finest

NUMPY = {"f32": np.float32, "f64": np.float64}
WITHIN = {"standard": 6, "accurate": 2}


@pytest.mark.parametrize("rows", ["the request's", "the call's"])
@pytest.mark.parametrize("accuracy", WITHIN)
@pytest.mark.parametrize(("dtype", "m"), [("f32", 20_000), ("f32", COUNTED_ROWS), ("f64", COUNTED_ROWS)])
def test_equal_elements_below_a_larger_one(dtype: str, m: int, accuracy: str, rows: str) -> None:
    softmax = ts.equation(
        lambda x: ts.softmax(x, axis=0),
        x=(m if rows == "the request's" else ts.RUNTIME, 4),
        dtype=dtype,
        accuracy=accuracy,
    )
    gaps = np.array([0.5, 3, 7, 15.2], NUMPY[dtype])
    x = np.zeros((m, 4), NUMPY[dtype])
    x[0] = gaps
    powers = np.exp(-gaps.astype(np.longdouble))
    total, y = 1 + (m - 1) * powers, softmax(x).astype(np.longdouble)
    for found, exact in ((y[:1], 1 / total), (y[1:], powers / total)):
        assert (abs(found - exact) <= WITHIN[accuracy] * np.spacing(exact.astype(NUMPY[dtype]))).all()


def test_different_elements() -> None:
    m = 50_000
    x = (np.random.default_rng(3).standard_normal((m, 3)) * 0.3 - 2).astype(np.float32)
    x[0] = 0.5, 9.7, 15.2
    powers = np.exp(x.T.astype(np.longdouble))
    exact = powers / powers.sum(axis=1, keepdims=True)
    for accuracy, within in WITHIN.items():
        y = ts.equation(lambda x: ts.softmax(x, axis=0), x=(m, 3), accuracy=accuracy)(x)
        assert (abs(y.T - exact) <= within * np.spacing(exact.astype(np.float32))).all()


@pytest.mark.parametrize("rows", [17, 512, 513, 8192, 8193, 1 << 15, COUNTED_ROWS, 1 << 18, 1 << 20])
@pytest.mark.parametrize("dtype", NUMPY)
def test_sums_of_multiples_are_exact(dtype: str, rows: int) -> None:
    """The sum of all multiples fits the fraction, and the plain sum of the remainders errs by at most 8 u."""
    largest, fraction = 2.0**0.5, FRACTION_BITS[dtype] + 1
    for bits in finest(dtype, rows):
        assert rows * largest <= 2.0 ** (fraction - bits)
        largest = 2.0 ** -(bits + 1)
    assert rows * (rows * largest) / 2 <= 8
