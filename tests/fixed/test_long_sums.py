"""Long sums lost digits: the mean of a million equal rows was off by 1 %, and 8e7 ones had a norm of 8192, not 8944.

No accumulator takes more than 4,096 terms before it is folded: the error is at most (4,096 / lanes + log2 n + c) u
times the sum of magnitudes (docs/numerics.md). The tests use c = 64, and sums in wider types as the oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, guarded
from tests.profiles import is_soak, scaled
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host.detect import runs

R = ts.RUNTIME
NATIVE = [name for name in ("sse", "avx2", "avx512") if not runs(TARGETS[name])]
U = {"f32": 2.0**-24, "f64": 2.0**-53}
WIDE = {"f32": np.float64, "f64": np.longdouble}
NUMPY = {"f32": np.dtype("f4"), "f64": np.dtype("f8"), "bf16": np.dtype(ml_dtypes.bfloat16), "f16": np.dtype("f2")}
KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "equal": lambda rng, shape: np.full(shape, 0.1),
    "positive": lambda rng, shape: rng.random(shape),
    "random": lambda rng, shape: rng.standard_normal(shape),
}


def agrees(found: Any, terms: Any, axis: int | None, dtype: str = "f32", lanes: int = 1, share: float = 1.0) -> None:
    """Compare sums of terms along an axis with those in a wider type, within the bound; share: a factor of both."""
    x = np.asarray(terms).astype(WIDE[dtype])
    wanted, size = x.sum(axis=axis) * share, abs(x).sum(axis=axis) * share
    count = x.size / max(1, wanted.size)
    bound = (4096 / lanes + log2(count) + 64) * U[dtype] * size
    assert (abs(np.asarray(found).astype(WIDE[dtype]).reshape(wanted.shape) - wanted) <= bound).all()


@pytest.mark.parametrize("kind", KINDS if is_soak() else ["equal"])
@pytest.mark.parametrize(
    "target, dtype", [*((name, "f32") for name in NATIVE), (None, "f64"), (None, "bf16"), (None, "f16")]
)
def test_reductions(target: str | None, dtype: str, kind: str) -> None:
    compute = dtype if dtype in U else "f32"
    rng = np.random.default_rng(1)
    for m, n in [(5000, 3), (20_001, 5), (2, 70_001)] + [(70_001, 5), (1, 300_001), (2, 140_000)] * is_soak():
        x = KINDS[kind](rng, (m, n)).astype(NUMPY[dtype])
        for axis in (0, 1, None):
            kernel = ts.reduce("sum", m, n, axis=axis, dtype=dtype, out=compute, target=target)
            agrees(kernel(x), x, axis, compute, 1 if axis == 0 else kernel.plan.vector)
    squares = ts.reduce("sum", 20_001, 5, axis=0, dtype=dtype, out=compute, squared=True, target=target)
    x = KINDS[kind](rng, (20_001, 5)).astype(NUMPY[dtype])
    agrees(squares(x), x.astype(WIDE[compute]) ** 2, 0, compute)


def test_a_sum_with_an_init_and_gaps_between_rows() -> None:
    x = np.full((9000, 40), 0.1, "f4")[:, :37]
    first = np.full(37, 5.0, "f4")
    found = ts.reduce("sum", 9000, 37, axis=0, init=True, ldx=40)(x, first)
    agrees(found, np.vstack([x, first]), 0)
    whole = ts.reduce("sum", 9000, 37, ldx=40)
    agrees(whole(x), x, None, lanes=whole.plan.vector)


@pytest.mark.parametrize("m, n", [(4097, 1), (17_003, 7)] + [(4097, 100), (50_003, 1), (50_003, 100)] * is_soak())
def test_fused_kernels(m: int, n: int) -> None:
    """Statistics, gradients of parameters and norms to clip, for a number of rows and for one that the call gives: the
    latter give the same bits."""
    rng = np.random.default_rng(m)
    x, g = np.full((m, n), 0.1, "f4") + rng.integers(0, 2, (m, n)).astype("f4") / 64, rng.random((m, n), "f4")
    ones = np.ones(n, "f4")
    for rows in (m, R):
        agrees(ts.fused("batch_mean", rows, n)(x), x, 0, share=1 / m)
        mean = ts.fused("batchnorm_training", rows, n)(x, ones, 0 * ones)[1]
        agrees(mean, x, 0, share=1 / m)
        agrees(ts.equation(lambda x: ts.mean(x, axis=0), x=(rows, n))(x), x, 0, share=1 / m)
        agrees(ts.fused("clip_own_norm", rows, n, most=1e9)(x)[1].astype("f8") ** 2, x.astype("f8") ** 2, None)
        agrees(ts.fused("layernorm_inv", rows, n)(g, x, ones)[2], g, 0)
    for name in ("batchnorm_training", "layernorm_inv"):
        given = (x, ones, 0 * ones) if name == "batchnorm_training" else (g, x, ones)
        for found, wanted in zip(ts.fused(name, R, n)(*given), ts.fused(name, m, n)(*given)):
            assert found.tobytes() == wanted.tobytes()


def test_wide_rows() -> None:
    """Levels of rows that are too wide for the memory of other kernels: 12,289 columns of f32 had none, and beside
    rows between walks 12,000 columns with levels were refused."""
    rng = np.random.default_rng(7)
    n, m = 12_289, 4_200
    table, index = np.full((3, n), 0.1, "f4"), rng.integers(0, 3, m)
    table[1] = rng.random(n)
    for rows in (m, R):
        found = ts.equation(lambda t, i: ts.sum(ts.gather(t, i), axis=0), t=(3, n), i=(rows,))(table, index)
        exact = np.bincount(index) @ table.astype("f8")  # all terms are positive
        assert (abs(found - exact) <= (4096 + log2(m) + 64) * U["f32"] * exact).all()
    few = rng.random((9, 12_000), "f4")
    np.testing.assert_allclose(ts.fused("batch_mean", R, 12_000)(few), few.mean(0, keepdims=True), 1e-6)
    if is_soak():
        g, x, ones = np.full((m, 8192), 0.1, "f4"), rng.random((m, 8192), "f4"), np.ones(8192, "f4")
        for rows in (m, R):
            agrees(ts.fused("layernorm_inv", rows, 8192)(g, x, ones)[2], g, 0)


def test_very_long_rows() -> None:
    """A pass with many operands has a single accumulator, and two levels do not suffice."""
    n = 1 << (20 if is_soak() else 19)
    x = np.full((1, n), 0.1, "f4")
    names = "abcdefghi"

    def function(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any) -> Any:
        return ts.sum(a + b + c + d + e + f + g + h + i, axis=1)

    agrees(ts.equation(function, **dict.fromkeys(names, (1, n)))(*[x] * 9), 9 * x.astype("f8"), 1, lanes=4)
    agrees(ts.equation(lambda x: ts.sum(x, axis=1), x=(1, n), accuracy="fast")(x), x, 1, lanes=4)


def test_functions_with_products_and_gathers() -> None:
    rng = np.random.default_rng(2)
    m, w, table = 5_003, rng.random((8, 5), "f4"), rng.random((50, 8), "f4")
    x, index = np.full((m, 8), 0.1, "f4"), rng.integers(0, 50, m)
    for rows in (m, R):
        product = ts.equation(lambda x, w: (x @ w, ts.sum(x @ w, axis=0)), x=(rows, 8), w=(8, 5))
        y, total = product(x, w)
        agrees(total, y, 0)
        found = ts.equation(lambda t, i: ts.sum(ts.gather(t, i), axis=0), t=(50, 8), i=(rows,))(table, index)
        agrees(found, table[index], 0)
        both = ts.equation(lambda t, i, w: ts.sum(ts.gather(t, i) @ w, axis=0), t=(50, 8), i=(rows,), w=(8, 5))
        agrees(both(table, index, w), table[index].astype("f8") @ w.astype("f8"), 0)


EPILOGUES = [(name, "f32") for name in NATIVE] + [("avx512", "bf16")] * ("avx512" in NATIVE)
EPILOGUES += [("amx", ("bf16", "bf16", "f32"))] * (not runs(TARGETS["amx"]))
EPILOGUES += [("neon", "f32"), ("neon", ("bf16", "bf16", "f32")), ("sve256", "f32"), ("sme256", "f32")] * is_soak()


def _with_sums(axis: int, all_of: bool) -> Callable[[Any], Any]:
    def function(c: Any) -> Any:
        more = [ts.statistic(name, c, axis) for name in ("squares", "max")]
        return (c, ts.statistic("sum", c, axis), *more[: 2 * all_of])

    return function


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("target, dtype", EPILOGUES)
def test_statistics_of_epilogues(target: str, dtype: Any, order: str) -> None:
    """Down 4,200 lines of C, on the accumulators, on grids of tiles and, with a long k, in a walk over C; k = 6 gives
    tiles that an epilogue of one sum runs beside."""
    types = dtype if isinstance(dtype, tuple) else (dtype,) * 3
    axis, rng = int(order == "F"), np.random.default_rng(6)
    shapes = [(4200, 19, 6, True), (4200, 50, 6, False)] + [(4200, 2, 70, True), (20_003, 37, 9, True)] * is_soak()
    for lines, n, k, all_of in shapes:
        m, n = (lines, n) if order == "C" else (n, lines)
        a = np.asarray(np.full((m, k), 0.3) + rng.integers(0, 2, (m, k)) / 64, NUMPY[types[0]], order=order)
        b = np.asarray(np.full((k, n), 0.3), NUMPY[types[1]], order=order)  # type: ignore[call-overload]
        request = {"beta": 0.0, "order": order, "target": target}
        made = ts.brgemm(m, n, k, dtype=dtype, epilogue=_with_sums(axis, all_of), **request)
        plain = ts.brgemm(m, n, k, dtype=(*types[:2], "f32"), **request)
        native = made.address is not None
        _, *found = made(a, b) if native else made.run(a, b)
        c = (plain(a, b) if native else plain.run(a, b)).astype("f8")
        for each, terms in zip(found, (c, c * c)):
            agrees(each, terms, axis)
        if all_of:
            assert found[2].astype("f8").tobytes() == c.max(axis).tobytes()


@pytest.mark.parametrize("side", SIDES)
def test_statistics_of_epilogues_touch_nothing_else(side: str) -> None:
    a, b = guarded(np.full((4200, 3), 0.5, "f4"), side, False), guarded(np.full((3, 21), 1.0, "f4"), side, False)
    for target in NATIVE:
        c, total = guarded(np.empty((4200, 21), "f4"), side), guarded(np.empty(21, "f4"), side)
        ts.brgemm(4200, 21, 3, beta=0.0, epilogue=_with_sums(0, False), target=target)(a, b, c, total)
        assert (total == 6300).all()


@pytest.mark.parametrize("count", [R, 60_000])
@pytest.mark.parametrize("weights", [False, True])
def test_bags(count: Any, weights: bool) -> None:
    rng = np.random.default_rng(3)
    offsets = np.array([0, 127, 127, 128 + 127, 4500, 60_000])
    index, table, weight = rng.integers(0, 9, 60_000), rng.random((9, 7), "f4"), rng.random(60_000, "f4")
    given = (table, index, weight, offsets) if weights else (table, index, offsets)
    y = ts.embedding_bag(5, 7, size=9, count=count, weights=weights)(*given)
    terms = table[index].astype("f8") * (weight[:, None] if weights else 1.0)
    for bag, (start, end) in enumerate(zip(offsets, offsets[1:])):
        agrees(y[bag], terms[start:end] if end > start else np.zeros((1, 7)), 0)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_products_with_a_long_k(dtype: str) -> None:
    rng = np.random.default_rng(4)
    for m, n, k, batch in [(16, 16, 5001, None), (3, 5, 5001, None), (1, 17, 9000, None), (16, 16, 64, 100)]:
        shape = () if batch is None else (batch,)
        a, b = (np.full((*shape, *each), 0.1, NUMPY[dtype]) for each in ((m, k), (k, n)))
        a[..., 0, :] = rng.random(a[..., 0, :].shape)
        for beta in (0.0, 1.0):
            c = np.ones((m, n), NUMPY[dtype])
            ts.brgemm(m, n, k, batch=batch, beta=beta, dtype=dtype)(a, b, c)
            wide = [x.astype(WIDE[dtype]).reshape(-1, *x.shape[-2:]) for x in (a, b)]
            exact = sum(x @ y for x, y in zip(*wide)) + beta  # all terms are positive
            assert (abs(c - exact) <= (4096 + log2(k) + 64) * U[dtype] * exact).all()


@pytest.mark.parametrize("rows", [17, R])
def test_products_with_a_long_k_in_functions(rows: Any) -> None:
    """Alone, with an expression on the sums, and of a left factor that exists in blocks of columns."""
    k, rng = 100_001 if is_soak() else 20_001, np.random.default_rng(10)
    x, w = np.full((17, k), 0.1, "f4"), np.full((k, 5), 0.1, "f4")
    w[:, 0] = rng.random(k)
    exact = x.astype("f8") @ w.astype("f8")
    for function in (lambda x, w: x @ w, lambda x, w: ts.relu(x @ w), lambda x, w: (x @ w, ts.max(x @ w, axis=1))):
        found = ts.equation(function, x=(rows, k), w=(k, 5))(x, w)
        found = found[0] if isinstance(found, tuple) else found
        assert (abs(found - exact) <= 1200 * U["f32"] * exact).all()  # 1,024 steps between two levels
    x, first = np.full((17, 3), 0.1, "f4"), rng.random((3, k), "f4")
    found = ts.equation(lambda x, v, w: ts.relu(x @ v) @ w, x=(rows, 3), v=(3, k), w=(k, 5))(x, first, w)
    exact = x.astype("f8") @ first.astype("f8") @ w.astype("f8")
    assert (abs(found - exact) <= (256 + k / 256 + 64) * U["f32"] * exact).all()


@pytest.mark.parametrize("shape", [(8, 8, 100_000), (1, 8, 100_000)] + [(40, 40, 20_000), (8, 1, 100_000)] * is_soak())
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_products_of_any_size(shape: tuple[int, int, int], dtype: str) -> None:
    """Blocks of k are added to C. Their number adds to the terms of a block; neither is more than 2,048."""
    m, n, k = shape
    a, b = np.full((m, k), 0.1, NUMPY[dtype]), np.full((k, n), 0.1, NUMPY[dtype])
    c = np.empty((m, n), "f4")
    ts.matmul(a, b, out=c)
    exact = k * float(a[0, 0]) ** 2
    assert (abs(c - exact) <= (4096 + log2(k) + 64) * U["f32"] * exact).all()


@pytest.mark.parametrize("queries", [1, 5])
def test_attention_over_many_keys(queries: int) -> None:
    """Blocks of keys are summed by themselves: with one query, 20,000 terms had gone into one accumulator."""
    rng, keys, size = np.random.default_rng(8), 20_000, 8
    q, k = rng.standard_normal((1, queries, size), "f4"), rng.standard_normal((1, keys, size), "f4") / 8
    v = np.full((1, keys, size), 0.1, "f4") + rng.integers(0, 2, (1, keys, size)).astype("f4") / 64
    for scores_of in (q, 0 * q):
        kernel = ts.attention(1, queries, keys, size)
        score = scores_of[0].astype("f8") @ k[0].astype("f8").T / np.sqrt(size)
        power = np.exp(score - score.max(1, keepdims=True))
        exact = power @ v[0].astype("f8") / power.sum(1, keepdims=True)
        block = kernel.plan.keys
        assert (abs(kernel(scores_of, k, v)[0] - exact) <= (block + keys / block + 64) * U["f32"] * exact).all()


def test_gradients_of_attention_with_many_queries() -> None:
    rng, queries, keys, size = np.random.default_rng(9), 20_000, 3, 4
    q, k, v = (rng.random((1, rows, size), "f4") for rows in (queries, keys, keys))
    g = np.full((1, queries, size), 0.1, "f4")
    out, lse = ts.attention(1, queries, keys, size, lse=True)(q, k, v)
    gv = ts.attention_inv(1, queries, keys, size)(g, q, k, v, out, lse)[2]
    power = np.exp(q[0].astype("f8") @ k[0].astype("f8").T / np.sqrt(size))
    exact = (power / power.sum(1, keepdims=True)).T @ g[0].astype("f8")
    assert (abs(gv[0] - exact) <= (128 + queries / 16 + 64) * U["f32"] * exact).all()


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_infinities_and_nan_stay(bad: float) -> None:
    x = np.full((20_000, 5), 0.25, "f4")
    x[3, 1], x[19_999, 2], x[200, 3] = bad, bad, bad
    x[12_000, 3] = -bad
    with np.errstate(invalid="ignore"):
        wanted = x.astype("f8").sum(0)
    kernels = [
        ts.reduce("sum", 20_000, 5, axis=0),
        ts.equation(lambda x: ts.sum(x, axis=0), x=(R, 5)),
        ts.equation(lambda x: (ts.sum(x, axis=0), ts.sum(x, axis=1)), x=(20_000, 5)),
    ]
    for kernel in kernels:
        found = kernel(x)
        np.testing.assert_array_equal(np.ravel(found[0] if isinstance(found, tuple) else found), wanted)


@pytest.mark.parametrize("side", SIDES)
def test_nothing_outside_the_operands_is_touched(side: str) -> None:
    x = guarded(np.full((4500, 19), 0.5, "f4"), side, False)

    def row() -> Any:
        return guarded(np.empty((1, 19), "f4"), side)

    kernels: list[tuple[Any, list[Any]]] = [
        (ts.reduce("sum", 4500, 19, axis=0, keepdims=True), [row()]),
        (ts.equation(lambda x: ts.sum(x, axis=0), x=(R, 19)), [row()]),
        (
            ts.equation(lambda x: (ts.sum(x, axis=0), ts.max(x, axis=1)), x=(4500, 19)),
            [row(), guarded(np.empty((4500, 1), "f4"), side)],
        ),
    ]
    for kernel, results in kernels:
        kernel(x, *results)
        assert (results[0] == 2250).all()


@pytest.mark.skipif(not is_soak(), reason="hundreds of megabytes, minutes: make soak")
@pytest.mark.parametrize("kind", KINDS)
def test_up_to_a_hundred_million_terms(kind: str) -> None:
    rng = np.random.default_rng(5)
    for terms in (10**3, 10**4, 10**5, 10**6, 10**7, scaled(10**7, 10**8)):
        for dtype in ("f32", "f64", "bf16", "f16"):
            compute = dtype if dtype in U else "f32"
            x = KINDS[kind](rng, (terms, 1)).astype(NUMPY[dtype])
            wide = x.astype(WIDE[compute])
            total = ts.equation(lambda x: ts.sum(x, axis=0), x=(R, 1), dtype=dtype, out=compute)
            agrees(total(x), wide, 0, compute)
            squares = ts.equation(lambda x: ts.sum(x * x, axis=0), x=(R, 1), dtype=dtype, out=compute)
            agrees(squares(x), wide * wide, 0, compute)
            product = ts.matmul(x.T, np.ones_like(x), out=np.empty((1, 1), NUMPY[compute]))
            agrees(product / 2, wide, 0, compute, share=0.5)  # a second term for each block that is added to C
