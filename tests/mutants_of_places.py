"""Measure how strong the checker of plans is: mutants of where right plans place intermediate values.

    python -m tests.mutants_of_places --seed 1 --count 200

A mutant moves a band onto another one or by some bytes, lets a band begin before its predecessor ends, or takes bytes
from scratch memory between two users. Its code is executed by the emulator: if a result differs from the right plan's,
or an access leaves scratch memory, the mutant is wrong, and `runtime/verify/places` must refuse its plan. The others
are told apart: those that it refuses too, and those that change nothing that is read. The exit status is 1 if a wrong
mutant was not refused.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any

import ml_dtypes
import numpy as np

import tilesmith as ts
from tests.kernel_runs import planned_kernel
from tests.moved_places import mutants
from tilesmith.emulation.core.faults import Fault
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.operands import Operand
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.verify.places.check import overwritten

Array = np.ndarray[Any, Any]
R = ts.RUNTIME


def _layers(x: Any, w0: Any, w1: Any, w2: Any) -> Any:
    s = ts.relu(x @ w0)
    t = ts.tanh(s @ w1) * s
    return (t @ w2 + t) * ts.sum(s, axis=1), t - s


def _gathered(x: Any, i: Any, w0: Any, w1: Any) -> Any:
    s = ts.gather(x, i)
    return s @ w0 + (s + s) @ w1


def _hidden(x: Any, w: Any, v: Any) -> Any:
    return ts.relu(x @ w) @ v + x


def _normed(x: Any, z: Any) -> Any:
    d = x - ts.mean(x, axis=0)
    s = ts.mean(d * d, axis=0)
    return d * z / ts.sqrt(s + 1.0) + ts.max(abs(d), axis=0), ts.sum(d * s, axis=0)


def _both(x: Any) -> Any:
    d = x - ts.mean(x, axis=0)
    return d * ts.sum(d * d, axis=1) + ts.max(d, axis=1)


def _rows_by_index(x: Any, i: Any, z: Any) -> Any:
    s = ts.gather(x, i) + z
    return s - ts.mean(s, axis=0)


def _square(n: int, *names: str) -> dict[str, tuple[int, int]]:
    return dict.fromkeys(names, (n, n))


_MOST_TRIED = 40
"""Mutants that are tried for one that is wrong."""
_INDICES = 4300
"""Of a bag: enough for levels of its sums."""
_TABLE = {"x": "bf16", "i": "i64", "w0": "f32", "w1": "f32"}
CASES: dict[str, Callable[[], ts.Kernel]] = {
    "layers": lambda: ts.equation(_layers, x=(11, 20), **_square(20, "w0", "w1", "w2"), target="avx2"),
    "layers f64": lambda: ts.equation(_layers, x=(5, 9), dtype="f64", **_square(9, "w0", "w1", "w2"), target="avx512"),
    "layers of any rows": lambda: ts.equation(_layers, x=(R, 20), **_square(20, "w0", "w1", "w2"), target="avx2"),
    "gathered": lambda: ts.equation(
        _gathered, x=(9, 18), i=(6,), dtype=_TABLE, out="f32", compute="f32", **_square(18, "w0", "w1"), target="avx2"
    ),
    "gathered, checked": lambda: ts.equation(
        _gathered,
        x=(9, 18),
        i=(6,),
        dtype=_TABLE,
        out="f32",
        compute="f32",
        bounds="kernel",
        **_square(18, "w0", "w1"),
        target="avx2",
    ),
    "hidden": lambda: ts.equation(_hidden, x=(70, 12), w=(12, 700), v=(700, 12), target="avx512"),
    "sweeps": lambda: ts.equation(_normed, x=(6, 40), z=(1, 40), target="avx2"),
    "sweeps of any rows": lambda: ts.equation(_normed, x=(R, 40), z=(1, 40), target="avx512"),
    "bands": lambda: ts.equation(_normed, x=(3, 9000), z=(1, 9000), dtype="f64", target="avx512"),
    "phases": lambda: ts.equation(_both, x=(3, 9000), dtype="f64", target="avx512"),
    "rows by an index": lambda: ts.equation(
        _rows_by_index,
        x=(7, 33),
        i=(5,),
        z=(1, 33),
        bounds="kernel",
        dtype={"x": "f32", "i": "i64", "z": "f32"},
        target="avx2",
    ),
    "attention": lambda: ts.attention(2, 20, 24, 8, target="avx2"),
    "attention, causal": lambda: ts.attention(1, 37, 37, 8, causal=True, target="avx512"),
    "attention, masked": lambda: ts.attention(1, 20, 24, 8, dtype="bf16", mask="full", target="avx512_bf16"),
    "attention, converting": lambda: ts.attention(1, 20, 24, 8, dtype="bf16", target="avx2"),
    "attention of few": lambda: ts.attention(1, 1, 40, 64, dtype="bf16", target="avx512"),
    "attention on tiles": lambda: ts.attention(1, 40, 64, 32, dtype="bf16", target="amx"),
    "gradients of attention": lambda: ts.attention_inv(1, 20, 24, 8, target="avx2"),
    "gradients of attention, causal": lambda: ts.attention_inv(1, 37, 37, 8, causal=True, target="avx512"),
    "packed in blocks": lambda: ts.brgemm(40, 600, 5, order=("C", "F", "C"), target="avx2", beta=1),
    "pairs packed in blocks": lambda: ts.brgemm(5, 6, 9, batch=4, order=("C", "F", "C"), target="avx512"),
    "packed in blocks of k": lambda: ts.brgemm(8, 6, 5000, order=("C", "F", "C"), target="avx512"),
    "operands transposed": lambda: ts.brgemm(20, 18, 36, dtype="bf16", order=("F", "F", "C"), target="amx"),
    "operands of a batch": lambda: ts.brgemm(9, 18, 10, batch=3, dtype="i8", order=("C", "F", "C"), target="amx"),
    "pair by pair": lambda: ts.brgemm(9, 18, 10, batch=200, dtype="i8", order=("C", "F", "C"), target="amx"),
    "pair by pair, bf16": lambda: ts.brgemm(
        20, 18, 36, batch=90, dtype="bf16", order=("F", "F", "C"), beta=0.5, target="amx"
    ),
    "any rows, a packed factor": lambda: ts.brgemm(R, 18, 36, dtype="bf16", order=("C", "F", "C"), target="amx"),
    "copies": lambda: ts.brgemm(16, 64, 64, target="sse"),
    "three parts": lambda: ts.brgemm(5, 17, 6, dtype="f32x3bf16", target="avx512_bf16"),
    "three parts on tiles": lambda: ts.brgemm(18, 17, 6, dtype="f32x3bf16", order="F", target="amx"),
    "slices": lambda: ts.brgemm(5, 4, 6, dtype="f64xi8", beta=0.5, target="avx512_vnni"),
    "slices, transposed": lambda: ts.brgemm(7, 2, 9, dtype="f64xi8", order=("F", "F", "C"), target="avx2"),
    "bags of any count": lambda: ts.embedding_bag(3, 128, size=6, count=R, dtype="bf16", target="avx512"),
    "gradients of attention in pairs": lambda: ts.attention_inv(1, 20, 24, 8, dtype="bf16", target="avx512_bf16"),
}


class Case:
    """A kernel, the inputs of a call, and the results of its right plan."""

    def __init__(self, name: str) -> None:
        self.kernel = CASES[name]()
        self.plan, self.emit = self.kernel.plan, self.kernel.kind.pipeline().emitter(self.kernel.plan)
        rng, self.given = np.random.default_rng(1), list[Array]()
        rows = 9 if "any rows" in name else 0
        spec: Any = self.kernel.spec
        for each in getattr(spec, "operands", None) or [each for each in spec.arguments if isinstance(each, Operand)]:
            if not each.output or getattr(self.kernel.spec, "beta", 0):
                self.given.append(self._drawn(each, rows, rng))
        self.wanted = self.results(self.kernel)

    def _drawn(self, each: Any, rows: int, rng: Any) -> Array:
        """Draw a matrix of a call. rows: of those whose rows the call counts."""
        spec: Any = self.kernel.spec
        batch, counted = getattr(spec, "batch", None), getattr(spec, "banded", ("a", "c"))
        shape = each.shape
        if len(shape) == 2:
            shape = rows if rows and each.name in counted else each.rows, each.columns
        if isinstance(batch, int) and each.name != "c":
            shape = batch, *shape
        if each.name == "offsets":
            return np.array([0, 2, 2, _INDICES - 3])
        if each.dtype == "i64":
            return rng.integers(0, 6, _INDICES if each.name == "index" else shape[0])
        if each.name == "lse":
            return np.full(shape, 3.0, numpy_dtype(each.dtype))
        made = rng.standard_normal(shape) / 3 if each.dtype[0] in "fb" else rng.integers(0, 9, shape)
        if each.view.order == "F":
            made = np.swapaxes(np.ascontiguousarray(np.swapaxes(made, -1, -2)), -1, -2)
        dtype = ml_dtypes.bfloat16 if each.dtype == "bf16" else numpy_dtype(each.dtype)
        return np.asarray(made.astype(dtype, order="K"))

    def results(self, kernel: ts.Kernel) -> bytes:
        """Return the bytes of all results of a call that the emulator executes."""
        given = [each.copy("K") for each in self.given]
        found = kernel.run(*given)
        found = given[-1] if found is None else found
        every = found if isinstance(found, tuple) else (found,)
        return b"".join(np.ascontiguousarray(each).tobytes() for each in every)

    def wrong(self, plan: Any) -> bool | None:
        """Whether the code of a plan gives other results; None if there is no such code."""
        try:
            kernel = planned_kernel(self.kernel.spec, self.kernel.target, plan, self.emit)
        except (UnsupportedError, AssertionError):
            return None
        try:
            return self.results(kernel) != self.wanted
        except Fault:
            return True


@lru_cache
def case_of(name: str) -> Case:
    """Return a case, made once."""
    return Case(name)


def judged(seed: int, count: int, names: list[str] | None = None) -> tuple[Counter[str], list[str]]:
    """Return the verdicts on mutants until `count` of them are wrong, and the wrong ones that were not refused."""
    counts, missed, random = Counter[str](), list[str](), Random(seed)
    names = names or list(CASES)
    number = 0
    while counts["wrong"] < count and number < _MOST_TRIED * count:
        name = names[number % len(names)]
        number += 1
        case = case_of(name)
        text, plan = next(mutants(case.plan, random))
        if plan is None:
            continue
        wrong = case.wrong(plan)
        if wrong is None:
            continue
        refused = overwritten(plan)
        counts["mutants"] += 1
        counts["wrong"] += wrong
        counts["wrong and refused"] += wrong and refused is not None
        counts["right and refused"] += not wrong and refused is not None
        counts["right and not refused"] += not wrong and refused is None
        if wrong and refused is None:
            missed.append(f"{name}: {text}")
    return counts, missed


def main(arguments: list[str]) -> int:
    """Print the verdicts."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants_of_places")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args(arguments)
    counts, missed = judged(options.seed, options.count, options.only)
    print(*missed, dict(counts), sep="\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
