"""Count the instructions that SME kernels of 512 bits execute: `python -m tests.bench.sme_counts`.

emulation.cpu executes one call of each kernel. The columns are outer products, loads of vectors and of rows of ZA,
moves out of ZA (and a few of general registers, which have the same name), zips, stores, and everything else (general
registers, branches). An emulator says nothing about time. On processors whose cores share an SME unit, general
instructions do not occupy the unit, so the last column leaves them out.
"""

import tilesmith as ts
from tests.mixed_cases import BF16_F32, INTEGERS, Mixed, call_of
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

F32, F64 = ("f32",) * 3, ("f64",) * 3
ALONG = ("F", "C", "C")  # both factors are stored in the order that outer products need
TARGET = "sme512"
CASES = (
    ("f32, a F, b C", Mixed(64, 64, 64, F32, ALONG, beta=0.0)),
    ("f32, all C", Mixed(64, 48, 64, F32, beta=0.0)),
    ("f32, a F, b F", Mixed(64, 48, 64, F32, ("F", "F", "C"), beta=0.0)),
    ("f64, a F, b C", Mixed(64, 64, 64, F64, ALONG, beta=0.0)),
    ("f64, all C", Mixed(64, 32, 64, F64, beta=0.0)),
    ("bf16, a F, b C, packed", Mixed(64, 64, 64, BF16_F32, ALONG, ("vnni", "vnni"), beta=0.0)),
    ("bf16, a F, b C, plain", Mixed(64, 64, 64, BF16_F32, ALONG, beta=0.0)),
    ("bf16, all C, b packed", Mixed(64, 48, 64, BF16_F32, layouts=("plain", "vnni"), beta=0.0)),
    ("i8, a F, b C, packed", Mixed(64, 64, 64, INTEGERS[2], ALONG, ("vnni", "vnni"), beta=0.0)),
    ("i8, a F, b C, plain", Mixed(64, 64, 64, INTEGERS[2], ALONG, beta=0.0)),
)
KINDS = {"products": ("fmopa", "bfmopa", "smopa"), "loads": ("ldr", "ld1b", "ld1h", "ld1w", "ld1d"),
         "moves": ("mova", "mov"), "zips": ("zip1", "zip2"), "stores": ("st1w", "st1d")}


def measured(run: Run, name: str, case: Mixed) -> Row:
    call = call_of(case, "end")
    done = ts.brgemm(**case.request, target=TARGET).emulate(*call.arguments, **call.keywords)
    found = {kind: sum(done.counts.get(each, 0) for each in names) for kind, names in KINDS.items()}
    return {"product": name, "shape": f"{case.m}x{case.n}x{case.k}", **found, "all": done.steps,
            "share": found["products"] / done.steps, "share of unit": found["products"] / sum(found.values())}


BENCH = Bench("sme_counts", __doc__, (
    Table("counts", f"product; m x n x k=shape; {'; '.join(f'{kind}:0' for kind in KINDS)}; all:0; "
          "products of all %=share:0%; of those of the SME unit %=share of unit:0%", CASES, measured,
          f"Executed instructions, one call, {TARGET}"),))

if __name__ == "__main__":
    main(BENCH)
