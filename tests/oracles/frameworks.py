"""Install what tests compare with: PyTorch, JAX, ONNX, ONNX Runtime, Dask and MPI, for the CPU, and whole ONNX models.

    python -m tests.oracles.frameworks     install what is missing into this environment; say what is not to be had

PyPI's torch for x86-64 is the build for CUDA, of several GB. The build for the CPU has a version of its own, which
package indices of a machine may have, and PyTorch's index has. That one is asked only if the others have no such build,
and only if it answers, because pip would try again and again. Without PyTorch the tests that need it are skipped, or
fail on CI: see `tests/oracles/test_frameworks.py`.
"""

from __future__ import annotations

import importlib.util
import platform
import subprocess
import sys
import urllib.request

FRAMEWORKS = "torch", "jax", "onnx", "onnxruntime", "expecttest", "dask", "mpi4py"
_NAMES = {"dask": ("dask[array]",), "mpi4py": ("mpi4py", "mpich")}
"""What pip installs for a module, where it is not its name."""
_TORCH = "torch==2.13.0"
_INDEX = "https://download.pytorch.org/whl/cpu"
_SECONDS = 5
_MODELS = "tests.runtime.integrations.onnx.whole_models"


def main() -> None:
    """Install the frameworks."""
    if importlib.util.find_spec("torch") is None:
        _install_torch()
    rest = [each for each in FRAMEWORKS[1:] if importlib.util.find_spec(each) is None]
    if rest and not _pip(*(name for each in rest for name in _NAMES.get(each, (each,)))):
        print(f"{', '.join(rest)}: pip cannot install them; their tests are skipped")
    models = subprocess.run([sys.executable, "-m", _MODELS], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if models.returncode:
        print(f"{_MODELS}: pip cannot install whole ONNX models; their tests are skipped")


def _install_torch() -> None:
    cuda = sys.platform == "linux" and platform.machine() == "x86_64"
    wanted = f"{_TORCH}+cpu" if cuda else _TORCH
    indices: list[str] = []
    if not _pip("--dry-run", wanted):
        indices = ["--extra-index-url", _INDEX] if _answers(f"{_INDEX}/torch/") else []
        if not indices:
            print(f"{wanted}: no package index has it, and {_INDEX} does not answer; tests of PyTorch are skipped")
            return
    if not _pip(*indices, wanted):
        print(f"{wanted}: pip cannot install it; tests of PyTorch are skipped")


def _pip(*arguments: str) -> bool:
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *arguments], stderr=subprocess.DEVNULL)
    return done.returncode == 0


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS):
            return True
    except OSError:
        return False


if __name__ == "__main__":
    main()
