"""The innermost loops of kernels, and how many cycles llvm-mca-19 gives one pass of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.oracles import mca
from tilesmith.encoder.code import Code, Instruction
from tilesmith.microkernels.gemm import emit
from tilesmith.microkernels.gemm.plan import GemmPlan, plan
from tilesmith.microkernels.gemm.spec import GemmSpec
from tilesmith.microkernels.machines.registry import TARGETS, machine_class, machine_for

CPUS = ("neoverse-v1", "neoverse-v2")
"""The models of AArch64."""
BRANCHES = ("j", "b.", "cbnz", "tbnz")
"""The prefixes of the mnemonics of conditional branches."""
Loop = tuple[Instruction, ...]
"""The instructions of a loop, of which the last is the branch back."""


def columns(cycles: str = "", busy: str = "busy %", cpus: Sequence[str] = CPUS) -> str:
    """Return the columns of each model: the cycles of a pass, and the share in which what is counted is busy."""
    return "".join(f"; {cpu}{cycles}={cpu}:1; {busy}={cpu} busy:0%" for cpu in cpus)


def code_of(target: str, spec: GemmSpec) -> tuple[Code, GemmPlan]:
    """Return a kernel of a product that reads its operands without a copy, and its plan."""
    machine, found = machine_for(TARGETS[target]), plan(spec, machine_class(TARGETS[target]).facts_of(TARGETS[target]))
    assert isinstance(found, GemmPlan)
    emit.emit(machine, found)
    return machine.asm.finish("kernel"), found


def is_fma(instruction: Instruction) -> bool:
    """Whether an instruction of AArch64 multiplies vectors of floats."""
    return instruction.form.mnemonic in ("fmla", "fmul")


def innermost_loops(code: Code) -> list[Loop]:
    """Return the loops that have no other loop in them."""
    branches = [i for i in code.instructions if i.form.mnemonic.startswith(BRANCHES)]
    back = [(i.operands[-1].offset, i.offset) for i in branches if i.operands[-1].offset < i.offset]
    inner = [loop for loop in back if not any(o != loop and loop[0] <= o[0] and o[1] <= loop[1] for o in back)]
    return [tuple(i for i in code.instructions if first <= i.offset <= last) for first, last in inner]


def innermost(code: Code, counted: Callable[[Instruction], bool] = is_fma) -> Loop | None:
    """Return the shortest innermost loop whose body has an instruction that is counted, or None if there is none."""
    holding = [loop for loop in innermost_loops(code) if any(map(counted, loop))]
    return min(holding, key=len, default=None)


def busy(loop: Loop, cpu: str, counted: Callable[[Instruction], bool] = is_fma) -> tuple[float, float]:
    """Return (cycles of one pass of a loop as llvm-mca simulates it, cycles of its counted instructions alone)."""
    alone = [i for i in loop if counted(i)]
    return mca.cycles(loop[:-1], "a64", cpu).simulated, mca.cycles(alone, "a64", cpu).simulated


def of_models(
    loop: Loop, counted: Callable[[Instruction], bool] = is_fma, cpus: Sequence[str] = CPUS
) -> dict[str, float]:
    """Return the figures of `columns`."""
    found = {cpu: busy(loop, cpu, counted) for cpu in cpus}
    shares = {f"{cpu} busy": alone / cycles for cpu, (cycles, alone) in found.items()}
    return {cpu: cycles for cpu, (cycles, _) in found.items()} | shares
