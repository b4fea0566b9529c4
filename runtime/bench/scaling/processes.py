"""Training steps on several processes of this machine, and the collectives that they use, by torch.distributed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
from .workloads import WORKLOADS, Workload

BUCKET = 25.0
"""Mebibytes of a bucket of gradients, the default of DistributedDataParallel."""
COLLECTIVE, STEP = 0.2, 1.5
"""Seconds for the times of a collective of one size, and of a step."""
LEAST, MOST = 3, 200
"""Times that are taken at least, however long each is, and at most."""
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


def _least(call: Callable[[], object], seconds: float) -> float:
    """Return the least of as many times as there are in so many seconds, each that of the slowest process. All
    processes take as many."""

    def once() -> float:
        dist.barrier()
        begin = time.perf_counter()
        call()
        took = torch.tensor(time.perf_counter() - begin)
        dist.all_reduce(took, dist.ReduceOp.MAX)
        return float(took)

    first = once()  # buffers are made, threads come
    return min(once() for _ in range(min(MOST, max(LEAST, int(seconds / first)))))


@contextmanager
def without_exchanges() -> Iterator[None]:
    """Let alltoalls of the body give each process what it sends, which costs a copy: so a process computes alone what
    it computes with others, whose messages have the same form."""
    before = dist.all_to_all_single

    def copied(output: torch.Tensor, sent: torch.Tensor, *_: object, async_op: bool = False, **__: object) -> object:
        output.copy_(sent)
        done: torch.futures.Future[None] = torch.futures.Future()
        done.set_result(None)
        return done if async_op else None

    dist.all_to_all_single = copied
    try:
        yield
    finally:
        dist.all_to_all_single = before


def _collectives_of(sizes: tuple[int, ...]) -> dict[str, list[float]]:
    count = dist.get_world_size()
    found: dict[str, list[float]] = {"allreduce": [], "alltoall": []}
    for size in sizes:
        x = torch.zeros(size // 4 // count * count)
        y = torch.empty_like(x)
        found["allreduce"].append(_least(partial(dist.all_reduce, x), COLLECTIVE))
        found["alltoall"].append(_least(partial(dist.all_to_all_single, y, x), COLLECTIVE))
    return found


def _step_with(called: DistributedDataParallel, made: Workload) -> float:
    """Return the seconds of a step, which copies gradients to buckets and back, in a group of any size."""
    made.loss(called).backward()  # DistributedDataParallel makes its buckets anew after the first step
    return _least(lambda: made.loss(called).backward(), STEP)


def _step_of(workload: str) -> MeasuredStep:
    alone, made = WORKLOADS[workload](), WORKLOADS[workload]()
    own = [dist.new_group([rank]) for rank in range(dist.get_world_size())][dist.get_rank()]
    with without_exchanges():
        called = DistributedDataParallel(alone.model, process_group=own, bucket_cap_mb=BUCKET)
        forward = _least(lambda: alone.loss(alone.model), STEP)
        both = _step_with(called, alone)
    step = _step_with(DistributedDataParallel(made.model, bucket_cap_mb=BUCKET), made)
    bytes_of = sum(each.numel() * each.element_size() for each in made.model.parameters())
    whole, rest = divmod(bytes_of, int(BUCKET * 2**20))
    buckets = (BUCKET * 2**20,) * whole + ((rest,) if rest else ())
    return MeasuredStep(step, TrainingStep(forward, both - forward, buckets, made.rows, made.indices))
