"""Elementwise kernels of columns whose length is given at the call: every remainder and type, between guard pages, with
adjacent columns and with gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES
from tests.profiles import scaled
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

R = ts.RUNTIME
NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]
TYPES = ("f32", "f64", "bf16", "i8", "i32")


def drawn(shape: tuple[int, int], dtype: str, seed: int = 1) -> Any:
    """Return a column-major matrix of small integers."""
    return np.asarray(np.random.default_rng(seed).integers(-3, 4, shape), numpy_dtype(dtype), order="F")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NATIVE)
def test_every_remainder_between_guard_pages(name: str, dtype: str) -> None:
    n = 3
    kernel = ts.binary("add", R, n, order="F", dtype=dtype, target=name)
    assert kernel.plan.columns is not None
    for m in (*range(1, 37), 63, 64, 100, 131):
        x, y = drawn((m, n), dtype, m), drawn((m, n), dtype, m + 1)
        wanted = (x.astype(float) + y.astype(float)).T
        for side in SIDES:
            out = guarded(np.zeros((n, m), x.dtype), side, writable=True)
            kernel(guarded(x.T, side).T, guarded(y.T, side).T, out.T)
            check_canary(out)
            assert (out.astype(float) == wanted).all(), m
            apart = guarded(np.zeros((n, m + 3), x.dtype), side, writable=True)[:, :m]
            kernel(guarded(x.T, side).T, y, apart.T)
            check_canary(apart)
            assert (apart.astype(float) == wanted).all(), m


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_every_machine(name: str) -> None:
    """Rows, columns and single elements beside matrices force a loop over columns; matrices alone do not."""
    cases: list[tuple[Callable[..., Any], dict[str, tuple[Any, int]]]] = [
        (lambda x, y: x * y + x, {"x": (R, 4), "y": (R, 4)}),
        (lambda x, g, b, s: x * g + b * s, {"x": (R, 4), "g": (1, 4), "b": (R, 1), "s": (1, 1)}),
    ]
    for function, shapes in cases:
        kernel = ts.equation(function, order="F", target=MACHINES[name].name, **shapes)
        for m in (0, 1, 2, 3, 5, 7, 15, 21, 69):
            arrays = [drawn((m if rows is R else rows, n), "f32", i) for i, (rows, n) in enumerate(shapes.values())]
            assert (kernel.run(*arrays) == function(*arrays)).all(), m


def normed(x: Any, g: Any, b: Any) -> tuple[Any, Any]:
    """Return results with reductions that are used again, one element of each column and one of each row."""
    return (x - ts.max(x, axis=1)) * g + b, ts.sum(x * x, axis=1)


def by_numpy(x: Any, g: Any, b: Any) -> tuple[Any, Any]:
    """Return the same results by numpy."""
    return (x - x.max(1, keepdims=True)) * g + b, (x * x).sum(1, keepdims=True)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16"])
@pytest.mark.parametrize("name", NATIVE)
def test_every_remainder_of_reductions_between_guard_pages(name: str, dtype: str) -> None:
    n = 5
    kernel = ts.equation(normed, x=(R, n), g=(1, n), b=(R, 1), order="F", dtype=dtype, target=name)
    assert kernel.plan.strips is not None
    for m in (*range(1, 131), 255, 256, 257, 300, 511, 512, 530):
        x, g, b = drawn((m, n), dtype, m), drawn((1, n), dtype), drawn((m, 1), dtype)
        wanted = by_numpy(*(each.astype(float) for each in (x, g, b)))
        for side in SIDES:
            y = guarded(np.zeros((n, m), x.dtype), side, writable=True)
            apart = guarded(np.zeros((n, m + 3), x.dtype), side, writable=True)[:, :m]
            sums = guarded(np.zeros((m, 1), x.dtype), side, writable=True)
            for result in (y, apart):
                kernel(guarded(x.T, side).T, guarded(g, side), guarded(b, side), result.T, sums)
                check_canary(result)
                check_canary(sums)
                assert (result.T.astype(float) == wanted[0]).all(), m
                assert (sums.astype(float) == wanted[1]).all(), m


def centred(x: Any) -> Any:
    """Return a function whose two walks take turns, strip by strip."""
    return x - ts.max(x, axis=1)


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16"])
@pytest.mark.parametrize("name", NATIVE)
def test_walks_in_turns_between_guard_pages(name: str, dtype: str) -> None:
    """Every remainder of a strip, with columns that are adjacent or apart."""
    n = 5
    kernel = ts.equation(centred, x=(R, n), order="F", dtype=dtype, target=name)
    assert kernel.plan.strips is not None
    assert "takes turns with walk 1" in str(kernel.plan) or dtype == "bf16"  # conversions may need the registers
    for m in (*range(1, 35), 63, 64, 67, 100, 127, 128, 129, 256, 260, 383):
        x = drawn((m, n), dtype, m)
        wanted = x.astype(float) - x.astype(float).max(1, keepdims=True)
        for side in SIDES:
            y = guarded(np.zeros((n, m), x.dtype), side, writable=True)
            apart = guarded(np.zeros((n, m + 3), x.dtype), side, writable=True)[:, :m]
            for result in (y, apart):
                kernel(guarded(x.T, side).T, result.T)
                check_canary(result)
                assert (result.T.astype(float) == wanted).all(), m


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_walks_in_turns_on_every_machine(name: str) -> None:
    kernel = ts.equation(centred, x=(R, 3), order="F", target=MACHINES[name].name)
    for m in (1, 3, 4, 7, 13, 16, 38, 69, 259):
        x = drawn((m, 3), "f32", m)
        assert (kernel.run(x) == x - x.max(1, keepdims=True)).all(), m


@pytest.mark.parametrize("name", NATIVE)
def test_operands_of_several_types_in_a_strip(name: str) -> None:
    """Pointers, distances and counts of a strip fit into the general registers, or the kernel takes blocks of rows."""

    def function(x: Any, u: Any, v: Any) -> Any:
        return x * 2 + u - v - ts.sum(x + u + v, axis=1)

    ts.equation(lambda a, b: a + b - ts.sum(a * b, axis=1), a=(R, 4), b=(R, 4), order="F", target=name)
    n = 4
    kernel = ts.equation(
        function,
        x=(R, n),
        u=(R, n),
        v=(R, n),
        order="F",
        target=name,
        out="f32",
        dtype={"x": "f32", "u": "i8", "v": "bf16"},
    )
    for m in (1, 7, 16, 27, 100, 300):
        x, u, v = drawn((m, n), "f32", 1), drawn((m, n), "i8", 2), drawn((m, n), "bf16", 3)
        a, b, c = (each.astype(float) for each in (x, u, v))
        assert (kernel(x, u, v) == a * 2 + b - c - (a + b + c).sum(1, keepdims=True)).all(), m


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_reductions_on_every_machine(name: str) -> None:
    kernel = ts.equation(normed, x=(R, 3), g=(1, 3), b=(R, 1), order="F", target=MACHINES[name].name)
    assert kernel.plan.strips is not None
    for m in (0, 1, 2, 3, 7, 13, 16, 38, 69, 259):
        x, g, b = drawn((m, 3), "f32", m), drawn((1, 3), "f32"), drawn((m, 1), "f32")
        if m:
            for found, wanted in zip(kernel.run(x, g, b), by_numpy(x, g, b)):
                assert (found == wanted).all(), m
        else:
            assert kernel.run(x, g, b)[0].shape == (0, 3)


@settings(max_examples=scaled(30, 2000), deadline=None)
@given(
    name=st.sampled_from(NATIVE),
    m=st.integers(0, 300),
    dtype=st.sampled_from(("f32", "f64", "bf16")),
    both=st.booleans(),
    gap=st.sampled_from((0, 3)),
    side=st.sampled_from(SIDES),
)
def test_sums_alone_take_all_rows_in_one_walk(name: str, m: int, dtype: str, both: bool, gap: int, side: str) -> None:
    """Sums are right alone and beside a result of all elements."""
    n = 5
    kernel = ts.equation(
        lambda x: (ts.sum(x, axis=1), x * 2) if both else ts.sum(x, axis=1),
        x=(R, n),
        order="F",
        dtype=dtype,
        target=name,
    )
    if dtype != "bf16":  # a second walk rounds sums of bf16
        assert kernel.plan.strips is not None and "one walk over all rows" in str(kernel.plan)
    x = drawn((m, n), dtype, m)
    sums = np.full((m, 1), 7, x.dtype)
    y = np.zeros((n, m + gap), x.dtype)
    if m:
        sums, y = (guarded(each, side, writable=True) for each in (sums, y))
    kernel(guarded(x.T, side).T if m else x, sums, *[y[:, :m].T] * both)
    assert (sums.astype(float) == x.astype(float).sum(1, keepdims=True)).all()
    assert not both or (y[:, :m].T.astype(float) == 2 * x.astype(float)).all()
    for each in (sums, y) if m else ():
        check_canary(each)


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_sums_alone_on_every_machine(name: str) -> None:
    kernel = ts.equation(lambda x: ts.sum(x, axis=1), x=(R, 3), order="F", target=MACHINES[name].name)
    for m in (0, 1, 3, 15, 17, 33, 50, 64, 131):
        x = drawn((m, 3), "f32", m)
        assert (kernel.run(x) == x.sum(1, keepdims=True)).all(), m


def polynomial(x: Any) -> Any:
    """Apply so many operations that strips of columns are narrow."""
    for constant in (1, 2, 0, -1, 3, 2, 1):
        x = (x + constant) * 0.5
    return x


@pytest.mark.parametrize("name", NATIVE)
def test_masks_of_more_elements_than_a_byte_counts(name: str) -> None:
    kernel = ts.equation(lambda x: (polynomial(x), ts.sum(x, axis=1)), x=(R, 3), order="F", target=name)
    norm = ts.fused("layernorm", R, 3, order="F", target=name)
    for m in (255, 256, 300, 304, 512, 1000):
        x = drawn((m, 3), "f32", m)
        y, sums = kernel(x)
        assert (y == polynomial(x)).all() and (sums == x.sum(1, keepdims=True)).all(), m
        row = np.ones((1, 3), np.float32)
        fixed = ts.fused("layernorm", m, 3, order="F", target=name)
        assert (np.asarray(norm(x, row, row)) == np.asarray(fixed(x, row, row))).all(), m


@pytest.mark.parametrize("name", ["softmax", "layernorm"])
def test_norms_have_the_bits_of_a_number_of_rows(name: str) -> None:
    """On this machine, norms have these bits whichever way is planned: sixteen registers are too few for the walks of
    softmax."""
    assert ts.fused(name, R, 21, order="F", target="avx512").plan.strips is not None
    kernel = ts.fused(name, R, 21, order="F")
    for m in (1, 15, 64, 100, 300):
        rng = np.random.default_rng(m)
        inputs = [
            np.asfortranarray(rng.normal(size=each.shape).astype(np.float32))
            for each in ts.fused(name, m, 21, order="F").spec.inputs
        ]
        fixed = ts.fused(name, m, 21, order="F")
        wanted = np.asarray(fixed(*inputs))
        assert (np.asarray(kernel(*inputs)) == wanted).all(), m
        assert "x" in kernel.spec.in_place
        kernel(*inputs, inputs[0])
        assert (inputs[0] == wanted).all(), m


def test_in_place_and_one_column() -> None:
    for n in (1, 5):
        kernel = ts.unary("relu", R, n, order="F")
        for m in (0, 1, 50, 77):
            x = drawn((m, n), "f32")
            wanted = np.maximum(x, 0)
            kernel(x, x)
            assert (x == wanted).all()


def test_where_columns_are_walked_as_a_whole() -> None:
    """Targets whose masks count lanes use a mask given at the call. Matrices of two orders take blocks of rows."""
    for name, dtype, masked in (
        ("sse", "f32", False),
        ("avx2", "f32", True),
        ("avx2", "bf16", False),
        ("avx512", "bf16", True),
        ("sve256", "f32", True),
        ("neon", "f32", False),
    ):
        plan = ts.unary("relu", R, 4, order="F", dtype=dtype, target=name).plan
        assert plan.columns.masked == masked
    assert ts.unary("relu", R, 4, order="FC").plan.columns is None
    assert "while they last" in str(ts.unary("relu", R, 4, order="F").plan)
