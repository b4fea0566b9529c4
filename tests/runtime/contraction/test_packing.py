"""Machine code packs the panels that numpy packs, from weights in any order, and reads and writes nothing else."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.guard import check_canary, guarded
from tests.profiles import is_soak
from tilesmith.runtime.arguments.arrays import address_of, numpy_dtype
from tilesmith.runtime.arguments.layouts import like
from tilesmith.runtime.convolution import geometry as shapes
from tilesmith.runtime.convolution.layer import Convolution
from tilesmith.runtime.convolution.request import ConvolutionRequest
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.threads.barrier import barrier

CASES: list[tuple[Any, ...]] = [
    # c, k, groups, taps, stride, dilation
    (3, 33, 1, (7, 7), 2, 1),
    (40, 70, 1, (3, 3), 2, 1),
    (33, 20, 1, (1, 1), 1, 1),
    (32, 64, 2, (2, 5), 1, 2),
]
if is_soak():
    CASES += [
        (c, k, 1, taps, step, 1) for c in (5, 64) for k in (17, 96) for taps in ((3, 3), (5, 1)) for step in (1, 3)
    ]


TYPES: dict[str, tuple[Any, str]] = {"f32": (np.float32, "f32"), "f64": (np.float64, "f64")}
TYPES |= {"bf16": (ml_dtypes.bfloat16, "bf16"), "i8": (np.int8, "i32")}


@pytest.mark.parametrize("backwards", [True, False])
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("types", list(TYPES))
@pytest.mark.grid(12)
def test_panels(types: str, case: tuple[Any, ...], backwards: bool) -> None:
    """Elements of panels that no product reads may be anything."""
    c, k, groups, taps, stride, dilation = case
    dtype, of_y = TYPES[types]
    g = shapes.forward((1, c, 13, 14), (k, c // groups, *taps), stride, 3, dilation, groups, "conv2d")
    read, written = (
        like(each, range(4), name) for each, name in zip((g.y, g.x) if backwards else (g.x, g.y), (types, of_y))
    )
    of_w = like((k, c // groups, *taps), range(4), types)
    layer = Convolution(
        ConvolutionRequest(g, backwards, read, of_w, written, 0, None, (), None, None, host.resolve(None))
    )
    shape = (k, c // groups, *taps)
    weights = np.random.default_rng(1).integers(1, 100, shape).astype(dtype)
    x, y = (
        guarded(np.zeros(each, kind)) for each, kind in ((layer.shape_x, dtype), (layer.shape_y, numpy_dtype(of_y)))
    )
    for order in ((0, 1, 2, 3), (0, 2, 3, 1), (3, 2, 1, 0)):
        lies = np.ascontiguousarray(weights.transpose(order)).transpose(np.argsort(order).astype(int))
        found = layer.packing(tuple(step // lies.itemsize for step in lies.strides))
        wanted = layer.panels(lies).view(dtype)
        if found is None:
            assert order != (0, 1, 2, 3)
            continue
        source = guarded(lies, writable=False)
        panels, scratch = guarded(np.zeros(layer.bytes_b, np.uint8)), np.zeros(3 * found.own + 64, np.uint8)
        for workers in (1, 3):
            panels[...] = 0
            state = barrier(layer.target) if workers > 1 else (0, 0)
            words = [address_of(each) for each in (x, panels, y, scratch)]
            found.job.run((*words, *state, address_of(source)), workers)
            assert np.array_equal(panels.view(dtype), wanted), order
            check_canary(panels)
