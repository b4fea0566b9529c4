"""Bands of images and panels of weights, derived by hand."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from tilesmith.encoder.features import Target
from tilesmith.microkernels.dtypes import ELEMENT_BYTES
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.layouts import like
from tilesmith.runtime.contraction.form import Contraction
from tilesmith.runtime.contraction.packs import band_of, packed, panels_of, segments
from tilesmith.runtime.contraction.plan import planned
from tilesmith.runtime.convolution import forms, geometry

AVX2: Target = TARGETS["avx2"]


def convolution(c: int, size: int, padding: int = 1, stride: int = 1, dtype: str = "f32", last: bool = True) -> Any:
    """Return 3 x 3 taps of one image of c channels and size * size pixels, to 16 channels."""
    of = geometry.forward((1, c, size, size), (16, c, 3, 3), stride, padding, 1, 1, "conv")
    order = (0, 2, 3, 1) if last else range(4)
    x, w, y = (like(shape, way, dtype) for shape, way in ((of.x, order), ((16, c, 3, 3), range(4)), (of.y, order)))
    return forms.forward(of, x, w, y, (), 0)


def band(part: Contraction, block: int) -> Any:
    """Return the band of a tile of `block` rows of results."""
    local = {"p": block, "q": part.extents["q"], "r": 3, "s": 3, "c": part.extents["c"]}
    return band_of(part.a, part.extents, local, ["r", "s", "c"], "p")


def test_a_band_has_the_rows_and_the_rim_that_a_tile_reads() -> None:
    """Four rows of results need six rows of the image, each of 10 + 2 pixels of 8 channels, channels innermost."""
    found = band(convolution(8, 10), 4)
    assert [(each.length, each.stride) for each in found.axes] == [(6, 96), (12, 8), (8, 1)]
    assert found.elements == 6 * 12 * 8 and found.size == 6 * 12 * 8 * 4
    assert found.stride("p") == 96 and found.stride("r") == 96 and found.stride("q") == 8 and found.stride("c") == 1


def test_a_stride_skips_rows_of_the_band() -> None:
    """Four rows of results, two apart, need 2 * 3 + 3 rows."""
    found = band(convolution(8, 16, stride=2), 4)
    assert found.axes[0].length == 9 and found.stride("p") == 2 * found.axes[0].stride


@pytest.mark.parametrize("p, clip", [(0, (1, 6)), (4, (0, 6)), (5, (0, 6)), (6, (0, 5)), (8, (0, 3))])
def test_what_of_a_band_lies_inside_of_the_image(p: int, clip: tuple[int, int]) -> None:
    """The band of rows p to p + 3 of the results holds rows p - 1 to p + 4 of the image, which has rows 0 to 9. Of its
    twelve columns the first and the last are the rim."""
    assert band(convolution(8, 10), 4).clips({"p": p, "n": 0}) == (clip, (1, 11), (0, 8))


@pytest.mark.parametrize("dtype", ["f32", "bf16", "u8"])
@pytest.mark.parametrize("bytes_of_pixel", [2048, 4096, 1024])
@pytest.mark.grid(9)
def test_pixels_of_2_kib_are_moved_apart(dtype: str, bytes_of_pixel: int) -> None:
    """Pixels 2 or 4 KiB apart share a set of L1; a line between them puts them into others."""
    c = bytes_of_pixel // ELEMENT_BYTES[dtype]
    found = band(convolution(c, 4, dtype=dtype), 2)
    more = 64 // ELEMENT_BYTES[dtype] if bytes_of_pixel % 2048 == 0 else 0
    assert found.stride("q") == c + more


def test_runs_of_equal_keys() -> None:
    assert list(segments(range(0, 12, 3), lambda each: each > 3)) == [(0, 3, False), (6, 9, True)]
    assert list(segments(range(1), lambda each: "one")) == [(0, 0, "one")]
    asked: list[int] = []

    def runs_before(ends: tuple[int, ...], value: int) -> int:
        asked.append(value)
        return sum(value >= end for end in ends)

    for ends in ((1, 7, 8, 1000), (500, 501, 502, 1000), (999, 1000)):
        assert [last + 1 for _, last, _ in segments(range(1000), partial(runs_before, ends))] == list(ends)
    assert len(asked) < 150


@pytest.mark.parametrize("group", [1, 2, 4])
def test_panels_hold_neighbours_of_the_depth_side_by_side(group: int) -> None:
    """A panel has, for each tap, groups of the depth, then its columns, then the neighbours; the rest is zero."""
    part = convolution(5, 6, dtype={1: "f32", 2: "bf16", 4: "u8"}[group]).trimmed()
    way = planned(part, AVX2, group).way
    panels = panels_of(way.contraction, (), way.roles, 8, group)
    w = np.arange(16 * 5 * 9).reshape(16, 5, 3, 3).astype({1: np.float32, 2: np.float16, 4: np.uint8}[group])
    to = np.zeros(panels.size, np.uint8)
    packed(way.contraction, way.loops_b, panels, w, to)
    channels = -(-5 // group) * group  # in whole groups
    whole = np.pad(w, [(0, 0), (0, channels - 5), (0, 0), (0, 0)])
    depth = [whole[:, c, r, s] for r in range(3) for s in range(3) for c in range(channels)]
    long = channels * (3 if way.roles.depth.names == ("s", "c") else 1)
    rows = [depth[first : first + long] for first in range(0, len(depth), long)]
    expected = []
    for panel in range(2):
        for row in rows:
            for first in range(0, len(row), group):
                for column in range(8):
                    some = [each[8 * panel + column] for each in row[first : first + group]]
                    expected += some + [0] * (group - len(some))
    assert np.array_equal(to.view(w.dtype), np.array(expected, w.dtype))
