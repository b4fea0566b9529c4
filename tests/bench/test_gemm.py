"""`tilesmith bench gemm`: what is measured, when a goal is reached, and the printed and saved report."""

import io
import json
import math

import numpy as np
import pytest
from rich.console import Console

from tilesmith.encoder.features import TARGETS, Target
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.bench import gemm as bench
from tilesmith.runtime.bench.gemm import BIG, SMALL, VECTORS, Shape
from tilesmith.runtime.bench.goals import Goal, WrongResult, geometric_mean, goal_table
from tilesmith.runtime.bench.peers import products as peers
from tilesmith.runtime.host import detect as host

NAN = math.nan


def row(shape=SMALL[0], target="host", dtype="f32", set="small", speed=90e9, peak=100e9, libxsmm=60e9, code=0.5e-3):
    return bench.Row(str(shape), target, dtype, set, shape.flops, shape.flops / speed, shape.flops / speed, speed, peak,
                     libxsmm, 10e9, 1000, 4 * code, code)  # fmt: skip


def section(set="small", dtype="f32", target=None):
    return bench.Section(set, target, dtype, bench.SHAPES[set])


def console():
    return Console(file=io.StringIO(), width=132)


@pytest.fixture
def unmeasured(monkeypatch):
    """Replace every measurement: each row is `row(...)`."""
    monkeypatch.setattr(bench, "_measure", lambda part, shape, seconds, remarks: row(
        shape, host.resolve(part.target).name, part.dtype, part.set))  # fmt: skip
    monkeypatch.setattr(bench, "_request_seconds", lambda part: 0.3e-6)
    monkeypatch.setattr(bench, "_import_seconds", lambda: 0.03)


# What is measured


def names(sections):
    return [(part.set, part.target, part.dtype, len(part.shapes)) for part in sections]


def test_sections_on_an_avx512_machine(monkeypatch):
    monkeypatch.setattr(host, "host", lambda: Target("host", "x86", "avx512", frozenset(), 512, 512))
    monkeypatch.setattr(host, "runs", lambda target: "")
    assert names(bench._sections(None, None, "all")) == [
        ("big", None, "f32", 6), ("big", "avx2", "f32", 1), ("small", None, "f32", 13), ("small", None, "f64", 13),
    ]  # fmt: skip
    assert names(bench._sections(None, "f64", "all")) == [("big", None, "f64", 6), ("small", None, "f64", 13)]
    assert names(bench._sections("avx2", "f32", "small")) == [("small", "avx2", "f32", 13)]
    assert names(bench._sections(None, None, "big")) == [("big", None, "f32", 6), ("big", "avx2", "f32", 1)]


def test_sections_on_an_avx2_machine(monkeypatch):
    monkeypatch.setattr(host, "host", lambda: Target("host", "x86", "avx2", frozenset(), 256, 256))
    monkeypatch.setattr(host, "runs", lambda target: "")
    assert ("big", "avx2", "f32", 1) not in names(bench._sections(None, None, "all"))


def test_unmeasurable_requests_are_refused(monkeypatch):
    with pytest.raises(ValueError, match="shapes='huge': use one of big, small, all"):
        bench.bench_gemm(shapes="huge")
    with pytest.raises(UnsupportedError, match="dtype='f16': bench gemm knows f32, f64"):
        bench.bench_gemm(dtype="f16")
    with pytest.raises(ValueError, match="target: one of"):
        bench.bench_gemm(target="avx3")
    monkeypatch.setattr(host, "runs", lambda target: f"target {target.name} needs TELEPATHY")
    with pytest.raises(UnsupportedError, match="target avx512 needs TELEPATHY"):
        bench.bench_gemm(target="avx512")


@pytest.mark.parametrize("dtype", bench.DTYPES.values())
@pytest.mark.parametrize("shape", [Shape(9, 35, 15), Shape(32, 16, 8, 5), Shape(1, 1, 1)], ids=str)
def test_operands_are_dense_column_major_and_aligned(shape, dtype):
    for array, extent in zip(bench._operands(shape, dtype), ("mk", "kn", "mn")):
        rows, columns = (getattr(shape, letter) for letter in extent)
        assert array.shape[-2:] == (rows, columns) and array.dtype == dtype
        assert array.swapaxes(-1, -2).flags.c_contiguous
        assert array.__array_interface__["data"][0] % 64 == 0
        assert 0 < abs(array).max() < 1
    again = bench._operands(shape, dtype)
    assert all((x == y).all() for x, y in zip(bench._operands(shape, dtype), again)), "the same in every run"


def test_a_wrong_result_is_not_timed():
    a, b, c = bench._operands(Shape(13, 5, 7, 3), np.float32)

    class Off:
        def __init__(self, error):
            self.error = error

        def run(self, count):
            for _ in range(count):
                c[...] += (a @ b).sum(0)
                c[3, 4] += self.error

    bench._check("right", Off(0), a, b, c)
    for error in (1e-3, -1e-3, NAN):
        with pytest.raises(WrongResult, match="^wrong: off by"):
            bench._check("wrong", Off(error), a, b, c)
        c[3, 4] = 0


# Goals


@pytest.mark.parametrize("goal,state", [
    (Goal("", 0.95, 0.95), "reached"), (Goal("", 0.95, 0.949), "NOT REACHED"), (Goal("", 0.95, NAN), "not measured"),
    (Goal("", 1e-3, 0.9e-3, "s"), "reached"), (Goal("", 1e-3, 1.1e-3, "s"), "NOT REACHED"),
])  # fmt: skip
def test_states(goal, state):
    assert goal.state == state


def test_the_mean_is_geometric():
    assert geometric_mean([2, 8]) == pytest.approx(4)
    assert geometric_mean(iter([3.0])) == pytest.approx(3)
    assert math.isnan(geometric_mean([]))
    assert math.isnan(geometric_mean([2, NAN]))


def test_goals_of_the_small_shapes():
    """All shapes have 1.5 times LIBXSMM's speed, except the two matrices by vectors with 15 and one shape with 0.9."""
    speeds = {shape: 15.0 if shape in VECTORS else 0.9 if shape == Shape(17, 17, 17) else 1.5 for shape in SMALL}
    rows = [row(shape, speed=60e9 * ratio) for shape, ratio in speeds.items()]
    mean, of_matrices, least = bench._goals(section(), rows)
    assert mean.found == pytest.approx((15**2 * 0.9 * 1.5**10) ** (1 / 13)) and mean.state == "reached"
    assert of_matrices.found == pytest.approx((0.9 * 1.5**10) ** (1 / 11)) and of_matrices.state == "reached"
    assert least.found == pytest.approx(0.9) and least.state == "NOT REACHED" and "17x17x17" in least.what


def test_goals_of_the_big_shapes(monkeypatch):
    monkeypatch.setattr(host, "resolve", lambda target: TARGETS[target or "avx512"])
    goals = list(bench._goals(section("big"), [row(shape, speed=93e9, set="big") for shape in BIG]))
    assert [goal.state for goal in goals] == ["NOT REACHED"] * 3 + ["reached"] * 3
    assert not list(bench._goals(section("big", "f64"), [row(shape, set="big") for shape in BIG]))


def test_without_libxsmm_ratios_are_not_measured():
    rows = [row(shape, libxsmm=NAN) for shape in SMALL]
    assert [goal.state for goal in bench._goals(section(), rows)] == ["not measured"] * 3


# Output


def test_a_run_prints_and_saves_everything(unmeasured, tmp_path):
    out, path = console(), tmp_path / "gemm.json"
    report = bench.bench_gemm(seconds=0.001, json_path=path, console=out)
    text = out.file.getvalue()
    assert host.brand() in text and "Goals" in text and text.count("geometric mean") >= 3
    for shape in (*BIG, *SMALL):
        assert f" {shape} " in text
    for goal in report.goals:
        assert goal.what in text
    saved = json.loads(path.read_text())
    assert saved["machine"] == host.brand() and saved["peaks"]["host f32"] == 100e9
    assert len(saved["rows"]) == len(report.rows) and saved["rows"][0]["of_peak"] == pytest.approx(0.9)
    assert {goal["state"] for goal in saved["goals"]} <= {"reached", "NOT REACHED", "not measured"}


def test_missing_measurements_are_null(tmp_path):
    report = bench.Report("machine", 1e9, 1e-9, [row(libxsmm=NAN)], [Goal("ratio", 1.0, NAN)], ["libxsmm: missing"])
    report.save(tmp_path / "gemm.json")
    saved = json.loads((tmp_path / "gemm.json").read_text(), parse_constant=pytest.fail)
    assert saved["rows"][0]["libxsmm"] is None and saved["goals"][0]["found"] is None


def test_missing_figures_are_dashes():
    out = console()
    out.print(bench._table(section(), [row(libxsmm=NAN)]))
    out.print(goal_table([Goal("ratio", 1.0, NAN), Goal("time", 1e-3, 42e-6, "s")]))
    text = out.file.getvalue()
    assert " - " in text and "not measured" in text and "42 us" in text and "<= 1 ms" in text


# Real measurements


def test_measuring_a_shape_fills_a_row():
    remarks = []
    measured = bench._measure(section("big", target="avx2"), Shape(16, 6, 16, 2), 0.002, remarks)
    assert measured.speed == pytest.approx(measured.flops / measured.seconds)
    assert measured.median_seconds >= measured.seconds > 0 and measured.peak > 0
    assert measured.code_bytes > 0 and measured.numpy > 0
    assert (measured.libxsmm > 0) != bool(remarks)


def test_measuring_without_libxsmm_says_so_once(monkeypatch):
    def missing(*operands):
        raise peers.BaselineMissing("libxsmm: not installed (make oracles)")

    monkeypatch.setattr(peers, "libxsmm_gemm", missing)
    remarks = []
    rows = [bench._measure(section("big", target="avx2"), Shape(8, 6, 8), 0.001, remarks) for _ in range(2)]
    assert remarks == ["libxsmm: not installed (make oracles)"]
    assert math.isnan(rows[0].libxsmm) and math.isnan(rows[0].ratio)


@pytest.mark.seconds
def test_costs_are_measured():
    rows = [row(code=seconds) for seconds in (1e-3, 2e-3, 9e-3)]
    again, first, request, imported = bench._cost_goals(section(), rows)
    assert (again.found, first.found) == (2e-3, 8e-3)
    assert request.found > 0 and imported.found > 0
