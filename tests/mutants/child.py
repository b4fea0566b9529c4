"""Run mapped tests in a separate process, with one module of the package replaced by its mutant.

The parent has imported pytest, hypothesis and numpy, and forks. The child imports the package, and the mutated module
through a finder that compiles the changed tree. Nothing is written to the source tree, and no effect of a mutant
reaches the next one. Programs that a test starts see the unchanged source.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import json
import os
import random
import resource
import signal
import sys
import types
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from tests.mutants.areas import ROOT, mirror_tests, words_of

MEMORY = 6 << 30  # the most bytes of data that a mutant may allocate
ORDER = 1  # the seed of the order of cases
NEAR = 20  # the number of cases of each mirror test file that run before cases of other files


class MutantFinder(importlib.abc.MetaPathFinder):
    """Finds one module and gives it the code of a syntax tree."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.name = f"tilesmith.{path.removesuffix('.py').replace('/', '.')}"
        self.file, self.tree = ROOT / "tilesmith" / path, tree

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(name, self.file, self.tree), origin=str(self.file))


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, file: Path, tree: ast.Module) -> None:
        super().__init__(name, str(file))
        self.tree = tree

    def get_code(self, fullname: str) -> types.CodeType:
        return compile(self.tree, self.path, "exec")


class Reporter:
    """Orders the tests and reports to a pipe, one JSON value per line."""

    def __init__(self, pipe: int, seconds: float, without: frozenset[str], path: str) -> None:
        self.pipe, self.seconds, self.without = pipe, seconds, without
        self.words = words_of(path) if path else ()
        self.mirror = mirror_tests(path) if path else []
        self.folder = f"tests/{path.rpartition('/')[0]}/"

    def tell(self, event: str, **values: Any) -> None:
        os.write(self.pipe, json.dumps({"event": event, "cpu": used(), **values}).encode() + b"\n")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Sort the tests so that kills come early: first cases of the mirror tests, then by `_rank`."""
        rng = random.Random(ORDER)
        cases: dict[str, list[pytest.Item]] = {}
        for item in items:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        first = {id(rng.choice(those)) for those in cases.values()}
        ranks = {id(item): self._rank(item, id(item) in first, rng) for item in items}
        items[:] = sorted((item for item in items if item.nodeid not in self.without), key=lambda item: ranks[id(item)])
        quick = [item for item in items if not _has(item, "slow", "seconds")]
        near = [item for path in self.mirror for item in [item for item in quick if _file(item) == path][:NEAR]]
        taken = {id(item) for item in near}
        items[:] = [*near, *(item for item in items if id(item) not in taken)]

    def _rank(self, item: pytest.Item, is_first: bool, rng: random.Random) -> tuple[bool, int, bool, float]:
        """Return a sort key. First comes one case of each function of the folder's own tests, then the folder's tests
        that take seconds, one case of each other function, and all other cases. Slow tests come last."""
        own, takes_seconds = item.nodeid.startswith(self.folder), _has(item, "seconds")
        turn = int(takes_seconds) if own and (takes_seconds or is_first) else 4 if takes_seconds else 3 - is_first
        is_near = any(word in item.nodeid.partition("[")[2] for word in self.words)
        far = bool(self.words) and not is_near and not takes_seconds
        return _has(item, "slow"), turn, far, rng.random()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and report.nodeid not in self.without:
            self.tell("failed", test=report.nodeid)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.tell("start", test=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.tell("failed", test=report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        if used() > self.seconds:
            self.tell("end")
            os._exit(0)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _has(item: pytest.Item, *marks: str) -> bool:
    return any(mark.name in marks for mark in item.iter_markers())


def used() -> float:
    """Return the seconds of processor time of this process and of its children that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def start(
    tests: Sequence[str], mutant: tuple[str, ast.Module] | None, seconds: float, without: frozenset[str]
) -> tuple[int, int]:
    """Start a run. Return its process and the reading end of its pipe. The operating system limits its processor
    time."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    try:
        os.close(reading)
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _run(tests, mutant, Reporter(writing, seconds, without, mutant[0] if mutant else ""))
    finally:
        os._exit(3)


def _run(tests: Sequence[str], mutant: tuple[str, ast.Module] | None, reporter: Reporter) -> None:
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)
    if mutant is not None:
        sys.meta_path.insert(0, MutantFinder(*mutant))
    # unchanged modules are compiled only once, regardless of PYTHONDONTWRITEBYTECODE
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(ROOT / ".build" / "pycache")
    # profiles of conftest.py inherit from this one: failures are neither shrunk nor kept for the next mutant
    settings.register_profile("mutants", database=None, derandomize=True, phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")
    options = ["-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", "--continue-on-collection-errors"]
    tests = [test for test in tests if test not in reporter.without]
    status = pytest.main([*options, "--rootdir", str(ROOT), *tests], plugins=[reporter])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
        reporter.tell("failed", test="")  # the package cannot be imported, so nothing was collected
    reporter.tell("end")
    os._exit(0)
