"""Ask llvm-mca-19 how long a processor takes for the body of a loop."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.oracles import tools
from tilesmith.encoder.code import Instruction
from tilesmith.encoder.records import NamedTuple

_PASSES = 100


class Cycles(NamedTuple):
    """Cycles per pass of a loop: as LLVM simulates it, and as the ports alone need them in any order."""

    simulated: float
    by_ports: float


def cycles(body: Iterable[Instruction], arch: str, cpu: str) -> Cycles:
    """Return the cycles that one pass of `body` takes on LLVM's model of `cpu`."""
    triple = {"x86": "x86_64-linux", "a64": "aarch64-linux"}[arch]
    lines = ([".intel_syntax noprefix"] if arch == "x86" else []) + [_apart(each.text) for each in body]
    options = f"-mtriple={triple}", f"-mcpu={cpu}", f"-iterations={_PASSES}"
    printed = tools.run("llvm-mca-19", *options, stdin="\n".join(lines)).stdout
    simulated, by_ports = (
        float(re.search(rf"{name}: +([\d.]+)", printed)[1])  # type: ignore[index]
        for name in ("Total Cycles", "Block RThroughput")
    )
    return Cycles(simulated / _PASSES, by_ports)


def _apart(text: str) -> str:
    """Replace the label of a constant by a distance: the text stands alone."""
    return re.sub(r"\[rip \+ [^\]]*\]", "[rip + 64]", text)
