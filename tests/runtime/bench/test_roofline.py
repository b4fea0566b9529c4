"""`tilesmith roofline`: what a call moves, ceilings, refusals; no figure is judged."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import roofline
from tilesmith.runtime.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilesmith.runtime.kernel.callable import Kernel


@pytest.fixture(autouse=True)
def few_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read small sets in place of those that fill caches and memory."""
    monkeypatch.setattr(roofline, "_sets", lambda: [(name, 1 << 14) for name in ("L1", "L2", "L3", "memory")])


@pytest.mark.parametrize(
    ("kernel", "moved", "types"),
    [
        (ts.brgemm(8, 6, 4), 4 * (8 * 4 + 4 * 6 + 2 * 8 * 6), "f32"),
        (ts.brgemm(8, 6, 4, dtype="f64", beta=0.0, order="F"), 8 * (8 * 4 + 4 * 6 + 8 * 6), "f64"),
        (ts.brgemm(8, 6, 4, batch=3, beta=0.0), 4 * (3 * (8 * 4 + 4 * 6) + 8 * 6), "f32"),
        (ts.brgemm(8, 6, 4, stack=3), 3 * 4 * (8 * 4 + 4 * 6 + 2 * 8 * 6), "f32"),
        (ts.brgemm(8, 6, 4, dtype=("u8", "i8", "i32"), beta=0.0), 8 * 4 + 4 * 6 + 4 * 8 * 6, ("u8", "i8", "i32")),
        (ts.fused("softmax", 8, 16, dtype="bf16"), 2 * 2 * 8 * 16, "f32"),
        (ts.brgemm(8, 6, 4, lda=9, ldc=ts.RUNTIME), 4 * (8 * 4 + 4 * 6 + 2 * 8 * 6), "f32"),
        (ts.transpose(8, 6, dtype="f64"), 2 * 8 * 8 * 6, "f64"),
        (ts.attention(1, 8, 16, 32, dtype="bf16"), 2 * 32 * (8 + 16 + 16 + 8), ("bf16", "bf16", "f32")),
        (ts.fused("layernorm", 8, 16), 4 * (2 * 8 * 16 + 2 * 16), "f32"),
    ],
    ids=lambda each: each.spec.stem if hasattr(each, "spec") else "",
)
def test_what_a_call_moves(kernel: Kernel, moved: int, types: roofline.Types) -> None:
    """Each operand once; a result that is also read twice. The call computes what the kernel does."""
    made = roofline.call_of(kernel)
    assert (made.moved, made.types, made.place, made.flops) == (moved, types, "L1", kernel.flops)
    made.call.run(1)


def test_the_call_is_that_of_the_kernel() -> None:
    made = roofline.call_of(ts.brgemm(8, 6, 4, batch=3, beta=0.0))
    a, b, c = made.call.keep[1]  # type: ignore[index]
    made.call.run(2)
    assert all(each.min() >= 0.5 and each.max() <= 1.5 for each in (a, b)), "numbers for which no function is slow"
    assert c == pytest.approx((a.astype("f8") @ b.astype("f8")).sum(0), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ts.gather("rows", 8, 8, size=9), "its bytes depend on them"),
        (lambda: ts.unary("relu", ts.RUNTIME, 64), "has extents that the call gives"),
        (lambda: ts.brgemm(8, 8, 8, batch=ts.STRIDE), "leaves something to the call"),
        (lambda: ts.transpose(8, 8, target="neon" if ts.host().arch == "x86" else "avx2"), "roofline: target "),
    ],
    ids=["indices", "rows", "batch", "target"],
)
def test_what_has_no_roofline_is_refused(make: Callable[[], Kernel], message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        roofline.of([make()], "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("gemm 64 64 64", "kernels that one thread runs"),
        ("transpose 8 8 --seconds 1 + transpose 4 4 --seconds 1", "--seconds: once for all kernels, not 2 times"),
    ],
)
def test_wrong_commands(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roofline", *words.split()]) == 2
    assert message in capsys.readouterr().err


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "roof.json"
    words = f"roofline brgemm 4 4 4 --json {path} + transpose 8 8 --seconds 1e-9 + brgemm 4 4 4 --batch 2"
    assert main(words.split()) == 0
    report = json.loads(path.read_text())
    assert report["command"] == f"tilesmith {words}" and "% of the ceiling" in capsys.readouterr().out
    product, moves, batch = report["tables"]["kernels"]["rows"]
    assert product["kernel"] != batch["kernel"] and moves["rate"] is None and moves["bound"] == "L1"
    peaks = {row["what"]: row["peak"] for row in report["tables"]["peaks"]["rows"]}
    read = {row["place"]: row["read"] for row in report["tables"]["loads"]["rows"]}
    for row in (product, moves, batch):
        bound = max(row["flops"] / peaks["f32"], row["bytes"] / read["L1"])
        assert row["share"] * row["seconds"] == pytest.approx(bound)
        assert row["share"] > 0
    assert [*read] == ["L1", "L2", "L3", "memory"]


def test_pipes_of_executed_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """An 8 x 8 product of 4 terms on vectors of 8 multiplies 32 times and adds C 8 times."""
    kernel = ts.brgemm(8, 8, 4, target="avx2")
    row = roofline._pipes(runner.Run(1e-9, None, [], 1e9), "name", roofline.call_of(kernel))
    assert row is not None and row["share"] * row["measured"] == pytest.approx(
        max(row[pipe] for pipe in roofline.PIPES)
    )
    found = kernel.emulate(*roofline.call_of(kernel).given)
    assert row["fma"] == (32 + 8) / kernel.target.fma_pipes and row["steps"] == found.steps
    assert row["issue"] == pytest.approx(found.steps / kernel.target.issue_width)
    monkeypatch.setattr(roofline, "EMULATED", 100)
    run = runner.Run(1e-9, None, [], 1e9)
    assert roofline._pipes(run, "name", roofline.call_of(kernel)) is None and "name is left out" in run.remarks[0]


def test_ceilings_of_a_drawing() -> None:
    """A point at a ceiling lies on its curve, and curves end where they meet."""
    bench = roofline.of([ts.brgemm(8, 8, 8)], "")
    report = runner.run(bench, ["--seconds", "1e-9"], console=Console(file=io.StringIO()))
    plot, peaks = report.plots["kernels"], [row["peak"] for row in report.tables["peaks"]]
    assert plot is not None and len(plot.beside) == 4 + 2
    for name, curve in plot.beside.items():
        (left, low), (right, high) = curve.items()
        if "GB/s" in name:
            assert low / left == pytest.approx(high / right) and high == max(peaks) and math.isfinite(low)
        else:
            assert low == high and low in peaks and left < right
