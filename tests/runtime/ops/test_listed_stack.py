"""`ts.gemm(stack=ts.OFFSET)` and `stack=ts.ADDRESS` equal a loop of numpy over the entries of their lists."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled

SHAPES = [(13, 11, 9), (1, 5, 4)]


def whole_numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Any:
    return rng.integers(-4, 5, shape).astype(dtype)


def places(array: Any, numbers: Any) -> Any:
    return (array.ctypes.data + numbers.astype(np.int64) * array.strides[0]).astype(np.uint64)


@settings(max_examples=scaled(8, 5000))
@given(st.data())
def test_entries_are_summed(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    m, n, k = data.draw(st.sampled_from(SHAPES))
    dtype, beta, side = data.draw(st.sampled_from([(np.float32, 1.0, SIDES[0]), (np.float64, 0.0, SIDES[1])]))
    counts = [data.draw(st.sampled_from([1, 4, 30])) for _ in range(3)]
    shapes = [(m, k), (k, n), (m, n)]
    a, b, c = (whole_numbers(rng, (count, *shape), dtype) for count, shape in zip(counts, shapes))
    a, b = guarded(a, side, writable=False), guarded(b, side, writable=False)
    entries = data.draw(st.sampled_from([0, 7, 300]))
    of_index = data.draw(st.sampled_from([np.int32, np.int64]))
    lists = [rng.integers(0, count, entries).astype(of_index) for count in counts]
    epilogue = data.draw(st.booleans())
    more: dict[str, Any] = {}
    operands: tuple[Any, ...] = ()
    if epilogue:
        more = {"epilogue": lambda c, bias, whole: ts.relu(c + bias) + whole, "operands": {"whole": None}}
        operands = whole_numbers(rng, (n,), dtype), whole_numbers(rng, c.shape, dtype)
    named = np.unique(lists[2])
    expected = c.copy()
    expected[named] *= beta
    for x, y, z in zip(*lists):
        expected[z] += a[x] @ b[y]
    if epilogue:
        expected[named] = np.maximum(expected[named] + operands[0], 0) + operands[1][named]
    name = "f32" if dtype is np.float32 else "f64"
    stack = ts.gemm(m, n, k, dtype=name, beta=beta, stack=ts.OFFSET, **more)
    for threads in (1, 2, 7):
        found = guarded(c, side, writable=True)
        assert stack(a, b, found, *lists, *operands, threads=threads) is found
        assert np.array_equal(found, expected)
        check_canary(found)
    if not epilogue:
        found = c.copy()
        trusted = pickle.loads(pickle.dumps(ts.gemm(m, n, k, dtype=name, beta=beta, stack=ts.ADDRESS)))
        trusted(places(a, lists[0]), places(b, lists[1]), places(found, lists[2]))
        assert np.array_equal(found, expected)


def test_sums_do_not_depend_on_threads_and_keep_the_order_of_the_list() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 40, 8, 8)).astype(np.float32)
    lists = [rng.integers(0, count, 900).astype(np.int32) for count in (40, 40, 9)]
    stack = ts.gemm(8, 8, 8, beta=0.0, stack=ts.OFFSET)
    some = [stack(a, b, np.empty((9, 8, 8), np.float32), *lists, threads=threads) for threads in (1, 2, 3, 7)]
    assert all(each.tobytes() == some[0].tobytes() for each in some)
    one = ts.brgemm(8, 8, 8, batch=ts.ADDRESS, beta=0)
    mine = lists[2] == 4
    alone = one(places(a, lists[0][mine]), places(b, lists[1][mine]))
    assert alone.tobytes() == some[0][4].tobytes()


def test_lists_that_lie_are_errors() -> None:
    a, c = np.ones((3, 4, 4), np.float32), np.zeros((2, 4, 4), np.float32)
    b = a.copy()
    stack = ts.gemm(4, 4, 4, stack=ts.OFFSET)
    right = np.array([0, 1], np.int32)
    for place, wrong in ((3, [0, 3]), (4, [-1, 0]), (5, [2, 0])):
        given = [a, b, c, right, right, right]
        given[place] = np.array(wrong, np.int32)
        with pytest.raises(IndexError, match="_numbers: entry"):
            stack(*given)
    with pytest.raises(ValueError, match="as many each"):
        stack(a, b, c, right, right, right[:1])
    with pytest.raises(TypeError, match="int32 or int64"):
        stack(a, b, c, right, right, right.astype(np.float32))
    with pytest.raises(ValueError, match="must not overlap"):
        stack(a, b, a[:2], right, right, right)
    with pytest.raises(ValueError, match="strides"):
        stack(a.swapaxes(1, 2), b, c, right, right, right)
    with pytest.raises(ValueError, match="the matrices that the numbers count"):
        stack(a[0], b, c, right, right, right)
    with pytest.raises(TypeError, match="this stack takes"):
        stack(a, b, c)
    with pytest.raises(ts.UnsupportedError, match=r"ts\.STRIDE"):
        ts.gemm(4, 4, 4, stack=ts.STRIDE)
    assert not c.any()
    assert "brgemm" in str(stack) and "piece" in stack.listing()
