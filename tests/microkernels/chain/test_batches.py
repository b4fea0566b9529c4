"""ts.brgemm(a, b) inside traced functions sums the products of a batch."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

NATIVE = [name for name in ("sse", "avx2", "avx512") if not runs(TARGETS[name])]
Function = Callable[..., Any]
SIZES = ((3, 53, 19, 7), (2, 8, 16, 64), (1, 5, 4, 3), (7, 1, 3, 2), (4, 97, 1, 33), (5, 6, 7, 1))
"""batch, m, k, n"""


def summed(a: Any, b: Any) -> Any:
    return np.einsum("imk,ikn->mn", a, b)


CASES: dict[str, tuple[Function, Function]] = {
    "alone": (lambda a, b: ts.brgemm(a, b), summed),
    "epilogue": (lambda a, b, c: ts.relu(ts.brgemm(a, b) + c), lambda a, b, c: np.maximum(summed(a, b) + c, 0)),
    "rows": (lambda a, b, z: ts.brgemm(a, b) - ts.max(z, axis=1), lambda a, b, z: summed(a, b) - z.max(1)[:, None]),
    "chain": (
        lambda a, b, w, z: ts.relu(ts.brgemm(a, b)) @ w + z,
        lambda a, b, w, z: np.maximum(summed(a, b), 0) @ w + z,
    ),
    "twice": (lambda a, b, d: ts.brgemm(a, b) * ts.brgemm(a, d), lambda a, b, d: summed(a, b) * summed(a, d)),
    "both": (lambda a, b, x, w: ts.brgemm(a, b) + x @ w, lambda a, b, x, w: summed(a, b) + x @ w),
    "reduced": (
        lambda a, b: (ts.brgemm(a, b), ts.sum(ts.brgemm(a, b), axis=0)),
        lambda a, b: (summed(a, b), summed(a, b).sum(0, keepdims=True)),
    ),
}
"""The functions are called with integers, whose sums and products are exact."""


def shapes_of(case: str, size: tuple[int, int, int, int]) -> dict[str, tuple[int, ...]]:
    batch, m, k, n = size
    every = {
        "a": (batch, m, k),
        "b": (batch, k, n),
        "c": (1, n),
        "z": (m, n),
        "w": (n, n),
        "d": (batch, k, n),
        "x": (m, k),
    }
    names = CASES[case][0].__code__.co_varnames
    return {name: (k, n) if name == "w" and "x" in names else every[name] for name in names}


def drawn(shapes: dict[str, tuple[int, ...]], dtype: str, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.integers(-2, 3, shape).astype(numpy_dtype(dtype)) for shape in shapes.values()]


def several(made: Any) -> tuple[Any, ...]:
    return made if isinstance(made, tuple) else (made,)


def wanted(case: str, arrays: list[Any]) -> tuple[Any, ...]:
    return several(CASES[case][1](*(each.astype(np.float64) for each in arrays)))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
@pytest.mark.grid(5)
def test_every_machine(target: str, case: str) -> None:
    for size in SIZES[:1] if target != "avx512" else SIZES[1:4]:
        shapes = shapes_of(case, size)
        arrays = drawn(shapes, "f32")
        kernel = ts.equation(CASES[case][0], target=target, **shapes)  # type: ignore[arg-type]
        for ours, exact in zip(several(kernel.run(*arrays)), wanted(case, arrays)):
            assert np.array_equal(ours, exact.astype(np.float32)), size


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("case", CASES)
def test_between_guard_pages(target: str, side: str, case: str) -> None:
    for size in SIZES:
        shapes = shapes_of(case, size)
        arrays = drawn(shapes, "f32", 1)
        kernel = ts.equation(CASES[case][0], target=target, **shapes)  # type: ignore[arg-type]
        outputs = [guarded(np.zeros((y.rows, y.columns), np.float32), side, writable=True) for y in kernel.spec.outputs]
        kernel(*(guarded(each, side) for each in arrays), *outputs)
        for ours, exact in zip(outputs, wanted(case, arrays)):
            assert np.array_equal(ours, exact.astype(np.float32)), size
            check_canary(ours)


@pytest.mark.parametrize("dtype", ["f64", "f16", "bf16"])
def test_other_types(dtype: str) -> None:
    shapes = shapes_of("epilogue", (3, 29, 16, 24))
    arrays = drawn(shapes, dtype)
    kernel = ts.equation(CASES["epilogue"][0], target="avx512", dtype=dtype, **shapes)  # type: ignore[arg-type]
    assert np.array_equal(kernel.run(*arrays), wanted("epilogue", arrays)[0].astype(arrays[0].dtype))


def test_sums_of_floats_within_a_bound() -> None:
    """The error of sums of 3 * 40 products is at most gamma(121), for one rounding of each product and sum, times the
    sum of the products' magnitudes."""
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((3, 50, 40), (3, 40, 30)))
    kernel = ts.equation(CASES["alone"][0], a=a.shape, b=b.shape)
    exact, sizes = summed(a.astype(float), b.astype(float)), summed(abs(a).astype(float), abs(b).astype(float))
    steps = 121 * 2.0**-24
    assert (abs(kernel(a, b) - exact) <= steps / (1 - steps) * sizes).all()


def test_leading_dimensions_pickles_and_the_same_bits_as_one_long_product() -> None:
    rng = np.random.default_rng(4)
    a = rng.standard_normal((3, 21, 24)).astype(np.float32)[:, :, :19]
    b = rng.standard_normal((3, 19, 10)).astype(np.float32)[:, :, :7]
    kernel = ts.equation(CASES["alone"][0], a=a.shape, b=b.shape, lda=24, ldb=10)
    dense = ts.equation(CASES["alone"][0], a=a.shape, b=b.shape)
    assert np.array_equal(kernel(a, b), dense(np.ascontiguousarray(a), np.ascontiguousarray(b)))
    again = pickle.loads(pickle.dumps(kernel))
    assert again.code == kernel.code and np.array_equal(again(a, b), kernel(a, b))


@pytest.mark.parametrize("case", ["alone", "epilogue", "chain"])
def test_proved(case: str) -> None:
    shapes = shapes_of(case, (2, 5, 3, 4))
    verdict = ts.equation(CASES[case][0], target="avx2", **shapes).verify()  # type: ignore[arg-type]
    assert verdict, verdict


def test_the_plan_says_what_is_summed_and_counts_all_pairs() -> None:
    kernel = ts.equation(CASES["alone"][0], a=(4, 64, 32), b=(4, 32, 48), target="avx512")
    assert "sum of 4 products a @ b, 32 steps each" in str(kernel.plan)
    assert kernel.flops == 2 * 4 * 64 * 32 * 48
    one = ts.equation(lambda a, b: a @ b, a=(64, 32), b=(32, 48), target="avx512")
    assert 3 < kernel.plan.cycles / one.plan.cycles < 5


ERRORS: list[tuple[Function, dict[str, Any], type[Exception], str]] = [
    (lambda a, b: ts.brgemm(a, b), {"a": (8, 4), "b": (2, 4, 3)}, ValueError, r"\(batch, m, k\)"),
    (lambda a, b: ts.brgemm(a, b), {"a": (4, 8, 16), "b": (2, 16, 3)}, ValueError, r"\(batch, k, n\)"),
    (lambda a, b: ts.brgemm(a, b), {"a": (2, 8, 5), "b": (2, 4, 3)}, ValueError, r"\(batch, k, n\)"),
    (lambda a, b: ts.brgemm(a * 2.0, b), {"a": (2, 8, 4), "b": (2, 4, 3)}, TypeError, "must be float parameters"),
    (lambda a, b: ts.brgemm(a, b.T), {"a": (2, 8, 4), "b": (2, 4, 3)}, TypeError, "must be float parameters"),
    (lambda a, b: ts.brgemm(a, 2.0), {"a": (2, 8, 4), "b": (2, 4, 3)}, TypeError, "must be float parameters"),
    (lambda a, b: ts.brgemm(a, b), {"a": (2, ts.RUNTIME, 4), "b": (2, 4, 3)}, ts.UnsupportedError, "ts.RUNTIME"),
    (lambda a, b, z: ts.brgemm(a, b) + z, {"a": (2, 8, 4), "b": (2, 4, 3), "z": (9, 3)}, ValueError, "broadcast"),
]


@pytest.mark.parametrize(("function", "shapes", "error", "text"), ERRORS)
def test_errors_say_what_works(function: Function, shapes: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        ts.equation(function, **shapes)


def test_threads_and_calls_without_a_traced_function() -> None:
    with pytest.raises(ts.UnsupportedError, match="ts.brgemm"):
        ts.equation(CASES["alone"][0], a=(2, 64, 16), b=(2, 16, 32)).spec.of(16)  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="k: a positive integer"):
        ts.brgemm(4, 4)
