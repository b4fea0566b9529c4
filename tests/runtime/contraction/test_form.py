"""Contractions as data, evaluated index by index: forms of convolutions and of their transposes are what they say."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.convolution_cases import convolution, numbers, transposed
from tests.profiles import scaled
from tilesmith.runtime.arguments.layouts import like
from tilesmith.runtime.contraction.form import Contraction, IndexedArray, IndexedAxis, span
from tilesmith.runtime.contraction.packs import laid
from tilesmith.runtime.convolution import forms, geometry
from tilesmith.runtime.loops.code import Affine, affine, index

Array = np.ndarray[Any, Any]


def evaluate(part: Contraction, a: Array, b: Array, c: Array, written: Array) -> None:
    """Add the products of a contraction to c, one after the other; `written` counts how often an element begins."""
    names = [name for name, _ in part.loops]
    for values in product(*(range(extent) for _, extent in part.loops)):
        at = dict(zip(names, values))
        places = [tuple(axis.index.value(at) for axis in each.axes) for each in (part.a, part.b, part.c)]
        inside = all(0 <= place < axis.extent for place, axis in zip(places[0], part.a.axes))
        c[places[2]] += (a[places[0]] if inside else part.a.fill) * b[places[1]]
        if all(at[name] == 0 for name in names if not part.c.has(name)):
            written[places[2]] += 1


@settings(max_examples=scaled(10, 20_000))
@given(st.data())
def test_forms_of_convolutions(data: st.DataObject) -> None:
    dims, groups = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2))
    few = {name: tuple(data.draw(st.integers(1, 3)) for _ in range(dims)) for name in ("stride", "dilation", "taps")}
    inputs = tuple(data.draw(st.integers(1, 5)) for _ in range(dims))
    pairs = tuple((data.draw(st.integers(0, 3)), 6) for _ in range(dims))
    fill = data.draw(st.sampled_from([0, 3]))
    x, w = numbers((2, groups, *inputs), np.int32, 1), numbers((2 * groups, 1, *few["taps"]), np.int32, 2)
    of = geometry.forward(x.shape, w.shape, few["stride"], pairs, few["dilation"], groups, "conv")
    lying = [like(shape, range(dims + 2), "i32") for shape in (x.shape, w.shape, of.y)]
    part = forms.forward(of, lying[0], lying[1], lying[2], (), fill)
    y, written = np.zeros(of.y, np.int64), np.zeros(of.y, np.int64)
    evaluate(part, x, w, y, written)
    assert np.array_equal(y, convolution(x, w, few["stride"], pairs, few["dilation"], groups, fill))
    assert (written == 1).all()


@settings(max_examples=scaled(10, 20_000))
@given(st.data())
def test_parts_of_transposed_convolutions(data: st.DataObject) -> None:
    """The parts write every place once, and those that no tap reaches get zero."""
    dims, groups = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2))
    few = {name: tuple(data.draw(st.integers(1, 4)) for _ in range(dims)) for name in ("stride", "dilation", "taps")}
    inputs = tuple(data.draw(st.integers(1, 4)) for _ in range(dims))
    more = tuple(data.draw(st.integers(0, max(s, d) - 1)) for s, d in zip(few["stride"], few["dilation"]))
    x, w = numbers((1, groups, *inputs), np.int32, 1), numbers((groups, 2, *few["taps"]), np.int32, 2)
    whole = transposed(x, w, few["stride"], ((0, 0),) * dims, few["dilation"], groups, more)
    pairs = tuple((data.draw(st.integers(0, (extent - 1) // 2)), (extent - 1) // 2) for extent in whole.shape[2:])
    of = geometry.transposed(x.shape, w.shape, few["stride"], pairs, more, few["dilation"], groups, "conv")
    lying = [like(shape, range(dims + 2), "i32") for shape in (x.shape, w.shape, of.x)]
    y, written = np.zeros(of.x, np.int64), np.zeros(of.x, np.int64)
    for part in forms.by_data(of, lying[0], lying[1], lying[2], ()):
        evaluate(part, x, w, y, written)
        assert part.b.is_inside(part.extents) and part.c.is_inside(part.extents)
    assert np.array_equal(y, transposed(x, w, few["stride"], pairs, few["dilation"], groups, more))
    assert (written == 1).all()


def test_spans() -> None:
    """2 i - 3 j + 1 with i below 4 and j below 3 goes from -5 to 7."""
    assert span(index("i") * 2 - index("j") * 3 + 1, {"i": 4, "j": 3}) == (-5, 7)
    assert span(affine(5), {}) == (5, 5)


def test_strides_and_addresses() -> None:
    """Of x[i + 2 j, k] with rows of 10 elements, i moves 10, j 20 and k 1."""
    x = IndexedArray("f32", (IndexedAxis(6, 10, index("i") + index("j") * 2), IndexedAxis(10, 1, index("k"))), offset=3)
    assert x.steps == {"i": 10, "j": 20, "k": 1} and not x.has("l") and x.stride("l") == 0
    assert x.address.value({"i": 1, "j": 2, "k": 4}) == 3 + 5 * 10 + 4
    assert x.is_inside({"i": 2, "j": 3, "k": 10}) and not x.is_inside({"i": 3, "j": 3, "k": 10})


def test_loops_of_one_iteration_go() -> None:
    i, j, k = map(index, "ijk")
    c = Contraction(
        (("i", 3), ("j", 1), ("k", 2)),
        IndexedArray("f32", (IndexedAxis(3, 2, i), IndexedAxis(2, 1, k))),
        IndexedArray("f32", (IndexedAxis(2, 1, k), IndexedAxis(1, 1, j + 0))),
        IndexedArray("f32", (IndexedAxis(3, 1, i), IndexedAxis(1, 1, j))),
    )
    assert c.terms == 2 and c.flops == 12
    trimmed = c.trimmed()
    assert trimmed.loops == (("i", 3), ("k", 2)) and trimmed.c.axes[1].index == Affine(0)


def test_b_as_an_array_of_its_loops() -> None:
    """Taps that are read backwards and with steps: w[5 - 2 t, k]."""
    w = np.arange(12).reshape(6, 2)
    b = IndexedArray("i32", (IndexedAxis(6, 2, index("t") * -2 + 5), IndexedAxis(2, 1, index("k"))))
    a, c = IndexedArray("i32", (IndexedAxis(3, 1, index("t")),)), IndexedArray("i32", (IndexedAxis(2, 1, index("k")),))
    found = laid(Contraction((("k", 2), ("t", 3)), a, b, c), ("k", "t"), w)
    assert np.array_equal(found, w[5::-2].T)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("case", [(5, 3, 1, 1), (5, 2, 1, 1), (7, 3, 2, 1), (8, 3, 2, 1), (9, 3, 2, 2), (3, 1, 2, 1)])
def test_same_padding_has_as_many_results_as_onnx_says(case: tuple[int, int, int, int], lower: bool) -> None:
    """ceil(extent / stride) results; the odd element is behind, or before with SAME_LOWER."""
    extent, taps, stride, dilation = case
    name = "same_lower" if lower else "same"
    ((before, after),) = geometry.paddings(name, (extent,), (taps,), (stride,), (dilation,))
    assert (extent + before + after - dilation * (taps - 1) - 1) // stride + 1 == -(-extent // stride)
    assert (before - after if lower else after - before) in (0, 1)


def test_padding_in_the_order_of_onnx() -> None:
    assert geometry.onnx_padding([1, 2, 3, 4]) == ((1, 3), (2, 4))
    with pytest.raises(ValueError, match="pads: begins and ends of all axes"):
        geometry.onnx_padding([1, 2, 3])
