"""A product in which each worker packs its own blocks of B wrote them at the address of the shared scratch memory. Its
header said that this word is not read, so a C program that followed the header wrote to address 0."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests import c_jobs
from tests.c_jobs import BARRIER, NONE, WORKER
from tilesmith.runtime.ops.gemm import Gemm
from tilesmith.runtime.ops.schedules import OwnB


def whole(shape: tuple[int, int]) -> Any:
    """Small integers, whose products and sums are exact."""
    return np.random.default_rng(1).integers(-3, 4, shape).astype(np.float32)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_c_program_follows_the_header(workers: int, tmp_path: Path) -> None:
    k = ts.gemm(3, 583, 459, dtype=("u8", "i8", "i32"), order="CFF", target="sse")
    assert k.plan.own_b and k._scratch == (0, 24576)
    a, b, c = abs(whole((3, 459))).astype(np.uint8), whole((583, 459)).astype(np.int8), np.zeros((583, 3), np.int32)
    found = c_jobs.run(tmp_path, k, [a, b, c, NONE, WORKER, BARRIER], workers)
    np.testing.assert_array_equal(found[2], (a.astype(int) @ b.T.astype(int)).T)
    assert "operands[3]: not read" in (tmp_path / "job.h").read_text()


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
def test_the_emulator_has_no_other_memory(target: str) -> None:
    k = Gemm(ts.gemm(5, 20, 9, order="CFC", target=target).request, None)
    k.__dict__["plan"] = replace(k.plan, mb=3, nb=8, kb=5, schedule=OwnB())
    a, b, c = whole((5, 9)), whole((9, 20)), whole((5, 20))
    wanted = c + a @ b
    k.run(a, np.asfortranarray(b), c, workers=3, seed=1)
    np.testing.assert_array_equal(c, wanted)
