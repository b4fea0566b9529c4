"""Products whose workers pack their own blocks of B, and products whose workers claim parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.loops.code import has_barriers
from tilesmith.runtime.ops.blocks import blocks, is_bounded, private
from tilesmith.runtime.ops.gemm import CLAIMED, Gemm
from tilesmith.runtime.ops.schedules import OwnB
from tilesmith.runtime.ops.spread import Spread

L2 = 1 << 20


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", ("u8", "i8", "i32")], ids=str)
def test_where_workers_pack_their_own_blocks(dtype: Any) -> None:
    """Workers pack their own blocks if there are few rows and many columns, whatever the number of threads."""
    for (m, n, k), own in (
        ((64, 4096, 4096), True),
        ((17, 4096, 1000), True),
        ((1000, 4096, 1024), False),
        ((64, 300, 4096), False),
    ):
        spec = ts.gemm_spec(m, n, k, dtype=dtype)
        lanes = 8 if dtype == "f64" else 16
        plans = {private(blocks(spec, L2, lanes, threads, 2), spec, L2, 2) for threads in (1, 2, 3)}
        assert [plan.own_b for plan in plans] == [own] * len(plans) and (not own or len(plans) == 1)
        assert all(is_bounded(plan, spec, L2, lanes) for plan in plans)


def test_no_worker_waits() -> None:
    op = ts.gemm(64, 4096, 1024, target="avx512")
    assert isinstance(op, Gemm) and op.plan.own_b
    assert not has_barriers(op.nest.nodes())


def small() -> Gemm:
    op = ts.gemm(9, 40, 20, beta=0.0)
    assert isinstance(op, Gemm)
    made = Gemm(op.request, None)
    plan = replace(op.plan, mb=4, nb=16, kb=8, schedule=OwnB())
    made.__dict__["plan"] = plan
    return made


@pytest.mark.slow
def test_it_is_proved() -> None:
    """The blocks of different workers do not overlap."""
    assert small().verify()


def test_scratch_memory_is_each_workers_own() -> None:
    op = small()
    assert op._scratch == (0, 4096)
    assert "packed" in str(op.plan)


@pytest.mark.parametrize("m, n, k", [(1024, 2048, 1), (2000, 1500, 8)])
def test_claimed_parts_are_those_of_one_thread(m: int, n: int, k: int) -> None:
    """If the operands exceed the caches, workers claim rows of C; the bits are those of one thread."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((m, k), (k, n)))
    op = ts.gemm(m, n, k, beta=0.0)
    assert isinstance(op, Gemm) and op.claimed(2) in (0, 2 * CLAIMED)
    found = {op(a, b, threads=threads).tobytes() for threads in (1, 2, 3, 7)}
    assert len(found) == 1 and next(iter(found)) == ts.gemm(m, n, k, beta=0.0)(a, b).tobytes()
    np.testing.assert_allclose(op(a, b), a @ b, rtol=1e-4, atol=1e-5)


def test_rows_beyond_the_caches_are_claimed() -> None:
    """A softmax of 8 MiB is claimed in parts; if the caches hold the operands, each worker has a fixed part."""
    kernel = ts.spread(ts.fused("softmax", 1024, 1024))
    assert isinstance(kernel, Spread)
    near = ts.spread(ts.fused("softmax", 64, 128))
    l2 = kernel.target.l2 or L2
    assert bool(kernel.claimed(2)) == (2 * l2 < 8 << 20) and not near.claimed(2)
    x = np.random.default_rng(0).standard_normal((1024, 1024)).astype(np.float32)
    assert len({kernel(x, threads=threads).tobytes() for threads in (1, 2, 3, 7)}) == 1
