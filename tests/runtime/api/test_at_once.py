"""`import tilesmith` imports every module that a kernel from the cache needs, so the first call imports nothing."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import tilesmith as ts
before = set(sys.modules)
ts.brgemm(13, 17, 19)
print(*sorted(name for name in sys.modules if name not in before and name.startswith("tilesmith.")))
"""


def test_a_kernel_from_the_cache_imports_nothing(tmp_path):
    root = str(Path(__file__).parents[3])
    environment = {**os.environ, "TILESMITH_CACHE": str(tmp_path / "kernels"), "PYTHONPATH": root}
    first, second = (
        subprocess.run([sys.executable, "-c", SCRIPT], env=environment, stdout=subprocess.PIPE, text=True, check=True)
        for _ in range(2)
    )
    assert "tilesmith.microkernels.gemm.emit" in first.stdout.split()  # the kernel is made by this module
    assert not second.stdout.split()
