"""Stacks of products: machine code takes the usual calls, Python checks the others, and gaps are not written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tilesmith.runtime.fastcall import entry

native = pytest.mark.skipif(bool(entry.refusal()), reason=f"calls go through Python: {entry.refusal()}")
each_count = pytest.mark.parametrize("stack", (3, ts.RUNTIME), ids=str)
NUMPY = {"f32": np.float32, "f64": np.float64}


def operands(seed: int, dtype: str = "f32", shapes: Any = ((5, 3), (3, 4), (5, 4)), step: int = 1) -> list[Any]:
    """Return a, b, c: every `step`-th matrix of an array, three matrices each, so the matrices between are gaps."""
    rng = np.random.default_rng(seed)
    return [rng.integers(-4, 5, (3 * step, *shape)).astype(NUMPY[dtype])[::step] for shape in shapes]


@native
@each_count
@pytest.mark.parametrize("dtype", NUMPY)
@pytest.mark.parametrize("step", (1, 2))
def test_machine_code_takes_stacks_as_numpy_makes_them(stack, dtype, step, monkeypatch):
    monkeypatch.setattr("tilesmith.runtime.arguments.stack.StackArguments.__call__", pytest.fail)
    mm = ts.brgemm(5, 4, 3, stack=stack, dtype=dtype)
    a, b, c = operands(1, dtype, step=step)
    before = c.copy()
    mm(a, b, c)
    assert (c == before + a @ b).all()


@each_count
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("beta", (0, 1))
def test_gaps_between_matrices_are_not_written(stack, side, beta):
    """Rows use 4 of 6 elements and the stack every second matrix; canaries fill both kinds of gaps."""
    rng = np.random.default_rng(2)
    a, b, c = (rng.integers(-4, 5, (3, *shape)).astype(np.float32) for shape in ((5, 3), (3, 4), (5, 4)))
    wide = np.zeros((6, 5, 6), np.float32)[::2, :, :4]
    wide[...] = c
    result = guarded(wide, side)
    inputs = [guarded(x, side, writable=False) for x in (a, b)]
    ts.brgemm(5, 4, 3, stack=stack, beta=beta, ldc=6)(*inputs, result)
    assert (result == a @ b + beta * c).all()
    check_canary(result)


@each_count
def test_machine_code_and_python_accept_the_same_views(stack):
    """For random views of three stacks, machine code accepts and refuses the same calls as the checks in Python."""
    mm = ts.brgemm(4, 4, 4, stack=stack)
    rng, taken, refused = np.random.default_rng(3), 0, 0
    for _ in range(scaled(300, 5000)):
        memory = rng.integers(-2, 3, 400).astype(np.float32)
        places = rng.integers(0, 120, 3)
        steps = rng.choice([-20, -16, 0, 1, 4, 15, 16, 17, 20, 48], 3)
        counts = rng.choice([2, 3, 3, 3, 3, 3, 4], 3)
        arrays = [
            np.lib.stride_tricks.as_strided(memory[place + 60 :], (count, 4, 4), (4 * step, 16, 4))
            for place, step, count in zip(places, steps, counts)
        ]
        before, first = memory.copy(), None
        try:
            mm._checked(*arrays)
        except ValueError as error:
            first = str(error)
        by_python = memory.copy()
        memory[...] = before
        if first is None:
            mm(*arrays)
            assert (memory == by_python).all()
            taken += 1
        else:
            with pytest.raises(ValueError, match="^[abc]: ") as raised:
                mm(*arrays)
            assert str(raised.value) == first
            assert (memory == before).all()
            refused += 1
    assert taken and refused  # `make check` draws few: about a tenth of its 30 are taken


def test_a_shared_matrix_is_one_array_of_two_dimensions():
    mm = ts.brgemm(5, 4, 3, stack=ts.RUNTIME, beta=0)
    a, b, _ = operands(4)
    assert (mm(a, b[0]) == a @ b[0]).all()
    assert (mm(a[0], b) == a[0] @ b).all()
    with pytest.raises(ValueError, match="at least one must be a stack of matrices"):
        mm(a[0], b[0])


def test_the_emulator_sees_every_matrix_and_nothing_else():
    a, b, c = operands(5, step=2)
    before = c.copy()
    for target in ("avx2", "neon"):
        c[...] = before
        ts.brgemm(5, 4, 3, stack=ts.RUNTIME, target=target).run(a, b, c)
        assert (c == before + a @ b).all()
