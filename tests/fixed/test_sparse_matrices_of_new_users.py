"""ts.spmm(dense, sparse) named the wrong factor to convert, by a method that handles lack; lists were refused."""

import numpy as np
import pytest

import tilesmith as ts

A = np.array([[0, 2, 0], [3, 0, 4]], np.float32)
X = np.ones((3, 5))


def test_types_name_the_factor_of_the_caller_and_what_converts_it():
    with pytest.raises(TypeError, match=r"^a: must be f64 as b is, not f32; ts.sparse\(a, dtype=.f64.\) converts it"):
        ts.spmm(ts.sparse(A), X)
    with pytest.raises(TypeError, match=r"^b: must be f64 as a is, not f32; ts.sparse\(b, dtype=.f64.\) converts it"):
        ts.spmm(X.T, ts.sparse(A.T.copy()))
    with pytest.raises(TypeError, match=r"^a: must be f64 as b is, not f32; a.astype\(np.float64\) converts it"):
        ts.spmm(X.T.astype(np.float32), ts.sparse(A.T.copy(), dtype="f64"))
    assert np.array_equal(ts.spmm(ts.sparse(ts.sparse(A), dtype="f64"), X), A @ X)


def test_lists_as_scipy_takes_them():
    by_places = ts.sparse(([2.0, 3.0, 4.0], ([0, 1, 1], [1, 0, 2])))
    by_rows = ts.sparse(([2, 3, 4], [1, 0, 2], [0, 1, 3]), dtype="f64", shape=[2, 3])
    assert np.array_equal(by_places.toarray(), A) and np.array_equal(by_rows.toarray(), A)
    assert ts.sparse(([], ([], [])), shape=(2, 3)).toarray().tolist() == [[0, 0, 0], [0, 0, 0]]
    assert ts.sparse(A).with_values([5, 6, 7]).toarray().tolist() == [[0, 5, 0], [6, 0, 7]]


REFUSED = {
    "a list of rows": (TypeError, r"np.asarray\(a, dtype\)", lambda: ts.sparse(A.tolist())),
    "a flag as blocks": (ValueError, "blocks: .* not True", lambda: ts.sparse(A, blocks=True)),
    "a float as blocks": (ValueError, "blocks: .* not 2.0", lambda: ts.sparse(A, blocks=2.0)),
    "a number as shape": (
        ValueError,
        "shape: rows and columns, not 5",
        lambda: ts.sparse(([1.0], ([0], [0])), shape=5),
    ),
    "another shape": (ValueError, "shape:", lambda: ts.sparse(A, shape=5)),
    "a row": (ValueError, "^a: entry 0: row 7, but there are 2", lambda: ts.sparse(([1.0], ([7], [0])), shape=(2, 2))),
    "a column": (ValueError, "^a: row 1, entry 0: column 3", lambda: ts.sparse(([1.0], ([1], [3])), shape=(2, 2))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_named(name):
    error, words, call = REFUSED[name]
    with pytest.raises(error, match=words):
        call()


def test_blocks_of_numbers_of_numpy():
    assert ts.sparse(A, blocks=np.int64(2)).block == (2, 2)
