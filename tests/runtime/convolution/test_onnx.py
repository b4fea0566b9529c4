"""The node tests of ONNX for Conv, ConvTranspose, ConvInteger and QLinearConv, as an ONNX backend would call tilesmith.

Needs onnx, of the extra `peers`; without it the test is skipped.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tilesmith as ts

Array = np.ndarray[Any, Any]
OPERATORS = {
    "Conv": "conv",
    "ConvTranspose": "convtranspose",
    "ConvInteger": "convinteger",
    "QLinearConv": "qlinearconv",
}
PADDINGS = {"NOTSET": None, "VALID": "valid", "SAME_UPPER": "same", "SAME_LOWER": "same_lower"}
LEAST = {"Conv": 6, "ConvTranspose": 9, "ConvInteger": 2, "QLinearConv": 1}
"""The cases that onnx 1.23 has, some of which are more than one call."""


@pytest.mark.parametrize("operator", list(OPERATORS))
def test_cases_of_an_operator(operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed: the extra peers")
    module, cases = import_module(f"onnx.backend.test.case.node.{OPERATORS[operator]}"), list[Any]()

    def expect(node: Any, inputs: Any, outputs: Any, name: str, **_: Any) -> None:
        cases.append((name, node, inputs, outputs))

    monkeypatch.setattr(module, "expect", expect)
    methods = [each for each in dir(getattr(module, operator)) if each.startswith("export")]
    for each in methods:
        getattr(getattr(module, operator), each)()
    assert len(cases) >= LEAST[operator]
    for name, node, inputs, (expected,) in cases:
        made = CALLS[operator](_attributes(node), *inputs)
        assert made.shape == expected.shape and made.dtype == expected.dtype, name
        assert np.allclose(made, expected, rtol=1e-6, atol=0), name


def _attributes(node: Any) -> dict[str, Any]:
    helper = import_module("onnx").helper
    found = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}


def _given(asked: dict[str, Any], dims: int) -> dict[str, Any]:
    """Return the keywords of a convolution for ONNX's attributes."""
    padding: Any = PADDINGS[asked.get("auto_pad", "NOTSET")]
    if padding is None:
        padding = ts.onnx_padding(asked.get("pads", [0] * 2 * dims))
    steps, apart = (asked.get(name, [1] * dims) for name in ("strides", "dilations"))
    return {"padding": padding, "stride": steps, "dilation": apart, "groups": asked.get("group", 1)}


def _conv(asked: dict[str, Any], x: Array, w: Array, bias: Array | None = None) -> Any:
    function: Any = {1: ts.conv1d, 2: ts.conv2d, 3: ts.conv3d}[x.ndim - 2]
    return function(x, w, bias, **_given(asked, x.ndim - 2))


def _conv_transpose(asked: dict[str, Any], x: Array, w: Array) -> Any:
    """ONNX may give the shape of the result, or ask for stride * extent, in place of the padding."""
    dims = x.ndim - 2
    steps, apart = (asked.get(name, [1] * dims) for name in ("strides", "dilations"))
    more = asked.get("output_padding", [0] * dims)
    wanted = asked.get("output_shape")
    if asked.get("auto_pad", "NOTSET").startswith("SAME"):
        wanted = [step * extent for step, extent in zip(steps, x.shape[2:])]
    if wanted is None:
        padding = ts.onnx_padding(asked.get("pads", [0] * 2 * dims))
    else:
        whole = [
            step * (extent - 1) + further + (taps - 1) * distance + 1
            for step, extent, further, taps, distance in zip(steps, x.shape[2:], more, w.shape[2:], apart)
        ]
        totals = [extent - to for extent, to in zip(whole, wanted)]
        more = [further + max(0, -total) for further, total in zip(more, totals)]
        totals = [max(0, total) for total in totals]
        upper = asked.get("auto_pad") == "SAME_UPPER"
        padding = tuple(
            (total // 2, total - total // 2) if upper else (total - total // 2, total // 2) for total in totals
        )
    function: Any = {1: ts.conv_transpose1d, 2: ts.conv_transpose2d, 3: ts.conv_transpose3d}[dims]
    given = {"padding": padding, "stride": steps, "dilation": apart, "groups": asked.get("group", 1)}
    return function(x, w, output_padding=more, **given)


def _conv_integer(asked: dict[str, Any], x: Array, w: Array, zero_x: Any = 0, zero_w: Any = 0) -> Any:
    """Weights less a zero point have 9 bits; then both factors are of 16."""
    given = _given(asked, x.ndim - 2)
    if not np.any(zero_w):
        types = (x.dtype.name, w.dtype.name, "int32")
    else:
        w = w.astype(np.int16) - np.reshape(zero_w, (-1, *[1] * (x.ndim - 1))).astype(np.int16)
        x, types = x.astype(np.int16), ("i16", "i16", "i32")
    layer = ts.conv(x.shape, w.shape, dtype=types, zero_point=int(zero_x), bias=False, **given)
    return layer(x, layer.pack(w))


def _qlinear_conv(
    asked: dict[str, Any],
    x: Array,
    scale_x: Array,
    zero_x: Array,
    w: Array,
    scale_w: Array,
    zero_w: Array,
    scale_y: Array,
    zero_y: Array,
) -> Any:
    sums = _conv_integer(asked, x, w, zero_x, zero_w)
    factor = scale_x * np.reshape(scale_w, (-1, *[1] * (x.ndim - 2))) / scale_y
    ends = np.iinfo(zero_y.dtype)
    return np.clip(np.rint(sums * factor) + int(zero_y), ends.min, ends.max).astype(zero_y.dtype)


CALLS = {"Conv": _conv, "ConvTranspose": _conv_transpose, "ConvInteger": _conv_integer, "QLinearConv": _qlinear_conv}
