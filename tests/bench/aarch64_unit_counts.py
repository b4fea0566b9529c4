"""Count instructions of loops over k on the matrix units of NEON and SVE: `python -m tests.bench.aarch64_unit_counts`.

For each kernel of 64 x 64 x 256 it prints the share of the unit's instructions in the loop and the multiplications per
instruction of the loop. From llvm-mca it prints the cycles per pass, and the share of them in which the unit's
instructions keep their pipes busy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import tilesmith as ts
from tests.bench.aarch64_counts import CPUS, innermost, mca
from tilesmith.encoder.code import Code, Instruction
from tilesmith.microkernels.gemm import emit as gemm
from tilesmith.microkernels.gemm.plan import GemmPlan, plan
from tilesmith.microkernels.machines.registry import TARGETS, machine_class, machine_for

BF16, I8, U8I8 = ("bf16", "bf16", "f32"), ("i8", "i8", "i32"), ("u8", "i8", "i32")
PRODUCTS = {
    "bfmmla": 16, "bfdot": 8, "smmla": 32, "ummla": 32, "usmmla": 32, "sdot": 16, "udot": 16, "usdot": 16,
    "smlal": 4, "smlal2": 4, "fmla": 4,
}  # fmt: skip
"""Multiplications per instruction, for each 128 bits of its result."""
SIZE = 64, 64, 256


class Case(NamedTuple):
    target: str
    dtypes: Any
    layout: str = "plain"  # of both operands
    numerics: str = "exact"


CASES = (
    *(Case(target, dtypes, layout) for target in ("neon_bf16", "sve128", "sve256") for dtypes in (BF16, I8, U8I8)
      for layout in ("mmla", "vnni", "plain")),
    Case("neon", ("f32",) * 3), Case("neon", BF16, "vnni", "fast"), Case("neon", I8, "vnni"),
)  # fmt: skip


def unit_of(code: Code) -> set[str]:
    """Return the multiplying instructions with the most products per instruction."""
    found = {i.form.mnemonic for i in code.instructions} & set(PRODUCTS)
    most = max(PRODUCTS[each] for each in found)
    return {each for each in found if PRODUCTS[each] == most}


def made(case: Case) -> tuple[Code, GemmPlan]:
    """Return the kernel of a case, and its plan."""
    target = TARGETS[case.target]
    machine = machine_for(target)
    spec = ts.gemm_spec(*SIZE, dtype=case.dtypes, a_layout=case.layout, b_layout=case.layout, numerics=case.numerics)
    cut = plan(spec, machine_class(target).facts_of(target))
    gemm.emit(machine, cut)
    return machine.asm.finish("kernel"), cut


def main() -> None:
    """Print the table."""
    table = Table(title=f"Loop over k, {' x '.join(map(str, SIZE))}, operands both in the layout")
    for heading in ("target", "types", "layout", "unit", "loop", "of the unit", "mult. an instr.", *CPUS):
        table.add_column(heading, justify="right")
    for case in CASES:
        code, cut = made(case)
        names = unit_of(code)

        def counted(instruction: Instruction, names: set[str] = names) -> bool:
            return instruction.form.mnemonic in names

        loop = innermost(code, counted)
        if loop is None:
            continue
        body = [i for i in code.instructions if loop.first <= i.offset < loop.end]
        unit = sum(map(counted, body))
        segments = TARGETS[case.target].vector_bits // 128
        products = segments * sum(PRODUCTS.get(i.form.mnemonic, 0) for i in body) / len(body)
        cells = [f"{cycles:.1f}, {busy / cycles:.0%}" for cycles, busy in (mca(code, cpu, counted) for cpu in CPUS)]
        name = cut.product.unit.name if cut.product.unit else "FMLA"
        table.add_row(case.target, ",".join(case.dtypes), case.layout, name, str(len(body)), f"{unit / len(body):.0%}",
                      f"{products:.1f}", *cells)  # fmt: skip
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
