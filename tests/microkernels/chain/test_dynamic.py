"""Bands whose rows the call counts: traced functions with products of every number of rows that begins or ends a band,
with whole numbers whose sums are exact, between guard pages, in the emulator and under qemu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import in_turn
from tests.profiles import is_soak
from tilesmith.emulation.qemu.server import Server
from tilesmith.microkernels.chain.plan import ChainPlan
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

Array = np.ndarray[Any, Any]
R = ts.RUNTIME
NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]


class Case(NamedTuple):
    """A function, what numpy makes of it in float64, and the shapes of its operands; R is the number of rows."""

    function: Callable[..., Any]
    expected: Callable[..., Sequence[Array]]
    shapes: dict[str, tuple[Any, int]]


def highest(x: Array) -> Array:
    """Of each row."""
    return x.max(1, keepdims=True)


def size(x: Any) -> Any:
    """The absolute value, as an expression."""
    return ts.maximum(x, 0.0 - x)


CASES = {
    # operands of m rows and of one column advance with the sums in registers
    "epilogue": Case(
        lambda x, w, b, r, c: ts.relu(x @ w + b) * c - r,
        lambda x, w, b, r, c: [np.maximum(x @ w + b, 0) * c - r],
        {"x": (R, 11), "w": (11, 45), "b": (1, 45), "r": (R, 45), "c": (R, 1)},
    ),
    "two layers": Case(
        lambda x, w, b, v: ts.maximum(x @ w + b, 0.0) @ v + x,
        lambda x, w, b, v: [np.maximum(x @ w + b, 0) @ v + x],
        {"x": (R, 20), "w": (20, 33), "b": (1, 33), "v": (33, 20)},
    ),
    # the matrix between the products is computed in blocks of columns
    "blocks of columns": Case(
        lambda x, w, b, v: size(size(x @ w + b) - 2.0) @ v,
        lambda x, w, b, v: [abs(abs(x @ w + b) - 2) @ v],
        {"x": (R, 9), "w": (9, 400), "b": (1, 400), "v": (400, 10)},
    ),
    # several short rows in a body, a sum down the columns, rows that are reduced two at a time
    "reductions": Case(
        lambda x, w: (x @ w - ts.max(x @ w, axis=1), ts.sum(size(x), axis=0)),
        lambda x, w: [x @ w - highest(x @ w), abs(x).sum(0, keepdims=True)],
        {"x": (R, 5), "w": (5, 6)},
    ),
    "wide": Case(
        lambda x, w: ts.max(x, axis=1) + size(x) @ w,
        lambda x, w: [highest(x) + abs(x) @ w],
        {"x": (R, 70), "w": (70, 3)},
    ),
}


def of(case: Case, m: Any) -> dict[str, tuple[Any, int]]:
    """The shapes with this number of rows."""
    return {name: (m if rows is R else rows, columns) for name, (rows, columns) in case.shapes.items()}


def drawn(case: Case, m: int, dtype: Any = np.float32) -> list[Array]:
    """Small whole numbers."""
    rng = np.random.default_rng(m)
    return [rng.integers(-2, 3, shape).astype(dtype) for shape in of(case, m).values()]


def wanted(case: Case, given: Sequence[Array]) -> list[Array]:
    """The results in float64."""
    return [np.asarray(each) for each in case.expected(*(x.astype(float) for x in given))]


def counted(kernel: Any) -> ChainPlan:
    """The plan of the bands of a kernel."""
    code = kernel.plan.blocks[0].code
    assert isinstance(code, ChainPlan) and code.dynamic
    return code


def numbers_of_rows(plan: ChainPlan) -> list[int]:
    """Around every number at which the bands change."""
    whole, half = plan.rows, plan.half
    return sorted(
        {
            0,
            1,
            2,
            3,
            4,
            5,
            7,
            half,
            whole - 1,
            whole,
            whole + 1,
            whole + 3,
            whole + half,
            whole + half + 1,
            2 * whole,
            2 * whole + 2,
            3 * whole + half + 5,
        }
    )


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", CASES)
def test_every_change_of_bands_between_guard_pages(name: str, side: str, target: str) -> None:
    case = CASES[name]
    kernel = ts.equation(case.function, **of(case, R), target=target)
    for m in numbers_of_rows(counted(kernel)):
        given = drawn(case, m)
        expected = wanted(case, given)
        results = [guarded(np.full(each.shape, 7, np.float32), side, writable=True) for each in expected]
        kernel(*(guarded(each, side) for each in given), *results)
        for found, each in zip(results, expected):
            assert np.array_equal(found, each), m
            check_canary(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "target"), [(name, target) for number, name in enumerate(CASES) for target in in_turn(number)]
)
def test_in_the_emulator(name: str, target: str) -> None:
    """Whole bands are slow here, so that all cases have them in a soak only. Otherwise they run on this processor and
    under qemu, and the epilogue has them here. The lengths of SVE take turns, except in a soak."""
    case = CASES[name]
    kernel = ts.equation(case.function, **of(case, R), target=target)
    plan = counted(kernel)
    whole = name != "blocks of columns" if is_soak() else name == "epilogue"
    for m in (0, 1, 6, *[plan.rows + 1] * whole):
        given = drawn(case, m)
        expected = wanted(case, given)
        results = [np.full(each.shape, 7, np.float32) for each in expected]
        kernel.run(*given, *results)
        for found, each in zip(results, expected):
            assert np.array_equal(found, each), m


@pytest.mark.parametrize(("target", "bits"), [("neon", None), ("sve256", 256), ("sve512", 512)])
@pytest.mark.parametrize("name", CASES)
def test_under_qemu(name: str, target: str, bits: int | None, aarch64: Server) -> None:
    case = CASES[name]
    kernel = ts.equation(case.function, **of(case, R), target=target)
    for number, m in enumerate(numbers_of_rows(counted(kernel))):
        given = drawn(case, m)
        expected = wanted(case, given)
        results = [np.full(each.shape, 7, np.float32) for each in expected]
        aarch64.call(kernel.code, *given, *results, m, side=SIDES[number % 2], vector_bits=bits)
        for found, each in zip(results, expected):
            assert np.array_equal(found, each), m


@pytest.mark.parametrize("dtype", ["f64", "bf16", "f16"])
def test_other_types(dtype: str) -> None:
    case = CASES["two layers"]
    try:
        kernel = ts.equation(
            case.function,
            **of(case, R),
            dtype={"x": dtype, "w": dtype, "b": "f32", "v": "f32"},
            compute="f64" if dtype == "f64" else "f32",
        )
    except ts.UnsupportedError:
        kernel = ts.equation(case.function, **of(case, R), dtype=dtype)
    for m in (1, 4, 50, 131):
        given = [x.astype(numpy_dtype(y.dtype)) for x, y in zip(drawn(case, m), kernel.spec.operands)]
        assert np.array_equal(np.asarray(kernel(*given)).astype(float), wanted(case, given)[0]), m


def test_random_numbers_are_those_of_the_whole_matrix() -> None:
    """A fixed kernel draws them by the place in the matrix (test_random_numbers.py)."""

    def made(m: Any) -> Any:
        return ts.equation(lambda x, w: ts.dropout(x @ w, 0.5), x=(m, 24), w=(24, 31))

    kernel = made(R)
    plan = counted(kernel)
    for m in (3, plan.rows + 2, 2 * plan.rows + plan.half + 1):
        x, w = np.ones((m, 24), np.float32), np.ones((24, 31), np.float32)
        assert np.array_equal(kernel(x, w, 5), made(m)(x, w, 5))


@pytest.mark.parametrize("rows", [150, 192, 195, 289, 500])
def test_threads_give_the_same_bits(rows: int) -> None:
    """The last part has the same bands as the last rows of a call on one thread, also if few rows are left."""
    kernel = ts.equation(lambda x, w, v: ts.tanh(x @ w) @ v, x=(R, 130), w=(130, 200), v=(200, 90))
    assert counted(kernel).least > 1
    rng = np.random.default_rng(rows)
    x, w, v = (rng.standard_normal(shape, np.float32) for shape in ((rows, 130), (130, 200), (200, 90)))
    alone = kernel(x, w, v)
    for threads in (1, 2, 3, 7):
        assert np.array_equal(ts.spread(kernel, threads=threads)(x, w, v), alone)


def test_a_remainder_has_no_bands_of_few_rows() -> None:
    """If few rows are left behind a band, it is two halves instead."""
    plan = counted(
        ts.equation(
            lambda x, w, b, v: ts.gelu(x @ w + b) @ v, x=(R, 512), w=(512, 512), b=(1, 512), v=(512, 512), target="avx2"
        )
    )
    assert plan.rows == 96 and plan.half == 48 and plan.least == 4 and plan.rest == ()
    assert "at least 4, at most 96; 48 if more are left, but at most 144" in str(plan)


def named(names: Sequence[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with parameters of these names."""
    signature = f"{', '.join(names)}"
    made: Callable[..., Any] = eval(f"lambda {signature}: function({signature})", {"function": function})  # noqa: S307
    return made


def test_ways_that_need_known_rows_stay() -> None:
    """A right factor that is packed for every band, and operands for which there are too few registers."""
    rng = np.random.default_rng(0)
    transposed = ts.equation(lambda x, w: ts.relu(x @ w.T), x=(R, 8), w=(20, 8), target="avx2")
    assert not transposed.plan.in_bands and "transposed right factor" in str(transposed.plan.rejected)
    names = [f"x{number}" for number in range(10)]
    shapes = dict.fromkeys(names, (R, 8))
    many = ts.equation(named(["w", *names], lambda w, *x: sum(x) @ w), w=(8, 8), **shapes, target="avx2")
    assert not many.plan.in_bands and "12 arguments" in str(many.plan.rejected)
    if "avx2" in NATIVE:
        x, w = rng.integers(-2, 3, (37, 8)).astype(np.float32), rng.integers(-2, 3, (8, 8)).astype(np.float32)
        assert np.array_equal(many(w, *[x] * 10), 10 * x @ w)


@pytest.mark.parametrize("extra", [1, 3, 5])
def test_operands_up_to_the_most(extra: int) -> None:
    """Operands of m rows in an epilogue take stack slots for their first column, on every machine."""
    names = [f"r{number}" for number in range(extra)]
    for target in ("sse", "avx2", "avx512", "neon", "sve256"):
        function = named(["x", "w", *names], lambda x, w, *r: ts.relu(x @ w) + sum(r))
        kernel = ts.equation(function, x=(R, 8), w=(8, 70), **dict.fromkeys(names, (R, 70)), target=target)
        assert kernel.plan.blocks[0].code.dynamic and kernel.code
        if target == "avx2" and "avx2" in NATIVE:
            x, w, r = (np.full(shape, 2, np.float32) for shape in ((61, 8), (8, 70), (61, 70)))
            assert (kernel(x, w, *[r] * extra) == 32 + 2 * extra).all()
