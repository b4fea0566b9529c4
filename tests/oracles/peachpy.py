"""PeachPy as an oracle of x86-64: calls like `VADDPS(zmm1, zmm2, zmm3)` to bytes, in a separate process.

Debian's python3-peachpy works only with Debian's interpreter, so that interpreter runs peachpy_process.py. PeachPy
chooses the encoding itself: VEX if the operands allow it, otherwise EVEX.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tilesmith.encoder.x86.registers import Mem, Reg, StaticRounding

from . import tools

INTERPRETER = "/usr/bin/python3"
_PROCESS = Path(__file__).with_name("peachpy_process.py")


class Answer(NamedTuple):
    """PeachPy's results for calls: bytes, or the reason why it rejects a call. Also its time per call, if requested."""

    results: list[bytes | str]
    us: float  # an instruction alone
    us_in_function: float  # as part of a function


def require() -> None:
    """End the test if PeachPy is missing: skip it with the reason, or fail it on CI."""
    found = Path(INTERPRETER).exists() and not _run("-c", "import peachpy.x86_64", stdin="").returncode
    if not found:
        tools.missing(f"{INTERPRETER} has no peachpy: `make oracles`")


def ask(calls: Sequence[str], repeat: int = 0) -> Answer:
    """Return PeachPy's results for the calls; with `repeat`, also the time of the fastest of that many passes."""
    done = _run(str(_PROCESS), stdin=json.dumps({"calls": list(calls), "repeat": repeat}))
    assert done.returncode == 0, done.stderr[-4000:]
    answer = json.loads(done.stdout)
    results = [result[1:] if result.startswith("!") else bytes.fromhex(result) for result in answer["results"]]
    assert len(results) == len(calls)
    return Answer(results, answer.get("us", 0.0), answer.get("us_in_function", 0.0))


def run(source: str) -> bytes:
    """Run a program under the interpreter that has PeachPy and return its standard output."""
    done = subprocess.run([INTERPRETER, "-I", "-W", "ignore", "-c", source], capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()[-4000:]
    return done.stdout


def _run(*arguments: str, stdin: str) -> subprocess.CompletedProcess[str]:
    # -I: this folder must not be searched, because the peachpy.py in it is not PeachPy.
    command = [INTERPRETER, "-I", "-W", "ignore", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=300)


def call(mnemonic: str, operands: Sequence[Any]) -> str:
    """Return the call that makes an instruction, in PeachPy's notation; "" for addresses that PeachPy cannot
    express."""
    parts = [_operand(operand) for operand in operands]
    return f"{mnemonic.upper()}({', '.join(parts)})" if all(parts) else ""


def _operand(operand: Any) -> str:
    if isinstance(operand, Reg):
        mask = f"({operand.mask.name}{'.z' * operand.zeroing})" if operand.mask else ""
        return operand.name + mask
    if isinstance(operand, Mem):
        return _memory(operand)
    if isinstance(operand, StaticRounding):
        return f"{{{operand.name.replace('-', '_')}}}"
    return str(operand)


def _memory(mem: Mem) -> str:
    if mem.rip or mem.label:
        distance = mem.disp if mem.rip else 0  # a label's distance is filled in later
        return "" if mem.broadcast or mem.mask else f"rip({mem.size}, {distance})"
    if mem.base is None and mem.index is None:
        return ""
    parts = [str(mem.size), mem.base.name if mem.base else "None", mem.index.name if mem.index else "None"]
    parts += [str(mem.scale), str(mem.disp)]
    parts += [f"mask={mem.mask.name}"] if mem.mask else []
    parts += [f"to={mem.broadcast}"] if mem.broadcast else []
    return f"mem({', '.join(parts)})"
