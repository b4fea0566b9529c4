"""From units to steps: where values lie, and which kernels compute them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array
from ..host import detect as host
from ..images.permute import Reordered, moved, permutation
from ..kernel.callable import Kernel
from .partition import Partition, Region, Unit, behind, seen_as
from .regions import lower_region
from .steps import ArrayPlace, At, Entry, OnArrays, Operand, Step
from .storage import Place, Storage, dense
from .values import GraphNode, GraphValue, TensorGraph, TensorType
from .views import NoView, contiguous, fake

if TYPE_CHECKING:
    from ..ops import spread as spreading

spreading = lazy(__package__, "..ops.spread")


class Call(NamedTuple):
    """A step whose places have no addresses yet: numbers, and places that it reads and writes, in the kernel's order."""

    entry: Entry
    operands: tuple[Place | int, ...]
    writes: tuple[Place, ...]
    name: str
    unit: int


class ResultLayout(NamedTuple):
    """A result of the program: its slot, and the array in it."""

    place: Place


class Lowering:
    """The steps of a program, as they are made.

    calls     the steps so far
    results   where each result of the program lies
    notes     for each unit, the kernels that it became
    """

    def __init__(self, graph: TensorGraph, threads: int | None, target: object) -> None:
        self.graph, self.threads, self.target = graph, threads, host.resolve(target)
        self.partition = Partition(graph)
        self.calls: list[Call] = []
        self.constants: list[Storage] = []
        self._places: dict[GraphValue, Place] = {}
        self._unit = 0
        self._slots = 1
        for value in graph.inputs:
            strides = value.strides or contiguous(value.shape)
            size = value.kind.bytes if value.strides is None else _span(value.kind, strides)
            self._places[value] = Place(Storage(size, self._slot()), 0, value.kind, strides)
        self._owned: dict[GraphValue, Place] = {}
        self.results = [self._claimed(value) for value in graph.results]
        self._consumers = self._read_by()
        for number, unit in enumerate(self.partition.units):
            self._unit = number
            self._lower(unit)
        self._unit = len(self.partition.units)
        for value, place in zip(graph.results, self.results):
            if self._places.get(behind(value)[0]) is None or not self._is_there(value, place):
                self.copy(self.place(value), place)

    # Results

    def _slot(self) -> int:
        self._slots += 1
        return self._slots - 1

    def _claimed(self, value: GraphValue) -> Place:
        """Return where a result of the program lies: in a slot of its own, to which its unit writes if it can."""
        base, chain = behind(value)
        storage = Storage(value.kind.bytes, self._slot())
        strides = value.strides or contiguous(value.shape)
        place = Place(storage, 0, value.kind, strides)
        if base.node is None or base in self._owned or base.size != value.size:
            return place
        candidates = [contiguous(base.shape), *([strides] if not chain else [])]
        for each in candidates:
            try:
                offset, made = seen_as(value, base, each, chain)
            except NoView:
                continue
            if offset == 0 and (value.strides is None or _alike(value.shape, made, strides)):
                self._owned[base] = Place(storage, 0, base.kind, each)
                return place._replace(strides=made)
        return place

    def _is_there(self, value: GraphValue, place: Place) -> bool:
        """Whether a result was written where it belongs."""
        return self._places[behind(value)[0]].storage is place.storage

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
        return wanted or bool(self._consumers.get(value, set()) - {unit})

    def new(self, kind: TensorType, strides: tuple[int, ...] | None = None) -> Place:
        """Return a new place in the arena."""
        return Place(Storage(kind.bytes), 0, kind, strides or contiguous(kind.shape))

    def result(self, value: GraphValue, strides: tuple[int, ...] | None = None) -> Place:
        """Return where a unit writes a value: to the program's result, or to a new place, by these strides."""
        place = self._owned.get(value) or self.new(value.kind, strides)
        self._places[value] = place
        return place

    def preferred(self, value: GraphValue) -> tuple[int, ...] | None:
        """Return the strides of a value whose readers all permute it in the same way, so that they see it without gaps:
        None if they do not, or it is a result of the program."""
        if value in self._owned:
            return None
        orders = {
            tuple(node.attributes["axes"]) if node.operator.name == "permute" else None  # type: ignore[arg-type]
            for node in self.partition.readers.get(value, [])
        }
        order = orders.pop() if len(orders) == 1 else None
        return None if order is None else dense(value.kind, order)

    def place(self, value: GraphValue) -> Place:
        """Return where a value lies, seen through its views; they are copied where their elements have no strides."""
        known = self._places.get(value)
        if known is not None:
            return known
        if value.constant is not None:
            made = self.constant(value.constant)
        else:
            assert value.node is not None and value.node.operator.view is not None, "computed before it is read"
            (source,) = value.node.operands
            made = self._seen(self.place(source), value.node)
        self._places[value] = made
        return made

    def _seen(self, source: Place, node: GraphNode) -> Place:
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
        return Place(source.storage, source.offset + offset, value.kind, tuple(s // size for s in array.strides))

    def constant(self, array: Array) -> Place:
        """Return the place of an array that never changes."""
        size = array.itemsize
        if not array.flags.aligned or any(step % size for step in array.strides) or min(array.strides, default=0) < 0:
            array = np.ascontiguousarray(array)
        storage = Storage(max(_span(TensorType(array.shape, array.dtype), tuple(s // size for s in array.strides)), 1))
        storage.constant = array
        self.constants.append(storage)
        return Place(storage, 0, TensorType(array.shape, array.dtype), tuple(s // size for s in array.strides))

    # Steps

    def call(self, entry: Entry, reads: Sequence[Place | int], writes: Sequence[Place], name: str) -> None:
        """Add a step of a kernel whose parameters are what it reads, then what it writes."""
        self.step(entry, (*reads, *writes), writes, name)

    def step(self, entry: Entry, operands: Sequence[Place | int], writes: Sequence[Place], name: str) -> None:
        """Add a step of a kernel with its operands in the kernel's order."""
        for each in operands:
            if isinstance(each, Place):
                each.storage.used(len(self.calls))
        self.calls.append(Call(entry, tuple(operands), tuple(writes), name, self._unit))

    def on_arrays(
        self, function: object, reads: Sequence[Place | None], writes: Sequence[Place | None], name: str
    ) -> None:
        """Add a step of a Python function of arrays."""
        described = [
            [None if each is None else ArrayPlace(each.kind, each.steps) for each in places]
            for places in (reads, writes)
        ]
        entry = OnArrays(function, *described, name)  # type: ignore[arg-type]
        given = [[each for each in places if each is not None] for places in (reads, writes)]
        self.call(entry, given[0], given[1], name)

    def copy(self, source: Place, to: Place) -> None:
        """Add a step that copies an array."""
        if not source.kind.size:
            return
        pair = fake(source.kind.shape, source.strides, source.kind.dtype), to.steps
        try:
            job = permutation(Reordered(*moved("x", *pair), self.target))
        except UnsupportedError:
            self.on_arrays(_copied, [source], [to], "copy")
            return
        self.call(job, [source], [to], "copy")

    def copied(self, source: Place) -> Place:
        """Return a copy of an array, in C order without gaps; of a constant, one that is made now."""
        if source.storage.constant is not None:
            array = source.on(source.storage.constant.__array_interface__["data"][0])
            return self.constant(np.ascontiguousarray(array))
        made = self.new(source.kind)
        self.copy(source, made)
        return made

    def spread(self, kernel: Kernel) -> Entry:
        """Return a kernel on all cores, if it can be cut."""
        try:
            return spreading.spread(kernel)
        except UnsupportedError:
            return kernel

    # Units

    def _lower(self, unit: Unit) -> None:
        if isinstance(unit, Region):
            self._lower_region(unit)
        elif all(not each.size for node in unit.nodes for each in node.results) and unit.kind != "foreign":
            for node in unit.nodes:
                for value in node.results:
                    self.result(value)
        elif unit.kind == "product":
            from .products import lower_product

            lower_product(self, unit)  # type: ignore[arg-type]
        else:
            from .singles import lower_single

            lower_single(self, unit.nodes[0])

    def _lower_region(self, region: Region) -> None:
        """Lower a region; one that no kernel takes as a whole is lowered in two halves."""
        before, places = len(self.calls), dict(self._places)
        try:
            lower_region(self, region)
        except UnsupportedError as error:
            del self.calls[before:]
            self._places = places
            if len(region.nodes) == 1:
                error.node = region.nodes[0]  # type: ignore[attr-defined]
                raise
            self._halved(region)

    def _halved(self, region: Region) -> None:
        middle = len(region.nodes) // 2
        parts = []
        for nodes in (region.nodes[:middle], region.nodes[middle:]):
            part = Region()
            for node in nodes:
                if not part.add(node):
                    parts.append(part)
                    part = Region()
                    assert part.add(node)
            parts.append(part)
        for part in parts:
            for node in part.nodes:
                for value in node.operands:
                    self._consumers.setdefault(behind(value)[0], set()).add(part)
        for part in parts:
            self._lower_region(part)


def _copied(x: Array, *, out: Sequence[Array]) -> None:
    np.copyto(out[0], x)


def _alike(shape: Sequence[int], one: Sequence[int], other: Sequence[int]) -> bool:
    return all(extent <= 1 or a == b for extent, a, b in zip(shape, one, other))


def _span(kind: TensorType, strides: Sequence[int]) -> int:
    """Return the bytes from the first element of an array to behind the last one."""
    if not kind.size:
        return 0
    return (1 + sum((extent - 1) * abs(step) for extent, step in zip(kind.shape, strides))) * kind.dtype.itemsize


_ = (At, Operand, Step)
