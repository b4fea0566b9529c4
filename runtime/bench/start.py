"""`tilesmith bench start`: imports and kernels of fresh processes, beside the import of numpy in the same processes.

Every process imports numpy, then tilesmith, and makes kernels of several kinds, in one of three modes:

    bytecode       with bytecode files of an earlier process, for Python's own modules, numpy's and this package's
    kernels        also with the kernels that an earlier process kept in its own cache (docs/cache.md)
    no bytecode    with none of these: every module is compiled, as with PYTHONDONTWRITEBYTECODE in a new container

Further processes call one public function each, with its kernels on disk (first_calls.py).

The figures are medians over the processes. Those of imports and of the first kernel are multiples of numpy's import,
which measures the disk and the processor as well.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.records import dataclass
from ..host import detect as host
from .first_calls import GOAL, first_calls
from .goals import Goal, goal_table, saved, write_json

PROCESSES = 20
_CHILD = """
import time
t = time.perf_counter
start = t()
import numpy
found = {"numpy": t() - start}
start = t()
import tilesmith as ts
found["import"] = t() - start
start = t()
ts.brgemm(64, 48, 64)
found["first"] = t() - start

def median(kind, make, sizes):
    times = []
    for size in sizes:
        start = t()
        make(size)
        times.append(t() - start)
    found[kind] = sorted(times[1:])[len(times) // 2]  # the first one imports what its kind needs

median("product", lambda n: ts.brgemm(n, n + 5, 2 * n + 1), range(13, 63, 4))
relu = lambda c, bias: ts.relu(c + bias)
median("epilogue", lambda n: ts.brgemm(n, n + 5, 2 * n + 1, epilogue=relu), range(13, 63, 6))
median("transpose", lambda n: ts.transpose(n, n + 5), range(13, 63, 6))
import json
print(json.dumps(found))
"""
"""The program of a process. It measures by itself, so that the start of the interpreter is not counted."""
FIGURES = {
    "import": ("import tilesmith", 0.25), "first": ("the first kernel", 0.4), "product": ("a later BRGEMM", 1.2e-3),
    "epilogue": ("a later BRGEMM with bias and relu", 3e-3), "transpose": ("a later transpose", 5e-3),
}  # fmt: skip
"""The figures, with their goals with bytecode: a multiple of numpy's import, or seconds of a later kernel."""
_MULTIPLES = ("import", "first")
_FEWER = 4
"""The first call of a public function is measured in this fraction of the processes."""
_KEPT = 0.08
"""The goal of the first kernel if it is found on disk."""


@dataclass(frozen=True)
class StartReport:
    """Medians in seconds, keyed by mode and figure. `first_calls` has those of the first call of each public function
    with its kernels on disk, as multiples of numpy's import."""

    machine: str
    python: str
    numpy: str
    processes: int
    seconds: dict[str, dict[str, float]]
    goals: list[Goal]
    first_calls: dict[str, float]

    def save(self, path: str | Path) -> None:
        """Write the report as JSON."""
        write_json(path, {**asdict(self), "goals": saved(self.goals)})


def bench_start(
    processes: int = PROCESSES, json_path: str | Path | None = None, console: Console | None = None
) -> StartReport:
    """Measure and print. The report is returned, and also written to `json_path`."""
    console = console or Console(width=None if sys.stdout.isatty() else 110)
    with tempfile.TemporaryDirectory() as folder:
        _child(folder, True)  # writes the bytecode
        _child(folder, True, kernels=True)  # keeps the kernels
        seconds = {
            "bytecode": _medians(folder, True, processes), "kernels": _medians(folder, True, processes, kernels=True),
            "no bytecode": _medians(folder, False, processes),
        }  # fmt: skip
        firsts = first_calls(_environment(folder, True, kernels=True), max(1, processes // _FEWER))
    version = sys.version.split()[0]
    goals = [*_goals(seconds["bytecode"]), _goal_kept(seconds["kernels"]), *_goals_of_calls(firsts)]
    report = StartReport(host.brand(), version, np.__version__, processes, seconds, goals, firsts)
    _print(console, report)
    if json_path is not None:
        report.save(json_path)
    return report


def _medians(folder: str, bytecode: bool, processes: int, kernels: bool = False) -> dict[str, float]:
    every = [_child(folder, bytecode, kernels) for _ in range(processes)]
    return {name: statistics.median(found[name] for found in every) for name in every[0]}


def _child(folder: str, bytecode: bool, kernels: bool = False) -> dict[str, float]:
    """Return the figures of one process."""
    command = [sys.executable, *([] if bytecode else ["-B"]), "-c", _CHILD]
    done = subprocess.run(command, env=_environment(folder, bytecode, kernels), stdout=subprocess.PIPE, text=True,
                          check=True)  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _environment(folder: str, bytecode: bool, kernels: bool = False) -> dict[str, str]:
    """Return the environment of a process, whose bytecode and kernels lie in the folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = os.pathsep.join(os.path.abspath(each) for each in sys.path)
    environment["TILESMITH_CACHE"] = os.path.join(folder, "kernels") if kernels else "off"
    environment["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "bytecode" if bytecode else "none")
    return environment


def _goals(seconds: dict[str, float]) -> list[Goal]:
    """Return the goals with bytecode."""
    return [
        Goal(f"{what}, by import numpy", wanted, seconds[name] / seconds["numpy"], "x")
        if name in _MULTIPLES else Goal(what, wanted, seconds[name], "s")
        for name, (what, wanted) in FIGURES.items()
    ]  # fmt: skip


def _goals_of_calls(ratios: dict[str, float]) -> list[Goal]:
    """Return the goals of the first calls of public functions with kernels on disk."""
    return [Goal(f"the first {name}, kept on disk, by import numpy", GOAL, each, "x") for name, each in ratios.items()]


def _goal_kept(seconds: dict[str, float]) -> Goal:
    """Return the goal with kernels on disk."""
    return Goal("the first kernel, kept on disk, by import numpy", _KEPT, seconds["first"] / seconds["numpy"], "x")


def _print(console: Console, report: StartReport) -> None:
    console.print(f"[bold]{report.machine}[/], Python {report.python}, numpy {report.numpy}; "
                  f"medians of {report.processes} processes")  # fmt: skip
    table = Table()
    table.add_column("")
    for mode in report.seconds:
        table.add_column(f"{mode}, ms", justify="right")
        table.add_column("x numpy", justify="right")
    for name, what in {"numpy": "import numpy", **{name: what for name, (what, _) in FIGURES.items()}}.items():
        cells = []
        for found in report.seconds.values():
            cells += [f"{found[name] * 1e3:.2f}", f"{found[name] / found['numpy']:.3f}"]
        table.add_row(what, *cells)
    console.print(table)
    console.print(goal_table(report.goals))
