"""A result that ends in the register of an input was stored behind the step that read the input for the last time; if
that step read the result too, the result's register became free twice. Two copies then loaded into one register:
column sums of `select(q > 0, q, p)` beside `q = p + max(p)` were wrong on AVX-512 where rows stay in registers."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import tilesmith as ts
from tests.expression_verifier import verify_allocation
from tests.profiles import scaled
from tilesmith.microkernels.codegen.fitting import Straight
from tilesmith.microkernels.expr.graph import Expr, maximum, operand, select
from tilesmith.microkernels.machines.registry import TARGETS, facts_of

MACHINES = ("sse", "avx2", "avx512", "neon", "sve256")


def shifted(p):
    q = p + ts.max(p, axis=1)
    return q, ts.sum(ts.select(q > 0, q, p), axis=0)


@pytest.mark.parametrize("shape", [(2, 32), (3, 48), (40, 48), (2, 102)])
@pytest.mark.parametrize("target", ["sse", "avx2", "avx512"])
def test_sums_down_columns_of_rows_in_registers(shape, target):
    p = np.random.default_rng(0).integers(-9, 9, shape).astype("f4")
    q = p + p.max(1, keepdims=True)
    shifts, sums = np.zeros(shape, "f4"), np.zeros((1, shape[1]), "f4")
    ts.equation(shifted, p=shape, target=target).run(p, shifts, sums)
    assert (shifts == q).all() and (sums == np.where(q > 0, q, p).sum(0)).all()


@pytest.mark.parametrize("target", ["sse", "avx", "avx2", "avx512"])
def test_statistics_beside_the_result_that_needs_the_register_of_the_sums(target):
    """A result that is needed further was copied to the register of the sums, which held another result by then."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype("f4") for shape in ((7, 9), (9, 100)))
    shift = rng.integers(-3, 4, (7, 1)).astype("f4")

    def results(c, s):
        d = c + s
        return d, ts.statistic("squares", c), ts.statistic("min", d)

    kernel = ts.brgemm(7, 100, 9, beta=0, epilogue=results, operands={"s": "col"}, target=target)
    c, squares, least = np.zeros((7, 100), "f4"), np.zeros(100, "f4"), np.zeros(100, "f4")
    kernel.run(a, b, c, shift[:, 0].copy(), squares, least)
    wanted = a @ b
    assert (c == wanted + shift).all() and (squares == (wanted * wanted).sum(0)).all()
    assert (least == (wanted + shift).min(0)).all()


def drawn(random: Random, names: list[str]) -> list[Expr]:
    """Return results of these inputs."""
    values = [operand(name, "f32") for name in names]
    for _ in range(random.randint(1, 9)):
        a, b, c = (random.choice(values[-3:] + values) for _ in range(3))
        values.append(random.choice([a + b, a * b, maximum(a, b), select(a < b, c, a), a - b, -a, a * 0.25 + b]))
    return random.sample(chosen := [values[-1], *random.sample(values, random.randint(0, 2))], len(chosen))


@pytest.mark.parametrize("machine", MACHINES)
def test_registers_of_drawn_expressions_with_inputs_in_registers(machine):
    """The code is executed with symbols, by tests/expression_verifier.py."""
    facts, made, count = facts_of(TARGETS[machine]), 0, scaled(60, 20_000)
    for seed in range(count):
        random = Random(seed)
        names = ["p", "q", "r", "s"][: random.randint(1, 4)]
        outputs = drawn(random, names)
        given = tuple(random.sample(names, random.randint(0, len(names))))
        others = [name for name in names if name not in given]
        invariant = tuple(random.sample(others, random.randint(0, len(others))))
        kept = random.random() < 0.5  # whether results with the numbers of given inputs may lie in their registers
        stay = random.sample(given, random.randint(0, len(given))) if not kept else []
        disposable = [name for name in given if name not in stay] if not kept else []
        straight = Straight(outputs, facts, preserved=stay, disposable=disposable)
        inputs = straight._inputs(given, invariant)
        for unroll in (1, 2, 3):
            code = straight.allocated(random.choice([4, 8, 16]), unroll, given, invariant)
            if code is not None:
                verify_allocation(straight, code, inputs, moves=False)
                made += 1
    assert made > count  # of three for each
