"""Count the instructions that SME kernels of 512 bits execute: `python -m tests.bench.sme_counts`.

emulation.cpu executes one call of each kernel. The columns are outer products, loads of vectors and of rows of ZA,
moves out of ZA (and a few of general registers, which have the same name), zips, stores, and everything else (general
registers, branches). An emulator says nothing about time. On processors whose cores share an SME unit, general
instructions do not occupy the unit, so the last column leaves them out.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from rich.console import Console
from rich.table import Table

import tilesmith as ts
from tests.mixed_cases import BF16_F32, INTEGERS, Mixed, call_of

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
KINDS = {
    "products": ("fmopa", "bfmopa", "smopa"),
    "loads": ("ldr", "ld1b", "ld1h", "ld1w", "ld1d"),
    "moves": ("mova", "mov"),
    "zips": ("zip1", "zip2"),
    "stores": ("st1w", "st1d"),
}


def counts(case: Mixed) -> Counter[str]:
    """Return the instructions of one call by kind."""
    call = call_of(case, "end")
    kernel = ts.brgemm(**case.request, target=TARGET)
    done = kernel.emulate(*call.arguments, **call.keywords)
    found: Counter[str] = Counter({"all": done.steps})
    for kind, names in KINDS.items():
        found[kind] = sum(done.counts.get(name, 0) for name in names)
    return found


def row(name: str, case: Mixed) -> list[Any]:
    """Return a line of the table."""
    found = counts(case)
    unit = sum(found[kind] for kind in KINDS)
    return [name, f"{case.m}x{case.n}x{case.k}", *(str(found[kind]) for kind in (*KINDS, "all")),
            f"{found['products'] / found['all']:.0%}", f"{found['products'] / unit:.0%}"]  # fmt: skip


def main() -> None:
    """Print the table."""
    table = Table(title=f"Executed instructions, one call, {TARGET}")
    for heading in ("", "m x n x k", *KINDS, "all", "products of all", "of those of the SME unit"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, case in CASES:
        table.add_row(*row(name, case))
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
