"""`ts.dispatch` refused ts.fused; kernels for one shape each were what remained."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.operands import Number
from tilesmith.runtime.arguments.arrays import numpy_dtype

M, N = 4, 8


def _softmax(x):
    powers = np.exp(x.astype("f8") - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _norm(x, gamma, beta, eps):
    x = x.astype("f8")
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + eps) * gamma + beta


@pytest.mark.parametrize("name", ts.composites())
def test_every_composite_is_found_by_its_arrays(name):
    fixed = {"groups": 2} if "groupnorm_training" in name else {}
    kernel = ts.fused(name, M, N, **fixed)
    rng = np.random.default_rng(0)
    inputs = len(kernel.spec.inputs) + sum(isinstance(each, Number) for each in kernel.spec.arguments)
    given = [
        7 if isinstance(each, Number) else rng.integers(1, 4, each.shape).astype(numpy_dtype(each.dtype))
        for each in kernel.spec.arguments
    ]
    mine, theirs = ([each.copy() if isinstance(each, np.ndarray) else each for each in given] for _ in range(2))
    kernel(*theirs)
    handle = ts.dispatch(ts.fused, name, **fixed)
    assert handle(*mine) is None
    made = handle(*mine[:inputs])
    for ours, wanted, new in zip(mine[inputs:], theirs[inputs:], made if isinstance(made, tuple) else (made,)):
        assert ours.tobytes() == wanted.tobytes() == new.tobytes()
    assert {each.spec for each in handle.kernels} == {kernel.spec}


def test_views_types_and_orders():
    x = np.random.default_rng(1).standard_normal((6, 33), np.float32)
    softmax = ts.dispatch(ts.fused, "softmax")
    for view in (x, x[:, :8], x[::2], x.T, x.astype("f8")):
        y = softmax(view)
        assert y.dtype == view.dtype
        np.testing.assert_allclose(y, _softmax(view), rtol=1e-5, atol=1e-7)
    y = np.empty(x.shape, ml_dtypes.bfloat16)
    assert softmax(x, out=y) is y
    np.testing.assert_allclose(y.astype("f4"), _softmax(x), rtol=2**-8)
    with pytest.raises(ValueError, match="ascontiguousarray"):
        softmax(x[:, ::2])


def test_inputs_of_different_types():
    x, (gamma, beta) = np.random.default_rng(2).standard_normal((5, 40)), np.float32([np.arange(40), np.ones(40)])
    norm = ts.dispatch(ts.fused, "layernorm", eps=1e-3)
    narrow = x.astype(ml_dtypes.bfloat16)
    y = norm(narrow, gamma, beta)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, _norm(narrow, gamma, beta, 1e-3), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(norm(x, *np.float64([gamma, beta])), _norm(x, gamma, beta, 1e-3), rtol=1e-12, atol=1e-12)


def test_numbers_and_halves():
    w, g = np.ones((3, 4), np.float32), np.full((3, 4), 2, np.float32)
    step = ts.dispatch(ts.fused, "sgd")
    for rate in (0.25, np.float32(0.25)):
        assert (step(w, g, rate) == 0.5).all()
    ab = np.random.default_rng(3).standard_normal((3, 16), np.float32)
    a, b = ab[:, :8].astype("f8"), ab[:, 8:]
    y = ts.dispatch(ts.fused, "swiglu")(ab[:, :8], ab[:, 8:])
    np.testing.assert_allclose(y, a / (1 + np.exp(-a)) * b, rtol=1e-5)


def test_labels_of_64_bits():
    """The advice is followed; the expected values are numpy's."""
    x, labels = np.random.default_rng(4).standard_normal((3, 5), np.float32), np.array([[4], [0], [2]])
    loss = ts.dispatch(ts.fused, "cross_entropy")
    with pytest.raises(ts.UnsupportedError, match=r"labels: i32, .*labels\.astype\(np\.int32\)"):
        loss(x, labels)
    wanted = -np.log(np.take_along_axis(_softmax(x), labels, 1))
    np.testing.assert_allclose(loss(x, labels.astype(np.int32)), wanted, rtol=1e-5)


def test_wrong_handles():
    for args, options, error, words in (
        (("sofmax",), {}, ValueError, "did you mean softmax"),
        ((), {}, TypeError, "missing"),
        (("softmax",), {"m": 3}, TypeError, "leave out m"),
        (("softmax",), {"eps": 1}, TypeError, "no such option"),
    ):
        with pytest.raises(error, match=words):
            ts.dispatch(ts.fused, *args, **options)
