"""Batches of small products with a bias and relu by `ts.matmul`, beside numpy, which makes three passes.

Outputs exist.
"""

from time import perf_counter_ns

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.measure import PythonCall, samples
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

COUNT = 1000


def measured(run: Run, n: int) -> Row:
    """Return the times of relu(a @ b + bias) for a batch of n x n matrices."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((COUNT, n, n)).astype(np.float32) for _ in "ab")
    bias, out = rng.standard_normal(n).astype(np.float32), np.empty_like(a)

    def by_numpy() -> None:
        np.matmul(a, b, out=out)
        np.add(out, bias, out=out)
        np.maximum(out, 0, out=out)

    def by(threads: int, **more: object) -> PythonCall:
        return PythonCall(lambda: ts.matmul(a, b, out=out, threads=threads, **more))

    whole = {"epilogue": lambda c, bias: ts.relu(c + bias), "operands": {"bias": bias}}
    calls = {"one": by(1, **whole), "two": by(2, **whole), "plain": by(1), "numpy": PythonCall(by_numpy)}
    taken = samples(calls, rounds=run.options.rounds, clock=perf_counter_ns)
    return {"n": f"{COUNT} x {n}^3", **{name: min(each) for name, each in taken.items()}}


BENCH = Bench("batches", __doc__, (
    Table("batches", "batch=n; one thread, us=one:0u; two threads=two:0u; without epilogue=plain:0u; numpy=numpy:0u",
          (8, 16, 32), measured),),
    {"--rounds": {"type": int, "default": 50}}, alone=False)

if __name__ == "__main__":
    main(BENCH)
