"""What the workloads share: how their calls are timed beside torch's, the peak of the cores, the options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tilesmith as ts
from tilesmith.runtime.bench.measure import PythonCall, asleep, fma_loop
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Run
from tilesmith.runtime.bench.table import WrongResult
from tilesmith.runtime.host import detect as host

OPTIONS: dict[str, dict[str, Any]] = {
    "--small": {"action": "store_true", "help": "a small configuration, which tests run"},
    "--threads": {"type": int, "nargs": "+", "default": (1, 2)},
}
SETTINGS: dict[str, Any] = {"alone": False, "threads": True, "quick": ("--small", "--threads", "1")}
"""How the benchmarks of workloads run: in a process for each number of threads."""


def timed(run: Run, calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return the least seconds of calls that take turns, and `by NAME`: how many times as long as ours each takes."""
    if ts.num_threads() > 1:
        best = asleep(calls, run.seconds)
    else:
        best = run.turns({name: PythonCall(each) for name, each in calls.items()})
    return best | {f"by {name}": seconds / best["ours"] for name, seconds in best.items() if name != "ours"}


def peak(run: Run, dtype: str) -> float:
    """Return the operations per second that the threads of this process can do on full vectors."""
    loop = fma_loop(host.resolve(None), dtype)
    return ts.num_threads() * loop.flops / run.turns({"peak": loop.call}, 0.02)["peak"]


def torch_here() -> Any:
    """Return torch with as many threads as this process has, or None where it is not installed."""
    if (torch := torch_module()) is not None:
        torch.set_num_threads(ts.num_threads())
    return torch


def error_of(found: Any, wanted: Any, bound: float, what: str) -> float:
    """Return the largest difference, relative to the largest element wanted; raise if it exceeds the bound."""
    error = float(abs(found - wanted).max() / abs(wanted).max())
    if not error < bound:
        raise WrongResult(f"{what}: differs from the expected values by {error:.1e}, more than {bound:.0e}")
    return error
