"""Scratch memory: bounded for every request, reused, never shared by two calls at once, and released."""

from __future__ import annotations

import threading
from itertools import product
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.threads import together
from tilesmith.microkernels.dtypes import ELEMENT_BYTES
from tilesmith.runtime.loops import scratch
from tilesmith.runtime.ops.blocks import blocks, is_bounded
from tilesmith.runtime.ops.blocks import scratch as needed

EXTENTS = (1, 7, 200, 4096, 65536, 1 << 20)
TYPES: tuple[Any, ...] = ("f32", "f64", "bf16", ("bf16", "bf16", "f32"), ("u8", "i8", "i32"))


@pytest.fixture(autouse=True)
def empty() -> Any:
    ts.trim()
    yield
    ts.trim()


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_it_is_bounded(dtype: Any) -> None:
    """Bounds: 4 MiB of packed B and half of L2 per thread, except for bf16, whose sums are not split into blocks of k:
    there a block has at least one vector of columns and four rows of the whole depth.
    """
    l2 = 1 << 20
    for order, m, n, k in product(("CCC", "FCC", "CFC"), EXTENTS, EXTENTS, EXTENTS):
        spec = ts.gemm_spec(m, n, k, dtype=dtype, order=order)
        lanes = 64 // ELEMENT_BYTES[spec.acc_dtype]
        plan = blocks(spec, l2, lanes, 2, 2)
        packed, own = needed(plan, spec)
        assert is_bounded(plan, spec, l2, lanes), (order, m, n, k)
        if dtype != "bf16":
            assert packed <= 4 << 20 and own <= l2 // 2, (order, m, n, k)
        assert packed <= 32 << 20 and own <= (8 << 20) + 4 * 64  # one cache line of padding per row


@pytest.mark.parametrize("n", [1, 7, 15, 150, 333])
def test_scratch_memory_of_kernels_is_within_the_bound(n: int) -> None:
    """The kernels use at most the bounds of the plan, rounded up to whole pages."""
    made = ts.gemm(600, n, 1 << 18, dtype="bf16", threads=1)
    packed, own = needed(made.plan, made.product)
    assert made.kernels.bytes_packed <= -(-packed // 4096) * 4096
    assert made.kernels.bytes_own <= -(-own // 4096) * 4096


@pytest.mark.parametrize("request_", [{}, {"order": "FCC"}, {"dtype": "bf16"}, {"dtype": ("u8", "i8", "i32")}], ids=str)
def test_scratch_memory_of_calls_is_that_of_the_plan(request_: dict[str, Any]) -> None:
    op: Any = ts.gemm(300, 500, 600, beta=0.0, **request_)
    packed, own = needed(op.plan, op.product)
    page = 4096
    assert [op.kernels.bytes_packed, op.kernels.bytes_own] == [-(-each // page) * page for each in (packed, own)]


def test_it_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Successive calls reuse one buffer, the largest; of several buffers at a time at most four are kept."""
    made: list[int] = []
    plain = scratch.PageBuffer

    class Counted(plain):  # type: ignore[misc, valid-type]
        def __init__(self, size: int) -> None:
            made.append(size)
            super().__init__(size)

    monkeypatch.setattr(scratch, "PageBuffer", Counted)
    rng = np.random.default_rng(0)
    small, large = (rng.standard_normal((size, size)) for size in (390, 480))
    for _ in range(5):
        ts.matmul(small, small)
        ts.matmul(large, large)
    assert len(made) <= 2
    assert ts.trim() == max(made)
    assert ts.trim() == 0
    all_in = threading.Barrier(7, timeout=30)

    def hold() -> None:
        with scratch.buffer(5000) as own:
            all_in.wait()
            assert own.address % 4096 == 0 and own.size >= 5000
            taken.add(own.address)
            all_in.wait()

    taken: set[int] = set()
    together(*[hold] * 7)
    assert len(taken) == 7
    assert ts.trim() == 4 * 5000


def test_trimmed_while_others_compute() -> None:
    """A buffer that a call uses is not trimmed before the call ends."""
    a = np.random.default_rng(0).standard_normal((420, 420))
    wanted, stop = ts.matmul(a, a), threading.Event()

    def calls() -> None:
        try:
            for _ in range(15):
                np.testing.assert_array_equal(ts.matmul(a, a), wanted)
        finally:
            stop.set()

    def trims() -> None:
        while not stop.wait(0.0003):
            ts.trim()

    together(calls, trims)
