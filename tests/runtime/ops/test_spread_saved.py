"""Spread kernels without Python: called by C programs, and executed in the emulator."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests import c_jobs
from tests.oracles import tools
from tilesmith.emulation.workers import Race
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.loops.code import affine
from tilesmith.runtime.loops.job import Job
from tilesmith.runtime.ops.spread import Spread

KERNELS: dict[str, Callable[[Any], Any]] = {
    "relu": lambda target: ts.unary("relu", 44, 100, target=target),
    "softmax": lambda target: ts.fused("softmax", 44, 100, target=target),
    "a vector": lambda target: ts.unary("square", 1, 5_003, target=target),
    "any number of rows": lambda target: ts.fused("softmax", ts.RUNTIME, 60, target=target),
}


def normal(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("openmp", [False, True])
def test_a_c_program_computes_softmax(openmp: bool, tmp_path: Path) -> None:
    k = ts.spread(ts.fused("softmax", 300, 77))
    x = normal(300, 77)
    found = c_jobs.run(tmp_path, k, [x, np.full_like(x, 7)], 3, name="softmax" if openmp else None, openmp=openmp)
    np.testing.assert_array_equal(found[1], k.kernel(x))
    assert "operands[1]: float *y" in (tmp_path / "job.h").read_text()


def test_a_c_program_passes_numbers(tmp_path: Path) -> None:
    """The seed of dropout stands in the table itself; every part knows the position of its rows."""
    k = ts.spread(ts.unary("dropout", 150, 200, rate=0.4))
    x = normal(150, 200)
    found = c_jobs.run(tmp_path, k, [x, 5, np.full_like(x, 7)], 3)
    np.testing.assert_array_equal(found[1], k.kernel(x, 5))
    assert "operands[1]: (void *)seed, int64_t" in (tmp_path / "job.h").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.grid(5)
def test_the_emulator_runs_parts(name: str, target: str) -> None:
    """The bits of the kernel itself, whose code the emulator executes as well."""
    k = ts.spread(KERNELS[name](target))
    x = normal(20, 60) if k._parts else normal(*k.spec.operands[0].shape)
    wanted = k.kernel.run(x)
    out = np.zeros_like(x)
    assert k.run(x=x, out=out, workers=3, turns=1) is out
    np.testing.assert_array_equal(out, wanted)
    np.testing.assert_array_equal(k.run(x), wanted)


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_the_emulator_runs_stacks(target: str) -> None:
    k: Any = ts.gemm(3, 5, 4, stack=7, target=target)
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((7, 3, 4), (7, 4, 5), (7, 3, 5)))
    wanted = c + a @ b
    k.run(a, b, c, workers=3, turns=1)
    np.testing.assert_array_equal(c, wanted)


def test_the_emulator_finds_races() -> None:
    """Parts that overlap write the same bytes."""
    k: Any = Spread(ts.unary("square", 8, 600, target="avx2"), None)
    share = k.job.blob.nodes[0]
    assert share.headers[0].step == 4
    header = replace(share.headers[0], step=2, stop=(affine(5),), trips=3)
    k.__dict__["job"] = Job((replace(share, headers=(header,)),), k.target)
    with pytest.raises(Race, match="of y"):
        for turns in range(4):
            k.run(normal(8, 600), workers=2, turns=turns)


@pytest.mark.parametrize(
    "make", [lambda: ts.gemm(16, 16, 16, stack=10), lambda: ts.spread(ts.fused("softmax", ts.RUNTIME, 40))]
)
def test_what_cannot_be_saved_says_what_can(make: Callable[[], Any], tmp_path: Path) -> None:
    k = make()
    with pytest.raises(UnsupportedError, match=r"k\.part\.save\(path\), and call it in each thread with its own"):
        k.save(tmp_path / "k.o")
    k.part.save(tmp_path / "k.o")
    assert f" T {k.part.name}" in tools.run("nm", str(tmp_path / "k.o")).stdout


def test_how_they_look() -> None:
    k: Any = ts.spread(ts.fused("softmax", 300, 77))
    assert str(k).startswith("spread softmax_f32_300x77 in parts of") and "(x + " in str(k) and "y + " in str(k)
    assert k.name.startswith("ts_spread_softmax_f32_300x77_") and k.name in k.listing() and k.name in k.c_prototype
    assert str(inspect.signature(k)) == "(x, y=None, /, *, threads=None)" and k.plan is not None
    assert k.__doc__ == k.kernel.__doc__ and "k.plan" in Spread.__doc__ and k.flops == k.kernel.flops
    assert "<details>" in k._repr_html_()
    stack: Any = ts.gemm(16, 16, 16, stack=10)
    assert "each thread: ts_brgemm_" in str(stack) and "matrices" in str(stack)
    assert k.listing().count("ret") >= 2
