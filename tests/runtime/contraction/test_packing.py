"""Machine code packs the panels that numpy packs, from weights in any order, and reads and writes nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.convolution import geometry as shapes
from tilesmith.runtime.convolution.layer import Convolution
from tilesmith.runtime.convolution.layouts import like
from tilesmith.runtime.convolution.request import ConvolutionRequest
from tilesmith.runtime.host import detect as host

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


@pytest.mark.parametrize("backwards", [True, False])
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("side", SIDES)
def test_panels(side: str, case: tuple[Any, ...], backwards: bool) -> None:
    c, k, groups, taps, stride, dilation = case
    g = shapes.forward((1, c, 13, 14), (k, c // groups, *taps), stride, 3, dilation, groups, "conv2d")
    x, w, y = (like(each, range(4), "f32") for each in (g.x, (k, c // groups, *taps), g.y))
    read, written = (y, x) if backwards else (x, y)
    asked = ConvolutionRequest(g, backwards, read, w, written, 0, None, (), None, None, host.resolve(None))
    layer = Convolution(asked)
    weights = np.random.default_rng(1).standard_normal((k, c // groups, *taps)).astype(np.float32)
    for order in ((0, 1, 2, 3), (0, 2, 3, 1), (3, 2, 1, 0)):
        lies = np.ascontiguousarray(weights.transpose(order)).transpose(np.argsort(order).astype(int))
        found = layer._packing(tuple(step // 4 for step in lies.strides))
        wanted = layer.panels(lies)
        if found is None:
            continue
        job, own = found
        source = guarded(lies, side, writable=False)
        panels, scratch = guarded(np.zeros(layer.bytes_b, np.uint8), side), np.zeros(3 * own + 64, np.uint8)
        for workers in (1, 3):
            panels[...] = 0
            job.run((address_of(source), address_of(panels), address_of(scratch)), workers)
            assert np.array_equal(panels, wanted)
            check_canary(panels)
    assert layer._packing(tuple(step // 4 for step in weights.strides)) is not None
