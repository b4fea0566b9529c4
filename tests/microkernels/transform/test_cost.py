"""The work of a pass that is counted from the numbers of its registers is that of the values of its network."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from tests.profiles import is_soak
from tilesmith.microkernels.contract.machine import Facts
from tilesmith.microkernels.machines.registry import TARGETS, facts_of
from tilesmith.microkernels.transform import tile_search
from tilesmith.microkernels.transform.cost import clipped, counted, walked
from tilesmith.microkernels.transform.spec import TransformSpec, transform_spec
from tilesmith.microkernels.transform.strides import StridedMatrix
from tilesmith.microkernels.transform.tile import ShuffledTile
from tilesmith.microkernels.transform.tile_pass import tile_pass

FEW = 4  # extents
SIZE = {"f32": 4, "bf16": 2, "u8": 1, "f64": 8}


@pytest.mark.parametrize("target", ("sse", "avx2", "avx512", "neon", "sve256"))
@pytest.mark.parametrize("dtype", ("f32", "bf16"))
@pytest.mark.parametrize("change", ("plain_to_plaint", "plain_to_vnni2t"))
def test_counted_work_is_that_of_the_values(target: str, dtype: str, change: str) -> None:
    check(target, dtype, change, range(1, 40, 7))


@pytest.mark.slow
@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("dtype", sorted(SIZE))
@pytest.mark.parametrize("change", ("plain_to_plaint", "plain_to_vnni2t", "plain_to_vnni4", "vnni2t_to_plain"))
def test_all_targets(target: str, dtype: str, change: str) -> None:
    """A soak takes a third of the extents. Otherwise some are drawn for each case, other ones for each."""
    drawn = sorted(random.Random(f"{target} {dtype} {change}").sample(range(1, 40), FEW))
    check(target, dtype, change, range(1, 40, 3) if is_soak() else drawn)


def check(target: str, dtype: str, change: str, extents: Sequence[int]) -> None:
    """Compare both ways to count, for every tile of the planner and matrices of many extents that clip it."""
    facts, seen = facts_of(TARGETS[target]), 0
    for m in extents:
        for n in extents:
            spec = transform_spec(change, m, n, dtype=dtype)
            x, y = (StridedMatrix(layout, m, n, SIZE[dtype], SIZE[dtype]) for layout in spec.layouts)
            for tile in tiles_of(spec, facts, x, y):
                for bounds, _ in clipped(tile, x, y):
                    if bounds.source == bounds.result:
                        assert counted(tile, bounds) == walked(tile_pass(tile, x, y, bounds, 0)), (str(tile), bounds)
                        seen += 1
    assert seen > 10


def tiles_of(spec: TransformSpec, facts: Facts, x: StridedMatrix, y: StridedMatrix) -> Iterator[ShuffledTile]:
    """Yield the tiles that the planner compares."""
    for loading in tile_search.loadings(spec, facts):
        for tile in tile_search.tiles(loading, spec, x, y, facts.tuning.transform.most_register_bits):
            if isinstance(tile, ShuffledTile):
                yield tile
                yield from tile_search.widened(tile, x, y, facts.tuning.transform)
