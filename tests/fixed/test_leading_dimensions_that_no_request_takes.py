"""Errors, help and headers named leading dimensions of attention (8 for rows of 16 elements) and of reduced results,
which no request takes. A wrong output was to be replaced by a copy, which the caller would never have seen."""

import numpy as np
import pytest

import tilesmith as ts

Q = np.ones((2, 8, 16), np.float32)


def refused(call):
    with pytest.raises(ValueError) as caught:
        call()
    return str(caught.value)


def test_attention_is_contiguous(tmp_path):
    k = ts.attention(2, 8, 8, 16, mask="full", lse=True)
    gradients = ts.attention_inv(2, 8, 8, 16)
    for each in (k, gradients):
        assert "q   f32 (2, 8, 16), contiguous" in each.__doc__ and "leading dimension" not in each.__doc__
    k.save(str(tmp_path / "k.h"))
    assert "leading dimension" not in (tmp_path / "k.h").read_text()
    longer, wider = np.ones((2, 9, 16), np.float32)[:, :8], np.ones((8, 16), np.float32)[:, :8]
    for name, arrays in {"q": (longer, Q, Q, wider), "mask": (Q, Q, Q, wider)}.items():
        said = refused(lambda: k(*arrays))  # noqa: B023
        advice = {"q": 'order={"q": "C"}, ldq=144 takes it', "mask": "np.ascontiguousarray(mask) copies it"}
        assert advice[name] in said and "ts.RUNTIME" not in said


def test_results_are_not_copied():
    x, wide = np.ones((8, 8), np.float32), np.ones((8, 16), np.float32)
    outputs = {
        ts.reduce("sum", 8, 8, axis=1, keepdims=True): wide[:, :1],
        ts.reduce("sum", 8, 8, axis=1): wide[0, ::2],
        ts.transpose(8, 8): wide[:, ::2],
    }
    for k, y in outputs.items():
        said = refused(lambda: k(x, y))  # noqa: B023
        assert "y[...] = result" in said and "copies it" not in said and "ld" not in said.partition(";")[2]
    assert "y   f32 (8, 1), contiguous" in ts.reduce("sum", 8, 8, axis=1, keepdims=True).__doc__
    assert "ldx=16, or ldx=ts.RUNTIME" in refused(lambda: ts.reduce("sum", 8, 8, axis=1)(wide[:, :8]))
    assert "ldy=16, or ldy=ts.RUNTIME" in refused(lambda: ts.transpose(8, 8)(x, wide[:, :8]))
