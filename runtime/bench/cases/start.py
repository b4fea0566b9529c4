"""`tilesmith bench start`: imports and kernels of fresh processes, beside the import of numpy in the same processes.

Every process imports numpy, then tilesmith, and makes kernels of several kinds, in one of three modes:

    bytecode       with bytecode files of an earlier process, for Python's own modules, numpy's and this package's
    kernels        also with the kernels that an earlier process kept in its own cache (docs/cache.md)
    no bytecode    with none of these: every module is compiled, as with PYTHONDONTWRITEBYTECODE in a new container

Further processes call one public function each, with its kernels on disk (first_calls.py). The figures are medians over
the processes. Those of imports and of the first kernel are multiples of numpy's import, which measures the disk and the
processor as well.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence

from ..first_calls import FIRST_CALLS, GOAL, first_call
from ..runner import Bench, Run, Table
from ..table import Goal, Row

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
}
"""The figures, with their goals with bytecode: a multiple of numpy's import, or seconds of a later kernel."""
MODES = {"bytecode": (True, False), "kernels": (True, True), "no bytecode": (False, False)}
"""Whether a process finds bytecode, and whether it finds kernels."""
_MULTIPLES = ("import", "first")
_FEWER = 4
"""The first call of a public function is measured in this fraction of the processes."""
_KEPT = 0.08
"""The goal of the first kernel if it is found on disk."""


def _tables(run: Run) -> Iterator[Table]:
    processes = run.options.processes
    with tempfile.TemporaryDirectory() as folder:
        child(folder, True)  # writes the bytecode
        child(folder, True, kernels=True)  # keeps the kernels
        columns = "what" + "".join(f"; {mode}, ms={mode}:2m; x numpy={mode} by numpy:3" for mode in MODES)
        yield Table("processes", columns, ((folder, processes),), _processes,
                    f"medians of {processes} processes", goals)
        environment, fewer = environment_of(folder, True, kernels=True), max(1, processes // _FEWER)
        yield Table("first calls", "function; x numpy=ratio:3", FIRST_CALLS,
                    lambda run, name: {"function": name, "ratio": first_call(name, environment, fewer)},
                    goals=lambda rows: [Goal(f"the first {row['function']}, kept on disk, by import numpy", GOAL,
                                             row["ratio"], "x") for row in rows])


def _processes(run: Run, folder: str, processes: int) -> Iterator[Row]:
    """Yield a row for each figure. Processes of the three modes take turns."""
    every: dict[str, list[dict[str, float]]] = {mode: [] for mode in MODES}
    for _ in range(processes):
        for mode, (bytecode, kernels) in MODES.items():
            every[mode].append(child(folder, bytecode, kernels))
    found = {mode: {name: statistics.median(each[name] for each in taken) for name in taken[0]}
             for mode, taken in every.items()}
    for name, what in {"numpy": "import numpy", **{name: what for name, (what, _) in FIGURES.items()}}.items():
        yield {"name": name, "what": what, **{mode: each[name] for mode, each in found.items()},
               **{f"{mode} by numpy": each[name] / each["numpy"] for mode, each in found.items()}}


def child(folder: str, bytecode: bool, kernels: bool = False) -> dict[str, float]:
    """Return the figures of one process."""
    command = [sys.executable, *([] if bytecode else ["-B"]), "-c", _CHILD]
    done = subprocess.run(command, env=environment_of(folder, bytecode, kernels), stdout=subprocess.PIPE, text=True,
                          check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def environment_of(folder: str, bytecode: bool, kernels: bool = False) -> dict[str, str]:
    """Return the environment of a process, whose bytecode and kernels lie in the folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = os.pathsep.join(os.path.abspath(each) for each in sys.path)
    environment["TILESMITH_CACHE"] = os.path.join(folder, "kernels") if kernels else "off"
    environment["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "bytecode" if bytecode else "none")
    return environment


def goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the goals with bytecode, and with kernels on disk."""
    found = {row["name"]: row for row in rows}
    for name, (what, wanted) in FIGURES.items():
        if name in _MULTIPLES:
            yield Goal(f"{what}, by import numpy", wanted, found[name]["bytecode by numpy"], "x")
        else:
            yield Goal(what, wanted, found[name]["bytecode"], "s")
    yield Goal("the first kernel, kept on disk, by import numpy", _KEPT, found["first"]["kernels by numpy"], "x")


BENCH = Bench("start", __doc__, _tables, {"--processes": {"type": int, "default": PROCESSES}}, alone=False,
              quick=("--processes", "5"))
