"""Sampled products, the softmax over the rows of a sparse matrix, and block-sparse attention: the values of the dense
ones, equal bits for any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import guarded
from tests.profiles import quick
from tests.sparse_cases import Held, Pattern, patterns
from tilesmith.runtime.arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]
BLOCKS: list[Any] = [None, 2, (8, 16), (3, 5), 32]
TYPES = "f32", "f64", "bf16", "f16"


def dense(s: Any, absent: float = 0.0) -> Array:
    """Return a handle as a dense matrix in f64, with another value for what is not stored."""
    (m, n), (down, across) = s.shape, s.block
    lines, places = -(-m // down), -(-n // across)
    made = np.full((lines, places, down, across), absent)
    made[np.repeat(np.arange(lines), np.diff(s.indptr)), s.indices] = s.values
    return made.transpose(0, 2, 1, 3).reshape(lines * down, places * across)[:m, :n]


def stored(s: Any) -> Array:
    """Return which elements a handle stores."""
    return dense(s.with_values(np.ones(s.values.shape, s.values.dtype))) != 0


def whole(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    found: Array = rng.integers(-3, 4, shape).astype(numpy_dtype(dtype))
    return found


@settings(max_examples=quick(25))
@given(
    patterns(), st.sampled_from(BLOCKS), st.sampled_from(TYPES), st.integers(0, 40), st.booleans(), st.integers(0, 99)
)
def test_samples(case: tuple[Pattern, str], blocks: Any, dtype: str, k: int, turned: bool, seed: int) -> None:
    """Any pattern, blocks that do not divide, both layouts of b: the product's elements, exact, and zeros outside."""
    pattern, form = case
    if 0 in pattern.shape:
        return
    rng = np.random.default_rng(seed)
    places = ts.sparse(pattern.held(form, np.float32), blocks=blocks)
    (m, n), threads = pattern.shape, int(rng.integers(1, 4))
    a, b = whole(rng, (m, k), dtype), whole(rng, (n, k) if turned else (k, n), dtype)
    wanted = a.astype(np.float64) @ (b.T if turned else b).astype(np.float64)
    s = ts.sddmm(
        guarded(a, "end", writable=False),
        guarded(b, "start", writable=False).T if turned else b,
        places,
        threads=threads,
    )
    assert s.dtype == dtype and s.block == places.block
    np.testing.assert_array_equal(dense(s), np.where(stored(places), wanted, 0).astype(numpy_dtype(dtype)))
    inside = dense(ts.sparse(s, dtype="f64"))
    np.testing.assert_allclose(np.abs(s.values.astype(np.float64)).sum(), np.abs(inside).sum())


@settings(max_examples=quick(15))
@given(patterns(), st.sampled_from([None, (8, 16), 4]), st.sampled_from(TYPES), st.booleans(), st.integers(0, 99))
def test_softmax(case: tuple[Pattern, str], blocks: Any, dtype: str, masked: bool, seed: int) -> None:
    """Rows sum to 1 over what is stored, as those of a dense matrix with -inf elsewhere do."""
    pattern, form = case
    if 0 in pattern.shape:
        return
    rng, held = np.random.default_rng(seed), pattern.held(form, np.float32)
    s = ts.sparse(held, dtype, blocks=blocks)  # type: ignore[arg-type]
    if s.shape[1] % s.block[1]:
        with pytest.raises(ts.UnsupportedError, match="blocks that divide its"):
            ts.sparse_softmax(s)
        return
    s = s.with_values((4 * rng.standard_normal(s.values.shape)).astype(s.values.dtype))
    bias = s.with_values(np.where(rng.random(s.values.shape) < 0.3, -np.inf, 1).astype(s.values.dtype))
    p = ts.sparse_softmax(s, scale=0.5, added=bias if masked else None, threads=int(rng.integers(1, 4)))
    x = dense(s, -np.inf) * 0.5 + (dense(bias) if masked else 0)
    top = x.max(axis=1, keepdims=True)
    there = np.isfinite(top)
    powers = np.exp(x - np.where(there, top, 0))
    wanted = np.where(there, powers / np.where(there, powers.sum(axis=1, keepdims=True), 1), np.nan)
    wanted = np.where(stored(s), wanted, 0)
    error = {"f64": 1e-14, "f32": 2e-6, "bf16": 2.0**-8, "f16": 2.0**-10}[dtype]
    np.testing.assert_allclose(dense(p), wanted, rtol=error, atol=error)


def test_attention_of_a_triangle():
    """Causal attention: blocks of a lower triangle, and a mask in those of its diagonal."""
    rng, block = np.random.default_rng(0), 16
    q, k, v = (rng.standard_normal((96, 24)).astype(np.float32) for _ in range(3))
    lower = np.tril(np.ones((6, 6)))
    rows, columns = np.nonzero(lower)
    data = np.ones((len(rows), block, block), np.float32)
    held = Held("bsr", (96, 96), indptr=np.r_[0, np.cumsum(lower.sum(1))].astype(int), indices=columns, data=data)
    places = ts.sparse(held)
    above = np.triu(np.full((block, block), -np.inf, np.float32), 1)
    mask = places.with_values(np.where((rows == columns)[:, None, None], above, np.float32(0)))
    found = [ts.sparse_attention(q, k, v, places, added=mask, threads=threads) for threads in (1, 2, 3)]
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    scores = np.where(np.tril(np.ones((96, 96), bool)), q.astype(np.float64) @ k.T / np.sqrt(24), -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(found[0], powers / powers.sum(axis=1, keepdims=True) @ v, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("blocks", [None, 8])
def test_bits_do_not_depend_on_threads(blocks):
    rng = np.random.default_rng(1)
    places = ts.sparse(
        Held(
            "coo",
            (200, 160),
            row=rng.integers(0, 200, 900),
            col=rng.integers(0, 160, 900),
            data=np.ones(900, np.float32),
        ),
        blocks=blocks,
    )
    a, b = rng.standard_normal((200, 70)).astype(np.float32), rng.standard_normal((70, 160)).astype(np.float32)
    one, *others = (ts.sddmm(a, b, places, threads=threads) for threads in (1, 2, 3, 7))
    for other in others:
        assert one.values.tobytes() == other.values.tobytes()
    one, *others = (ts.sparse_softmax(one, threads=threads) for threads in (1, 2, 3))
    for other in others:
        assert one.values.tobytes() == other.values.tobytes()


def test_the_gradient_of_a_sparse_product():
    """The gradient by the values is a sampled product, and that by the dense factor the product of the transpose."""
    rng = np.random.default_rng(2)
    row, col = (each.reshape(-1) for each in np.indices((12, 10)))
    kept = rng.permutation(120)[:30]
    s = ts.sparse(Held("coo", (12, 10), row=row[kept], col=col[kept], data=rng.standard_normal(30)))
    b, g, step = rng.standard_normal((10, 7)), rng.standard_normal((12, 7)), 1e-6
    by_values, by_b = ts.sddmm(g, b.T, s), ts.spmm(s.T, g)
    for number in (0, 17, 29):
        moved = s.values.copy()
        moved[number] += step
        slope = ((ts.spmm(s.with_values(moved), b) - ts.spmm(s, b)) * g).sum() / step
        np.testing.assert_allclose(by_values.values[number, 0, 0], slope, rtol=1e-6)
    moved = b.copy()
    moved[3, 5] += step
    np.testing.assert_allclose(by_b[3, 5], ((ts.spmm(s, moved) - ts.spmm(s, b)) * g).sum() / step, rtol=1e-6)


ONE = Held("coo", (4, 6), row=np.array([1]), col=np.array([2]), data=np.ones(1, np.float32))
X, Y = np.ones((4, 3), np.float32), np.ones((3, 6), np.float32)


@pytest.mark.parametrize(
    ("error", "match", "ask"),
    [
        (TypeError, "pattern: a sparse matrix, not ndarray; ts.matmul", lambda: ts.sddmm(X, Y, X)),
        (ValueError, "a, b: as many columns of a as rows of b, not 4 x 3 by 6 x 3", lambda: ts.sddmm(X, Y.T, ONE)),
        (ValueError, "pattern: 4 x 4 as the product is, not 4 x 6", lambda: ts.sddmm(X, X.T, ONE)),
        (ValueError, r"a: a matrix, not shape \(3,\)", lambda: ts.sddmm(X[0], Y, ONE)),
        (ts.UnsupportedError, "a, b: floats", lambda: ts.sddmm(X.astype(np.int8), Y.astype(np.int8), ONE)),
        (ValueError, "scale: more than 0", lambda: ts.sparse_softmax(ONE, scale=0)),
        (ts.UnsupportedError, "s: floats, not i8", lambda: ts.sparse_softmax(ts.sparse(ONE, "i8"))),
        (ValueError, "added: a matrix with the places", lambda: ts.sparse_softmax(ONE, added=ts.sparse(ONE).T)),
    ],
)
def test_refusals(error, match, ask):
    with pytest.raises(error, match=match):
        ask()


@pytest.mark.parametrize("blocks", [1, (4, 8)])
@pytest.mark.parametrize("how", ["plain", "causal", "bools", "floats", "all"])
@pytest.mark.grid(5)
def test_attention_of_heads_with_masks(blocks: Any, how: str) -> None:
    rng = np.random.default_rng(4)
    near = rng.random((24, 32)) < 0.4
    near[:, 0] = True  # a key that nothing masks
    places = ts.sparse(near.astype(np.float32), blocks=blocks)
    stored = places.with_values(np.ones(places.values.shape, np.float32)).toarray() != 0
    q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 3, 24, 8), (3, 32, 8), (2, 1, 32, 5)))
    scores = q @ k.swapaxes(-1, -2) * 8**-0.5
    given: dict[str, Any] = {"causal": how in ("causal", "all")}
    if given["causal"]:
        stored &= np.arange(32) <= np.arange(24)[:, None]
    if how == "bools":
        given["mask"] = rng.random((24, 32)) < 0.7
        given["mask"][:, 0] = True
        stored &= given["mask"]
    if how in ("floats", "all"):
        given["mask"] = rng.standard_normal((24, 32)).astype(np.float32)
        scores = scores + given["mask"]
    if how == "all":
        given["added"] = places.with_values(np.full(places.values.shape, 0.5, np.float32))
    power = np.where(stored, np.exp(scores), 0)
    expected = power / power.sum(-1, keepdims=True) @ v
    found = [ts.sparse_attention(q, k, v, places, threads=threads, **given) for threads in (1, 2)]
    assert np.allclose(found[0], expected, rtol=1e-4, atol=1e-5) and np.array_equal(*found)


def test_attention_whose_arguments_do_not_fit() -> None:
    places, x = ts.sparse(np.eye(4, 6, dtype=np.float32)), np.ones((2, 4, 3), np.float32)
    keys = np.ones((3, 6, 3), np.float32)
    with pytest.raises(ValueError, match="axes before the last two"):
        ts.sparse_attention(x, keys, keys, places)
    with pytest.raises(ValueError, match=r"mask: shape \(4, 6\)"):
        ts.sparse_attention(x, keys[0], keys[0], places, mask=np.ones((6, 4), bool))
    with pytest.raises(ValueError, match="q: a matrix"):
        ts.sparse_attention(x[0, 0], keys[0], keys[0], places)
