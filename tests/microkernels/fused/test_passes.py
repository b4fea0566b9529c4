"""How expressions are cut into passes, and random graphs of expressions against numpy."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.kernel_runs import MACHINES, NATIVE
from tests.profiles import is_soak, scaled
from tilesmith.microkernels.expr.along import along
from tilesmith.microkernels.expr.graph import call, operand
from tilesmith.microkernels.fused.passes import cut
from tilesmith.runtime.host.detect import runs

x = operand("x", "f32")


def test_softmax_keeps_its_powers_in_the_result():
    powers = call("exp", x - along("max", x))
    passes = cut([powers / along("sum", powers)], (), rows=(0,))
    assert passes.reductions == ("max", "sum")
    assert [each.level for each in passes.passes] == [0, 1, 2]
    assert [(kept.level, kept.result) for kept in passes.kept] == [(1, 0)]
    assert passes.reads("x") == [0, 1]


def test_what_is_cheap_is_computed_again():
    centred = x - along("sum", x)
    passes = cut([centred * along("sum", centred * centred)], (), rows=(0,), lines=9)
    assert not passes.kept and passes.reads("x") == [0, 1, 2]


def test_without_room_everything_is_computed_again():
    powers = call("exp", x - along("max", x))
    passes = cut([powers / along("sum", powers)], ())
    assert not passes.kept and passes.reads("x") == [0, 1, 2]


def test_scratch_holds_kept_elements_if_results_are_narrow():
    kernel = ts.fused("softmax", 4, 200, dtype="bf16")
    assert "kept in scratch" in str(kernel.plan)
    assert "kept in y" in str(ts.fused("softmax", 4, 200).plan)


def test_results_of_the_row_and_of_elements():
    """The results are elements and two values of each row."""

    def function(x: Any, w: Any) -> Any:
        largest = ts.max(x, axis=1)
        return x * w - largest, largest, ts.mean(x * x, axis=1)

    kernel = ts.equation(function, x=(7, 45), w=(7, 1), dtype="f64")
    assert [y.shape for y in kernel.spec.outputs] == [(7, 45), (7, 1), (7, 1)]
    rng = np.random.default_rng(0)
    a, w = rng.standard_normal((7, 45)), rng.standard_normal((7, 1))
    y, top, mean = kernel(a, w)
    assert (top == a.max(axis=1, keepdims=True)).all()
    assert np.allclose(y, a * w - top, rtol=0, atol=1e-15)
    assert np.allclose(mean, (a * a).mean(axis=1, keepdims=True), rtol=1e-15)
    assert pickle.loads(pickle.dumps(kernel)) is kernel


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
def test_reductions_beyond_the_registers_have_passes_of_their_own(target):
    """Twelve sums of elements need more accumulators than one pass has registers."""

    def function(x: Any) -> Any:
        return tuple(ts.sum(x * float(i), axis=1) for i in range(1, 13))

    kernel = ts.equation(function, x=(3, 21), dtype="f64", target=target)
    x = np.arange(63.0).reshape(3, 21)
    found = [np.zeros((3, 1)) for _ in range(12)]
    kernel.run(x, *found)
    for i, y in enumerate(found, 1):
        assert (y == i * x.sum(axis=1, keepdims=True)).all()


NODES = st.lists(
    st.tuples(
        st.sampled_from(["add", "mul", "max", "min", "half", "sum", "mean", "top", "least"]),
        st.integers(0, 99),
        st.integers(0, 99),
    ),
    min_size=1,
    max_size=10,
)


def graph(inputs: list[Any], nodes: list[tuple[str, int, int]], of: Any) -> list[Any]:
    """Return the values of a random graph. All are positive, so that nothing cancels, and below 2^40."""
    values, is_row = list(inputs), [False] * len(inputs)
    for op, i, j in nodes:
        a, b = i % len(values), j % len(values)
        if op in ("sum", "mean", "top", "least"):
            if not is_row[a]:
                values.append(of.along(op, values[a]))
                is_row.append(True)
            continue
        values.append(of.binary(op, values[a], values[b]))
        is_row.append(is_row[a] and (op == "half" or is_row[b]))
    return values


class Traced:
    """The operations of a traced function."""

    @staticmethod
    def along(op: str, a: Any) -> Any:
        made = {"sum": ts.sum, "mean": ts.mean, "top": ts.max, "least": ts.min}[op](a, axis=1)
        return made * 2.0**-10 if op == "sum" else made

    @staticmethod
    def binary(op: str, a: Any, b: Any) -> Any:
        if op == "mul":
            return ts.minimum(a * b, 1024.0)
        made = {
            "add": lambda: ts.minimum(a + b, 1024.0),
            "max": lambda: ts.maximum(a, b),
            "min": lambda: ts.minimum(a, b),
            "half": lambda: a * 0.5 + 0.25,
        }
        return made[op]()


class Exact:
    """The same operations in numpy's long double."""

    @staticmethod
    def along(op: str, a: Any) -> Any:
        a = np.broadcast_to(a, np.broadcast_shapes(a.shape, (a.shape[0], 1)))
        made = {"sum": a.sum, "mean": a.mean, "top": a.max, "least": a.min}[op](axis=1, keepdims=True)
        return made * np.longdouble(2.0**-10) if op == "sum" else made

    @staticmethod
    def binary(op: str, a: Any, b: Any) -> Any:
        if op in ("add", "mul"):
            return np.minimum(a + b if op == "add" else a * b, 1024)
        return {"max": np.maximum, "min": np.minimum}[op](a, b) if op != "half" else a * 0.5 + 0.25


@settings(max_examples=scaled(60, 2000))
@given(
    st.sampled_from(list(MACHINES)), NODES, st.integers(1, 4), st.integers(2, 70), st.integers(1, 3), st.integers(0, 9)
)
def test_random_graphs(machine, nodes, m, n, outputs, seed):
    if machine not in NATIVE:
        n = n % 23 + 2

    def function(x: Any, w: Any) -> Any:
        return tuple(graph([x, w], nodes, Traced)[-outputs:])

    rng = np.random.default_rng(seed)
    arrays = [rng.random((m, n)) + 0.5, rng.random((1, n)) + 0.5]
    kernel = ts.equation(function, x=(m, n), w=(1, n), dtype="f64", target=MACHINES[machine].name)
    found = [np.full(y.shape, 7.0) for y in kernel.spec.outputs]
    (kernel if machine in NATIVE and not runs(kernel.target) else kernel.run)(*arrays, *found)
    wide = [each.astype(np.longdouble) for each in arrays]
    wanted = graph(wide, nodes, Exact)[-outputs:]
    # every operation adds an error of u, a sum one for each element, and nothing cancels
    bound = 2.0**-53 * (n + 4) * (len(nodes) + 2)
    # a product doubles the relative error of its factors, up to the limit of 1024
    for y, exact in zip(found, wanted):
        scale = 2.0 ** min(20, sum(op == "mul" for op, _, _ in nodes))
        assert np.all(np.abs(y - exact) <= bound * scale * np.abs(exact))


@pytest.mark.parametrize("target", MACHINES)
@pytest.mark.parametrize("columns", [1170, 2049])
def test_sums_of_long_rows_lose_few_bits(target, columns):
    """Equal elements lose bits in one direction only; summing in blocks bounds this loss."""
    x = np.full((3 if is_soak() else 2, columns), np.float32(1 / 3))
    kernel = ts.equation(lambda x: (ts.sum(x, axis=1), ts.mean(x * x, axis=1)), x=x.shape, target=MACHINES[target].name)
    total, squares = kernel.run(x)
    wide = x.astype(np.float64)
    # steps of one accumulator: sums in a register, sums in memory, what both leave over, then folding
    lanes = kernel.plan.vector
    steps = 2 * np.sqrt(columns / lanes) + 8 + np.log2(4 * lanes) + 3
    assert np.all(abs(total[:, 0] - wide.sum(axis=1)) <= steps * 2.0**-24 * wide.sum(axis=1))
    assert np.all(abs(squares[:, 0] - (wide**2).mean(axis=1)) <= steps * 2.0**-24)


@pytest.mark.parametrize("side", ["start", "end"])
def test_rows_from_memory_are_prefetched(side):
    """The prefetches also touch lines beyond the last row, which the kernel does not read."""
    kernel = ts.fused("rmsnorm", 2100, 1024)
    usual = ts.fused("rmsnorm", 2100, 1030, target="avx2")  # rows that are not stored past the caches
    assert "prefetches: rows of y in the second pass, next rows of x from the second pass on" in str(usual.plan)
    assert "next rows of x from the second pass on" in str(kernel.plan)
    assert "prefetches" not in str(ts.fused("rmsnorm", 64, 1024).plan)
    rng = np.random.default_rng(3)
    x, gamma = guarded(rng.standard_normal((2100, 1024), np.float32), side), np.ones(1024, np.float32)
    y = guarded(np.zeros_like(x), side)
    kernel(x, gamma, y)
    assert np.array_equal(y[-3:], ts.fused("rmsnorm", 3, 1024)(x[-3:], gamma))
    check_canary(y)


@pytest.mark.parametrize("target", ["sse", "avx2", "neon"])
def test_row_values_beyond_the_registers_are_spilled(target):
    """Row values are spilled: forty reductions of small integers, all used in the last pass, and six one-column inputs
    are exact."""

    def function(x: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
        result = a * x + b * x - c * x + d * x - e * x + f * x
        for number in range(1, 21):
            y = x * float(number)
            result = result + ts.max(y, axis=1) * x - ts.sum(y, axis=1)
        return result, ts.max(x, axis=1) + a

    rng = np.random.default_rng(4)
    x = rng.integers(-2, 3, (3, 19)).astype(np.float32)
    columns = [rng.integers(-9, 9, (3, 1)).astype(np.float32) for _ in range(6)]
    kernel = ts.equation(function, x=x.shape, target=target, **dict.fromkeys("abcdef", (3, 1)))
    assert "those of rows too" in kernel.plan.way or target == "neon"
    a, b, c, d, e, f = columns
    wanted = a * x + b * x - c * x + d * x - e * x + f * x
    for number in range(1, 21):
        y = x * number
        wanted = wanted + y.max(1, keepdims=True) * x - y.sum(1, keepdims=True)
    found, largest = kernel.run(x, *columns)
    assert np.array_equal(found, wanted) and np.array_equal(largest, x.max(1, keepdims=True) + a)
