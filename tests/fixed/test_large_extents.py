"""Extents and leading dimensions above 2^20 were refused. The arrays of these tests are sparse mappings, whose rows lie
gigabytes apart."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import is_soak
from tests.sparse import placed, sparse
from tilesmith.microkernels.codegen.long_sums import MOST_TERMS, Levels, levels_of
from tilesmith.microkernels.fused import long_sums
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

Array = np.ndarray[Any, Any]
MOST = (1 << 31) - 1
WIDE = 3_000_000
NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]
EMULATED = ["neon", "sve256"]
targets = pytest.mark.parametrize("target", NATIVE if is_soak() else [*NATIVE[:1], *NATIVE[-1:]])
soak = pytest.mark.skipif(not is_soak(), reason="reads or writes gigabytes: make soak")


def drawn(*shape: int, dtype: Any = np.float32) -> Array:
    """Return random whole numbers, whose sums are exact."""
    return np.random.default_rng(1).integers(-9, 10, shape).astype(dtype)


def softmax(x: Array, axis: int = 1) -> Array:
    powers = np.exp(x.astype(np.float64))
    return powers / powers.sum(axis, keepdims=True)


# Rows that lie 8 GiB apart


@targets
@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "i8"] if is_soak() else ["f32", "i8"])
def test_far_rows_of_one_matrix(target: str, dtype: str) -> None:
    kind = numpy_dtype(dtype)
    x = drawn(33, 21, dtype=kind)
    far, options = placed(x, MOST), {"dtype": dtype, "target": target}
    wanted = x.astype(np.float64)
    y, turned = sparse(x.shape, kind, MOST), sparse(x.shape[::-1], kind, MOST)
    ts.unary("abs", 33, 21, ldx=MOST, ldy=MOST, **options)(far, y)
    assert (y.astype(np.float64) == abs(wanted)).all()
    by_columns = sparse(x.shape, kind, MOST, "F")
    ts.unary("abs", 33, 21, ldx=MOST, ldy=MOST, order="F", **options)(placed(x, MOST, "F"), by_columns)
    assert (by_columns.astype(np.float64) == abs(wanted)).all()
    ts.transpose(33, 21, ldx=MOST, ldy=MOST, **options)(far, turned)
    assert (turned == x.T).all()
    for axis in (0, 1, None):
        found = ts.reduce("max", 33, 21, axis=axis, ldx=MOST, **options)(far)
        assert (found.reshape(-1) == x.max(axis).reshape(-1)).all()
    index = np.random.default_rng(2).permutation(33)[:9]
    assert (ts.gather("rows", 9, 21, size=33, ldx=MOST, **options)(far, index) == x[index]).all()
    y[:] = 0
    ts.scatter("rows", 9, 21, size=33, ldy=MOST, **options)(x[:9].copy(), index, y)
    assert (y[index] == x[:9]).all() and np.count_nonzero(y.any(1)) <= 9


@targets
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f32", ("bf16", "bf16", "f32"), ("u8", "i8", "i32")], ids=str)
def test_far_rows_of_products(target: str, dtype: Any, order: str) -> None:
    kinds = [numpy_dtype(each) for each in ((dtype,) * 3 if isinstance(dtype, str) else dtype)]
    for m, n, k in ((33, 19, 27), (3, 40, 5)):
        a, b = abs(drawn(m, k)).astype(kinds[0]), drawn(k, n, dtype=kinds[1])
        wanted = a.astype(np.float64) @ b.astype(np.float64)
        arrays = placed(a, MOST, order), placed(b, MOST, order)
        for leading in (MOST, ts.RUNTIME):
            c = sparse((m, n), kinds[2], MOST, order)
            options: Any = {"dtype": dtype, "order": order, "target": target}
            ts.brgemm(m, n, k, lda=leading, ldb=leading, ldc=leading, **options)(*arrays, c)
            assert (c == wanted).all()


@targets
def test_far_rows_of_functions(target: str) -> None:
    x, w, b = drawn(33, 19), drawn(19, 12) / 16, drawn(33, 1)
    far = {"ldx": MOST, "target": target}
    for axis, function in enumerate((lambda x: ts.softmax(x, axis=0), lambda x: ts.softmax(x, axis=1))):
        assert np.allclose(ts.equation(function, x=x.shape, **far)(placed(x, MOST)), softmax(x, axis), rtol=1e-5)
    y = sparse((33, 12), np.float32, MOST)
    ts.equation(lambda x, w: ts.softmax(x @ w, axis=1), x=x.shape, w=w.shape, ldw=MOST, ldy=MOST, **far)(
        placed(x, MOST), placed(w, MOST), y
    )
    assert np.allclose(y, softmax(x @ w), rtol=1e-4)
    k = ts.equation(lambda x, b: ts.relu(x) + b, x=x.shape, b=b.shape, ldb=MOST, **far)
    assert (k(placed(x, MOST), placed(b, MOST)) == np.maximum(x, 0) + b).all()
    pairs = drawn(32, 21, dtype=ml_dtypes.bfloat16)
    found = ts.transform("vnni2", 32, 21, dtype="bf16", **far)(placed(pairs, MOST))
    assert (found.reshape(16, 21, 2) == pairs.reshape(16, 2, 21).swapaxes(1, 2)).all()


def test_far_rows_of_operators() -> None:
    a, b = drawn(150, 65), drawn(65, 160)
    wanted, c = a.astype(np.float64) @ b, sparse((150, 160), np.float32, MOST)
    assert (ts.matmul(placed(a, MOST), placed(b, MOST)) == wanted).all()
    assert (ts.matmul(a, b, out=c, threads=2) == wanted).all()
    c[:] = 0
    ts.gemm(150, 160, 65, lda=MOST, ldb=MOST, ldc=MOST, threads=2)(placed(a, MOST), placed(b, MOST), c)
    assert (c == wanted).all()
    assert (ts.dispatch(ts.unary, "abs", ldx=ts.RUNTIME)(placed(a, MOST)) == abs(a)).all()
    pairs = [sparse((5, 64), np.float32, MOST) for _ in range(2)]
    for each in pairs:
        each[:] = drawn(5, 64)
    found = np.zeros((8, 8), np.float32)
    first = [each[0].reshape(8, 8) for each in pairs]
    ts.brgemm(8, 8, 8, batch=ts.STRIDE)(*first, found, 5, 4 * MOST, 4 * MOST)
    assert (found == sum(x.reshape(8, 8) @ y.reshape(8, 8) for x, y in zip(*pairs))).all()


@pytest.mark.parametrize("target", EMULATED)
def test_far_rows_in_the_emulator(target: str) -> None:
    """It holds rows one by one, and no kernel touches a byte between them."""
    x, w = drawn(9, 5), drawn(5, 7)
    far, y, c = placed(x, MOST), sparse((5, 9), np.float32, MOST), sparse((9, 7), np.float32, MOST)
    ts.transpose(9, 5, ldx=MOST, ldy=MOST, target=target).run(far, y)
    assert (y == x.T).all()
    ts.brgemm(9, 7, 5, lda=MOST, ldb=MOST, ldc=MOST, target=target).run(far, placed(w, MOST), c)
    assert (c == x @ w).all()
    index = np.array([8, 0, 3])
    found = ts.gather("rows", 3, 5, size=9, ldx=MOST, target=target).run(far, index, np.zeros((3, 5), np.float32))
    assert found is None or (found == x[index]).all()


def test_proofs_of_what_they_cannot_hold() -> None:
    for kernel in (ts.unary("abs", 9, 5, ldx=MOST), ts.fused("adam", 1, 3 * WIDE), ts.brgemm(3, 3, 3 * WIDE)):
        with pytest.raises(ts.UnsupportedError, match=r"spans \d+ bytes, and a proof holds .* smaller extents"):
            kernel.verify()


# Long rows and columns


def test_vectors_and_narrow_matrices() -> None:
    x = np.zeros(WIDE, np.float32)
    x[-2:] = -3, 5
    assert (ts.dispatch(ts.unary, "relu")(x).reshape(-1)[-3:] == [0, 0, 5]).all()
    assert ts.dispatch(ts.reduce, "max", axis=None)(x) == 5
    pairs = x.reshape(-1, 2)
    assert (ts.dispatch(ts.transpose)(pairs)[:, -2:] == [[0, -3], [0, 5]]).all()
    index = np.zeros(WIDE, np.int64)
    index[-1] = 9
    found = ts.gather("rows", WIDE, 1, size=10)(drawn(10, 1), index)
    assert (found[:-1] == drawn(10, 1)[0]).all() and found[-1] == drawn(10, 1)[9]


def test_composites_of_long_rows() -> None:
    x = np.zeros((1, WIDE), np.float32)
    x[0, -1] = 9
    total = WIDE - 1 + np.exp(9)
    assert np.allclose(ts.fused("softmax", 1, WIDE)(x)[0, [0, -1]], np.array([1, np.exp(9)]) / total, rtol=1e-4)
    loss = ts.fused("cross_entropy", 1, WIDE)(x, np.array([WIDE - 1], np.int32))
    assert np.allclose(loss, np.log(total) - 9, rtol=1e-4)


def test_column_numbers_that_f32_would_round() -> None:
    """In f32, columns 2^24 and 2^24 + 1 have one number: the result would be another column."""
    columns = (1 << 24) + 101
    for function in ("cross_entropy", "cross_entropy_inv"):
        with pytest.raises(ts.UnsupportedError, match='exact up to 16777216 columns, .* dtype="f64" takes more'):
            ts.fused(function, 2, columns)
    with pytest.raises(ts.UnsupportedError, match="ts.reduce finds positions"):
        ts.equation(lambda x: ts.argmax(x, axis=1), x=(ts.RUNTIME, columns))
    x = sparse((1, columns), np.float64)
    x[0, -2] = 1
    assert ts.equation(lambda x: ts.argmax(x, axis=1), x=x.shape, dtype="f64")(x) == columns - 2


def test_the_far_end_of_long_extents() -> None:
    """Only a few places are read."""
    table = sparse((MOST, 3))
    table[-1] = table[MOST // 2] = 1, 2, 3
    index = np.array([MOST - 1, 0, MOST // 2])
    assert (ts.gather("rows", 3, 3, size=MOST)(table, index) == [[1, 2, 3], [0, 0, 0], [1, 2, 3]]).all()
    ts.scatter("rows", 3, 3, size=MOST)(drawn(3, 3), index, table)
    assert (table[index] == drawn(3, 3)).all()
    wide = sparse((2, MOST))
    wide[:, -1] = 5, 6
    assert (ts.gather("columns", 2, 2, size=MOST)(wide, np.array([MOST - 1, 1])) == [[5, 0], [6, 0]]).all()


REQUESTS = {
    "eltwise": lambda: ts.binary("add", MOST, 33, bcast=(None, "row")),
    "reduce": lambda: ts.reduce("sum", 33, MOST, axis=0),
    "fused": lambda: ts.fused("layernorm", 33, MOST),
    "down": lambda: ts.equation(lambda x: ts.softmax(x, axis=0), x=(MOST, 3)),
    "chain": lambda: ts.equation(lambda x, w: ts.softmax(x @ w, axis=1), x=(12, MOST), w=(MOST, 12)),
    "brgemm": lambda: ts.brgemm(33, 33, MOST),
    "stack": lambda: ts.brgemm(3, 3, 3, stack=MOST),
    "gemm": lambda: ts.gemm(MOST, 64, MOST),
    "attention": lambda: ts.attention(1, MOST, MOST, 64),
    "causal attention": lambda: ts.attention(1, 1 << 27, 1 << 27, 64, causal=True),  # more has too many blocks
    "attention_inv": lambda: ts.attention_inv(1, MOST, 64, 64, causal=True),
    "mlp": lambda: ts.mlp(8, [8, MOST, 8]),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_code_does_not_grow_with_extents(name: str) -> None:
    assert len(REQUESTS[name]().code) < 250_000


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16, 32])
def test_levels_keep_the_promise_for_all_extents(lanes: int) -> None:
    """A kernel of 2^29 columns or more, in vectors of 16, found no levels."""
    for steps in (MOST_TERMS, 1 << 20, 1 << 25, MOST, *([] if lanes == 1 else [1 << 40])):
        found = levels_of(steps, lanes)
        if found is None:
            assert steps * lanes <= MOST_TERMS
        else:
            each, depth = found
            assert (each * (depth + 1) + -(-steps // each**depth)) * lanes <= MOST_TERMS


@pytest.mark.parametrize("target", NATIVE)
def test_values_of_many_levels(target: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_sums, "levels_of", lambda steps, lanes: Levels(8, 5) if steps > 8 else None)
    monkeypatch.setattr(long_sums, "MOST_TERMS", 0)
    n = 300_017
    x = np.random.default_rng(1).random((1, n)).astype(np.float32)
    kernel = ts.equation(lambda x: x / ts.sum(x, axis=1), x=(1, n), target=target)
    assert long_sums.depth_of_sums(kernel.plan) == 5
    assert np.allclose(kernel(x), x / x.sum(dtype=np.float64), rtol=1e-6, atol=0)


def test_the_limit_itself() -> None:
    with pytest.raises(ValueError, match=f"from 1 to {MOST}, not {MOST + 1}"):
        ts.unary("abs", 1, MOST + 1)


# Gigabytes


@soak
@targets
def test_whole_long_rows(target: str) -> None:
    x = sparse((1, MOST), np.int8)
    for place in (MOST - 1, MOST - 2, MOST - 17, (1 << 30) + 3):
        x[0, place] = 1
        options: Any = {"axis": 1, "dtype": "i8", "target": target}
        assert ts.reduce("max", 1, MOST, **options)(x) == ts.reduce("sum", 1, MOST, **options)(x) == 1
        assert ts.reduce("argmax", 1, MOST, **options)(x) == place
        x[0, place] = 0
    x[0, -1] = -3
    assert (ts.unary("abs", 1, MOST, dtype="i8", target=target)(x)[0, [0, -1]] == [0, 3]).all()
    ones = sparse((MOST, 1), np.int8)
    ones[-1] = 2
    assert ts.brgemm(1, 1, MOST, dtype=("i8", "i8", "i32"), beta=0.0, target=target)(x, ones) == -6


@soak
@targets
def test_more_elements_than_32_bits_count(target: str) -> None:
    x = sparse((3, MOST), np.int8)
    x[2, -1] = 7
    assert ts.reduce("max", 3, MOST, axis=None, dtype="i8", target=target)(x) == 7
    single = sparse((1 << 30, 1))
    single[-1] = 7
    assert ts.reduce("max", 1 << 30, 1, axis=0, target=target)(single) == 7
    half = (1 << 30) + 5
    for shape in ((2, half), (half, 2)):
        x = sparse(shape, np.int8)
        x[-1, -1] = 7
        y = ts.transpose(*shape, dtype="i8", target=target)(x)
        assert y[-1, -1] == 7 and y.reshape(-1)[:-1].max() == 0


@soak
def test_many_rows_given_at_the_call_and_in_nests() -> None:
    rows = (1 << 30) + 5
    x = sparse((rows, 1), np.int8)
    x[-1] = -3
    assert (ts.unary("abs", ts.RUNTIME, 1, dtype="i8")(x)[[0, -1], 0] == [0, 3]).all()
    k = ts.brgemm(1, 1, 32, beta=0.0)
    many = 1 << 26
    n = ts.nest(
        "a",
        {"a": (0, many, 1)},
        lambda i, A, B, C: k(A[i.a], B[0], C[0]),
        A=((many, 1, 32), "f32"),
        B=((1, 32, 1), "f32"),
        C=((1, 1, 1), "f32"),
    )
    blocks, c = sparse((many, 1, 32)), np.zeros((1, 1, 1), np.float32)
    blocks[-1] = 2
    n(blocks, np.ones((1, 32, 1), np.float32), c, threads=1)
    assert c == 64
    keys = 1 << 24
    q, k_, v = np.ones((1, 1, 8), np.float32), sparse((1, keys, 8)), sparse((1, keys, 8))
    k_[0, -1], v[0, -1] = 30, 2
    assert np.allclose(ts.attention(1, 1, keys, 8)(q, k_, v), 2)
