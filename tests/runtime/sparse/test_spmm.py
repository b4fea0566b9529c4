"""`ts.spmm` equals the product of the dense matrix, exactly, for every format, block, type, target and number of
threads."""

from __future__ import annotations

import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.gemm_cases import RUNNING
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tests.sparse_cases import Array, Held, Pattern, patterns
from tilesmith.microkernels.tuning.sparse import SPARSE
from tilesmith.runtime.sparse.functions import prepared

BF16 = ml_dtypes.bfloat16
TYPES: list[tuple[Any, Any, Any]] = [
    (np.float32, np.float32, np.float32),
    (np.float64, np.float64, np.float64),
    (BF16, BF16, BF16),
    (BF16, BF16, np.float32),
    (np.float16, np.float16, np.float16),
    (np.int8, np.int8, np.int32),
    (np.int8, np.uint8, np.int32),
]
BLOCKS = [None, 1, 2, 4, (3, 5), (1, 8), (16, 16), (32, 32), (7, 2)]


def lay(x: Array, way: str) -> Array:
    """Return the matrix by rows, by columns, or with gaps between its elements."""
    if way == "gaps":
        wide = np.zeros((2 * x.shape[0], 3 * x.shape[1]), x.dtype)[::2, ::3]
        wide[...] = x
        return wide
    return np.array(x, order="F" if way == "columns" else "C")


@settings(max_examples=scaled(18, 200_000))
@given(
    patterns(),
    st.integers(0, 70),
    st.sampled_from(TYPES),
    st.sampled_from(BLOCKS),
    st.sampled_from([np.int32, np.int64]),
    st.sampled_from([None, *RUNNING]),
    st.sampled_from(["rows", "columns", "gaps"]),
    st.sampled_from([None, "rows", "columns", "gaps"]),
    st.sampled_from([1, 2, 3, 7]),
    st.sampled_from(SIDES),
    st.booleans(),
)
def test_products(
    drawn: tuple[Pattern, str],
    n: int,
    types: tuple[Any, Any, Any],
    blocks: Any,
    index: Any,
    target: str | None,
    way: str,
    to: str | None,
    threads: int,
    side: str,
    left: bool,
) -> None:
    pattern, format = drawn
    handle = ts.sparse(pattern.held(format, types[0], index), blocks=blocks, target=target)
    dense = pattern.dense()
    assert np.array_equal(handle.toarray(), dense)
    rng = np.random.default_rng(n)
    x = rng.integers(0 if types[1] == np.uint8 else -3, 4, (n, dense.shape[0]) if left else (dense.shape[1], n))
    expected = (x @ dense if left else dense @ x).astype(types[2])
    x = guarded(lay(x.astype(types[1]), way), side, writable=False)
    out = None if to is None else guarded(lay(np.full(expected.shape, 55).astype(types[2]), to), side)
    if out is None and types[0] == BF16:
        expected = expected.astype(BF16)
    made = ts.spmm(*((x, handle) if left else (handle, x)), out, threads=threads)
    assert out is None or made is out
    used = [each.job.target for each in (handle.T if left else handle)._jobs.values()]
    assert all(each == handle.target for each in used) and (used or not made.size)
    assert made.dtype == expected.dtype and np.array_equal(made, expected)
    if out is not None:
        check_canary(out)


@settings(max_examples=scaled(6, 100_000))
@given(patterns(), st.integers(1, 40), st.sampled_from(BLOCKS), st.sampled_from(TYPES[:3]), st.data())
def test_epilogues(
    drawn: tuple[Pattern, str], n: int, blocks: Any, types: tuple[Any, Any, Any], data: st.DataObject
) -> None:
    pattern, format = drawn
    handle = ts.sparse(pattern.held(format, types[0]), blocks=blocks)
    left, dense, rng = data.draw(st.booleans()), pattern.dense(), np.random.default_rng(n)
    x = rng.integers(-3, 4, (n, dense.shape[0]) if left else (dense.shape[1], n))
    exact = x @ dense if left else dense @ x
    m, k = exact.shape
    row, column, whole = (rng.integers(-3, 4, shape) for shape in ((k,), (m, 1), (m, k)))
    given = {"row": row.astype(np.float32), "column": column.astype(types[2]), "whole": whole.astype(types[2])}
    given["whole"] = lay(given["whole"], data.draw(st.sampled_from(["rows", "columns", "gaps"])))
    factors = handle, x.astype(types[1])
    made = ts.spmm(
        *(factors[::-1] if left else factors),
        epilogue=lambda c, row, column, whole, number: ts.maximum(c * column + row, whole) + number,
        operands={**given, "number": 2},
    )
    assert np.array_equal(made, (np.maximum(exact * column + row, whole) + 2).astype(types[2]))


@pytest.mark.parametrize("blocks", [1, (2, 1)])
def test_long_rows_are_summed_in_parts_and_bits_do_not_depend_on_threads(blocks: Any) -> None:
    rng = np.random.default_rng(1)
    k = 2 * SPARSE.entries + 77
    a = np.zeros((6, k), np.float32)
    a[1], a[4, ::2], a[5, 3] = rng.standard_normal(k), 1, 7
    rows, columns = np.nonzero(a)
    held = Held("coo", a.shape, row=rows, col=columns, data=a[rows, columns])
    handle, b = ts.sparse(held, blocks=blocks), rng.standard_normal((k, 37)).astype(np.float32)
    assert handle.sizes.parts and "long rows" in str(handle)
    exact = a.astype(np.float64) @ b
    bound = 2.0**-20 * (abs(a) @ abs(b))
    scale = rng.standard_normal((6, 1)).astype(np.float32)
    bits = set()
    for threads in (1, 2, 3, 7):
        made = ts.spmm(handle, b, threads=threads)
        assert (abs(made - exact) <= bound).all()
        more = ts.spmm(handle, b, threads=threads, epilogue=lambda c, s: c * s, operands={"s": scale})
        assert np.array_equal(more, made * scale)
        bits.add(made.tobytes())
    assert len(bits) == 1


@pytest.mark.parametrize("blocks", [1, 4, 32])
def test_bits_do_not_depend_on_threads_where_all_copy(blocks: int) -> None:
    rng = np.random.default_rng(2)
    a = np.where(rng.random((130, 150)) < 0.2, rng.standard_normal((130, 150)), 0).astype(np.float32)
    rows, columns = np.nonzero(a)
    handle = ts.sparse(Held("coo", a.shape, row=rows, col=columns, data=a[rows, columns]), blocks=blocks)
    b = np.asfortranarray(rng.standard_normal((150, 90)).astype(np.float32))
    made = [ts.spmm(handle, b, threads=each) for each in (1, 2, 3, 7)]
    assert all(np.array_equal(each, made[0]) for each in made)
    assert np.allclose(made[0], a @ b, atol=1e-4)


@pytest.mark.parametrize(
    ("target", "types", "blocks", "workers"),
    [("neon", TYPES[0], 1, 2), ("neon", TYPES[2], (4, 3), 1), ("sve256", TYPES[0], 2, 1), ("amx", TYPES[2], (4, 4), 2)],
)
def test_emulated(target: str, types: tuple[Any, Any, Any], blocks: Any, workers: int) -> None:
    rng = np.random.default_rng(3)
    dense, x = rng.integers(-3, 4, (9, 14)) * (rng.random((9, 14)) < 0.4), rng.integers(-3, 4, (14, 21))
    rows, columns = np.nonzero(dense)
    held = Held("coo", dense.shape, row=rows, col=columns, data=dense[rows, columns])
    handle = ts.sparse(held, types[0], blocks=blocks, target=target)
    b, y = x.astype(types[1]), np.full((9, 21), 55).astype(types[2])
    names = tuple({np.float32: "f32", BF16: "bf16"}[each] for each in types)
    found = prepared(handle, b, y, names, {}, None, workers)  # type: ignore[arg-type]
    regions = [(str(number), each, each is y) for number, each in enumerate(found.keep)]
    found.known.job.emulated(found.words, found.more, regions, workers, 5)
    assert np.array_equal(y, (dense @ x).astype(types[2]))


def test_what_is_not_stored_is_skipped_and_empty_rows_are_zero() -> None:
    held = Held("csr", (3, 2), indptr=np.array([0, 1, 1, 2]), indices=np.array([0, 1]), data=np.array([-0.0, 2.0]))
    b = np.array([[1.0, 2.0], [np.inf, np.nan]])
    made = ts.spmm(held, b)
    assert np.array_equal(made, [[0, 0], [0, 0], [np.inf, np.nan]], equal_nan=True)
    assert not np.signbit(made[1]).any()
    assert np.isnan(ts.spmm(ts.sparse(held, blocks=2), b)[0]).all()  # a zero inside of a block is multiplied


def test_handles_are_immutable_and_pickled() -> None:
    rng = np.random.default_rng(4)
    dense = rng.integers(-3, 4, (20, 30)) * (rng.random((20, 30)) < 0.2)
    rows, columns = np.nonzero(dense)
    held = Held("coo", dense.shape, row=rows, col=columns, data=dense[rows, columns])
    handle = ts.sparse(held, "f32", blocks=(3, 4))
    again = pickle.loads(pickle.dumps(handle))
    assert np.array_equal(again.toarray(), dense) and again.block == (3, 4) and again.dtype == "f32"
    assert np.array_equal(handle.T.toarray(), dense.T) and handle.T.block == (4, 3)
    assert ts.sparse(handle) is handle and ts.sparse(handle, "bf16").dtype == "bf16"
    assert np.array_equal(ts.sparse(handle, blocks=1).toarray(), dense)
    for array in (handle.indices, handle.indptr, handle.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
    with pytest.raises(AttributeError, match="cannot be changed"):
        handle.shape = (1, 1)
    held.row[:] = 10**9  # of the matrix that it was made of, which no longer matters
    b = np.eye(30, dtype=np.float32)
    assert np.array_equal(ts.spmm(handle, b), dense)
    with pytest.raises(ValueError, match="but there are 20 rows"):
        ts.spmm(held, b.astype(np.int8))
    assert "blocks of 3 x 4" in str(handle) and "times 30 x 30" in str(handle)
    doubled = handle.with_values(2 * handle.values)
    assert np.array_equal(ts.spmm(doubled, b), 2 * dense)


ONES = np.ones(3)
LIES: list[tuple[Held, str]] = [
    (
        Held("csr", (2, 4), indptr=np.array([0, 1, 3]), indices=np.array([0, 4, 1]), data=ONES),
        "row 1, entry 1: column 4",
    ),
    (Held("csr", (2, 4), indptr=np.array([0, 1, 3]), indices=np.array([0, -1, 1]), data=ONES), "entry 1: column -1"),
    (
        Held("csr", (2, 4), indptr=np.array([0, 3, 2]), indices=np.array([0, 1, 1]), data=ONES),
        "row 1 begins at entry 3",
    ),
    (Held("csr", (2, 4), indptr=np.array([0, 1, 9]), indices=np.array([0, 1, 1]), data=ONES), "row 1 ends at entry 9"),
    (
        Held("csr", (2, 4), indptr=np.array([1, 1, 3]), indices=np.array([0, 1, 1]), data=ONES),
        r"indptr\[0\] is 0, not 1",
    ),
    (Held("csr", (2, 4), indptr=np.array([0, 3]), indices=np.array([0, 1, 1]), data=ONES), "indptr has 3 numbers"),
    (
        Held("csr", (2, 4), indptr=np.array([0, 1, 3]), indices=np.array([0, 1, 1]), data=ONES[:2]),
        "row 1 ends at entry 3",
    ),
    (
        Held("csc", (4, 2), indptr=np.array([0, 1, 3]), indices=np.array([0, 4, 1]), data=ONES),
        "column 1, entry 1: row 4",
    ),
    (Held("coo", (4, 2), row=np.array([0, 1, 7]), col=np.array([0, 1, 1]), data=ONES), "entry 2, entry 2: row 7"),
    (Held("coo", (4, 2), row=np.array([0, 1, 2]), col=np.array([0, 9, 1]), data=ONES), "row 1, entry 1: column 9"),
    (Held("dia", (4, 2), offsets=np.array([0, 0]), data=np.ones((2, 2))), "offsets holds a diagonal twice"),
    (
        Held("bsr", (4, 4), indptr=np.array([0, 1, 2]), indices=np.array([0, 2]), data=np.ones((2, 2, 2))),
        "row 1, entry 1: column 2, but there are 2 columns",
    ),
    (
        Held("bsr", (5, 4), indptr=np.array([0, 1, 2]), indices=np.array([0, 2]), data=np.ones((2, 2, 2))),
        "blocks of 2 x 2 do not divide 5 x 4",
    ),
]


@pytest.mark.parametrize(("held", "message"), LIES, ids=range(len(LIES)))
def test_indices_that_lie_are_errors(held: Held, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ts.sparse(held)
    with pytest.raises(ValueError, match=message):
        ts.spmm(held, np.ones((held.shape[1], 3)))


EYE = Held("coo", (3, 3), row=np.arange(3), col=np.arange(3), data=ONES)
WRONG: list[tuple[Any, type[Exception], str]] = [
    (lambda: ts.spmm(EYE, np.ones((4, 2))), ValueError, "as many columns of a as rows of b, not 3 x 3 by 4 x 2"),
    (lambda: ts.spmm(np.ones((2, 4)), EYE), ValueError, "not 2 x 4 by 3 x 3"),
    (lambda: ts.spmm(np.ones((3, 3)), np.ones((3, 3))), TypeError, "a, b: one of them sparse"),
    (lambda: ts.spmm(EYE, EYE), ts.UnsupportedError, "both are sparse"),
    (lambda: ts.spmm(EYE, np.ones((3, 2), np.float32)), TypeError, "f64"),
    (lambda: ts.spmm(EYE, np.ones((3, 2), int)), ts.UnsupportedError, "no kernel multiplies f64 by i64"),
    (lambda: ts.spmm(EYE, np.ones((3, 2, 2))), ValueError, "b: a matrix or a vector"),
    (lambda: ts.spmm(EYE, np.ones((3, 2)), np.ones((2, 3))), ValueError, r"out: shape \(3, 2\), not \(2, 3\)"),
    (lambda: ts.spmm(EYE, np.ones((3, 2)), np.broadcast_to(1.0, (3, 2))), ValueError, "read-only"),
    (lambda: ts.spmm(EYE, np.ones((3, 2)), operands={"x": ONES}), TypeError, "operands: only an epilogue"),
    (lambda: ts.spmm(EYE, np.ones((3, 2)), epilogue=lambda c, x: c + x), ValueError, "none is given for x"),
    (
        lambda: ts.spmm(EYE, np.ones((3, 2)), epilogue=lambda c, x: c + x, operands={"x": np.ones((2, 2))}),
        ValueError,
        "x: the result's shape",
    ),
    (lambda: ts.sparse(EYE, blocks=33), ValueError, "blocks: rows and columns from 1 to 32"),
    (lambda: ts.sparse(EYE, blocks=(1, 2, 3)), ValueError, "blocks: rows and columns"),
    (lambda: ts.sparse(EYE, "i32"), ts.UnsupportedError, "dtype: f64"),
    (lambda: ts.sparse(np.eye(3).tolist()), TypeError, "a: a sparse matrix"),
    (
        lambda: ts.sparse(Held("coo", (3, 3), row=np.arange(3), col=np.arange(3), data=np.arange(3))),
        ts.UnsupportedError,
        "not int64; ts.sparse",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_arguments(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_vectors_and_extents_of_zero() -> None:
    assert np.array_equal(ts.spmm(EYE, np.arange(3.0)), np.arange(3))
    assert np.array_equal(ts.spmm(np.arange(3.0), EYE), np.arange(3))
    none = Held("coo", (3, 0), row=np.zeros(0, int), col=np.zeros(0, int), data=np.zeros(0))
    made = ts.spmm(none, np.zeros((0, 2)), epilogue=lambda c, x: c + x, operands={"x": np.array([1.0, 2.0])})
    assert np.array_equal(made, [[1, 2]] * 3)
    assert ts.spmm(
        none.__class__("coo", (0, 3), row=none.row, col=none.col, data=none.data), np.ones((3, 2))
    ).shape == (0, 2)


def test_of_scipy() -> None:
    scipy = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(5)
    dense = rng.integers(-3, 4, (24, 36)) * (rng.random((24, 36)) < 0.2)
    x = rng.integers(-3, 4, (36, 5)).astype(np.float32)
    whole = scipy.csr_array(dense.astype(np.float32))
    made = [whole, whole.tocsc(), whole.tobsr((4, 3)), whole.tobsr((12, 18)), whole.tocoo(), whole.todia()]
    for each in [*made, scipy.csr_matrix(whole), whole.tobsr((24, 36))]:
        assert np.array_equal(ts.spmm(each, x), dense @ x)
    assert ts.sparse(made[2]).block == (4, 3) and ts.sparse(whole.tobsr((24, 36))).block == (24, 18)
    with pytest.raises(TypeError, match=r"of format 'lil'; a.tocsr\(\) converts it"):
        ts.sparse(whole.tolil())


def test_of_torch() -> None:
    torch: Any = pytest.importorskip("torch")
    rng = np.random.default_rng(6)
    dense = rng.integers(-3, 4, (24, 36)) * (rng.random((24, 36)) < 0.2)
    whole, x = torch.tensor(dense, dtype=torch.float32), torch.randint(-3, 4, (36, 5)).float()
    made = [whole.to_sparse_csr(), whole.to_sparse_csc(), whole.to_sparse_bsr((4, 3)), whole.to_sparse()]
    for each in made:
        found = ts.spmm(each, x)
        assert isinstance(found, torch.Tensor) and torch.equal(found, whole @ x)
    half = ts.spmm(made[2].to(torch.bfloat16), x.bfloat16())
    assert half.dtype == torch.bfloat16 and torch.equal(half.float(), (whole @ x).bfloat16().float())


def test_later_calls_are_checked_as_the_first() -> None:
    """A call like an earlier one, which is not prepared again, reads its own arrays and refuses what the first does."""
    rng = np.random.default_rng(8)
    dense = (rng.integers(-3, 4, (20, 20)) * (rng.random((20, 20)) < 0.3)).astype(np.float32)
    rows, columns = np.nonzero(dense)
    handle = ts.sparse(Held("coo", dense.shape, row=rows, col=columns, data=dense[rows, columns]))
    for _ in range(3):
        b, out = rng.integers(-3, 4, (20, 20)).astype(np.float32), np.full((20, 20), 55, np.float32)
        assert np.array_equal(ts.spmm(handle, b), dense @ b)
        assert ts.spmm(handle, b, out) is out and np.array_equal(out, dense @ b)
        expected = dense @ b
        assert ts.spmm(handle, b, b) is b and np.array_equal(b, expected)
    assert handle._calls
    frozen = np.zeros((20, 20), np.float32)
    frozen.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        ts.spmm(handle, b, frozen)
    odd = np.frombuffer(bytearray(b"\0" + b.tobytes()), np.uint8)[1:].view(np.float32).reshape(20, 20)
    assert not odd.flags.aligned and np.array_equal(ts.spmm(handle, odd, threads=2), dense @ odd)
    with pytest.raises((TypeError, ValueError), match="threads"):
        ts.spmm(handle, b, threads=0)


@settings(max_examples=scaled(8, 20_000))
@given(patterns(), st.sampled_from([np.int32, np.int64]), st.booleans())
def test_matrices_by_their_arrays(drawn: tuple[Pattern, str], index: Any, told: bool) -> None:
    pattern, format = drawn
    held = pattern.held(format, np.float32, index)
    shape = pattern.shape if told else None
    if format in ("csr", "bsr"):
        handle = ts.sparse((held.data, held.indices, held.indptr), shape=shape)  # type: ignore[attr-defined]
    elif format == "coo":
        handle = ts.sparse((held.data, (held.row, held.col)), shape=shape)  # type: ignore[attr-defined]
    else:
        return
    m, k = handle.shape
    whole = np.zeros(pattern.shape, np.float32)
    whole[:m, :k] = handle.toarray()
    assert np.array_equal(whole, pattern.dense()) and (not told or handle.shape == pattern.shape)


@pytest.mark.parametrize(
    ("arrays", "shape", "error", "text"),
    [
        ((np.ones(1), np.array([5]), np.array([0, 1])), (1, 5), ValueError, "row 0, entry 0: column 5"),
        ((np.ones(1), np.array([5]), np.array([0, 2])), None, ValueError, "row 0 ends at entry 2"),
        ((np.ones(1), np.array([0]), np.array([0, 1])), (2, 2), ValueError, "indptr has 3 numbers"),
        ((np.ones(1), (np.array([-1]), np.array([0]))), (2, 2), ValueError, "row -1"),
        ((np.ones(1), np.array([0])), (2, 2), TypeError, "as scipy takes them"),
        (np.eye(3), (4, 4), ValueError, r"shape: \(3, 3\)"),
    ],
)
def test_arrays_that_are_no_matrix(arrays: Any, shape: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        ts.sparse(arrays, shape=shape)
