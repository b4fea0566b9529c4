"""Traced functions whose rows lie along an axis of arrays of any rank, against numpy in long double within derived
bounds."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host.detect import runs

Array = np.ndarray[Any, Any]
EVERY = ("sse", "avx2", "avx512", "neon", "sve256")
NATIVE = [name for name in EVERY[:3] if not runs(TARGETS[name])]
CASES = (
    ((2, 5, 3, 4), 1),
    ((2, 5, 3, 4), -2),
    ((2, 3, 5), -1),
    ((5, 21), 0),
    ((1, 7, 37), 1),
    ((3, 1, 4), 1),
    ((3, 4, 1), 1),
    ((2, 3, 9000), 1),
)
"""Shapes and axes: in the middle, last, first, of one element; without outer or inner places; and in bands."""
ON_TARGETS = [(*case, target) for case in CASES for target in (EVERY if np.prod(case[0]) < 1000 else NATIVE)]
SOFTMAX = 20 * 2.0**-24
"""The relative error of a probability: two powers of 4 ulp, 8 u each, the sum's remainder and the quotient's u, which
docs/fused-plans.md derives."""


def mixed(x: Any, w: Any, s: Any, p: Any) -> Any:
    """Return a softmax of one operand of each form, and a result with an element for each row."""
    return ts.softmax(x * w * s + p, axis=1), ts.max(x * w, axis=1)


def shapes(shape: tuple[int, ...], axis: int) -> dict[str, tuple[int, ...]]:
    """Return shapes of x; w, along the axis; s, along the outer axes; and p, along the inner ones."""
    place = axis % len(shape)
    before, behind = shape[:place], shape[place + 1 :]
    return {
        "x": shape,
        "w": (shape[place], *(1,) * len(behind)),
        "s": (*before, 1, *(1,) * len(behind)),
        "p": (1, *behind),
    }


def operands(shape: tuple[int, ...], axis: int) -> list[Array]:
    """Return multiples of 1/4 whose products and sums are exact in f32."""
    rng = np.random.default_rng(sum(shape) + axis)
    return [(rng.integers(-6, 7, each) / 4).astype(np.float32) for each in shapes(shape, axis).values()]


def expected(x: Array, w: Array, s: Array, p: Array, axis: int) -> tuple[Array, Array]:
    x, w, s, p = (each.astype(np.longdouble) for each in (x, w, s, p))
    scores = x * w * s + p
    powers = np.exp(scores - scores.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True), (x * w).max(axis, keepdims=True)


@pytest.mark.grid(8)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("shape, axis, target", ON_TARGETS)
def test_arrays_of_any_rank(shape, axis, target, side):
    given = operands(shape, axis)
    k = ts.equation(mixed, **shapes(shape, axis), axis=axis, target=target)
    if target in NATIVE:
        given = [guarded(each, side, writable=False) for each in given]
        results = [guarded(np.full(y.shape, 7, np.float32), side) for y in expected(*given, axis)]
        k(*given, *results)
        for each in results:
            check_canary(each)
    else:
        results = k.run(*given)
    y, largest = expected(*given, axis)
    assert [each.shape for each in results] == [y.shape, largest.shape]
    assert np.all(abs(results[0] - y) <= SOFTMAX * y)
    assert np.array_equal(results[1], largest)


def test_reductions_of_all_rows():
    """They are possible where the axis is at an end, so that one matrix has all rows."""
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    centred = {"function": lambda x: (x - ts.mean(x, axis=0)) * ts.max(x, axis=1), "x": x.shape}
    for axis, others in ((0, (1, 2)), (2, (0, 1))):
        want = (x - x.mean(others, keepdims=True, dtype="f8")) * x.max(axis, keepdims=True)
        assert np.allclose(ts.equation(**centred, axis=axis)(x), want, rtol=1e-6, atol=0)
    with pytest.raises(ts.UnsupportedError, match="on both sides of axis 1"):
        ts.equation(**centred, axis=1)


def test_calls():
    """The forms of an array, results in place, all cores, copies of the kernel, and what is refused."""
    x = np.random.default_rng(0).standard_normal((6, 5, 2, 4)).astype(np.float32)
    k = ts.equation(lambda x: ts.softmax(x, axis=1), x=x.shape, axis=1)
    y = k(x)
    assert np.array_equal(k(x.reshape(6, 40)), y)
    assert np.array_equal(k(x.reshape(2, 3, 40)), y)
    assert np.array_equal(pickle.loads(pickle.dumps(k))(x), y)
    for threads in (1, 2):
        assert np.array_equal(ts.spread(k)(x, threads=threads), y)
    own = x.copy()
    assert k(own, own) is None
    assert np.array_equal(own, y)
    assert "x   f32 (6, 5, 2, 4)" in k.__doc__
    bias = np.arange(5, dtype=np.float32)[:, None, None]
    added = ts.equation(lambda x, b: x + b, x=(ts.RUNTIME, *x.shape[1:]), b=bias.shape, axis=1)
    assert np.array_equal(added(x, bias), x + bias)
    for wrong, message in (
        (x[:1], r"shape \(6, 5, 2, 4\), not \(1, 5, 2, 4\)"),
        (x.reshape(6, 5, 4, 2), r"not \(6, 5, 4, 2\)"),
        (np.zeros((12, 5, 2, 4), np.float32)[::2], "contiguous"),
        (np.asfortranarray(x), "contiguous"),
    ):
        with pytest.raises(ValueError, match=message):
            k(wrong)


@pytest.mark.grid(4)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", EVERY)
@pytest.mark.parametrize("shape, axis", [((5, 3, 4), 1), ((2, 5, 7), 2), ((3, 1, 70), 1)])
def test_any_number_of_samples(shape, axis, target, side):
    """Of one kernel, none included. Operands that are the same for all samples need the axis to be the second one."""
    names = ("x", "s", "p") if axis == 1 else ("x", "s")
    asked = {name: shapes((ts.RUNTIME, *shape), axis)[name] for name in names}
    k = ts.equation(lambda x, s, p=0.0: ts.softmax(x * s + p, axis=1), **asked, axis=axis, target=target)
    for samples in (0, 1, 3) if target in NATIVE else (2,):
        of = dict(zip("xwsp", operands((samples, *shape), axis)))
        given, one = [of[name] for name in names], np.ones(1, np.float32)
        y, _ = expected(of["x"], one, of["s"], of["p"] if "p" in names else 0 * one, axis)
        if target in NATIVE:
            made = guarded(np.full(y.shape, 7, np.float32), side)
            k(*(guarded(each, side, writable=False) for each in given), made)
            check_canary(made)
            assert np.array_equal(ts.spread(k)(*given, threads=2), made)
        else:
            made = k.run(*given)
        assert np.all(abs(made - y) <= SOFTMAX * y)
    if target in NATIVE:
        with pytest.raises(ValueError, match="must agree on samples, but x has 3 and s 2"):
            k(given[0], given[1][:2], *given[2:])


@pytest.mark.parametrize(
    "more, error",
    [
        ({"axis": 3}, "axis: from -3 to 2"),
        ({"axis": 1.0}, "axis: the number of an axis"),
        ({"b": (2, 1, 1, 1)}, "some of the axes"),
        ({"b": (7,)}, "broadcast"),
        ({"x": (3, ts.RUNTIME, 5)}, "only the first axis"),
        ({"x": (ts.RUNTIME, 4, 5), "axis": 0}, "neither that one nor the last"),
        ({"x": (ts.RUNTIME, 2, 4, 5), "b": (4, 1), "axis": 2}, "must have all axes before axis 2"),
        ({"order": "F"}, "order= is not possible"),
        ({"ldx": 9}, "ldx= is not possible"),
        ({"function": lambda x, b: ts.dropout(ts.softmax(x + b, axis=1), 0.5)}, "random numbers"),
        ({"function": lambda x, b: ts.argmax(x + b, axis=1)}, "which depend on the place of a row"),
        ({"function": lambda x, b: x > ts.sum(x + b, axis=1), "out": "bits"}, "axis: each matrix .* bit mask"),
    ],
)
def test_refused(more, error):
    asked = {"function": lambda x, b: ts.softmax(x + b, axis=1), "x": (3, 4, 5), "b": (1,), "axis": 1}
    if more.get("b") == (2, 1, 1, 1):
        asked["x"] = (2, 3, 4, 5)
        more = {"b": (2, 1, 1, 1), "axis": 2}
    with pytest.raises((ts.UnsupportedError, ValueError, TypeError), match=error):
        ts.equation(**(asked | more))
