"""The recipes of docs/distributed.md for engines that need nothing of this package run as they stand there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[4] / "docs/distributed.md"
BEFORE = """
import numpy as np
import tilesmith as ts

rng = np.random.default_rng(0)
a, b, x = (rng.standard_normal(shape).astype(np.float32) for shape in ((40, 64), (64, 24), (16, 32)))
"""
AFTER = {
    "mpi4py": "assert np.abs(c - a.astype(np.float64) @ b).max() < 1e-4 and ts.num_threads() >= 1\nprint('right')",
    "ray": "assert (y == ts.fused('softmax', 16, 32)(x)).all()\nprint('right')",
}


def _script(engine: str, folder: Path) -> Path:
    (recipe,) = (text for text in re.findall(r"```text\n(.*?)```", PAGE.read_text(), re.DOTALL) if engine in text)
    begin = (
        "import ray\nray.init(num_cpus=2, include_dashboard=False, logging_level='ERROR')\n" if engine == "ray" else ""
    )
    path = folder / "script.py"
    path.write_text(begin + BEFORE + recipe + AFTER[engine] + "\n")
    return path


@pytest.mark.skipif(find_spec("mpi4py") is None, reason="needs mpi4py and an MPI: pip install mpi4py mpich")
def test_mpi(tmp_path: Path) -> None:
    launcher = shutil.which("mpirun", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert launcher is not None
    command = [launcher, "-n", "2", sys.executable, str(_script("mpi4py", tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    # The launcher forwards what the two processes print in pieces, not in lines.
    assert done.returncode == 0 and done.stdout.count("right") == 2, done.stderr


@pytest.mark.seconds
@pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install ray, which `make soak` does")
def test_ray(tmp_path: Path) -> None:
    command = [sys.executable, str(_script("ray", tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.split()[-1:] == ["right"], done.stderr
