"""A process whose subinterpreter had made a kernel, and was not destroyed, did not end: the kernel cache was written at
exit, where CPython ends a thread of a subinterpreter that releases the GIL, which was the main thread."""

import os
import subprocess
import sys

import pytest

CODE = """
import sys, threading, time
try:
    import _interpreters as interpreters
    one = interpreters.create("legacy")
except ImportError:  # CPython 3.12 and older
    import _xxsubinterpreters as interpreters
    one = interpreters.create(isolated=False)
interpreters.run_string(one, f"import sys, warnings; sys.path[:] = {sys.path!r}\\n" + '''
warnings.simplefilter("ignore")
import numpy as np
import tilesmith as ts
a, c = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
ts.brgemm(4, 4, 4)(a, a, c)
print(c[0, 0], flush=True)
''')
threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()  # such as the threads of numpy's BLAS
"""


@pytest.mark.parametrize("setting", [{}, {"TILESMITH_GDB": "1"}])
def test_the_process_ends_and_the_kernel_is_kept(tmp_path, setting):
    environment = {**os.environ, "TILESMITH_CACHE": str(tmp_path / "cache"), "TMPDIR": str(tmp_path), **setting}
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", CODE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, env=environment, check=True)
    assert done.stdout == "4.0\n" and not done.stderr
    assert any((tmp_path / "cache").rglob("*"))
