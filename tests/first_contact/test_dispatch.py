"""B4, C2 and C8 of first-contact.md: handles read types, shapes and strides of every operand, for all functions."""

import gc
import weakref

import numpy as np
import pytest

import tilesmith as ts
from tests.runtime.api.test_dispatch import python_functions
from tilesmith.runtime.api import dispatch_table
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.system import environment

RNG = np.random.default_rng(0)


@pytest.fixture(params=["native", "cffi"])
def mode(request, monkeypatch):
    if request.param == "native" and entry.refusal():
        pytest.skip(entry.refusal())
    monkeypatch.setenv(environment.ENTRY, request.param)
    return request.param


def whole(*shape, dtype=np.float32):
    return RNG.integers(-5, 5, shape).astype(dtype)


def views(m, n, dtype=np.float32):
    """Return a matrix in several layouts: dense, transposed, and with gaps between rows or columns."""
    x = whole(m, n, dtype=dtype)
    wide, long = np.zeros((m, n + 3), dtype), np.zeros((n, m + 5), dtype)
    wide[:, :n], long[:, :m] = x, x.T
    return x, np.asfortranarray(x), wide[:, :n], long[:, :m].T


def hot(mode, handle, *args):
    """Make the call twice; the second call runs no Python."""
    handle(*args)
    assert mode != "native" or not python_functions(handle, *args)


def test_b4_views_of_every_operand(mode):
    mm = ts.dispatch(ts.brgemm)
    for m, n, k in ((3, 5, 4), (1, 5, 4), (3, 1, 4), (3, 5, 1)):
        for a in views(m, k):
            for b in views(k, n):
                for c in views(m, n):
                    expected = c + 2 * (a @ b)
                    hot(mode, mm, a, b, c)
                    if mode == "native":
                        np.testing.assert_array_equal(c, expected)
    with pytest.raises(ValueError, match=r"a: strides .* np.ascontiguousarray\(a\)"):
        mm(whole(3, 8)[:, ::2], whole(4, 5), whole(3, 5))


def test_b4_batches_of_views(mode):
    summing, mm = ts.dispatch(ts.brgemm, beta=0, batch=ts.RUNTIME), ts.dispatch(ts.brgemm, beta=0)
    a, b = whole(3, 4, 6), whole(3, 7, 6).transpose(0, 2, 1)
    for _ in range(2):
        np.testing.assert_array_equal(summing(a, b), (a @ b).sum(axis=0))
    np.testing.assert_array_equal(summing(a[0], b[0]), a[0] @ b[0])
    b = b.copy()
    for c, expected in ((whole(4, 7), (a @ b).sum(axis=0)), (whole(3, 4, 7), a @ b)):
        hot(mode, mm, a, b, c)  # the shape of c says whether the products are summed
        np.testing.assert_array_equal(c, expected)
    with pytest.raises(ValueError, match=r"summed into one of \(4, 7\), or stored .* \(3, 4, 7\); .* batch=ts.RUNTIME"):
        mm(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_b5_stacks(mode, dtype):
    """Products of stacks as in np.matmul: independent products, views, one matrix for all, and empty stacks."""
    mm = ts.dispatch(ts.brgemm, beta=0, stack=ts.RUNTIME)
    a, b, long = (whole(*shape, dtype=dtype) for shape in ((5, 6, 7), (5, 7, 3), (5, 7, 6)))
    wide = whole(5, 6, 5, dtype=dtype)
    for left, right in ((a, b), (a, b[0]), (a[0], b), (long.swapaxes(1, 2), b), (a[::2], b[:3]), (a[:0], b[:0])):
        expected = left @ right
        np.testing.assert_array_equal(mm(left, right), expected)
        out = wide[: len(expected), :, :3]
        hot(mode if len(expected) and left.ndim == right.ndim else "cffi", mm, left, right, out)
        np.testing.assert_array_equal(out, expected)
    with pytest.raises(ValueError, match=r"b: shape \(5, 7, 3\), or \(7, 3\) for all products, not \(3, 7, 3\)"):
        mm(a, b[:3])


def test_c8_types_of_each_operand(mode):
    mm = ts.dispatch(ts.brgemm, beta=0)
    a, b = RNG.integers(0, 9, (3, 4), np.uint8), RNG.integers(-9, 9, (4, 5), np.int8)
    exact = a.astype(np.int32) @ b
    for _ in range(2):
        np.testing.assert_array_equal(mm(a, b), exact)
        for dtype in (np.int32, np.float32):
            c = np.empty((3, 5), dtype)
            mm(a, b, c)
            np.testing.assert_array_equal(c, exact)
    assert {kernel.spec.dtypes for kernel in mm.kernels} == {("u8", "i8", "i32"), ("u8", "i8", "f32")}
    with pytest.raises(ts.UnsupportedError, match="brgemm supports"):
        mm(a, b.astype(np.float64))


def test_c2_packed_weights(mode):
    """k is taken from a, also if the last group of b is padded."""
    import ml_dtypes

    mm = ts.dispatch(ts.brgemm, b_layout="vnni", dtype=("bf16", "bf16", "f32"), beta=0)
    for m, n, k in ((3, 5, 4), (7, 5, 4), (3, 6, 7)):
        a, b = (whole(*s).astype(ml_dtypes.bfloat16) for s in ((m, k), (k, n)))
        packed = ts.transform("vnni2", k, n)(b)
        for form in (packed, packed.reshape(-(-k // 2), n, 2)):
            if form.ndim == 3:
                np.testing.assert_array_equal(mm(a, form), a.astype(np.float32) @ b.astype(np.float32))
    with pytest.raises(ts.UnsupportedError, match="two packed matrices do not tell"):
        ts.dispatch(ts.brgemm, a_layout="vnni", b_layout="vnni", dtype="bf16")(
            a[:, :6].reshape(3, 3, 2), b[:6].reshape(3, 6, 2)
        )


def test_c2_other_functions(mode):
    relu, add = ts.dispatch(ts.unary, "relu"), ts.dispatch(ts.binary, "add")
    muladd, less = ts.dispatch(ts.ternary, "muladd"), ts.dispatch(ts.binary, "lt")
    scaled = ts.dispatch(ts.equation, lambda x, g: x * g + 1)
    sums, best = ts.dispatch(ts.reduce, "sum", axis=1), ts.dispatch(ts.reduce, "argmax", axis=1)
    turn, pack = ts.dispatch(ts.transpose), ts.dispatch(ts.transform, "vnni2")
    rows, put = ts.dispatch(ts.gather, "rows"), ts.dispatch(ts.scatter, "rows")
    bag = ts.dispatch(ts.embedding_bag)
    for dtype in (np.float32, np.float64):
        for m, n in ((3, 5), (4, 8), (1, 6), (3, 5)):
            for x in views(m, n, dtype):
                np.testing.assert_array_equal(relu(x), np.maximum(x, 0))
                y = np.empty_like(x)  # y has the order of x
                hot(mode, relu, x, y) if x.flags.c_contiguous else relu(x, y)
                np.testing.assert_array_equal(y, np.maximum(x, 0))
            x = whole(m, n, dtype=dtype)
            for other in (x, x[:1], x[:, :1].copy(), x[:1, :1].copy()):
                np.testing.assert_array_equal(add(x, other), x + other)
                np.testing.assert_array_equal(muladd(x, other, x), x * other + x)
                np.testing.assert_array_equal(less(x, other), np.packbits(x < other, axis=1, bitorder="little"))
                np.testing.assert_array_equal(scaled(x, other), x * other + 1)
            np.testing.assert_array_equal(sums(x), x.sum(axis=1))
            np.testing.assert_array_equal(best(x), x.argmax(axis=1))
            np.testing.assert_array_equal(turn(x), x.T)
            index = RNG.integers(0, m, 7)
            np.testing.assert_array_equal(rows(x, index), x[index])
            y = np.zeros((m + 2, n), dtype)
            put(x, np.arange(m), y)
            np.testing.assert_array_equal(y[:m], x)
            np.testing.assert_array_equal(
                bag(x, index, np.array([0, 3, 7])), [x[index[:3]].sum(0), x[index[3:]].sum(0)]
            )
    half = whole(4, 6).astype(np.float16)
    np.testing.assert_array_equal(pack(half), half.reshape(2, 2, 6).transpose(0, 2, 1).reshape(2, 12))
    out = np.empty((3, 5), np.float64)
    assert relu(whole(3, 5), out=out) is out and {k.spec.outputs[0].dtype for k in relu.kernels} == {"f32", "f64"}


def test_c2_seeds_and_masks(mode):
    drop = ts.dispatch(ts.unary, "dropout", rate=0.5)
    x = whole(5, 16) + 8
    usual = ts.unary("dropout", 5, 16, rate=0.5)
    for seed in (1, 2, 1):
        np.testing.assert_array_equal(drop(x, seed), usual(x, seed))
    assert len(drop.kernels) == 1
    blend = ts.dispatch(ts.ternary, "blend")
    mask = RNG.integers(0, 256, (5, 2), np.uint8)
    bits = np.unpackbits(mask, axis=1, bitorder="little").astype(bool)
    np.testing.assert_array_equal(blend(x, -x, mask), np.where(bits, -x, x))


def test_tables_are_bounded(mode, monkeypatch):
    """The most recently called kernels stay, however many others follow; the least recently called ones are freed."""
    monkeypatch.setattr(dispatch_table, "LARGEST", 16)
    zero = ts.dispatch(ts.unary, "zero")
    old, kept = np.ones((1, 1), np.float32), np.ones((1, 2), np.float32)
    zero(old), zero(kept)
    gone = weakref.ref(zero.kernels[0])
    for n in range(3, 40):
        assert not zero(np.ones((1, n), np.float32)).any()
        assert not zero(kept).any()
        assert len(zero.kernels) <= 16
    shapes = {kernel.spec.n for kernel in zero.kernels}
    assert 1 not in shapes and {37, 38, 39} < shapes and 2 in shapes
    ts.unary.cache_clear()
    gc.collect()
    assert gone() is None
    assert not zero(old).any()  # the kernel is made again


def test_a_handle_that_lets_go_of_the_kernel_that_runs(mode, monkeypatch):
    """Threads run kernels without the GIL while other threads make the handle forget these kernels."""
    from tests.threads import together

    monkeypatch.setattr(dispatch_table, "LARGEST", 8)
    add = ts.dispatch(ts.binary, "add", release_gil=True)

    def calls(start):
        def work():
            for turn in range(60):
                x = np.full((2, start + turn % 20), 3, np.float32)
                assert (add(x, x) == 6).all()
                ts.binary.cache_clear()

        return work

    together(*[calls(1 + 7 * i) for i in range(4)])
    assert len(add.kernels) <= 8
