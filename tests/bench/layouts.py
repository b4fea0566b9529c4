"""Compare calls of ts.matmul with numpy's and torch's over shapes and layouts as programs have them.

OPENBLAS_NUM_THREADS=1 python -m tests.bench.layouts          and PYTHONPATH=... for torch

A line gives us per call with new results, on one thread, and how many times as fast ts.matmul is; least of samples in
turns. With torch, the second half has the same operands as tensors, where no stride is negative.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench import measure

RNG = np.random.default_rng(0)


def array(*shape: int) -> Any:
    return RNG.random(shape).astype(np.float32)


def cases() -> dict[str, tuple[Any, Any]]:
    """Return operands, keyed by what they are."""
    heads = [array(2, 64, 8, 64) for _ in range(2)]
    return {
        "matrices of 64": (array(64, 64), array(64, 64)),
        "vector by matrix of 64": (array(64), array(64, 64)),
        "vector by matrix of 1024": (array(1024), array(1024, 1024)),
        "a.T by b": (array(64, 64).T, array(64, 64)),
        "a by b.T": (array(64, 64), array(64, 64).T),
        "every second column": (array(64, 128)[:, ::2], array(64, 64)),
        "from the last row on": (array(64, 64)[::-1], array(64, 64)),
        "10 of 16": (array(10, 16, 16), array(10, 16, 16)),
        "4 x 8 of 32 x 16 x 32": (array(4, 8, 32, 16), array(4, 8, 16, 32)),
        "10 of 16 by one": (array(10, 16, 16), array(16, 16)),
        "one by 10 of 16": (array(16, 16), array(10, 16, 16)),
        "1000 of 3": (array(1000, 3, 3), array(1000, 3, 3)),
        "scores, heads one after the other": (array(2, 8, 64, 64), array(2, 8, 64, 64).swapaxes(-1, -2)),
        "scores, heads side by side": (heads[0].transpose(0, 2, 1, 3), heads[1].transpose(0, 2, 3, 1)),
        "points by a rotation": (array(1000, 3), array(3, 3).T),
        "100 x 100 of vectors": (array(100, 1), array(1, 100)),
    }


def compared(ours: Any, theirs: Any, a: Any, b: Any) -> tuple[float, float]:
    """Return us per call of both."""
    calls = {"ours": measure.PythonCall(lambda: ours(a, b)), "theirs": measure.PythonCall(lambda: theirs(a, b))}
    found = measure.seconds_per_call(calls, 0.15)
    return found["ours"].best * 1e6, found["theirs"].best * 1e6


def main() -> None:
    """Print the table."""
    ts.set_num_threads(1)
    try:
        torch: Any = importlib.import_module("torch")
        torch.set_num_threads(1)
    except ImportError:
        torch = None
    for name, (a, b) in cases().items():
        assert np.allclose(ts.matmul(a, b), np.matmul(a, b), rtol=1e-4)
        ours, theirs = compared(ts.matmul, np.matmul, a, b)
        line = f"{name:34} {ours:8.2f} numpy {theirs:8.2f} {theirs / ours:6.2f}"
        if torch is not None and min(*a.strides, *b.strides) >= 0:
            ours, theirs = compared(ts.matmul, torch.matmul, torch.from_numpy(a), torch.from_numpy(b))
            line += f"   tensors {ours:8.2f} torch {theirs:8.2f} {theirs / ours:6.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
