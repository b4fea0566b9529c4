"""Count the instructions that AArch64 kernels execute: `python -m tests.bench.aarch64_counts`.

It prints two tables that need no Arm processor: the instructions that qemu executed, by kind, in a whole call and in
the loop over k; and the cycles of the body of that loop according to llvm-mca, beside the cycles of its FMAs alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import tilesmith as ts
from tests.oracles import tools
from tilesmith.emulation.qemu.trace import executed
from tilesmith.encoder.code import Code, Instruction
from tilesmith.microkernels.gemm import emit as gemm
from tilesmith.microkernels.gemm.plan import plan
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.microkernels.machines.registry import TARGETS, machine_class, machine_for


class Case(NamedTuple):
    """A column-major f32 kernel. `runtime`: its leading dimensions are given at the call, as for the course's
    kernels."""

    target: str
    m: int
    n: int
    k: int
    runtime: bool = False

    @property
    def name(self) -> str:
        return f"{self.m}x{self.n}x{self.k}{' runtime ld' if self.runtime else ''}"


CASES = (
    Case("neon", 16, 6, 1), Case("neon", 16, 6, 1, True), Case("neon", 16, 6, 64), Case("neon", 16, 6, 64, True),
    Case("neon", 64, 6, 64), Case("sve256", 64, 6, 64), Case("sve512", 64, 6, 64),
)  # fmt: skip
CPUS = ("neoverse-v1", "neoverse-v2")
REPEATS = 200  # iterations of the loop body in llvm-mca


class Loop(NamedTuple):
    """The innermost loop: the offset of its first instruction and the offset after its branch."""

    first: int
    end: int


def is_fma(instruction: Instruction) -> bool:
    return instruction.form.mnemonic in ("fmla", "fmul")


def innermost(code: Code, counted: Callable[[Instruction], bool] = is_fma) -> Loop | None:
    """Return the shortest loop whose body has an FMA (or an instruction that is `counted`), or None if there is
    none."""
    loops = [
        Loop(i.operands[0].offset, i.offset + 4)
        for i in code.instructions
        if i.form.mnemonic.startswith("b.") and i.operands[0].offset < i.offset
    ]
    holding = [
        loop for loop in loops if any(loop.first <= i.offset < loop.end and counted(i) for i in code.instructions)
    ]
    return min(holding, key=lambda loop: loop.end - loop.first, default=None)


def kind(instruction: Instruction) -> str:
    """Return the kind of an instruction: FMA, load, store or other."""
    mnemonic = instruction.form.mnemonic
    if is_fma(instruction):
        return "FMA"
    return "load" if mnemonic.startswith("ld") else "store" if mnemonic.startswith("st") else "other"


def counts(code: Code, case: Case) -> tuple[Counter[str], Counter[str]]:
    """Return the executed instructions by kind, of the whole call and of the innermost loop."""
    m, n, k = case.m, case.n, case.k
    a, b, c = (np.ones((rows, columns), np.float32, order="F") for rows, columns in ((m, k), (k, n), (m, n)))
    times = executed(code, a, b, c, *((m, k, m) if case.runtime else ()))
    loop = innermost(code)
    whole: Counter[str] = Counter()
    inner: Counter[str] = Counter()
    for instruction in code.instructions:
        whole[kind(instruction)] += times[instruction.offset]
        if loop and loop.first <= instruction.offset < loop.end:
            inner[kind(instruction)] += times[instruction.offset]
    return whole, inner


def mca(code: Code, cpu: str, counted: Callable[[Instruction], bool] = is_fma) -> tuple[float, float]:
    """Return (cycles of one pass of the innermost loop according to llvm-mca, cycles of its FMAs alone)."""
    loop = innermost(code, counted)
    assert loop is not None
    body = [i for i in code.instructions if loop.first <= i.offset < loop.end]
    return _cycles([i.text for i in body[:-1]], cpu), _cycles([i.text for i in body if counted(i)], cpu)


def _cycles(lines: list[str], cpu: str) -> float:
    options = ("-march=aarch64", f"-mcpu={cpu}", f"-iterations={REPEATS}")
    done = tools.run("llvm-mca-19", *options, stdin="\n".join(lines))
    found = re.search(r"Total Cycles:\s+(\d+)", done.stdout)
    assert found is not None
    return int(found[1]) / REPEATS


def code_of(case: Case) -> Code:
    """Return the kernel of a case."""
    target = TARGETS[case.target]
    machine = machine_for(target)
    leading = dict.fromkeys(("lda", "ldb", "ldc"), ts.RUNTIME) if case.runtime else {}
    spec = gemm_spec(case.m, case.n, case.k, order="F", **leading)
    gemm.emit(machine, plan(spec, machine_class(target).facts_of(target)))
    return machine.asm.finish("kernel")


def main() -> None:
    """Print both tables."""
    executed_table = Table(title="Executed instructions (qemu), one call; in the loop over k in brackets")
    for heading in ("target", "m x n x k", "FMA", "load", "store", "other", "FMA of all"):
        executed_table.add_column(heading, justify="right")
    busy_table = Table(title="Loop over k by llvm-mca-19: cycles a pass, and the share in which the FMA pipes are busy")
    for heading in ("target", "m x n x k", *CPUS):
        busy_table.add_column(heading, justify="right")
    for case in CASES:
        code = code_of(case)
        whole, inner = counts(code, case)
        shares = [f"{c['FMA'] / sum(c.values()):.2f}" if c else "-" for c in (whole, inner)]
        figures = [f"{whole[name]} [{inner[name]}]" for name in ("FMA", "load", "store", "other")]
        executed_table.add_row(case.target, case.name, *figures, f"{shares[0]} [{shares[1]}]")
        if innermost(code):
            cells = [f"{cycles:.1f}, {fmas / cycles:.0%}" for cycles, fmas in (mca(code, cpu) for cpu in CPUS)]
            busy_table.add_row(case.target, case.name, *cells)
    console = Console(width=120)
    console.print(executed_table)
    console.print(busy_table)


if __name__ == "__main__":
    main()
