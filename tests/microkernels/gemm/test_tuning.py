"""The planners of products read their numbers from the tuning table of the target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.contract.machine import Facts
from tilesmith.microkernels.gemm.plan import GemmPlan, plan
from tilesmith.microkernels.gemm.spec import STRIDE, gemm_spec
from tilesmith.microkernels.machines.registry import facts_of


def tuned(target: str, **numbers: Any) -> Facts:
    facts = facts_of(TARGETS[target])
    return facts.weighed_by(facts.tuning.replaced(gemm=replace(facts.tuning.gemm, **numbers)))


def planned(target: str, shape: tuple[int, int, int], numbers: dict[str, Any], **request: Any) -> GemmPlan:
    return plan(gemm_spec(*shape, **request), tuned(target, **numbers))


def test_straight_sums() -> None:
    for numbers, straight in (({}, True), ({"straight_instructions": 0, "body_instructions": 1}, False)):
        blocks = planned("avx2", (8, 8, 8), numbers).panels[0].blocks
        assert all((block.unroll == 8) == straight for block in blocks)


def test_when_c_is_added() -> None:
    assert planned("avx2", (8, 8, 65), {"longest_late_c": 65}).late_c
    assert not planned("avx2", (8, 8, 65), {"longest_late_c": 64}).late_c


def test_calls_on_tiles() -> None:
    request = {"dtype": ("bf16", "bf16", "f32"), "b_layout": "vnni", "batch": STRIDE}
    made = planned("amx", (16, 16, 32), {"configure_cycles": 1000.0, "likely_pairs": 7}, **request)
    assert made.call_cycles == 7 * made.cycles + 1000
