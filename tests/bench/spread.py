"""Compare fused kernels and attention on all cores (ts.spread) with one core, and with torch if it is installed.

python -m tests.bench.spread [--threads 2] [--seconds 0.5]
PYTHONPATH=... python -m tests.bench.spread      with torch in that path

Each number of threads has its own process. "times one thread" is relative to the kernel itself, called by one thread in
the same run.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.measure import asleep
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main, ratios, threads_of_child

KERNELS: dict[str, tuple[Callable[[], Any], Callable[..., Any]]] = {
    "softmax 4096 x 1024": (lambda: ts.fused("softmax", 4096, 1024), lambda f, x, y: f.softmax(x, 1)),
    "layernorm 4096 x 1024": (lambda: ts.fused("layernorm", 4096, 1024),
                              lambda f, x, gamma, beta, y: f.layer_norm(x, (1024,), gamma[0], beta[0])),
    "gelu 4096 x 1024": (lambda: ts.unary("gelu", 4096, 1024), lambda f, x, y: f.gelu(x)),
    "attention 8 x 512 x 64": (lambda: ts.attention(8, 512, 512, 64),
                               lambda f, q, k, v, out: f.scaled_dot_product_attention(q[None], k[None], v[None])),
}
"""The kernels, and torch's calls on the same operands."""


def measured(run: Run, name: str) -> Row:
    make, other = KERNELS[name]
    kernel, rng = make(), np.random.default_rng(0)
    spread: Any = ts.spread(kernel)
    operands = getattr(kernel.spec, "arguments", None) or kernel.spec.operands
    arrays = [rng.standard_normal(each.shape, np.float32) for each in operands]
    calls: dict[str, Callable[[], Any]] = {"one": lambda: kernel(*arrays), "ours": lambda: spread(*arrays)}
    if torch := torch_module(threads_of_child()):
        tensors = [torch.from_numpy(each) for each in arrays]
        calls["torch"] = lambda: other(torch.nn.functional, *tensors)
    least = asleep(calls, run.seconds)
    return {"kernel": name, **least, **dict(ratios(least))}


def _tables(run: Run) -> list[Table]:
    return [Table("kernels", "threads; kernel; us=ours:0u; times one thread=by one:2; times torch=by torch:2", KERNELS,
                  measured)]


BENCH = Bench("spread", __doc__, _tables, {"--threads": {"type": int, "nargs": "+", "default": [2]}}, seconds=0.5,
              alone=False, threads=True)

if __name__ == "__main__":
    main(BENCH)
