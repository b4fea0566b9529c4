"""What executors refuse, steps that Python calls, indices, and calls of several threads and processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address, guarded, run_forked
from tests.runtime.executor.steps_on_arrays import (
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
from tilesmith.runtime.executor.run import Executor, GraphSlot
from tilesmith.runtime.executor.steps import GraphStep, OperandArray, PythonEntry, SlotAddress
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.images.job import job_for
from tilesmith.runtime.images.nest import ImagesRequest
from tilesmith.runtime.images.pooling import LARGEST, windows
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


class Doubling(PythonEntry):
    """Doubles an array."""

    name = "python"

    def __call__(self, *words: int) -> None:
        x, y = (array_at(place, (4, 8), (32, 4), np.dtype(np.float32), writable=True) for place in words)
        y[...] = 2 * x


class Raising(PythonEntry):
    """Raises."""

    name = "raising"

    def __call__(self, *words: int) -> None:
        raise Broken("no result")


def foreign_program(entry: PythonEntry) -> StepProgram:
    program = relu_program()
    program.between("b", 128)
    program.step(ts.unary("negate", 4, 8), "x", "a")
    program.step(entry, "a", "b")
    program.step(ts.unary("negate", 4, 8), "b", "y")
    return program


def test_steps_of_python() -> None:
    program = foreign_program(Doubling())
    made = program.made()
    assert [type(part).__name__ for part in made.parts] == ["Segment", "ForeignCall", "Segment"]
    for threads in (1, 2, None):
        program.results["y"][...] = 0
        program.run(made, threads)
        assert np.array_equal(program.results["y"], 2 * program.inputs["x"])
    assert "Python: python" in str(made)


def test_exceptions_of_steps_of_python() -> None:
    program = foreign_program(Raising())
    made = program.made()
    for _ in range(3):
        with pytest.raises(Broken, match="no result"):
            program.run(made)


# Numbers of the call, and arrays of operands


@pytest.mark.parametrize("spread", [False, True])
def test_numbers_that_the_call_gives(spread: bool) -> None:
    """The rows of two kernels are the word of a slot."""
    square, halve = (ts.equation(each, x=(ts.RUNTIME, 8)) for each in (lambda x: x * x, lambda x: x * 0.5))
    entries = [ts.spread(each) for each in (square, halve)] if spread else [square, halve]
    x, rows, between = SlotAddress(1), SlotAddress(2), SlotAddress(0, 64)
    slots = [GraphSlot("arena", 64 + 32 * 40, True), GraphSlot("x"), GraphSlot("rows"), GraphSlot("y", written=True)]
    steps = [GraphStep(entries[0], (x, between, rows)), GraphStep(entries[1], (between, SlotAddress(3), rows))]
    made = Executor(steps, slots)
    assert made.verify_schedule().holds
    for count in (1, 7, 40, 0):
        given = guarded(random(max(count, 1), 8), "end", writable=False)
        found = guarded(np.full((max(count, 1), 8), 7, np.float32), "end")
        for threads in (None, 1, 3):
            made.run([address(given), count, address(found)], threads)
            wanted = given * given * np.float32(0.5) if count else np.full((1, 8), 7, np.float32)
            assert np.array_equal(found, wanted)
        made.emulated([given, count, found], 2)
    with pytest.raises(ts.UnsupportedError, match="nobody knows the bytes of x, rows, y"):
        made.verify()


def test_arrays_say_what_jobs_touch() -> None:
    """A job on arrays does not say itself how large they are."""
    program = relu_program()
    axes = windows((8, 8), (2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1), False, False)
    strides = (64, 64, 8, 1), (16, 16, 4, 1)
    job = job_for(ImagesRequest((1, 1), axes, *strides, LARGEST, ("f32", "f32"), host.host()))
    program.inputs = {"x": random(8, 8)}
    program.results = {"y": np.zeros((4, 4), np.float32)}
    program.step(job, "x", "y", name="pool")
    made = program.made()
    assert [each.end for each in made.segments[0].stages[0].spans] == [None, None, None]
    program.run(made)
    assert np.array_equal(program.results["y"], program.inputs["x"].reshape(4, 2, 4, 2).max((1, 3)))
    arrays = OperandArray((8, 8), (32, 4), 4), OperandArray((4, 4), (16, 4), 4)
    program.steps[0] = program.steps[0]._replace(arrays=arrays)
    assert [each.end for each in program.made().segments[0].stages[0].spans[:2]] == [256, 64]
    program.steps[0] = program.steps[0]._replace(arrays=(*arrays[:1], OperandArray((5, 4), (16, 4), 4)))
    with pytest.raises(ValueError, match="pool: operand 1 touches bytes 0 to 79 of y, which has 64"):
        program.made()


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
