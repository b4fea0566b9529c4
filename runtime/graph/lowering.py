"""From units to steps: where values lie, and which kernels compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import CACHE_LINE
from ..arguments.arrays import Array
from ..executor.buffers import Life, assigned
from ..executor.packing import PackingJob
from ..executor.rows import ROWS, RowsMembers
from ..executor.steps import Entry, PythonEntry
from ..host import detect as host
from ..kernel.callable import Kernel
from ..walks.job import ArraysJob
from ..walks.permute import Reordered, moved, permutation
from .on_arrays import ArrayPlace, OnArrays, copied
from .partition import GraphPartition, Unit
from .regions import FusedRegion
from .spaces import behind, seen_as
from .storage import ConstantSource, Storage, ValuePlace, as_constant, constant_of, dense, extent_of, parts_of
from .values import GraphNode, GraphValue, RowsRefused, TensorGraph, TensorType
from .views import NoView, contiguous, fake

if TYPE_CHECKING:
    from ..api.typed import TargetLike
    from ..ops import spread as spreading

spreading = lazy(__package__, "..ops.spread")


class PlannedStep(NamedTuple):
    """A step whose places have no addresses yet: its numbers and places in the kernel's order, and what it writes."""

    entry: Entry
    operands: tuple[ValuePlace | int, ...]
    writes: tuple[ValuePlace, ...]
    name: str
    unit: int


class LoweredMembers(NamedTuple):
    """A unit, or a copy, as a loop over the rows of calls: the program of a row, the step, and the constants among its
    operands."""

    body: TensorGraph | None
    entry: RowsMembers
    name: str
    constants: tuple[ValuePlace, ...]


class Lowering:
    """The steps of a program, as they are made.

    calls     the steps so far
    results   where each result of the program lies
    notes     for each unit, the kernels that it became
    rows      the number that stands for the rows of calls; 0: all extents are known
    copy_rows adds the step that copies an array of the rows of calls; None if there are none
    packed    weights that were packed for products of them, by where the weights lie
    members   loops over the rows of calls, by the numbers of their units, and those that copy, by what they copy
    """

    def __init__(
        self,
        graph: TensorGraph,
        threads: int | None,
        target: TargetLike,
        rows: int = 0,
        copy_rows: Callable[[Lowering, ValuePlace, ValuePlace], None] | None = None,
    ) -> None:
        self.graph, self.threads, self.target, self.rows = graph, threads, host.resolve(target), rows
        self.copy_rows = copy_rows
        self.partition = GraphPartition(graph)
        self.calls: list[PlannedStep] = []
        self.constants: list[Storage] = []
        self.packed: dict[tuple[object, ...], Array] = {}
        self.members: dict[object, LoweredMembers] = {}
        self.places: dict[GraphValue, ValuePlace] = {}
        self.unit = 0
        self._slots = 1
        for value in graph.inputs:
            strides = value.strides or contiguous(value.shape)
            size = value.kind.bytes if value.strides is None else extent_of(value.kind, strides)
            self.places[value] = ValuePlace(Storage(size, self._slot()), 0, value.kind, strides)
        self._owned: dict[GraphValue, ValuePlace] = {}
        self.results = [self._claimed(*each) for each in zip(graph.results, graph.layouts)]
        self.consumers = self._read_by()

    def finish(self) -> None:
        """Add the steps of results that no unit has written where they belong."""
        for value, place in zip(self.graph.results, self.results):
            if self.places.get(behind(value)[0]) is None or not self._is_there(value, place):
                self.copy(self.place(value), place)

    def counted(self, extent: int) -> bool:
        """Whether an extent, or a number of elements, is a multiple of the rows of the call."""
        return bool(self.rows and extent and extent % self.rows == 0)

    # Results

    def _slot(self) -> int:
        self._slots += 1
        return self._slots - 1

    def _claimed(self, value: GraphValue, wanted: tuple[int, ...] | None) -> ValuePlace:
        """Return where a result of the program lies: in a slot of its own, to which its unit writes if it can."""
        base, chain = behind(value)
        strides = wanted or contiguous(value.shape)
        storage = Storage(extent_of(value.kind, strides), self._slot())
        place = ValuePlace(storage, 0, value.kind, strides)
        if base.node is None or base in self._owned or base.size != value.size:
            return place
        candidates = [contiguous(base.shape), *([strides] if not chain else [])]
        for each in candidates:
            try:
                offset, made = seen_as(value, base, each, chain)
            except NoView:
                continue
            if offset == 0 and (wanted is None or _alike(value.shape, made, strides)):
                self._owned[base] = ValuePlace(storage, 0, base.kind, each)
                return place._replace(strides=made)
        return place

    def _is_there(self, value: GraphValue, place: ValuePlace) -> bool:
        """Whether a result was written where it belongs."""
        return self.places[behind(value)[0]].storage is place.storage

    # What units ask for

    def _read_by(self) -> dict[GraphValue, set[Unit]]:
        """Return the units that read each value behind views."""
        found: dict[GraphValue, set[Unit]] = {}
        for unit in self.partition.units:
            for node in unit.nodes:
                for value in node.operands:
                    found.setdefault(behind(value)[0], set()).add(unit)
        return found

    def is_read(self, value: GraphValue, unit: Unit) -> bool:
        """Whether a value is read outside of the unit that computes it."""
        wanted = any(behind(each)[0] is value for each in self.graph.results)
        return wanted or bool(self.consumers.get(value, set()) - {unit})

    def new(self, kind: TensorType, strides: tuple[int, ...] | None = None) -> ValuePlace:
        """Return a new place in the arena."""
        return ValuePlace(Storage(kind.bytes), 0, kind, strides or contiguous(kind.shape))

    def result(self, value: GraphValue, strides: tuple[int, ...] | None = None) -> ValuePlace:
        """Return where a unit writes a value: to the program's result, or to a new place, by these strides."""
        place = self.places.get(value) or self._owned.get(value) or self._part(value) or self.new(value.kind, strides)
        self.places[value] = place
        return place

    def _part(self, value: GraphValue) -> ValuePlace | None:
        """Return the part of a concatenation that a value is, if its unit writes such a part: it is computed there."""
        for node in self.partition.readers.get(value, []):
            if node.operator.name == "concatenate" and node.operands.count(value) == 1:
                part = parts_of(node, self.result(node.results[0]))[node.operands.index(value)]
                unit = None if value.node is None else self.partition.of.get(value.node)
                by_rows = isinstance(unit, FusedRegion) and not self.rows
                return part if (part.is_contiguous or by_rows) and not self.counted(part.offset) else None
        return None

    def see(self, value: GraphValue, place: ValuePlace) -> None:
        """Let a value be read at another place, such as a copy, from now on."""
        self.places[value] = place

    def preferred(self, value: GraphValue) -> tuple[int, ...] | None:
        """Return the strides of a value whose readers all permute it in the same way, so that they see it without gaps:
        None if they do not, or it is a result of the program."""
        if value in self._owned:
            return None
        orders: set[tuple[int, ...] | None] = {
            tuple(node.attributes["axes"]) if node.operator.name == "permute" else None  # type: ignore[arg-type]
            for node in self.partition.readers.get(value, [])
        }
        order = orders.pop() if len(orders) == 1 else None
        return None if order is None else dense(value.kind, order)

    def place(self, value: GraphValue) -> ValuePlace:
        """Return where a value lies, seen through its views; they are copied where their elements have no strides."""
        known = self.places.get(value)
        if known is not None:
            return known
        if value.constant is not None:
            made = self.constant(value.constant, value)
        else:
            assert value.node is not None and value.node.operator.view is not None, "computed before it is read"
            (source,) = value.node.operands
            made = self._seen(self.place(source), value.node)
        self.places[value] = made
        return made

    def _seen(self, source: ValuePlace, node: GraphNode) -> ValuePlace:
        value, view = node.results[0], node.operator.view
        assert view is not None
        base = fake(source.kind.shape, source.strides, source.kind.dtype)
        try:
            array = view(base, **node.attributes)
        except NoView:
            source = self.copied(source)
            base = fake(source.kind.shape, source.strides, source.kind.dtype)
            array = view(base, **node.attributes)
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        size = value.dtype.itemsize
        return ValuePlace(source.storage, source.offset + offset, value.kind, tuple(s // size for s in array.strides))

    def constant(self, array: Array, source: GraphValue | ConstantSource | None) -> ValuePlace:
        """Return the place of an array that never changes. source: see `Storage`."""
        array = as_constant(array)
        size = array.itemsize
        storage = Storage(
            max(extent_of(TensorType(array.shape, array.dtype), tuple(s // size for s in array.strides)), 1)
        )
        storage.constant, storage.source = array, source
        self.constants.append(storage)
        return ValuePlace(storage, 0, TensorType(array.shape, array.dtype), tuple(s // size for s in array.strides))

    # Steps

    def call(self, entry: Entry, reads: Sequence[ValuePlace | int], writes: Sequence[ValuePlace], name: str) -> None:
        """Add a step of a kernel whose parameters are what it reads, then what it writes."""
        self.step(entry, (*reads, *writes), writes, name)

    def step(self, entry: Entry, operands: Sequence[ValuePlace | int], writes: Sequence[ValuePlace], name: str) -> None:
        """Add a step of a kernel with its operands in the kernel's order."""
        for each in operands:
            if isinstance(each, ValuePlace):
                each.storage.used(len(self.calls))
                if not isinstance(entry, (*ROWS, OnArrays)) and self.counted(each.kind.size):
                    raise RowsRefused(f"{name}: no kernel of any number of rows")
                if self.counted(each.offset):
                    raise RowsRefused(f"{name}: an array whose place depends on the number of rows")
        self.calls.append(PlannedStep(entry, tuple(operands), tuple(writes), name, self.unit))

    def on_arrays(
        self,
        function: Callable[..., object],
        reads: Sequence[ValuePlace | None],
        writes: Sequence[ValuePlace | None],
        name: str,
        what: str | GraphNode | None,
    ) -> None:
        """Add a step of a Python function of arrays. what: see `OnArrays`."""
        inputs, outputs = (
            [None if each is None else ArrayPlace(each.kind, each.steps) for each in places]
            for places in (reads, writes)
        )
        counted = any(each is not None and self.counted(each.kind.size) for each in (*reads, *writes))
        if counted and what is None:
            raise RowsRefused(f"{name}: a function of Python for arrays of known shapes")
        entry = OnArrays(function, inputs, outputs, name, what, self.rows if counted else 0)
        given = [[each for each in places if each is not None] for places in (reads, writes)]
        self.call(entry, given[0], given[1], name)

    def copy(self, source: ValuePlace, to: ValuePlace) -> None:
        """Add a step that copies an array."""
        if not source.kind.size:
            return
        if self.counted(source.kind.size):
            assert self.copy_rows is not None
            self.copy_rows(self, source, to)
            return
        pair = fake(source.kind.shape, source.strides, source.kind.dtype), to.steps
        try:
            job = permutation(Reordered(*moved("x", *pair), self.target))
        except UnsupportedError:
            self.on_arrays(copied, [source], [to], "copy", "copied")
            return
        self.call(job, [source], [to], "copy")

    def copied(self, source: ValuePlace) -> ValuePlace:
        """Return a copy of an array, in C order without gaps; of a constant, one that is made now."""
        if source.storage.constant is not None:
            return self.made(source, None)
        made = self.new(source.kind)
        self.copy(source, made)
        return made

    def made(self, source: ValuePlace, packing: PackingJob | None) -> ValuePlace:
        """Return a constant that is made of one now: packed by a job, or copied without gaps."""
        known = source.storage
        assert known.constant is not None and known.source is not None
        how = source.offset, source.kind.shape, source.strides, packing
        return self.constant(constant_of(known.constant, *how), ConstantSource(known.source, *how))

    def spread(self, kernel: Kernel) -> Entry:
        """Return a kernel on all cores, if it can be cut."""
        try:
            return spreading.spread(kernel)
        except UnsupportedError:
            return kernel


def completed(lowering: Lowering, call: PlannedStep) -> tuple[ValuePlace | int, ...]:
    """Return the operands of a step, with the constant arrays of its job."""
    if isinstance(call.entry, PythonEntry):
        raise UnsupportedError(
            f"a function of Python computes {call.name}, but loops are machine code; compute it before or after"
        )
    if not isinstance(call.entry, ArraysJob) or len(call.operands) == len(call.entry._arrays):
        return call.operands
    return (*call.operands, *(lowering.constant(each, None) for each in call.entry._constants))


def lives_of(calls: Sequence[PlannedStep]) -> tuple[list[Life], list[Storage]]:
    """Return the lives of all blocks in the arena, in the order of their first steps."""
    found = {
        each.storage
        for call in calls
        for each in (*call.operands, *call.writes)
        if isinstance(each, ValuePlace) and each.storage.slot is None and each.storage.constant is None
    }
    blocks = sorted(found, key=lambda block: block.first)
    return [Life(max(block.bytes, 1), block.first, block.last) for block in blocks], blocks


def arranged(lives: Sequence[Life], blocks: Sequence[Storage]) -> int:
    """Give blocks their places in an arena, each in the smallest buffer that is free during its life. Return the bytes
    of the arena."""
    found, starts, size = assigned(lives), list[int](), 0
    for each in found.sizes:
        starts.append(size)
        size += -(-each // CACHE_LINE) * CACHE_LINE
    for block, buffer in zip(blocks, found.of):
        block.offset = starts[buffer]
    return size


def _alike(shape: Sequence[int], one: Sequence[int], other: Sequence[int]) -> bool:
    return all(extent <= 1 or a == b for extent, a, b in zip(shape, one, other))
