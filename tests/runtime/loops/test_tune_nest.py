"""Alternative strings of a nest give the same bits, and the fastest is found, remembered and printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.runtime.loops.test_nest import operands, product
from tests.runtime.loops.test_tuner import FACTS
from tilesmith.runtime.loops import contest, kernel_times, machine_facts, tune_nest
from tilesmith.runtime.loops.nest import Nest
from tilesmith.runtime.loops.tune_nest import equivalent_strings
from tilesmith.runtime.loops.tuner import blocked

COUNTS = (4, 6, 2)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Use an empty cache folder, the facts of a small machine, and kernels that take one microsecond."""
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path / "cache"))
    machine_facts.facts.cache_clear()
    machine_facts.keep(machine_facts.key(), FACTS._asdict())
    monkeypatch.setattr(kernel_times, "_measured", lambda *_: [1e-6, [[0.0] * len(kernel_times.sets(FACTS))] * 3])
    yield
    machine_facts.facts.cache_clear()


def again(nest: Nest, candidate: Any) -> Nest:
    ranges = {letter: (each.start, each.stop, each.step) for letter, each in nest.loops.items()}
    shapes = {each.name: (each.shape, each.dtype) for each in nest.matrices}
    return ts.nest(candidate.string, blocked(ranges, candidate), nest.body, **shapes)


def test_alternative_strings_give_the_same_bits() -> None:
    """The sum over a keeps its order; the loops over b and c may stand anywhere and be parallel."""
    nest = product("abc", COUNTS)
    found = equivalent_strings(nest)
    assert len(found) > 100 and any("BC" in each.string for each in found)
    assert not any("A" in each.string for each in found)
    a, b, wanted = operands(COUNTS, 3)
    a, b = a + 0.1, b - 0.3  # so that the sums depend on their order
    given = np.zeros_like(wanted)
    nest(a, b, given)
    for candidate in found[:15]:
        c = np.zeros_like(wanted)
        again(nest, candidate)(a, b, c, threads=3)
        np.testing.assert_array_equal(c, given)


def sums(string: str) -> Nest:
    """Return a nest of y[b] = the sum over a and d of x[a, d, b], in the order of the string."""
    add = ts.binary("add", 4, 4)
    loops = {"a": (0, 3, 1), "d": (0, 5, 1), "b": (0, 4, 1)}

    def body(i: Any, x: Any, y: Any) -> None:
        add(x[i.a, i.d, i.b], y[i.b], y[i.b])

    return ts.nest(string, loops, body, x=((3, 5, 4, 4, 4), "f32"), y=((4, 4, 4), "f32"))


@pytest.mark.parametrize("string, order", [("adb", "ad"), ("dBa", "da")])
def test_two_sums_keep_their_order(string: str, order: str) -> None:
    nest = sums(string)
    found = equivalent_strings(nest)
    assert found
    for candidate in found:
        assert "".join(each for each in candidate.string if each in "ad") == order
    x = np.random.default_rng(0).standard_normal((3, 5, 4, 4, 4)).astype(np.float32)
    given = np.zeros((4, 4, 4), np.float32)
    nest(x, given)
    for candidate in found[:8]:
        y = np.zeros((4, 4, 4), np.float32)
        again(nest, candidate)(x, y, threads=2)
        np.testing.assert_array_equal(y, given)


def test_a_chain_has_no_free_loop() -> None:
    """Iterations that read what others write keep their order and are not parallel."""
    double = ts.unary("square", 4, 4)
    shapes = dict.fromkeys("xy", ((6, 4, 4), "f32"))

    def body(i: Any, x: Any, y: Any) -> None:
        double(x[i.b], y[i.b])
        with ts.when(i.b < 5):
            double(y[i.b + 1], x[i.b])

    nest = ts.nest("b", {"b": (0, 6, 1)}, body, **shapes)
    assert {each.string.lower() for each in equivalent_strings(nest)} == {"b", "bb"} and not any(
        "B" in each.string for each in equivalent_strings(nest)
    )


def test_tuned_printed_and_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    nest = product("abc", COUNTS)
    found = ts.tune(nest, budget="300ms", threads=2)
    shown = repr(found)
    said = "nothing faster was found" if found.gain == 1 else "times as fast"
    assert "as given" in shown and said in shown and "strings were measured" in shown
    assert found.gain >= 1 and not found.remembered and found.trials[0].measured is not None
    assert "predicted" in str(found)
    a, b, wanted = operands(COUNTS, 1)
    c = np.empty_like(wanted)
    found.nest(a, b, c)
    np.testing.assert_array_equal(c, wanted)
    monkeypatch.setattr(contest, "contest", None)  # nothing is measured again
    monkeypatch.setattr(tune_nest, "predict", None)
    same = ts.tune(nest, budget="300ms", threads=2)
    assert same.remembered and same.nest.spec == found.nest.spec and same.gain == found.gain
    assert "remembered" in str(same)


def test_what_is_said_if_nothing_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    def same(used: Any, ranked: Any, *_: Any) -> Any:
        timed = contest.Timed(used, 2e-3, 2e-3), contest.Timed(ranked[0], 3e-3, 3e-3)
        return contest.ContestResult(used, 2e-3, 2e-3, 1.0, timed)

    monkeypatch.setattr(tune_nest, "contest", same)
    nest = product("abc", COUNTS)
    found, again = (ts.tune(nest, budget="1ms", threads=2) for _ in range(2))
    first, second = repr(found), repr(again)
    assert found.nest is nest and found.gain == again.gain == 1 and again.remembered
    assert first.startswith("<nest abc: 2.000 ms as given, which stays: nothing faster was found; 1 of")
    assert second == first
