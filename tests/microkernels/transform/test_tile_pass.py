"""The number of pieces in a cost estimate equals the number that the kernel loads, for full and clipped tiles."""

from __future__ import annotations

import pytest

from tilesmith.microkernels.machines.registry import TARGETS, facts_of
from tilesmith.microkernels.transform import candidates
from tilesmith.microkernels.transform.cost import clipped
from tilesmith.microkernels.transform.plan import TransformPlan
from tilesmith.microkernels.transform.spec import transform_spec
from tilesmith.microkernels.transform.tile_pass import tile_pass


@pytest.mark.parametrize("target", ("avx2", "avx512", "neon"))
@pytest.mark.parametrize(
    ("change", "dtype"), [("plain_to_plaint", "f32"), ("plain_to_vnni2t", "bf16"), ("plain_to_plaint", "u8")]
)
def test_counted_pieces_are_those_that_are_loaded(target: str, change: str, dtype: str) -> None:
    seen = 0
    for m, n in ((13, 21), (3, 40), (64, 7)):
        spec = transform_spec(change, m, n, dtype=dtype)
        for plan in candidates.candidates(spec, facts_of(TARGETS[target])):
            if not isinstance(plan, TransformPlan):
                continue
            for bounds, _ in clipped(plan.tile, plan.x, plan.y):
                for number in range(plan.tile.passes):
                    current = tile_pass(plan.tile, plan.x, plan.y, bounds, number)
                    for value in current.live.inputs:
                        assert current.piece_count(value) == len(current.pieces(value))
                        seen += 1
    assert seen > 20
