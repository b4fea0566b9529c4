"""How long it takes to generate fused kernels: processor time of new kernels of each kind, beside the goal. Some kinds
are a part of `tilesmith bench fused`, more of them are `tilesmith bench generation`.

The first kernel of a kind imports its modules and is not counted. No kernel comes from a cache: each one has another
shape or graph, and nothing is kept on disk. The figures are the median, minimum and maximum of this thread's processor
time from the request to the bytes.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping

from ....microkernels.expr.graph import Expr, maximum
from ...api import fused as ops
from ...api.attention import attention, attention_inv
from ...api.eltwise import equation
from ...kernel.callable import Kernel
from ..runner import Run, Table
from ..table import Row, Wanted

KERNELS = 9
Kind = tuple[float | None, Callable[..., Kernel]]
"""The goal of issue 22 in seconds of processor time, or None, and the function that requests the kernel of a run."""
COLUMNS = "kind; median, CPU ms=median:1m; least=least:1m; most=most:1m; goal=goal:0m; bytes:0"


def chained(x: Expr, w: Expr) -> Expr:
    """A function of 40 nodes with seven reductions along rows, one after the other."""
    value, nodes = x, 0
    while nodes < 40:
        value = maximum(value * w + x, -1.0) - ops.max(value, axis=1) * 0.25
        nodes += 6
    return value


def rows(name: str, count: int = 64, first: int = 384, step: int = 4) -> Kind:
    """Return requests of a composite with another number of columns each time."""
    return 10e-3, lambda run, **more: ops.fused(name, count, first + step * run, **more)


def heads(*, odd: int = 0, inverse: bool = False, size: int = 64, **more: object) -> Kind:
    """Return requests of attention with lengths of whole blocks, or with remainders if `odd`."""
    make: Callable[..., Kernel] = attention_inv if inverse else attention
    return 25e-3, lambda run, **given: make(8, 512 + 64 * run + odd * (run + 5), 512 + 64 * run + odd * (2 * run + 3),
                                            size, **more, **given)


KINDS: dict[str, Kind] = {
    "softmax 64 x n": rows("softmax"), "attention f32": heads(dtype="f32"), "attention causal": heads(causal=True),
    "attention_inv": heads(inverse=True),
    "40 nodes in a chain": (15e-3, lambda run, **more: equation(
        chained, x=(64, 384 + 4 * run), w=(1, 384 + 4 * run), **more)),
}


def measured(run: Run, name: str, goal: float | None, make: Callable[..., Kernel]) -> Row:
    """Return the seconds of new kernels of a kind, and the bytes of the last one."""
    more = {"target": run.target} if run.target else {}
    before, taken, size = os.environ.get("TILESMITH_CACHE"), [], 0
    os.environ["TILESMITH_CACHE"] = "off"
    try:
        make(KERNELS, **more).code  # noqa: B018  # generates the code
        for number in range(KERNELS):
            start = time.thread_time_ns()
            size = len(make(number, **more).code)
            taken.append((time.thread_time_ns() - start) * 1e-9)
    finally:
        os.environ.pop("TILESMITH_CACHE") if before is None else os.environ.update(TILESMITH_CACHE=before)
    return {"kind": name, "median": statistics.median(taken), "least": min(taken), "most": max(taken),
            "goal": goal, "bytes": size}


def table(kinds: Mapping[str, Kind] = KINDS, name: str = "generation") -> Table:
    """Return the table of some kinds."""
    return Table(name, COLUMNS, [(name, *kind) for name, kind in kinds.items()], measured, "new kernels",
                 (Wanted("code of {kind}, median", "goal", "median", unit="s"),))
