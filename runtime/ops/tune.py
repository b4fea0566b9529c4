"""`tune`: speed up an operation on this machine by measuring alternatives within a time limit. The result is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast, overload

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, dataclass
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import GemmSpec
from ..arguments.arrays import address_of, numpy_dtype
from ..contraction.kernel import Contracted
from ..kernel.callable import Kernel
from ..kernel.redirect import cycles_of
from ..loops import tuner
from ..loops.code import Address, Call, Header, Loop, affine
from ..loops.contest import ContestResult, contest, seconds_of
from ..loops.job import Job
from ..loops.machine_facts import facts
from ..loops.machine_model import MachineModel
from ..loops.nest import Body, Nest
from ..loops.strings import Rule
from ..loops.tune_nest import TunedNest, rank_nest, tune_nest
from ..loops.tuner import TuningSearch, searched
from ..system.progress import progress
from ..threads.policy import checked, num_threads
from .block_model import ModelledMachine, candidates, predicted
from .blocks import L2, lanes_of
from .gemm import Gemm, gemm
from .matmul import PRODUCTS
from .product_nest import A, B, C
from .schedules import Blocks, as_data
from .tuned_blocks import keep_blocks, question, tuned_blocks

if TYPE_CHECKING:
    from ..contraction import tuning as contraction_tuning
    from ..contraction.tuning import TunedLayer

contraction_tuning = lazy(__package__, "..contraction.tuning")

_RATE_SECONDS, _WORTH = 0.005, 0.2
"""Seconds of a sample of the rate, and the least seconds of a budget that are worth its measurement."""
_CLOCK = 3e9
"""Cycles per second, where a rate is estimated."""


class TriedBlocks(NamedTuple):
    """Blocks, the predicted seconds of a call, and the least seconds measured if they were tried."""

    plan: Blocks
    predicted: float
    measured: float | None = None


@dataclass(frozen=True, kw_only=True)
class TunedProduct(TuningSearch[TriedBlocks]):
    """The result of tuning a product: `op` is the product as `ts.gemm` makes it from now on."""

    op: Gemm

    __repr__ = TuningSearch.__repr__

    def _title(self) -> tuple[str, str, str]:
        spec = self.op.product
        what = f"gemm {spec.m} x {spec.n} x {spec.k} {'/'.join(dict.fromkeys(spec.dtypes))}, {self.op.plan}"
        return what, "ways to cut it", f"{'predicted':>10} {'measured':>10}  blocks"

    def _row(self, trial: TriedBlocks) -> str:
        return f"{trial.predicted * 1e3:10.3f} {(trial.measured or 0) * 1e3:10.3f}  {trial.plan}"


@overload
def tune(op: Gemm, /, *, budget: str | float = ..., threads: int | None = ..., again: bool = ...) -> TunedProduct: ...
@overload
def tune(
    op: Nest, /, *, machine: str | Path | MachineModel, budget: str | float = ..., threads: int | None = ...
) -> tuner.Tuned: ...
@overload
def tune(op: Nest, /, *, budget: str | float = ..., threads: int | None = ..., again: bool = ...) -> TunedNest: ...
@overload
def tune(
    op: Contracted, /, *, budget: str | float = ..., threads: int | None = ..., again: bool = ...
) -> TunedLayer: ...
@overload
def tune(
    rules: Mapping[str, Rule] | Iterable[str],
    loops: Mapping[str, Any],
    body: Body,
    /,
    *,
    measure: int = ...,
    samples: int = ...,
    most: int = ...,
    seed: int = ...,
    threads: int | None = ...,
    again: bool = ...,
    machine: str | Path | MachineModel | None = ...,
    **operands: Any,
) -> tuner.Tuned: ...


def tune(
    op: Any,
    /,
    *given: Any,
    budget: Any = None,
    threads: int | None = None,
    again: bool = False,
    machine: str | Path | MachineModel | None = None,
    **named: Any,
) -> Any:
    """Make an operation quicker on this machine: `ts.tune(ts.gemm(m, n, k), budget="10s")`.

    op        a product of `ts.gemm`: other block sizes are tried. The best ones are stored for this machine in
              tuned.json of the cache folder, keyed by extents, types, orders and leading dimensions. From then on
              `ts.gemm` and `ts.matmul` use them, in later processes too, and `plan` says so, and how many candidates
              were measured. If none is faster, that is stored, with a gain of 1. The sums over k may be cut elsewhere
              than untuned, so bits may differ from the untuned ones; they are the same for any number of threads
              a nest of `ts.nest`: other loop strings that compute the same bits are tried; `.nest` is the quickest
              a layer of `ts.conv`: other blocks of its loops that compute the same bits are tried; `.layer` is the
              quickest, which packs its weights anew
    budget    the time limit of the whole call: "10s", "500ms", "2min" or seconds. However short it is, the operation
              as it is and one candidate are made and measured, a few calls of each. The first run also measures the
              machine's caches and kernels, if 0.3 of the time suffices, which takes some seconds; else the order in
              which candidates are tried is by likely figures. A later run with a larger budget measures on
    threads   the number of threads; None: that of the operation, or `num_threads()`
    again     True: measure again all that earlier runs have measured

    A terminal shows the progress. Nothing is tuned unless asked for.

    Or find the quickest nest of all loop strings that rules allow:
    `best = ts.tune(ts.product_rules(), loops, body, A=..., B=..., C=...)`, best.nest

    rules     a `Rule` for each loop: all strings that they allow, or a seeded sample of `most` of them, with blockings
              from the prime factors of the trip counts; or loop strings, whose blockings are those of `loops`
    loops, body, operands   as in `nest`. Arrays are copied, so none of them is overwritten; a shape and a type stand
              for random numbers
    measure   how many of the strings that the model ranks best are measured, in turns, `samples` times each; 0: none
    machine   for a nest or rules: another machine, as a `MachineModel` or the path of a file that describes it. The
              model ranks the strings for it, on `threads` of its cores (None: all), and nothing is measured or kept.
              `.nest` is the best one, of kernels for their own target

    Returns the operation as it is now, with the measurements: print it to see what was gained. Raises UnsupportedError
    for operations that have nothing to tune, ValueError for an invalid budget or invalid rules, ts.RaceError or
    LoopStringError for a string that was given. Source: PARLOOPER, sections 2.3 and 2.4.
    """
    described = machine if machine is None or isinstance(machine, MachineModel) else MachineModel.read(machine)
    if described is not None and (again or not {"measure", "samples"}.isdisjoint(named)):
        raise TypeError("machine: nothing is measured on one that is described: leave out again, measure, samples")
    if not isinstance(op, (Gemm, Nest, Contracted)):
        if isinstance(op, Kernel) or not isinstance(op, (Mapping, Iterable)):
            _refuse(op)
        if budget is not None:
            raise TypeError("budget: only for an operation; rules take measure= and samples=")
        return tuner.tune(op, *given, threads=threads, again=again, machine=described, **named)
    if given or named:
        odd = ", ".join(map(str, [*given, *named]))
        raise TypeError(f"tune of an operation takes budget, threads and again, not {odd}")
    if isinstance(op, Gemm) and op._stem != Gemm._stem:
        _refuse(op)
    start, budget = time.perf_counter(), seconds_of("10s" if budget is None else budget)
    until = start + budget
    if described is not None:
        if not isinstance(op, Nest):
            raise UnsupportedError("machine: nests and rules are tuned for other machines, by the model of their loops")
        return rank_nest(op, described, until, checked(threads or op.threads or described.cores, "threads"))
    workers = checked(threads, "threads") if threads is not None else op.threads or num_threads()
    if isinstance(op, Contracted):
        return contraction_tuning.tune_layer(op, budget, until, workers, again)
    if isinstance(op, Nest):
        return tune_nest(op, budget, until, workers, again)
    return _tuned(op, budget, until, workers, again)


def _refuse(op: Any) -> NoReturn:
    name = type(op).__name__
    raise UnsupportedError(
        f"tune: takes products of ts.gemm, nests of ts.nest, layers of ts.conv, and rules, not {name}: a kernel is "
        "planned when it is made, packed weights of ts.linear keep the untuned blocks, and the "
        "nests of a region are tuned one by one"
    )


def _tuned(op: Gemm, budget: float, until: float, workers: int, again: bool) -> TunedProduct:
    """Return the product with the best blocks that are found in time, beginning where earlier runs have stopped."""
    product, target = op.product, op.target
    plain = Gemm({**op.request, "epilogue": None, "operands": None}, workers)
    own, lanes = plain._blocks(), lanes_of(product, target)
    before = tuned_blocks(product, target)  # perhaps by other numbers of threads, so that it is no candidate now
    known = [replace(before, gain=None)] if before is not None and op._takes(before) else []
    every = dict.fromkeys([*candidates(own, product, lanes, target.l2 or L2, workers), *known])
    found = [each for each in every if each != own]
    made = cache(lambda plan: _with(plain, plan))

    def ranked(first: TriedBlocks, fresh: list[TriedBlocks]) -> tuple[TriedBlocks, list[TriedBlocks]]:
        machine = ModelledMachine(facts(until), workers, _rate(made(own), until), lanes)
        first, *others = (each._replace(predicted=predicted(each.plan, product, machine)) for each in (first, *fresh))
        return first, sorted(others, key=lambda each: each.predicted)

    def measured(used: TriedBlocks, rest: list[TriedBlocks]) -> ContestResult[TriedBlocks]:
        addresses, keep = _operands(product)

        def call(cut: TriedBlocks) -> Callable[[], object]:
            other = made(cut.plan)
            return lambda: other.at(addresses, workers)

        with progress("tune", until - time.perf_counter()) as advance:
            outcome = contest(used, rest, call, until, advance)
        del keep
        return outcome

    search = searched(
        f"{question(product, target)} {product.beta != 0}",
        TriedBlocks(own, 0.0),
        [TriedBlocks(each, 0.0) for each in found],
        lambda trial: repr(as_data(trial.plan)),
        budget,
        again,
        ranked,
        measured,
    )
    if search.measured and not search.remembered:
        tried = search.measured, search.considered
        keep_blocks(plain.product, target, replace(search.best.plan, gain=search.gain, tried=tried), workers)
    return TunedProduct(**vars(search), op=_remade(op))


def _remade(op: Gemm) -> Gemm:
    """Make the product again, with the new blocks, and drop all kept products so that later requests use them too."""
    gemm.cache_clear()  # type: ignore[attr-defined]
    PRODUCTS.forget()
    return cast(Gemm, gemm(**op.request, threads=op.threads))


def _with(plain: Gemm, plan: Blocks) -> Gemm:
    """Return the same product with other blocks."""
    made = Gemm(plain.request, plain.threads)
    made.__dict__["plan"] = plan
    return made


def _operands(product: GemmSpec) -> tuple[Sequence[int], Any]:
    """Return addresses of A, B and C, with random numbers in A and B and zeros in C, and the arrays to keep alive."""
    rng = np.random.default_rng(0)
    arrays = []
    for each in product.operands:
        lines = each.rows if each.view.order == "C" else each.columns
        count, dtype = int(lines) * int(each.view.leading), numpy_dtype(each.dtype)  # type: ignore[arg-type]
        real = dtype.kind in "fV"
        values = rng.random(count, np.float32) if real else rng.integers(0, 4, count)
        arrays.append(np.zeros(count, dtype) if each.name == "c" else values.astype(dtype))
    return [address_of(each) for each in arrays], arrays


def _rate(op: Gemm, until: float = math.inf) -> float:
    """Return the operations per second of one worker whose blocks are in its nearest caches. If the measurement would
    take more than a small part of the time until a deadline, the result is the planner's estimate."""
    plan = op.plan
    kernel = op.kernels.multiply(plan.mb, plan.nb, plan.kb, False, False)
    if until - time.perf_counter() < _WORTH:
        return 2.0 * plan.mb * plan.nb * plan.kb / cycles_of(kernel) * _CLOCK
    rooms = [_zeroed(each) for each in op.kernels.rooms()]
    call = Call(kernel, (Address(A), Address(B), Address(C)))

    def seconds(count: int) -> float:
        job = Job([Loop(Header("r", affine(0), (affine(count),), 1, count), (call,))], op.target)
        start = time.perf_counter_ns()
        job.run([address_of(each) for each in rooms], 1)
        return (time.perf_counter_ns() - start) * 1e-9 / count

    count = max(1, round(_RATE_SECONDS / seconds(1)))
    return 2.0 * plan.mb * plan.nb * plan.kb / min(seconds(count) for _ in range(3))


def _zeroed(size: int) -> Any:
    """Return memory with pages of its own."""
    found = np.empty(size, np.uint8)
    found.fill(0)
    return found
