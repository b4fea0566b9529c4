"""Compare in-place steps of optimizers with the faster of two copies of as many bytes: in L2 and in memory.

python -m tests.bench.optimizers [seconds for each contender]

    momentum    w, v f32 and a gradient f32: 20 bytes read and written per element
    split-SGD   the upper and lower halves of f32 weights (bf16, u16) and a gradient f32: 12 bytes
    Adam        w, m, v f32 and a gradient f32: 28 bytes

The copies, by our kernel and by the C library, read one half of the operands' bytes and write the other half. The
bare loop, written by hand, loads and stores what the step does, and computes nothing: it bounds the step where more
streams of memory take longer than the two of a copy. The best over several places in memory counts. The goal is 0.9 of
the copy; Adam has none: in L2 the square root and division take longer than the memory accesses.
"""

from typing import Any

import tilesmith as ts
from tests.bench import bare
from tilesmith.runtime.bench.cases import optimizers
from tilesmith.runtime.bench.runner import Bench, Run, Table, main

GOALS = {"momentum": 0.9, "split-SGD": 0.9}
TIMES = {"L2": 3, "memory": 1}


def momentum(w: Any, v: Any, g: Any) -> Any:
    """Do a step of heavy-ball momentum."""
    v = 0.9 * v + g
    return w - 0.1 * v, v


def split_sgd(high: Any, low: Any, g: Any) -> Any:
    """Do a step of SGD on weights in halves, of which the upper ones are the model."""
    return ts.unpack(ts.pack(high, low) - 0.01 * g)


def adam(w: Any, m: Any, v: Any, g: Any) -> Any:
    """Do a step of Adam without bias correction."""
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return w - 0.001 * m / (ts.sqrt(v) + 1e-8), m, v


STEPS: dict[str, tuple[Any, dict[str, str], int]] = {
    "momentum": (momentum, {"w": "f32", "v": "f32", "g": "f32"}, 2),
    "split-SGD": (split_sgd, {"high": "bf16", "low": "u16", "g": "f32"}, 2),
    "Adam": (adam, {"w": "f32", "m": "f32", "v": "f32", "g": "f32"}, 3),
}
"""The functions, the types of their operands, and how many of these, the first ones, are updated."""


def make(name: str, rows: int) -> Any:
    """Return the kernel of a step."""
    function, operands, updated = STEPS[name]
    out: Any = tuple(operands.values())[:updated]
    return ts.equation(function, dtype=operands, out=out, **dict.fromkeys(operands, (rows, optimizers.ROW)))


def measured(run: Run, place: str, name: str) -> Any:
    loops = (lambda name, arrays: {"bare": bare.step(arrays, STEPS[name][2])}) if ts.host().arch == "x86" else None
    return optimizers.step(run, name, place, make, None, loops, TIMES[place])


BENCH = Bench("optimizers", __doc__, (
    Table("optimizers", optimizers.COLUMNS, [(place, name) for place in optimizers.PLACES for name in STEPS], measured,
          goals=lambda rows: optimizers.goals(rows, GOALS)),),
    {"seconds": {"type": float, "nargs": "?", "default": 0.3}})

if __name__ == "__main__":
    main(BENCH)
