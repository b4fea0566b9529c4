"""`ts.einsum` equals numpy's for all subscripts of two arrays, and for views of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled


def view(draw: Any, values: Any) -> Any:
    """Return an array with these values that is dense, or a view with steps, reversed, permuted; or one with others,
    along an axis the same ones, or windows of a vector."""
    way = draw(st.sampled_from(["C", "F", "reversed", "steps", "broadcast", "permuted", "windows"]))
    if way == "F":
        return np.asfortranarray(values)
    if values.ndim and way == "reversed":
        axis = draw(st.integers(0, values.ndim - 1))
        return np.flip(np.flip(values, axis).copy(), axis)
    if values.ndim and way == "broadcast":
        axis = draw(st.integers(0, values.ndim - 1))
        return np.broadcast_to(np.take(values, [0], axis), values.shape)
    if way == "permuted":
        axes = draw(st.permutations(range(values.ndim)))
        return np.ascontiguousarray(values.transpose(axes)).transpose(np.argsort(axes).astype(int))
    if values.ndim and way == "windows":
        signal = np.resize(values, sum(values.shape))
        return np.lib.stride_tricks.as_strided(signal, values.shape, [values.itemsize] * values.ndim)
    found = np.zeros([2 * extent for extent in values.shape], values.dtype)
    found = found[(..., *(slice(None, None, 2) for _ in values.shape))]
    found[...] = values
    return found


@settings(max_examples=scaled(25, 200_000))
@given(st.data())
def test_subscripts_and_views(data: st.DataObject) -> None:
    draw = data.draw
    letters = "abcdef"[: draw(st.integers(1, 6))]
    extents = {letter: draw(st.sampled_from([1, 2, 3, 5, 8, 17])) for letter in letters}
    a, b = ("".join(draw(st.permutations(letters))[: draw(st.integers(1, 4))]) for _ in range(2))
    used = sorted({*a, *b})
    c = "".join(draw(st.permutations(used))[: draw(st.integers(0, len(used)))])
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    side = draw(st.sampled_from(SIDES))
    x, y = (
        guarded(view(draw, rng.integers(-3, 4, [extents[each] for each in of]).astype(dtype)), side, writable=False)
        for of in (a, b)
    )
    expected = np.einsum(f"{a},{b}->{c}", x.astype(np.float64), y.astype(np.float64))
    out = None
    if expected.ndim and draw(st.booleans()):
        out = np.full(expected.shape, 7, dtype)
        axis = draw(st.integers(0, expected.ndim - 1))
        out = guarded(np.flip(out, axis) if draw(st.booleans()) else np.asfortranarray(out), side)
    made = ts.einsum(f"{a},{b}->{c}", x, y, out, threads=draw(st.sampled_from([1, 3])))
    assert np.array_equal(made, expected)
    if out is not None:
        assert made is out
        check_canary(out)


def test_out_has_memory_of_its_own() -> None:
    x = np.ones((3, 4), np.float32)
    with pytest.raises(ValueError, match="out: memory of its own for each element"):
        ts.einsum("ij,kj->ik", x, x, np.lib.stride_tricks.as_strided(np.zeros(9, np.float32), (3, 3), (4, 4)))
    with pytest.raises(ValueError, match="out: shares memory with a or b"):
        ts.einsum("ij,jk->ik", x[:, :3], x[:, :3].T[:, :3], x[:, :3])
