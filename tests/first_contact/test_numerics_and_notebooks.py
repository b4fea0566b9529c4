"""Section H of first-contact.md: numerics, maintainers, notebooks."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

ROOT = Path(ts.__file__).resolve().parent.parent

UNITS = {"avx512": 2, "amx": 0, "neon_bf16": 2}
"""2^60, -2^60, 1, 1 times ones: VDPBF16PS and BFDOT add pair to pair, TDPBF16PS even and odd elements apart (manuals).
"""


@pytest.mark.parametrize("target", UNITS)
def test_h1_units_differ_and_run_shows_how(target):
    kernel = ts.brgemm(1, 1, 4, dtype=("bf16", "bf16", "f32"), beta=0, target=target)
    a = np.array([[2.0**60, -(2.0**60), 1, 1]], ml_dtypes.bfloat16)
    done = kernel.emulate(a, np.ones((4, 1), ml_dtypes.bfloat16), c := np.empty((1, 1), np.float32))
    assert c[0, 0] == UNITS[target]
    assert done.steps == sum(done.counts.values()) > 0 and done.classes


def test_h2_testing_is_public():
    """ts.testing has an array that ends at a guard page, a reference with its bound, and a run in a forked child."""
    assert {"guarded", "check_canary", "brgemm_reference", "check", "run_forked"} <= set(dir(ts.testing))
    x = ts.testing.guarded(np.ones((3, 5), np.float32))
    np.testing.assert_array_equal(x, 1)
    outside = x.ctypes.data + x.nbytes

    def beyond():
        import ctypes

        ctypes.string_at(outside, 1)

    assert ts.testing.run_forked(beyond) == -signal.SIGSEGV


def test_h3_copies_and_pickles_are_the_kernel():
    kernel = ts.brgemm(3, 3, 3, beta=0)
    assert copy.copy(kernel) is copy.deepcopy(kernel) is pickle.loads(pickle.dumps(kernel)) is kernel


def test_h3_threads_that_ask_at_once():
    """32 threads request at once and get one kernel."""
    start, made = threading.Barrier(32), []

    def ask():
        start.wait()
        made.append(ts.brgemm(3, 4, 37, beta=0, target="avx2"))

    threads = [threading.Thread(target=ask) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(each) for each in made}) == 1


PROGRAM = """
import asyncio, multiprocessing, sys
import numpy as np
import tilesmith as ts

def product(context=None):
    return float(ts.brgemm(3, 3, 3, beta=0)(np.eye(3, dtype="f4"), np.full((3, 3), 2, "f4")).sum())

async def several():
    return await asyncio.gather(*(asyncio.to_thread(product) for _ in range(4)))

if __name__ == "__main__":
    assert ".zip" in ts.__file__ and sys.flags.optimize == 2 and sys.flags.dev_mode
    assert asyncio.run(several()) == [18.0] * 4
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(product, [None]) == [18.0]
    print(product())
"""


@pytest.mark.seconds
def test_h3_from_an_archive_in_development_mode_without_asserts(tmp_path):
    """Run `python -X dev -W error -OO` with the package in a zip file, with asyncio and a spawned process."""
    import zipfile

    with zipfile.ZipFile(tmp_path / "package.zip", "w") as archive:
        for path in (ROOT / "tilesmith").rglob("*"):
            if path.suffix in (".py", ".md") and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(ROOT))
        for room in ("encoder", "microkernels", "runtime", "emulation"):
            for path in (ROOT / room).rglob("*.py"):
                archive.write(path, Path("tilesmith", path.relative_to(ROOT)))
    (tmp_path / "main.py").write_text(PROGRAM)
    paths = [str(tmp_path / "package.zip"), str(Path(np.__file__).parents[1])]
    command = [sys.executable, "-X", "dev", "-W", "error", "-OO", "main.py"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (done.stdout, done.returncode) == ("18.0\n", 0), done.stderr


def test_h4_notebooks():
    """A kernel is one line as text and a table as HTML."""
    kernel = ts.brgemm(4, 4, 4, target="avx2")
    assert repr(kernel).count("\n") == 0
    html = kernel._repr_html_()
    assert kernel.name in html and "vmulps" in html and "<script" not in html


def test_h5_wrong_addresses():
    """As documented, addresses cannot be checked, and an unmapped address ends the process."""
    kernel = ts.brgemm(4, 4, 4, batch=ts.ADDRESS, beta=0)
    if kernel.address is None:
        pytest.skip("calls kernels")
    c, nowhere = np.zeros((4, 4), np.float32), np.array([64], np.uint64)
    assert ts.testing.run_forked(lambda: kernel(nowhere, nowhere, c)) == -signal.SIGSEGV
    assert "ADDRESS nobody can" in " ".join((ROOT / "docs/tutorial.md").read_text().split())
