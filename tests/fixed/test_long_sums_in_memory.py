"""Sums that wait in memory between blocks had no levels: attention over 4 million keys and its gradients, pairs that
are packed first, a left factor in 524,288 columns or more, results of one row with more than 65,520 columns."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum, log2
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.fixed.test_long_sums_of_batches import BATCHES, BF16, MIXED, NATIVE, called, exact, whole
from tests.guard import SIDES, guarded
from tests.profiles import is_soak
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.attention import inverse_plan
from tilesmith.microkernels.attention import laid_by as of_attention
from tilesmith.microkernels.codegen import laid_by, long_sums
from tilesmith.microkernels.codegen.long_sums import Levels
from tilesmith.microkernels.gemm import blocking, plan
from tilesmith.microkernels.prepack import block_plan, operand_plan, pair_plan
from tilesmith.runtime.host.detect import runs
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.kernel.request_cache import forget_all

R = ts.RUNTIME
U = 2.0**-24


def most(terms: int) -> float:
    """The bound of docs/numerics.md for one lane, relative to the sum of the magnitudes of the terms."""
    return (4096 + log2(terms) + 64) * U


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Levels from 16 terms on, or 8 blocks, which the emulator reaches."""
    for module in (long_sums, plan, block_plan, operand_plan, pair_plan):
        monkeypatch.setattr(module, "MOST_TERMS", 16)
    for module in (long_sums, plan):
        monkeypatch.setattr(module, "MOST_OF_BLOCK", 8)
    for module in (long_sums, blocking):
        monkeypatch.setattr(module, "STEPS_OF_PRODUCTS", 4)
    forget_all()
    yield
    forget_all()  # no other test gets these kernels


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sums of attention are laid by after three of more than eight blocks of keys; levels of wide rows after 8 rows."""
    monkeypatch.setattr(of_attention, "most_of_block", lambda blocks: 8)
    monkeypatch.setattr(of_attention, "TOGETHER", 3)
    monkeypatch.setattr(inverse_plan, "levels_of_blocks", lambda blocks: Levels(2, 3) if blocks > 4 else None)
    monkeypatch.setattr(laid_by, "FEW", 8)
    forget_all()
    yield
    forget_all()


# Pairs that are packed first


def turned(stack: Any, order: str) -> Any:
    return stack if order == "C" else np.ascontiguousarray(stack.transpose(0, 2, 1)).transpose(0, 2, 1)


@pytest.mark.parametrize("order", [("F", "F", "C")] + [("C", "C", "F")] * is_soak())
def test_many_pairs_that_are_packed_in_blocks(order: tuple[str, ...]) -> None:
    rng = np.random.default_rng(1)
    for (m, n, k), count in [((4, 5, 4), 5_000), ((3, 70, 2), 3_000)] + [((2, 3, 1), 10**7)] * is_soak():
        a, b = np.full((count, m, k), 0.1, "f4"), np.full((count, k, n), 0.1, "f4")
        a[:, 0] = rng.random((count, k))
        given = [turned(each, one) for each, one in zip((a, b), order)]
        wanted = exact(a, b) + 1
        for batch in (*BATCHES, count) if is_soak() else (ts.STRIDE if k == 4 else ts.ADDRESS,):
            c = np.array(np.ones((m, n), "f4"), order=order[2])  # type: ignore[call-overload]
            kernel = ts.brgemm(m, n, k, batch=batch, order=order, target=NATIVE[-1])
            assert batch == count or kernel.plan.laid_by is not None  # others are packed several at a time
            kernel(*given, c) if batch == count else called(kernel, batch, *given, c)
            assert (abs(c - wanted) <= 1100 * U * wanted).all()  # 512 additions in each of two levels, and the pairs


@pytest.mark.parametrize(
    "target, leading",
    [(target, leading) for target in (*NATIVE, "neon", "sve256") for leading in ("", "ldc")]
    if is_soak()
    else [(NATIVE[-1], ""), (NATIVE[-1], "ldc"), ("neon", "ldc")],
)
@pytest.mark.usefixtures("few")
def test_all_levels_of_pairs_that_are_packed_in_blocks(target: str, leading: str) -> None:
    """Whole numbers, whose sums are exact: blocks of rows and of k, a batch of any size, strides of any length."""
    rng, native = np.random.default_rng(2), target in NATIVE
    more: dict[str, Any] = {leading: R} if leading else {}
    cases = [((3, 7, 3), 41), ((3, 150, 7), 29), ((2, 3, 900), 12)] if native else [((2, 3, 3), 8)]
    for (m, n, k), count in cases:
        for batch in BATCHES if native and not leading else [ts.STRIDE]:
            kernel = ts.brgemm(m, n, k, batch=batch, order=("C", "F", "C"), target=target, **more)
            a, b, c = whole(rng, (count, m, k)), turned(whole(rng, (count, k, n)), "F"), whole(rng, (m, n))
            wanted = exact(a, b) + c
            called(kernel, batch, a, b, c)
            np.testing.assert_array_equal(c, wanted)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("side", SIDES)
def test_levels_of_c_touch_nothing_else(side: str) -> None:
    m, n, k, count = 5, 19, 3, 50
    a, b = (guarded(np.full((count, *each), 0.5, "f4"), side, False) for each in ((m, k), (n, k)))
    c = guarded(np.zeros((m, n), "f4"), side)
    kernel = ts.brgemm(m, n, k, batch=ts.STRIDE, order=("C", "F", "C"), target=NATIVE[-1])
    kernel(a[0], b[0].T, c, count, a[0].nbytes, b[0].nbytes)
    assert (np.array(c) == count * k / 4).all()


@pytest.mark.skipif(bool(runs(TARGETS["amx"])), reason="the processor has no tiles")
@pytest.mark.parametrize("order", [("C", "C", "F")] + [("F", "C", "C")] * is_soak())
def test_pairs_that_are_packed_for_tiles(order: tuple[str, ...]) -> None:
    """The bits of what stands in for tiles, which adds a whole batch to vectors."""
    rng, (m, n, k), count = np.random.default_rng(3), (5, 40, 32), 4_200
    a, b = rng.random((count, m, k)).astype(BF16), rng.random((count, k, n)).astype(BF16)
    given = [turned(each, one) for each, one in zip((a, b), order)]
    for alpha, batch in [(2.0, ts.OFFSET), (1.0, count)] + [(1.0, ts.STRIDE), (1.0, ts.ADDRESS)] * is_soak():
        kernel = ts.brgemm(m, n, k, dtype=MIXED, batch=batch, order=order, alpha=alpha, target="amx")
        assert kernel.plan.laid_by is not None
        found = []
        for each in (kernel, Kernel(kernel.plan.stand_in, kernel.target)):
            found.append(np.array(np.ones((m, n), "f4"), order=order[2]))  # type: ignore[call-overload]
            each(*given, found[-1]) if batch == count else called(each, batch, *given, found[-1])
        wanted = alpha * exact(a, b) + 1
        assert (abs(found[0] - wanted) <= most(k * count) * wanted).all()
        assert found[0].tobytes() == found[1].tobytes()


# A left factor in blocks of columns, blocks of k


@pytest.mark.parametrize("rows", [17] + [R] * is_soak())
def test_a_left_factor_in_many_blocks_of_columns(rows: Any) -> None:
    k = 3_000_000 if is_soak() else 600_001
    x, v, w = np.full((17, 2), 0.1, "f4"), np.full((2, k), 0.1, "f4"), np.full((k, 3), 0.1, "f4")
    found = ts.equation(lambda x, v, w: ts.relu(x @ v) @ w, x=(rows, 2), v=(2, k), w=(k, 3))(x, v, w)
    wanted = x.astype("f8") @ v.astype("f8") @ w.astype("f8")
    assert (abs(found - wanted) <= most(k) * wanted).all()
    with pytest.raises(ts.UnsupportedError, match="use a kernel for each product"):
        ts.equation(lambda x, v, w: ts.relu(x @ v) @ w, x=(rows, 2), v=(2, 60_000_000), w=(60_000_000, 3))


def test_layers_of_few_rows() -> None:
    """Weights beyond L2 are read as several streams, 8 steps of k at a time, whose sums were all added to C."""
    k = 1 << 19
    x, w = np.full((3, k), 0.1, "f4"), np.full((k, 8), 0.1, "f4")
    layer = ts.linear(3, 8, k)
    wanted = k * float(x[0, 0]) ** 2
    assert (abs(layer(x, layer.pack(w), np.zeros(8, "f4")) - wanted) <= most(k) * wanted).all()


# Attention


def attended(q: Any, k: Any, v: Any, seen: Any) -> tuple[Any, Any]:
    """The result of attention in f64, and the sums of the magnitudes of its terms."""
    scores = q.astype("f8") @ k.astype("f8").transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    scores = np.where(seen, scores, -np.inf)
    power = np.exp(scores - scores.max(-1, keepdims=True))
    power /= power.sum(-1, keepdims=True)
    return power @ v.astype("f8"), power @ abs(v.astype("f8"))


ATTENTION = [(NATIVE[-1], "f32")] + [("amx", "bf16")] * (not runs(TARGETS["amx"]))
if is_soak():
    ATTENTION += [*((target, "f32") for target in (*NATIVE[:-1], "neon", "sve256")), ("avx2", "bf16")]


@pytest.mark.usefixtures("near")
@pytest.mark.parametrize("target, dtype", ATTENTION)
def test_attention_lays_its_sums_by(target: str, dtype: str) -> None:
    """Few queries, blocks of queries, strips on tiles; causal, and of as many keys as the call says."""
    rng, native = np.random.default_rng(4), target in NATIVE or target == "amx"
    share = {"f32": 1e-5, "bf16": 0.02}[dtype]
    numpy = BF16 if dtype == "bf16" else np.dtype("f4")
    cases: list[tuple[int, int, dict[str, Any]]] = [(1, 1301, {}), (37, 803, {"lse": True}), (37, 807, {"seen": R})]
    cases += [(700, 700, {"causal": True})] * (dtype == "f32" or is_soak())
    for queries, keys, more in cases if native else [(1, 1300, {}), (9, 700, {})]:
        q, k, v = (rng.standard_normal((1, rows, 8)).astype(numpy) for rows in (queries, keys, keys))
        k[0, keys // 2 :] *= np.asarray(3, numpy)  # the maximum changes late
        kernel = ts.attention(1, queries, keys, 8, dtype=dtype, target=target, **more)
        assert kernel.plan.laid_by > 0
        seen = np.ones((queries, keys), bool)
        if "causal" in more:
            seen = np.tril(seen)
        counts = [keys - 150] if "seen" in more else []
        for count in counts:
            seen[:, count:] = False
        found = kernel(q, k, v, *counts) if native else kernel.run(q, k, v, *counts)
        out = (found[0] if isinstance(found, tuple) else found).astype("f8")
        wanted, size = attended(q, k, v, seen)
        assert (abs(out - wanted) <= share * (size + abs(wanted))).all()


def gradients(g: Any, q: Any, k: Any, v: Any, seen: Any) -> list[tuple[Any, Any]]:
    """The gradients of q, k and v in f64, each with the sums of the magnitudes of its terms."""
    g, q, k, v = (each[0].astype("f8") for each in (g, q, k, v))
    scale = 1 / np.sqrt(q.shape[-1])
    scores = np.where(seen, q @ k.T * scale, -np.inf)
    power = np.exp(scores - scores.max(-1, keepdims=True))
    power /= power.sum(-1, keepdims=True)
    slopes = g @ v.T
    delta = (power * slopes).sum(-1, keepdims=True)
    slope, size = power * (slopes - delta) * scale, power * (abs(g) @ abs(v).T + abs(delta)) * scale
    return [(slope @ k, size @ abs(k)), (slope.T @ q, size.T @ abs(q)), (power.T @ g, power.T @ abs(g))]


def differ(queries: int, keys: int, dtype: str, target: str, kind: str, causal: bool = False) -> list[float]:
    """Return the largest error of each gradient, relative to the sums of magnitudes."""
    rng, numpy = np.random.default_rng(10), BF16 if dtype == "bf16" else np.dtype("f4")
    q, k, v = (rng.random((1, rows, 4)).astype(numpy) for rows in (queries, keys, keys))
    g = rng.standard_normal(q.shape) if kind == "random" else np.full(q.shape, 0.1)
    g, given = g.astype(numpy), {"dtype": dtype, "target": target, "causal": causal}
    kernel = ts.attention_inv(1, queries, keys, 4, **given)
    run = kernel if target in NATIVE or target == "amx" else kernel.run
    out, lse = ts.attention(1, queries, keys, 4, lse=True, **given)(q, k, v)
    assert (kernel.plan.of_keys or kernel.plan.of_queries) is not None
    seen = np.tril(np.ones((queries, keys), bool)) if causal else np.ones((1, keys), bool)
    wanted = gradients(g, q, k, v, seen)
    found = run(g, q, k, v, out, lse)
    return [float((abs(each[0] - right) / size).max()) for each, (right, size) in zip(found, wanted)]


@pytest.mark.usefixtures("near")
@pytest.mark.parametrize("target, dtype", [each for each in ATTENTION if each[0] in (*NATIVE, "amx")])
def test_gradients_of_attention_have_levels(target: str, dtype: str) -> None:
    """Of few queries and many keys, many queries and few keys, and both."""
    share = {"f32": 2e-6, "bf16": 0.01}[dtype]
    assert max(differ(350, 37, dtype, target, "random")) < share
    assert max(differ(37, 350, dtype, target, "random")) < share
    assert max(differ(350, 350, dtype, target, "random", True)) < share


@pytest.mark.skipif(not is_soak(), reason="seconds: make soak")
def test_gradients_of_attention_with_many_blocks() -> None:
    assert max(differ(200_000, 3, "f32", NATIVE[-1], "equal")) < 1000 * U
    assert max(differ(3, 200_000, "f32", NATIVE[-1], "equal")) < 1000 * U


@pytest.mark.skipif(bool(runs(TARGETS["amx"])), reason="the processor has no tiles")
def test_gradients_in_bf16_with_many_queries() -> None:
    """Blocks of queries were not summed by themselves: 100,000 gradients of v were off by 2,500 u."""
    rng, queries = np.random.default_rng(11), 60_000
    q, k, v = (rng.random((1, rows, 4)).astype(BF16) for rows in (queries, 3, 3))
    g = np.full(q.shape, 0.1).astype(BF16)
    out, lse = ts.attention(1, queries, 3, 4, lse=True, dtype="bf16", target="amx")(q, k, v)
    found = ts.attention_inv(1, queries, 3, 4, dtype="bf16", target="amx")(g, q, k, v, out, lse)[2][0]
    wanted, size = gradients(g, q, k, v, np.ones((1, 3), bool))[2]
    assert (abs(found - wanted) <= 512 * U * size).all()  # powers are rounded to bf16, up and down alike


@pytest.mark.skipif(not is_soak(), reason="hundreds of megabytes: make soak")
def test_attention_over_millions_of_keys() -> None:
    rng, keys = np.random.default_rng(5), 10**7
    q, k = rng.standard_normal((1, 1, 2), "f4"), rng.standard_normal((1, keys, 2), "f4")
    v = np.full((1, keys, 2), 0.1, "f4")
    for scores_of in (q, 0 * q):
        wanted, size = attended(scores_of, k, v, True)
        assert (abs(ts.attention(1, 1, keys, 2)(scores_of, k, v) - wanted) <= most(keys) * size).all()


# Results of one row


def test_rows_of_more_columns_than_had_levels() -> None:
    rng, n, m = np.random.default_rng(6), 66_000, 4_200
    table, index = np.full((3, n), 0.1, "f4"), rng.integers(0, 3, m)
    table[1] = rng.random(n)
    wanted = np.bincount(index) @ table.astype("f8")
    found = ts.equation(lambda t, i: ts.sum(ts.gather(t, i), axis=0), t=(3, n), i=(R,))(table, index)
    assert (abs(found - wanted) <= (1024 + m / 1024 + 8) * U * wanted).all()


@pytest.mark.usefixtures("near")
@pytest.mark.parametrize("rows", [4_300, R])
def test_both_levels_of_wide_rows(rows: Any) -> None:
    """The first level has the sums of 64 rows, of whole numbers, which are exact."""
    n, m = 2_100, 4_300
    x = np.random.default_rng(7).integers(-9, 10, (3, n)).astype("f4")
    index = np.arange(m) % 3
    found = ts.equation(lambda t, i: ts.sum(ts.gather(t, i), axis=0), t=(3, n), i=(rows,))(x, index)
    np.testing.assert_array_equal(np.ravel(found), x[index].sum(0))


@pytest.mark.skipif(not is_soak(), reason="seconds in the emulator: make soak")
@pytest.mark.parametrize("target", ["avx512", "avx2", "neon", "sve512"])
def test_levels_beyond_the_usual_stack_of_the_emulator(target: str) -> None:
    n = 200_000  # 800 KB of levels
    x = np.random.default_rng(12).integers(-9, 10, (3, n)).astype("f4")
    kernel = ts.equation(lambda t, i: ts.sum(ts.gather(t, i), axis=0), t=(3, n), i=(R,), target=target)
    assert kernel.stack_bytes > 1 << 19
    np.testing.assert_array_equal(np.ravel(kernel.run(x, np.array([0, 2]))), x[0] + x[2])


# Products composed of narrower ones


@pytest.mark.parametrize("target", [NATIVE[-1]] + ["amx"] * (not runs(TARGETS["amx"])))
def test_products_of_parts_with_a_long_k(target: str) -> None:
    rng = np.random.default_rng(8)
    a, b = np.full((1, 5400), 0.1, "f4"), np.full((5400, 1), 0.1, "f4")
    for left in (a, rng.random(a.shape, "f4")):
        found = ts.brgemm(1, 1, 5400, dtype="f32x3bf16", beta=0, target=target)(left, b)
        wanted = left.astype("f8") @ b.astype("f8")
        assert abs(found - wanted) <= most(6 * 5400) * wanted
    for k in (100_000,) + (10**6, 10**7) * is_soak():
        for dtype in ("f32x2bf16", "f32x3bf16"):
            a, b = np.full((2, k), 0.1, "f4"), np.full((k, 2), 0.1, "f4")
            a[0] = rng.random(k)
            wanted = a.astype("f8") @ b.astype("f8")
            left_out = 2.0**-14.4 if dtype == "f32x2bf16" else 2.0**-22.99
            found = ts.ladder(2, 2, k, dtype=dtype, beta=0, target=target)(a, b)
            assert (abs(found - wanted) <= (most(6 * k) + left_out) * wanted).all()


def test_products_of_slices_with_a_long_k() -> None:
    """Slices of 7 bits are whole multiples of small numbers here, so that numpy's products in f64 are exact."""
    rng = np.random.default_rng(9)
    for k in (30_000,) + (10**6, 10**7) * is_soak():
        a, b = (rng.integers(1, 2**21, shape).astype("f8") for shape in ((1, k), (k, 1)))
        found = ts.ladder(1, 1, k, dtype="f64xi8", beta=0)(a, b)
        wanted = sum(int(x) * int(y) for x, y in zip(a[0], b[:, 0]))
        assert abs(int(found[0, 0]) - wanted) <= wanted * 2.0**-52
    k = 2000 if is_soak() else 200
    a, b = rng.random((1, k)), rng.random((k, 1))
    found = ts.brgemm(1, 1, k, dtype="f64xi8", beta=0)(a, b)
    high = a[0] * b[:, 0]
    parts = [float(np.longdouble(x) * np.longdouble(y) - np.longdouble(z)) for x, y, z in zip(a[0], b[:, 0], high)]
    wanted = fsum([*high, *parts])
    assert abs(found[0, 0] - wanted) <= k * 2.0**-56 + 4 * 2.0**-53 * wanted
