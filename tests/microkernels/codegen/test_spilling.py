"""Expressions that need more vector registers than the machine has: values are spilled to scratch memory, and no bit
changes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.profiles import scaled
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.codegen.lowered import Line
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host

MACHINES = ("sse", "avx", "avx2", "avx512", "neon", "sve256")
FEW = ("sse", "avx", "avx2")  # these have 16 vector registers, the others 32
NAMES = "abc"


def maximum(x: Any, y: Any) -> Any:
    return np.maximum(x, y) if isinstance(x, np.ndarray) else ts.maximum(x, y)


def along(x: Any) -> Any:
    return np.max(x, axis=1, keepdims=True) if isinstance(x, np.ndarray) else ts.max(x, axis=1)


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "abs": lambda x, y: abs(x - y),
    "max": maximum,
}


def function(seed: int, live: int, rows: bool = False) -> Callable[..., Any]:
    """Return a function of many values that are all used again at the end in another order. If `rows`, it also adds the
    maximum of one of them along each row. All numbers are integers, so numpy's results are exact."""
    rng = random.Random(seed)
    choices = [(rng.randrange(3), rng.randrange(3), rng.choice([*OPERATIONS])) for _ in range(live)]
    order = rng.sample(range(live), live)

    def made(a: Any, b: Any, c: Any) -> Any:
        values = [OPERATIONS[op]((a, b, c)[i], (a, b, c)[j] + float(n)) for n, (i, j, op) in enumerate(choices)]
        total = values[order[0]]
        for number in order[1:]:
            total = total - values[number]
        for number in reversed(order):
            total = maximum(total, values[number]) + float(number)
        return total + along(values[order[-1]]) if rows else total

    return made


def operands(dtype: str, shape: tuple[int, int], seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.integers(-99, 99, shape).astype(numpy_dtype(dtype)) for _ in NAMES]


def made(name: str, shape: tuple[int, int], seed: int, live: int, rows: bool = False, dtype: str = "f32") -> Any:
    """Return a kernel that spills values."""
    kernel = ts.equation(function(seed, live, rows), a=shape, b=shape, c=shape, target=name, dtype=dtype)  # type: ignore[call-overload]
    assert "wait in scratch memory" in str(kernel.plan)
    return kernel


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_no_bit_changes(name: str, dtype: str) -> None:
    for seed in range(scaled(2, 40)):
        live = 25 + 10 * (seed % 3) if name in FEW else 45 + 5 * (seed % 3)
        shape = ((2, 5), (1, 17), (3, 9))[seed % 3]
        arrays = operands(dtype, shape, seed)
        found = made(name, shape, seed, live, dtype=dtype).run(*arrays)
        assert np.array_equal(found, function(seed, live)(*arrays))


@pytest.mark.parametrize("name", [name for name in ("avx2", "avx512") if not host.runs(TARGETS[name])])
@pytest.mark.parametrize("side", ["start", "end"])
def test_on_this_processor(name: str, side: str) -> None:
    arrays = [guarded(each, side) for each in operands("f32", (5, 21), 3)]
    y = guarded(np.zeros((5, 21), np.float32), side)
    made(name, (5, 21), 3, 50)(*arrays, y)
    assert np.array_equal(y, function(3, 50)(*arrays))
    check_canary(y)


@pytest.mark.parametrize("name", MACHINES)
def test_fused(name: str) -> None:
    """Expressions that spill also give exact results beside a reduction along rows."""
    live = 25 if name in FEW else 45
    arrays = operands("f32", (3, 21), 4)
    found = made(name, (3, 21), 4, live, rows=True).run(*arrays)
    assert np.array_equal(found, function(4, live, True)(*arrays))


def test_a_value_is_stored_once() -> None:
    """Each value is stored once, and every reload follows the store of its value."""
    lines: tuple[Line, ...] = made("avx2", (2, 40), 5, 30).plan.code.lines
    stored: set[int] = set()
    for line in lines:
        if line.op == "spill":
            stored.add(line.value)
        assert line.op != "reload" or line.value in stored
    count = {op: sum(line.op == op for line in lines) for op in ("spill", "reload")}
    assert 0 < count["spill"] <= count["reload"]
