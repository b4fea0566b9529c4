"""`tilesmith bench nest` and `bench tuned`: classes, rows, JSON and the plot; no figure is judged."""

import pytest

from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.cases import nest as nests
from tilesmith.runtime.bench.cases import tuned
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.loops import machine_facts
from tilesmith.runtime.loops.strings import Candidate, Rule, all_strings
from tilesmith.runtime.loops.tuner import StringTrial
from tilesmith.runtime.ops.schedules import Blocks, InPlace, SharedB

pytestmark = pytest.mark.slow


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Replace the benchmark's sizes by a product of a few blocks, and the facts of the machine by invented ones."""
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path / "cache"))
    for name, value in {"EXTENT": 128, "BLOCK": 32, "STRINGS": 12, "ROUNDS": 1, "FINAL": 2, "FINAL_ROUNDS": 1}.items():
        monkeypatch.setattr(nests, name, value)
    caches = machine_facts.CacheLevel(32768, 1e11, 2e11), machine_facts.CacheLevel(1 << 18, 9e10, 2e11)
    made_up = machine_facts.MachineFacts((*caches, machine_facts.CacheLevel(0, 3e10, 3e10)), 1e-6, 2)
    monkeypatch.setattr(nests, "facts", lambda: made_up)


def test_classes():
    assert nests.classed([3.0, 1.0, 1.01, 1.03, 1.03]) == [3, 1, 1, 2, 2]
    trials = [
        StringTrial(Candidate(name, ()), predicted, measured)
        for name, predicted, measured in (("x", 1.5, 1.0), ("y", 1.0, 1.25), ("z", 1.01, 4.0))
    ]
    rows = nests.judged(trials, 0.5)
    found = nests.summary(rows)
    assert (found["class"], found["classes"], found["inside"], found["model"]) == (2, 2, 3, 1.25)
    assert [row["of kernel"] for row in rows] == [0.5, 0.4, 0.125]


def measured(*given, **more):
    return runner.run(nests.BENCH, given, **more).tables["strings"]


def test_rows(small, capsys):
    rows = measured()
    assert len(rows) == 12 and rows[0]["measured"] == min(row["measured"] for row in rows) > 0
    assert f"the quickest is in class {rows[0]['place']} of" in capsys.readouterr().out


def test_every_string_of_the_rules(small, monkeypatch, capsys):
    """--all measures every string once, in groups so that few kernels exist at a time, and prints an estimate first."""
    rules = {"a": Rule(), "b": Rule(0, 1, True), "c": Rule(0, 0, True)}
    monkeypatch.setattr(nests, "product_rules", lambda: rules)
    monkeypatch.setattr(nests, "GROUP", 30)
    rows = measured("--all")
    wanted = {each.string for each in all_strings(rules, dict.fromkeys("abc", 4))}
    assert {row["string"] for row in rows} == wanted and len(rows) == len(wanted) > 60
    assert [row["measured"] for row in rows] == sorted(row["measured"] for row in rows)
    assert f"{len(wanted)} strings, about 0:00:0" in capsys.readouterr().out
    assert len(measured("--strings", "7")) == 7


def test_the_options_of_the_command(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(nests, "_measured", lambda run: asked.append((run.options.all, run.options.strings)))
    for options in (["--all"], ["--strings", "40"], []):
        assert main(["bench", "nest", *options]) == 0
    assert asked == [(True, None), (False, 40), (False, None)]
    for wrong in (["nest", "--strings", "0"], ["gemm", "--all"]):
        with pytest.raises(SystemExit):
            main(["bench", *wrong])


def test_tuned_rows(monkeypatch):
    monkeypatch.setattr(tuned, "_ROUNDS", 1)
    monkeypatch.setattr(tuned, "_FINAL", 1)
    row = tuned.measured(runner.Run(0.01, None, []), 200, 170, 180)
    assert 0 < row["ratio"] <= 1 and row["tried"] > 1 and row["tuned"] <= row["untuned"]


def test_alternative_sizes_are_multiples_of_blocks():
    plan = Blocks(1000, 1111, 999, 92, 192, 512, SharedB(1152, 576))
    found = tuned.others(plan)
    assert len(found) == len(set(found)) > 6 and plan not in found
    for each in found:
        assert each.mb <= 1000 and each.kb <= 999 and each.ng <= each.nc
        assert all(size % each.nb == 0 or size == 1111 for size in (each.ng, each.nc))
    held = Blocks(333, 333, 333, 56, 333, 333, InPlace(333))
    assert {each.mb for each in tuned.others(held)} and {each.nb for each in tuned.others(held)} == {333}
