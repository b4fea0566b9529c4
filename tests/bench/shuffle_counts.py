"""Count the instructions of transposes and layout changes by kind: `python -m tests.bench.shuffle_counts`.

For each request it prints the instructions of its code by kind, without those that set the kernel up. Beside them it
prints the count in the paper or chapter, if there is one, and the cycles of a block of straight code to which the ports
are bound by llvm-mca-19.
"""

from collections import Counter
from typing import Any

from tests.oracles import mca
from tilesmith.encoder.code import Instruction
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.transform.spec import transform_spec, transpose_spec
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main
from tilesmith.runtime.kernel.callable import Kernel

CPUS = {"x86": ("znver4", "sapphirerapids"), "a64": ("neoverse-v1",)}
CASES: tuple[tuple[Any, ...], ...] = (
    ("avx512", transpose_spec(16, 16, loads="whole"), "TPP paper, figure 5, 64 shuffles: 96"),
    ("avx512", transpose_spec(16, 16, loads="pieces"), ""),
    ("avx512_vnni", transpose_spec(16, 16), ""),
    ("neon", transpose_spec(4, 4), "course chapter, listing 7.3.2: 16"),
    ("avx512", transpose_spec(32, 8, dtype="bf16"), "AMX chapter, example 20-26, lines 9-72: 64"),
    ("avx512", transform_spec("vnni2_to_vnni2t", 16, 4, dtype="bf16"), "20-27, lines 9-22: 14"),
    ("avx512", transform_spec("vnni2t", 16, 8, dtype="bf16"), "20-28, lines 9-36: 28"),
    ("avx512", transform_spec("vnni2", 2, 32, dtype="bf16"), "20-29, lines 3-9: 7"),
    ("avx2", transpose_spec(8, 8, loads="whole"), ""),
    ("avx2", transpose_spec(8, 8), ""),
    ("avx2", transpose_spec(16, 16, dtype="bf16"), ""),
    ("avx512", transpose_spec(64, 16, dtype="i8"), ""),
    ("neon", transpose_spec(16, 16, dtype="i8"), ""),
    ("neon", transform_spec("mmla2x4", 2, 8, dtype="bf16"), ""),
    ("sve256", transpose_spec(8, 8), ""),
    ("sve512", transpose_spec(16, 16), ""),
    ("sve256", transpose_spec(16, 16, dtype="bf16"), ""),
)
"""Targets, requests, and the number of instructions in the source: loads, shuffles, stores."""
KINDS = ("load", "insert", "shuffle", "copy", "store")
SETUP = ("endbr64", "ret", "vzeroupper", "hint", "ptrue", "whilelo", "movz", "mov", "adr", "add", "kmovw", "kmovd",
         "dec", "jne", "sub", "subs", "b.ne", "cbnz")
_PLACES = ("zmmword", "ymmword", "xmmword", "qword", "dword", "[")


def kind(instruction: Instruction) -> str:
    """Return the kind of an instruction: load, store, shuffle, insert (a load that also shuffles), copy or setup."""
    mnemonic, text = instruction.form.mnemonic, instruction.text
    memory, before = "[" in text, text.split("[")[0].replace("{v", "")
    if mnemonic in SETUP or (memory and "rip" in text) or (mnemonic == "ldr" and not memory):
        return "setup"
    if mnemonic.startswith(("vinsert", "vmovhps", "ld1")) and memory and "{" not in before:
        return "insert"
    if mnemonic.startswith(("st", "vextract", "vmovnt")):
        return "store"
    if mnemonic.startswith(("vmov", "ld")):
        return "copy" if not memory else "store" if text.split(None, 1)[1].lstrip().startswith(_PLACES) else "load"
    return "shuffle"


def measured(run: Run, target: str, spec: Any, source: str) -> Row:
    code = Kernel(spec, TARGETS[target])._code
    found = Counter(map(kind, code.instructions))
    body = [each for each in code.instructions if kind(each) != "setup"]
    arch = code.target.arch
    ports = {cpu: mca.cycles(body, arch, cpu).by_ports for cpu in CPUS[arch]}
    return {"target": target, "request": f"{spec}{f' loads={spec.loads}' if spec.loads else ''}",
            **{name: found[name] for name in KINDS}, "sum": sum(found[name] for name in KINDS), "source": source,
            "ports": ", ".join(f"{cpu} {cycles:g}" for cpu, cycles in ports.items())}


BENCH = Bench("shuffle_counts", __doc__, (
    Table("shuffles", f"target; request; {'; '.join(f'{name}:0' for name in KINDS)}; sum:0; source; ports", CASES,
          measured, "Instructions, and llvm-mca-19's bound of the ports (cycles)"),))

if __name__ == "__main__":
    main(BENCH)
