"""Plans took panels of weights beyond L2 for as near as those in it (1.76 times the time, 5 x 5 taps of 524 channels),
and vectors along the rows for as dear as if every panel were full (3.3 times, 4 channels a group)."""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.microkernels.machines.registry import facts_of


@pytest.mark.parametrize("target", ["avx512", "avx2", "neon"])
def test_panels_that_each_block_of_rows_reads_lie_in_a_cache(target: str) -> None:
    layer = ts.conv((3, 524, 35, 35), (117, 524, 5, 5), stride=2, padding=2, bias=False, layout="NHWC", target=target)
    (way,) = layer.plan.ways
    assert way.b.panel <= facts_of(layer.target).l2_bytes


def test_few_channels_a_group_and_pixels_that_are_neighbours() -> None:
    layer = ts.conv((1, 64, 56, 56), (64, 4, 3, 3), padding=1, groups=16, bias=False, target="avx512")
    assert layer.plan.ways[0].along
