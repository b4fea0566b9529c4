"""The node tests of ONNX for pooling and Resize, as an ONNX backend would call tilesmith.

Needs onnx, of the extra `peers`; without it the test is skipped. A case that no function computes is named below with
the reason, and all others must equal ONNX's result.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import of_grid

Array = np.ndarray[Any, Any]
PADDINGS = {"VALID": "valid", "SAME_UPPER": "same", "SAME_LOWER": "same_lower"}
MODULES = {
    "MaxPool": "maxpool",
    "AveragePool": "averagepool",
    "GlobalAveragePool": "globalaveragepool",
    "GlobalMaxPool": "globalmaxpool",
    "Resize": "resize",
    "Upsample": "upsample",
}
LEAST = {"MaxPool": 19, "AveragePool": 17, "GlobalAveragePool": 2, "GlobalMaxPool": 2, "Resize": 39, "Upsample": 1}
"""The functions with cases that onnx 1.23 has."""
OUT_OF_REACH = {
    r"averagepool_\dd_dilations.*": "windows of means have no dilation",
    r"resize_.*cubic.*": "no cubic mode",
    r"resize_.*antialias.*": "no antialiasing",
    r"resize_tf_crop_and_resize.*": "no crops; a slice of x is resized instead",
    r"resize_.*half_pixel_symmetric": "places are those of torch, without this shift",
    r"resize_downsample_scales_linear_align_corners": "corners of whole extents are aligned, ONNX's of 2.4 elements",
    r"resize_(down|up)sample_sizes_nearest(_axes.*|_not_larger)?": "halves are rounded up, as by torch",
    r"resize_downsample_sizes_nearest_not_smaller": "halves are rounded up, as by torch",
    r"resize_.*pytorch_half_pixel": "torch itself takes the middle where a result has one element",
    r"resize_.*nearest_ceil_half_pixel": "nearest elements are rounded down, or to nearest",
    r"resize_.*nearest_floor_align_corners": "nearest elements are not those of aligned corners",
    r"resize_.*round_prefer_ceil_asymmetric": "nearest elements of asymmetric places are rounded down",
}


@pytest.mark.parametrize("operator", list(MODULES))
@pytest.mark.grid(len(MODULES))
def test_cases_of_an_operator(operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed: the extra peers")
    module, cases = import_module(f"onnx.backend.test.case.node.{MODULES[operator]}"), list[Any]()

    def expect(node: Any, inputs: Any, outputs: Any, name: str, **_: Any) -> None:
        cases.append((name.removeprefix("test_"), node, inputs, outputs))

    monkeypatch.setattr(module, "expect", expect)
    exports = [each for each in dir(getattr(module, operator)) if each.startswith("export")]
    assert len(exports) >= LEAST[operator]
    for each in of_grid(exports, operator, 8):
        getattr(getattr(module, operator), each)()  # ONNX's own results, in Python, take longer than ours
    for name, node, inputs, outputs in cases:
        if any(re.fullmatch(each, name) for each in OUT_OF_REACH):
            continue
        made = CALLS[operator](_attributes(node), *inputs)
        several = made[: len(outputs)] if isinstance(made, tuple) else (made,)
        for found, expected in zip(several, outputs, strict=True):
            assert found.shape == expected.shape and found.dtype == expected.dtype, name
            four_digits = name == "averagepool_2d_ceil_last_window_starts_on_pad"
            assert np.allclose(found, expected, rtol=3e-4 if four_digits else 2e-6, atol=1e-6), name


def _attributes(node: Any) -> dict[str, Any]:
    helper = import_module("onnx").helper
    found = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}


def _window(asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return the number of axes and the keywords of a window. Without strides, ONNX moves by one element."""
    dims = len(asked["kernel_shape"])
    named = PADDINGS.get(asked.get("auto_pad", "NOTSET"))
    return dims, {
        "kernel_size": asked["kernel_shape"],
        "stride": asked.get("strides", [1] * dims),
        "padding": named if named is not None else ts.onnx_padding(asked.get("pads", [0] * 2 * dims)),
        "ceil_mode": bool(asked.get("ceil_mode", 0)),
    }


def _max_pool(asked: dict[str, Any], x: Array) -> Any:
    """Return the elements, and their places in all of x, by rows or by columns."""
    dims, given = _window(asked)
    given["dilation"] = asked.get("dilations", [1] * dims)
    y, places = getattr(ts, f"max_pool{dims}d")(x, **given, return_indices=True)
    images, plane = x.shape[:2], int(np.prod(x.shape[2:]))
    within = np.unravel_index(places, x.shape[2:])
    if asked.get("storage_order"):
        within, shape = within[::-1], x.shape[:1:-1]
    else:
        shape = x.shape[2:]
    first = np.arange(int(np.prod(images))).reshape(*images, *[1] * dims) * plane
    return y, np.ravel_multi_index(within, shape) + first


def _average_pool(asked: dict[str, Any], x: Array) -> Any:
    dims, given = _window(asked)
    return getattr(ts, f"avg_pool{dims}d")(x, **given, count_include_pad=bool(asked.get("count_include_pad", 0)))


def _resize(asked: dict[str, Any], x: Array, *more: Array) -> Any:
    """Scales or sizes, of some axes or of all; the aspect ratio may be kept."""
    given = next(each for each in reversed(more) if each.size)
    axes = asked.get("axes", list(range(x.ndim)))
    dims = x.ndim - 2
    how = asked.get("coordinate_transformation_mode") == "align_corners"
    mode = "nearest-exact" if asked.get("mode", "nearest") == "nearest" else "linear"
    whole = dict(zip(axes, given.tolist()))
    kept: dict[str, Any] = {"mode": mode, "align_corners": how}
    if given.dtype.kind == "f":
        return ts.resize(x, scale_factor=[whole.get(2 + axis, 1.0) for axis in range(dims)], **kept)
    policy = asked.get("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        scales = [whole[axis] / x.shape[axis] for axis in axes]
        scale = min(scales) if policy == "not_larger" else max(scales)
        whole = {axis: int(np.floor(scale * x.shape[axis] + 0.5)) for axis in axes}
    return ts.resize(x, [whole.get(2 + axis, x.shape[2 + axis]) for axis in range(dims)], **kept)


CALLS: dict[str, Any] = {
    "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "GlobalAveragePool": lambda _, x: ts.adaptive_avg_pool2d(x, 1),
    "GlobalMaxPool": lambda _, x: ts.adaptive_max_pool2d(x, 1),
    "Resize": _resize,
    "Upsample": _resize,
}
