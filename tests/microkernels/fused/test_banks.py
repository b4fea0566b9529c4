"""Rows that stay in registers between two passes: the same bits as from memory, and the choice of the planner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation import cpu
from tilesmith.encoder.features import Target
from tilesmith.microkernels.choice import choose
from tilesmith.microkernels.fused import emit
from tilesmith.microkernels.fused import plan as fused
from tilesmith.microkernels.fused.ways import RowSchedule
from tilesmith.microkernels.machines.registry import TARGETS, facts_of, machine_for


def weighted(x: Any) -> Any:
    """Powers are kept by a pass that reads x once more behind them, so they may not overwrite it."""
    powers = ts.exp(x - ts.max(x, axis=1))
    return powers / ts.sum(powers, axis=1) * ts.sum(x * powers * powers, axis=1)


def kept_and_read(x: Any) -> Any:
    """The last pass reads x and the powers, which lie in different banks."""
    powers = ts.exp(x - ts.max(x, axis=1))
    return powers / ts.sum(powers, axis=1) - x


def norm(x: Any) -> Any:
    """A matrix that three passes read, none of which keeps anything."""
    centred = x - ts.mean(x, axis=1)
    return centred / ts.sqrt(ts.mean(centred * centred, axis=1) + 1e-5)


def both(x: Any, z: Any) -> Any:
    """Two matrices that two passes read, and two results."""
    total = ts.sum(x * z, axis=1)
    return z * (x - total), x - z


FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "weighted": (weighted, 1, 1),
    "kept and read": (kept_and_read, 1, 1),
    "norm": (norm, 1, 1),
    "both": (both, 2, 2),
}
"""For each function its matrices and results."""
MACHINES = ("avx512", "avx2", "neon", "sve256", "sse")
TOO_MANY = {(machine, name) for machine in ("avx2", "sse") for name in ("weighted", "kept and read")}
"""Functions whose powers leave none of 16 registers for rows."""
ROWS = 3


def planned(name: str, target: Target, n: int, dtype: str, banks: bool, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the plan with rows in registers, or without; None if there is none."""
    function, inputs, _ = FUNCTIONS[name]
    shapes: dict[str, Any] = dict.fromkeys(("x", "z")[:inputs], (ROWS, n))
    spec: Any = ts.equation(function, **shapes, dtype=dtype, target=target.name).spec

    def reason(way: RowSchedule, *more: Any) -> str | None:
        return None if way.banks == banks else "not asked for"

    with monkeypatch.context() as patch:
        patch.setattr(fused, "reason_against", reason)
        try:
            return choose(fused.candidates(spec, facts_of(target)))
        except ts.UnsupportedError:
            return None


def results(plan: Any, target: Target, matrices: list[Any], n: int, count: int) -> list[Any]:
    """Return what the kernel of a plan computes in the emulator, which allows it no other memory."""
    machine = machine_for(target)
    emit.emit(machine, plan)
    found = [np.full((ROWS, n), 7, matrices[0].dtype) for _ in range(count)]
    regions = [cpu.Region(f"x{i}", each, False) for i, each in enumerate(matrices)]
    regions += [cpu.Region(f"y{i}", each, True) for i, each in enumerate(found)]
    pointers = [each.ctypes.data for each in (*matrices, *found)]
    cpu.execute(machine.asm.finish("k").data, target, pointers, regions)
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("machine", MACHINES)
def test_rows_in_registers_give_the_same_bits(machine: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target, rng, compared = TARGETS[machine], np.random.default_rng(0), 0
    _, inputs, count = FUNCTIONS[name]
    for dtype, n in (("f32", 3), ("f32", 37), ("f64", 9)):
        in_registers, in_memory = (planned(name, target, n, dtype, banks, monkeypatch) for banks in (True, False))
        if in_registers is None:
            continue
        assert in_registers.banks.places and not in_memory.banks.places
        matrices = [rng.standard_normal((ROWS, n)).astype(dtype.replace("f", "float")) for _ in range(inputs)]
        matrices[0][2, n // 2] = np.inf
        found, expected = (results(each, target, matrices, n, count) for each in (in_registers, in_memory))
        same = [[each.pool.accumulators for each in plan.passes] for plan in (in_registers, in_memory)]
        if same[0] == same[1]:  # otherwise the order of sums differs
            compared += 1
            assert [each.tobytes() for each in found] == [each.tobytes() for each in expected], (dtype, n)
    assert bool(compared) == ((machine, name) not in TOO_MANY)


def test_a_matrix_is_read_once() -> None:
    text = str(ts.fused("layernorm", 64, 384, target="avx512").plan)
    passes = [line for line in text.splitlines() if "pass " in line]
    assert "reads x" in passes[0] and "x in registers" in passes[1]
    assert passes[2].startswith("  pass 2: y; reads gamma, beta, 1536 bytes each; @k0 in registers; ")
    powers = str(ts.fused("softmax", 64, 64, target="avx512").plan)
    assert "@k0 kept in registers" in powers and "reads @k0" not in powers


def test_more_is_kept_in_registers_than_in_memory() -> None:
    """x - mean is one operation, which is less than a store and a load, but more than a register."""
    assert "@k0 kept in registers" in str(ts.fused("layernorm", 64, 64, target="avx512").plan)
    assert "@k0" not in str(ts.fused("layernorm", 64, 1024, target="avx512").plan)


def test_a_row_alone_stays_in_registers_only_if_that_is_faster() -> None:
    heavy = str(ts.fused("softmax", 64, 256, target="avx512").plan.rejected)
    assert "operations a vector: two rows in turn from L1 are faster" in heavy
    short = str(ts.fused("layernorm", 64, 64, target="avx2").plan.rejected)
    assert "a row has 8 vectors: two rows in turn from L1 are faster" in short
    long = str(ts.fused("layernorm", 64, 1024, target="avx512").plan.rejected)
    assert "1 rows of 64 vectors exceed the 32 registers" in long


def test_values_of_a_row_are_divided_in_narrow_registers() -> None:
    text = ts.fused("rmsnorm", 8, 48, target="avx512").listing()
    assert "vdivps xmm" in text and "vsqrtps xmm" in text and "vdivps zmm" not in text
