"""Prove random traced functions, including reductions, masks, and results of one row, column or element. In a quarter
of them, values are left factors of products, residuals beside these and gathered rows.

    python -m tests.proofs_of_graphs --seed 1 --count 2000
    python -m tests.proofs_of_graphs --seed 1736                one function, printed with its plan and its proof

Each function has its own seed. If one is refuted, crashes the prover, or is refused for lack of registers, it is
printed and the exit status is 1. Functions without a proof are counted and printed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import tilesmith as ts
from tests.side_by_side.verdicts import within
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify.check import ProverFailed

SHAPES: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "x": lambda m, n: (m, n),
    "z": lambda m, n: (m, n),
    "w": lambda m, n: (1, n),
    "c": lambda m, n: (m, 1),
    "e": lambda m, n: (1, 1),
}
PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "max": ts.maximum,
    "min": ts.minimum,
}
SINGLE: dict[str, Callable[[Any], Any]] = {
    "neg": lambda a: -a,
    "abs": abs,
    "scaled": lambda a: a * 0.375,
    "relu": ts.relu,
    "root": lambda a: ts.sqrt(abs(a)),
}
COMPARED: dict[str, Callable[[Any, Any], Any]] = {"greater": lambda a, b: a > b, "at most": lambda a, b: a <= b}
REDUCED = [(name, axis) for name in ("sum", "max", "min", "mean") for axis in (0, 1, None)]
TARGETS = ("sse", "avx2", "avx512", "neon", "sve256")
SECONDS = 10.0


class Drawn:
    """A function, the shape of its matrices, its type and its target."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.dtype, self.target = random.choice(["f32", "f32", "f64", "bf16", "f16"]), random.choice(TARGETS)
        self.m, self.n = random.randint(1, 4), random.randint(1, 21)
        names = [*PAIRS, "select", *SINGLE, *COMPARED, *REDUCED]
        self.nodes = [
            (random.choice(names), random.randrange(99), random.randrange(99)) for _ in range(random.randint(1, 8))
        ]
        self.results = [
            (random.choice(["value", "value", "mask"]), random.randrange(99)) for _ in range(random.randint(1, 3))
        ]
        self.of_products = random.random() < 0.25
        self.table = random.choice(["f32", "f32", "f16", "bf16", "i8", "u8", ""]) if self.of_products else ""
        if self.of_products:
            self._with_products(random)

    def _with_products(self, random: Random) -> None:
        """Replace some nodes by products, of whose left factors others are computed too, on small matrices."""
        self.n, self.dtype = min(self.n, 4), "f32"
        self.nodes = [
            ("product", i, j) if random.random() < 0.5 else (op, i, j)
            for op, i, j in self.nodes
            if op in (*PAIRS, *SINGLE)
        ]
        self.nodes += [("product", 98, 0), ("add", 98, 97)]
        self.results = [("value", i) for _, i in self.results]

    def __call__(
        self, x: Any, z: Any, w: Any, c: Any = None, e: Any = None, p: Any = None, t: Any = None, i: Any = None
    ) -> Any:
        if self.of_products:
            return self._of_products([x, z, *([ts.gather(t, i)] if self.table else [])], w, p)
        values, masks = [x, z, w, c, e], [x > 0.5]
        for op, i, j in self.nodes:
            a, b = values[i % len(values)], values[j % len(values)]
            if op in COMPARED:
                masks.append(COMPARED[op](a, b))
            elif op == "select":
                values.append(ts.select(masks[j % len(masks)], a, b))
            elif op in PAIRS or op in SINGLE:
                values.append(PAIRS[op](a, b) if op in PAIRS else SINGLE[op](a))
            else:
                values.append(getattr(ts, op[0])(a, axis=op[1]))
        made = values[5:] or [x + z]
        found = [masks[i % len(masks)] if kind == "mask" else made[i % len(made)] for kind, i in self.results]
        return tuple(found) if len(found) > 1 else found[0]

    def _of_products(self, values: list[Any], row: Any, p: Any) -> Any:
        given = len(values)
        for op, i, j in self.nodes:
            a, b = values[i % len(values)], values[j % len(values)]
            if op == "product":
                values += [a @ p, a + row] if j % 3 == 0 else [a @ p]
            else:
                values.append(PAIRS[op](a, b) if op in PAIRS else SINGLE[op](a))
        found = [values[given:][i % (len(values) - given)] for _, i in self.results]
        s = values[-1]  # all operands are used
        found[0] = s @ p + s + found[0] + sum(values[1:given], values[0] * row)
        return tuple(found) if len(found) > 1 else found[0]

    def kernel(self) -> ts.Kernel:
        """Return the kernel; raises UnsupportedError, ValueError or TypeError if there is none."""
        if self.of_products:
            return self._kernel_of_products()
        shapes = {name: shape(self.m, self.n) for name, shape in SHAPES.items()}
        return ts.equation(self, dtype=self.dtype, target=self.target, **shapes)

    def _kernel_of_products(self) -> ts.Kernel:
        m, n = self.m, self.n
        made = {"x": (m, n), "z": (m, n), "w": (1, n), "p": (n, n)}
        types = dict.fromkeys(made, "f32")
        if self.table:
            made, types = made | {"t": (5, n), "i": (m,)}, types | {"t": self.table, "i": "i64"}
        out: Any = ("f32",) * len(self.results) if len(self.results) > 1 else "f32"
        return ts.equation(self, dtype=types, compute="f32", out=out, target=self.target, **made)

    def __str__(self) -> str:
        table = f" table of {self.table}" * bool(self.table)
        return f"{self.target} {self.dtype}{table} {self.m} x {self.n}: {self.nodes} -> {self.results}"


def verdict(seed: int) -> tuple[str, str]:
    """Return (a verdict in one or a few words, the details)."""
    try:
        kernel = Drawn(seed).kernel()
    except (UnsupportedError, ValueError, TypeError) as error:
        return ("want of registers" if "register" in str(error) else "no kernel"), str(error)
    try:
        with within(SECONDS):
            proof = kernel.verify()
    except ProverFailed as error:
        return "error", str(error)
    except (UnsupportedError, TimeoutError) as error:
        return "no proof", str(error)
    except Exception as error:
        return "error", repr(error)
    if proof:
        return "proved", ""
    return ("refuted" if proof.refuted else "no proof"), str(proof)


DEFECTS = ("refuted", "error", "want of registers")


def main(arguments: list[str]) -> int:
    """Print the verdicts."""
    parser = argparse.ArgumentParser(prog="python -m tests.proofs_of_graphs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.count == 1:
        print(Drawn(options.seed), Drawn(options.seed).kernel().plan, *verdict(options.seed), sep="\n")
    counts: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        word, said = verdict(seed)
        counts[word] += 1
        if word in DEFECTS or word == "no proof":
            print(f"{word}: {seed} {Drawn(seed)}\n  {said[:600]}", flush=True)
    print(dict(counts))
    return int(any(counts[word] for word in DEFECTS))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
