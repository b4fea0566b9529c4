"""What the workloads share: how their calls are timed beside torch's, the peak of the cores, the options."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import tilesmith as ts
from tilesmith.runtime.bench.measure import PythonCall, asleep, fma_loop, samples
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Row, Run
from tilesmith.runtime.bench.table import WrongResult
from tilesmith.runtime.host import detect as host

OPTIONS: dict[str, dict[str, Any]] = {
    "--small": {"action": "store_true", "help": "a small configuration, which tests run"},
    "--without-inductor": {"action": "store_true", "help": "torch.compile's own backend takes minutes to compile"},
    "--threads": {"type": int, "nargs": "+", "default": (1, 2)},
}
TRAINING = (
    "steps:0; first loss=first:4; last loss=last:4; difference=error; ms a step=ours:1m; by torch:2; by inductor:2; "
)
"""The columns of a training."""
SETTINGS: dict[str, Any] = {
    "alone": False,
    "threads": True,
    "quick": ("--small", "--without-inductor", "--threads", "1"),
}
"""How the benchmarks of workloads run: in a process for each number of threads."""


def timed(run: Run, calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return the least seconds of calls that take turns, and `by NAME`: how many times as long as ours each takes. On
    one thread they are of processor time, to which other programs add less."""
    if ts.num_threads() > 1:
        best = asleep(calls, run.seconds)
    else:
        contenders = {name: PythonCall(each) for name, each in calls.items()}
        taken = samples(contenders, run.seconds, 2, clock=time.process_time_ns)
        best = {name: min(each) for name, each in taken.items()}
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


def training(build: Callable[[], Any], loss: Callable[..., Any], rate: float, inductor: bool) -> dict[str, Any]:
    """Return a step of training, step(*batch), which returns the loss, by ours, by eager torch and by inductor: a model
    of torch from the same seed, and SGD. Ours is torch.compile's backend and the optimizer of this package."""
    import torch

    from tilesmith.integrations import torch as tst

    def step_of(backend: Any, optimizer: Any) -> Callable[..., float]:
        torch.manual_seed(0)
        model = build()
        steps = optimizer(model.parameters(), lr=rate)
        way = torch.compile(partial(loss, model), backend=backend, dynamic=False) if backend else partial(loss, model)

        def step(*batch: Any) -> float:
            steps.zero_grad()
            found = way(*batch)
            found.backward()
            steps.step()
            return float(found.detach())

        return step

    torch.compiler.reset()
    ways = {"ours": (tst.backend, tst.SGD), "torch": (None, torch.optim.SGD)}
    ways |= {"inductor": ("inductor", torch.optim.SGD)} if inductor else {}
    return {name: step_of(*way) for name, way in ways.items()}


def curves_of(
    steps: Mapping[str, Callable[..., float]], batches: Sequence[Any], bound: float, of: str = "torch"
) -> Row:
    """Train by all ways with the same batches; return the first and the last loss of ours, and the largest difference
    from that of eager torch, or of another way, relative to it; raise if it exceeds the bound."""
    curves = {name: [step(*batch) for batch in batches] for name, step in steps.items()}
    error = max(abs(ours / eager - 1) for ours, eager in zip(curves["ours"], curves[of]))
    if not error < bound:
        raise WrongResult(f"losses differ from torch's by {error:.1e}, more than {bound:.0e}: {curves}")
    return {"first": curves["ours"][0], "last": curves["ours"][-1], "steps": len(batches), "error": f"{error:.0e}"}
