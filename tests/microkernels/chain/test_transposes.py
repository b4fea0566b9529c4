"""x.T inside traced functions: in registers if the kernel can use one order, else in bands beside reductions and
products."""

from __future__ import annotations

import pickle
from collections.abc import Callable
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
Function = Callable[..., Any]
M, N, H = 53, 19, 7
CASES: dict[str, tuple[Function, Function, dict[str, tuple[int, int]]]] = {
    "alone": (lambda x: x.T, lambda x: x.T, {"x": (N, M)}),
    "beside": (lambda x, z: x.T * 2.0 + z, lambda x, z: x.T * 2 + z, {"x": (N, M), "z": (M, N)}),
    "both": (lambda x, z: x.T + ts.transpose(z), lambda x, z: (x + z).T, {"x": (N, M), "z": (N, M)}),
    "computed": (
        lambda x, z, w: ts.transpose(x * z + 1.0) + w,
        lambda x, z, w: (x * z + 1).T + w,
        {"x": (N, M), "z": (N, M), "w": (M, N)},
    ),
    "column": (lambda x, b: x + b.T, lambda x, b: x + b.T, {"x": (M, N), "b": (1, M)}),
    "row sums": (lambda x: x.T - ts.sum(x.T, axis=1), lambda x: x.T - x.T.sum(1, keepdims=True), {"x": (N, M)}),
    "column sums": (lambda x: ts.sum(x, axis=0).T, lambda x: x.sum(0, keepdims=True).T, {"x": (N, M)}),
    "left factor": (lambda x, w: x.T @ w, lambda x, w: x.T @ w, {"x": (N, M), "w": (N, H)}),
    "layer": (
        lambda x, w, z: ts.relu(x.T @ w) + z.T,
        lambda x, w, z: np.maximum(x.T @ w, 0) + z.T,
        {"x": (N, M), "w": (N, H), "z": (H, M)},
    ),
    "rows and columns": (lambda x: (x * 2.0, x.T + x), lambda x: (x * 2, x.T + x), {"x": (M, M)}),
    "product": (lambda x, w: (x @ w).T, lambda x, w: (x @ w).T, {"x": (N, M), "w": (M, H)}),
    "products": (
        lambda x, w: ts.relu((x.T @ w.T).T),
        lambda x, w: np.maximum((x.T @ w.T).T, 0),
        {"x": (N, M), "w": (H, N)},
    ),
    "total": (lambda x: ts.sum(x.T).T, lambda x: x.sum().reshape(1, 1), {"x": (N, M)}),
    "used sums": (
        lambda x, w: ts.relu(x.T @ w - ts.sum(x.T @ w, axis=0)),
        lambda x, w: np.maximum(x.T @ w - (x.T @ w).sum(0), 0),
        {"x": (N, M), "w": (N, H)},
    ),
    "computed factors": (
        lambda x, w: (ts.sum(x.T, axis=0) @ (w * 2.0) + x.T @ (w + 1.0)).T,
        lambda x, w: (x.T.sum(0) @ (w * 2) + x.T @ (w + 1)).T,
        {"x": (N, M), "w": (N, H)},
    ),
    "three sweeps": (
        lambda x, w: (ts.max(x.T @ w, axis=0) * 2.0 - ts.sum(ts.sum(x, axis=1).T @ w, axis=1), x.T @ w),
        lambda x, w: ((x.T @ w).max(0, keepdims=True) * 2 - (x.sum(1) @ w).sum(), x.T @ w),
        {"x": (N, M), "w": (N, H)},
    ),
    "gram": (lambda x: x.T @ x, lambda x: x.T @ x, {"x": (N, M)}),
    "two results": (lambda x, z: (x.T + z, x.T * z), lambda x, z: (x.T + z, x.T * z), {"x": (N, M), "z": (M, N)}),
}
"""The functions are called with integers, whose sums and products are exact."""


def operands(shapes: dict[str, tuple[int, int]], dtype: str, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.integers(-3, 4, shape).astype(numpy_dtype(dtype)) for shape in shapes.values()]


def results(reference: Function, arrays: list[Any]) -> tuple[Any, ...]:
    made = reference(*(each.astype(float) for each in arrays))
    return made if isinstance(made, tuple) else (made,)


TYPES = [
    *((case, "f32") for case in CASES),
    *((case, dtype) for case in ("beside", "layer", "row sums") for dtype in ("f64", "bf16", "f16")),
]


@pytest.mark.parametrize(("case", "dtype"), TYPES)
@pytest.mark.parametrize("name", ["avx2", "avx512", "neon", "sve256", "sme512"])
def test_every_machine(name: str, case: str, dtype: str) -> None:
    function, reference, shapes = CASES[case]
    target = MACHINES[name].name if name in MACHINES else name
    kernel = ts.equation(function, target=target, dtype=dtype, **shapes)  # type: ignore[arg-type]
    arrays = operands(shapes, dtype)
    found = kernel.run(*arrays)
    for ours, exact in zip(found if isinstance(found, tuple) else (found,), results(reference, arrays)):
        assert np.array_equal(ours, exact.astype(ours.dtype))


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("case", CASES)
def test_between_guard_pages(name: str, side: str, case: str) -> None:
    function, reference, shapes = CASES[case]
    leading = {"ldx": shapes["x"][1] + 3}
    arrays = operands(shapes, "f32", 1)
    wanted = results(reference, arrays)
    wide = np.full((shapes["x"][0], leading["ldx"]), 9, np.float32)
    wide[:, : shapes["x"][1]] = arrays[0]
    kernel = ts.equation(function, target=name, **shapes, **leading)  # type: ignore[arg-type]
    held = [guarded(wide, side)[:, : shapes["x"][1]], *(guarded(each, side) for each in arrays[1:])]
    outputs = [guarded(np.zeros(y.shape, np.float32), side, writable=True) for y in kernel.spec.outputs]
    kernel(*held, *outputs)
    for ours, exact in zip(outputs, wanted):
        check_canary(ours)
        assert np.array_equal(ours, exact)


@pytest.mark.parametrize("case", ["both", "layer", "used sums", "computed factors", "two results"])
@pytest.mark.parametrize("name", NATIVE[:1])
def test_column_major_matrices(name: str, case: str) -> None:
    """The same function of column-major matrices, with gaps between the columns of x."""
    function, reference, shapes = CASES[case]
    arrays = operands(shapes, "f32", 2)
    kernel = ts.equation(function, target=name, order="F", **shapes, ldx=shapes["x"][0] + 3)  # type: ignore[arg-type]
    for side in SIDES:
        wide = np.full((shapes["x"][1], shapes["x"][0] + 3), 9, np.float32)
        wide[:, : shapes["x"][0]] = arrays[0].T
        held = [guarded(wide, side)[:, : shapes["x"][0]], *(guarded(each.T.copy(), side) for each in arrays[1:])]
        wanted = results(reference, arrays)
        outputs = [guarded(np.zeros(each.shape[::-1], np.float32), side, writable=True) for each in wanted]
        kernel(*(each.T for each in (*held, *outputs)))
        for ours, exact in zip(outputs, wanted):
            check_canary(ours)
            assert np.array_equal(ours.T, exact)
    assert pickle.loads(pickle.dumps(kernel)).spec == kernel.spec


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", ["neon", "sve256"])
def test_under_qemu(target: str, side: str, aarch64: Server) -> None:
    for case in ("beside", "row sums", "layer", "used sums", "computed factors"):
        function, reference, shapes = CASES[case]
        arrays = operands(shapes, "f32", 2)
        kernel = ts.equation(function, target=target, **shapes)  # type: ignore[arg-type]
        found = np.zeros(kernel.spec.outputs[0].shape, np.float32)
        aarch64.call(kernel.code, *arrays, found, side=side, vector_bits=256 if target == "sve256" else None)
        assert np.array_equal(found, results(reference, arrays)[0])


def test_on_all_cores_and_after_a_pickle() -> None:
    kernel = ts.equation(lambda x, z: ts.softmax(x.T, axis=1) + z, x=(64, 400), z=(400, 64))
    x, z = (np.random.default_rng(3).normal(size=shape).astype(np.float32) for shape in ((64, 400), (400, 64)))
    assert np.array_equal(ts.spread(kernel)(x, z, threads=3), kernel(x, z))
    assert pickle.loads(pickle.dumps(kernel)).spec == kernel.spec
    assert "band1 = x.T, 64 columns" in str(kernel.plan)
    for function in (lambda x: x.T - ts.sum(x.T, axis=0), lambda x: x @ (x + 1.0)):
        with pytest.raises(ts.UnsupportedError, match="if a value of all rows is used"):
            ts.spread(ts.equation(function, x=(40, 40)))
    with pytest.raises(ts.UnsupportedError, match="as a second parameter for one"):
        ts.spread(ts.equation(lambda x: (x, x.T + 0.0), x=(400, 400)))


@pytest.mark.parametrize(
    ("function", "shapes", "says"),
    [
        (lambda x, w: x @ (w + 1.0), {"x": (ts.RUNTIME, 4), "w": (4, 4)}, "if a value of all rows is used"),
        (lambda x, w: x @ (w + 1.0), {"x": (4, 400), "w": (400, 400)}, "exceed scratch memory"),
        (lambda x, b: x + b.T, {"x": (4, 5), "b": (5, 1)}, r"an operand of the shape \(1, n\)"),
        (lambda x: ts.softmax(x.T, axis=1), {"x": (ts.RUNTIME, 5)}, "ts.transpose turns it first"),
        (lambda x: x.T * 2.0, {"x": (ts.RUNTIME, 5)}, "ts.transpose turns it first"),
    ],
    ids=["factor of any rows", "large factor", "row", "rows", "elements"],
)
def test_what_is_refused(function: Function, shapes: dict[str, Any], says: str) -> None:
    with pytest.raises((ts.UnsupportedError, TypeError), match=says):
        ts.equation(function, **shapes)
