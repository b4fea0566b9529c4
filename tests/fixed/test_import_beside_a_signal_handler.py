"""`import tilesmith` did not end in a program with a signal handler of its own: a thread imported a deferred module for
the first one, and waited for the lock of the package, whose import waited for it. Nor did it end in a subinterpreter,
whose handler of SIGINT is that of the main interpreter."""

import subprocess
import sys

import pytest

HANDLER = "import signal; signal.signal(signal.SIGUSR1, lambda *_: None)\n"
IN_A_HANDLER = """
import os, signal

def handle(*_):
    import tilesmith as ts
    print(ts.host().name != "", flush=True)

signal.signal(signal.SIGUSR1, handle)
os.kill(os.getpid(), signal.SIGUSR1)
"""
USE = """
import numpy as np
import tilesmith as ts
a, c = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
ts.brgemm(4, 4, 4)(a, a, c)
print(c[0, 0])
"""


@pytest.mark.parametrize(("before", "printed"), [(HANDLER, "4.0\n"), (IN_A_HANDLER, "True\n4.0\n")])
def test_the_import_ends(before, printed):
    command = [sys.executable, "-c", before + USE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == printed and not done.stderr
