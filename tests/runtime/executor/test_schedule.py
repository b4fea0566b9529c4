"""Who runs which step: strands and phases, races that are found, and proofs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import address
from tests.profiles import scaled
from tests.runtime.executor.steps_on_arrays import WORKERS, Array, StepProgram, raced, random, relu_program, rng
from tests.runtime.graph.programs import programs
from tilesmith.emulation.workers import Race
from tilesmith.microkernels.tuning.products import ExecutorTuning
from tilesmith.runtime.executor import schedule
from tilesmith.runtime.executor.schedule import Phase, SlotSpan, first_race
from tilesmith.runtime.executor.stages import TouchedElements
from tilesmith.runtime.graph.compiled import compile

# Phases


def test_strands() -> None:
    """Two long chains that do not depend on each other are strands; a step that reads both waits for them."""
    program = StepProgram()
    program.inputs = {"x": random(32, 64)}
    program.results = {"y": np.zeros((32, 64), np.float32)}
    tanh, add = ts.unary("tanh", 32, 64), ts.binary("add", 32, 64)
    for name in ("a", "b", "c", "d"):
        program.between(name, 32 * 64 * 4)
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


SIDE = 8
KERNELS: dict[str, tuple[Callable[[], Any], Callable[..., Array]]] = {
    "square": (lambda: ts.unary("square", SIDE, SIDE), np.square),
    "in parts": (lambda: ts.spread(ts.unary("negate", SIDE, SIDE)), np.negative),
    "add": (lambda: ts.binary("add", SIDE, SIDE), np.add),
    "product": (lambda: ts.gemm(SIDE, SIDE, SIDE, beta=0.0), np.matmul),
    "stack": (lambda: ts.spread(ts.brgemm(4, 4, 4, stack=4, beta=0.0)), lambda a, b: _stacked(a) @ _stacked(b)),
}


def _stacked(x: Array) -> Array:
    return x.reshape(4, 4, 4)


@given(data=st.data())
@settings(max_examples=scaled(12, 10_000), deadline=None)
def test_any_order_of_reads_and_writes(data: st.DataObject) -> None:
    """Steps that read and overwrite the same few places, each divided or not, on any number of workers: as if one had
    run after the other."""
    integers = rng(data.draw(st.integers(0, 99))).integers(-1, 2, (SIDE, SIDE)).astype(np.float32)
    program, size = StepProgram(), integers.nbytes
    program.inputs = {"x": integers}
    program.results = {"y": np.zeros((SIDE, SIDE), np.float32), "z": np.zeros((SIDE, SIDE), np.float32)}
    held: dict[str, Array] = {"x": integers}
    for name in "abcd":
        program.between(name, size)
    for _ in range(data.draw(st.integers(2, 9))):
        make, function = KERNELS[data.draw(st.sampled_from([*KERNELS]))]
        count = 2 if function in (np.add, np.matmul, KERNELS["stack"][1]) else 1
        read = [data.draw(st.sampled_from([*held])) for _ in range(count)]
        to = data.draw(st.sampled_from([name for name in "abcdyz" if name not in read]))
        strides = [64, 64, 64] if function is KERNELS["stack"][1] else []
        result = function(*(held[each] for each in read)).reshape(SIDE, SIDE)
        if np.abs(result).max() < 1 << 24:  # so that sums are exact
            program.step(make(), *read, to, *strides)
            held[to] = result
    with pytest.MonkeyPatch.context() as patch:
        least = ExecutorTuning(divided=data.draw(st.sampled_from([0, 1 << 30])), barrier=0)
        patch.setattr(schedule, "EXECUTOR", least)
        made = program.made()
    assert made.verify_schedule().holds
    turns = data.draw(st.integers(0, 99))
    for workers in (1, 2, 3):
        for emulated in (False, True):
            for result in program.results.values():
                result[...] = 0
            if emulated:
                made.emulated(program.arguments, workers, turns)
            else:
                program.run(made, workers)
            for name, result in program.results.items():
                assert np.array_equal(result, held.get(name, np.zeros_like(result)))


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


@given(data=st.data())
@settings(max_examples=scaled(8, 5_000), deadline=None)
def test_compiled_programs(data: st.DataObject) -> None:
    """Programs of the graph compiler give the same bits on any number of workers, and no two of them race."""
    program, inputs, _ = data.draw(programs(np.float32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schedule, "EXECUTOR", ExecutorTuning(divided=0, barrier=0))
        compiled = compile(program)
    assert compiled.executor.verify_schedule().holds
    made = [compiled(*inputs, threads=count) for count in (1, 2, 3)]
    first, *others = (each if isinstance(each, tuple) else (each,) for each in made)
    memory = [np.zeros(max(place.storage.bytes, 1), np.uint8) for place in compiled.result_layouts]
    compiled.executor.emulated([*inputs, *memory], 3, data.draw(st.integers(0, 99)))
    others.append(tuple(place.on(address(each)) for place, each in zip(compiled.result_layouts, memory)))
    assert all(np.array_equal(*pair, equal_nan=True) for other in others for pair in zip(first, other))
