"""Compare the time to encode an instruction with PeachPy: `python -m tests.bench.encode_speed`.

The instructions are those of a BRGEMM kernel, in the order in which its assembler recorded them. Their operands are
made beforehand on both sides. Branches and instructions that PeachPy lacks are left out on both sides. For both, the
fastest of several passes counts. PeachPy is timed twice: instruction objects and their bytes alone, and whole
functions, as it is normally used (including its liveness analysis and register allocation, although there is nothing to
allocate).
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from functools import partial
from itertools import compress
from typing import Any, NamedTuple

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

SHAPE = 64, 48, 64
REPEAT, PEACHPY_REPEAT = 40, 5
GOAL_US, GOAL_RATIO = 1.2, 20.0
Operands = tuple[Any, ...]


class Times(NamedTuple):
    """Microseconds per instruction; all figures are for the same instructions."""

    target: str
    count: int  # instructions
    left_out: tuple[str, ...]  # mnemonics
    first: float  # the first kernel of a process: forms are compiled
    new: float  # a kernel of a new shape: forms are known, bytes are not
    again: float  # the bytes of every instruction are remembered
    distinct: float  # like `new`, each different instruction once: every one is checked and composed
    peachpy: float
    peachpy_function: float

    @property
    def reached(self) -> dict[str, bool]:
        """Return whether each goal is reached, keyed by its text."""
        return {
            f"at most {GOAL_US} us for a kernel of a new shape": self.new <= GOAL_US,
            f"at least {GOAL_RATIO:.0f} times faster than PeachPy's instructions": self.peachpy / self.new
            >= GOAL_RATIO,
            f"at least {GOAL_RATIO:.0f} times faster than PeachPy's functions": (
                self.peachpy_function / self.new >= GOAL_RATIO
            ),
        }


def code_of(target: Target) -> Code:
    """Return the code of the kernel for a target."""
    machine = machine_for(target)
    gemm.emit(machine, plan(ts.gemm_spec(*SHAPE), machine.facts))
    return machine.asm.finish()


def measure(target: Target) -> Times:
    """Encode the kernel of a target in all ways, and return the times."""
    code = code_of(target)
    shared, calls = _shared(code)
    emitters = {form.mnemonic: TABLE.emitter(form.mnemonic) for form, _ in shared}
    todo = [(emitters[form.mnemonic], operands) for form, operands in shared]
    distinct = list(dict.fromkeys(todo))
    answer = peachpy.ask(calls, PEACHPY_REPEAT)
    encode = partial(_encode, X86Assembler(code.target))
    return Times(
        target.name, len(shared), tuple(sorted({form.mnemonic for form, _, _ in code.record} - set(emitters))),
        first=encode(_fresh(shared)),
        new=min(_forgetting(emitters, encode, todo) for _ in range(REPEAT)),
        again=min(encode(todo) for _ in range(REPEAT)),
        distinct=min(_forgetting(emitters, encode, distinct) for _ in range(REPEAT)),
        peachpy=answer.us, peachpy_function=answer.us_in_function,
    )  # fmt: skip


def _shared(code: Code) -> tuple[list[tuple[Any, Operands]], list[str]]:
    """Return the forms and operands of the instructions that PeachPy also has, and its calls for them."""
    record = [(form, operands) for form, operands, _ in code.record if not form.relocates(operands)]
    calls = [_call(form, operands) for form, operands in record]
    known = [not isinstance(answer, str) for answer in peachpy.ask(calls).results]
    return list(compress(record, known)), list(compress(calls, known))


def _fresh(shared: list[tuple[Any, Operands]]) -> list[tuple[Emitter, Operands]]:
    """Return the calls with emitters of a new table, which has not read any row yet."""
    table = Table(ROWS, expand)
    emitters = {form.mnemonic: table.emitter(form.mnemonic) for form, _ in shared}
    return [(emitters[form.mnemonic], operands) for form, operands in shared]


def _encode(asm: X86Assembler, todo: list[tuple[Emitter, Operands]]) -> float:
    """Encode everything once, and return the microseconds per instruction."""
    start = time.perf_counter()
    for emitter, operands in todo:
        emitter(asm, *operands)
    return (time.perf_counter() - start) / len(todo) * 1e6


def _forgetting(emitters: dict[str, Emitter], encode: Callable[..., float], todo: list[Any]) -> float:
    """Do a pass with the remembered bytes cleared; which form takes which kinds of operands stays known."""
    for emitter in emitters.values():
        inspect.getclosurevars(emitter).nonlocals["remembered"].clear()
    return encode(todo)


def _call(form: Any, operands: tuple[Any, ...]) -> str:
    """Return PeachPy's call, with explicit sizes of memory operands, which are implicit in ours."""
    return peachpy.call(form.mnemonic, [_stated(form, operand) for operand in operands]) or "UNKNOWN()"


def _stated(form: Any, operand: Any) -> Any:
    if not isinstance(operand, Mem):
        return operand
    wanted = next(c for c in form.classes if c.touches_memory)
    return operand._with(size=wanted.size, broadcast=wanted.count if operand.broadcast else 0)


def report(times: Times) -> str:
    """Return the lines to print for a target."""
    rows = {
        "PeachPy, its functions": times.peachpy_function,
        "PeachPy, instructions alone": times.peachpy,
        "ours, the first kernel of a process": times.first,
        "ours, a kernel of a new shape": times.new,
        "ours, each different instruction once": times.distinct,
        "ours, a kernel made before": times.again,
    }
    shape, left_out = "x".join(map(str, SHAPE)), " ".join(times.left_out)
    lines = [f"BRGEMM {shape} f32 for {times.target}: {times.count} instructions (without {left_out}), us for each"]
    lines += [
        f"  {what:<40}{us:8.3f}{times.peachpy / us:8.1f} times PeachPy's instructions" for what, us in rows.items()
    ]
    return "\n".join(
        [*lines, *(f"  goal: {what}: {'reached' if yes else 'NOT reached'}" for what, yes in times.reached.items())]
    )


def main() -> None:
    """Print the report."""
    for target in (ts.host(), TARGETS["avx2"]):
        print(report(measure(target)))


if __name__ == "__main__":
    main()
