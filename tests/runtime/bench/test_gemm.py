"""`tilesmith bench gemm`: what is measured, when a goal is reached, and the printed and saved report."""

import io
import math

import numpy as np
import pytest
from rich.console import Console

from tilesmith.encoder.features import TARGETS, Target
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import gemm as bench
from tilesmith.runtime.bench.cases.gemm import BIG, SMALL, VECTORS, GemmShape
from tilesmith.runtime.bench.peers import products as peers
from tilesmith.runtime.bench.table import WrongResult
from tilesmith.runtime.host import detect as host

NAN = math.nan


def row(shape=SMALL[0], speed=90e9, peak=100e9, libxsmm=60e9, code=0.5e-3):
    return {
        "shape": str(shape),
        "speed": speed,
        "of peak": speed / peak,
        "by LIBXSMM": speed / libxsmm,
        "by NumPy": speed / 10e9,
        "again": code,
        "first": 4 * code,
    }


def section(set="small", dtype="f32", target=None):
    return bench.GemmSection(set, target, dtype, bench.SHAPES[set])


# What is measured


def names(sections):
    return [(part.set, part.target, part.dtype, len(part.shapes)) for part in sections]


def test_sections_on_an_avx512_machine(monkeypatch):
    monkeypatch.setattr(host, "host", lambda: Target("host", "x86", "avx512", frozenset(), 512, 512))
    monkeypatch.setattr(host, "runs", lambda target: "")
    assert names(bench.sections_of(None, None, "all")) == [
        ("big", None, "f32", 6),
        ("big", "avx2", "f32", 1),
        ("small", None, "f32", 13),
        ("small", None, "f64", 13),
    ]
    assert names(bench.sections_of(None, "f64", "all")) == [("big", None, "f64", 6), ("small", None, "f64", 13)]
    assert names(bench.sections_of("avx2", "f32", "small")) == [("small", "avx2", "f32", 13)]
    assert names(bench.sections_of(None, None, "big")) == [("big", None, "f32", 6), ("big", "avx2", "f32", 1)]


def test_sections_on_an_avx2_machine(monkeypatch):
    monkeypatch.setattr(host, "host", lambda: Target("host", "x86", "avx2", frozenset(), 256, 256))
    monkeypatch.setattr(host, "runs", lambda target: "")
    assert ("big", "avx2", "f32", 1) not in names(bench.sections_of(None, None, "all"))


def test_unmeasurable_requests_are_refused(monkeypatch):
    with pytest.raises(ValueError, match="shapes='huge': use one of big, small, all"):
        bench.sections_of(None, None, "huge")
    with pytest.raises(UnsupportedError, match="dtype='f16': bench gemm knows f32, f64"):
        bench.sections_of(None, "f16", "all")
    with pytest.raises(ValueError, match="target: one of"):
        bench.sections_of("avx3", None, "all")
    monkeypatch.setattr(host, "runs", lambda target: f"target {target.name} needs TELEPATHY")
    with pytest.raises(UnsupportedError, match="target avx512 needs TELEPATHY"):
        bench.sections_of("avx512", None, "all")


@pytest.mark.parametrize("dtype", bench.DTYPES.values())
@pytest.mark.parametrize("shape", [GemmShape(9, 35, 15), GemmShape(32, 16, 8, 5), GemmShape(1, 1, 1)], ids=str)
def test_operands_are_dense_column_major_and_aligned(shape, dtype):
    for array, extent in zip(bench.operands(shape, dtype), ("mk", "kn", "mn")):
        rows, columns = (getattr(shape, letter) for letter in extent)
        assert array.shape[-2:] == (rows, columns) and array.dtype == dtype
        assert array.swapaxes(-1, -2).flags.c_contiguous
        assert array.__array_interface__["data"][0] % 64 == 0
        assert 0 < abs(array).max() < 1
    again = bench.operands(shape, dtype)
    assert all((x == y).all() for x, y in zip(bench.operands(shape, dtype), again)), "the same in every run"


def test_a_wrong_result_is_not_timed():
    a, b, c = bench.operands(GemmShape(13, 5, 7, 3), np.float32)

    class Off:
        def __init__(self, error):
            self.error = error

        def run(self, count):
            for _ in range(count):
                c[...] += (a @ b).sum(0)
                c[3, 4] += self.error

    bench.check("right", Off(0), a, b, c)
    for error in (1e-3, -1e-3, NAN):
        with pytest.raises(WrongResult, match="^wrong: off by"):
            bench.check("wrong", Off(error), a, b, c)
        c[3, 4] = 0


# Goals


def test_goals_of_the_small_shapes():
    """All shapes have 1.5 times LIBXSMM's speed, except the two matrices by vectors with 15 and one shape with 0.9."""
    speeds = {shape: 15.0 if shape in VECTORS else 0.9 if shape == GemmShape(17, 17, 17) else 1.5 for shape in SMALL}
    rows = [row(shape, speed=60e9 * ratio) for shape, ratio in speeds.items()]
    mean, of_matrices, least = bench.goals(section(), rows, [])
    assert mean.found == pytest.approx((15**2 * 0.9 * 1.5**10) ** (1 / 13)) and mean.state == "reached"
    assert of_matrices.found == pytest.approx((0.9 * 1.5**10) ** (1 / 11)) and of_matrices.state == "reached"
    assert least.found == pytest.approx(0.9) and least.state == "NOT REACHED" and "17x17x17" in least.what


def test_goals_of_the_big_shapes(monkeypatch):
    monkeypatch.setattr(host, "resolve", lambda target: TARGETS[target or "avx512"])
    goals = list(bench.goals(section("big"), [row(shape, speed=93e9) for shape in BIG], []))
    assert [goal.state for goal in goals] == ["NOT REACHED"] * 3 + ["reached"] * 3
    assert not list(bench.goals(section("big", "f64"), [row(shape) for shape in BIG], []))


def test_without_libxsmm_ratios_are_not_measured():
    rows = [row(shape, libxsmm=NAN) for shape in SMALL]
    assert [goal.state for goal in bench.goals(section(), rows, [])] == ["not measured"] * 3


# Runs


def test_a_run_prints_every_table(monkeypatch):
    """Each row is `row(...)`: nothing is measured."""
    monkeypatch.setattr(bench, "measured", lambda run, section, shape: row(shape))
    monkeypatch.setattr(bench, "_request_seconds", lambda section: 0.3e-6)
    monkeypatch.setattr(bench, "_import_seconds", lambda: 0.03)
    out = io.StringIO()
    report = runner.run(bench.BENCH, (), console=Console(file=out, width=132))
    text = out.getvalue()
    assert host.brand() in text and "Goals" in text and text.count("geometric mean") >= 3
    assert all(f" {shape} " in text for shape in (*BIG, *SMALL)) and all(goal.what in text for goal in report.goals)
    costs = {each["what"]: each["figure"] for each in report.tables["costs"]}
    assert costs["code generation, median"] == 0.5e-3 and costs["import tilesmith, beyond numpy"] == 0.03
    assert costs["code generation of never-seen instructions, median"] == 2e-3


def test_measuring_a_shape_fills_a_row():
    run = runner.Run(0.002, None, [])
    measured = bench.measured(run, section("big", target="avx2"), GemmShape(16, 6, 16, 2))
    assert measured["speed"] == pytest.approx(measured["flops"] / measured["seconds"])
    assert measured["median"] >= measured["seconds"] > 0 and measured["peak"] > 0
    assert measured["code"] > 0 and measured["numpy"] > 0
    assert (measured["libxsmm"] > 0) != bool(run.remarks)


def test_measuring_without_libxsmm_says_so_once(monkeypatch):
    def missing(*operands):
        raise peers.BaselineMissing("libxsmm: not installed (make oracles)")

    monkeypatch.setattr(peers, "libxsmm_gemm", missing)
    run = runner.Run(0.001, None, [])
    rows = [bench.measured(run, section("big", target="avx2"), GemmShape(8, 6, 8)) for _ in range(2)]
    assert run.remarks == ["libxsmm: not installed (make oracles)"]
    assert math.isnan(rows[0]["libxsmm"]) and math.isnan(rows[0]["by LIBXSMM"])


@pytest.mark.seconds
def test_costs_are_measured():
    assert bench._request_seconds(section()) > 0 and bench._import_seconds(1) > 0
