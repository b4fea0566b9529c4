"""Elementwise kernels that go block by block through scratch memory claimed memory for spilled values inside the loop
over the blocks. Each block moved the stack pointer, so the counter of the blocks was read from another place, and the
kernel read and wrote beside its operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.children import run_forked
from tests.guard import SIDES, check_canary, guarded
from tilesmith.microkernels.eltwise.composed_plan import ComposedPlan
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.host.detect import runs

LIVE = 20


def function(maximum: Any, x: Any) -> Any:
    """Return a result of many live values, which are used once in the order of their computation and once in reverse.
    Integers of this size have exact results in f32."""
    values = [x * float(k) for k in range(LIVE)]
    total = values[0]
    for value in (*values[1:], *reversed(values)):
        total = maximum(total - 1.0, value) + x
    return total


def made(target: str, order: str, shape: tuple[int, int]) -> Any:
    """Return a kernel of several blocks that spills values."""
    kernel = ts.equation(lambda x: function(ts.maximum, x), x=shape, order=order, target=target)
    assert isinstance(kernel.plan, ComposedPlan) and kernel.plan.steps[0].times > 1 and kernel.plan.spilled
    return kernel


CASES = [("FC", (310, 58)), ("CF", (58, 310))]


def drawn(shape: tuple[int, int], order: Any) -> Any:
    """Return a matrix of small integers in an order."""
    return np.asarray(np.random.default_rng(1).integers(-9, 10, shape).astype(np.float32), order=order)


@pytest.mark.parametrize("target", [each for each in ("sse", "avx", "avx2") if not runs(TARGETS[each])])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("order", "shape"), CASES)
def test_every_block_between_guard_pages(target: str, side: str, order: str, shape: tuple[int, int]) -> None:
    kernel, x = made(target, order, shape), drawn(shape, order[0])
    y = guarded(np.zeros(shape, np.float32, order=order[1]), side)  # type: ignore[call-overload]
    assert run_forked(lambda: kernel(guarded(x, side, writable=False), y)) == 0
    kernel(guarded(x, side, writable=False), y)
    check_canary(y)
    assert (y == function(np.maximum, x)).all()
