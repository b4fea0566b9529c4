"""Extents given at the call: gathers, scatters and embedding bags of any number of rows against numpy, natively between
guard pages and in the emulator."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak, scaled

Array = np.ndarray[Any, Any]
R = ts.RUNTIME
EMULATED = ("avx2", "avx512", "neon", "sve256") if not is_soak() else tuple(ts.targets())
BY = ("rows", "columns", "offsets", "stride")


def gathered(by: str, m: int, n: int, size: int, rng: np.random.Generator) -> tuple[list[Array], Array]:
    """Return x and the index, and the result of numpy."""
    wide = {"rows": (size, n), "columns": (m, size), "offsets": (size,), "stride": (m, 2 * (n - 1) + 1)}[by]
    x = rng.integers(-9, 9, wide).astype(np.float32)
    index = rng.integers(0, size, {"rows": m, "columns": n, "offsets": (m, n), "stride": 0}[by])
    made = {
        "rows": lambda: x[index],
        "columns": lambda: x[:, index],
        "offsets": lambda: x[index],
        "stride": lambda: x[:, ::2],
    }[by]()
    return ([x] if by == "stride" else [x, index]), made


def extents(by: str) -> dict[str, Any]:
    """Return the options of a way: sizes, and for columns the leading dimension, are given at the call."""
    return {"step": 2} if by == "stride" else {"size": R, **({"ldx": R} if by == "columns" else {})}


@settings(max_examples=scaled(50, 3000), deadline=None)
@given(
    by=st.sampled_from(BY),
    m=st.integers(0, 90),
    n=st.integers(1, 40),
    size=st.integers(1, 50),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_gathers_of_any_number_of_rows(by: str, m: int, n: int, size: int, side: str, seed: int) -> None:
    kernel = ts.gather(by, R, n, **extents(by))
    arrays, wanted = gathered(by, m, n, size, np.random.default_rng(seed))
    if not m:
        assert kernel(*arrays, np.empty((0, n), np.float32)) is None
        return
    y = guarded(np.empty((m, n), np.float32), side, writable=True)
    kernel(*(guarded(each, side) for each in arrays), y)
    assert np.array_equal(y, wanted) and np.array_equal(kernel(*arrays), wanted)
    check_canary(y)


@pytest.mark.parametrize("target", EMULATED)
@pytest.mark.parametrize("by", BY)
def test_in_the_emulator(by: str, target: str) -> None:
    kernel, rng = ts.gather(by, R, 9, **extents(by), target=target), np.random.default_rng(3)
    for m in (0, 1, 5, 33):
        arrays, wanted = gathered(by, m, 9, 7, rng)
        y = np.empty((m, 9), np.float32)
        kernel.run(*arrays, y)
        assert np.array_equal(y, wanted)


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
def test_the_kernel_looks_at_indices(target: str) -> None:
    kernel = ts.gather("rows", R, 5, size=R, bounds="kernel", out="bf16", scale="scalar", target=target)
    for m, size in ((0, 4), (6, 4), (11, 1)):
        x, index = np.ones((size, 5), np.float32), np.arange(m) - 1
        y, bad = kernel.run(x, index, np.array([3.0], np.float32))
        inside = (index >= 0) & (index < size)
        assert np.array_equal(y.astype(np.float32), 3.0 * np.broadcast_to(inside[:, None], (m, 5)))
        assert bad[0] == (-1 if inside.all() else int((~inside).argmax()))


def test_prefetches_and_scatters() -> None:
    ahead = ts.gather("rows", R, 20, size=R, prefetch=8)
    put = ts.scatter("rows", R, 20, size=R)
    rng = np.random.default_rng(1)
    for m in (0, 1, 8, 9, 100):
        x, index = rng.standard_normal((30, 20), np.float32), rng.permutation(100)[:m] % 30
        y = ahead(x, index)
        assert np.array_equal(y, x[index])
        z = np.zeros((30, 20), np.float32)
        put(y, index, z)
        wanted = np.zeros((30, 20), np.float32)
        for place, row in zip(index, y):
            wanted[place] = row
        assert np.array_equal(z, wanted)


BAG: dict[str, Any] = {"sum": np.sum, "max": np.max, "mean": np.mean}


@settings(max_examples=scaled(50, 3000), deadline=None)
@given(
    name=st.sampled_from(sorted(BAG)),
    bags=st.integers(0, 20),
    n=st.integers(1, 70),
    size=st.integers(1, 40),
    count=st.integers(0, 60),
    prefetch=st.sampled_from((0, 8)),
    bounds=st.sampled_from(("call", "kernel")),
    target=st.sampled_from(("avx2", "avx512")),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_bags_of_any_number(
    name: str, bags: int, n: int, size: int, count: int, prefetch: int, bounds: Any, target: str, side: str, seed: int
) -> None:
    if ts.supported(ts.unary("relu", 3, 3, target=target).spec, ts.host()) is not True:
        return
    rng = np.random.default_rng(seed)
    kernel = ts.embedding_bag(R, n, size=R, count=R, prefetch=prefetch, bounds=bounds, name=name, target=target,
                              include_last_offset=True)  # fmt: skip  # some indices lie behind the last bag
    x = rng.integers(-9, 9, (size, n)).astype(np.float32)
    index = rng.integers(0, size, count)
    offsets = np.sort(rng.integers(0, count + 1, bags + 1))
    wanted = np.zeros((bags, n), np.float32)
    for b in range(bags):
        rows = x[index[offsets[b] : offsets[b + 1]]]
        if len(rows):
            wanted[b] = BAG[name](rows.astype(np.float64), axis=0)
    found = kernel(x, index, offsets)
    y = found[0] if bounds == "kernel" else found
    assert np.array_equal(y, wanted)
    if bags and count:
        into = guarded(np.empty((bags, n), np.float32), side, writable=True)
        more = [np.empty(1, np.int64)] if bounds == "kernel" else []
        kernel(guarded(x, side), guarded(index, side), guarded(offsets, side), into, *more)
        assert np.array_equal(into, wanted) and all(bad[0] == -1 for bad in more)
        check_canary(into)


@pytest.mark.parametrize("target", EMULATED)
def test_bags_in_the_emulator(target: str) -> None:
    kernel = ts.embedding_bag(R, 11, size=R, count=R, weights=True, bounds="kernel", target=target)
    x, index = np.ones((4, 11), np.float32), np.array([0, 3, 9, 1, 2])
    weights = np.arange(1, 6, dtype=np.float32)
    y, bad = kernel.run(x, index, weights, np.array([0, 2, 2, 5]))
    assert np.array_equal(y, np.repeat([[3], [0], [9]], 11, 1)) and bad[0] == 2


def test_one_extent_of_several_and_what_disagrees() -> None:
    kernel = ts.embedding_bag(3, 5, size=8, count=R)
    assert kernel(np.ones((8, 5), np.float32), np.arange(7), np.array([0, 2, 3, 7])).shape == (3, 5)
    assert "int64_t count" in kernel.c_prototype and "count" in str(kernel.plan)
    assert "from the shape of index" in kernel.__doc__
    assert "index   i64 (count,)" in kernel.__doc__ and "offsets   i64 (4,)" in kernel.__doc__
    again = pickle.loads(pickle.dumps(kernel))
    assert again is kernel or again.code == kernel.code
    rows = ts.gather("rows", R, 5, size=R)
    with pytest.raises(ValueError, match="index, y: must agree on m, but index has 3 and y 4"):
        rows(np.ones((8, 5), np.float32), np.arange(3), np.ones((4, 5), np.float32))
    with pytest.raises(IndexError, match="x has 8 rows"):
        rows(np.ones((8, 5), np.float32), np.array([1, 8]))
    columns, x = ts.gather("columns", R, 2, size=R), np.arange(24, dtype=np.float32).reshape(3, 8)[:, :7]
    assert (columns(x, np.array([6, 1])) == x[:, [6, 1]]).all()
    with pytest.raises(ts.UnsupportedError, match="ldx: cannot be a number"):
        ts.gather("columns", R, 5, size=R, ldx=9)
