"""Who runs which step: strands and phases, races that are found, and proofs."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.runtime.graph.steps_on_arrays import (
    WORKERS,
    StepProgram,
    raced,
    random,
    relu_program,
)
from tilesmith.emulation.workers import Race
from tilesmith.runtime.graph.schedule import Phase, SlotSpan, first_race
from tilesmith.runtime.graph.stages import TouchedElements

# Phases


def test_strands() -> None:
    """Two long chains that do not depend on each other are strands; a step that reads both waits for them."""
    program = StepProgram()
    program.inputs = {"x": random(64, 256)}
    program.results = {"y": np.zeros((64, 256), np.float32)}
    tanh, add = ts.unary("tanh", 64, 256), ts.binary("add", 64, 256)
    for name in ("a", "b", "c", "d"):
        program.between(name, 64 * 256 * 4)
    for before, after in (("x", "a"), ("a", "b"), ("x", "c"), ("c", "d")):
        program.step(tanh, before, after, name=after)
    program.step(add, "b", "d", "y", name="sum")
    made = program.made()
    first, second = made.segments[0].schedule
    assert [[each.name for each in strand] for strand in first.strands] == [["a", "b"], ["c", "d"]]
    assert [[each.name for each in strand] for strand in second.strands] == [["sum"]]
    assert made.verify_schedule().holds
    found = []
    for threads in WORKERS:
        program.run(made, threads)
        found.append(program.results["y"].copy())
    wanted = 2 * np.tanh(np.tanh(program.inputs["x"].astype(float)))
    assert np.allclose(found[0], wanted, atol=1e-6) and all(np.array_equal(each, found[0]) for each in found)
    made.emulated(program.arguments, 2, turns=1)
    assert np.array_equal(program.results["y"], found[0])


def test_few_steps_are_not_worth_a_barrier() -> None:
    program = StepProgram()
    program.inputs, program.results = {"x": random(2, 8)}, {"y": np.zeros((2, 8), np.float32)}
    for name in "ab":
        program.between(name, 64)
        program.step(ts.unary("negate", 2, 8), "x", name, name=name)
    program.step(ts.binary("add", 2, 8), "a", "b", "y", name="sum")
    made = program.made()
    (phase,) = made.segments[0].schedule
    assert [[each.name for each in strand] for strand in phase.strands] == [["a", "b", "sum"]]
    assert not made.segments[0].parallel


def test_a_wrong_schedule_is_found() -> None:
    made = raced()
    claim = made.verify_schedule()
    assert not claim.holds and "first and second" in claim.how
    with pytest.raises(Race):
        for turns in range(20):
            made.emulated([random(8, 8), np.zeros((8, 8), np.float32)], 2, turns)


def test_columns_of_one_buffer_do_not_race() -> None:
    """Two results whose elements lie between each other: no byte is common."""
    one, other = (span(written=True, offset=each) for each in (0, 16))
    assert not race_between(one, other) and race_between(one, span(written=False, offset=8))
    assert not race_between(span(written=False), span(written=False))


def span(written: bool, offset: int = 0) -> SlotSpan:
    return SlotSpan.of(1, offset, TouchedElements(0, written, 0, (4, 4), (32, 4), 4))


def race_between(one: SlotSpan, other: SlotSpan) -> bool:
    (stage,) = raced().segments[0].stages[:1]
    strands = tuple((stage._replace(spans=(each,)),) for each in (one, other))
    return first_race([Phase((), strands)]) is not None


def test_proofs() -> None:
    x = random(3, 8)
    program = StepProgram()
    program.inputs, program.results = {"x": x}, {"y": np.zeros((3, 8), np.float32)}
    program.constants = {"w": random(8, 8)}
    program.between("a", 96)
    program.step(ts.gemm(3, 8, 8, beta=0.0), "x", "w", "a")
    program.step(ts.unary("relu", 3, 8), "a", "y")
    proof = program.made().verify()
    assert proof and {"arithmetic", "memory", "places"} <= {each.what for each in proof.claims}
    assert not raced().verify()


def test_reads_that_nobody_has_written() -> None:
    """A step that reads between the rows that an earlier one has written."""
    program = relu_program()
    program.arena = 512
    program.step(ts.unary("negate", 4, 8, ldy=16), "x", "a", name="every other row")
    program.step(ts.unary("negate", 4, 8), "a", "y", name="rows")
    made = program.made()
    claim = made.verify_schedule()
    assert not claim.holds and "rows reads bytes" in claim.how
