"""Compare the time to encode an instruction with PeachPy: `python -m tests.bench.encode_speed`.

The instructions are those of a BRGEMM kernel, in the order in which its assembler recorded them. Their operands are
made beforehand on both sides. Branches and instructions that PeachPy lacks are left out on both sides. For both, the
fastest of several passes counts. PeachPy is timed twice: instruction objects and their bytes alone, and whole
functions, as it is normally used (including its liveness analysis and register allocation, although there is nothing to
allocate).
"""

import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import compress
from typing import Any

import tilesmith as ts
from tests.oracles import peachpy
from tilesmith.encoder.code import Code
from tilesmith.encoder.features import Target
from tilesmith.encoder.table import Emitter, Table
from tilesmith.encoder.x86.assembler import TABLE, X86Assembler
from tilesmith.encoder.x86.grammar import expand
from tilesmith.encoder.x86.registers import Mem
from tilesmith.encoder.x86.rows import ROWS
from tilesmith.microkernels.gemm import emit as gemm
from tilesmith.microkernels.gemm.plan import plan
from tilesmith.microkernels.machines.registry import TARGETS, machine_for
from tilesmith.runtime.bench import runner
from tilesmith.runtime.bench.table import Goal, Row

SHAPE = 64, 48, 64
REPEAT, PEACHPY_REPEAT = 40, 5
MOST, RATIO = 1.2e-6, 20.0
WAYS = {"peachpy_function": "PeachPy, its functions", "peachpy": "PeachPy, instructions alone",
        "first": "ours, the first kernel of a process", "new": "ours, a kernel of a new shape",
        "distinct": "ours, each different instruction once", "again": "ours, a kernel made before"}
"""What is timed. First: forms are compiled. New: forms are known, bytes are not. Again: the bytes are remembered."""
Operands = tuple[Any, ...]


def seconds(target: Target) -> tuple[dict[str, float], int, list[str]]:
    """Encode the kernel of a target in all ways; return the times of an instruction, how many there are, and the
    mnemonics that are left out."""
    machine = machine_for(target)
    gemm.emit(machine, plan(ts.gemm_spec(*SHAPE), machine.facts))
    code = machine.asm.finish()
    shared, calls = _shared(code)
    emitters = {form.mnemonic: TABLE.emitter(form.mnemonic) for form, _ in shared}
    todo = [(emitters[form.mnemonic], operands) for form, operands in shared]
    answer, encode = peachpy.ask(calls, PEACHPY_REPEAT), partial(_encode, X86Assembler(code.target))
    found = {
        "peachpy_function": answer.us_in_function * 1e-6, "peachpy": answer.us * 1e-6, "first": encode(_fresh(shared)),
        "new": min(_forgetting(emitters, encode, todo) for _ in range(REPEAT)),
        "distinct": min(_forgetting(emitters, encode, list(dict.fromkeys(todo))) for _ in range(REPEAT)),
        "again": min(encode(todo) for _ in range(REPEAT)),
    }
    return found, len(shared), sorted({form.mnemonic for form, _, _ in code.record} - set(emitters))


def _shared(code: Code) -> tuple[list[tuple[Any, Operands]], list[str]]:
    """Return the forms and operands of the instructions that PeachPy also has, and its calls for them."""
    record = [(form, operands) for form, operands, _ in code.record if not form.relocates(operands)]
    calls = [peachpy.call(form.mnemonic, [_stated(form, each) for each in operands]) or "UNKNOWN()"
             for form, operands in record]
    known = [not isinstance(answer, str) for answer in peachpy.ask(calls).results]
    return list(compress(record, known)), list(compress(calls, known))


def _stated(form: Any, operand: Any) -> Any:
    """Return an operand with an explicit size of memory, which is implicit in ours."""
    if not isinstance(operand, Mem):
        return operand
    wanted = next(c for c in form.classes if c.touches_memory)
    return operand._with(size=wanted.size, broadcast=wanted.count if operand.broadcast else 0)


def _fresh(shared: list[tuple[Any, Operands]]) -> list[tuple[Emitter, Operands]]:
    """Return the calls with emitters of a new table, which has not read any row yet."""
    table = Table(ROWS, expand)
    emitters = {form.mnemonic: table.emitter(form.mnemonic) for form, _ in shared}
    return [(emitters[form.mnemonic], operands) for form, operands in shared]


def _encode(asm: X86Assembler, todo: list[tuple[Emitter, Operands]]) -> float:
    """Encode everything once, and return the seconds per instruction."""
    start = time.perf_counter()
    for emitter, operands in todo:
        emitter(asm, *operands)
    return (time.perf_counter() - start) / len(todo)


def _forgetting(emitters: dict[str, Emitter], encode: Callable[..., float], todo: list[Any]) -> float:
    """Do a pass with the remembered bytes cleared; which form takes which kinds of operands stays known."""
    for emitter in emitters.values():
        inspect.getclosurevars(emitter).nonlocals["remembered"].clear()
    return encode(todo)


def measured(run: runner.Run, name: str) -> Iterator[Row]:
    found, count, left_out = seconds(ts.host() if name == "host" else TARGETS[name])
    shape, without = "x".join(map(str, SHAPE)), " ".join(left_out)
    run.remark(f"BRGEMM {shape} f32 for {name}: {count} instructions (without {without})")
    for way, what in WAYS.items():
        yield {"target": name, "way": way, "what": what, "seconds": found[way], "by": found["peachpy"] / found[way]}


def goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the goals of each target."""
    for target in dict.fromkeys(row["target"] for row in rows):
        found = {row["way"]: row["seconds"] for row in rows if row["target"] == target}
        yield Goal(f"{target}: a kernel of a new shape", MOST, found["new"], "s")
        yield Goal(f"{target}: by PeachPy's instructions", RATIO, found["peachpy"] / found["new"])
        yield Goal(f"{target}: by PeachPy's functions", RATIO, found["peachpy_function"] / found["new"])


BENCH = runner.Bench("encode_speed", __doc__, (
    runner.Table("instructions", "target; encoder=what; us each=seconds:3u; times PeachPy's instructions=by:1",
                 ("host", "avx2"), measured, goals=goals),))

if __name__ == "__main__":
    runner.main(BENCH)
