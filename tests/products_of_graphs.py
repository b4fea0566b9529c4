"""Compare random traced functions with products and gathers with exact integers.

    python -m tests.products_of_graphs --seed 1 --count 20000
    python -m tests.products_of_graphs --seed 1 --count 20000 --minutes 30      stop after this time
    python -m tests.products_of_graphs --count 20000 --progress counts.json     keep the counts, and continue from there
    python -m tests.products_of_graphs --seed 173                               one function, printed with its plan

Products, gathered rows and elements are left factors of further products, residuals beside them, and results; tables
are of f32, f64, bf16, f16, i8 and u8. All numbers are small integers, so that results have no rounding error: numpy's
integers are the expected values. Each function has its own seed. A result that differs is printed, and the exit status
is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from random import Random
from typing import Any

import ml_dtypes
import numpy as np

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.verify.places.check import overwritten

Array = np.ndarray[Any, Any]
TABLES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "i8": np.int8, "u8": np.uint8}
WIDTHS = (1, 3, 7, 8, 9, 16, 17, 24, 33, 33, 48, 48, 64, 64, 102, 102)
FOREIGN = {"neon": 12, "sve256": 12}
"""Targets whose code is emulated, with the most columns of their matrices."""
NATIVE = ("sse", "avx", "avx2", "avx512")
_LARGEST = {"f32": 1 << 24, "f64": 1 << 53}
_ENTRIES = 9  # rows of a table
_KEPT_EVERY = 100  # seeds after which the file of the progress is written
MADE, NO_KERNEL, TOO_LARGE, WRONG = "right", "no kernel", "numbers that are not exact", "wrong"


class _Numpy:
    """The operations on exact integers."""

    @staticmethod
    def relu(a: Array) -> Array:
        return np.maximum(a, 0)

    @staticmethod
    def maximum(a: Array, b: Array) -> Array:
        return np.maximum(a, b)

    @staticmethod
    def select(mask: Array, a: Array, b: Array) -> Array:
        return np.where(mask, a, b)

    @staticmethod
    def gather(table: Array, index: Array) -> Array:
        return table[index.reshape(-1)]

    @staticmethod
    def sum(a: Array, axis: int) -> Array:
        return a.sum(axis=axis, keepdims=True)

    @staticmethod
    def max(a: Array, axis: int) -> Array:
        return a.max(axis=axis, keepdims=True) if a.shape[axis] else np.full((1, a.shape[1]), -np.inf)


class Drawn:
    """A function, the shapes and types of its operands, and its target."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.target = random.choice([*NATIVE, *NATIVE, *NATIVE, *FOREIGN])
        widths = [each for each in WIDTHS if each <= FOREIGN.get(self.target, 1 << 20)]
        self.compute = random.choice(["f32", "f32", "f32", "f64"])
        self.widths = [random.choice(widths), random.choice(widths)]
        self.counted = random.random() < 0.4
        self.rows = random.choice([1, 2, 3, 5, 7, 13, 40])
        self.bounds = random.choice(["call", "call", "kernel"])
        self.types: dict[str, str] = {}
        self.shapes: dict[str, tuple[Any, ...]] = {}
        self.nodes: list[tuple[Any, ...]] = []
        self.of: list[int] = []  # the width of each value: 0 or 1, or -1 for a column
        if random.random() < 0.6:
            self._operand("t", (_ENTRIES, self.widths[0]), random.choice([*TABLES]) if self.compute == "f32" else "f64")
            self._operand("i", (self._m,), "i64")
            self._node(("gather",), 0)
        if not self.of or random.random() < 0.5:
            self._operand(
                "x", (self._m, self.widths[0]), random.choice(["f32", "bf16"]) if self.compute == "f32" else "f64"
            )
            self._node(("x",), 0)
        for _ in range(random.randint(1, 7)):
            self._draw()
        wide = [number for number, width in enumerate(self.of) if width >= 0 and self.nodes[number][0] != "x"]
        more = random.sample(wide[:-1], min(len(wide) - 1, random.choice([0, 0, 1, 2]))) if wide else []
        self.results = [*more, *wide[-1:]]
        self._without_unused()
        self.down = [random.choice(["", "", "", "sum", "max"]) for _ in self.results]

    def _without_unused(self) -> None:
        """Remove the operands that no result depends on: their shapes would be those of a larger function."""
        left, seen = [*self.results], set[int]()
        used: set[str] = set()
        while left:
            number = left.pop()
            what, *args = self.nodes[number]
            seen.add(number)
            used |= {"gather": {"t", "i"}, "x": {"x"}}.get(what, set()) | {each for each in args if type(each) is str}
            left += [each for each in args if type(each) is int and each not in seen]
        self.shapes = {name: shape for name, shape in self.shapes.items() if name in used}

    @property
    def _m(self) -> Any:
        return ts.RUNTIME if self.counted else self.rows

    def _operand(self, name: str, shape: tuple[Any, ...], dtype: str) -> str:
        self.shapes.setdefault(name, shape)
        self.types.setdefault(name, dtype)
        return name

    def _node(self, node: tuple[Any, ...], width: int) -> None:
        self.nodes.append(node)
        self.of.append(width)

    def _draw(self) -> None:
        """Add a node: a product, or elements of values of one width."""
        random = self.random
        values = [number for number, width in enumerate(self.of) if width >= 0]
        # late values and those that were used before are drawn most often, as left factors and residuals
        a = random.choice(values[-2:] + values)
        width = self.of[a]
        alike = [number for number in values if self.of[number] == width]
        b = random.choice(alike[-2:] + alike)
        others = ["add", "sub", "max", "relu", "select", "scaled", "row", "along"]
        what = random.choice(["product"] * 4 + ["residual"] * 4 + others)
        if what in ("product", "residual"):
            to = width if what == "residual" else random.randrange(2)
            shape = self.widths[width], self.widths[to]
            name = self._operand(f"w{width}{to}{random.randrange(2)}", shape, self.compute)
            self._node(("product", a, name), to)
            if what == "residual":  # beside its left factor, or another value
                beside = random.choice([a, a, b])
                self._node((random.choice(["add", "sub", "select"]), len(self.of) - 1, beside), width)
        elif what == "row":
            name = self._operand(f"z{width}", (1, self.widths[width]), self.compute)
            self._node(("add", a, name), width)
        elif what == "along":
            self._node(("along", a), -1)
            self._node(("add", b, len(self.of) - 1), width)
        else:
            self._node((what, a) if what in ("relu", "scaled") else (what, a, b), width)

    def __call__(
        self,
        x: Any = None,
        t: Any = None,
        i: Any = None,
        z0: Any = None,
        z1: Any = None,
        w000: Any = None,
        w001: Any = None,
        w010: Any = None,
        w011: Any = None,
        w100: Any = None,
        w101: Any = None,
        w110: Any = None,
        w111: Any = None,
    ) -> Any:
        given = {
            "x": x,
            "t": t,
            "i": i,
            "z0": z0,
            "z1": z1,
            "w000": w000,
            "w001": w001,
            "w010": w010,
            "w011": w011,
            "w100": w100,
            "w101": w101,
            "w110": w110,
            "w111": w111,
        }
        return self.computed(given, ts)[1]

    def computed(self, given: dict[str, Any], of: Any) -> tuple[list[Any], Any]:
        """Return all values, and the results, with the operations of `of`. Values without operands are None."""
        values: list[Any] = []
        for what, *args in self.nodes:
            if any(given.get(each) is None if isinstance(each, str) else values[each] is None for each in args) or (
                given.get({"gather": "t", "x": "x"}.get(what, "")) is None and what in ("gather", "x")
            ):
                values.append(None)
                continue
            a, b = ([given[each] if isinstance(each, str) else values[each] for each in args] + [None, None])[:2]
            if what == "x":
                values.append(given["x"])
            elif what == "gather":
                values.append(of.gather(given["t"], given["i"]))
            elif what == "product":
                values.append(a @ b)
            elif what in ("add", "sub"):
                values.append(a + b if what == "add" else a - b)
            elif what == "scaled":
                values.append(a * 2)
            elif what == "along":
                values.append(of.max(a, axis=1))
            else:
                values.append(
                    {
                        "max": lambda a, b: of.maximum(a, b),
                        "relu": lambda a, _: of.relu(a),
                        "select": lambda a, b: of.select(a > 0, a, b),
                    }[what](a, b)
                )
        made = [
            values[number] if not down else getattr(of, down)(values[number], axis=0)
            for number, down in zip(self.results, self.down)
        ]
        return values, tuple(made) if len(made) > 1 else made[0]

    def kernel(self) -> ts.Kernel:
        """Return the kernel; raises UnsupportedError, ValueError or TypeError if there is none."""
        more = {"bounds": self.bounds} if "i" in self.shapes else {}
        types = {name: self.types[name] for name in self.shapes}
        out = tuple([self.compute] * len(self.results)) if len(self.results) > 1 else self.compute
        return ts.equation(self, dtype=types, compute=self.compute, out=out, target=self.target, **self.shapes, **more)

    def counts(self) -> list[int]:
        """Return the numbers of rows of the calls: one, or several if the call gives it, among them none."""
        if not self.counted or self.target in FOREIGN:
            return [self.rows]
        return [self.rows, 0, *self.random.sample(range(1, 70), 2)]

    def arguments(self, rows: int) -> dict[str, Array]:
        """Return operands of small integers, in the order of the call."""
        rng, found = np.random.default_rng(self.random.randrange(1 << 30)), dict[str, Array]()
        for name, shape in self.shapes.items():
            shape = tuple(rows if each is ts.RUNTIME else each for each in shape)
            if name == "i":
                found[name] = rng.integers(0, _ENTRIES, shape)
            elif name.startswith("w"):
                found[name] = rng.integers(-1, 2, shape) * (rng.random(shape) < max(0.05, 3 / shape[0]))
            else:
                found[name] = rng.integers(0 if self.types[name] == "u8" else -3, 4, shape)
        return found

    def __str__(self) -> str:
        down = [f"{each} of {number}" if each else str(number) for each, number in zip(self.down, self.results)]
        rows = f"{self.rows}{' of the call' * self.counted}"
        return (
            f"{self.target} {self.compute} {rows} rows, {self.shapes} {self.types}: {self.nodes} -> {', '.join(down)}"
        )


def verdict(seed: int) -> tuple[str, str]:
    """Return (a verdict, the details)."""
    drawn = Drawn(seed)
    try:
        kernel = drawn.kernel()
    except (UnsupportedError, ValueError, TypeError) as error:
        return NO_KERNEL, str(error)
    found = overwritten(kernel.plan)
    if found is not None:
        return WRONG, str(found)
    words = [_called(drawn, kernel, rows) for rows in drawn.counts()]
    return max(words, key=lambda found: (found[0] == WRONG, found[0] == MADE))


def _called(drawn: Drawn, kernel: ts.Kernel, rows: int) -> tuple[str, str]:
    """Return the verdict of a call with matrices of some rows."""
    exact = drawn.arguments(rows)
    values, wanted = drawn.computed(exact, _Numpy)
    every = wanted if isinstance(wanted, tuple) else (wanted,)
    largest = max(abs(each[np.isfinite(each)]).max(initial=0) for each in (*values, *every) if each is not None)
    if int(largest) * 64 >= _LARGEST[drawn.compute]:
        return TOO_LARGE, ""
    names = [each.name for each in kernel.spec.operands if not each.output]
    given = [
        exact[name].astype(
            numpy_dtype(drawn.types[name]) if drawn.types[name] not in TABLES else TABLES[drawn.types[name]]
        )
        for name in names
    ]
    outputs = [each for each in kernel.spec.operands if each.output and each.name != "bad"]
    every = tuple(np.broadcast_to(each, (len(each), y.columns)) for each, y in zip(every, outputs))
    results = [np.full(each.shape, 77, drawn.compute.replace("f32", "f4").replace("f64", "f8")) for each in every]
    bad = [np.full(1, 77, np.int64)] if any(each.name == "bad" for each in kernel.spec.operands) else []
    (kernel.run if kernel.address is None else kernel)(*given, *results, *bad)
    for number, (made, each) in enumerate(zip(results, every)):
        wrong = int((made != each).sum())
        if wrong:
            return WRONG, f"{wrong} of {made.size} elements of result {number}, {rows} rows\n{kernel.plan}"
    return MADE, ""


class Progress:
    """The verdicts so far, kept in a file if there is one, and the seed at which a later run continues."""

    def __init__(self, path: str, seed: int) -> None:
        self.path, self.next, self.counts, self.reasons = path, seed, Counter[str](), Counter[str]()
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.next, counts, reasons = json.load(file)
            self.counts.update(counts)
            self.reasons.update(reasons)

    def add(self, word: str, said: str) -> None:
        """Count the verdict on the next seed."""
        self.counts[word] += 1
        self.reasons[said[:60]] += word == NO_KERNEL
        self.next += 1
        if self.path and self.next % _KEPT_EVERY == 0:
            self.keep()

    def keep(self) -> None:
        """Write the file."""
        if self.path:
            with open(f"{self.path}.new", "w", encoding="utf-8") as file:
                json.dump([self.next, self.counts, self.reasons], file)
            os.replace(f"{self.path}.new", self.path)


def main(arguments: list[str]) -> int:
    """Print the verdicts."""
    parser = argparse.ArgumentParser(prog="python -m tests.products_of_graphs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--progress", default="")
    options = parser.parse_args(arguments)
    if options.count == 1:
        print(Drawn(options.seed), Drawn(options.seed).kernel().plan, *verdict(options.seed), sep="\n")
    progress, until = Progress(options.progress, options.seed), time.monotonic() + 60 * options.minutes
    while progress.next < options.seed + options.count and time.monotonic() < until:
        seed = progress.next
        word, said = verdict(seed)
        if word == WRONG:
            print(f"{word}: {seed} {Drawn(seed)}\n  {said}", flush=True)
        progress.add(word, said)
    progress.keep()
    print(
        f"seeds {options.seed} to {progress.next - 1}",
        dict(progress.counts),
        *(f"{count} without a kernel: {reason}" for reason, count in progress.reasons.most_common(5)),
        sep="\n",
    )
    return int(bool(progress.counts[WRONG]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
