"""Every expression of the catalogue and of reductions, verified at each stage of code generation on every kind of
machine.

The verifier (tests/expression_verifier.py) checks every graph that is selected and every register allocation that a
planner tries, whether or not it is chosen.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

import tilesmith as ts
from tests.expression_verifier import (
    VerificationError,
    verify_allocation,
    verify_graph,
    verify_program,
    verify_selection,
)
from tests.profiles import is_soak
from tilesmith.microkernels.codegen import fitting
from tilesmith.microkernels.codegen.fitting import Straight
from tilesmith.microkernels.codegen.linear_scan import Inputs
from tilesmith.microkernels.codegen.lowered import Lowered, NumberedRegister
from tilesmith.microkernels.codegen.selection import arithmetic_of, legal
from tilesmith.microkernels.contract.machine import Facts
from tilesmith.microkernels.expr.graph import Expr, Program, Step, clamp, constant, fma, operand, select
from tilesmith.microkernels.functions.activations import CATALOGUE
from tilesmith.microkernels.machines.registry import TARGETS, facts_of

MACHINES = ("avx2", "avx512", "neon", "sve256")
SHAPE = (3, 43)  # no other test uses this shape, so no cached kernel skips the verification
NEEDS = {"dropout": {"rate": 0.25}, "dropout_mask": {"rate": 0.25}, "dropout_inv": {"rate": 0.25}}
QUANTIZE = {"quantize": {"out": "i8", "scale": 0.5}, "dequantize": {"scale": 0.5}}
machines = pytest.mark.parametrize("machine", MACHINES)


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Verify everything that planners select and allocate while the fixture is active, and count it."""
    counts: Counter[str] = Counter()
    monkeypatch.setattr(fitting, "_recent", {})  # an empty cache, so that everything is planned again
    select_, scan = Straight.__init__, Straight._scanned

    def selected(self: Straight, outputs: Sequence[Expr], facts: Facts, *others: Any, **named: Any) -> None:
        chosen = named.get("arithmetic") or arithmetic_of(facts)
        verify_graph(outputs, chosen)
        verify_graph(legal(outputs, chosen), chosen)
        select_(self, outputs, facts, *others, **named)
        verify_selection(self.steps, self.results, self.arithmetic)
        counts["selected"] += 1

    def scanned(self: Straight, vectors: int, unroll: int, resident: int, inputs: Inputs) -> Lowered | None:
        code = scan(self, vectors, unroll, resident, inputs)
        if code is not None:
            assert code.vectors <= vectors and code.masks <= self.arithmetic.masks
            verify_allocation(self, code, inputs)
            counts["allocated"] += 1
        return code

    monkeypatch.setattr(Straight, "__init__", selected)
    monkeypatch.setattr(Straight, "_scanned", scanned)
    yield counts


def requests(name: str, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the options of a function's requests: f32, f64, and the accurate form if there is one."""
    more = {**NEEDS, **(QUANTIZE if kind == "unary" else {})}.get(name, {})
    yield more
    if (kind, name) not in (("unary", "unpack"), ("binary", "pack"), ("unary", "split2"), ("unary", "split3")):
        yield {"out": "f32", **more, "dtype": "f64"} if name == "round_stochastic" else {**more, "dtype": "f64"}
    if name.removesuffix("_inv") in CATALOGUE:
        yield {**more, "accuracy": "accurate"}


def in_turn(requests: list[Any], machine: str) -> list[Any]:
    """Return the requests for one machine: a seeded coin assigns each to one of two machines, a soak takes all."""
    coins, turn = random.Random(len(requests)), MACHINES.index(machine) % 2
    return [each for each in requests if coins.getrandbits(1) == turn or is_soak()]


@machines
@pytest.mark.parametrize("kind", ["unary", "binary", "ternary"])
@pytest.mark.grid(4)
def test_functions(machine: str, kind: str, verified: Counter[str]) -> None:
    """Each different program is selected; a copy has no selection, and equal programs, for example of two accuracies,
    share one."""
    programs = set()
    asked = [(name, request) for name in ts.primitives()[kind] for request in requests(name, kind)]
    asked = in_turn(asked, machine)
    for name, request in asked:
        if name == "round_stochastic":
            request = {"out": "bf16", **request}
        kernel = getattr(ts, kind)(name, *SHAPE, target=machine, **request)
        verify_program(kernel.spec.program)
        if any(step.op != "input" for step in kernel.spec.program.steps):
            programs.add((kernel.spec.program, request.get("dtype")))
    assert min(verified["allocated"], verified["selected"]) >= len(programs) > 0


@machines
def test_conversions(machine: str, verified: Counter[str]) -> None:
    types = ("bf16", "f16", "f8e5m2", "f8e4m3", "i8", "u8", "i16", "u16", "i32")
    for request in [{"dtype": dtype} for dtype in types] + [{"dtype": "f32", "out": dtype} for dtype in types]:
        fitting._recent.clear()
        ts.unary("relu", *SHAPE, target=machine, **request)
    assert verified["selected"] >= 2 * len(types)


@machines
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.grid(4)
def test_reductions(machine: str, axis: int | None, verified: Counter[str]) -> None:
    names, types = ("sum", "product", "max", "min", "absmax", "argmax", "argmin"), ("f32", "f64", "i32", "bf16")
    asked = in_turn([*product(names, types, ((9, 43), (2, 4343)))], machine)
    for name, dtype, shape in asked:
        ts.reduce(name, *shape, axis=axis, dtype=dtype, target=machine)
    ts.reduce("sum", 9, 43, axis=axis, squared="both", init=True, target=machine)
    assert min(verified["selected"], verified["allocated"]) > len(asked) // 2 >= 10


@machines
def test_results_that_are_equal_or_inputs_or_constants(machine: str, verified: Counter[str]) -> None:
    def function(x: Expr) -> tuple[Expr, ...]:
        used, unused = x * 2.0, x + 1.5
        return used, x, used, used + x, unused, unused, constant(3.0, "f32")

    ts.equation(function, x=SHAPE, target=machine)
    assert verified["allocated"] >= 1


@machines
def test_epilogues_and_bags(machine: str, verified: Counter[str]) -> None:
    """Expressions on accumulators, whose inputs are already in registers, are verified too."""
    ts.brgemm(9, 8, 43, epilogue=lambda c, bias: ts.gelu(c + bias), target=machine)
    ts.brgemm(9, 8, 43, dtype="bf16", epilogue=lambda c: ts.tanh(c), target=machine)
    ts.embedding_bag(3, 43, size=9, count=7, dtype="i8", weights=True, target=machine)
    ts.brgemm(9, 8, 43, epilogue=lambda c: (c, ts.statistic("squares", c, 0)), target=machine)
    ts.brgemm(9, 8, 43, epilogue=lambda c: (ts.relu(c), ts.relu(c) * c + 1.0), target=machine)
    assert verified["allocated"] >= 5


# The verifier must find faults in a program, in a selection and in every line of code


def sample(machine: str, unroll: int) -> tuple[Straight, Lowered, Inputs]:
    """Return code with a load, a loop-invariant input, constants, an operation of three operands, a mask and two
    results."""
    x, y = operand("x", "f32"), operand("y", "f32")
    value = clamp(fma(x, y, 0.3) + 1.7, -2.0, 5.5)
    straight = Straight((select(value < y, value * 0.7, x), value), facts_of(TARGETS[machine]))
    inputs = Inputs((), ("y",))
    code = straight.allocated(12, unroll, loop_invariant=inputs.loop_invariant)
    assert code is not None
    verify_allocation(straight, code, inputs)
    return straight, code, inputs


@machines
@pytest.mark.parametrize("unroll", [1, 2])
def test_a_line_that_is_missing(machine: str, unroll: int) -> None:
    straight, code, inputs = sample(machine, unroll)
    for number in range(len(code.lines)):
        lines = code.lines[:number] + code.lines[number + 1 :]
        with pytest.raises(VerificationError):
            verify_allocation(straight, replace(code, lines=lines), inputs)


@machines
@pytest.mark.parametrize("unroll", [1, 2])
def test_a_result_in_another_register(machine: str, unroll: int) -> None:
    """The verifier rejects every line that writes a register if any other register replaces its destination."""
    straight, code, inputs = sample(machine, unroll)
    for number, line in enumerate(code.lines):
        for other in range(code.vectors if line.dst is not None else 0):
            if line.dst is None or line.dst == NumberedRegister("vector", other):
                continue
            moved = line._replace(dst=NumberedRegister("vector", other))
            lines = (*code.lines[:number], moved, *code.lines[number + 1 :])
            with pytest.raises(VerificationError):
                verify_allocation(straight, replace(code, lines=lines), inputs)


@machines
def test_a_constant_that_does_not_stay(machine: str) -> None:
    straight, code, inputs = sample(machine, 1)
    assert code.resident
    for number in range(len(code.resident)):
        resident = code.resident[:number] + code.resident[number + 1 :]
        with pytest.raises(VerificationError):
            verify_allocation(straight, replace(code, resident=resident), inputs)


def test_faults_of_programs() -> None:
    x, one = Step("input", "f32", (), "x"), Step("const", "f32", (), 0x3F800000)
    verify_program(Program((x, one, Step("add", "f32", (0, 1))), (2,)))
    for steps, outputs in (
        ((x, one, Step("add", "f64", (0, 1))), (2,)),  # another type
        ((x, one, Step("add", "f32", (0,))), (2,)),  # one operand is missing
        ((x, one, Step("and", "f32", (0, 1))), (2,)),  # floats do not have this operation
        ((x, Step("add", "f32", (0, 2)), one), (1,)),  # a step refers to a later one
        ((x, one, Step("add", "f32", (0, 1))), (0,)),  # steps that lead to no result
        ((x, one, Step("plus", "f32", (0, 1))), (2,)),  # an unknown operation
        ((x, Step("const", "f32", (), 1 << 32)), (1,)),  # a constant with too many bits
        ((x, one, Step("add", "f32", (0, 1))), (3,)),  # a result that is no step
    ):
        with pytest.raises(VerificationError):
            verify_program(Program(steps, outputs))


@machines
def test_faults_of_selections(machine: str) -> None:
    straight, _, _ = sample(machine, 1)
    arithmetic = straight.arithmetic
    verify_selection(straight.steps, straight.results, arithmetic)
    last = len(straight.steps) - 1
    operation = next(number for number, step in enumerate(straight.steps) if step.op not in ("input", "const"))
    for number, change in (
        (operation, {"op": "add_of_another_machine"}),
        (operation, {"args": (last, last)}),
        (0, {"op": "add", "args": (1, 1)}),
    ):
        steps = list(straight.steps)
        steps[number] = steps[number]._replace(**change)
        with pytest.raises(VerificationError):
            verify_selection(steps, straight.results, arithmetic)
    with pytest.raises(VerificationError):
        verify_selection(straight.steps, straight.results[:0], arithmetic)
