"""`tilesmith bench eltwise`: errors, goals, and the printed and saved report. No test judges the speed."""

from __future__ import annotations

import io
import math

import mpmath
import numpy as np
import pytest
from rich.console import Console

from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.functions.accuracies import ACCURACIES
from tilesmith.microkernels.functions.activations import CATALOGUE
from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import eltwise as bench_eltwise
from tilesmith.runtime.bench.cases import optimizers
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


def test_goals():
    ours = [
        {"function": name, "who": "host", "form": form, "seconds": 1e-10, "numpy's exp": 5e-10, "numpy's tanh": 5e-10}
        for name in CATALOGUE
        for form in ACCURACIES
    ]
    peers = [{"function": name, "who": "numpy", "form": "", "seconds": 5e-10} for name in ("exp", "tanh")]
    moved = [("copy", "libc", 1.2e11), *((name, "ours", 9e10) for name in ("copy", "relu", "add", "mul"))]
    bands = [
        {"kernel": kernel, "place": place, "who": who, "rate": rate}
        for place in ("L1", "L2")
        for kernel, who, rate in moved
    ]
    goals = {goal.what: goal for goal in bench_eltwise.goals(ours + peers, bands, "host")}
    assert goals["fast tanh: numpy's tanh by ours"].found == pytest.approx(5)
    assert goals["fast tanh: numpy's tanh by ours"].state == "reached"
    assert goals["fast gelu: torch's gelu by ours"].state == "not measured"
    assert goals["add in L1, by copy"].found == pytest.approx(0.75)
    assert goals["add in L1, by copy"].state == "NOT REACHED"


def test_a_target_that_does_not_run_here():
    wanted = "neon" if host.runs(host.resolve("neon")) else "avx2"
    with pytest.raises(UnsupportedError):
        runner.run(bench_eltwise.BENCH, ("--target", wanted))


def run(monkeypatch, name, *given):
    """Run the benchmark with one function and very short measurements."""
    monkeypatch.setattr(bench_eltwise, "CATALOGUE", {name: CATALOGUE[name]})
    monkeypatch.setattr(bench_eltwise, "BAND", {"L1": 512, "L2": 1024})
    monkeypatch.setattr(eltwise_peers, "torch_module", lambda: None)
    return runner.run(bench_eltwise.BENCH, given, console=Console(file=io.StringIO(), width=120)).tables


def test_a_run(monkeypatch):
    tables = run(monkeypatch, "exp", "--target", "avx2", "--seconds", "0.005")
    by = {(row["form"], row["who"]): row for row in tables["functions"]}
    for form, most in (("standard", 4), ("accurate", 1), ("fast", 48)):
        assert by[form, "avx2"]["ulp"] <= most
    assert all(row["seconds"] > 0 for row in tables["functions"])
    assert {row["who"] for row in tables["bandwidth"]} == {"ours", "numpy", "libc"}


def test_double_precision(monkeypatch):
    """Every accuracy of a function is timed beside its peers, with the error that it promises."""
    me = host.host().name
    rows = run(monkeypatch, "tanh", "--target", me, "--dtype", "f64", "--seconds", "0.001")["functions"]
    assert [(row["who"], row["form"]) for row in rows] == [*((me, form) for form in ACCURACIES), ("numpy", "")]
    assert all(row["cycles"] > 0 for row in rows) and rows[1]["ulp"] == 1 < rows[0]["ulp"] == 4 < rows[2]["ulp"]


def test_optimizers_are_measured_beside_copies():
    for name in optimizers.STEPS:
        row = optimizers.measured(runner.Run(0.0, None, []), name, "L2", None)
        assert min(row[who] for who in ("rate", "copy", "libc")) > 0
