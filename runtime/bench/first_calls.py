"""The first call of each public function in a process of its own, whose kernels an earlier process kept on disk.

Each function makes a kernel, or a product and its loops, and calls it. The figure is the time of that as a multiple of
numpy's import in the same process, so it has the imports of the function's own modules in it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping

FIRST_CALLS: Mapping[str, str] = {
    "brgemm": "ts.brgemm(16, 16, 16, beta=0.0)(a, a)",
    "unary": "ts.unary('gelu', 16, 16)(a)",
    "binary": "ts.binary('add', 16, 16)(a, a)",
    "ternary": "ts.ternary('muladd', 16, 16)(a, a, a)",
    "equation": "ts.equation(lambda x: 2 * x, x=(16, 16))(a)",
    "reduce": "ts.reduce('sum', 16, 16, axis=1)(a)",
    "fused": "ts.fused('softmax', 16, 16)(a)",
    "attention": "q = a[None]; ts.attention(1, 16, 16, 16)(q, q, q)",
    "transpose": "ts.transpose(16, 16)(a)",
    "transform": "ts.transform('vnni2', 16, 16, dtype='bf16')",
    "gather": "ts.gather('rows', 8, 16, size=16)",
    "scatter": "ts.scatter('rows', 8, 16, size=16)",
    "embedding_bag": "ts.embedding_bag(2, 16, size=16, count=8)",
    "dispatch": "ts.dispatch(ts.brgemm, beta=0.0)(a, a)",
    "matmul": "ts.matmul(a, a)",
    "matmul of a large product": "ts.matmul(b, b)",
    "gemm": "ts.gemm(300, 300, 300, beta=0.0)(b, b)",
    "linear": "layer = ts.linear(300, 300, 300); layer(b, layer.pack(b), b[0])",
    "mlp": "net = ts.mlp(300, [300, 300, 300]); net(b, net.pack([b, b]), [b[0], b[0]])",
    "spread": "ts.spread(ts.fused('softmax', 300, 300))(b)",
}
"""Functions, and the statements that are measured, on square matrices a and b and on an index i."""
GOAL = 0.4
"""The most of numpy's import that each takes."""
PREPARE = """
a, b = np.ones((16, 16), np.float32), np.ones((300, 300), np.float32)
"""
_CHILD = """
import time
start = time.perf_counter()
import numpy as np
numpy = time.perf_counter() - start
import tilesmith as ts
{prepare}
start = time.perf_counter()
{statement}
print((time.perf_counter() - start) / numpy, numpy)
"""


def first_call(name: str, environment: Mapping[str, str], processes: int) -> float:
    """Return the median over the processes as a multiple of numpy's import. A process before them writes bytecode and
    keeps the kernels."""
    command = [sys.executable, "-c", _CHILD.format(prepare=PREPARE, statement=FIRST_CALLS[name])]
    ratios = []
    for _ in range(processes + 1):
        done = subprocess.run(command, env=dict(environment), stdout=subprocess.PIPE, text=True, check=True)
        ratios.append(float(done.stdout.split()[0]))
    return statistics.median(ratios[1:])


_COUNTED = """
import json, os, sys
import numpy as np
import tilesmith as ts
{prepare}
made = {{}}
for name, statement in json.loads(sys.argv[1]).items():
    reading, writing = os.pipe()
    if not os.fork():
        before = {{*sys.modules}}
        exec(statement)
        with os.fdopen(writing, "w") as file:
            json.dump([each for each in sys.modules if each not in before], file)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        made[name] = json.load(file)
    os.wait()
print(json.dumps(made))
"""


def imported(environment: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the modules that the first call of each function imports, after numpy and tilesmith. A process before
    keeps the kernels of all."""
    every = "\n".join(["import numpy as np, tilesmith as ts", PREPARE, *FIRST_CALLS.values()])
    given = dict(environment)
    subprocess.run([sys.executable, "-c", every], env=given, check=True)
    command = [sys.executable, "-c", _COUNTED.format(prepare=PREPARE), json.dumps(dict(FIRST_CALLS))]
    done = subprocess.run(command, env=given, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found
