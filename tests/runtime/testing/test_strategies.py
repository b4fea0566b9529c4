"""Strategies of `tilesmith.testing` draw extents within bounds, the requested matrices, each type's special values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from tilesmith import testing
from tilesmith.microkernels.dtypes import DTYPES
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.testing import strategies


@given(st.integers(1, 100_000), st.sampled_from(["n", "mn", "mnk"]), st.data())
def test_extents_have_a_product_of_at_most(most: int, names: str, data: st.DataObject) -> None:
    sizes = data.draw(strategies.extents(most, names))
    assert set(sizes) == set(names) and min(sizes.values()) >= 1
    assert math.prod(sizes.values()) <= max(most, max(sizes.values()))


@given(
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    st.sampled_from([*DTYPES][:14]),
    st.sampled_from("CF"),
    st.integers(0, 3),
    st.booleans(),
    st.data(),
)
def test_matrices_are_as_asked_for(
    shape: tuple[int, int], dtype: str, order: str, padding: int, special: bool, data: st.DataObject
) -> None:
    x = data.draw(strategies.matrices(shape, dtype, order, padding, special))
    size = numpy_dtype(dtype).itemsize
    inner = shape[1] if order == "C" else shape[0]
    strides = ((inner + padding) * size, size)
    assert (x.shape, x.dtype) == (shape, numpy_dtype(dtype))
    assert x.strides == (strides if order == "C" else strides[::-1])
    if not special:
        assert (np.abs(x.astype("f8")) <= 8).all()


@pytest.mark.parametrize(
    "dtype, what",
    [
        (dtype, what)
        for dtype in ("f64", "f32", "f16", "bf16", "f8e5m2")
        for what in ("infinite", "NaN", "denormal", "-0")
    ],
)
def test_special_values_are_drawn(dtype: str, what: str) -> None:
    small = 2.0 ** {"f64": -1022, "f32": -126, "f16": -14, "bf16": -126, "f8e5m2": -14}[dtype]

    def holds(pattern: int) -> bool:
        element = numpy_dtype(dtype)
        x = float(np.array([pattern], f"u{element.itemsize}").view(element)[0])
        return {
            "infinite": math.isinf(x),
            "NaN": math.isnan(x),
            "denormal": 0 < abs(x) < small,
            "-0": x == 0 and math.copysign(1, x) < 0,
        }[what]

    find(strategies.patterns(dtype), holds)


def test_a_reference_says_which_element_is_wrong() -> None:
    a, b, c = np.ones((2, 3), "f4"), np.ones((3, 4), "f4"), np.ones((2, 4), "f4")
    expected, bound = testing.brgemm_reference([a], [b], c, 1.0, 1.0)
    testing.check(np.full((2, 4), 4, "f4"), expected, bound)
    wrong = np.full((2, 4), 4, "f4")
    wrong[1, 2] += 1e-4
    with pytest.raises(AssertionError, match=r"1 of 8 elements are wrong, worst C\(1, 2\)"):
        testing.check(wrong, expected, bound)
