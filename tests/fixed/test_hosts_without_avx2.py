"""A processor without AVX2 could not make kernels for `sse` and `avx`, which only such a processor needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests import older_host
from tests.profiles import is_soak
from tilesmith.runtime.system.architecture import arch

EMULATOR = shutil.which("qemu-x86_64")
QUICK = ["batches"]
"""The case of `make test`: entries, guards and kernels. A process takes 8 s, most of it planning under qemu."""
CASES = [("Nehalem", "sse", None), ("SandyBridge", "avx", None)] if is_soak() else [("Nehalem", "sse", QUICK)]


@pytest.mark.skipif(arch() != "x86" or EMULATOR is None, reason="this Python under qemu-x86_64")
@pytest.mark.parametrize(("processor", "isa", "names"), CASES)
def test_every_function_runs_natively(processor: str, isa: str, names: list[str] | None) -> None:
    """An instruction that the processor lacks ends the process by SIGILL."""
    names = list(older_host.CASES) if names is None else names
    command = [str(EMULATOR), "-cpu", processor, sys.executable, "-m", "tests.older_host", isa, *names]
    environment = {**os.environ, "TILESMITH_CACHE": "off", "TILESMITH_VERIFY": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == names
