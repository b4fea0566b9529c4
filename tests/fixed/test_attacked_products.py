"""Sparse, graph, grouped and listed products read or wrote beyond arrays, or failed, for odd arguments."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import both_sides, check_canary, guarded

ENDS, INDICES = np.array([0, 2, 4]), np.array([0, 1, 1, 2])


@both_sides
@pytest.mark.parametrize("op", ["max", "min"])
def test_positions_beside_rows_with_gaps(side, op):
    """Positions were written with the gaps of the result into an array without gaps: beyond its end."""
    rng = np.random.default_rng(0)
    table, ends, indices = rng.standard_normal((9, 17)).astype(np.float32), np.arange(0, 96, 5), rng.integers(0, 9, 95)
    out = guarded(np.zeros((len(ends) - 1, 60), np.float32)[:, :17], side)
    y, places = ts.graph_reduce(ends, indices, table, op, arg=True, out=out)
    taken = table[indices].reshape(len(ends) - 1, 5, 17)
    place = getattr(np, f"arg{op}")(taken, axis=1)
    np.testing.assert_array_equal(places, place + ends[:-1, None])
    np.testing.assert_array_equal(y, getattr(taken, op)(axis=1))
    check_canary(out)


def test_transposes_of_callers_are_checked():
    """Too few entries gave weights beyond the end of an array, indices with gaps those between them."""
    dy, table, weights = np.ones((2, 4), np.float32), np.ones((3, 4), np.float32), np.arange(1, 5, dtype=np.float32)
    right = ts.graph_transpose(ENDS, INDICES, 3)

    def gradient(transpose):
        return ts.graph_reduce_backward(dy, ENDS, INDICES, table, weights=weights, transpose=transpose)[0]

    for wrong in (
        right._replace(entries=right.entries[:1]),
        right._replace(indptr=right.indptr[:2]),
        tuple(right),
        right._replace(indices=right.indices.astype(float)),
    ):
        with pytest.raises((TypeError, ValueError)):
            gradient(wrong)
    with pytest.raises(IndexError):
        gradient(right._replace(entries=right.entries + 1))
    gaps = right._replace(indices=np.stack([right.indices, 1 - right.indices], 1).ravel()[::2])
    np.testing.assert_array_equal(gradient(gaps)[:, 0], [1, 5, 4])


def test_results_apart_from_the_index_of_pairs():
    """The results were written over indices that were read later."""
    memory = np.zeros(8, np.int64)
    out = memory.view(np.float32)[:8].reshape(2, 4)
    with pytest.raises(ValueError, match="pairs"):
        table = np.ones((3, 4), np.float32)
        ts.graph_reduce(ENDS, INDICES, table, combine="add", pairs=(table, memory[:4]), out=out)


@pytest.mark.parametrize("op", ["sum", "max", "each"])
def test_dot_products_of_no_features(op):
    """They were what the memory had held."""
    none = np.empty((3, 0), np.float32)
    y = ts.graph_reduce(ENDS, INDICES, none, op, combine="dot", edges=np.empty((4, 0), np.float32))
    np.testing.assert_array_equal(y, np.zeros(4 if op == "each" else 2))


def test_packed_groups_hold_their_form():
    """A shape that the bytes do not have was read beyond them; matrices without elements came from no pickle."""
    packed = ts.pack_groups(np.ones((3, 16, 16), np.float32))
    again, (array, shape, *more) = packed.__reduce__()
    with pytest.raises(AttributeError):
        packed.shape = (300, 16, 16)
    with pytest.raises(ValueError, match="bytes"):
        again(array, (300, *shape[1:]), *more)
    for shape in ((2, 0, 3), (2, 3, 0), (0, 3, 3)):
        none = pickle.loads(pickle.dumps(ts.pack_groups(np.ones(shape, np.float32))))
        y = ts.grouped_matmul(np.ones((5, shape[1]), np.float32)[: 5 * shape[0]], none, [2, 5][: shape[0]])
        np.testing.assert_array_equal(y, np.zeros(y.shape))


def test_pickles_of_sparse_matrices_and_compressed_weights():
    """Indices that are no integers became places between elements; wrong forms were KeyError or ZeroDivisionError."""
    handle = ts.sparse(
        SimpleNamespace(format="csr", nnz=2, shape=(2, 2), indptr=np.arange(3), indices=np.arange(2), data=np.ones(2))
    )
    again, (shape, starts, columns, values, target) = handle.__reduce__()
    for wrong in ((columns + 0.5, values), (columns, values[:, 0]), (columns, np.ones((2, 64, 64)))):
        with pytest.raises((TypeError, ValueError)):
            again(shape, starts, *wrong, target)
    again, (form, data) = ts.compressed(np.ones((64, 64), np.float32)).__reduce__()
    for place, value in ((0, "i5"), (3, -1), (3, True), (4, "f8"), (5, 1), (7, 256)):
        with pytest.raises((TypeError, ValueError)):
            again((*form[:place], value, *form[place + 1 :]), data)


@pytest.mark.parametrize("read", ["gptq", "awq", "torchao"])
def test_scales_without_rows(read):
    """They were ZeroDivisionError."""
    codes, none = np.zeros((2, 16), np.int32), np.zeros((0, 16), np.float16)
    given = (codes, none) if read == "torchao" else (codes, codes[:1], none)
    with pytest.raises(ValueError, match="scale"):
        getattr(ts.compressed, f"from_{read}")(*given)


def test_stacks_by_lists_of_empty_and_shared_arrays():
    """Empty arrays were refused for their strides, and operands in the memory of c were read after it was written."""
    empty = np.lib.stride_tricks.as_strided(np.empty(0, np.float32), (0, 3, 3), (0, 0, 0))
    none = np.empty(0, np.int64)
    ts.gemm(3, 3, 3, stack=ts.OFFSET)(empty, empty, empty, none, none, none)
    stack = ts.gemm(3, 3, 3, stack=ts.OFFSET, epilogue=lambda c, x: c + x, operands={"x": None})
    a, memory, one = np.ones((1, 3, 3), np.float32), np.ones(10, np.float32), np.array([0])
    with pytest.raises(ValueError, match="c: must not overlap x"):
        stack(a, a, memory[:9].reshape(1, 3, 3), one, one, one, memory[1:].reshape(1, 3, 3))


@pytest.mark.parametrize("turned", [False, True])
def test_operands_with_gaps_of_products_with_vectors(turned):
    """The elements of an operand of one column were taken to be neighbours, or an assertion failed."""
    data = np.ones((4, 2, 2), np.float32)
    a = SimpleNamespace(format="bsr", nnz=16, shape=(8, 8), indptr=np.arange(5), indices=np.arange(4), data=data)
    x, gaps = np.arange(8, dtype=np.float32)[:, None], np.arange(32, dtype=np.float32).reshape(8, 4)[:, :1]
    want = np.kron(np.eye(4), np.ones((2, 2))) @ x + gaps
    operands = {"x": gaps.T if turned else gaps}
    y = ts.spmm(x.T, a, epilogue=lambda c, x: c + x, operands=operands) if turned else None
    y = ts.spmm(a, x, epilogue=lambda c, x: c + x, operands=operands).T if y is None else y
    np.testing.assert_array_equal(y, want.T)
