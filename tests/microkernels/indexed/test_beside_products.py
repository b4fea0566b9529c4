"""Rows by an index beside products, beside reductions down the columns that are used again, and of any number: on every
machine, between guard pages, with integers whose sums are exact."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES
from tests.profiles import is_soak
from tilesmith.emulation.qemu.server import Server
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

NATIVE = [name for name in ("avx2", "avx512") if not runs(TARGETS[name])]
EVERY = [*MACHINES, "sme256"]
NODES, N, H = 6, 13, 9
R = ts.RUNTIME


def layer(x: Any, i: Any, j: Any, w: Any, b: Any) -> tuple[Any, Any]:
    """Return a graph layer: rows at the source of each edge times weights, added to its target; and sums of the
    gathered rows."""
    here = ts.gather(x, i)
    return ts.scatter(ts.relu(here @ w + b), j, NODES, add=True), ts.sum(here, axis=1)


def expected(x: Any, i: Any, j: Any, w: Any, b: Any, y: Any) -> tuple[Any, Any, int]:
    """Return the layer's results by numpy, and the first bad row. Rows outside count as zeros and are not written."""
    x, w, b, y = (each.astype(float) for each in (x, w, b, y))
    rows = np.where(((i >= 0) & (i < NODES))[:, None], x[np.clip(i, 0, NODES - 1)], 0)
    inside = (j >= 0) & (j < NODES)
    np.add.at(y, j[inside], np.maximum(rows @ w + b, 0)[inside])
    outside = np.flatnonzero((i < 0) | (i >= NODES) | ~inside)
    return y, rows.sum(1, keepdims=True), int(outside[0]) if len(outside) else -1


def drawn(rng: np.random.Generator, count: int, dtype: str, bad: bool) -> dict[str, Any]:
    """Return operands of `layer`."""
    made: dict[str, Any] = {
        name: rng.integers(-2, 3, shape).astype(numpy_dtype(dtype))
        for name, shape in {"x": (NODES, N), "w": (N, H), "b": (1, H), "y": (NODES, H)}.items()
    }
    made |= {name: rng.integers(0, NODES, count) for name in "ij"}
    if bad and count > 3:
        made["i"][count // 2], made["j"][count - 1] = NODES, -1
    return made


def shapes(count: Any) -> dict[str, Any]:
    """Return the shapes of the parameters."""
    return {"x": (NODES, N), "i": (count,), "j": (count, 1), "w": (N, H), "b": (1, H)}


def kernel_of(count: Any, target: str, dtype: str = "f32", bounds: str = "kernel") -> Any:
    """Return the kernel for this number of edges."""
    types = {"x": dtype, "w": dtype, "b": dtype, "i": "i64", "j": "i64"}
    return ts.equation(layer, **shapes(count), dtype=types, bounds=bounds, target=target)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
@pytest.mark.parametrize("name", EVERY)
def test_products_of_gathered_rows(name: str, dtype: str) -> None:
    """One kernel handles any number of rows, zero included, and another a fixed number."""
    try:
        free = kernel_of(R, name, dtype)
    except ts.UnsupportedError:
        w = np.ones((N, H), np.float32)  # if the machine has no product of these types at all
        with pytest.raises(ts.UnsupportedError):
            ts.equation(lambda x, w: x @ w, x=(4, N), w=w.shape, dtype=dtype, target=name)
        return
    # test_between_guard_pages and test_under_qemu test more rows of f32
    most = 77 if name in NATIVE and dtype == "bf16" or is_soak() else 10
    for count in (0, 3, most):
        each = drawn(np.random.default_rng(count), count, dtype, True)
        for kernel in (free, kernel_of(count, name, dtype)) if count == most else (free,):
            y = each["y"].copy()
            sums, bad = np.zeros((count, 1), y.dtype), np.zeros(1, np.int64)
            kernel.run(*(each[name] for name in "xijwb"), y, sums, bad)
            wanted, along, first = expected(**each)
            assert np.array_equal(y, wanted.astype(y.dtype)) and np.array_equal(sums, along.astype(y.dtype))
            assert bad[0] == first


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("bounds", ["call", "kernel"])
def test_between_guard_pages(name: str, side: str, bounds: str) -> None:
    for count, of in ((1, R), (9, R), (70, R), (70, 70)):
        each = drawn(np.random.default_rng(count), count, "f32", bounds == "kernel")
        y = guarded(each["y"], side, writable=True)
        sums = guarded(np.zeros((count, 1), np.float32), side, writable=True)
        bad = [np.zeros(1, np.int64)] if bounds == "kernel" else []
        kernel_of(of, name, bounds=bounds)(*(guarded(each[x], side) for x in "xijwb"), y, sums, *bad)
        wanted, along, first = expected(**each)
        assert np.array_equal(y, wanted) and np.array_equal(sums, along)
        assert not bad or bad[0][0] == first
        check_canary(y)
        check_canary(sums)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", ["neon", "sve256"])
def test_under_qemu(target: str, side: str, aarch64: Server) -> None:
    """The kernel for any number of rows is right between unmapped pages."""
    kernel = kernel_of(R, target)
    for count in (0, 5, 75):
        each = drawn(np.random.default_rng(count), count, "f32", True)
        y, sums, bad = each["y"].copy(), np.zeros((count, 1), np.float32), np.zeros(1, np.int64)
        given = [each[x] for x in "xijwb"]
        aarch64.call(kernel.code, *given, y, sums, bad, count, side=side, vector_bits=256 if "sve" in target else None)
        wanted, along, first = expected(**each)
        assert np.array_equal(y, wanted) and np.array_equal(sums, along) and bad[0] == first


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_beside_reductions_that_are_used_again(name: str) -> None:
    """Reductions of gathered rows down the columns are used again, for differences and for scattered differences."""
    rng = np.random.default_rng(4)
    kernel = ts.equation(
        lambda x, i, j: (
            ts.gather(x, i) - ts.max(ts.gather(x, i), axis=0),
            ts.scatter(ts.gather(x, i) - ts.sum(ts.gather(x, i), axis=0), j, NODES, add=True),
        ),
        x=(NODES, N),
        i=(8,),
        j=(8,),
        bounds="kernel",
        target=name,
    )
    assert "walk 1" in str(kernel.plan)
    x, y = (rng.integers(-3, 4, (NODES, N)).astype(np.float32) for _ in "xy")
    i, j = (rng.integers(0, NODES, 8) for _ in "ij")
    i[5] = j[2] = NODES
    rows = np.where((i < NODES)[:, None], x[np.clip(i, 0, NODES - 1)], 0)
    wanted = y.copy()
    np.add.at(wanted, j[j < NODES], (rows - rows.sum(0))[j < NODES])
    moved, bad = np.zeros((8, N), np.float32), np.zeros(1, np.int64)
    kernel.run(x, i, j, moved, y, bad)
    assert np.array_equal(moved, rows - rows.max(0)) and np.array_equal(y, wanted) and bad[0] == 2


def test_calls_of_any_number() -> None:
    """Calls check indices, allocate results unless they scatter, and agree with pickled kernels and with all cores."""
    kernel = ts.equation(lambda x, i, w: ts.gather(x, i) @ w, x=(NODES, N), i=(R,), w=(N, H))
    x, w = np.ones((NODES, N), np.float32), np.ones((N, H), np.float32)
    for count in (0, 1, 300):
        assert np.array_equal(kernel(x, np.zeros(count, int), w), np.full((count, H), N))
    with pytest.raises(IndexError, match="i: entry 2 is 6; x has 6 rows"):
        kernel(x, np.array([0, 1, NODES]), w)
    again = pickle.loads(pickle.dumps(kernel))
    assert again.spec == kernel.spec and again.code == kernel.code
    assert "int64_t m)" in kernel.c_prototype
    fixed = ts.equation(lambda x, i, w: ts.gather(x, i) @ w, x=(NODES, N), i=(3000,), w=(N, H))
    index = np.random.default_rng(1).integers(0, NODES, 3000)
    assert np.array_equal(ts.spread(fixed)(x, index, w, threads=2), fixed(x, index, w))
    assert pickle.loads(pickle.dumps(fixed)).code == fixed.code


def test_a_transpose_a_table_that_is_a_right_factor_and_two_layers() -> None:
    rng = np.random.default_rng(5)
    x, z = (rng.integers(-2, 3, shape).astype(np.float32) for shape in ((NODES, NODES), (NODES, 40)))
    i = np.arange(40) % 5
    kernel = ts.equation(lambda x, z, i: ts.gather(x, i) @ x + z.T, x=x.shape, z=z.shape, i=(40,))
    assert np.array_equal(kernel(x, z, i), x[i] @ x + z.T)
    w, v = (rng.integers(-1, 2, shape).astype(np.float32) for shape in ((NODES, 300), (300, 20)))
    two = ts.equation(lambda x, i, w, v: ts.relu(ts.gather(x, i) @ w) @ v, x=x.shape, i=(40,), w=w.shape, v=v.shape)
    assert np.array_equal(two(x, i, w, v), np.maximum(x[i] @ w, 0) @ v)
    wide = ts.equation(
        lambda x, i, b, w, v: ts.relu(b @ w + ts.gather(x, i)) @ v,
        x=(NODES, 2000),
        i=(40,),
        b=(40, 3),
        w=(3, 2000),
        v=(2000, 4),
    )
    x, b, w, v = (
        rng.integers(-1, 2, shape).astype(np.float32) for shape in ((NODES, 2000), (40, 3), (3, 2000), (2000, 4))
    )
    assert np.array_equal(wide(x, i, b, w, v), np.maximum(b @ w + x[i], 0) @ v)


@pytest.mark.parametrize(
    ("function", "more", "says"),
    [
        (lambda x, i: ts.gather(x, i) * 2.0, {"x": (R, 8)}, "because it is a table"),
        (lambda x, i: ts.mean(ts.gather(x, i), axis=0), {}, "no mean of them"),
        (lambda x, i: ts.gather(x, i) - ts.mean(ts.gather(x, i), axis=0), {}, "which the rows take back"),
        (lambda x, i: ts.gather(x, i).T @ x, {"i": (8,)}, "x.T: takes no gather"),
        (lambda x, i: x + i, {"x": (8, 1)}, "the number of columns cannot be"),
    ],
)
def test_what_is_refused(function: Any, more: dict[str, Any], says: str) -> None:
    with pytest.raises((ts.UnsupportedError, TypeError, ValueError), match=says):
        ts.equation(function, **{"x": (NODES, 8), "i": (R,)} | more)
