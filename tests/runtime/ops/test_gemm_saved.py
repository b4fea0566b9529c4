"""Products, spread kernels and layers without Python: called by C programs, and executed in the emulator."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests import c_jobs
from tests.c_jobs import BARRIER, NONE, SHARED, WORKER
from tilesmith.emulation.workers import Race
from tilesmith.runtime.loops.code import has_barriers, without_barriers
from tilesmith.runtime.loops.job import Job
from tilesmith.runtime.ops.gemm import Gemm


def numbers(shape: tuple[int, ...], seed: int, dtype: Any = np.float32) -> Any:
    """Small integers, whose products and sums are exact."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def table(k: Gemm, *arrays: Any) -> list[Any]:
    """The words that the product's header asks for."""
    packed, own = k._scratch
    a, b, c, *extras = arrays
    return [a, b, c, SHARED if packed else NONE, WORKER if own else NONE, BARRIER, *extras]


UNDER_QEMU = pytest.param("neon", 3, False, marks=pytest.mark.slow)


@pytest.mark.parametrize(("target", "workers", "openmp"), [(None, 3, False), (None, 4, True), UNDER_QEMU])
def test_a_c_program_multiplies(target: str | None, workers: int, openmp: bool, tmp_path: Path) -> None:
    """C = C + A @ B with packed blocks, a barrier and an epilogue, under a name of the caller's."""
    k = ts.gemm(
        90, 100, 700, order="CFC", epilogue=lambda c, bias: ts.relu(c + bias), operands={"bias": "row"}, target=target
    )
    assert k._scratch[0]
    a, b, c, bias = (numbers(shape, seed) for seed, shape in enumerate([(90, 700), (700, 100), (90, 100), (100,)]))
    found = c_jobs.run(
        tmp_path, k, table(k, a, b.T.copy(), c, bias), workers, name="product", a64=target is not None, openmp=openmp
    )
    np.testing.assert_array_equal(found[2], np.maximum(c + a @ b + bias, 0))
    for given, left in zip((a, b.T, bias), (found[0], found[1], found[3])):
        np.testing.assert_array_equal(given, left)
    header = (tmp_path / "job.h").read_text()
    assert "operands[7]: const float *bias" in header and f"#define product_shared_bytes {k._scratch[0]}" in header


def test_a_c_program_gives_each_worker_memory(tmp_path: Path) -> None:
    """A column-major A is packed by each worker for itself."""
    k = ts.gemm(200, 60, 130, order="FCC", beta=0.0)
    assert k._scratch[1]
    a, b, c = numbers((200, 130), 0), numbers((130, 60), 1), numbers((200, 60), 2)
    found = c_jobs.run(tmp_path, k, table(k, np.ascontiguousarray(a.T), b, c), 3)
    np.testing.assert_array_equal(found[2], a @ b)
    again = np.empty_like(c)
    k(np.asfortranarray(a), b, again)
    np.testing.assert_array_equal(again, found[2])


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
@pytest.mark.parametrize("workers", [1, 3])
def test_the_emulator_runs_products(target: str, workers: int) -> None:
    k = ts.gemm(13, 24, 20, epilogue=lambda c, bias: c + bias, operands={"bias": "col"}, target=target)
    a, b, c, bias = (numbers(shape, seed) for seed, shape in enumerate([(13, 20), (20, 24), (13, 24), (13, 1)]))
    wanted = c + a @ b + bias
    assert k.run(a, b, c, bias[:, 0], workers=workers, seed=workers) is None
    np.testing.assert_array_equal(c, wanted)
    plain = ts.gemm(13, 24, 20, beta=0.0, target=target)
    np.testing.assert_array_equal(plain.run(a, b, workers=workers), a @ b)


def test_the_emulator_finds_a_missing_barrier() -> None:
    """Without its barriers a product that packs B races in the scratch memory."""
    k = Gemm(ts.gemm(8, 32, 6, order="CFC", target="avx2").request, None)
    k.__dict__["plan"] = replace(k.plan, mb=4, nb=8, schedule=replace(k.plan.schedule, ng=8))
    a, b, c = numbers((8, 6), 0), np.asfortranarray(numbers((6, 32), 1)), numbers((8, 32), 2)
    wanted = c + a @ b
    k.run(a, b, c, workers=2, seed=1)
    np.testing.assert_array_equal(c, wanted)
    assert k._scratch[0] and has_barriers(k.nest.nodes())
    k.__dict__["job"] = Job(without_barriers(k.nest.nodes()), k.target)
    with pytest.raises(Race, match="scratch memory"):
        for seed in range(4):
            k.run(a, b, c, workers=2, seed=seed)


def test_how_products_look() -> None:
    """A product prints its loops; its documentation and signature name the arguments; notebooks show the listing."""
    # a target that is named has the usual size of L2; in a larger one, B is not packed
    k = ts.gemm(90, 400, 700, epilogue=lambda c, bias: c + bias, operands={"bias": "row"}, target="avx2")
    shown = str(k)
    assert shown.startswith("gemm 90 x 400 x 700 f32") and str(k.plan) in shown and "shared scratch" in shown
    assert "+ -" not in shown
    assert k.name.startswith("ts_gemm_f32_90x400x700_") and k.name in k.c_prototype and k.name in k.listing()
    assert str(inspect.signature(k)) == "(a, b, c, bias, /, *, threads=None)"
    assert "bias   f32 (400,)" in k.__doc__ and "k.plan" in Gemm.__doc__
    assert k.listing()[:200].splitlines()[0] in k._repr_html_()
