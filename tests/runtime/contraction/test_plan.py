"""Plans of contractions: what is read in place, what is copied, what is refused, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.layouts import like
from tilesmith.runtime.contraction.form import IndexedArray, IndexedAxis
from tilesmith.runtime.contraction.plan import planned
from tilesmith.runtime.contraction.tiling import Tiling
from tilesmith.runtime.convolution import forms, geometry

LAST = (0, 2, 3, 1)


def convolution(taps: int, padding: int, order: Sequence[int] = LAST, stride: int = 1) -> Any:
    shape, of_w = (2, 32, 12, 14), (48, 32, taps, taps)
    of = geometry.forward(shape, of_w, stride, padding, 1, 1, "conv")
    lying = [like(each, way, "f32") for each, way in ((shape, order), (of_w, range(4)), (of.y, order))]
    return forms.forward(of, lying[0], lying[1], lying[2], (), 0)


def backwards(operand: IndexedArray, axis: int) -> IndexedArray:
    """Return an operand one of whose axes runs backwards in memory."""
    axes = list(operand.axes)
    axes[axis] = IndexedAxis(axes[axis].extent, -axes[axis].stride, axes[axis].index)
    return replace(operand, axes=tuple(axes))


def test_one_tap_with_channels_last_is_one_product_in_place() -> None:
    """Images, rows and pixels are one loop of 2 * 12 * 14 rows."""
    part = convolution(1, 0)
    choice = planned(part, TARGETS["avx2"], 1)
    assert not choice.way.copies and not choice.way.staged
    assert choice.way.roles.depth.extent == 32 and choice.way.roles.columns.extent == 48


def test_a_rim_is_copied() -> None:
    choice = planned(convolution(3, 1), TARGETS["avx2"], 1)
    assert choice.way.copies and "A in place: elements outside of A are read" in choice.rejected


def test_blocks_of_channels_first_come_from_scratch_memory() -> None:
    assert planned(convolution(3, 1, range(4)), TARGETS["avx2"], 1).way.staged
    assert not planned(convolution(3, 1), TARGETS["avx2"], 1).way.staged


@pytest.mark.parametrize("axis", range(4))
def test_results_that_run_backwards_are_refused(axis: int) -> None:
    part = convolution(1, 0)
    with pytest.raises(UnsupportedError, match="runs backwards in memory along"):
        planned(replace(part, c=backwards(part.c, axis)), TARGETS["avx2"], 1)


def test_images_that_run_backwards_are_not_read_in_place() -> None:
    """A loop that goes backwards in them is outside of the tiles, whose bands are copied."""
    part = convolution(1, 0)
    choice = planned(replace(part, a=backwards(part.a, 3)), TARGETS["avx2"], 1)
    assert choice.way.copies and "q" in choice.way.dealt
    assert "A in place: it runs backwards in memory" in choice.rejected


@pytest.mark.parametrize("target", list(TARGETS))
@pytest.mark.grid(6)
def test_the_widths_of_panels_are_whole_vectors(target: str) -> None:
    way = planned(convolution(3, 1), TARGETS[target], 1).way
    assert way.width * 32 % TARGETS[target].vector_bits == 0 and 1 <= way.panels <= way.b.panels


def test_a_last_tile_has_the_depth_of_the_others() -> None:
    """In a last tile of one column the taps of all rows are neighbours. B is packed for taps of one row, in groups."""
    of = geometry.forward((1, 3, 3, 11), (8, 3, 3, 3), 1, 0, 1, 1, "conv")
    x, w, y = like(of.x, LAST, "u8"), like((8, 3, 3, 3), range(4), "i8"), like(of.y, LAST, "i32")
    part = forms.forward(of, x, w, y, (), 0).trimmed()
    way = Tiling(part, "q", 4, ("q",), True, False, 16, 4)
    assert way.roles.depth.names == ("s", "c") and way.roles_of(1).depth.names == ("s", "c")
