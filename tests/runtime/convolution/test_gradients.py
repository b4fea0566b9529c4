"""`ts.conv1d_backward`, `conv2d_backward` and `conv3d_backward` equal the definition of the gradients."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.convolution_cases import TYPES, WAYS, Array, Case, cases, lay, numbers, rounded, wide
from tests.gemm_cases import RUNNING
from tests.guard import SIDES, guarded
from tests.profiles import scaled

BACKWARD: dict[int, Any] = {1: ts.conv1d_backward, 2: ts.conv2d_backward, 3: ts.conv3d_backward}


def gradients(case: Case, dy: Array) -> tuple[Array, Array, Array]:
    """Return dx, dw and db: each product of an element of x and a weight gives both its share of an element of dy."""
    x, w, slope = wide(case.x), wide(case.w), wide(dy)
    padded = np.pad(x, [(0, 0), (0, 0), *case.pairs])
    dx, dw = np.zeros_like(padded), np.zeros_like(w)
    c, k = w.shape[1], w.shape[0] // case.groups
    for tap in product(*map(range, w.shape[2:])):
        met = tuple(
            slice(d * t, d * t + s * (n - 1) + 1, s)
            for t, s, d, n in zip(tap, case.stride, case.dilation, dy.shape[2:])
        )
        for g in range(case.groups):
            of_c, of_k = slice(g * c, (g + 1) * c), slice(g * k, (g + 1) * k)
            place = (slice(None), of_c, *met)
            dx[place] += np.einsum("nk...,kc->nc...", slope[:, of_k], w[(of_k, slice(None), *tap)])
            dw[(of_k, slice(None), *tap)] += np.einsum(
                "nkp,ncp->kc", *(each.reshape(*each.shape[:2], -1) for each in (slope[:, of_k], padded[place]))
            )
    inside = tuple(slice(before, before + extent) for (before, _), extent in zip(case.pairs, x.shape[2:]))
    return dx[(slice(None), slice(None), *inside)], dw, slope.sum(axis=(0, *range(2, dy.ndim)))


@settings(max_examples=scaled(6, 200_000))
@given(st.data(), st.sampled_from(["f32", "f64", "f32", "bf16"]))
def test_every_parameter(data: st.DataObject, types: str) -> None:
    case = data.draw(cases(types, backwards=False))
    side, way, of_dy = (data.draw(st.sampled_from(each)) for each in (SIDES, WAYS, WAYS))
    dy = numbers(case.shape, TYPES[types][0], 9)
    given = [guarded(each, side, writable=False) for each in (lay(dy, of_dy), lay(case.x, way), case.w)]
    target, threads = data.draw(st.sampled_from([None, *RUNNING])), data.draw(st.sampled_from([1, 2, 3, 7]))
    made = BACKWARD[case.dims](*given, threads=threads, target=target, **case.given)
    for name, found, exact in zip(("dx", "dw", "db"), made, gradients(case, dy), strict=True):
        expected = rounded(exact, TYPES[types][0])
        assert found.shape == expected.shape and found.dtype == expected.dtype, name
        assert np.array_equal(found, expected), name


@pytest.mark.parametrize("way", ["first", "last"])
def test_bits_do_not_depend_on_threads(way: str) -> None:
    rng = np.random.default_rng(5)
    x, w = (rng.standard_normal(each).astype(np.float32) for each in ((5, 9, 12, 11), (17, 9, 3, 3)))
    dy = rng.standard_normal((5, 17, 6, 6)).astype(np.float32)
    given = (lay(dy, way), lay(x, way), w)
    found = {
        tuple(each.tobytes() for each in ts.conv2d_backward(*given, stride=2, padding=1, threads=threads))
        for threads in (1, 2, 3, 7)
    }
    assert len(found) == 1
