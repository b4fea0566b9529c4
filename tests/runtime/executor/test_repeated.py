"""Loops of steps: states, parts of sequences, who runs what, and what a loop is known to touch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import both_sides, guarded
from tests.runtime.executor.steps_on_arrays import WORKERS, StepProgram, random
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.executor.repeated import RepeatedSteps
from tilesmith.runtime.executor.steps import PythonEntry, RepeatedOperand, RepeatedStep

T, ROWS, COLUMNS = 5, 4, 8
BYTES = 4 * ROWS * COLUMNS


def sums(entry: Any, reverse: bool = False, trips: int = T) -> StepProgram:
    """Running sums: each step adds a part of x to the one before, of which the first is s. The sums are doubled twice
    on their way, through a value between two steps."""
    x, s = random(T, ROWS, COLUMNS), random(ROWS, COLUMNS, seed=1)
    program = StepProgram()
    program.inputs, program.results = {"x": x, "s": s}, {"y": np.zeros_like(x)}
    program.between("a", BYTES)
    start, advance = ((trips - 1) * BYTES, -BYTES) if reverse else (0, BYTES)
    part = RepeatedOperand(0, start, advance)
    before = RepeatedOperand(2, start - advance, advance, first=(1, 0))
    between, now = RepeatedOperand(3), RepeatedOperand(2, start, advance)
    steps = RepeatedStep(entry, (part, before, between)), RepeatedStep(entry, (part, between, now))
    program.step(RepeatedSteps(trips, steps, 4), "x", "s", "y", "a", name="sums")
    return program


def wanted(program: StepProgram, reverse: bool = False) -> np.ndarray:
    x, s = program.inputs["x"].astype(float), program.inputs["s"].astype(float)
    rows = x[::-1] if reverse else x
    found = s + 2 * np.cumsum(rows, 0)
    return found[::-1] if reverse else found


def close(program: StepProgram, reverse: bool = False) -> bool:
    """Whether sums are those of 2 T + 1 numbers in f32."""
    x, s = (np.abs(program.inputs[name].astype(float)) for name in "xs")
    bound = 2**-23 * (2 * T + 1) * (s + 2 * x.sum(0))
    return bool((np.abs(program.results["y"] - wanted(program, reverse)) <= bound).all())


def grid_add() -> Any:
    """An addition of rows that a grid of workers divides, so that all workers take part in each iteration."""
    kernel, shape = ts.binary("add", 1, COLUMNS), ((ROWS, 1, COLUMNS), "f32")
    loops = {"b": (0, ROWS, 1)}
    return ts.nest("b{R:2}", loops, lambda i, a, b, c: kernel(a[i.b], b[i.b], c[i.b]), a=shape, b=shape, c=shape)


@both_sides
@pytest.mark.parametrize("reverse", [False, True])
def test_a_loop_with_a_state(side: str, reverse: bool) -> None:
    program = sums(ts.binary("add", ROWS, COLUMNS), reverse)
    program.inputs = {name: guarded(each, side, writable=False) for name, each in program.inputs.items()}
    program.results = {"y": guarded(program.results["y"], side)}
    made = program.made()
    assert made.verify_schedule().holds
    for workers in (*WORKERS, None):
        program.results["y"][...] = np.nan
        program.run(made, workers)
        assert close(program, reverse)


def test_all_workers_take_part_in_each_iteration() -> None:
    program = sums(grid_add())
    made = program.made()
    assert made.segments[0].schedule[0].divided
    for workers in WORKERS[:3]:
        program.results["y"][...] = np.nan
        program.run(made, workers)
        assert close(program)
        program.results["y"][...] = np.nan
        made.emulated(program.arguments, workers, turns=5)  # raises Race if two workers meet in memory
        assert close(program)


def test_a_loop_in_a_loop() -> None:
    program = sums(ts.binary("add", ROWS, COLUMNS), trips=1)
    inner: Any = program.steps[0].entry
    operands = (
        RepeatedOperand(0, 0, BYTES),
        RepeatedOperand(2, -BYTES, BYTES, first=(1, 0)),
        RepeatedOperand(2, 0, BYTES),
        RepeatedOperand(3),
    )
    program.steps[0] = program.steps[0]._replace(entry=RepeatedSteps(T, (RepeatedStep(inner, operands),), 4, 1))
    made = program.made()
    program.run(made)
    assert close(program)


def test_the_code_of_a_loop_is_proved() -> None:
    program = sums(ts.binary("add", 2, 4), trips=2)
    program.inputs = {name: random(*each.shape[:-2], 2, 4) for name, each in program.inputs.items()}
    program.results = {"y": np.zeros_like(program.inputs["x"])}
    assert program.made().verify()


def test_a_state_that_nobody_wrote_is_an_error() -> None:
    add = ts.binary("add", ROWS, COLUMNS)
    program = sums(add)
    steps = (RepeatedStep(add, (RepeatedOperand(0, 0, BYTES), RepeatedOperand(3), RepeatedOperand(2, 0, BYTES))),)
    program.steps[0] = program.steps[0]._replace(entry=RepeatedSteps(T, steps, 4))
    with pytest.raises(ValueError, match="reads byte 0 of the arena, which no step before it writes"):
        program.made()


def test_parts_that_leave_their_operand_are_an_error() -> None:
    program = sums(ts.binary("add", ROWS, COLUMNS), trips=T + 1)
    with pytest.raises(ValueError, match=f"touches bytes 0 to {(T + 1) * BYTES - 1} of x, which has {T * BYTES}"):
        program.made()


def test_functions_of_python_are_no_steps_of_a_loop() -> None:
    class Entry(PythonEntry):
        name = "function"

    program = sums(Entry())
    with pytest.raises(UnsupportedError, match="no step of a loop in machine code"):
        program.made()
