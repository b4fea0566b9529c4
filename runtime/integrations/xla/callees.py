"""Kernels, spread kernels, products of any size and other jobs as what a handler calls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from ....microkernels.errors import UnsupportedError
from ...kernel.callable import Kernel
from ...loops.job import Job, JobCall, TableKernel
from ...ops.gemm import Gemm
from ...ops.spread import Spread
from ...ops.spread_code import OWN
from ...ops.spread_stack import StackParts
from ...threads.barrier import barrier
from ...threads.policy import num_threads
from ...threads.region import CLAIMS, WEIGHED, entry
from .handler import Callee, HandlerRegion, HandlerWord, WordBase, number

UNREAD = number(0)


@singledispatch
def callee_of(entry: object, buffers: Sequence[int], numbers: Sequence[int] = ()) -> Callee:
    """Return what calls a kernel or a job.

    buffers   for each of its pointers, the number of a buffer: first those of the arguments, then of the results
    numbers   the numbers behind the pointers
    """
    raise TypeError(f"no handler calls {type(entry).__name__}")


@callee_of.register
def _of_kernel(kernel: Kernel, buffers: Sequence[int], numbers: Sequence[int] = ()) -> Callee:
    if kernel.address is None:
        raise UnsupportedError(f"{kernel.name} is made for {kernel.target.name}, which this machine does not run")
    return Callee(kernel.address, _words(buffers, numbers), code=kernel.code, keep=kernel)


@callee_of.register
def _of_gemm(product: Gemm, buffers: Sequence[int], numbers: Sequence[int] = ()) -> Callee:
    workers = num_threads()
    call = product.job_call
    return _of_job(call, _words(buffers, numbers), workers, 0 if call.shared + call.own else product.claimed(workers))


@callee_of.register
def _of_table(kernel: TableKernel, buffers: Sequence[int], numbers: Sequence[int] = ()) -> Callee:
    return _of_job(kernel.call, _words(buffers, numbers), num_threads())


@callee_of.register
def _of_call(call: JobCall, buffers: Sequence[int], numbers: Sequence[int] = ()) -> Callee:
    return _of_job(call, _words(buffers, numbers), num_threads())


@callee_of.register
def _of_spread(spread: Spread, buffers: Sequence[int], numbers: Sequence[int] = ()) -> Callee:
    workers = num_threads()
    if isinstance(spread.parts, StackParts):
        return _of_stack(spread.parts, buffers, numbers, workers)
    if spread.parts is not None:
        raise UnsupportedError(f"{spread!r}: kernels of any number of rows are cut by each call")
    call = spread.job_call
    return _of_job(call, _words(buffers, numbers), workers, 0 if call.waits else spread.claimed(workers))


def _words(buffers: Sequence[int], numbers: Sequence[int]) -> tuple[HandlerWord, ...]:
    return (*map(HandlerWord, buffers), *(number(each) for each in numbers))


def _of_job(call: JobCall, operands: Sequence[HandlerWord], workers: int, parts: int = 0) -> Callee:
    """Return the call of a job with scratch memory, on workers that have fixed shares, or claim so many parts."""
    job, own = call.job, HandlerWord(WordBase.SCRATCH, call.shared)
    words = call.words(
        operands,
        HandlerWord(WordBase.SCRATCH),
        own,
        (HandlerWord(WordBase.BARRIER), HandlerWord(WordBase.STATE)),
        UNREAD,
    )
    scratch = call.shared + workers * call.own
    if not scratch:
        words = tuple(UNREAD if each.base == WordBase.SCRATCH else each for each in words)
    waiting = barrier(job.target) if call.waits and workers > 1 else (0, 0)
    region = _region(job, call.cycles, workers, parts)
    return Callee(job.block.address, words, True, region, waiting, scratch, job.data, job)


def _region(job: Job, cycles: int, workers: int, parts: int) -> HandlerRegion | None:
    if workers == 1:
        return None
    claims = parts > workers
    return HandlerRegion(entry(job.target, CLAIMS if claims else WEIGHED), workers, parts if claims else cycles)


def _of_stack(stack: StackParts, buffers: Sequence[int], strides: Sequence[int], workers: int) -> Callee:
    """Return the call of a stack of products, each worker of which has matrices of its own."""
    table = stack.operands([0, 0, 0, *strides], workers)
    words = tuple(
        HandlerWord(buffers[place % OWN], each) if place < OWN * workers and place % OWN < OWN - 1 else number(each)
        for place, each in enumerate(table)
    )
    job = stack.job(workers)
    region = _region(job, stack.whole_cycles, workers, 0)
    return Callee(job.block.address, words, True, region, code=job.data, keep=job)
