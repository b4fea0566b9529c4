"""Handles of `ts.dispatch`: one callable for many shapes, in machine code and through Python."""

import pickle
import sys
import weakref

import numpy as np
import pytest

import tilesmith as ts
from tests.runtime.fastcall.call_cases import right
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.system import environment

PORTABLE = {"x86": "avx2", "a64": "neon"}.get(host.arch())


def test_handle(mode, monkeypatch):
    monkeypatch.setenv(environment.ENTRY, mode)
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
    monkeypatch.setenv(environment.ENTRY, mode)
    mm = ts.dispatch(ts.brgemm, beta=0, target=PORTABLE)
    arrays = [(np.ones((m, k)), np.ones((k, 2))) for m in range(1, 9) for k in range(1, 7)]
    for _ in range(3):
        for a, b in arrays:
            c = mm(a, b)
            assert c.shape == (a.shape[0], 2) and (c == a.shape[1]).all()
    assert len(mm.kernels) == len(arrays)


def test_errors_of_a_handle(mode, monkeypatch):
    monkeypatch.setenv(environment.ENTRY, mode)
    mm = ts.dispatch(ts.brgemm)
    for _ in range(3):  # before and after the record is cached
        a, b, c = right()
        mm(a, b, c)
        for args, error, words in [
            ((a, b), TypeError, "not 2"),
            ((a,), TypeError, "b: give an array as argument 2"),
            ((), TypeError, "a: give an array as argument 1"),
            ((a, b, c, c), TypeError, "not 4"),
            ((a, b, a), ValueError, "c: shape"),
            ((a, b, None), TypeError, "c: an array"),
            ((a[0], b, c), ValueError, "a: a matrix"),
            ((a, b[None], c), ValueError, "b: must have as many matrices"),
            ((a[None], b, c), ValueError, "b: must have as many matrices"),
            ((a[None, None], b, c), ValueError, "a: a matrix, or a batch"),
            ((b, b, c), ValueError, "b: must have 5 rows"),
            ((a.astype("i4"), b, c), ts.UnsupportedError, "i32"),
            ((a, b.astype("f8"), c), ts.UnsupportedError, "supports"),
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
        (len, {}, ts.UnsupportedError, "one of brgemm, unary"),
        (ts.brgemm, {"m": 4}, TypeError, "leave out m"),
        (ts.brgemm, {"b_layout": "mmla", "dtype": "bf16"}, ts.UnsupportedError, "do not tell how many rows"),
        (ts.brgemm, {"batch": 3}, ts.UnsupportedError, "batch=3 cannot be given; ts.RUNTIME sums"),
        (ts.brgemm, {"batch": ts.ADDRESS}, ts.UnsupportedError, "addresses do not tell the shape"),
        (ts.brgemm, {"gamma": 3}, TypeError, "gamma"),
        (ts.brgemm, {"beta": "x"}, TypeError, "beta: a finite number"),
    ],
)
def test_wrong_handle(request_, fixed, error, words):
    with pytest.raises(error, match=words):
        ts.dispatch(request_, **fixed)


def test_handle_is_pickled_and_freed(mode, monkeypatch):
    monkeypatch.setenv(environment.ENTRY, mode)
    mm = ts.dispatch(ts.brgemm, beta=0)
    a, b, _ = right()
    c = mm(a, b)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(mm))(a, b), c)
    reference = weakref.ref(mm)
    del mm
    assert reference() is None


def python_functions(call, *args):
    """Return the names of the Python functions that run during a call."""
    seen = []
    sys.setprofile(lambda frame, event, _: seen.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call(*args)
    finally:
        sys.setprofile(None)
    return seen


def found_by_machine_code(mode, mm, *args):
    """Return whether the call runs no Python in native mode; True in the other modes."""
    return not python_functions(mm, *args) if mode == "native" else True


def test_ranks_that_a_key_has_no_bits_for(mode, monkeypatch):
    """A key does not confuse an f32 output of ten axes with an f64 output of two, whose type number is the next one."""
    monkeypatch.setenv(environment.ENTRY, mode)
    mm = ts.dispatch(ts.brgemm, beta=0)
    a, c = np.ones((2, 2)), np.zeros((2, 2))
    mm(a, a, c)
    assert found_by_machine_code(mode, mm, a, a, c)
    shape, strides = (2, 2, *[1] * 8), (*c.strides, *[4] * 8)
    far = np.lib.stride_tricks.as_strided(np.zeros(8, np.float32), shape, strides)
    with pytest.raises(ts.UnsupportedError, match="'f64', 'f64', 'f32'"):
        mm(a, a, far)
    assert not far.any() and (c == 2).all()


def test_batches_by_count(mode, monkeypatch):
    """A first axis of a and b is the batch count, which is part of the request; the other axes are the matrix."""
    monkeypatch.setenv(environment.ENTRY, mode)
    mm = ts.dispatch(ts.brgemm)
    rng = np.random.default_rng(1)
    counts = (None, 1, 2, 3, 8, 3, None)
    for _ in range(2):
        for dtype in (np.float32, np.float64):
            for count in counts:
                first = () if count is None else (count,)
                a, b, c = (rng.integers(-5, 5, s).astype(dtype) for s in ((*first, 3, 4), (*first, 4, 5), (3, 5)))
                expected = c + (a @ b).reshape(-1, 3, 5).sum(axis=0)
                mm(a, b, c)
                np.testing.assert_array_equal(c, expected)
                assert found_by_machine_code(mode, mm, a, b, c)
    assert len(mm.kernels) == 2 * len(set(counts))
    assert {kernel.spec.batch for kernel in mm.kernels} == set(counts)


def test_unusual_batches(mode, monkeypatch):
    monkeypatch.setenv(environment.ENTRY, mode)
    mm, empty = ts.dispatch(ts.brgemm, beta=0), np.ones((3, 5), np.float32)
    for _ in range(3):
        a, b, _ = right()
        assert mm(np.zeros((0, 3, 4), np.float32), np.zeros((0, 4, 5), np.float32), empty) is None and not empty.any()
        far = np.broadcast_to(a, (1 << 41, 3, 4)), np.broadcast_to(b, (1 << 41, 4, 5))
        with pytest.raises(ValueError, match="batch"):
            mm(*far, empty)
        for args, words in [
            ((a[None], b, empty), "b: must have as many matrices as a"),
            ((a, b[None], empty), "b: must have as many matrices as a"),
            ((np.stack([a, a]), b[None], empty), "b: must have as many matrices as a"),
            ((a[None, None], b[None, None], empty), "a: a matrix, or a batch"),
            ((np.stack([a] * 4)[::2], np.stack([b, b]), empty), "a: strides"),
        ]:
            with pytest.raises(ValueError, match=words):
                mm(*args)


@pytest.mark.parametrize("whole", (True, False))
def test_strides_and_offsets(mode, monkeypatch, whole):
    """With STRIDE or OFFSET the matrices are the last two axes; a first axis is no count, and may differ in a and b."""
    monkeypatch.setenv(environment.ENTRY, mode)
    strided, offsets = (ts.dispatch(ts.brgemm, batch=batch, beta=0) for batch in (ts.STRIDE, ts.OFFSET))
    for m, n, k in ((3, 5, 4), (1, 1, 1), (4, 4, 4), (3, 5, 4)):
        a, b = np.arange(4.0 * m * k).reshape(4, m, k), np.arange(3.0 * k * n).reshape(3, k, n)
        c = np.empty((m, n))
        first = (a, b) if whole else (a[0], b[0])
        expected = sum(a[i] @ b[i] for i in range(3))
        args = (*first, c, 3, a.strides[0], b.strides[0])
        strided(*args)
        np.testing.assert_array_equal(c, expected)
        assert found_by_machine_code(mode, strided, *args)
        args = (*first, c, np.arange(3) * a.strides[0], np.arange(3) * b.strides[0])
        offsets(*args)
        np.testing.assert_array_equal(c, expected)
        assert found_by_machine_code(mode, offsets, *args)
    assert len(strided.kernels) == len(offsets.kernels) == 3


def test_a_type_for_all(mode, monkeypatch):
    """If dtype is among the keywords, the dtypes of the arrays are checked against it and c may have another one."""
    types = ("i8", "i8", "i32")
    monkeypatch.setenv(environment.ENTRY, mode)
    mm = ts.dispatch(ts.brgemm, dtype=types)
    for m, n, k in ((3, 5, 8), (4, 4, 4), (3, 5, 8)):
        a, b, c = np.full((m, k), 120, np.int8), np.full((k, n), -100, np.int8), np.ones((m, n), np.int32)
        mm(a, b, c)
        assert (c == 1 - 12_000 * k).all()
        assert found_by_machine_code(mode, mm, a, b, c)
        with pytest.raises(TypeError, match="a: dtype int8"):
            mm(a.view(np.uint8), b, c)


def test_many_shapes_hash_apart(mode, monkeypatch):
    """A handle finds every record, whichever slot its search begins at, in tables of all sizes, past the end too."""
    monkeypatch.setenv(environment.ENTRY, mode)
    mm = ts.dispatch(ts.brgemm, beta=0, batch=ts.RUNTIME, target=PORTABLE)
    rng = np.random.default_rng(2)
    shapes = [tuple(int(x) for x in rng.integers(1, 6, 4)) for _ in range(120)]
    for _ in range(2):
        for count, m, n, k in shapes:
            a, b = np.ones((count, m, k)), np.ones((count, k, n))
            assert (mm(a, b) == count * k).all()
    assert len(mm.kernels) == len(set(shapes))
    for count, m, n, k in shapes:
        assert found_by_machine_code(mode, mm, np.ones((count, m, k)), np.ones((count, k, n)))


def test_attention(mode, monkeypatch):
    """Lengths, heads, types and strides are read from the arrays; a new result lies as q does."""
    monkeypatch.setenv(environment.ENTRY, mode)
    attend, rng = ts.dispatch(ts.attention, causal=True, target=PORTABLE), np.random.default_rng(2)
    for length, dtype in ((3, np.float32), (5, np.float64)):
        joint = rng.standard_normal((length, 3, 4, 8)).astype(dtype)
        q, k, v = joint.transpose(1, 2, 0, 3)
        dense = ts.attention(4, length, length, 8, causal=True, dtype=joint.dtype, target=PORTABLE)
        wanted = dense(*map(np.ascontiguousarray, (q, k, v)))
        for _ in range(2):  # before and after the record is cached
            found = attend(q, k, v)
            assert (found == wanted).all() and found.transpose(1, 0, 2).flags.c_contiguous
        out = np.empty_like(wanted)
        attend(q, k, v, out)
        attend(q, k[:2], v[:2], out)  # grouped heads
        wanted[1] = dense(q[[1] * 4], k[[0] * 4], v[[0] * 4])[0]  # the second head of q sees the first of k and v
        assert (out[:2] == wanted[:2]).all()
    assert len(attend.kernels) == 6
    with pytest.raises(ValueError, match=r"k: an array of shape \(heads, keys, size\), not \(1, 4, 5, 8\); k.reshape"):
        attend(q, k[None], v)
    with pytest.raises(TypeError, match="dispatch: leave out kv_heads: read from the arrays"):
        ts.dispatch(ts.attention, kv_heads=2)


def test_gradients_of_attention():
    """The gradients of a joint projection lie as it does."""
    forward = ts.dispatch(ts.attention, lse=True, mask="row", target=PORTABLE)
    backward = ts.dispatch(ts.attention_inv, mask="row", target=PORTABLE)
    rng = np.random.default_rng(5)
    q, k, v = rng.standard_normal((6, 3, 2, 4)).transpose(1, 2, 0, 3)
    mask, g = np.zeros(6), rng.standard_normal((2, 6, 4))
    out, lse = forward(q, k, v, mask)
    grads = np.zeros((6, 3, 2, 4)).transpose(1, 2, 0, 3)
    backward(g, q, k, v, mask, out, lse, *grads)
    step = rng.standard_normal(q.shape) * 1e-6
    for axis, moved in enumerate(((q + step, k, v), (q, k + step, v), (q, k, v + step))):
        slope = (g * (forward(*moved, mask)[0] - out)).sum()
        np.testing.assert_allclose((grads[axis] * step).sum(), slope, rtol=1e-3, atol=1e-11)
