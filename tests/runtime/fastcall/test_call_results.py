"""Calls of kernels whose epilogue has several results: missing results are allocated, given ones are checked, and
machine code takes calls with right arguments.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.runtime.fastcall.call_cases import needs_native

Array = np.ndarray[Any, Any]


def layer() -> Any:
    return ts.brgemm(8, 24, 16, epilogue=lambda c, b: (ts.relu(c + b), c + b > 0, ts.statistic("sum", c)), beta=0)


def arrays() -> list[Array]:
    rng = np.random.default_rng(2)
    return [rng.standard_normal(shape).astype(np.float32) for shape in ((8, 16), (16, 24), (24,))]


def test_missing_results_are_allocated():
    mm, (a, b, bias) = layer(), arrays()
    c, mask, total = mm(a, b, None, bias)
    assert c.shape == (8, 24) and mask.shape == (8, 3) and mask.dtype == np.uint8 and total.shape == (24,)
    held = np.zeros_like(c), np.zeros_like(mask), np.zeros_like(total)
    assert mm(a, b, b_=bias, out=held) is held and (held[0] == c).all() and (held[2] == total).all()
    mask2, total2 = mm(a, b, np.empty_like(c), bias)  # type: ignore[misc]
    assert (mask2 == mask).all() and (total2 == total).all()
    assert (mm(a, b, None, bias, mask2, total2) == c).all()
    assert (mm(a, b, None, bias, y2=total2, y1=mask2) == c).all()
    adds = ts.brgemm(8, 24, 16, epilogue=lambda c: (c, c > 0))
    assert (adds(a, b, c.copy()) == np.packbits(c + a @ b > 0, axis=1, bitorder="little")).all()
    with pytest.raises(TypeError, match="beta is 1"):
        adds(a, b)
    writes = ts.brgemm(8, 24, 16, epilogue=lambda c: (c, c > 0), beta=0)
    assert all((one == other).all() for one, other in zip(writes(a, b), writes(a, b, None, None)))
    assert "y1   u8 (8, 3), a bit for each element" in mm.__doc__ and "sum over the rows" in mm.__doc__


def test_results_must_be_writable_and_apart():
    mm, (a, b, bias) = layer(), arrays()
    c, mask, total = mm(a, b, None, bias)
    memory = np.zeros(8 * 24 + 24, np.float32)
    both = memory[:192].reshape(8, 24), memory[180:204]
    frozen = total.copy()
    frozen.setflags(write=False)
    for outputs, message in (
        ((c, mask, frozen), "y2: a writable array"),
        ((both[0], mask, both[1]), "y2: must not overlap c"),
        ((c, mask, bias), "y2: must not overlap b_"),
        ((c, mask, a.reshape(-1)[:24]), "y2: must not overlap a"),
        ((c, a.view(np.uint8)[:, :3], total), "y1: must not overlap a|strides"),
        ((c, mask[:, :2], total), r"y1: shape \(8, 3\)"),
        ((c, mask, total.astype(np.float64)), "y2: dtype float32"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            mm(a, b, outputs[0], bias, *outputs[1:])


@needs_native
def test_machine_code_takes_calls_with_all_results(monkeypatch):
    for batch in (None, 2, ts.STRIDE, ts.OFFSET, ts.ADDRESS):
        mm = ts.brgemm(8, 24, 16, batch=batch, beta=0, epilogue=lambda c, s: (c + s, c > 0, ts.dropout(c, 0.5)))
        a, b = np.ones((2, 8, 16), np.float32), np.ones((2, 16, 24), np.float32)
        stride = a.strides[0]
        rest = {ts.STRIDE: [2, stride, b.strides[0]], ts.OFFSET: [np.arange(2) * stride] * 2}.get(batch, [])
        first = [a[0], b[0]] if batch is None else [a, b]
        if batch is ts.ADDRESS:
            first = [np.array([x[0].ctypes.data] * 2, np.uint64) for x in (a, b)]
        outputs = [np.zeros((8, 24), np.float32), np.zeros((8, 3), np.uint8), np.zeros((8, 24), np.float32)]
        with monkeypatch.context() as patch:
            patch.setattr("tilesmith.runtime.arguments.epilogue.EpilogueCall.__call__", pytest.fail)
            mm(*first, outputs[0], np.zeros(24, np.float32), 3, *rest, *outputs[1:])
        assert (outputs[1] == 255).all()
        shared = outputs[0][:1].view(np.uint8).reshape(-1)[:24].reshape(8, 3)
        inputs = a.reshape(-1).view(np.uint8)[:24].reshape(8, 3)
        for wrong in (shared, inputs):
            with pytest.raises(ValueError, match="y1: must not overlap"):
                mm(*first, outputs[0], np.zeros(24, np.float32), 3, *rest, wrong, outputs[2])
