"""A folder that TILESMITH_CACHE names and that cannot be made was ignored without a warning."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = "import numpy as np, tilesmith as ts; x = np.ones((2, 2), np.float32); print(ts.unary('relu', 2, 2)(x).sum())"


@pytest.mark.parametrize("folder", ["/proc/nowhere", "/dev/null/below", "/proc/self/environ"])
def test_a_named_folder_that_cannot_be_made_is_warned_of_once(folder):
    environment = {**os.environ, "TILESMITH_CACHE": folder}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment)
    assert done.stdout == "4.0\n" and done.stderr.count(folder) == 1, done.stderr


def test_a_home_that_cannot_be_written_to_is_not_warned_of():
    environment = {name: value for name, value in os.environ.items() if name != "TILESMITH_CACHE"}
    environment |= {"HOME": "/proc/nobody", "XDG_CACHE_HOME": ""}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("4.0\n", "")
