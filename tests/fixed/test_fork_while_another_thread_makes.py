"""A child forked while another thread was making its first kernel waited forever for a lock that no thread would
release."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, queue, signal, sys, threading, time, warnings
import tilesmith as ts

# Where the other thread holds, or held, a lock: what is called, and by what.
PLACES = {
    "a module is imported": lambda name, caller: name == "<module>" and caller == "_call_with_frames_removed",
    "a property is computed": lambda name, caller: caller == "__get__",
    "a node is made": lambda name, caller: (name, caller) == ("__setitem__", "node"),
    "code is announced": lambda name, caller: name == "_dump",
}
wanted, left = queue.SimpleQueue(), dict(PLACES)

def hook(frame, event, argument):
    '''Let the first thread fork here: it does so at once, or waits until this one has left the place.'''
    if event != "call" or frame.f_back is None:
        return
    for place, is_here in list(left.items()):
        if is_here(frame.f_code.co_name, frame.f_back.f_code.co_name):
            del left[place]
            forked = threading.Event()
            wanted.put((place, forked))
            forked.wait(0.2)
            return

def make():
    def relu(x, bias):
        return ts.maximum(x + bias, 0.0)
    ts.brgemm(4, 4, 4, target=TARGET, epilogue=relu)

def other():
    sys.setprofile(hook)
    make()
    sys.setprofile(None)
    wanted.put((None, None))

def fork():
    child = os.fork()
    if not child:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(10)
        try:
            make()
        finally:
            os._exit(0 if sys.exc_info()[0] is None else 1)
    return child

warnings.simplefilter("ignore", DeprecationWarning)
threading.Thread(target=other).start()
children = {}
while (found := wanted.get())[0]:
    place, forked = found
    children[place] = fork()
    forked.set()
for place in PLACES:
    status = os.waitstatus_to_exitcode(os.waitpid(children[place], 0)[1]) if place in children else "not reached"
    print(place, status)
"""


@pytest.mark.seconds
def test_the_child_makes_kernels(tmp_path):
    environment = {**os.environ, "TILESMITH_DUMP": str(tmp_path)}
    program = PROGRAM.replace("TARGET", repr("avx2"))
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "a module is imported 0",
        "a property is computed 0",
        "a node is made 0",
        "code is announced 0",
    ]


IMPORT_ALL = """
import importlib, pkgutil, sys
from tilesmith.encoder import forks
def load(name, package=None):
    raise AssertionError(f"{name} is loaded while a module's own statements run")
forks.load = load
for name in ("encoder", "microkernels", "emulation", "runtime"):
    room = importlib.import_module(f"tilesmith.{name}")
    for module in pkgutil.walk_packages(room.__path__, f"tilesmith.{name}."):
        if "integrations.torch" not in module.name:  # which needs torch
            importlib.import_module(module.name)
print(sum(name.startswith("tilesmith.") for name in sys.modules))
"""


@pytest.mark.seconds
def test_no_module_is_loaded_while_another_is_imported():
    """Otherwise a thread that imports a module by a statement and a thread that loads it could wait for each other."""
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 300  # modules
