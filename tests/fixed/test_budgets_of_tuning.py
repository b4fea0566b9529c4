"""ts.tune took seconds beyond a budget of 100 ms, for measurements of the machine, and remembered for ever what it had
concluded from one candidate or none. The clock is simulated: what takes time advances it."""

import json
from types import SimpleNamespace

import pytest

import tilesmith as ts
from tests.kept_products import forget as forget_products
from tilesmith.runtime.loops import contest, kernel_times, machine_facts, tune_nest, tuner
from tilesmith.runtime.loops.contest import ContestResult
from tilesmith.runtime.loops.nest import Nest
from tilesmith.runtime.ops import tune as tuning
from tilesmith.runtime.ops.tuned_blocks import forget

SIZE = (200, 170, 230)
READ, MADE, CALL = 0.7, 0.05, 1e-3
"""Seconds of one measurement of a cache, of making a candidate, and of a call."""


class Clock:
    def __init__(self):
        self.now = 1000.0

    def perf_counter(self):
        return self.now

    def perf_counter_ns(self):
        return round(self.now * 1e9)

    def busy(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(tmp_path, monkeypatch):
    """Use an empty cache folder, a simulated clock, and measurements of the machine that advance it."""
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path / "cache"))
    anew()
    made = Clock()
    for module in (contest, kernel_times, machine_facts, tune_nest, tuning):
        monkeypatch.setattr(module, "time", made)

    def read(used, workers, until):
        machine_facts.check_time(until)
        made.busy(READ)
        return 1e10

    monkeypatch.setattr(machine_facts, "_read", read)
    monkeypatch.setattr(machine_facts, "_empty_call", lambda workers: 1e-6)
    yield made
    anew()


def anew():
    machine_facts.facts.cache_clear()
    forget()
    ts.gemm.cache_clear()
    forget_products()


def spent(clock, op, budget, **more):
    start = clock.now
    found = ts.tune(op, budget=budget, threads=2, **more)
    return found, clock.now - start


def test_products(clock, tmp_path, monkeypatch):
    made = []

    def with_plan(plain, plan):
        real = SimpleNamespace(plan=plan, kernels=plain.kernels, at=lambda *_: clock.busy(CALL))
        if plan.gain is None and made:
            clock.busy(MADE)
        made.append(plan)
        return real

    monkeypatch.setattr(tuning, "_with", with_plan)
    monkeypatch.setattr(tuning, "_rate", lambda op, until: clock.busy(0.02) or 1e11)
    op = ts.gemm(*SIZE, beta=0.0)
    one = MADE + 60 * CALL  # a candidate, and the rounds that decide
    short, seconds = spent(clock, op, "100ms")
    assert seconds < 0.1 + one and 1 <= short.measured <= 3 < short.considered and not short.remembered
    assert not (tmp_path / "cache" / machine_facts.FILE).exists()  # figures that were not measured are not kept
    said = f"{short.measured} of {short.considered} other ways to cut it were measured"
    assert said in str(short) and said in str(ts.gemm(*SIZE).plan)

    for budget in ("100ms", "20ms"):
        same, seconds = spent(clock, op, budget)
        assert same.remembered and seconds == 0 and said in str(same) and same.measured == short.measured

    longer, seconds = spent(clock, op, "5s")
    assert 5 <= seconds < 5 + one and longer.measured > short.measured + 10 and not longer.remembered
    assert not (tmp_path / "cache" / machine_facts.FILE).exists()  # the share of the time was too short
    longest, seconds = spent(clock, op, "20s")
    assert 20 <= seconds < 20 + one and longest.measured > longer.measured
    assert (tmp_path / "cache" / machine_facts.FILE).exists()
    tried = [plan for plan in made if plan != made[0]]
    assert len(tried) == len(set(tried)) == longest.measured  # each candidate once in all runs
    (kept,) = [
        entry
        for name, host in json.loads((tmp_path / "cache" / "tuned.json").read_text())["entries"].items()
        if not name.startswith("products")
        for entry in host.values()
    ]
    assert kept["budget"] == 20 and len(kept["tried"]) == longest.measured
    forget()
    assert spent(clock, op, "20s")[0].remembered and not spent(clock, op, "20ms", again=True)[0].remembered


def test_every_candidate_was_measured(clock, monkeypatch):
    made = SimpleNamespace
    monkeypatch.setattr(tuning, "_with", lambda plain, plan: made(plan=plan, at=lambda *_: clock.busy(CALL)))
    monkeypatch.setattr(tuning, "_rate", lambda *_: 1e11)
    real = tuning.candidates
    monkeypatch.setattr(tuning, "candidates", lambda *args: real(*args)[:3])
    op = ts.gemm(*SIZE, beta=0.0)
    found, _ = spent(clock, op, "2s")
    assert found.measured == found.considered == 3
    assert spent(clock, op, "1000s")[0].remembered  # nothing is left


def test_nothing_is_remembered_from_nothing(clock, monkeypatch):
    for module in (tuning, tune_nest):
        monkeypatch.setattr(module, "contest", lambda used, *_: ContestResult(used, 1e-3, 1e-3, 1.0, ()))
    monkeypatch.setattr(tuning, "_rate", lambda *_: 1e11)
    op = ts.gemm(*SIZE, beta=0.0)
    for each in (op, nest()):
        for _ in range(2):
            found, _ = spent(clock, each, "10ms")
            assert not found.remembered and found.measured == 0 and f"0 of {found.considered} other" in str(found)
    assert ts.gemm(*SIZE, beta=0.0).plan.gain is None


def nest():
    relu = ts.unary("relu", 4, 8)
    shape = (8, 6, 4, 8), "f32"
    loops = {"b": (0, 8, 1), "c": (0, 6, 1)}
    return ts.nest("bc", loops, lambda i, x, y: relu(x[i.b, i.c], y[i.b, i.c]), x=shape, y=shape)


def test_nests(clock, tmp_path, monkeypatch):
    def measured(uses, sizes, facts, target, until):
        for _ in range(20):
            kernel_times.check_time(until)
            clock.busy(0.1)
        return [1e-6, [[0.0] * len(kernel_times.sets(facts))] * len(uses)]

    def predict(each, *_):
        clock.busy(0.01)
        return SimpleNamespace(seconds=1e-3)

    monkeypatch.setattr(kernel_times, "_measured", measured)
    monkeypatch.setattr(tune_nest, "predict", predict)
    monkeypatch.setattr(Nest, "__call__", lambda self, *_, threads: clock.busy(CALL))
    given = nest()
    one = MADE + 60 * CALL
    short, seconds = spent(clock, given, "100ms")
    assert seconds < 0.1 + one + 0.1 and 1 <= short.measured < short.considered
    assert f"{short.measured} of {short.considered} other strings were measured" in str(short)
    for budget in ("100ms", "10ms"):
        same, seconds = spent(clock, given, budget)
        assert same.remembered and seconds == 0 and same.measured == short.measured
    longer, seconds = spent(clock, given, "30s")
    assert 30 <= seconds < 30 + one and not longer.remembered and longer.measured > short.measured
    assert (tmp_path / "cache" / kernel_times.FILE).exists()
    own = tune_nest._own(given)
    tried = [each.candidate for found in (short, longer) for each in found.trials if each.candidate != own]
    assert len(tried) == len({str(each) for each in tried}) == longer.measured


def test_rules_measure_on(clock, monkeypatch):
    relu = ts.unary("relu", 4, 8)
    shape = (8, 4, 8), "f32"
    monkeypatch.setattr(tuner, "kernel_times", lambda nest, facts: {})
    monkeypatch.setattr(tuner, "predict", lambda *_: SimpleNamespace(seconds=1e-3))

    def tuned(measure, samples=1):
        return ts.tune(
            ["b", "B", "bb"],
            {"b": (0, 8, 1, [2])},
            lambda i, x, y: relu(x[i.b], y[i.b]),
            x=shape,
            y=shape,
            measure=measure,
            samples=samples,
        )

    for measure, samples, remembered in (
        (0, 1, False),
        (1, 1, False),
        (1, 1, True),
        (3, 1, False),
        (9, 1, True),
        (2, 1, True),
        (2, 2, False),
    ):
        assert tuned(measure, samples).remembered == remembered


@pytest.mark.parametrize("kind", ["product", "nest"])
def test_a_gain_that_a_disturbance_made_goes_with_a_larger_budget(clock, monkeypatch, kind):
    """While the machine is disturbed, the untuned way takes three times as long as any other; afterwards, less."""
    disturbed = [True]
    monkeypatch.setattr(tuning, "_rate", lambda *_: 1e11)
    if kind == "product":
        op = ts.gemm(*SIZE, beta=0.0)
        untuned = op.plan

        def with_plan(plain, plan):
            seconds = CALL * (3 if (plan == untuned) == disturbed[0] else 1)
            return SimpleNamespace(plan=plan, kernels=plain.kernels, at=lambda *_: clock.busy(seconds))

        monkeypatch.setattr(tuning, "_with", with_plan)
    else:
        op = nest()
        own = str(op)
        monkeypatch.setattr(
            Nest,
            "__call__",
            lambda self, *_, threads: clock.busy(CALL * (3 if (str(self) == own) == disturbed[0] else 1)),
        )
    first = ts.tune(op, budget="100ms", threads=1)
    assert first.gain == pytest.approx(3)
    disturbed[0] = False
    again = ts.tune(op, budget="1s", threads=1)
    assert again.gain == 1 and ts.tune(op, budget="1s", threads=1).gain == 1
    if kind == "product":
        assert "no other blocks were faster" in str(ts.gemm(*SIZE, beta=0.0).plan)
    else:
        assert str(again.nest) == own
