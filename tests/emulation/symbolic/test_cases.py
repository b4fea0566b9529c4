"""Expressions of a control register, compared with Python's integers for every value of a register of eight bits."""

from __future__ import annotations

import operator
from random import Random
from typing import Any

import pytest

from tests.profiles import scaled
from tilesmith.emulation.symbolic.modes import cases

WIDTH = 8
OPERATIONS = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "add": operator.add,
    "subtract": operator.sub,
    "equal": operator.eq,
    "less": operator.lt,
}


def drawn(random: Random, depth: int) -> tuple[Any, Any]:
    """Return an expression, and a function that computes it from the register."""
    if depth == 0 or random.random() < 0.15:
        number = random.choice([0, 1, -1, random.randrange(256), random.randrange(1 << 16)])
        return random.choice([(number, lambda register: number), (cases.register(WIDTH), lambda register: register)])
    one, of_one = drawn(random, depth - 1)
    if random.random() < 0.2:
        by = random.randrange(-9, 10)
        return cases.shifted(one, by), lambda register: of_one(register) << by if by >= 0 else of_one(register) >> -by
    if random.random() < 0.1:
        even = "even", one
        known = cases.outcome(even, cases.ANY)
        return even if known is None else known, lambda register: bin(of_one(register) & 0xFF).count("1") % 2 == 0
    other, of_other = drawn(random, depth - 1)
    name = random.choice(list(OPERATIONS))
    function = OPERATIONS[name]
    return cases.operation(name, one, other), lambda register: int(function(of_one(register), of_other(register)))


def test_known_bits_are_those_of_every_register() -> None:
    random = Random(1)
    for _ in range(scaled(200, 20_000)):
        expression, value = drawn(random, 4)
        known = random.randrange(1 << WIDTH)
        cube = cases.Cube(known, random.randrange(1 << WIDTH) & known)
        bits, held = cases.bits_of(expression, cube)
        inside = [register for register in range(1 << WIDTH) if register & known == cube.value]
        assert all(not (value(register) ^ held) & bits & (1 << 160) - 1 for register in inside), expression
        each = cases.outcome(expression, cases.Cube(~0, inside[0]))
        assert each == value(inside[0]), expression


def test_registers_outside_of_paths() -> None:
    random, ends = Random(2), {True: 0, False: 0}
    for _ in range(scaled(60, 5_000)):
        paths, functions = [], []
        for _ in range(random.randrange(1, 4)):
            conditions = [drawn(random, 3) for _ in range(random.randrange(1, 3))]
            wanted = [
                (("equal", expression, function(random.randrange(256))), random.randrange(2))
                for expression, function in conditions
            ]
            paths.append(tuple(wanted))
            functions.append(
                [
                    (function, each[0][2], outcome)
                    for (_, function), each, outcome in zip(conditions, wanted, [w[1] for w in wanted])
                ]
            )
        left = [
            register
            for register in range(256)
            if not any(
                all((function(register) == number) == bool(outcome) for function, number, outcome in path)
                for path in functions
            )
        ]
        found = cases.outside(tuple(paths), WIDTH)
        assert (found in left) if left else found is None
        ends[bool(left)] += 1
    assert min(ends.values()) > 0


def test_flags_that_may_be_raised_decide_nothing() -> None:
    caller = cases.register(16)
    raised = "or", caller, cases.unsettled(1, 0x3F)
    assert cases.operation("and", raised, 0xFFC0) == cases.operation("and", caller, 0xFFC0)
    kept = cases.operation("and", cases.operation("and", caller, 0x3F), cases.operation("xor", raised, -1))
    assert kept == 0
    assert cases.outside((((("equal", cases.operation("and", raised, 1), 1), 1),),), 16) is not None


def test_too_many_cases_are_refused() -> None:
    caller = cases.register(32)
    twice = ("equal", cases.operation("and", ("multiply", caller, caller), 0xFFFF_FFFF), 12345)
    with pytest.raises(cases.TooManyCases):
        cases.outside((((twice, 0),),), 32)
