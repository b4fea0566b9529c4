"""Rows given at the call, of elementwise and fused kernels and of products in traced functions: every number of rows
against numpy, natively between guard pages and in the emulator."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak, scaled
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.rowwise.plan import RowwisePlan
from tilesmith.runtime.host.detect import runs

Array = np.ndarray[Any, Any]
NUMPY: dict[str, Any] = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16}
NATIVE = tuple(name for name in ("sse", "avx2", "avx512") if not runs(TARGETS[name])) or ("sse",)
EMULATED = ("sse", "avx2", "avx512", "neon", "sve256") if not is_soak() else tuple(ts.targets())
R = ts.RUNTIME


class Case(NamedTuple):
    """A function of matrices of n columns, a row and a column, and its results for integers by numpy in float64."""

    function: Callable[..., Any]
    expected: Callable[..., Sequence[Array]]
    rows: dict[str, tuple[bool, bool]]  # whether each operand has m rows and n columns


CASES = {
    "relu": Case(lambda x: ts.relu(x), lambda x: [np.maximum(x, 0)], {"x": (True, True)}),
    "affine": Case(
        lambda x, g, b: x * g + b,
        lambda x, g, b: [x * g + b],
        {"x": (True, True), "g": (False, True), "b": (True, False)},
    ),
    "scaled": Case(lambda x, s: x * s - 1.0, lambda x, s: [x * s - 1], {"x": (True, True), "s": (False, False)}),
    "two": Case(
        lambda x, z: (x + z, ts.maximum(x, z)),
        lambda x, z: [x + z, np.maximum(x, z)],
        {"x": (True, True), "z": (True, True)},
    ),
    "centred": Case(lambda x: x - ts.max(x, axis=1), lambda x: [x - x.max(1, keepdims=True)], {"x": (True, True)}),
    "sums": Case(
        lambda x, b: (x * b + ts.sum(x, axis=1), ts.sum(x, axis=1)),
        lambda x, b: [x * b + x.sum(1, keepdims=True), x.sum(1, keepdims=True)],
        {"x": (True, True), "b": (True, False)},
    ),
}


def asked(case: Case, m: Any, n: int) -> dict[str, tuple[Any, int]]:
    """Return the shapes of the operands."""
    return {name: (m if of_rows else 1, n if of_columns else 1) for name, (of_rows, of_columns) in case.rows.items()}


def drawn(rng: np.random.Generator, shape: tuple[int, int], dtype: str, gap: int = 0) -> Array:
    """Return small integers, whose sums and products are exact, in rows that are followed by `gap` further elements."""
    made: Array = rng.integers(-3, 4, (shape[0], shape[1] + gap)).astype(NUMPY[dtype])[:, : shape[1]]
    return made


@pytest.mark.slow
@pytest.mark.parametrize("target", EMULATED)
@pytest.mark.parametrize("name", CASES)
def test_every_number_of_rows_in_the_emulator(name: str, target: str) -> None:
    case, n, rng = CASES[name], 11, np.random.default_rng(1)
    kernel = ts.equation(case.function, **asked(case, R, n), target=target)
    for m in range(0, 75, 1 if is_soak() else 37):
        arrays = [drawn(rng, shape, "f32") for shape in asked(case, m, n).values()]
        wanted = case.expected(*(each.astype(np.float64) for each in arrays)) if m else []
        found = kernel.run(*arrays)
        made = found if isinstance(found, tuple) else (found,)
        assert all((y == want).all() for y, want in zip(made, wanted)), m


@settings(max_examples=scaled(60, 5000), deadline=None)
@given(
    name=st.sampled_from(sorted(CASES)),
    target=st.sampled_from(NATIVE),
    m=st.integers(0, 150),
    n=st.integers(1, 70),
    dtype=st.sampled_from(sorted(NUMPY)),
    gap=st.sampled_from((0, 0, 3)),
    runtime=st.booleans(),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_drawn_rows_between_guard_pages(
    name: str, target: str, m: int, n: int, dtype: str, gap: int, runtime: bool, side: str, seed: int
) -> None:
    if ts.supported(ts.unary("relu", 3, 3, target=target).spec, ts.host()) is not True:
        return
    case, rng = CASES[name], np.random.default_rng(seed)
    if dtype == "bf16" and target == "sse":
        return  # sse converts in its own way, tested in tests/microkernels/machines
    if n == 1 and not all(of_columns for _, of_columns in case.rows.values()):
        n = 2  # a matrix of one column would be a column as well
    leading = {"ldx": R if runtime else n + gap} if gap or runtime else {}
    out = "f32" if dtype == "bf16" else dtype
    kernel = ts.equation(case.function, **asked(case, R, n), **leading, dtype=dtype, out=out, target=target)
    shapes = asked(case, m, n)
    arrays = [drawn(rng, shape, dtype, gap * (each == "x")) for each, shape in shapes.items()]
    wanted = case.expected(*(each.astype(np.float64) for each in arrays)) if m else []
    results = [np.empty((m, y.columns), NUMPY[out]) for y in kernel.spec.operands if y.output]
    if not m:
        kernel(*arrays, *results)
        return
    inputs = [guarded(each, side) for each in arrays]
    outputs = [guarded(each, side, writable=True) for each in results]
    kernel(*inputs, *outputs)
    for y, want in zip(outputs, wanted):
        assert (y == want).all()
        check_canary(y)


@pytest.mark.parametrize("name", ["softmax", "layernorm", "gelu", "dropout", "adam", "lt", "round_stochastic"])
def test_the_bits_are_those_of_a_fixed_number_of_rows(name: str) -> None:
    """Functions that round have the bits of a fixed kernel, which other tests compare with numpy."""
    rng = np.random.default_rng(4)

    def made(m: Any) -> Any:
        if name in ("softmax", "layernorm", "adam"):
            return ts.fused(name, m, 40)
        more = {"rate": 0.4} if name == "dropout" else {"out": "bf16"} if name == "round_stochastic" else {}
        return (ts.binary if name == "lt" else ts.unary)(name, m, 40, **more)

    kernel = made(R)
    for m in (1, 2, 9, 65, 130):
        fixed = made(m)
        given = [
            np.array(7, np.int64)[()]
            if not hasattr(each, "dtype")
            else rng.uniform(0.1, 1, (each.rows, each.columns)).astype(np.float32)
            for each in fixed.spec.arguments
            if not getattr(each, "output", False)
        ]
        wanted, found = fixed(*given), kernel(*given)
        for x, y in zip(*(each if isinstance(each, tuple) else (each,) for each in (wanted, found))):
            assert x.tobytes() == y.tobytes() and x.shape == y.shape


def test_the_place_of_an_element_is_counted_through_all_blocks() -> None:
    kernel = ts.unary("random", R, 5, origin=R)
    whole = ts.unary("random", 40, 5)(3)
    found = np.empty((30, 5), whole.dtype)
    kernel(3, 10, 0, found)
    assert found.tobytes() == whole[10:].tobytes()


@pytest.mark.parametrize("target", NATIVE)
def test_products_in_a_traced_function(target: str) -> None:
    if ts.supported(ts.unary("relu", 3, 3, target=target).spec, ts.host()) is not True:
        pytest.skip(f"this machine does not run {target}")
    rng = np.random.default_rng(2)
    w, b, v = (drawn(rng, shape, "f32") for shape in ((9, 33), (1, 33), (33, 7)))
    kernel = ts.equation(
        lambda x, w, b, v: ts.relu(x @ w + b) @ v, x=(R, 9), w=w.shape, b=b.shape, v=v.shape, target=target
    )
    for m in (0, 1, 5, 8, 95, 97, 200):
        x = drawn(rng, (m, 9), "f32")
        y = kernel(x, w, b, v)
        assert (y == np.maximum(x.astype(float) @ w + b, 0) @ v).all() and y.shape == (m, 7)


REDUCED: dict[str, Callable[[Array], Array]] = {
    "sum": lambda x: x.sum(1),
    "max": lambda x: x.max(1),
    "argmax": lambda x: x.argmax(1),
    "absmax": lambda x: abs(x).max(1),
}


@settings(max_examples=scaled(40, 3000), deadline=None)
@given(
    name=st.sampled_from(sorted(REDUCED)),
    target=st.sampled_from(NATIVE),
    m=st.integers(1, 150),
    n=st.integers(1, 90),
    dtype=st.sampled_from(("f32", "f64", "i32")),
    gap=st.sampled_from((0, 0, 3)),
    keepdims=st.booleans(),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_reductions_along_any_number_of_rows(
    name: str, target: str, m: int, n: int, dtype: str, gap: int, keepdims: bool, side: str, seed: int
) -> None:
    if ts.supported(ts.unary("relu", 3, 3, target=target).spec, ts.host()) is not True:
        return
    kernel = ts.reduce(name, R, n, axis=1, dtype=dtype, ldx=n + gap, keepdims=keepdims, target=target)
    x = drawn(np.random.default_rng(seed), (m, n), "f64", gap)
    wanted = REDUCED[name](x)
    given = guarded(x.astype({**NUMPY, "i32": np.int32}[dtype]) if not gap else _gapped(x, dtype, gap), side)
    y = guarded(np.empty((m, 1) if keepdims else m, kernel(given).dtype), side, writable=True)
    kernel(given, y)
    assert (y.reshape(-1) == wanted).all()
    check_canary(y)


@pytest.mark.slow
@pytest.mark.parametrize("target", EMULATED)
def test_reductions_down_the_columns_go_on_from_block_to_block(target: str) -> None:
    """Reductions continue from block to block, also of gathered rows. Without rows the result is the identity
    element."""
    rng = np.random.default_rng(6)
    native = not runs(TARGETS[target])
    for n in (5, 37) if native else (11,):
        kernel = ts.equation(
            lambda x, b: (x * b, ts.sum(x * b, axis=0), ts.max(x, axis=0), ts.sum(x)), x=(R, n), b=(R, 1), target=target
        )
        found = ts.equation(
            lambda x, i, w: (ts.sum(ts.gather(x, i) * w, axis=0), ts.gather(x, i) * 2.0),
            x=(6, n),
            i=(R,),
            w=(R, 1),
            target=target,
        )
        for m, side in ((0, "end"), (1, "start"), (75, "end")):
            x, b, table = (drawn(rng, shape, "f32") for shape in ((m, n), (m, 1), (6, n)))
            y = [np.full(shape, 7, np.float32) for shape in ((m, n), (1, n), (1, n), (1, 1))]
            z, index = [np.full(shape, 7, np.float32) for shape in ((1, n), (m, n))], rng.integers(0, 6, m)
            if native and m:
                y, z = ([guarded(each, side, writable=True) for each in results] for results in (y, z))
                kernel(guarded(x, side), guarded(b, side), *y)
                found(guarded(table, side), guarded(index, side), guarded(b, side), *z)
                for each in (*y, *z):
                    check_canary(each)
            else:
                kernel.run(x, b, *y)
                found.run(table, index, b, *z)
            largest = x.max(0) if m else np.full(n, -np.inf)
            for each, want in zip(y, (x * b, (x * b).sum(0), largest, x.sum())):
                assert (each == want).all(), (n, m)
            assert (z[0] == (table[index] * b).sum(0)).all() and (z[1] == 2 * table[index]).all()


def test_a_derivative_whose_rows_the_call_counts() -> None:
    """The column sums of layer norm's derivative have the bits of a fixed number of rows."""
    rng = np.random.default_rng(7)
    g, x, gamma = (rng.standard_normal(shape).astype(np.float32) for shape in ((70, 40), (70, 40), (1, 40)))
    free, fixed = ts.fused("layernorm_inv", R, 40)(g, x, gamma), ts.fused("layernorm_inv", 70, 40)(g, x, gamma)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(free, fixed))


def _gapped(x: Array, dtype: str, gap: int) -> Array:
    made = np.zeros((x.shape[0], x.shape[1] + gap), {**NUMPY, "i32": np.int32}[dtype])[:, : x.shape[1]]
    made[...] = x
    return made


@pytest.mark.slow
def test_reductions_in_the_emulator_and_of_no_rows() -> None:
    rng = np.random.default_rng(5)
    for target in EMULATED:
        kernel = ts.reduce("sum", R, 11, axis=1, squared="both", init=True, target=target)
        for m in (0, 1, 10, 70):
            x, init, init2 = drawn(rng, (m, 11), "f32"), *(np.full(m, each, np.float32) for each in (3, 5))
            y, y2 = kernel.run(x, init, init2)
            assert (y == x.sum(1) + 3).all() and (y2 == (x * x).sum(1) + 5).all()
    assert "y   f32 (m,)" in str(ts.reduce("sum", R, 11, axis=1).__doc__)
    with pytest.raises(ts.UnsupportedError, match="axis=1"):
        ts.reduce("sum", R, 11, axis=0)


@pytest.mark.parametrize("target", EMULATED)
def test_no_rows_of_many_operands(target: str) -> None:
    """The emulator would find a register or scratch memory that is claimed only where there are rows."""
    shapes = dict.fromkeys("abcdefgh", (R, 20)) | {"row": (1, 20)}
    plain = ts.equation(
        lambda a, b, c, d, e, f, g, h, row: a * b + c * d + e * f + g * h + row, **shapes, target=target
    )
    reduced = ts.equation(
        lambda a, b, c, d, e, f, g, h, row: ts.sum(a * b + c * d + e * f + g * h, axis=1) * row, **shapes, target=target
    )
    for kernel in (plain, reduced):
        assert isinstance(kernel.plan, RowwisePlan) and "all rows in one loop" in str(kernel.plan)
        for m in (0, 3):
            arrays = [np.full((m, 20), each, np.float32) for each in range(8)] + [np.full((1, 20), 2, np.float32)]
            y = kernel.run(*arrays)
            assert y.shape == (m, 20) and (y == (68 + 2 if kernel is plain else 20 * 68 * 2)).all()


def test_rows_are_written_over_and_results_left_out() -> None:
    relu = ts.unary("relu", R, 6)
    x = np.arange(-15, 15, dtype=np.float32).reshape(5, 6)
    y = relu(x)
    assert (y == np.maximum(x, 0)).all() and relu(x, x) is None and (x == y).all()
    assert relu(np.ones((2, 4, 6), np.float32)).shape == (8, 6)
    with pytest.raises(ValueError, match="overlap"):
        relu(x[1:], x[:-1])


def test_a_kernel_of_any_rows_prints_pickles_and_declares_itself(tmp_path: Path) -> None:
    kernel = ts.fused("softmax", R, 20)
    assert isinstance(kernel.plan, RowwisePlan) and "all rows in one loop" in str(kernel.plan)
    again = pickle.loads(pickle.dumps(kernel))
    assert again is kernel or again.code == kernel.code
    assert "int64_t m)" in kernel.c_prototype and "(m, 20)" in str(kernel.__doc__)
    kernel.save(str(tmp_path / "rows.h"))
    assert "int64_t m)" in (tmp_path / "rows.h").read_text()


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: ts.unary("relu", 4, R), "n: must be a number"),
        (lambda: ts.spread(ts.unary("relu", R, 4, order="F")), 'order "C"'),
        (lambda: ts.spread(ts.equation(lambda x: x - ts.sum(x, axis=0), x=(R, 4))), "needs all of the one before"),
        (
            lambda: ts.equation(lambda x, i: ts.gather(x, i) - ts.sum(ts.gather(x, i), axis=0), x=(9, 4), i=(R,)),
            "found by an index",
        ),
        (lambda: ts.spread(ts.equation(lambda x: ts.sum(x, axis=0), x=(R, 4))), "over all rows"),
        (lambda: ts.spread(ts.equation(lambda x, i: ts.scatter(x, i, 9), x=(R, 4), i=(R,))), "are scattered in order"),
        (
            lambda: ts.equation(lambda x, b: x + b, x=(R, 4), b=(64, 4)),
            r"b: shape \(64, 4\) is neither \(ts.RUNTIME, 4\)",
        ),
        (lambda: ts.equation(lambda x, w: x @ w + w, x=(R, 64), w=(64, 64)), "w"),
    ],
)
def test_requests_that_are_refused(make: Callable[[], Any], rule: str) -> None:
    with pytest.raises((ts.UnsupportedError, ValueError), match=rule):
        make()


@pytest.mark.parametrize(
    ("shapes", "rule"),
    [
        (((5, 6), (4, 6), (5, 6)), "x0, x1: must agree on m, but x0 has 5 and x1 4"),
        (((5, 6), (5, 6), (4, 6)), "x0, y: must agree on m, but x0 has 5 and y 4"),
        (((5, 7), (5, 6), (5, 6)), r"x0: shape \(5, 6\)"),
    ],
)
def test_arrays_that_do_not_agree(shapes: Any, rule: str) -> None:
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    with pytest.raises(ValueError, match=rule):
        ts.binary("add", R, 6)(*arrays)
    assert (arrays[2] == 1).all()
