"""Tuning: the result computes the product, strings with races are left out, and the choice is remembered."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import tilesmith as ts
from tests.runtime.loops.test_nest import BLOCK, operands, product
from tilesmith.runtime.loops import kernel_times, machine_facts, tuner
from tilesmith.runtime.loops.machine_facts import CacheLevel, MachineFacts
from tilesmith.runtime.system import progress

COUNTS = (4, 6, 2)
FACTS = MachineFacts(
    (
        CacheLevel(32768, 1e11, 2e11),
        CacheLevel(1 << 20, 9e10, 2e11),
        CacheLevel(1 << 21, 8e10, 1e11),
        CacheLevel(0, 3e10, 3e10),
    ),
    1e-6,
    2,
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Use an empty cache folder, the facts of a small machine, and kernels that take one microsecond."""
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path / "cache"))
    machine_facts.facts.cache_clear()
    machine_facts.keep(machine_facts.key(), FACTS._asdict())
    costs = [0.0] * len(kernel_times.sets(FACTS))
    monkeypatch.setattr(kernel_times, "_measured", lambda *_: [1e-6, [costs] * 3])
    yield tmp_path / "cache"
    machine_facts.facts.cache_clear()


def tuned(rules, **more):
    mb, nb, kb = COUNTS
    m, n, k = BLOCK
    body = product("BCa", COUNTS).body
    return ts.tune(
        rules,
        {"a": (0, kb, 1), "b": (0, mb, 1, [2]), "c": (0, nb, 1, [3])},
        body,
        A=((mb, kb, m, k), "f32"),
        B=((nb, kb, k, n), "f32"),
        C=((nb, mb, m, n), "f32"),
        **more,
    )


def test_rules_measured_and_remembered(cache):
    found = tuned(ts.product_rules(1, 0), most=20, measure=3, samples=1, threads=2)
    assert [each.measured is not None for each in found.trials] == [True] * 3 + [False] * 17
    assert [each.measured for each in found.trials[:3]] == sorted(each.measured for each in found.trials[:3])
    assert str(found).splitlines()[1].endswith(str(found.trials[0].candidate))
    a, b, wanted = operands(COUNTS, 1)
    c = np.empty_like(wanted)
    found.nest(a, b, c)
    np.testing.assert_array_equal(c, wanted)
    same = tuned(ts.product_rules(1, 0), most=20, measure=3, samples=1, threads=2)
    assert same.remembered and same.trials == found.trials[:1] and same.nest.spec == found.nest.spec
    assert "remembered" in str(same)
    assert not tuned(ts.product_rules(1, 0), most=20, measure=3, samples=1, threads=2, again=True).remembered
    assert not tuned(ts.product_rules(1, 0), most=20, measure=3, samples=1, threads=1).remembered


def test_strings_that_are_given():
    found = tuned(["bca", "BCa", "bcBa"], measure=0, threads=2)
    assert found.trials[0].candidate.string == "BCa" and found.trials[-1].candidate.string == "bca"
    assert all(each.measured is None for each in found.trials)
    with pytest.raises(ts.RaceError):
        tuned(["bca", "bcA"], measure=0)


def test_rules_that_race_are_counted():
    rules = {"a": ts.Rule(0, 0, True), "b": ts.Rule(0, 0, True), "c": ts.Rule()}
    found = tuned(rules, measure=0, threads=2)
    assert found.refused > 0 and "refused" in str(found)
    assert all("A" not in each.candidate.string for each in found.trials)


def test_a_progress_bar_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "FIRST_WORD", 0.0)
    tuned(["bca", "BCa"], measure=1, samples=1)
    assert "model" in sys.stderr.getvalue()


def test_arrays_are_copied():
    a, b, wanted = operands(COUNTS, 2)
    c = np.full_like(wanted, 7)
    mb, nb, kb = COUNTS
    loops = {"a": (0, kb, 1), "b": (0, mb, 1), "c": (0, nb, 1)}
    tuner.tune(["BCa"], loops, product("BCa", COUNTS).body, A=a, B=b, C=c, measure=1, samples=1)
    assert np.all(c == 7)
