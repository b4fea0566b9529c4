"""Compare fused kernels and attention on all cores (ts.spread) with one core, and with torch if it is installed.

python -m tests.bench.spread [--threads 2] [--seconds 0.5]
PYTHONPATH=... python -m tests.bench.spread      with torch in that path

Each number of threads has its own process. Contenders take turns, and the best sample of each counts. "times one
thread" is relative to the kernel itself, called by one thread in the same run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from tests.bench.turns import each_number_of_threads, measured


def kernels() -> dict[str, tuple[Any, list[Any], Callable[..., Any] | None]]:
    """Return name -> (kernel, its arrays, torch's call)."""
    import numpy as np

    import tilesmith as ts

    rng = np.random.default_rng(0)
    x, gamma = rng.standard_normal((4096, 1024), np.float32), rng.standard_normal((1, 1024), np.float32)
    heads = [rng.standard_normal((8, 512, 64), np.float32) for _ in range(3)]
    try:
        from torch.nn import functional
    except ImportError:
        functional = None  # type: ignore[assignment]
    of_torch: dict[str, Callable[..., Any]] = {} if functional is None else {
        "softmax": lambda x, y: functional.softmax(x, 1),
        "layernorm": lambda x, gamma, beta, y: functional.layer_norm(x, (1024,), gamma[0], beta[0]),
        "gelu": lambda x, y: functional.gelu(x),
        "attention": lambda q, k, v, out: functional.scaled_dot_product_attention(q[None], k[None], v[None]),
    }  # fmt: skip
    made = {
        "softmax 4096 x 1024": (ts.fused("softmax", 4096, 1024), [x, np.empty_like(x)]),
        "layernorm 4096 x 1024": (ts.fused("layernorm", 4096, 1024), [x, gamma, gamma.copy(), np.empty_like(x)]),
        "gelu 4096 x 1024": (ts.unary("gelu", 4096, 1024), [x, np.empty_like(x)]),
        "attention 8 x 512 x 64": (ts.attention(8, 512, 512, 64), [*heads, np.empty_like(heads[0])]),
    }
    return {name: (*found, of_torch.get(name.split()[0])) for name, found in made.items()}


def table(threads: int, seconds: float) -> None:
    """Print a line for each kernel."""
    import tilesmith as ts

    ts.set_num_threads(threads)
    print(f"\n{threads} threads\n\n| kernel | us | times one thread | times torch |\n|---|---|---|---|")
    for name, (kernel, arrays, other) in kernels().items():
        spread: Any = ts.spread(kernel)
        calls: dict[str, Callable[[], Any]] = {
            "one": lambda kernel=kernel, arrays=arrays: kernel(*arrays),  # type: ignore[misc]
            "ours": lambda spread=spread, arrays=arrays: spread(*arrays),  # type: ignore[misc]
        }
        if other is not None:
            import torch

            torch.set_num_threads(threads)
            tensors = [torch.from_numpy(each) for each in arrays]
            calls["torch"] = lambda other=other, tensors=tensors: other(*tensors)  # type: ignore[misc]
        least = measured(calls, seconds)
        beside = f"{least['torch'] / least['ours']:.2f}" if other else ""
        print(f"| {name} | {1e6 * least['ours']:.0f} | {least['one'] / least['ours']:.2f} | {beside} |", flush=True)


def main() -> None:
    """Run one process for each number of threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[2])
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    each_number_of_threads("tests.bench.spread", options.threads, lambda threads: table(threads, options.seconds))


if __name__ == "__main__":
    main()
