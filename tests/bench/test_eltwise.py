"""`tilesmith bench eltwise`: errors, goals, and the printed and saved report. No test judges the speed."""

from __future__ import annotations

import io
import json
import math

import mpmath
import numpy as np
import pytest
from rich.console import Console

from tests.bench import optimizers
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.functions.accuracies import ACCURACIES
from tilesmith.microkernels.functions.activations import CATALOGUE
from tilesmith.runtime.bench import eltwise as bench_eltwise
from tilesmith.runtime.bench import eltwise_f64 as bench_eltwise_f64
from tilesmith.runtime.bench.eltwise import Band, EltwiseReport, Point
from tilesmith.runtime.bench.peers import elementwise as eltwise_peers
from tilesmith.runtime.bench.peers.elementwise import REFERENCES, sample, ulp_error
from tilesmith.runtime.host import detect as host

F32 = np.float32


def test_error_of_neighbours():
    exact = np.array([1.0, 1.0, 2.0**-140, 1000.0])
    assert ulp_error(exact.astype(F32), exact) == 0
    up = np.nextafter(exact.astype(F32), F32(np.inf))
    assert ulp_error(up, exact) == 1
    assert ulp_error(np.array([F32(1)]), np.array([1 + 2.0**-24])) == 0.5
    assert ulp_error(np.array([F32(2.0**-10 + 2.0**-30)]), np.array([2.0**-10]), floor=1.0) == 2.0**-30 / 2.0**-23


def test_errors_of_nan_and_infinity():
    assert ulp_error(np.array([F32(np.nan)]), np.array([np.nan])) == 0
    assert ulp_error(np.array([F32(np.inf)]), np.array([np.inf])) == 0
    assert ulp_error(np.array([F32(1)]), np.array([np.nan])) == math.inf
    assert ulp_error(np.array([F32(np.nan)]), np.array([1.0])) == math.inf
    assert ulp_error(np.array([F32(-np.inf)]), np.array([np.inf])) == math.inf
    assert ulp_error(np.array([F32(np.inf)]), np.array([1e30])) == math.inf


EXACT = {
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log": mpmath.log,
    "tanh": mpmath.tanh,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "gelu": lambda x: x * mpmath.ncdf(x),
    "gelu_tanh": lambda x: x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3))),
    "elu": lambda x: x if x > 0 else mpmath.expm1(x),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
}


@pytest.mark.parametrize("name", CATALOGUE)
def test_references_are_right(name):
    """The references are right to 2^-33, a thousandth of an ulp of f32."""
    x = np.linspace(0.01, 9, 40) if name == "log" else np.linspace(-9, 9, 41)
    with mpmath.workdps(60):
        exact = [EXACT[name](mpmath.mpf(float(each))) for each in x]
        found = REFERENCES[name](x)
        for value, want in zip(found, exact):
            assert abs(mpmath.mpf(float(value)) - want) <= abs(want) * mpmath.mpf(2) ** -33


def test_the_sample_is_of_the_domain():
    x = sample((0.0, math.inf), 1 << 10)
    assert x.dtype == F32 and (x >= 0).all() and np.isfinite(x).all() and x.min() < 1e-30 and x.max() > 1e30


def report():
    ours = [Point(name, accuracy, "host", 1e-10, 1.0) for name in CATALOGUE for accuracy in ACCURACIES]
    peers = [Point(name, "numpy", "", 5e-10, 2.0) for name in ("exp", "tanh")]
    bands = [Band(kernel, place, "ours", 9e10) for kernel in ("copy", "relu", "add", "mul") for place in ("L1", "L2")]
    bands += [Band("copy", place, "libc", 1.2e11) for place in ("L1", "L2")]
    beside = {f"{name} {yardstick}": 5e-10 for name in CATALOGUE for yardstick in ("exp", "tanh")}
    made = EltwiseReport("a machine", 3e9, ours + peers, beside, bands)
    made.goals = bench_eltwise._goals(made, "host")
    return made


def test_goals():
    goals = {goal.what: goal for goal in report().goals}
    assert goals["fast tanh: numpy's tanh by ours"].found == pytest.approx(5)
    assert goals["fast tanh: numpy's tanh by ours"].state == "reached"
    assert goals["fast gelu: torch's gelu by ours"].state == "not measured"
    assert goals["add in L1, by copy"].found == pytest.approx(0.75)
    assert goals["add in L1, by copy"].state == "NOT REACHED"


def test_printed_and_saved(tmp_path):
    console = Console(file=io.StringIO(), width=120)
    bench_eltwise._print(console, report())
    text = console.file.getvalue()
    assert "NOT REACHED" in text and "softplus" in text and "3.00 GHz" in text
    report().save(tmp_path / "report.json")
    saved = json.loads((tmp_path / "report.json").read_text())
    assert saved["points"][0]["function"] == "exp" and saved["goals"][0]["state"] == "reached"


def test_a_target_that_does_not_run_here():
    wanted = "neon" if host.runs(host.resolve("neon")) else "avx2"
    with pytest.raises(UnsupportedError):
        bench_eltwise.bench_eltwise(wanted)


def test_a_run(monkeypatch, tmp_path):
    """Run the benchmark with one function and very short measurements."""
    monkeypatch.setattr(bench_eltwise, "CATALOGUE", {"exp": CATALOGUE["exp"]})
    monkeypatch.setattr(bench_eltwise, "BAND", {"L1": 512, "L2": 1024})
    monkeypatch.setattr(eltwise_peers, "torch_module", lambda: None)
    console = Console(file=io.StringIO(), width=120)
    found = bench_eltwise.bench_eltwise("avx2", 0.005, tmp_path / "r.json", console=console)
    by = {(point.who, point.target): point for point in found.points}
    assert by["standard", "avx2"].ulp <= 4 and by["accurate", "avx2"].ulp <= 1 and by["fast", "avx2"].ulp <= 48
    assert all(point.seconds > 0 for point in found.points)
    assert {band.who for band in found.bands} == {"ours", "numpy", "libc"}


def test_double_precision():
    """Every accuracy of a function is timed beside its peers, with the error that it promises."""
    me = host.host().name
    rows = list(bench_eltwise_f64.measured("tanh", [me], 0.001, 1e9))
    assert [(row.who, row.form) for row in rows][:4] == [
        *((me, form) for form in ACCURACIES),
        ("numpy", ""),
    ]
    assert all(row.cycles > 0 for row in rows)
    assert rows[1].promised == 1 < rows[0].promised == 4 < rows[2].promised


def test_optimizers_are_measured_beside_copies():
    for name in optimizers.STEPS:
        rates = optimizers.shares(name, "L2", 0.0)
        assert rates.keys() - {"bare"} == {"step", "copy", "libc"} and min(rates.values()) > 0
    assert [step.bytes for step in optimizers.STEPS.values()] == [(12, 20), (8, 12), (16, 28)]
