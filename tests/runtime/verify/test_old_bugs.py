"""Old bugs of kernels are put back one by one: each is refuted, and today's kernel is proved.

All but the last two are bugs of tests/fixed that changed results of kernels or the state of their callers; the absmax
of the least integer is put back in its own file. The last two are of the most frequent kinds: a tail that is moved as a
whole vector, and a loop that ends too early.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

import tilesmith as ts
from tests.fixed.test_registers_set_aside import function as ten_operands
from tilesmith.microkernels.chain.parts import StagePlanner
from tilesmith.microkernels.eltwise import moved_plan
from tilesmith.microkernels.eltwise.plan import EltwisePlan
from tilesmith.microkernels.fused import emit as fused_emit
from tilesmith.microkernels.fused import plan as fused_plan
from tilesmith.microkernels.fused.spec import FusedSpec
from tilesmith.microkernels.gemm.plan import GemmPlan
from tilesmith.microkernels.machines.a64.core import A64Machine
from tilesmith.microkernels.machines.registry import machine_for
from tilesmith.microkernels.machines.x86.core import X86Machine, X86Rounding
from tilesmith.runtime.host.detect import resolve
from tilesmith.runtime.kernel.kinds import kind_of
from tilesmith.runtime.kernel.origin import planned
from tilesmith.runtime.verify.check import verify
from tilesmith.runtime.verify.proof import Proof

Patch = pytest.MonkeyPatch


def proof_of(spec: Any, target: str) -> Proof:
    """Return the proof of newly emitted bytes, without any cache."""
    resolved, kind = resolve(target), kind_of(spec)
    machine = machine_for(resolved)
    plan = planned(spec, resolved, kind)
    kind.pipeline().emitter(plan)(machine, plan)
    return verify(machine.asm.finish("kernel").data, resolved, spec, kind)


def edited(patch: Patch, owner: Any, name: str, *changes: tuple[str, str]) -> None:
    """Replace a function by its source with some texts replaced, each of which must occur in it."""
    function = inspect.unwrap(getattr(owner, name))
    source = textwrap.dedent(inspect.getsource(function))
    for now, before in changes:
        assert now in source, f"{name} has changed: {now}"
        source = source.replace(now, before)
    made: dict[str, Any] = {}
    exec(compile(source, function.__code__.co_filename, "exec"), function.__globals__, made)
    patch.setattr(owner, name, made[name])


def rows_of_the_first_product(patch: Patch) -> None:
    """tests/fixed/test_stack_held_rows.py: the setup of panels was done once for a stack, even if it held rows of A."""
    patch.setattr(GemmPlan, "set_up_once", property(lambda plan: len(plan.panels) == 1))


def stack_pointer_of_the_body(patch: Patch) -> None:
    """tests/fixed/test_empty_stack_on_tiles.py: the stack space of a body was released even if the body was skipped."""

    @contextmanager
    def unless_zero(machine: X86Machine, amount: Any) -> Iterator[None]:
        end = machine.asm.label("end")
        machine.asm.cmp(machine._place(amount), 0) if machine._operand(amount) is not amount else machine.asm.test(
            amount, amount
        )
        machine.asm.je(end)
        yield
        machine.asm.bind(end)

    patch.setattr(X86Machine, "unless_zero", unless_zero)


def callers_mode(patch: Patch) -> None:
    """tests/fixed/test_callers_rounding_mode.py: no instruction was taken to follow the rounding mode."""
    patch.setattr(X86Rounding, "follows", staticmethod(lambda mnemonic: False))


def saved_in_a_skipped_body(patch: Patch) -> None:
    """tests/fixed/test_callee_saved_in_a_skipped_body.py: registers of the body were restored at the kernel's end."""
    edited(
        patch,
        X86Machine,
        "_restoring",
        ("in self._saved[saved:]:", "in self._saved[saved:] if self._frame != frame else ():"),
        ("del self._saved[saved:]", "del self._saved[saved if self._frame != frame else len(self._saved):]"),
    )


def half_a_byte_of_a_mask(patch: Patch) -> None:
    """tests/fixed/test_bits_of_half_a_byte.py: a pointer to bits advanced after each vector of four elements."""
    edited(patch, fused_plan._Planner, "_pass", ("BYTE // (unroll * self.vector)", "1"), ("% BYTE", "% 1"))


def start_of_a_column_sum(patch: Patch) -> None:
    """tests/fixed/test_mask_beside_a_column_sum.py: the pointers of all operands were advanced, and moved back."""
    edited(
        patch,
        fused_emit._RowPasses,
        "_start",
        ("m.advance(self.pointers[y], step)", "self._move(plan.vector)"),
        ("m.advance(self.pointers[y], -loops * step)", "self._move(-loops * plan.vector)"),
    )


def mask_of_a_row(patch: Patch) -> None:
    """tests/fixed/test_mask_of_a_row.py: the mask was stored as a number."""
    edited(patch, fused_emit._RowPasses, "_row_values", ("if y.name in self.spec.bits:", "if False:"))


def mask_of_all(patch: Patch) -> None:
    """tests/fixed/test_mask_of_all_beside_a_mask_of_columns.py: the walk treated it as a mask of columns."""
    edited(patch, FusedSpec, "request_of_sweep", ("and wide[expr] == sweep.wide", ""))


def product_that_goes_on(patch: Patch) -> None:
    """tests/fixed/test_product_that_is_a_result_and_goes_on.py: the next walk became the product's epilogue."""
    edited(patch, StagePlanner, "_with_epilogue", ("if stage.band.stored not in", "if stage.band.stored is False and"))


def saved_while_set_aside(patch: Patch) -> None:
    """tests/fixed/test_registers_set_aside.py: a callee-saved register was pushed above those that were set aside."""
    edited(
        patch,
        A64Machine,
        "set_aside",
        ("[*aside, *saved]", "[*aside, *self._free_general]"),
        ("self._free_general[:0] = unsaved", "pass"),
    )


def rounded_twice(patch: Patch) -> None:
    """tests/fixed/test_moved_bf16_is_rounded_once.py and test_packed_bf16_rounded_once.py: the expression rounded, and
    the store rounded again.
    """
    edited(patch, moved_plan, "_transformed", ("arithmetic.tables, arithmetic.converts", "arithmetic.tables"))


def tail_as_a_whole_vector(patch: Patch) -> None:
    """Move the last elements of a row as a whole vector."""
    whole = EltwisePlan.row_vectors
    patch.setattr(
        EltwisePlan,
        "row_vectors",
        lambda plan, rows, columns: [replace(each, count=plan.vector) for each in whole(plan, rows, columns)],
    )


def one_round_too_few(patch: Patch) -> None:
    """End every counted loop one round early."""
    whole = X86Machine.loop
    patch.setattr(
        X86Machine,
        "loop",
        lambda machine, counter, count: whole(
            machine, counter, count - 1 if isinstance(count, int) and count > 2 else count
        ),
    )


def spec_of(make: Callable[..., Any], *args: Any, **named: Any) -> Callable[[str], Any]:
    """Return a function of the target that returns the kernel's request."""
    return lambda target: make(*args, target=target, **named).spec


BUGS: dict[str, tuple[Callable[[Patch], None], Callable[[str], Any], tuple[str, ...]]] = {
    "rows of the first product": (
        rows_of_the_first_product,
        spec_of(ts.brgemm, 3, 2, 16, beta=0, stack=2),
        ("avx2", "avx512"),
    ),
    "stack pointer of the body": (
        stack_pointer_of_the_body,
        spec_of(ts.brgemm, 2, 3, 2, dtype=("u8", "i8", "i32"), stack=ts.RUNTIME),
        ("amx",),
    ),
    "the caller's mode": (callers_mode, spec_of(ts.binary, "add", 3, 5), ("avx2", "avx512")),
    "saved in a skipped body": (
        saved_in_a_skipped_body,
        spec_of(ts.gather, "rows", ts.RUNTIME, 5, size=4, bounds="kernel", out="bf16", scale="col", bias="row"),
        ("avx2", "avx512"),
    ),
    "half a byte of a mask": (
        half_a_byte_of_a_mask,
        spec_of(ts.fused, "bias_dropout_residual_layernorm", 3, 29),
        ("sse",),
    ),
    "start of a column sum": (
        start_of_a_column_sum,
        spec_of(ts.equation, lambda x: (x > 0.0, ts.sum(x, axis=0)), x=(3, 20)),
        ("neon",),
    ),
    "mask of a row": (
        mask_of_a_row,
        spec_of(ts.equation, lambda x: (ts.sum(x, axis=1) > 0.0, ts.max(x) > 3.0), x=(3, 9)),
        ("avx2", "neon"),
    ),
    "mask of all": (
        mask_of_all,
        spec_of(ts.equation, lambda x: (ts.max(x) > 3.0, ts.sum(x, axis=0) > 1.0), x=(3, 9)),
        ("avx2", "neon"),
    ),
    "product that goes on": (
        product_that_goes_on,
        spec_of(ts.equation, lambda x, w: (x @ w, (x @ w) * 2.0), x=(8, 6), w=(6, 8)),
        ("avx2", "neon"),
    ),
    "saved while set aside": (
        saved_while_set_aside,
        spec_of(ts.equation, ten_operands, x=(2, 2), w=(1, 2), c=(2, 1), e=(1, 1)),
        ("neon",),
    ),
    "rounded twice": (
        rounded_twice,
        spec_of(ts.brgemm, 4, 10, 7, dtype="bf16", beta=0, c_layout="vnni2"),
        ("neon_bf16",),
    ),
    "tail as a whole vector": (tail_as_a_whole_vector, spec_of(ts.binary, "add", 3, 13), ("avx2", "neon", "sve256")),
    "one round too few": (one_round_too_few, spec_of(ts.binary, "mul", 1, 700), ("avx2", "avx512")),
}
CASES = [(name, target) for name, (_, _, targets) in BUGS.items() for target in targets]


@pytest.mark.parametrize(("name", "target"), CASES, ids=[" ".join(case).replace(" ", "-") for case in CASES])
@pytest.mark.grid(3)
def test_put_back(name: str, target: str, monkeypatch: Patch) -> None:
    plant, request, _ = BUGS[name]
    spec = request(target)
    assert proof_of(spec, target)
    plant(monkeypatch)
    proof = proof_of(replace(spec), target)  # a new spec, without cached properties
    assert proof.refuted, str(proof)
