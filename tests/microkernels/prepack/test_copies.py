"""Products on SSE that copy their broadcast elements side by side first, against numpy, between guard pages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, address, check_canary, guarded
from tests.profiles import scaled
from tilesmith.emulation.cpu import call
from tilesmith.microkernels.gemm.plan import GemmPlan, unpacked_plan
from tilesmith.microkernels.machines.registry import TARGETS, facts_of, machine_for
from tilesmith.microkernels.prepack.copies_plan import candidate
from tilesmith.microkernels.prepack.emit import emit
from tilesmith.microkernels.prepack.operand_plan import OperandPrepackPlan
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

CALLS = ts.supported(ts.unary("relu", 3, 3, target="sse").spec, ts.host()) is True


@pytest.mark.parametrize("order", ["CCC", "FFF", "FCF"])
def test_products_of_copies_are_chosen_where_shuffles_would_bound(order: str) -> None:
    plan = ts.brgemm(64, 64, 64, order=order, target="sse").plan
    assert isinstance(plan, OperandPrepackPlan) and "each element 2 times, in scratch memory" in str(plan)
    assert isinstance(ts.brgemm(16, 16, 16, order=order, target="sse").plan, GemmPlan)
    assert "movddup" in ts.brgemm(64, 64, 64, order=order, target="sse").listing()


def emitted(plan: OperandPrepackPlan) -> bytes:
    """Return the code of a plan, whether or not it is chosen."""
    m = machine_for(TARGETS["sse"])
    emit(m, plan)
    return bytes(m.asm.finish("copies").data)


@settings(max_examples=scaled(40, 3000), deadline=None)
@given(
    m=st.integers(1, 70),
    n=st.integers(1, 70),
    k=st.integers(1, 70),
    order=st.sampled_from(("CCC", "FFF", "FCF")),
    scale=st.sampled_from(((1, 0), (1, 1), (2, -1))),
    gap=st.integers(0, 3),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_drawn_products(
    m: int, n: int, k: int, order: str, scale: tuple[int, int], gap: int, side: str, seed: int
) -> None:
    """The products include small ones, for which the planner chooses another way."""
    (alpha, beta), rng = scale, np.random.default_rng(seed)
    shapes = ((m, k), (k, n), (m, n))
    leading = [(shape[1] if way == "C" else shape[0]) + gap for shape, way in zip(shapes, order)]
    spec = ts.gemm_spec(m, n, k, order=order, alpha=alpha, beta=beta, lda=leading[0], ldb=leading[1], ldc=leading[2])
    unpacked = unpacked_plan(spec, facts_of(TARGETS["sse"]))
    assert isinstance(unpacked, GemmPlan)
    plan = candidate(unpacked, facts_of(TARGETS["sse"]))
    assert isinstance(plan, OperandPrepackPlan)
    code = emitted(plan)
    arrays = []
    for shape, way in zip(shapes, order):
        lines = shape if way == "C" else shape[::-1]
        made = rng.integers(-4, 5, (lines[0], lines[1] + gap)).astype(np.float32)[:, : lines[1]]
        arrays.append(made if way == "C" else made.T)
    wanted = alpha * (arrays[0].astype(float) @ arrays[1]) + beta * arrays[2]
    if CALLS:
        a, b, c = (guarded(each, side, writable=number == 2) for number, each in enumerate(arrays))
        block = publish(code)
        function = ffi.cast("void(*)(void *, void *, void *)", block.address)
        function(*(ffi.cast("void *", address(each)) for each in (a, b, c)))
        check_canary(c)
    else:
        a, b, c = (np.asarray(each, order=way) for each, way in zip(arrays, order))
        call(code, TARGETS["sse"], a, b, c)
    assert (c == wanted).all()
