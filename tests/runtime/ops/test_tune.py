"""`tune` of products: the result is kept for gemm and matmul, shown in the plan, and computes the product."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import guarded
from tests.kept_products import forget as forget_products
from tests.kept_products import kept_calls
from tests.runtime.loops.test_tuner import FACTS
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.loops import machine_facts
from tilesmith.runtime.loops.contest import ContestResult, Timed
from tilesmith.runtime.ops import tune as tuning
from tilesmith.runtime.ops.block_model import ModelledMachine, candidates, predicted
from tilesmith.runtime.ops.blocks import blocks
from tilesmith.runtime.ops.gemm import Gemm
from tilesmith.runtime.ops.schedules import Blocks, OwnB, SharedB
from tilesmith.runtime.ops.tuned_blocks import FILE, forget, keep_blocks, question, tuned_blocks

SIZE = (200, 170, 230)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Use an empty cache folder with the facts of a small machine, and forget all tuned blocks before and after."""
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path / "cache"))
    _anew()
    machine_facts.keep(machine_facts.key(), FACTS._asdict())
    yield tmp_path / "cache"
    _anew()


def _anew() -> None:
    machine_facts.facts.cache_clear()
    forget()
    ts.gemm.cache_clear()  # type: ignore[attr-defined]
    forget_products()


def plan_of(size: tuple[int, int, int] = SIZE, **request: Any) -> Blocks:
    made: Any = ts.gemm(*size, beta=0.0, **request)
    return made.plan  # type: ignore[no-any-return]


@pytest.mark.slow
def test_found_kept_and_used(cache: Path) -> None:
    op: Any = ts.gemm(*SIZE, beta=0.0)
    untuned = op.plan
    found = ts.tune(op, budget="200ms", threads=2)
    shown = repr(found)
    said = "nothing faster was found" if found.gain == 1 else "times as fast"
    assert "as given" in shown and said in shown and "were measured" in shown
    assert found.gain >= 1 and found.considered > len(found.trials) >= 2 and untuned.gain is None
    kept = plan_of()
    assert kept == found.op.plan and "tuned on this machine" in str(kept)
    assert plan_of(alpha=2.0, threads=1).gain == kept.gain  # the tuned blocks do not depend on alpha and threads
    assert plan_of(dtype="f64").gain is None
    again = ts.tune(found.op, budget="200ms")
    assert again.remembered and again.op.plan == found.op.plan and "remembered" in str(again)
    assert not ts.tune(found.op, budget="10ms", again=True).remembered
    (host,) = [
        each
        for name, each in json.loads((cache / "tuned.json").read_text())["entries"].items()
        if name.startswith("products")
    ]
    (name,) = host
    assert name.startswith("gemm 200 x 170 x 230 f32/f32/f32")


@pytest.mark.parametrize("faster", [False, True])
def test_what_is_said_if_nothing_is_faster(faster: bool, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """It is kept that nothing is faster; the result, the plan and the table say so instead of "1.000"."""

    def contest(used: Any, ranked: Any, *_: Any) -> ContestResult[Any]:
        timed = Timed(used, 2e-3, 2e-3), Timed(ranked[0], 1e-3 if faster else 2e-3, 2e-3)
        return ContestResult(
            ranked[0] if faster else used, 2e-3, 1e-3 if faster else 2e-3, 1.5 if faster else 1.0, timed
        )

    monkeypatch.setattr(tuning, "contest", contest)
    op: Any = ts.gemm(*SIZE, beta=0.0)
    untuned = op.plan
    found = ts.tune(op, budget="1ms", threads=1)
    again = ts.tune(op, budget="1ms", threads=1)
    first, second = repr(found), repr(again)
    assert not capsys.readouterr().out
    assert again.remembered and again.gain == found.gain == (1.5 if faster else 1)
    if faster:
        assert "2.000 ms as given, 1.000 ms tuned, 1.500 times as fast; 1 of" in first
        assert "tuned on this machine, 1.500 times as fast as untuned" in second
        return
    assert "2.000 ms as given, which stays: nothing faster was found; 1 of" in first
    assert "tuned on this machine, no other blocks were faster" in second
    assert "1.000" not in first + second and str(plan_of()) in second
    assert replace(plan_of(), gain=None) == untuned


@pytest.mark.slow
def test_other_blocks_are_used(cache: Path) -> None:
    """gemm, matmul, which has cached its kernel, and another process use the tuned blocks, and the product is right."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((200, 230), (230, 170)))
    np.testing.assert_array_equal(ts.matmul(a, b), a @ b)
    untuned: Any = ts.gemm(*SIZE, beta=0.0)
    other = replace(untuned.plan, mb=24, nb=32, kb=128, schedule=SharedB(170, 170, packs_a=True), gain=1.5)
    keep_blocks(untuned.product, untuned.target, other, 1)
    tuning._remade(untuned)
    ng = plan_of().ng
    assert plan_of() == replace(other, schedule=SharedB(170, ng, packs_a=True)) and ng % 32 == 0
    np.testing.assert_array_equal(ts.matmul(a, b), a @ b)
    (large,) = kept_calls()
    assert large.run.nest.plan.gain == 1.5  # type: ignore[attr-defined]
    outputs = set()
    for threads in (1, 2, 3, 7):
        product: Any = ts.gemm(*SIZE, beta=0.0, threads=threads)
        c = np.zeros((200, 170), np.float32)
        integers, keep = product.checked(a + np.float32(0.1), b, c)
        product._run(integers, threads)
        del keep
        outputs.add(c.tobytes())
    assert len(outputs) == 1
    code = "import tilesmith as ts; print(ts.gemm(200, 170, 230, beta=0.0).plan)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TILESMITH_CACHE": str(cache)},
    )
    assert "blocks of 24 x 32 x 128" in done.stdout and "1.500 times" in done.stdout
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TILESMITH_CACHE": "off"},
    )
    assert "tuned" not in done.stdout


def test_epilogues_and_layers() -> None:
    """An epilogue runs in the tuned loops; the layout of packed weights does not change."""
    layer: Any = ts.linear(*SIZE)
    before = layer.plan
    op: Any = ts.gemm(*SIZE, beta=0.0)
    tuned = replace(op.plan, mb=32, nb=32, kb=192, schedule=SharedB(170, 170), gain=1.1)
    keep_blocks(op.product, op.target, tuned, 1)
    tuning._remade(op)
    ts.linear.cache_clear()  # type: ignore[attr-defined]
    assert ts.linear(*SIZE).plan == before
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((200, 230), (230, 170)))
    bias = np.arange(170, dtype=np.float32)
    made: Any = ts.gemm(*SIZE, beta=0.0, epilogue=lambda c, bias: ts.relu(c + bias), operands={"bias": "row"})
    assert made.plan.gain == 1.1
    c = np.zeros((200, 170), np.float32)
    made(a, b, c, bias)
    np.testing.assert_array_equal(c, np.maximum(a @ b + bias, 0))


@pytest.mark.parametrize(
    "change",
    [
        {"mb": 0},
        {"mb": 4000},
        {"nb": 400},
        {"kb": 10**6},
        {"kb": 33},
        {"nc": 100},
        {"ng": 1},
        {"packs_a": 1},
        {"mb": 2.5},
        {"gain": "much"},
        {"gain": float("nan")},
        {"name": "InPlace"},
        {"threads": 0},
        {"name": "OwnB"},
        {"name": ["OwnB"]},
        {"fetched": True},
        {"lines": 1},
        {"turned": True},
        {"widened": True},
        {"more": 1},
        {"kb": 64},
    ],
)
def test_invalid_entries_are_ignored(change: dict[str, Any]) -> None:
    """Only the blocks of candidates are used, even if an entry is sealed."""
    op: Any = ts.gemm(*SIZE)
    good = replace(op.plan, mb=24, nb=32, kb=128, schedule=SharedB(170, 170), gain=1.5)
    keep_blocks(op.product, op.target, good, 1)
    forget()
    assert tuned_blocks(op.product, op.target) == good
    own = replace(good, schedule=OwnB())
    keep_blocks(op.product, op.target, own, 1)
    forget()
    assert tuned_blocks(op.product, op.target) == own
    keep_blocks(op.product, op.target, good, 1)
    (host,) = machine_facts.entries(FILE)
    (entry,) = machine_facts.entries(FILE)[host].values()
    for name, value in change.items():
        places = entry["blocks"]["schedule"], entry["blocks"], entry
        next((place for place in places if name in place), entry)[name] = value
    machine_facts.keep(host, {question(op.product, op.target): entry}, FILE)
    forget()
    assert tuned_blocks(op.product, op.target) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "request_",
    [
        {"dtype": "f64"},
        {"dtype": "bf16"},
        {"dtype": ("u8", "i8", "i32")},
        {"order": "FCC"},
        {"order": "CFF"},
    ],
)
def test_every_candidate_computes_the_product(request_: dict[str, Any]) -> None:
    """A sample of the candidates computes the same product; a narrow C is rounded once."""
    size = (30, 40, 160)
    spec = ts.gemm_spec(*size, beta=0.0, **request_)
    untuned = blocks(spec, 1 << 20, 16, 1)
    found = candidates(untuned, spec, 16, 1 << 20, 2)
    assert found and all(each.fits(spec) for each in (untuned, *found))
    if request_.get("dtype") == "bf16":
        assert {each.kb for each in found} == {160}
    op: Any = ts.gemm(*size, beta=0.0, **request_)
    addresses, keep = tuning._operands(op.product)
    results = []
    own = [each for each in found if each.own_b]
    assert bool(own) == (spec.order[0] == "C") and len(own) < len(found)
    for plan in [*found[:: max(1, len(found) // 3)], *own[-1:]]:
        tuning._with(op, plan)._run(addresses, 2)
        results.append(keep[2].copy())
    wide = np.asarray(results[0], np.float64)
    assert np.any(wide)
    for each in results[1:]:
        np.testing.assert_allclose(np.asarray(each, np.float64), wide, rtol=2e-5)


def test_the_model() -> None:
    """Unneeded packing, small blocks that read B more often, and idle workers cost time in the model."""
    spec = ts.gemm_spec(1024, 1024, 1024)
    machine = ModelledMachine(FACTS, 1, 1e11, 16)
    usual = blocks(spec, 1 << 20, 16, 1, 1)

    def seconds(
        machine: ModelledMachine = machine, mb: int = usual.mb, nb: int = usual.nb, kb: int = usual.kb, **shared: Any
    ) -> float:
        schedule = replace(usual.schedule, **shared)  # type: ignore[type-var]
        return predicted(replace(usual, mb=mb, nb=nb, kb=kb, schedule=schedule), spec, machine)

    least = 2 * 1024**3 / 1e11
    assert least < seconds() < 2 * least
    assert seconds(packs_a=True) > seconds(packs_a=False)
    assert seconds(mb=16) > seconds(mb=96)
    assert seconds(kb=16) > seconds(kb=512)
    assert seconds(nb=17, nc=1020, ng=1020) > 1.5 * seconds(nb=32, nc=1024, ng=1024)
    two = replace(machine, workers=2)
    assert seconds(two, mb=1024, ng=1024) > 0.9 * seconds(mb=1024, ng=1024) > seconds(two, mb=64, ng=1024)


def test_untunable_requests_are_named() -> None:
    for other in (ts.brgemm(4, 4, 4), ts.linear(4, 4, 4), ts.gemm(4, 4, 4, stack=3), 3):
        with pytest.raises(UnsupportedError, match=r"products of ts\.gemm"):
            ts.tune(other)  # type: ignore[call-overload]
    op: Any = ts.gemm(4, 4, 4)
    assert isinstance(op, Gemm)
    with pytest.raises(ValueError, match="budget: "):
        ts.tune(op, budget="soon")
    with pytest.raises(TypeError, match="budget, threads and again"):
        ts.tune(op, measure=3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="rules take measure="):
        ts.tune(["ab"], {}, lambda i: None, budget="1s")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="threads"):
        ts.tune(op, threads=0)
    with pytest.raises(UnsupportedError):
        ts.tune(ts.gemm(30, 30, 30, target="neon"), budget="10ms")  # type: ignore[arg-type]


@pytest.mark.parametrize(("dtype", "order"), [("f16", "CCC"), ("f32", "CFF"), ("bf16", "CCC"), ("f32", "CCC")])
def test_the_rate_is_measured_on_memory_of_the_blocks(dtype: Any, order: Any, monkeypatch: Any) -> None:
    """The kernel of a whole block stays inside the memory that stands for its operands."""
    op: Any = ts.gemm(150, 70, 130, dtype=dtype, order=order, beta=0.0)
    monkeypatch.setattr(tuning, "_zeroed", lambda size: guarded(np.zeros(size, np.uint8), "end", writable=True))
    assert tuning._rate(op) > 0


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_column_major_results_of_narrow_types(dtype: Any) -> None:
    op: Any = ts.gemm(300, 64, 130, dtype=dtype, order="CFF", beta=0.0)
    assert op.plan.turned
    found: Any = ts.tune(op, budget="20ms")
    assert found.op.plan.turned
    a, b = np.ones((300, 130), numpy_dtype(dtype)), np.ones((64, 130), numpy_dtype(dtype)).T
    for beta in (0.0, 1.0):  # another beta does not use blocks that are transposed
        c = np.ones((300, 64), numpy_dtype(dtype), order="F")
        ts.gemm(300, 64, 130, dtype=dtype, order="CFF", beta=beta)(a, b, c)
        assert (c.astype(np.float32) == 130 + beta).all()
