"""zero=True was a zero point of 1, scales in the place of scale= printed an array, readers named no tensor."""

import warnings

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

W = np.random.default_rng(0).standard_normal((64, 24)).astype(np.float32)
QWEIGHT, QZEROS, SCALES = np.zeros((8, 24), np.int32), np.zeros((2, 3), np.int32), np.ones((2, 24), np.float16)
GPTQ = ts.compressed.from_gptq
CODES, AWQ, TORCHAO = ts.compressed, ts.compressed.from_awq, ts.compressed.from_torchao
ONNX, BYTES = ts.compressed.from_onnx, np.zeros((24, 2, 16), np.uint8)
REFUSED = {
    "a flag as zero": (TypeError, r"zero: numbers .* \(2, 24\), or None .*, not True", lambda: CODES(W, zero=True)),
    "a flag as scale": (TypeError, "scale: numbers .* not False", lambda: CODES(W, scale=False)),
    "zero out of range": (ValueError, "zero: whole numbers from 0 to 255", lambda: CODES(W, "u4", zero=-3)),
    "zero of NaN": (ValueError, "zero: whole numbers", lambda: CODES(W, zero=np.nan)),
    "scales as numbers": (TypeError, "they are scale=", lambda: CODES(W, scales=[0.5] * 24)),
    "an infinite scale": (ValueError, "scale: finite numbers, not inf", lambda: CODES(W, scale=np.inf)),
    "a large scale": (ValueError, "float16 has, not 1e.06; .* kept=", lambda: CODES(W, scale=1e6, scales="f16")),
    "flags as weights": (TypeError, "w: floats or integers, not bool", lambda: CODES(W > 0, scale=1)),
    "complex weights": (TypeError, "w: floats or integers", lambda: CODES(W * 1j)),
    "scales turned": (
        ValueError,
        r"^scales: \(groups, 24\), since qweight \(8, 24\)",
        lambda: GPTQ(QWEIGHT, QZEROS, SCALES.T),
    ),
    "zeros turned": (ValueError, r"^qzeros: \(2, 3\).*not \(3, 2\)", lambda: GPTQ(QWEIGHT, QZEROS.T, SCALES)),
    "too many groups": (
        ValueError,
        "^scales: a row for each group.*not 5",
        lambda: GPTQ(QWEIGHT, np.zeros((5, 3), np.int32), np.ones((5, 24))),
    ),
    "too few rows in g_idx": (
        ValueError,
        r"^g_idx: .* \(64,\), not \(8,\)",
        lambda: GPTQ(QWEIGHT, QZEROS, SCALES, g_idx=np.arange(8)),
    ),
    "GPTQ's words": (ValueError, r"^scales: \(groups, 192\)", lambda: AWQ(QWEIGHT, QZEROS, SCALES)),
    "torchao's scale": (ValueError, r"^scale: \(groups, 24\)", lambda: TORCHAO(BYTES.reshape(24, 32), SCALES.T)),
    "torchao's floats": (TypeError, "^qdata: bytes", lambda: TORCHAO(W, SCALES)),
    "blocks of ONNX": (ValueError, r"^b: shape \(24, 2, 16\)", lambda: ONNX(QZEROS, SCALES, k=64, n=24)),
    "scales of ONNX": (ValueError, r"^scales: shape \(24, 2\)", lambda: ONNX(BYTES, SCALES[:1], k=64, n=24)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_arguments_are_named(name):
    error, words, call = REFUSED[name]
    with warnings.catch_warnings(), pytest.raises(error, match=words):
        warnings.simplefilter("error")
        call()


def test_lists_are_scales_and_zero_points():
    by_list = ts.compressed(W, "u4", scale=[0.25] * 24, zero=[[4], [5]])
    by_array = ts.compressed(W, "u4", scale=np.full((2, 24), 0.25), zero=np.repeat([[4], [5]], 24, 1))
    assert np.array_equal(by_list.data, by_array.data) and by_list.form == by_array.form
    assert ts.compressed(W, scale=np.full(24, 0.5, ml_dtypes.bfloat16)).form.scale == "bf16"


EPILOGUES = {
    "matmul": lambda e: ts.matmul(W, W.T, epilogue=e),
    "spmm": lambda e: ts.spmm(ts.sparse(W), W.T, epilogue=e),
    "gemm": lambda e: ts.gemm(4, 4, 4, epilogue=e),
    "conv2d": lambda e: ts.conv2d(W.reshape(1, 1, 64, 24), np.ones((1, 1, 3, 3), np.float32), epilogue=e),
    "compressed": lambda e: ts.matmul(np.ones((2, 64), np.float32), ts.compressed(W), epilogue=e),
}


@pytest.mark.parametrize("name", EPILOGUES)
def test_epilogues_are_functions(name):
    for wrong, words in (("relu", "as ts.relu .*not 'relu'"), ((ts.relu,), "as ts.relu"), (lambda: 1, "without param")):
        with pytest.raises(TypeError, match=f"^epilogue: a function .*{words}"):
            EPILOGUES[name](wrong)
