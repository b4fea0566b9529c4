"""Count instructions of loops over k on the matrix units of NEON and SVE: `python -m tests.bench.aarch64_unit_counts`.

For each kernel of 64 x 64 x 256 it prints the share of the unit's instructions in the loop and the multiplications per
instruction of the loop. From llvm-mca it prints the cycles per pass, and the share of them in which the unit's
instructions keep their pipes busy. The second table is of a Neoverse N1, which has SDOT and UDOT alone.
"""

from typing import Any

import tilesmith as ts
from tests.bench.loops import CPUS, code_of, columns, innermost, of_models
from tilesmith.encoder.code import Instruction
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

BF16, I8, U8I8 = ("bf16", "bf16", "f32"), ("i8", "i8", "i32"), ("u8", "i8", "i32")
PRODUCTS = {"bfmmla": 16, "bfdot": 8, "smmla": 32, "ummla": 32, "usmmla": 32, "sdot": 16, "udot": 16, "usdot": 16,
            "sudot": 16, "smlal": 4, "smlal2": 4, "fmla": 4}
"""Multiplications per instruction, for each 128 bits of its result."""
SIZE = 64, 64, 256
CASES: tuple[tuple[Any, ...], ...] = (
    *((target, dtypes, layout, "exact") for target in ("neon_bf16", "sve128", "sve256") for dtypes in (BF16, I8, U8I8)
      for layout in ("mmla", "vnni", "plain")),
    ("neon", ("f32",) * 3, "plain", "exact"), ("neon", BF16, "vnni", "fast"), ("neon", I8, "vnni", "exact"),
)
"""Targets, types, the layout of both operands, numerics."""
N1 = "neoverse-n1"
CASES_OF_N1: tuple[tuple[Any, ...], ...] = tuple(
    (target, dtypes, layout, "exact", (N1,)) for target in ("neon", "neon_dotprod") for dtypes in (I8, U8I8)
    for layout in ("vnni", "plain"))


def measured(
    run: Run, name: str, dtypes: Any, layout: str, numerics: str, cpus: tuple[str, ...] = CPUS
) -> Row | None:
    spec = ts.gemm_spec(*SIZE, dtype=dtypes, a_layout=layout, b_layout=layout, numerics=numerics)
    code, plan = code_of(name, spec)
    found = {i.form.mnemonic for i in code.instructions} & set(PRODUCTS)
    unit = {each for each in found if PRODUCTS[each] == max(PRODUCTS[other] for other in found)}

    def counted(instruction: Instruction) -> bool:
        return instruction.form.mnemonic in unit

    loop = innermost(code, counted)
    if loop is None:
        return None
    products = TARGETS[name].vector_bits // 128 * sum(PRODUCTS.get(i.form.mnemonic, 0) for i in loop) / len(loop)
    return {"target": name, "types": ",".join(dtypes), "layout": layout, "loop": len(loop), "products": products,
            "unit": plan.product.unit.name if plan.product.unit else "FMLA",
            "share": sum(map(counted, loop)) / len(loop), **of_models(loop, counted, cpus)}


BENCH = Bench("aarch64_unit_counts", __doc__, (
    Table("units", "target; types; layout; unit; loop; of the unit %=share:0%; mult. an instr.=products:1"
          + columns(), CASES, measured,
          f"Loop over k, {' x '.join(map(str, SIZE))}, operands both in the layout"),
    Table("n1", "target; types; layout; unit; loop; of the unit %=share:0%; mult. an instr.=products:1"
          + columns(cpus=(N1,)), CASES_OF_N1, measured, "The same on a Neoverse N1"),))

if __name__ == "__main__":
    main(BENCH)
