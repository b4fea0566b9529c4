"""Count the executed instructions of a call, as a measure of speed without an Arm machine.

The emulator logs every instruction in the arena of called code before executing it. Only qemu can do that, so nothing
can be counted on a machine that runs the code natively.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from ...encoder.code import Code
from . import guest
from .faults import ServerUnavailable
from .server import Server

_ARENA = f"{guest.ARENA:#x}+{guest.ARENA_SIZE:#x}"
# One instruction per translation block, and no jumps between blocks that bypass the log.
_ONE_BY_ONE = ("-one-insn-per-tb", "-singlestep")  # the option's name from qemu 8.1 on, and before
_OPTIONS = ("-d", "exec,nochain", "-dfilter", _ARENA, "-D")
# "Trace 0: <host address> [<code segment>/<pc>/<flags>/<flags>]", and "Stopped execution ... [<pc>]" for an instruction
# that was logged but not executed because a signal came. It will be logged again.
_LINE = re.compile(r"^(Trace|Stopped)[^\[]*\[(?:[0-9a-f]+/)?([0-9a-f]+)", re.MULTILINE)


def executed(code: Code, *arguments: Any, **keywords: Any) -> Counter[int]:
    """Return how often each instruction was executed, by its offset in the code. The arguments are those of
    Server.call."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        emulator = Server().command
        if not emulator:
            raise ServerUnavailable("executed instructions are counted by the emulator, and this machine needs none")
        with Server(options=(_one_by_one(emulator[0]), *_OPTIONS, str(log))) as server:
            server.call(code, *arguments, **keywords)
        return _count(log.read_text())


def _one_by_one(emulator: str) -> str:
    """Return the name of the option that translates instructions one by one."""
    known = subprocess.run([emulator, "-h"], capture_output=True, text=True).stdout
    return next((name for name in _ONE_BY_ONE if name in known), _ONE_BY_ONE[-1])


def mnemonics(code: Code, counts: Counter[int]) -> Counter[str]:
    """Return the same counts by mnemonic."""
    total: Counter[str] = Counter()
    for instruction in code.instructions:
        if counts[instruction.offset]:
            total[instruction.form.mnemonic] += counts[instruction.offset]
    return total


def _count(log: str) -> Counter[int]:
    counts: Counter[int] = Counter()
    for kind, pc in _LINE.findall(log):
        counts[int(pc, 16) - guest.ARENA] += 1 if kind == "Trace" else -1
    return counts
