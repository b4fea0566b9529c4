"""Machine code took scratch memory for calls that it then refused, and for results that it could not allocate, and did
not return it: after four of them each call of a product allocated its own."""

from __future__ import annotations

import os
import resource
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import run_forked
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.loops import scratch
from tilesmith.runtime.ops.gemm import Gemm

pytestmark = pytest.mark.skipif(bool(entry.refusal()), reason="calls go through Python here")


def free() -> int:
    """Return the number of buffers that no call uses."""
    return sum(bool(scratch._slots[2 * slot]) for slot in range(scratch.KEPT))


@pytest.fixture
def product() -> Gemm:
    made: Any = ts.gemm(140, 150, 160, order="CFC", beta=0.0)
    fresh = Gemm(made.request, None)
    fresh(np.zeros((140, 160), np.float32), np.zeros((150, 160), np.float32).T)
    assert fresh.direct and any(fresh._scratch)
    return fresh


def test_shapes_that_do_not_fit(product: Gemm) -> None:
    a, b, c = np.zeros((140, 160), np.float32), np.zeros((150, 160), np.float32).T, np.zeros((140, 150), np.float32)
    before = free()
    assert before
    for wrong in ((a[:-1], b, c), (a, b[:, :-1], c), (a, b, c[:-1]), (a, b, c[:, :-1]), (a[:-1], b), (a, b[:-1])):
        with pytest.raises(ValueError, match="shape"):
            product(*wrong)
        assert free() == before


@pytest.mark.skipif("QEMU_CPU" in os.environ, reason="qemu does not impose RLIMIT_AS")
def test_results_that_cannot_be_allocated() -> None:
    def child() -> None:
        made: Any = ts.gemm(4096, 4096, 16, order="CFC", beta=0.0)
        a, b = np.zeros((4096, 16), np.float32), np.zeros((4096, 16), np.float32).T
        made(a, b)
        assert made.direct and any(made._scratch)
        before, kept = free(), []
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), resource.RLIM_INFINITY))
        with pytest.raises(MemoryError):
            for _ in range(100):
                kept.append(made(a, b))
        assert free() == before

    assert run_forked(child) == 0
