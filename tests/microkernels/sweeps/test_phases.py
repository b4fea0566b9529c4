"""Reductions down the columns and along rows of matrices whose kept rows do not fit in scratch memory: integers,
compared with numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES
from tests.profiles import is_soak
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

NATIVE = [name for name in ("sse", "avx2", "avx512") if not runs(TARGETS[name])]
KEEP: dict[str, Any] = {"keepdims": True}
Function = Callable[[Any, Any], Any]


def nested(x: Any, z: Any) -> Any:
    """Return a function with two nested reductions along rows."""
    a = x - ts.min(z, axis=0)
    return a * ts.sum(a - ts.max(a, axis=1), axis=1)


def nested_by_numpy(x: Any, z: Any) -> Any:
    """Return the same by numpy."""
    a = x - z.min(0)
    return a * (a - a.max(1, **KEEP)).sum(1, **KEEP)


CASES: dict[str, tuple[Function, Function]] = {
    "apart": (lambda x, z: (x - ts.sum(x, axis=0)) * ts.sum(z, axis=1), lambda x, z: (x - x.sum(0)) * z.sum(1, **KEEP)),
    "of the other": (
        lambda x, z: x - ts.max(x - ts.sum(x, axis=0), axis=1) + z,
        lambda x, z: x - (x - x.sum(0)).max(1, **KEEP) + z,
    ),
    "of all elements": (
        lambda x, z: (x - ts.max(x, axis=0)) * ts.sum(x * z) + ts.absmax(x - ts.min(z, axis=0)),
        lambda x, z: (x - x.max(0)) * (x * z).sum() + abs(x - z.min(0)).max(),
    ),
    "nested": (nested, nested_by_numpy),
    "of rows": (
        lambda x, z: x - ts.sum(x, axis=0) + ts.max(ts.sum(z - ts.min(z, axis=0), axis=1) * 2, axis=0),
        lambda x, z: x - x.sum(0) + ((z - z.min(0)).sum(1) * 2).max(),
    ),
    "results": (
        lambda x, z: (
            x * ts.sum(z, axis=0),
            ts.sum(x - ts.sum(x, axis=0), axis=1),
            ts.sum(ts.sum(x, axis=0), axis=1),
            ts.max(x, axis=0),
        ),
        lambda x, z: (x * z.sum(0), (x - x.sum(0)).sum(1, **KEEP), x.sum().reshape(1, 1), x.max(0, **KEEP)),
    ),
}


def drawn(m: int, n: int, dtype: str = "f32") -> list[Any]:
    """Return two matrices of -1, 0 and 1."""
    rng = np.random.default_rng(n)
    return [rng.integers(-1, 2, (m, n)).astype(numpy_dtype(dtype)) for _ in range(2)]


def assert_equal(found: Any, wanted: Any) -> None:
    """Check one result or several for equal shapes and elements."""
    pairs = zip(found, wanted) if isinstance(wanted, tuple) else [(found, wanted)]
    for one, other in pairs:
        assert one.shape == other.shape and (one == other).all()


NAMES = [name for name in ("avx", "avx2", "avx512", "neon", "sve256") if name in MACHINES]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "case"),
    [
        (name, case)
        for row, name in enumerate(NAMES)
        for at, case in enumerate(CASES)
        if is_soak() or (row + at) % 3 == 0
    ],
)
def test_targets(name: str, case: str) -> None:
    """A soak takes all cases on every machine. Otherwise every machine has two, and every case has a machine."""
    function, expected = CASES[case]
    kernel = ts.equation(function, x=(2, 20003), z=(2, 20003), target=MACHINES[name].name)
    assert kernel.plan.totals
    x, z = drawn(2, 20003)
    assert_equal(kernel.run(x, z), expected(x.astype(float), z.astype(float)))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", NATIVE)
def test_between_guard_pages_with_gaps_and_in_place(name: str, side: str) -> None:
    m, n = 3, 20011
    function, expected = CASES["apart"]
    x, z = drawn(m, n)
    wanted = expected(x.astype(float), z.astype(float))
    kernel = ts.equation(function, x=(m, n), z=(m, n), target=name)
    y = guarded(np.zeros((m, n), np.float32), side, writable=True)
    kernel(guarded(x, side), guarded(z, side), y)
    check_canary(y)
    assert (y == wanted).all()
    apart = ts.equation(function, x=(m, n), z=(m, n), ldx=n + 5, ldy=ts.RUNTIME, target=name)
    wide, low = np.zeros((m, n + 5), np.float32), np.full((m, n + 2), 7, np.float32)
    wide[:, :n] = x
    apart(wide[:, :n], z, low[:, :n])
    assert (low[:, :n] == wanted).all() and (low[:, n:] == 7).all()
    for shared in kernel.spec.in_place:
        given = {"x": x.copy(), "z": z.copy()}
        kernel(given["x"], given["z"], given[shared])
        assert (given[shared] == wanted).all(), shared


@pytest.mark.parametrize("dtype", ["f64", "bf16"])
def test_types_and_means(dtype: str) -> None:
    m, n = 4, 16384
    kernel = ts.equation(
        lambda x, z: (x - ts.mean(x, axis=0)) + ts.mean(z - ts.max(z, axis=0), axis=1), x=(m, n), z=(m, n), dtype=dtype
    )
    assert kernel.plan.totals
    x, z = drawn(m, n, dtype)
    wide, other = x.astype(float), z.astype(float)
    wanted = wide - wide.mean(0) + (other - other.max(0)).mean(1, **KEEP)
    stored, computed = {"f64": (2**-53, 2**-53), "bf16": (2**-8, 2**-24)}[dtype]  # one rounding; four of values up to 3
    assert np.allclose(kernel(x, z).astype(float), wanted, rtol=stored, atol=4 * 3 * computed)


def test_a_mean_of_all_elements() -> None:
    kernel = ts.equation(lambda x: (x - ts.max(x, axis=0)) * ts.mean(x), x=(4, 32768))
    x, _ = drawn(4, 32768)
    assert "phase 1" in str(kernel.plan)
    assert (kernel(x) == (x - x.max(0)) * np.float32(x.sum() / x.size)).all()
