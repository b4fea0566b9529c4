"""Threads that first asked for the pool at the same time raced inside importlib.util.find_spec, which raises ValueError
for a module that another thread is importing; and a signal handler that interrupted a first call and made one itself
found modules that were half executed."""

import subprocess
import sys
import textwrap

import pytest

from tests import profiles
from tilesmith.runtime.system import interpreters

JOBS = """
import os, signal, sys, threading, traceback
import numpy as np
import tilesmith as ts

square, small, vector = np.ones((200, 200), "f4"), np.ones((8, 8), "f4"), np.ones((200, 32), "f4")

def layer():
    made = ts.linear(200, 32, 200, bias=False)
    return made(square, made.pack(vector))[0, 0] == 200

JOBS = [
    lambda: ts.matmul(square, square)[0, 0] == 200,
    lambda: ts.matmul(small, small)[0, 0] == 8,
    lambda: ts.brgemm(8, 8, 8, beta=0)(small, small)[0, 0] == 8,
    lambda: ts.unary("relu", 8, 8)(small)[0, 0] == 1,
    lambda: ts.spread(ts.fused("softmax", 200, 200))(square)[0, 0] == np.float32(1 / 200),
    lambda: ts.dispatch(ts.brgemm, beta=0)(small, small)[0, 0] == 8,
    layer,
    lambda: ts.reduce("sum", 8, 8, axis=1)(small).ravel()[0] == 8,
]
"""

THREADS = """
sys.setswitchinterval(1e-6)
start, wrong = threading.Barrier(8), []

def run(number):
    start.wait()
    try:
        for each in range(8):
            place = (number * %d + each) %% 8
            if not JOBS[place]():
                wrong.append(place)
    except BaseException:
        wrong.append(traceback.format_exc())

threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*wrong or ["right"])
"""

HANDLERS = """
import importlib.abc

class Interrupting(importlib.abc.MetaPathFinder):
    '''Sends a signal while a module is imported, whose handler calls what is being imported.'''

    def find_spec(self, name, path, target=None):
        if name == %r:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGUSR1)

found = []

def handler(*_):
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(0 if all(each() for each in JOBS[:2]) else 1)
    found.append(all(each() for each in JOBS))
    found.append(os.waitpid(child, 0)[1] == 0)

signal.signal(signal.SIGUSR1, handler)
sys.meta_path.insert(0, Interrupting())
found += [each() for each in JOBS]
print("right" if len(found) == 10 and all(found) else found)
"""


def printed(code):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", JOBS + textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_module_of_interpreters_while_another_thread_imports_it(monkeypatch):
    """A module has no __spec__ until the import system sets it."""
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    monkeypatch.setattr(__import__(name), "__spec__", None)
    assert interpreters.in_subinterpreter.__wrapped__() is False


@pytest.mark.parametrize("number", range(profiles.scaled(1, 200)))
def test_first_calls_of_eight_threads(number):
    """All threads begin with the same call, or each with another one."""
    assert printed(THREADS % (number % 2)) == "right"


PLACES = (
    "microkernels.expr.graph",
    "runtime.ops.products",
    "runtime.fastcall.entry_code",
    "microkernels.gemm.emit",
    "runtime.ops.spread",
    "runtime.api.dispatch_table",
    "runtime.threads.called",
)


@pytest.mark.parametrize("place", PLACES[:1] if not profiles.is_soak() else PLACES)
def test_first_calls_of_a_signal_handler(place):
    """The handler runs in the middle of the first import; a child that it forks makes the first calls, too."""
    assert printed(HANDLERS % f"tilesmith.{place}") == "right"
