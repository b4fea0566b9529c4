"""Bugs of kernels that were mended, put back one by one: each is refuted, and the kernel of today is proved.

The first three are those of tests/fixed that changed what kernels compute; the others are of the kinds that history has
most of: a tail that is moved as a whole vector, a loop that ends too early.
Those of tests/fixed about bf16 that was rounded twice concern other orders and packed results, which have no
specification yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.microkernels.eltwise.plan import EltwisePlan
from tilesmith.microkernels.gemm.plan import GemmPlan
from tilesmith.microkernels.machines.registry import machine_for
from tilesmith.microkernels.machines.x86.core import X86Machine, X86Rounding
from tilesmith.runtime.host.detect import resolve
from tilesmith.runtime.kernel.kinds import kind_of
from tilesmith.runtime.kernel.origin import planned
from tilesmith.runtime.verify.check import verify
from tilesmith.runtime.verify.proof import Proof

Patch = pytest.MonkeyPatch


def proof_of(spec: Any, target: str) -> Proof:
    """Of the bytes that are emitted now: no cache has a part in it."""
    resolved, kind = resolve(target), kind_of(spec)
    machine = machine_for(resolved)
    plan = planned(spec, resolved, kind)
    kind.pipeline().emitter(plan)(machine, plan)
    return verify(machine.asm.finish("kernel").data, resolved, spec, kind)


def rows_of_the_first_product(patch: Patch) -> None:
    """tests/fixed/test_stack_held_rows.py: what panels set up served all products of a stack, rows of A included."""
    patch.setattr(GemmPlan, "set_up_once", property(lambda plan: len(plan.panels) == 1))


def stack_pointer_of_the_body(patch: Patch) -> None:
    """tests/fixed/test_empty_stack_on_tiles.py: what a body claimed of the stack was given back without the body."""

    @contextmanager
    def unless_zero(machine: X86Machine, amount: Any) -> Iterator[None]:
        end = machine.asm.label("end")
        machine.asm.cmp(machine._place(amount), 0) if machine._operand(amount) is not amount else machine.asm.test(
            amount, amount)  # fmt: skip
        machine.asm.je(end)
        yield
        machine.asm.bind(end)

    patch.setattr(X86Machine, "unless_zero", unless_zero)


def callers_mode(patch: Patch) -> None:
    """tests/fixed/test_callers_rounding_mode.py: no instruction seemed to follow the mode."""
    patch.setattr(X86Rounding, "follows", staticmethod(lambda mnemonic: False))


def tail_as_a_whole_vector(patch: Patch) -> None:
    """The last elements of a row as many as a vector has."""
    whole = EltwisePlan.row_vectors
    patch.setattr(EltwisePlan, "row_vectors", lambda plan, rows, columns: [
        replace(each, count=plan.vector) for each in whole(plan, rows, columns)])  # fmt: skip


def one_round_too_few(patch: Patch) -> None:
    """Loops of a counter end a round early."""
    whole = X86Machine.loop
    patch.setattr(X86Machine, "loop", lambda machine, counter, count: whole(
        machine, counter, count - 1 if isinstance(count, int) and count > 2 else count))  # fmt: skip


def spec_of(make: Callable[..., Any], *args: Any, **named: Any) -> Callable[[str], Any]:
    """The request of a kernel."""
    return lambda target: make(*args, target=target, **named).spec


BUGS: dict[str, tuple[Callable[[Patch], None], Callable[[str], Any], tuple[str, ...]]] = {
    "rows of the first product": (
        rows_of_the_first_product, spec_of(ts.brgemm, 3, 2, 16, beta=0, stack=2), ("avx2", "avx512")),
    "stack pointer of the body": (
        stack_pointer_of_the_body,
        spec_of(ts.brgemm, 5, 9, 7, dtype=("u8", "i8", "i32"), stack=ts.RUNTIME), ("amx",)),
    "the caller's mode": (callers_mode, spec_of(ts.binary, "add", 3, 5), ("avx2", "avx512")),
    "tail as a whole vector": (tail_as_a_whole_vector, spec_of(ts.binary, "add", 3, 13), ("avx2", "neon", "sve256")),
    "one round too few": (one_round_too_few, spec_of(ts.binary, "mul", 1, 700), ("avx2", "avx512")),
}  # fmt: skip
CASES = [(name, target) for name, (_, _, targets) in BUGS.items() for target in targets]


@pytest.mark.parametrize(("name", "target"), CASES, ids=[" ".join(case).replace(" ", "-") for case in CASES])
def test_put_back(name: str, target: str, monkeypatch: Patch) -> None:
    plant, request, _ = BUGS[name]
    spec = request(target)
    assert proof_of(spec, target)
    plant(monkeypatch)
    proof = proof_of(spec, target)
    assert proof.refuted, str(proof)
