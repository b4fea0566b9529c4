"""The gradients of transposed convolutions equal those of their definition, which is linear in each operand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.convolution_cases import WAYS, convolution, lay, numbers, transposed, wide
from tests.guard import SIDES, guarded
from tests.profiles import scaled

BACKWARD: dict[int, Any] = {
    1: ts.conv_transpose1d_backward,
    2: ts.conv_transpose2d_backward,
    3: ts.conv_transpose3d_backward,
}


@settings(max_examples=scaled(4, 20_000))
@given(st.data())
def test_every_parameter(data: st.DataObject) -> None:
    draw = data.draw
    dims, groups = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    stride, dilation, taps = (tuple(draw(st.integers(1, 3)) for _ in range(dims)) for _ in range(3))
    inputs = tuple(draw(st.integers(1, 5)) for _ in range(dims))
    more = tuple(draw(st.integers(0, max(s, d) - 1)) for s, d in zip(stride, dilation))
    reach = [(n - 1) * s + d * (t - 1) + 1 for n, s, d, t in zip(inputs, stride, dilation, taps)]
    pairs = tuple((draw(st.integers(0, (n - 1) // 2)), draw(st.integers(0, (n - 1) // 2))) for n in reach)
    c, k = groups * draw(st.integers(1, 9)), groups * draw(st.integers(1, 9))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    x, w = numbers((draw(st.integers(1, 3)), c, *inputs), dtype, 1), numbers((c, k // groups, *taps), dtype, 2)
    y = transposed(x, w, stride, pairs, dilation, groups, more)
    dy = numbers(y.shape, dtype, 3)
    side, ways = draw(st.sampled_from(SIDES)), [draw(st.sampled_from(WAYS)) for _ in range(2)]
    lies = guarded(lay(dy, ways[0]), side, writable=False), guarded(lay(x, ways[1]), side, writable=False)
    found = BACKWARD[dims](
        *lies,
        guarded(w, side, writable=False),
        stride=stride,
        padding=pairs,
        output_padding=more,
        dilation=dilation,
        groups=groups,
        threads=draw(st.sampled_from([1, 3])),
    )
    cut = tuple(slice(0, n) for n in inputs)
    dx = convolution(dy, w, stride, pairs, dilation, groups)[(slice(None), slice(None), *cut)]
    assert np.array_equal(found[0], dx)
    for seed in range(4):  # the same sums in directions of whole numbers
        along = numbers(w.shape, dtype, seed)
        wanted = (wide(dy) * transposed(x, along, stride, pairs, dilation, groups, more)).sum()
        assert (wide(found[1]) * along).sum() == wanted
    assert np.array_equal(found[2], wide(dy).sum(axis=(0, *range(2, dims + 2))))


def test_without_images_gradients_are_zeros() -> None:
    w = np.ones((4, 3, 3, 3), np.float32)
    for backward, of_y, of_x in (
        (ts.conv2d_backward, (0, 4, 6, 6), (0, 3, 8, 8)),
        (ts.conv_transpose2d_backward, (0, 3, 8, 8), (0, 4, 6, 6)),
    ):
        dx, dw, db = backward(np.ones(of_y, np.float32), np.ones(of_x, np.float32), w)
        assert dx.shape == of_x and dw.shape == w.shape and db.shape == of_y[1:2]
        assert not dw.any() and not db.any()


def test_kept_plans_do_not_take_other_arguments() -> None:
    dy, x, w = (np.ones(each, np.float32) for each in ((1, 4, 6, 6), (1, 3, 8, 8), (4, 3, 3, 3)))
    ts.conv2d_backward(dy, x, w, stride=1, dilation=(1, 1))
    with pytest.raises(TypeError, match="stride"):
        ts.conv2d_backward(dy, x, w, stride=1.0, dilation=(1, 1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="dy: shape"):
        ts.conv2d_backward(dy, x, w, stride=2, dilation=(1, 1))


@pytest.mark.parametrize("shape", [(3, 5, 700, 9), (200, 7, 3, 4)])
def test_bias_has_the_same_bits_in_all_layouts(shape: tuple[int, ...]) -> None:
    dy, w = np.random.default_rng(1).standard_normal(shape).astype(np.float32), np.ones((shape[1], 2, 1, 1), np.float32)
    x = np.ones((shape[0], 2, *shape[2:]), np.float32)
    found = [ts.conv2d_backward(lay(dy, way), x, w, wanted="db") for way in ("first", "last", "gaps", "last gaps")]
    for each in found:
        assert np.array_equal(each, found[0])
        np.testing.assert_allclose(each, dy.sum((0, 2, 3), dtype=np.float64), atol=1e-3)
    (alone,) = ts.conv2d_backward(dy, x, w, wanted=["db"])
    assert np.array_equal(alone, found[0])
