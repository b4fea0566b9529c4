"""Rows by an index inside traced functions: gathers among operands and scatters among results, in one kernel.

tests/microkernels/fused/test_random_graphs.py tests random graphs on gathered rows, with derived bounds.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

NATIVE = [name for name in ("avx2", "avx512") if not runs(TARGETS[name])]
EDGES, NODES = 11, 6


def whole(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    """Return small integers, whose sums and products are exact."""
    return rng.integers(-3, 4, shape).astype(numpy_dtype(dtype))


def messages(x: Any, source: Any, ends: Any, w: Any) -> tuple[Any, Any]:
    """Return the message of each edge of a graph, added to its target, and the dot product of the rows at its ends."""
    here, there = ts.gather(x, source), ts.gather(x, ends)
    return ts.scatter(ts.relu(here) * w, ends, NODES, add=True), ts.sum(here * there, axis=1)


def expected(x: Any, source: Any, target: Any, w: Any, y: Any) -> tuple[Any, Any]:
    """Return the results of `messages` by numpy. Rows outside count as zeros and are not written."""
    x, w, y = (each.astype(float) for each in (x, w, y))
    rows = [np.array([x[i] if 0 <= i < NODES else np.zeros(x.shape[1]) for i in index]) for index in (source, target)]
    for here, i, weight in zip(rows[0], target, w):
        if 0 <= i < NODES:
            y[i] += np.maximum(here, 0) * weight
    return y, (rows[0] * rows[1]).sum(1, keepdims=True)


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
@pytest.mark.parametrize("index", ["i32", "i64"])
@pytest.mark.parametrize("name", MACHINES)
def test_messages_along_edges(name: str, index: str, dtype: str) -> None:
    """Integers give exact sums, and indices outside are reported."""
    rng = np.random.default_rng(1)
    for n in (1, 13, 70):
        kernel = ts.equation(
            messages,
            x=(NODES, n),
            source=(EDGES,),
            ends=(EDGES,),
            w=(EDGES, 1),
            bounds="kernel",
            dtype={"x": dtype, "source": index, "ends": index, "w": dtype},
            target=MACHINES[name].name,
        )
        x, w, y = (whole(rng, shape, dtype) for shape in ((NODES, n), (EDGES, 1), (NODES, n)))
        source, target = (rng.integers(0, NODES, EDGES).astype(numpy_dtype(index)) for _ in "st")
        source[4], target[7], target[9] = NODES, -1, 2**31 - 1
        wanted = expected(x, source, target, w, y)
        alike, bad = np.zeros((EDGES, 1), y.dtype), np.zeros(1, np.int64)
        kernel.run(x, source, target, w, y, alike, bad)
        for ours, exact in zip((y, alike), wanted):
            assert np.array_equal(ours, exact.astype(ours.dtype))
        assert bad[0] == 4


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("bounds", ["call", "kernel"])
def test_between_guard_pages(name: str, side: str, bounds: str) -> None:
    """Tables as wide as a vector and of other widths, with gaps, are read, and nothing beside the results is
    written."""
    rng = np.random.default_rng(2)
    for n, gap in ((8, 0), (37, 0), (16, 5)):
        table = np.zeros((NODES, n + gap), np.float32)
        table[:, :n] = whole(rng, (NODES, n), "f32")
        kernel = ts.equation(
            lambda x, i, w: (ts.softmax(ts.gather(x, i), axis=1), ts.sum(ts.gather(x, i) * w, axis=0)),
            x=(NODES, n),
            i=(EDGES,),
            w=(EDGES, 1),
            bounds=bounds,
            ldx=n + gap,
            target=name,
        )
        index, w = rng.integers(0, NODES, EDGES), whole(rng, (EDGES, 1), "f32")
        held = [guarded(table, side)[:, :n], guarded(index, side), guarded(w, side)]
        results = [guarded(np.zeros(shape, np.float32), side, writable=True) for shape in ((EDGES, n), (1, n))]
        bad = [np.zeros(1, np.int64)] if bounds == "kernel" else []
        kernel(*held, *results, *bad)
        rows = table[index][:, :n].astype(float)
        powers = np.exp(rows - rows.max(1, keepdims=True))
        assert np.allclose(results[0], powers / powers.sum(1, keepdims=True), rtol=1e-6, atol=0)
        assert np.array_equal(results[1][0], (rows * w).sum(0))
        for each in results:
            check_canary(each)
        assert not bad or bad[0][0] == -1


@pytest.mark.parametrize("target", [*NATIVE, "neon", "sve256"])
@pytest.mark.parametrize("side", SIDES)
def test_rows_of_large_tables_are_prefetched(target: str, side: str, aarch64: Server) -> None:
    """Prefetching reads no index beyond the last one."""
    table = np.random.default_rng(6).normal(size=(40000, 5)).astype(np.float32)
    for count in (8, 9, 21):
        kernel = ts.equation(
            lambda x, i: ts.gather(x, i) * 2.0, x=table.shape, i=(count,), bounds="kernel", target=target
        )
        assert ("prefetches: rows of x" in str(kernel.plan)) == (count > 8)
        index = np.random.default_rng(count).integers(0, len(table), count)
        index[count // 2] = 1 << 40
        y, bad = np.zeros((count, 5), np.float32), np.zeros(1, np.int64)
        if target in NATIVE:
            y = guarded(y, side, writable=True)
            kernel(guarded(table, side), guarded(index, side), y, bad)
            check_canary(y)
        else:
            aarch64.call(kernel.code, table, index, y, bad, side=side, vector_bits=256 if target == "sve256" else None)
        wanted = 2 * table[np.where(index < len(table), index, 0)]
        wanted[count // 2] = 0
        assert np.array_equal(y, wanted) and bad[0] == count // 2


def test_what_a_call_refuses() -> None:
    """Nothing is written if an index lies outside. A call copies the index before the check."""
    kernel = ts.equation(lambda x, i: ts.scatter(2.0 * x, i, NODES), x=(3, 8), i=(3,))
    x, y = np.ones((3, 8), np.float32), np.zeros((NODES, 8), np.float32)
    for index in ([0, NODES, 1], [0, -1, 1]):
        with pytest.raises(IndexError, match=f"i: entry 1 is {index[1]}; y has {NODES} rows"):
            kernel(x, np.array(index), y)
        assert not y.any()
    kernel(x, np.array([5, 0, 5]), y)
    assert np.array_equal(y[:, 0], [2, 0, 0, 0, 0, 2])
    with pytest.raises(TypeError, match="takes 3 arguments"):
        kernel(x, np.array([5, 0, 5]))
    both = ts.equation(lambda x, z, i: ts.gather(x, i) + ts.gather(z, i), x=(5, 8), z=(4, 8), i=(3,))
    with pytest.raises(IndexError, match="z has 4 rows"):
        both(np.ones((5, 8), np.float32), np.ones((4, 8), np.float32), np.array([0, 4, 1]))


def test_a_matrix_that_is_walked_too() -> None:
    """A matrix may be both walked over and gathered from; then no result may overwrite it. All cores and pickled
    kernels agree."""
    kernel = ts.equation(lambda x, i: x - ts.gather(x, i), x=(300, 128), i=(300,))
    assert kernel.spec.in_place == ()
    x, index = np.random.default_rng(3).normal(size=(300, 128)).astype(np.float32), np.arange(300)[::-1].copy()
    y = kernel(x, index)
    assert np.array_equal(y, x - x[index])
    with pytest.raises(ts.UnsupportedError, match="both as a table"):
        ts.spread(kernel)
    apart = ts.equation(lambda x, z, i: x - ts.gather(z, i), x=(300, 128), z=(300, 128), i=(300,))
    spread = ts.spread(apart)
    assert np.array_equal(spread(x, x, index, threads=3), y)
    index[7] = 300
    with pytest.raises(IndexError, match="entry 7 is 300"):
        spread(x, x, index, threads=3)
    assert pickle.loads(pickle.dumps(kernel)).spec == kernel.spec
    added = ts.equation(lambda x, i: ts.scatter(ts.softmax(x, axis=1), i, 4, add=True), x=(9, 21), i=(9,))
    x, y = np.random.default_rng(4).normal(size=(9, 21)).astype(np.float32), np.ones((4, 21), np.float32)
    added(x, np.arange(9) % 4, y)
    powers = np.exp(x.astype(float))
    wanted = np.ones((4, 21))
    np.add.at(wanted, np.arange(9) % 4, powers / powers.sum(1, keepdims=True))
    assert np.allclose(y, wanted, rtol=1e-6)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", ["neon", "sve256"])
def test_under_qemu(target: str, side: str, aarch64: Server) -> None:
    """On AArch64, results between unmapped pages are exact, with indices outside."""
    rng, bits = np.random.default_rng(5), 256 if target == "sve256" else None
    for n in (3, 16, 37):
        kernel = ts.equation(
            messages, x=(NODES, n), source=(EDGES,), ends=(EDGES,), w=(EDGES, 1), bounds="kernel", target=target
        )
        x, w, y = (whole(rng, shape, "f32") for shape in ((NODES, n), (EDGES, 1), (NODES, n)))
        source, ends = (rng.integers(-1, NODES + 1, EDGES) for _ in "st")
        wanted = expected(x, source, ends, w, y)
        alike, bad = np.zeros((EDGES, 1), np.float32), np.zeros(1, np.int64)
        aarch64.call(kernel.code, x, source, ends, w, y, alike, bad, side=side, vector_bits=bits)
        assert np.array_equal(y, wanted[0]) and np.array_equal(alike, wanted[1])
        outside = [i for i in range(EDGES) if not (0 <= source[i] < NODES and 0 <= ends[i] < NODES)]
        assert bad[0] == (outside[0] if outside else -1)


@pytest.mark.parametrize(
    ("function", "more", "error", "says"),
    [
        (lambda x, i: ts.gather(x + 1.0, i), {}, TypeError, "the table must be a parameter"),
        (lambda x, i: ts.gather(x, i) * 2.0, {"i": (4, 2)}, ValueError, "an index has the shape"),
        (lambda x, i: ts.gather(x, i) * 2.0, {"dtype": {"x": "f32", "i": "f32"}}, ts.UnsupportedError, "of type i32"),
        (lambda x, i: ts.gather(x, i) * 2.0, {"ldx": ts.RUNTIME}, ts.UnsupportedError, "must be a number"),
        (lambda x, i: ts.gather(x, i) * 2.0, {"order": "F"}, ts.UnsupportedError, "ts.transpose"),
        (lambda x, i: ts.scatter(x, i, 9) * 2.0, {"i": (5,)}, ts.UnsupportedError, "in a second kernel"),
        (lambda x, i: ts.scatter(ts.sum(x, axis=0), i, 9), {"i": (5,)}, ts.UnsupportedError, "return that as a result"),
        (lambda x, i: ts.gather(x, i) @ x, {}, ValueError, "8 columns on the left, 5 rows on the right"),
        (lambda x, i: ts.gather(x, i) * x, {}, ValueError, "has 3 elements, but|neither"),
        (lambda x, i: x * 2.0 + i, {"bounds": "call", "i": (5, 1)}, TypeError, "bounds"),
    ],
)
def test_what_is_refused(function: Any, more: dict[str, Any], error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        ts.equation(function, **{"x": (5, 8), "i": (3,)} | more)


def test_what_spread_refuses() -> None:
    with pytest.raises(ts.UnsupportedError, match="down the columns"):
        ts.spread(ts.equation(lambda x, i: ts.sum(ts.gather(x, i), axis=0), x=(5, 8), i=(5,)))
    with pytest.raises(ts.UnsupportedError, match="number rows"):
        ts.spread(ts.equation(lambda x, i: ts.gather(x, i) * 2.0, x=(5, 8), i=(5,), bounds="kernel"))
