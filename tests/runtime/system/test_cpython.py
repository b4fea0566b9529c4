"""If machine code cannot take calls, Python does, with the same results, and `tilesmith info` states the reason."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tilesmith.runtime.system import cpython, environment

CHILD = """
import sys
import numpy as np
{before}
import tilesmith as ts
from tilesmith.runtime.bench import measure
from tilesmith.runtime.cli.main import main
measure.fma_peak = lambda *_: 1e9
mm = ts.brgemm(5, 6, 7, beta=0)
a, b = np.arange(35, dtype="f4").reshape(5, 7), np.arange(42, dtype="f4").reshape(7, 6)
assert (mm(a, b) == a @ b).all()
assert (ts.dispatch(ts.brgemm, beta=0)(a, b) == a @ b).all()
try:
    mm(a, a)
except ValueError as error:
    print(error)
main(["info"])
"""
FREE_THREADED = 'sys.abiflags = "t"'
UNKNOWN = "sys.version_info = type('Version', (tuple,), {'major': 3, 'minor': 99})((3, 99, 0, 'final', 0))"
CASES = {
    FREE_THREADED: "this CPython is free-threaded: its objects are laid out differently",
    UNKNOWN: "CPython 3.99 is not one of 3.10 to 3.14, which machine code has been tested in",
}


@pytest.mark.parametrize("before", CASES, ids=("free-threaded", "unknown version"))
def test_python_calls_kernels_instead(before: str) -> None:
    variables = {**os.environ, environment.ENTRY: ""}
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(before=before)], env=variables, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "b: shape (7, 6), not (5, 7)"
    assert f"  calls: through Python, some microseconds each: {CASES[before]}" in lines


def test_other_implementations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="pypy"))
    assert cpython.difference.__wrapped__() == "pypy has no CPython objects"


@pytest.mark.parametrize("version", [(3, 9), (3, 15), (4, 0)])
def test_versions_outside_the_range(monkeypatch: pytest.MonkeyPatch, version: tuple[int, int]) -> None:
    monkeypatch.setattr(sys, "version_info", (*version, 0, "final", 0))
    assert cpython.difference.__wrapped__().startswith(f"CPython {version[0]}.{version[1]} is not one of")


def test_this_interpreter_says_what_it_is() -> None:
    known = cpython.OLDEST <= sys.version_info[:2] <= cpython.NEWEST
    assert known == (not cpython.difference())
