"""The error of matmul for every pair of types was that f64 holds integers up to 2^53, also for complex numbers, whose
imaginary parts the conversion drops, and for f16 by bf16."""

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

ADVICE = {
    (np.int64, np.int64): "f64 holds integers up to 2\\^53: a.astype\\(np.float64\\), or a.double\\(\\) of a tensor",
    (np.int16, np.int8): "f64 holds integers",
    (np.complex64, np.complex64): "Multiply the real and the imaginary parts: a.real and a.imag",
    (np.float32, np.complex128): "Multiply the real",
    (np.float16, ml_dtypes.bfloat16): "Convert both to f32: a.astype\\(np.float32\\), or a.float\\(\\) of a tensor",
    (np.float64, np.float16): "Convert both to f64: a.astype\\(np.float64\\), or a.double\\(\\) of a tensor",
}


@pytest.mark.parametrize("types", ADVICE, ids=str)
def test_advice(types):
    a, b = (np.ones((4, 4), each) for each in types)
    with pytest.raises(ts.UnsupportedError, match=f"no kernel multiplies .*\\. {ADVICE[types]}"):
        ts.matmul(a, b)
