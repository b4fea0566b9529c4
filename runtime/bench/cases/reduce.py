"""`tilesmith bench reduce`: reductions compared with a kernel that only loads, and with numpy, in one run.

The loading kernel reads the same bytes in order into eight registers in turn and does nothing with them. Its rate is
the load bandwidth, of which reductions must reach nine tenths. One such kernel uses the widest registers, like the
reductions, another one registers of half the width, and the faster one counts: a Zen 4 loads the halves of a line
faster than a whole line, 64 bytes a cycle in order against 60. A third one adds what it loads to eight sums, which it
discards: if that is slower than loads alone, no sum can be faster.

Contenders take turns in rounds some seconds apart, since others on the machine may disturb for seconds. Results lie
after their matrix, and both begin at a cache line: other placements may cost a tenth (docs/reductions.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np

from ....microkernels.machines.registry import machine_for
from ....microkernels.operands import CACHE_LINE
from ...api.reduce import reduce
from ...api.typed import ReductionName
from ...arguments.arrays import Array, address_of
from ...memory.executable import publish
from ...system.progress import steps
from ..measure import Contender, NativeCall, PythonCall
from ..measure_code import loads
from ..operands import aligned
from ..runner import Bench, Run, Table
from ..table import Named, Row, Wanted

PLACES = {"L1": (16, 384), "L2": (64, 1536)}
"""Rows and columns of f32: 24 KiB and 384 KiB."""
NAMES = (("sum", False), ("sum", True), ("sum", "both"), ("product", False), ("max", False), ("min", False),
         ("absmax", False), ("argmax", False), ("argmin", False))
LABELS: dict[bool | str, str] = {True: "sum of squares", "both": "sum and squares"}
BASELINES: dict[str, Callable[..., Any]] = {
    "sum": np.add.reduce, "product": np.multiply.reduce, "max": np.maximum.reduce, "min": np.minimum.reduce,
    "absmax": np.maximum.reduce, "argmax": np.argmax, "argmin": np.argmin,
}
"""numpy's contenders. For absmax it is the maximum, which reads the same bytes."""
AXES = (0, 1, None)
ROUNDS = 3
OUTPUTS = 2  # the most outputs of a reduction


def _measured(run: Run) -> Iterator[Row]:
    """Yield the rates of all reductions, in bytes of the matrix per second."""
    matrices = {place: _matrix(m, n) for place, (m, n) in PLACES.items()}
    asked = [(place, name, squared, axis) for place in PLACES for name, squared in NAMES for axis in AXES]
    contenders = [_contenders(name, squared, axis, matrices[place], run.target) for place, name, squared, axis in asked]
    best = [dict.fromkeys(each, math.inf) for each in contenders]
    for _ in steps(range(ROUNDS), "rounds"):
        for times, contender in zip(best, contenders):
            for who, seconds in run.turns(contender, run.seconds / ROUNDS).items():
                times[who] = min(times[who], seconds)
    for (place, name, squared, axis), times in zip(asked, best):
        rates = {who: matrices[place].nbytes / time for who, time in times.items()}
        fastest = max(rates["loads"], rates.get("halves", 0.0))
        yield {"place": place, "name": LABELS.get(squared, name), "axis": str(axis), **rates, "fastest loads": fastest,
               "numpy": math.nan if squared else rates["numpy"], "by loads": rates["ours"] / fastest,
               "by own loads": rates["ours"] / rates["loads"], "by additions": rates["ours"] / rates["adds"]}


def _matrix(m: int, n: int) -> Array:
    """Return 1 and -1, whose products stay normal, beginning at a cache line; after them is room for results."""
    x = aligned(((m + OUTPUTS) * n + (OUTPUTS + 1) * CACHE_LINE // 4,), "f32")[: m * n].reshape(m, n)
    x[...] = np.random.default_rng(0).choice(np.array([1, -1], np.float32), (m, n))
    return x


def _contenders(name: str, squared: bool | str, axis: int | None, x: Array, target: str | None) -> dict[str, Contender]:
    m, n = x.shape
    named: Named = {"axis": axis, "squared": squared, "target": target}
    made = reduce(cast(ReductionName, name), m, n, **named)
    end, size = address_of(x) + x.nbytes, -(-{0: n, 1: m, None: 1}[axis] * 4 // CACHE_LINE) * CACHE_LINE
    results = [end, end + size][: 2 if squared == "both" else 1]
    widths = machine_for(made.target).facts.widths[:2]
    blocks = {who: publish(loads(made.target, x.size, bits).data) for who, bits in zip(("loads", "halves"), widths)}
    blocks["adds"] = publish(loads(made.target, x.size, adding=True).data)
    assert made.address is not None
    baseline = BASELINES[name]
    return {
        **{who: NativeCall(block.address, (address_of(x),), block) for who, block in blocks.items()},
        "ours": NativeCall(made.address, (address_of(x), *results), (made, x)),
        "numpy": PythonCall(lambda: baseline(x, axis=axis)),
    }


GOALS = (Wanted("{name} in {place}, the least by loads", 0.9, "by loads"),)
COLUMNS = ("in=place; reduction=name; axis; GB/s=ours:0G; loads GB/s=fastest loads:0G; by loads:2; by own loads:2; "
           "by additions:2; numpy GB/s=numpy:0G")
BENCH = Bench("reduce", __doc__, (Table("reductions", COLUMNS, ((),), _measured, goals=GOALS),), {"--target": {}})
