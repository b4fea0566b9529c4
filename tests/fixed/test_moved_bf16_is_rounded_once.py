"""Tiles that turn f32 of one order into bf16 of another were rounded twice on targets whose stores convert. On
neon_bf16 the bits of the first rounding were converted again, and every result was 0."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tilesmith.emulation import cpu
from tilesmith.encoder.features import Target
from tilesmith.microkernels.eltwise import moved_emit, moved_plan, orders
from tilesmith.microkernels.eltwise.spec import eltwise_spec
from tilesmith.microkernels.machines.registry import TARGETS, facts_of, machine_for


@pytest.mark.parametrize("target", ["neon", "neon_bf16", "avx512_bf16"])
def test_in_tiles(target):
    spec = eltwise_spec(lambda x: x * 3.0, "thrice", {"x": (8, 8)}, dtype="f32", out="bf16", order={"x": "F"})
    chosen: Target = TARGETS[target]
    ways = moved_plan.candidates(spec, facts_of(chosen), orders.moved(spec))
    x = np.asfortranarray(np.random.default_rng(0).standard_normal((8, 8)).astype(np.float32))
    for plan in [each for each in ways if isinstance(each, moved_plan.MovedPlan)]:
        machine = machine_for(chosen)
        moved_emit.emit(machine, plan)
        y = np.zeros((8, 8), ml_dtypes.bfloat16)
        regions = [cpu.Region("x", x, False), cpu.Region("y", y.view(np.uint16), True)]
        cpu.execute(machine.asm.finish("k").data, chosen, [x.ctypes.data, y.ctypes.data], regions)
        assert np.array_equal(y, (x * np.float32(3)).astype(ml_dtypes.bfloat16))
