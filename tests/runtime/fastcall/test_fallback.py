"""The tests of calls, run again with every call forced through Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.profiles import is_soak
from tilesmith.runtime.system import environment

ROOT = Path(__file__).parents[2]
FILES = (
    "runtime/arguments/test_gemm.py",
    "runtime/arguments/test_gemm_overlap.py",
    "runtime/arguments/test_gemm_batch.py",
    "runtime/arguments/test_operands.py",
    "runtime/kernel/test_callable.py",
    "runtime/api/test_brgemm.py",
)


@pytest.mark.slow
def test_the_same_tests_in_fallback_mode():
    """Run the tests that take less than a second; slower ones test bytes and objects, which are the same."""
    those = [] if is_soak() else ["-m", "not slow and not seconds"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *those, *(str(ROOT / x) for x in FILES)]
    done = subprocess.run(
        command, env={**os.environ, environment.ENTRY: "cffi"}, capture_output=True, text=True, cwd=ROOT.parent
    )
    assert done.returncode == 0, done.stdout[-3000:]
