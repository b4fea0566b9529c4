"""Count the instructions that AArch64 kernels execute: `python -m tests.bench.aarch64_counts`.

It prints two tables that need no Arm processor: the instructions that qemu executed, by kind, in a whole call and in
the loop over k; and the cycles of the body of that loop according to llvm-mca-19, with the share in which the pipes of
FMAs are busy.
"""

from collections import Counter

import numpy as np

import tilesmith as ts
from tests.bench.loops import code_of, columns, innermost, is_fma, of_models
from tilesmith.emulation.qemu.trace import executed
from tilesmith.encoder.code import Code, Instruction
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

CASES = (("neon", 16, 6, 1), ("neon", 16, 6, 1, True), ("neon", 16, 6, 64), ("neon", 16, 6, 64, True),
         ("neon", 64, 6, 64), ("sve256", 64, 6, 64), ("sve512", 64, 6, 64))
"""Column-major f32 kernels; with True, their leading dimensions are given at the call, as for the course's kernels."""
KINDS = ("FMA", "load", "store", "other")


def kind(instruction: Instruction) -> str:
    """Return the kind of an instruction."""
    mnemonic = instruction.form.mnemonic
    return "FMA" if is_fma(instruction) else {"ld": "load", "st": "store"}.get(mnemonic[:2], "other")


def counts(code: Code, m: int, n: int, k: int, runtime: bool = False) -> tuple[Counter[str], Counter[str]]:
    """Return the executed instructions by kind, of the whole call and of the innermost loop."""
    a, b, c = (np.ones((rows, columns), np.float32, order="F") for rows, columns in ((m, k), (k, n), (m, n)))
    times = executed(code, a, b, c, *((m, k, m) if runtime else ()))
    whole, inner = Counter[str](), Counter[str]()
    for counter, instructions in ((whole, code.instructions), (inner, innermost(code) or ())):
        for instruction in instructions:
            counter[kind(instruction)] += times[instruction.offset]
    return whole, inner


def measured(run: Run, target: str, m: int, n: int, k: int, runtime: bool = False) -> Row:
    leading = dict.fromkeys(("lda", "ldb", "ldc"), ts.RUNTIME) if runtime else {}
    code, _ = code_of(target, gemm_spec(m, n, k, order="F", **leading))
    whole, inner = counts(code, m, n, k, runtime)
    loop = innermost(code)
    return {"target": target, "shape": f"{m}x{n}x{k}{' runtime ld' * runtime}",
            **{name: f"{whole[name]} [{inner[name]}]" for name in KINDS},
            "share": whole["FMA"] / whole.total(), "inner share": inner["FMA"] / (inner.total() or float("nan")),
            **(of_models(loop) if loop else {})}


BENCH = Bench("aarch64_counts", __doc__, (
    Table("counts", "target; m x n x k=shape; FMA; load; store; other; FMA of all=share:2; in the loop=inner share:2"
          + columns(", cycles a pass"), CASES, measured,
          "Executed instructions (qemu), one call; in the loop over k in brackets"),))

if __name__ == "__main__":
    main(BENCH)
