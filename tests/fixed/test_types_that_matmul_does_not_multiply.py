"""The error of matmul for every pair of types was that f64 holds integers up to 2^53, also for complex numbers, whose
imaginary parts the conversion drops, and for f16 by bf16. Who followed it for i64 by f32 met the next error."""

import re
from itertools import product

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

ADVICE = {
    (np.int64, np.int64): "f64 holds integers up to 2\\^53: ts.matmul\\(.*, or .double\\(\\) of a tensor",
    (np.int16, np.int8): "f64 holds integers",
    (np.complex64, np.complex64): "Multiply the real and the imaginary parts: a.real and a.imag",
    (np.float32, np.complex128): "Multiply the real",
    (np.float16, ml_dtypes.bfloat16): "f32 holds both: ts.matmul\\(.*, or .float\\(\\) of a tensor",
    (np.float64, np.float16): "f64 holds both: ts.matmul\\(a, b.*, or .double\\(\\) of a tensor",
}


@pytest.mark.parametrize("types", ADVICE, ids=str)
def test_advice(types):
    a, b = (np.ones((4, 4), each) for each in types)
    with pytest.raises(ts.UnsupportedError, match=f"no kernel multiplies .*\\. {ADVICE[types]}"):
        ts.matmul(a, b)


REAL = (
    np.float64,
    np.float32,
    np.float16,
    ml_dtypes.bfloat16,
    np.int64,
    np.uint64,
    np.int32,
    np.uint32,
    np.int16,
    np.uint16,
    np.int8,
    np.uint8,
)


@pytest.mark.parametrize("types", list(product(REAL, REAL)), ids=str)
def test_advice_for_real_numbers_works_at_once(types):
    a, b = (np.arange(12).astype(each).reshape(shape) for each, shape in zip(types, ((3, 4), (4, 3))))
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    try:
        found = ts.matmul(a, b)
    except (ts.UnsupportedError, TypeError) as error:
        told = re.search(r"(ts\.matmul\(.*?\)), or|([ab])\.astype\(np\.float64\) converts it", str(error))
        assert told, error
        a, b = (each.astype(np.float64) if name == told[2] else each for name, each in (("a", a), ("b", b)))
        found = eval(told[1] or "ts.matmul(a, b)", {"ts": ts, "np": np, "a": a, "b": b})
    assert np.array_equal(found.astype(np.float64), wanted)
