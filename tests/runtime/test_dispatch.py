"""One callable for many shapes, in machine code and through Python."""

import pickle
import weakref

import numpy as np
import pytest

import tilesmith as ts
from tests.runtime.test_call_safety import mode, right
from tilesmith.runtime import cpython, host

_ = mode  # a fixture
PORTABLE = {"x86": "avx2", "a64": "neon"}.get(host.arch())


def test_handle(mode, monkeypatch):
    monkeypatch.setenv(cpython.FORCE, mode)
    mm = ts.dispatch(ts.brgemm)
    rng = np.random.default_rng(0)
    for _ in range(2):
        for dtype in (np.float32, np.float64):
            for m, n, k in ((1, 1, 1), (3, 5, 4), (5, 3, 4), (4, 3, 5), (16, 16, 16)):
                a, b, c = (rng.integers(-5, 5, shape).astype(dtype) for shape in ((m, k), (k, n), (m, n)))
                expected = c + a @ b
                assert mm(a, b, c) is None
                np.testing.assert_array_equal(c, expected)
    assert len(mm.kernels) == 10 and {k.spec.dtype for k in mm.kernels} == {"f32", "f64"}
    assert repr(mm) == "dispatch(brgemm): 10 kernels"


def test_handle_with_many_kernels(mode, monkeypatch):
    monkeypatch.setenv(cpython.FORCE, mode)
    mm = ts.dispatch(ts.brgemm, beta=0, target=PORTABLE)
    arrays = [(np.ones((m, k)), np.ones((k, 2))) for m in range(1, 9) for k in range(1, 7)]
    for _ in range(3):
        for a, b in arrays:
            c = mm(a, b)
            assert c.shape == (a.shape[0], 2) and (c == a.shape[1]).all()
    assert len(mm.kernels) == len(arrays)


def test_errors_of_a_handle(mode, monkeypatch):
    monkeypatch.setenv(cpython.FORCE, mode)
    mm = ts.dispatch(ts.brgemm)
    for _ in range(3):  # cold and hot
        a, b, c = right()
        mm(a, b, c)
        for args, error, words in [
            ((a, b), TypeError, "not 2"),
            ((a,), TypeError, "not 1"),
            ((), TypeError, "not 0"),
            ((a, b, c, c), TypeError, "not 4"),
            ((a, b, a), ValueError, "c: shape"),
            ((a, b, None), TypeError, "c: an array"),
            ((a[0], b, c), ValueError, "a: a matrix"),
            ((a, b[None], c), ValueError, "b: as many matrices"),
            ((a[None], b, c), ValueError, "b: as many matrices"),
            ((a[None, None], b, c), ValueError, "a: a matrix, or a batch"),
            ((b, b, c), ValueError, "b: 5 rows"),
            ((a.astype("i4"), b, c), ts.UnsupportedError, "i32"),
            ((a, b.astype("f8"), c), TypeError, "b: dtype float32"),
            ((a.astype(">f4"), b, c), TypeError, "other byte order"),
            ((a[::-1], b, c), ValueError, "a: strides"),
            (("x", b, c), TypeError, "a: an array"),
        ]:
            with pytest.raises(error, match=words):
                mm(*args)
        with pytest.raises(TypeError, match="lda: not an argument"):
            mm(a, b, c, lda=4)


@pytest.mark.parametrize(
    ("request_", "fixed", "error", "words"),
    [
        (len, {}, ts.UnsupportedError, "only brgemm"),
        (ts.brgemm, {"m": 4}, TypeError, "m follow from the arrays"),
        (ts.brgemm, {"batch": 3}, ts.UnsupportedError, "batch=3; leave it out"),
        (ts.brgemm, {"batch": ts.ADDRESS}, ts.UnsupportedError, "addresses do not tell the shape"),
        (ts.brgemm, {"gamma": 3}, TypeError, "gamma"),
        (ts.brgemm, {"beta": "x"}, TypeError, "beta: a finite number"),
    ],
)
def test_wrong_handle(request_, fixed, error, words):
    with pytest.raises(error, match=words):
        ts.dispatch(request_, **fixed)


def test_handle_is_pickled_and_freed(mode, monkeypatch):
    monkeypatch.setenv(cpython.FORCE, mode)
    mm = ts.dispatch(ts.brgemm, beta=0)
    a, b, _ = right()
    c = mm(a, b)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(mm))(a, b), c)
    reference = weakref.ref(mm)
    del mm
    assert reference() is None
