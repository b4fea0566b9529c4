"""Count the instructions of transposes and layout changes by kind: `python -m tests.bench.shuffle_counts`.

For each request it prints the instructions of its code by kind, without those that set the kernel up. Beside them it
prints the count in the paper or chapter, if there is one, and the cycles of a block of straight code to which the ports
are bound by llvm-mca-19.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tests.oracles import tools
from tilesmith.encoder.code import Code, Instruction
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.transform.spec import TransformSpec, transform_spec, transpose_spec
from tilesmith.runtime.kernel.callable import Kernel

CPUS = {"x86": ("znver4", "sapphirerapids"), "a64": ("neoverse-v1",)}
REPEATS = 100
MARCH = {"x86": "x86-64", "a64": "aarch64"}


class Case(NamedTuple):
    """A request, and the number of instructions in the source (loads, shuffles, stores; 0: there is no example)."""

    target: str
    spec: TransformSpec
    source: str = ""
    most: int = 0


CASES = (
    Case("avx512", transpose_spec(16, 16, loads="whole"), "TPP paper, figure 5: 64 shuffles", 96),
    Case("avx512", transpose_spec(16, 16, loads="pieces"), "", 0),
    Case("avx512_vnni", transpose_spec(16, 16)),
    Case("neon", transpose_spec(4, 4), "course chapter, listing 7.3.2", 16),
    Case("avx512", transpose_spec(32, 8, dtype="bf16"), "AMX chapter, example 20-26, lines 9-72", 64),
    Case("avx512", transform_spec("vnni2_to_vnni2t", 16, 4, dtype="bf16"), "20-27, lines 9-22", 14),
    Case("avx512", transform_spec("vnni2t", 16, 8, dtype="bf16"), "20-28, lines 9-36", 28),
    Case("avx512", transform_spec("vnni2", 2, 32, dtype="bf16"), "20-29, lines 3-9", 7),
    Case("avx2", transpose_spec(8, 8, loads="whole")),
    Case("avx2", transpose_spec(8, 8)),
    Case("avx2", transpose_spec(16, 16, dtype="bf16")),
    Case("avx512", transpose_spec(64, 16, dtype="i8")),
    Case("neon", transpose_spec(16, 16, dtype="i8")),
    Case("neon", transform_spec("mmla2x4", 2, 8, dtype="bf16")),
    Case("sve256", transpose_spec(8, 8)),
    Case("sve512", transpose_spec(16, 16)),
    Case("sve256", transpose_spec(16, 16, dtype="bf16")),
)
SETUP = ("endbr64", "ret", "vzeroupper", "hint", "ptrue", "whilelo", "movz", "mov", "adr", "add", "kmovw", "kmovd",
         "dec", "jne", "sub", "subs", "b.ne", "cbnz")  # fmt: skip


def kind(instruction: Instruction) -> str:
    """Return the kind of an instruction: load, store, shuffle, insert (a load that also shuffles), copy or setup."""
    mnemonic, text = instruction.form.mnemonic, instruction.text
    memory = "[" in text
    if mnemonic in SETUP or (memory and "rip" in text) or (mnemonic == "ldr" and "[" not in text):
        return "setup"
    if (
        mnemonic.startswith(("vinsert", "vmovhps", "ld1"))
        and memory
        and "{" not in text.split("[")[0].replace("{v", "")
    ):
        return "insert"
    if mnemonic.startswith(("st", "vextract", "vmovnt")):
        return "store"
    if mnemonic.startswith(("vmov", "ld")):
        return "copy" if not memory else "store" if text.split(None, 1)[1].lstrip().startswith(_PLACES) else "load"
    return "shuffle"


_PLACES = ("zmmword", "ymmword", "xmmword", "qword", "dword", "[")


def counts(code: Code) -> Counter[str]:
    """Return the number of instructions by kind."""
    return Counter(kind(instruction) for instruction in code.instructions)


def bound(code: Code, cpu: str) -> float:
    """Return the cycles that the ports need for the code according to llvm-mca, without the setup."""
    body = [each.text for each in code.instructions if kind(each) != "setup"]
    source = "\n".join(body)
    options = [f"-march={MARCH[code.target.arch]}", f"-mcpu={cpu}", f"-iterations={REPEATS}"]
    if code.target.arch == "x86":
        source = ".intel_syntax noprefix\n" + source
    done = tools.run("llvm-mca-19", *options, stdin=source)
    found = re.search(r"Block RThroughput:\s+([\d.]+)", done.stdout)
    assert found is not None
    return float(found[1])


def main() -> None:
    """Print the table."""
    table = Table(title="Instructions, and llvm-mca-19's bound of the ports (cycles)")
    for heading in ("target", "request", "load", "insert", "shuffle", "copy", "store", "sum", "source", "ports"):
        table.add_column(heading, justify="left" if heading in ("target", "request", "source", "ports") else "right")
    for case in CASES:
        kernel = Kernel(case.spec, TARGETS[case.target])
        code = kernel._code
        found = counts(code)
        kinds = ("load", "insert", "shuffle", "copy", "store")
        total = sum(found[each] for each in kinds)
        source = f"{case.source}: {case.most}" if case.most else ""
        ports = ", ".join(f"{cpu} {bound(code, cpu):g}" for cpu in CPUS[code.target.arch])
        loads = f" loads={case.spec.loads}" if case.spec.loads else ""
        table.add_row(
            case.target, f"{case.spec}{loads}", *(str(found[each]) for each in kinds), str(total), source, ports
        )
    Console(width=190).print(table)


if __name__ == "__main__":
    main()
