"""Training steps on several processes of this machine, and the collectives that they use, by torch.distributed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

import torch
import torch.distributed as dist
from torch import multiprocessing
from torch.nn.parallel import DistributedDataParallel

from ....encoder.records import NamedTuple
from ...threads.policy import set_num_threads
from .simulation import TrainingStep
from .workloads import WORKLOADS

BUCKET = 25.0
"""Mebibytes of a bucket of gradients, the default of DistributedDataParallel."""
_ROUNDS = 7
Answer = TypeVar("Answer")
Answers: TypeAlias = "multiprocessing.SimpleQueue[object]"


class MeasuredStep(NamedTuple):
    """Seconds of a step on all processes, and what they do in it, each process alone at the same time."""

    seconds: float
    step: TrainingStep


def measured_step(workload: str, processes: int) -> MeasuredStep:
    """Measure a step of a workload on processes of one thread each."""
    return _on_processes(processes, _step_of, workload)


def measured_collectives(processes: int, sizes: tuple[int, ...]) -> dict[str, list[float]]:
    """Measure allreduce and alltoall of so many bytes a process: the seconds of each size."""
    return _on_processes(processes, _collectives_of, sizes)


def _on_processes(count: int, function: Callable[..., Answer], *args: object) -> Answer:
    """Return what the first of several processes returns."""
    with tempfile.TemporaryDirectory() as folder:
        answers = multiprocessing.get_context("spawn").SimpleQueue()
        multiprocessing.spawn(_child, (folder, count, answers, function, args), nprocs=count)
        found: Answer = answers.get()
        return found


def _child(
    rank: int, folder: str, count: int, answers: Answers, function: Callable[..., object], args: Sequence[object]
) -> None:
    torch.set_num_threads(1)
    set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{Path(folder, 'meeting')}", rank=rank, world_size=count)
    made = function(*args)
    dist.barrier()
    if rank == 0:
        answers.put(made)
    dist.destroy_process_group()


def _least(call: Callable[[], object]) -> float:
    """Return the least of several times, each that of the slowest process."""
    best = float("inf")
    for _ in range(_ROUNDS):
        dist.barrier()
        begin = time.perf_counter()
        call()
        took = torch.tensor(time.perf_counter() - begin)
        dist.all_reduce(took, dist.ReduceOp.MAX)
        best = min(best, float(took))
    return best


def _collectives_of(sizes: tuple[int, ...]) -> dict[str, list[float]]:
    count = dist.get_world_size()
    found: dict[str, list[float]] = {"allreduce": [], "alltoall": []}
    for size in sizes:
        x = torch.zeros(size // 4 // count * count)
        y = torch.empty_like(x)
        found["allreduce"].append(_least(partial(dist.all_reduce, x)))
        found["alltoall"].append(_least(partial(dist.all_to_all_single, y, x)))
    return found


def _step_of(workload: str) -> MeasuredStep:
    made = WORKLOADS[workload]()
    forward = _least(lambda: made.loss(made.model, alone=True))
    both = _least(lambda: made.loss(made.model, alone=True).backward())
    called = DistributedDataParallel(made.model, bucket_cap_mb=BUCKET)
    made.loss(called).backward()  # DistributedDataParallel makes its buckets anew after the first step
    step = _least(lambda: made.loss(called).backward())
    bytes_of = sum(each.numel() * each.element_size() for each in made.model.parameters())
    whole, rest = divmod(bytes_of, int(BUCKET * 2**20))
    buckets = (BUCKET * 2**20,) * whole + ((rest,) if rest else ())
    return MeasuredStep(step, TrainingStep(forward, both - forward, buckets, made.rows, made.indices))
