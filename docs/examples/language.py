"""What the workloads of language share: how calls are timed on a shared machine, and sentences of Python's library.

On one thread, times are those of the process's processor, since others may take the cores meanwhile; on several, they
are those of the clock.
"""

from __future__ import annotations

import ast
import re
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import tilesmith as ts
from docs.examples.workloads import common
from tilesmith.runtime.bench import measure
from tilesmith.runtime.bench.measure import PythonCall
from tilesmith.runtime.bench.runner import Run


def now() -> float:
    """Return seconds of the process's processor on one thread, of the clock on several."""
    return time.process_time() if ts.num_threads() == 1 else time.perf_counter()


def turns(run: Run, calls: Mapping[str, Callable[[], object]], seconds: float | None = None) -> dict[str, float]:
    """Return the least seconds of calls that take turns, and `by NAME`: how many times as long as ours each takes."""
    if ts.num_threads() > 1:
        return common.timed(run, calls)
    taken = measure.samples(
        {name: PythonCall(each) for name, each in calls.items()}, seconds or run.seconds, clock=time.process_time_ns
    )
    best = {name: min(each) for name, each in taken.items()}
    return best | {
        f"by {name}": each / best["ours"] for name, each in best.items() if name != "ours" and "ours" in best
    }


def docstrings(package: str) -> Iterator[str]:
    """Yield the docstrings of a package of Python's library, which is read and not imported."""
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path in sorted(Path(sysconfig.get_path("stdlib"), package).rglob("*.py")):
        if "test" not in path.parent.parts[-1:]:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, holders) and (text := ast.get_docstring(node)):
                    yield text


def sentences(packages: tuple[str, ...], least: int) -> Iterator[tuple[list[str], int]]:
    """Yield the words of sentences of at least so many, each once, and the number of their package."""
    seen = set()
    for number, package in enumerate(packages):
        for text in re.split(r"(?<=[.:])\s", " ".join(docstrings(package))):
            words = re.findall(r"[a-z]+", text.lower())
            if len(words) >= least and text not in seen:
                seen.add(text)
                yield words, number
