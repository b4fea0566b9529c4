"""A kernel called from `__del__`, during a garbage collection or at interpreter exit, accessed unmapped pages."""

import os
import subprocess
import sys

import pytest

HOLDER = """
import gc
import numpy as np
import tilesmith as ts
from tilesmith.runtime.kernel.callable import Kernel

kept = []

class Holder:
    '''Calls a kernel when it goes, and brings it back to life.'''
    def __init__(self, kernel, cycle):
        self.kernel, self.arrays = kernel, [np.full((4, 4), value, np.float32) for value in (2, 3, 0)]
        self.cycle = self if cycle else None
    def __del__(self, kept=kept, print=print):
        self.kernel(*self.arrays)
        kept.append(self)
        print(self.arrays[2][0, 0], self.arrays[2][3, 3])

def fresh():
    return Kernel(ts.gemm_spec(4, 4, 4), ts.host())  # in no cache: the holder alone holds it

def handle():
    made = ts.dispatch(ts.brgemm, beta=0)
    made(*(np.ones((4, 4), np.float32) for _ in range(3)))
    return made
"""
COLLECTED = """
gc.disable()
for kernel in (fresh(), handle()):
    Holder(kernel, True)
del kernel
gc.collect()
print(len(kept))
for holder in kept:
    holder.kernel(*holder.arrays)
    print(holder.arrays[2].max())
"""
SHUTDOWN = "holders = [Holder(fresh(), False), Holder(fresh(), True), Holder(handle(), False)]"
ANSWER = "24.0 24.0"  # 4 products of 2 and 3


def printed(program, entry):
    environment = {**os.environ, "TILESMITH_ENTRY": entry}
    done = subprocess.run([sys.executable, "-c", HOLDER + program], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


entries = pytest.mark.parametrize("entry", ["native", "cffi"])


@pytest.mark.seconds
@entries
def test_while_a_cycle_is_collected(entry):
    """A resurrected object is called again: the kernel adds to its output, and the handle's kernel overwrites it."""
    *finalised, first, second = printed(COLLECTED, entry)
    assert finalised == [ANSWER, ANSWER, "2"]
    assert {first, second} == {"48.0", "24.0"}


@pytest.mark.seconds
@entries
def test_while_the_interpreter_ends(entry):
    assert printed(SHUTDOWN, entry) == [ANSWER] * 3
