"""Stages: the nest of a kernel as a part of a larger job, and what it needs there.

The larger job gives the operands of a stage other places in its own table (`loops.code.placed`), and lends it scratch
memory. It has to know which bytes a stage touches: where one stage touches what another one writes, their workers must
meet at a barrier in between. `stage_of` has a function for each kind of kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import singledispatch
from math import prod

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import ADDRESS, OFFSET
from ...microkernels.tuning.products import EXECUTOR
from ..arguments.arrays import Array, numpy_dtype
from ..arguments.regions import TouchedMemory
from ..contraction.calls import CallArray
from ..contraction.layer import LayerKernel
from ..fastcall.guards import FAR
from ..kernel.callable import Kernel
from ..kernel.redirect import cycles_of
from ..loops.code import (
    Address,
    Affine,
    Call,
    Load,
    Node,
    Share,
    affine,
    blocks_of,
    by_one,
    calls,
    cases,
    index,
    placed,
)
from ..loops.job import TableKernel
from ..loops.loop_kernel import LoopKernel
from ..loops.trace import NestMatrix
from ..ops.gemm import Gemm
from ..ops.linear import Linear
from ..ops.product_nest import BARRIER, EXTRAS, PACKED_A, PACKED_B, A, B, C
from ..ops.spread import Spread
from ..ops.spread_stack import Batch, StackParts
from ..threads.called_code import JobTable
from ..walks.job import ArraysJob

Numbers = Sequence["int | None"]
"""What is known of the operands of a stage before a call: the numbers among them; None for an address, and for a number
that the call gives."""


class TouchedElements(NamedTuple):
    """Elements that a stage touches of the operand at a position in its calls. They have `size` bytes and lie `strides`
    bytes apart, from `offset` bytes behind its address on. Without a shape, it may be all of the memory there. A stage
    may also read what it writes."""

    operand: int
    written: bool
    offset: int = 0
    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] = ()
    size: int = 1

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The first byte and the one behind the last, from the operand's address; None: nobody knows."""
        if self.shape is None:
            return None
        if 0 in self.shape:
            return 0, 0
        ends = [(extent - 1) * step for extent, step in zip(self.shape, self.strides)]
        low = self.offset + sum(end for end in ends if end < 0)
        return low, self.offset + sum(end for end in ends if end > 0) + self.size

    def repeated(self, times: int, step: int) -> TouchedElements:
        """Return the elements of calls whose operands lie so many bytes apart."""
        return self if self.shape is None else self._replace(shape=(times, *self.shape), strides=(step, *self.strides))

    @property
    def bytes(self) -> int:
        """The bytes of the elements, as far as they are known."""
        return self.size * prod(self.shape) if self.shape is not None else 0


class JobStage(NamedTuple):
    """A nest as a part of a larger job.

    nodes      returns the loops and their calls
    table      where the nest has its operands, in the order of its calls, its scratch memory and its barrier
    memory     bytes of scratch memory: what all workers share, and what each has
    cycles     its estimated time on one thread
    parallel   whether iterations are divided among workers
    movable    whether any one worker may run all of it: see `loops.code.by_one`
    touched    what it touches of its operands
    target     the processor that its kernels are for
    asked      all that the nest depends on beside the target, as data; None: jobs with it are not kept on disk
    per_row    cycles for each row that the call has
    """

    nodes: Callable[[], Sequence[Node]]
    table: JobTable
    memory: tuple[int, int]
    cycles: int
    parallel: bool
    movable: bool
    touched: tuple[TouchedElements, ...]
    target: Target
    asked: tuple[object, ...] | None
    per_row: float = 0

    @property
    def weight(self) -> int:
        """Its time on one thread with operands that come from beyond the first caches, in cycles."""
        return max(self.cycles, sum(each.bytes for each in self.touched) // EXECUTOR.moved)


@singledispatch
def stage_of(entry: object, numbers: Numbers) -> JobStage:
    """Return an entry of a step as a stage. `numbers` has as many as the entry has operands, in the order of its C
    function or of its calls with addresses, `at`. Raises UnsupportedError for entries that are no stages."""
    raise UnsupportedError(
        f"step: {entry!r} is neither a kernel nor a job of kernels, such as ts.spread, ts.gemm, ts.linear and ts.conv "
        "make"
    )


@stage_of.register
def of_kernel(entry: Kernel, numbers: Numbers) -> JobStage:
    """Return a single call of a kernel, with the operands of its C function."""
    kernel = entry._stand_in or entry
    places = range(len(kernel.kind.parameters(kernel.spec)))
    check_count(kernel.name, len(places), len(numbers))
    call = Call(kernel, tuple(map(Address, places)))
    cycles = max(1, int(cycles_of(kernel) * _repeats(kernel)))
    touched = touched_by(kernel, numbers)
    return JobStage(
        lambda: (call,), _table(places), (0, 0), cycles, False, True, touched, kernel.target, (kernel.spec,)
    )


def check_count(name: str, operands: int, given: int) -> None:
    """Raise ValueError for another number of operands."""
    if operands != given:
        raise ValueError(f"{name}: takes {operands} operands, not {given}")


def _table(places: Sequence[int]) -> JobTable:
    """Return the table of a nest that has its operands first, then scratch memory, the barrier and its argument."""
    behind = len(places)
    return JobTable(tuple(places), behind, behind + 3, behind + 1)


def _repeats(kernel: Kernel) -> int:
    """Return how often a call spends the cycles of the plan, where the request says it."""
    pairs = kernel.kind.pairs
    return 1 if pairs is None else pairs(kernel.spec) or 1


@stage_of.register
def of_spread(entry: Spread, numbers: Numbers) -> JobStage:
    """Return a kernel in parts that are dealt to workers. Those of rows that only a call counts are not: one worker
    computes them all, by the kernel itself."""
    alone = of_kernel(entry.kernel, numbers)
    if isinstance(entry._parts, StackParts):
        return _of_stack(entry, entry._parts, numbers, alone)
    if entry.nest is None:
        return alone
    nest = entry.nest
    asked = (entry.spec, *((cut.total, cut.block) for cut in entry._phases.cuts))
    memory = nest.bytes if nest.waits else 0, 0
    return alone._replace(nodes=nest.nodes, memory=memory, cycles=entry._cycles, parallel=True, asked=asked)


def _of_stack(entry: Spread, parts: StackParts, numbers: Numbers, alone: JobStage) -> JobStage:
    """Return a stack of products whose number is known, in parts of several products."""
    names = [name for _, name in entry.kernel.kind.parameters(entry.spec)]
    own = [name for _, name in parts.kernel.kind.parameters(parts.kernel.spec)]
    given = dict(zip(names, numbers))
    total = entry.spec.stack if isinstance(entry.spec.stack, int) else given["count"]
    steps = [given[f"{name}_stride"] for name in own[:3]]
    if not total or None in steps:
        return alone
    block = -(-total // min(total, EXECUTOR.parts))
    body: list[Node] = []
    for case, products in cases("part", total, block):
        matrices = [Address(names.index(name), index("part") * (step or 0)) for name, step in zip(own, steps)]
        counted = {"count": Affine(products)}
        further = [counted[name] if name in counted else Address(names.index(name)) for name in own[3:]]
        body += case([Call(parts.kernel, (*matrices, *further))])
    share = Share((blocks_of("part", total, block),), tuple(body))
    asked = entry.spec, total, *((step or 0) for step in steps)
    return alone._replace(nodes=lambda: (share,), cycles=parts.cycles * total, parallel=True, asked=asked)


@stage_of.register
def of_batch(entry: Batch, numbers: Numbers) -> JobStage:
    """Return calls of a kernel for each product of a batch."""
    nodes = entry.job.blob.nodes
    (loop,), (call,) = nodes, calls(nodes)
    assert isinstance(loop, Share)
    (header,) = loop.headers
    steps = tuple(dict(each.offset.terms).get(header.index, 0) for each in call.arguments if isinstance(each, Address))
    alone = of_kernel(call.kernel, numbers)
    touched = tuple(each.repeated(header.trips, steps[each.operand]) for each in alone.touched)
    asked = call.kernel.spec, header.trips, steps
    cycles = alone.cycles * header.trips
    return alone._replace(nodes=lambda: nodes, cycles=cycles, parallel=True, touched=touched, asked=asked)


@stage_of.register
def of_product(entry: Gemm, numbers: Numbers) -> JobStage:
    """Return a product of any size, or a layer: A or x, B or the packed weights, C or y, and further operands."""
    spec, extras = entry.spec, len(getattr(entry.spec, "extras", ()))
    table = JobTable((A, B, C, *range(EXTRAS, EXTRAS + extras)), PACKED_B, PACKED_A, BARRIER)
    check_count(str(entry.spec), len(table.operands), len(numbers))
    found = tuple(_touched(*region) for region in entry.kind.regions(spec, _apart(len(numbers))))
    if isinstance(entry, Linear):
        packed = TouchedElements(1, False, 0, (entry.packing.bytes,), (1,))
        found = (*(each for each in found if each.operand != 1), packed)
    asked = spec, entry.plan, entry._prepacked
    nodes = lambda: entry.nest.nodes()  # noqa: E731  # the nest and its kernels are made if the job is
    return JobStage(nodes, table, entry._scratch, entry.cycles, True, True, found, entry.target, asked)


@stage_of.register
def of_table(entry: TableKernel, numbers: Numbers) -> JobStage:
    """Return a kernel whose job is made of its nest; what it touches of its operands, nobody knows."""
    written = [not word.text.startswith(_READ) for word in entry._operands()]
    return _of_table(entry, [TouchedElements(place, each) for place, each in enumerate(written)])


_READ = "const ", "the panels"
"""How the descriptions of operands begin that a job only reads."""


def _of_table(entry: TableKernel, touched: Sequence[TouchedElements]) -> JobStage:
    asked = entry._stem, *entry._asked
    found = tuple(touched)
    return JobStage(entry.nodes, entry._table, entry._memory, entry.cycles, True, True, found, entry.target, asked)


@stage_of.register
def of_images(entry: ArraysJob, numbers: Numbers) -> JobStage:  # type: ignore[type-arg]
    """Return a job on arrays, the constant ones included."""
    return _of_table(entry, [TouchedElements(place, written) for place, (_, _, written) in enumerate(entry._arrays)])


@stage_of.register
def of_layer(entry: LayerKernel, numbers: Numbers) -> JobStage:  # type: ignore[type-arg]
    """Return a layer of a contraction: A, the panels of B, the result, and further operands."""
    found = list(_laid(entry.arrays))
    found[1] = TouchedElements(1, False, 0, (entry.bytes_b,), (1,))
    return _of_table(entry, found)


class LoadedNumber(NamedTuple):
    """A kernel, or one in parts, as an entry of steps that have one of its numbers in memory, such as a seed: the
    operand at this position is the address of an int64, which workers read when the step begins."""

    entry: Kernel | Spread
    position: int

    @property
    def spec(self) -> object:
        """What names the step."""
        return self.entry.spec


@stage_of.register
def of_loaded(entry: LoadedNumber, numbers: Numbers) -> JobStage:
    """Return a kernel around which workers read its number."""
    stage, position = stage_of(entry.entry, numbers), entry.position
    table = stage.table
    behind = max(*table.operands, table.shared or 0, table.own, table.barrier) + 2
    places: dict[int, int | Address | Affine] = {each: each for each in range(behind)}
    places[table.operands[position]] = index(_LOADED)

    def nodes() -> Sequence[Node]:
        body = placed(tuple(stage.nodes()), places)
        return (Load((_LOADED,), table.operands[position], affine(0), body),)

    touched = *stage.touched, TouchedElements(position, False, 0, (1,), (8,), 8)
    asked = None if stage.asked is None else ("number", position, *stage.asked)
    return stage._replace(nodes=nodes, touched=touched, asked=asked)


_LOADED = "number in memory"


class PackingLayer(NamedTuple):
    """A layer as an entry of steps that pack its factor B first, in scratch memory: an array with these strides, in
    elements. The operands are A, B, the result, and further ones."""

    layer: LayerKernel  # type: ignore[type-arg]
    strides: tuple[int, ...]

    @property
    def spec(self) -> object:
        """What names the step."""
        return self.layer.request


@stage_of.register
def of_packing(entry: PackingLayer, numbers: Numbers) -> JobStage:
    """Return a layer whose workers pack B and wait for each other before they compute."""
    layer, arrays = entry.layer, list(entry.layer.arrays)
    call = layer.packing(entry.strides)
    if call is None:
        raise UnsupportedError(f"{layer!r}: no kernels pack its factor with strides of {entry.strides} elements")
    arrays[1] = replace(arrays[1], strides=entry.strides)
    asked = layer._stem, *layer._asked, entry.strides
    memory = call.shared, call.own
    return JobStage(
        lambda: call.job.blob.nodes, call.table, memory, call.cycles, True, True, _laid(arrays), layer.target, asked
    )


def _laid(arrays: Sequence[CallArray]) -> tuple[TouchedElements, ...]:
    """Return the elements of a layer's arrays, of which the third is the result."""
    return tuple(
        TouchedElements(place, place == C, 0, each.shape, each.steps, numpy_dtype(each.dtype).itemsize)
        for place, each in enumerate(arrays)
    )


@stage_of.register
def of_nest(entry: LoopKernel, numbers: Numbers) -> JobStage:
    """Return a nest of ts.nest, or several of ts.region, whose loop strings may say which worker runs what."""
    operands = entry.operands
    matrices = [each for each in operands if isinstance(each, NestMatrix)]
    found = tuple(
        TouchedElements(operands.index(each), each.name in entry.written, 0, each.shape, each.strides, each.size)
        for each in matrices
    )
    if entry.bounds:
        raise UnsupportedError(f"{entry!r}: Python checks its offsets in every call, so it is no step of a graph")
    places, words = range(len(operands)), 2 * any(entry.scratch)
    behind = len(operands)
    table = JobTable(tuple(places), behind if words else None, behind + (1 if words else 2), behind + words)
    movable = _movable(entry.nodes)
    return JobStage(
        lambda: entry.nodes, table, entry.scratch, entry.cycles, entry.parallel, movable, found, entry.target, None
    )


def _movable(nodes: tuple[Node, ...]) -> bool:
    """Whether one worker may run these nodes alone, whichever it is."""
    try:
        by_one(nodes)
    except ValueError:
        return False
    return True


# What kernels touch


def _apart(operands: int) -> list[int]:
    """Return addresses that stand for those of operands, so far apart that each offset tells its operand."""
    return [(place + 1) * FAR for place in range(operands)]


def touched_by(kernel: Kernel, numbers: Numbers) -> tuple[TouchedElements, ...]:
    """Return what a call of a kernel touches. Raises UnsupportedError for kernels that find matrices by addresses in
    memory."""
    spec = kernel.spec
    if getattr(getattr(spec, "product", spec), "batch", None) in (OFFSET, ADDRESS):
        raise UnsupportedError(
            f"{kernel.name}: finds its matrices by a table in memory, so that nobody knows what it touches; use "
            "batch=N or ts.STRIDE"
        )
    found = arrays_of(kernel, numbers)
    if found is None:
        written = ["const" not in kind for kind, _ in kernel.kind.parameters(spec)]
        return tuple(TouchedElements(place, written[place]) for place in _pointers(kernel))
    return tuple(_touched(*region) for region in found)


def _pointers(kernel: Kernel) -> list[int]:
    """Return the positions of the operands that are addresses."""
    return [place for place, (kind, _) in enumerate(kernel.kind.parameters(kernel.spec)) if "*" in kind]


def arrays_of(kernel: Kernel, numbers: Numbers) -> list[TouchedMemory] | None:
    """Return the arrays of a call as if they lay where no memory is: see `_apart`. Only their shapes and strides are
    true. None if the call gives numbers on which they depend."""
    pointers, apart = _pointers(kernel), _apart(len(numbers))
    if any(number is None for place, number in enumerate(numbers) if place not in pointers):
        return None
    words = [apart[place] if place in pointers else number or 0 for place, number in enumerate(numbers)]
    return kernel.kind.regions(kernel.spec, words)


def _touched(name: str, array: Array, written: bool = True) -> TouchedElements:
    """Return the elements of an array that lies where no memory is: see `_apart`."""
    first = array.__array_interface__["data"][0]
    place = (first + FAR // 2) // FAR
    return TouchedElements(place - 1, written, first - place * FAR, array.shape, array.strides, array.itemsize)
