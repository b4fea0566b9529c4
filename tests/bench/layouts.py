"""Compare calls of ts.matmul with numpy's and torch's over shapes and layouts as programs have them.

OPENBLAS_NUM_THREADS=1 python -m tests.bench.layouts          and PYTHONPATH=... for torch

A line gives us per call with new results, on one thread, and how many times as fast ts.matmul is. With torch, the
second half has the same operands as tensors, where no stride is negative.
"""

from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.measure import PythonCall
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

RNG = np.random.default_rng(0)


def array(*shape: int) -> Any:
    """Return random numbers."""
    return RNG.random(shape).astype(np.float32)


HEADS = [array(2, 64, 8, 64) for _ in range(2)]
CASES: dict[str, tuple[Any, Any]] = {
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
    "scores, heads side by side": (HEADS[0].transpose(0, 2, 1, 3), HEADS[1].transpose(0, 2, 3, 1)),
    "points by a rotation": (array(1000, 3), array(3, 3).T),
    "100 x 100 of vectors": (array(100, 1), array(1, 100)),
}


def measured(run: Run, name: str) -> Row:
    ts.set_num_threads(1)
    a, b = CASES[name]
    assert np.allclose(ts.matmul(a, b), np.matmul(a, b), rtol=1e-4)
    torch, row = torch_module(), {"operands": name}
    pairs = {"": (np.matmul, a, b)}
    if torch is not None and min(*a.strides, *b.strides) >= 0:
        pairs["tensors "] = (torch.matmul, torch.from_numpy(a), torch.from_numpy(b))
    for words, (theirs, x, y) in pairs.items():
        best = run.turns({"ours": PythonCall(lambda x=x, y=y: ts.matmul(x, y)),
                          "theirs": PythonCall(lambda f=theirs, x=x, y=y: f(x, y))})
        row |= {f"{words}{who}": seconds for who, seconds in best.items()}
        row[f"{words}by"] = best["theirs"] / best["ours"]
    return row


BENCH = Bench("layouts", __doc__, (
    Table("layouts", "operands; us=ours:2u; numpy=theirs:2u; x numpy=by:2; tensors=tensors ours:2u; "
          "torch=tensors theirs:2u; x torch=tensors by:2", CASES, measured),), seconds=0.15)

if __name__ == "__main__":
    main(BENCH)
