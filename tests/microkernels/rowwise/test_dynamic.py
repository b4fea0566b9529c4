"""Elementwise kernels of columns whose length is given at the call: every remainder and type, between guard pages, with
adjacent columns and with gaps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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


class Case(NamedTuple):
    """A function of matrices with rows given at the call, of rows and of columns, and its results by numpy."""

    function: Callable[..., Any]
    exact: Callable[..., Sequence[Any]]
    shapes: dict[str, tuple[Any, int]]
    rows: Sequence[int]  # of the calls between guard pages: every remainder of a vector, a strip or a block
    strips: bool = False  # whether strips of columns compute it, and not whole columns


def normed(x: Any, g: Any, b: Any) -> tuple[Any, Any]:
    """Return results with reductions that are used again, one element of each column and one of each row."""
    return (x - ts.max(x, axis=1)) * g + b, ts.sum(x * x, axis=1)


CASES = {
    "joined": Case(lambda x, y: x + y, lambda x, y: [x + y], {"x": (R, 3), "y": (R, 3)}, [*range(1, 37), 63, 64, 131]),
    "affine": Case(
        lambda x, g, b, s: x * g + b * s,
        lambda x, g, b, s: [x * g + b * s],
        {"x": (R, 4), "g": (1, 4), "b": (R, 1), "s": (1, 1)},
        [*range(1, 19), 69],
    ),
    "normed": Case(
        normed,
        lambda x, g, b: [(x - x.max(1, keepdims=True)) * g + b, (x * x).sum(1, keepdims=True)],
        {"x": (R, 5), "g": (1, 5), "b": (R, 1)},
        [*range(1, 131), 255, 256, 257, 300, 511, 512, 530],
        True,
    ),
    "centred": Case(  # its two walks take turns, strip by strip
        lambda x: x - ts.max(x, axis=1),
        lambda x: [x - x.max(1, keepdims=True)],
        {"x": (R, 5)},
        [*range(1, 35), 63, 64, 67, 100, 127, 128, 129, 256, 260, 383],
        True,
    ),
    "sums": Case(
        lambda x: ts.sum(x, axis=1), lambda x: [x.sum(1, keepdims=True)], {"x": (R, 3)}, [*range(1, 19), 131], True
    ),
}


def operands(case: Case, m: int, dtype: str) -> tuple[list[Any], Sequence[Any]]:
    """Return the operands of a call of m rows, and the results for them in float64."""
    arrays = [drawn((m if rows is R else rows, n), dtype, m + i) for i, (rows, n) in enumerate(case.shapes.values())]
    return arrays, case.exact(*(each.astype(float) for each in arrays)) if m else []


def drawn_cases() -> list[Any]:
    """Return the names of cases with their types. One takes long."""
    made = [(name, dtype) for name in CASES for dtype in (TYPES if name == "joined" else ("f32", "f64", "bf16"))]
    return [pytest.param(*each, marks=[pytest.mark.slow] * (each[0] == "normed")) for each in made]


@pytest.mark.parametrize(("name", "dtype"), drawn_cases())
@pytest.mark.parametrize("target", NATIVE)
def test_every_remainder_between_guard_pages(target: str, name: str, dtype: str) -> None:
    """Columns are adjacent or apart; what lies between them stays."""
    case = CASES[name]
    kernel = ts.equation(case.function, **case.shapes, order="F", dtype=dtype, target=target)
    assert (kernel.plan.strips if case.strips else kernel.plan.columns) is not None
    if name == "centred" and dtype != "bf16":  # conversions may need the registers
        assert "takes turns with walk 1" in str(kernel.plan)
    for m in case.rows:
        arrays, wanted = operands(case, m, dtype)
        for side, gap in itertools.product(SIDES, (0, 3)):
            made = [
                guarded(np.zeros((y.shape[1], m + gap * (y.shape[1] > 1)), arrays[0].dtype), side, writable=True)
                for y in wanted
            ]
            kernel(*(guarded(each.T, side).T for each in arrays), *(y[:, :m].T for y in made))
            for y, want in zip(made, wanted):
                check_canary(y)
                assert (y[:, :m].T.astype(float) == want).all() and not y[:, m:].any(), m


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_every_machine(machine: str, name: str) -> None:
    case = CASES[name]
    kernel = ts.equation(case.function, **case.shapes, order="F", target=MACHINES[machine].name)
    for m in (0, 1, 3, 7, 16, 38, 69, 259):
        arrays, wanted = operands(case, m, "f32")
        found = kernel.run(*arrays)
        for y, want in zip(found if isinstance(found, tuple) else (found,), wanted):
            assert (y == want).all(), m


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
