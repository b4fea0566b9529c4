"""What executors refuse, steps that Python calls, indices, and calls of several threads and processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address, guarded, run_forked
from tests.runtime.graph.steps_on_arrays import (
    Array,
    K,
    M,
    StepProgram,
    chain,
    random,
    relu_program,
)
from tests.threads import together
from tilesmith.runtime.arguments.arrays import array_at
from tilesmith.runtime.cache import store
from tilesmith.runtime.graph.executor import Executor, GraphSlot
from tilesmith.runtime.graph.steps import GraphStep, OnArrays, SlotAddress
from tilesmith.runtime.loops.job import CachedJob

# What is refused, and what is raised


@pytest.mark.parametrize(
    ("operands", "said"),
    [
        (("x+4", "y"), "touches bytes 4 to 131 of x, which has 128"),
        (("x", "y+64"), "touches bytes 64 to 191 of y, which has 128"),
        (("x", "a+128"), "of arena, which has 128"),
        (("x+-4", "y"), "touches bytes -4"),
        (("x", "x"), "is written, but x is only read"),
        (("x+2", "y"), "no multiple of 4 bytes"),
        (("a", "y"), "reads byte 0 of the arena, which no step before it writes"),
        (("x",), "takes 2 operands, not 1"),
        (("x", 7), "is an address"),
    ],
)
def test_wrong_addresses_are_refused(operands: tuple[str | int, ...], said: str) -> None:
    program = relu_program()
    program.step(ts.unary("relu", 4, 8), *operands, name="step")
    with pytest.raises(ValueError, match=said):
        program.made()


def test_an_unknown_slot_is_refused() -> None:
    step = GraphStep(ts.unary("relu", 4, 8), (SlotAddress(1), SlotAddress(3)), "step")
    with pytest.raises(ValueError, match="slot 3"):
        Executor([step], [GraphSlot("arena"), GraphSlot("x"), GraphSlot("y", written=True)])
    with pytest.raises(ValueError, match="slots"):
        Executor([], [GraphSlot("arena"), GraphSlot("w", constant=random(1)), GraphSlot("x")])


def test_entries_that_are_no_steps_are_refused() -> None:
    program = relu_program()
    program.step(len, "x", "y")
    with pytest.raises(ts.UnsupportedError, match="neither a kernel"):
        program.made()
    program = relu_program()
    program.step(ts.brgemm(2, 2, 2, batch=ts.ADDRESS), "x", "x", "y", 1)
    with pytest.raises(ts.UnsupportedError, match="table in memory"):
        program.made()


def test_too_few_addresses() -> None:
    program = relu_program()
    program.step(ts.unary("relu", 4, 8), "x", "y")
    with pytest.raises(TypeError, match="takes 2 addresses, not 1"):
        program.made().run([0])


class Broken(Exception):
    pass


def foreign_program(function: Callable[..., None]) -> StepProgram:
    program = relu_program()
    program.between("b", 128)
    program.step(ts.unary("negate", 4, 8), "x", "a")
    program.step(OnArrays(function, [], [], "python"), "a", "b")
    program.step(ts.unary("negate", 4, 8), "b", "y")
    return program


def at(place: int) -> Array:
    return array_at(place, (4, 8), (32, 4), np.dtype(np.float32), writable=True)


def test_foreign_steps() -> None:
    program = foreign_program(lambda out: None)
    program.steps[1] = program.steps[1]._replace(entry=Doubling([], [], "python"))
    made = program.made()
    assert [type(part).__name__ for part in made.parts] == ["Segment", "ForeignCall", "Segment"]
    for threads in (1, 2, None):
        program.results["y"][...] = 0
        program.run(made, threads)
        assert np.array_equal(program.results["y"], 2 * program.inputs["x"])
    assert "Python: python" in str(made)


class Doubling(OnArrays):
    """Doubles an array."""

    def __init__(self, *given: Any) -> None:
        super().__init__(lambda: None, *given)

    def __call__(self, *addresses: int) -> None:
        x, y = map(at, addresses)
        y[...] = 2 * x


class Raising(Doubling):
    """Raises."""

    def __call__(self, *addresses: int) -> None:
        raise Broken("no result")


def test_exceptions_of_foreign_steps() -> None:
    program = foreign_program(lambda out: None)
    program.steps[1] = program.steps[1]._replace(entry=Raising([], [], "python"))
    made = program.made()
    for _ in range(3):
        with pytest.raises(Broken, match="no result"):
            program.run(made)


# Indices


def gathered(computed: bool) -> StepProgram:
    """Return rows of a table by an index, of the call or computed from it by a step."""
    program = StepProgram()
    table, number = random(10, 8), np.array([3, 0, 9, 3], np.int64)
    program.inputs = {"table": table, "index": guarded(number, "end", writable=False)}
    program.results = {"y": np.zeros((4, 8), np.float32)}
    program.between("i", 32)
    program.between("a", 128)
    if computed:
        program.step(ts.equation(lambda i: -i, i=(1, 4), dtype="i64"), "index", "i", name="negate")
    program.step(ts.gather("rows", 4, 8, size=10), "table", "i" if computed else "index", "a", name="gather")
    program.step(ts.unary("negate", 4, 8), "a", "y", name="neg")
    return program


@pytest.mark.parametrize("computed", [False, True])
def test_indices(computed: bool) -> None:
    program = gathered(computed)
    if computed:
        program.inputs["index"] = -program.inputs["index"]
    made = program.made()
    names = [type(part).__name__ for part in made.parts]
    assert names == (["Segment", "IndexCheck", "Segment"] if computed else ["IndexCheck", "Segment"])
    index = -program.inputs["index"] if computed else program.inputs["index"]
    for threads in (1, 3, None):
        program.results["y"][...] = 0
        program.run(made, threads)
        assert np.array_equal(program.results["y"], -program.inputs["table"][index])
    made.emulated(program.arguments, 2)
    kernel = ts.gather("rows", 4, 8, size=10)
    wrong = np.array([3, 0, 10, 3], np.int64)
    with pytest.raises(IndexError) as alone:
        kernel(program.inputs["table"], wrong, program.results["y"])
    program.inputs["index"] = -wrong if computed else wrong
    program.results["y"][...] = 7
    with pytest.raises(IndexError) as together:
        program.run(made)
    assert str(together.value) == str(alone.value) and (program.results["y"] == 7).all()


# Threads and processes


def test_calls_of_several_threads_at_once() -> None:
    program, wanted = chain()
    made = program.made()
    failed: list[str] = []

    def calls(seed: int) -> None:
        out = np.zeros((M, K), np.float32)
        x = program.inputs["x"] * seed
        given = [address(x), address(program.inputs["bias"]), address(out)]
        made.run(given, 1)
        first = out.copy()
        for _ in range(50):
            out[...] = np.nan
            made.run(given)
            if not np.array_equal(out, first):
                failed.append(f"{seed}: another result")

    together(*(lambda seed=seed: calls(seed) for seed in range(1, 5)))
    assert not failed
    program.run(made)
    assert np.allclose(program.results["y"], wanted, rtol=1e-5, atol=1e-6)


def test_a_forked_child() -> None:
    program, wanted = chain()
    made = program.made()
    program.run(made, 3)

    def child() -> None:
        for threads in (None, 3):
            program.results["y"][...] = np.nan
            program.run(made, threads)
            assert np.allclose(program.results["y"], wanted, rtol=1e-5, atol=1e-6)

    run_forked(child)


def test_kept_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine code comes from the cache folder, without the nest and its kernels."""
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path / "cache"))
    for kept in (False, True):
        program, wanted = chain()
        made = program.made()
        program.run(made)
        assert np.allclose(program.results["y"], wanted, rtol=1e-5, atol=1e-6)
        assert isinstance(made.segments[0].job, CachedJob) == kept
        store.flush()
