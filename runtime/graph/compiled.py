"""`compile`: a program as one callable, and what became of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.operands import CACHE_LINE
from ..arguments.arrays import Array, address_of, as_array, overlap
from ..arguments.foreign_arrays import returned
from ..arguments.tracebacks import shortening
from ..executor.run import Executor, GraphSlot
from ..executor.steps import GraphStep, OperandArray
from ..fastcall.foreign import of_tensor
from ..fastcall.guards import RELEASE_ABOVE, WordArgument
from ..fastcall.guards_array import Builder
from ..threads import policy
from .buffers import Life, assigned
from .builder import GraphBuilder
from .finished import FinishedProduct
from .lower import lowered
from .lowering import Lowering, PlannedStep
from .regions import FusedRegion
from .storage import Storage, ValuePlace, extent_of
from .values import Attribute, GraphNode, GraphValue, TensorGraph
from .views import NoView, contiguous

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike


class UnitSummary(NamedTuple):
    """What a unit of a program became: its nodes, and the names of the kernels; for functions that the caller brought,
    the reason."""

    kind: str
    nodes: tuple[str, ...]
    kernels: tuple[str, ...]
    reason: str = ""

    def __str__(self) -> str:
        kernels = f" -> {', '.join(self.kernels)}" if self.kernels else ""
        return f"{self.kind}: {', '.join(self.nodes)}{kernels}{f'  ({self.reason})' if self.reason else ''}"


class Explanation(tuple[UnitSummary, ...]):
    """The units of a program. Printed, a line for each.

    foreign   those that no kernel computes, by name with the reason
    kernels   the number of kernels that a call runs
    """

    @property
    def foreign(self) -> dict[str, str]:
        """The functions that the caller brought, and why."""
        return {each.nodes[0]: each.reason for each in self if each.kind == "foreign"}

    @property
    def kernels(self) -> int:
        """The number of steps of a call."""
        return sum(len(each.kernels) for each in self)

    def __str__(self) -> str:
        return "\n".join(f"{number}: {each}" for number, each in enumerate(self))


class CompiledGraph:
    """A program: `y = f(x)`, or a tuple of results. See `compile`.

    f(x, out=y)      writes to given arrays
    f.run(addresses of inputs, addresses of results)   on memory that the caller vouches for
    f.explain()      the units and their kernels; print(f): the same, with the memory of intermediate results
    f.arena          the bytes of intermediate results of a call
    """

    def __init__(self, graph: TensorGraph, threads: int | None, target: TargetLike, fold: bool = True) -> None:
        self.graph, self.threads = graph, threads
        lowering = lowered(simplified(graph, fold), threads, target)
        lives, blocks = _lives(lowering.calls)
        found = assigned(lives)
        starts, self.arena = [], 0
        for size in found.sizes:
            starts.append(self.arena)
            self.arena += -(-size // CACHE_LINE) * CACHE_LINE
        for block, buffer in zip(blocks, found.of):
            block.offset = starts[buffer]
        constants = list(dict.fromkeys(lowering.constants))
        first = 1 + len(graph.inputs) + len(graph.results)
        for number, each in enumerate(constants):
            each.slot = first + number
        self._constants = [each.constant for each in constants if each.constant is not None]
        self._inputs, self._results = [value.kind for value in graph.inputs], lowering.results
        self._strides = [value.strides or contiguous(value.shape) for value in graph.inputs]
        self.steps = tuple(_settled(each) for each in lowering.calls)
        self._explanation = _explained(lowering)
        self.executor = Executor(self.steps, self._slots(), threads)

    def run(self, inputs: Sequence[int], results: Sequence[int], threads: int | None = None) -> None:
        """Compute on arrays at these addresses, without checks. Results lie as `result_layouts` say."""
        self.executor.run([*inputs, *results], threads)

    @cached_property
    def _direct(self) -> Callable[..., object] | None:
        """What checks the inputs and computes in machine code, called with inputs and the addresses of results."""
        builder, count = Builder(RELEASE_ABOVE), len(self._inputs)
        for position, (kind, strides) in enumerate(zip(self._inputs, self._strides)):
            steps = [each * kind.dtype.itemsize for each in strides]
            builder.laid(position, f"word {position}", kind.dtype, kind.shape, steps, False)
        for position in range(count, count + len(self._results)):
            builder.add(WordArgument(position, f"word {position}"))
        return self.executor.native(builder)

    @cached_property
    def _new(self) -> list[Callable[[], Array]]:
        """What makes the array of each result."""
        return [
            partial(np.empty, place.kind.shape, place.kind.dtype) if place.is_contiguous else partial(_new, place)
            for place in self._results
        ]

    def _slots(self) -> list[GraphSlot]:
        inputs = zip(self.graph.inputs, self._inputs, self._strides)
        return [
            GraphSlot("arena", self.arena, True),
            *(GraphSlot(value.name, extent_of(kind, strides)) for value, kind, strides in inputs),
            *(GraphSlot(f"result {number}", each.storage.bytes, True) for number, each in enumerate(self._results)),
            *(GraphSlot(f"constant {number}", constant=each) for number, each in enumerate(self._constants)),
        ]

    @property
    def result_layouts(self) -> tuple[ValuePlace, ...]:
        """How results lie: `kind` is the shape and type of each, `strides` its strides in elements."""
        return tuple(self._results)

    @shortening
    def __call__(self, *inputs: ArrayLike, out: ArrayLike = None, threads: int | None = None) -> ArrayLike:
        """Return the result, or a tuple of results, in new arrays or in those of `out`."""
        if out is None and threads is None and self._direct is not None:
            new = tuple(make() for make in self._new)
            if self._direct(*inputs, *map(address_of, new)) is None:
                made = returned(new, inputs)
                return made[0] if len(made) == 1 else made
        asked = None if threads is None else policy.checked(threads, "threads")
        if len(inputs) != len(self._inputs):
            names = ", ".join(value.name for value in self.graph.inputs) or "none"
            raise TypeError(f"this program takes {len(self._inputs)} arrays: {names}; {len(inputs)} are given")
        arrays = [self._checked(place, value) for place, value in enumerate(inputs)]
        given = [None] * len(self._results) if out is None else self._given(out)
        made = [
            each if each is not None and self._takes(each, place, [*arrays, *given]) else make()
            for each, place, make in zip(given, self._results, self._new)
        ]
        self.run([address_of(each) for each in arrays], [address_of(each) for each in made], asked)
        if out is None:
            results = tuple(returned(each, inputs) for each in made)
            return results[0] if len(results) == 1 else results
        for each, array in zip(given, made):
            if each is not None and each is not array:
                each[...] = array
        return out

    def _checked(self, place: int, value: ArrayLike) -> Array:
        name, kind, steps = self.graph.inputs[place].name, self._inputs[place], self._strides[place]
        array = as_array(name, of_tensor(name, value))
        if array.shape != kind.shape:
            raise ValueError(f"{name}: shape {kind.shape}, not {array.shape}")
        if array.dtype != kind.dtype:
            raise TypeError(f"{name}: {kind.dtype}, not {array.dtype}")
        size = kind.dtype.itemsize
        near = zip(kind.shape, array.strides, steps)
        if array.flags.aligned and all(extent <= 1 or step == wanted * size for extent, step, wanted in near):
            return array
        made = np.empty(sum((e - 1) * s for e, s in zip(kind.shape, steps)) + 1 if kind.size else 0, kind.dtype)
        seen: Array = np.lib.stride_tricks.as_strided(made, kind.shape, [each * size for each in steps])
        seen[...] = array
        return seen

    def _given(self, out: ArrayLike) -> list[Array | None]:
        """Return the arrays that a call gives for its results."""
        given = out if isinstance(out, (tuple, list)) else (out,)
        if len(given) != len(self._results):
            raise TypeError(f"out: {len(self._results)} arrays, not {len(given)}")
        found = list[Array | None]()
        for number, (to, place) in enumerate(zip(given, self._results)):
            array, kind = as_array("out", of_tensor("out", to)), place.kind
            if array.shape != kind.shape or array.dtype != kind.dtype:
                raise ValueError(f"out: {kind} for result {number}, not {array.shape} {array.dtype}")
            if not array.flags.writeable:
                raise ValueError("out: a writable array, this one is read-only")
            found.append(array)
        return found

    def _takes(self, array: Array, place: ValuePlace, others: Sequence[Array | None]) -> bool:
        """Whether steps may write a result to an array: it lies as they do, apart from the other arrays."""
        near = zip(place.kind.shape, array.strides, place.steps)
        lies = array.flags.aligned and all(extent <= 1 or step == wanted for extent, step, wanted in near)
        return lies and not any(each is not None and each is not array and overlap(array, each) for each in others)

    def explain(self) -> Explanation:
        """Return the units of the program, with the kernels that compute them."""
        return self._explanation

    def __repr__(self) -> str:
        return f"<program of {len(self.graph.nodes)} nodes in {len(self.steps)} steps>"

    def __str__(self) -> str:
        """Return the units, a line each, and the memory of intermediate results."""
        return f"{self!r}, {self.arena:,} bytes between them\n{self._explanation}"

    def __reduce__(self) -> tuple[Callable[..., CompiledGraph], tuple[object, ...]]:
        return CompiledGraph, (self.graph, self.threads, None)


def _new(place: ValuePlace) -> Array:
    """Return a new array for a result."""
    memory = np.empty(max(place.storage.bytes, 1), np.uint8)
    typed = memory[: place.storage.bytes].view(place.kind.dtype)
    made: Array = np.lib.stride_tricks.as_strided(typed, place.kind.shape, place.steps)
    return made


def _lives(calls: Sequence[PlannedStep]) -> tuple[list[Life], list[Storage]]:
    """Return the lives of all blocks in the arena, in the order of their first steps."""
    found = {
        each.storage
        for call in calls
        for each in (*call.operands, *call.writes)
        if isinstance(each, ValuePlace) and each.storage.slot is None and each.storage.constant is None
    }
    blocks = sorted(found, key=lambda block: block.first)
    return [Life(max(block.bytes, 1), block.first, block.last) for block in blocks], blocks


def _settled(call: PlannedStep) -> GraphStep:
    operands = tuple(each.storage.at(each.offset) if isinstance(each, ValuePlace) else each for each in call.operands)
    arrays = tuple(
        OperandArray(each.kind.shape, each.steps, each.kind.dtype.itemsize) if isinstance(each, ValuePlace) else None
        for each in call.operands
    )
    return GraphStep(call.entry, operands, call.name, arrays)


def _explained(lowering: Lowering) -> Explanation:
    found = []
    for number, unit in enumerate(lowering.partition.units):
        kernels = tuple(call.name for call in lowering.calls if call.unit == number)
        kind = {FusedRegion: "region", FinishedProduct: "product"}.get(type(unit), unit.kind)
        first = unit.nodes[0]
        name = str(first.attributes["name"]) if kind == "foreign" else first.operator.name
        nodes = (name, *(node.operator.name for node in unit.nodes[1:]))
        found.append(UnitSummary(kind, nodes, kernels, str(first.attributes.get("reason", ""))))
    rest = tuple(call.name for call in lowering.calls if call.unit == len(lowering.partition.units))
    return Explanation([*found, *([UnitSummary("results", ("copy",), rest)] if rest else [])])


# Before the partition


def simplified(graph: TensorGraph, fold: bool = True) -> TensorGraph:
    """Return a program without nodes that no result needs, and with those of constants computed."""
    if fold:
        nodes = _needed(graph)
        _fold(nodes, graph.results)
        graph = graph._replace(nodes=tuple(nodes))
    nodes = [
        node for node in _needed(graph) if not node.results or any(value.constant is None for value in node.results)
    ]
    return graph._replace(nodes=tuple(nodes))


def _needed(graph: TensorGraph) -> list[GraphNode]:
    """Return the nodes that results need, or that keep their place."""
    needed = {node for node in graph.nodes if node.attributes.get("ordered")}
    todo = [*graph.results, *(value for node in needed for value in node.operands)]
    while todo:
        value = todo.pop()
        if value.constant is None and value.node is not None and value.node not in needed:
            needed.add(value.node)
            todo += value.node.operands
    return [node for node in graph.nodes if node in needed]


def _fold(nodes: Sequence[GraphNode], wanted: Sequence[GraphValue]) -> None:
    """Compute what depends on constants only. Views of constants are seen where these lie."""
    known: dict[GraphNode, None] = {}
    for node in nodes:
        if node.operator.kind == "foreign" or not node.operands:
            continue
        if node.operator.view is not None and node.operands[0].constant is not None:
            node.results[0].constant = _viewed(node, node.operands[0].constant)
        elif all(value.constant is not None or value.node in known for value in node.operands):
            known[node] = None
    read = {value for node in nodes if node not in known for value in node.operands} | set(wanted)
    results = tuple(value for node in known for value in node.results if value in read)
    if not results:
        return
    made = CompiledGraph(TensorGraph((), tuple(known), results), None, None, fold=False)()
    for value, array in zip(results, made if isinstance(made, tuple) else (made,)):
        value.constant = array


def _viewed(node: GraphNode, array: Array) -> Array:
    assert node.operator.view is not None
    try:
        return node.operator.view(array, **node.attributes)
    except NoView:
        return node.operator.view(np.ascontiguousarray(array), **node.attributes)


@shortening
def compile(graph: TensorGraph, *, threads: int | None = None, target: TargetLike = None) -> CompiledGraph:
    """Return a program as one callable."""
    return CompiledGraph(graph, None if threads is None else policy.checked(threads, "threads"), target)


def evaluate(name: str, *arrays: ArrayLike, **attributes: Attribute) -> ArrayLike:
    """Return the results of one operator on arrays, by a program of one node. Numbers and None are given as in
    `GraphBuilder.apply`."""
    build = GraphBuilder()
    given = [each if each is None or isinstance(each, (bool, int, float)) else _as_array(each) for each in arrays]
    values = [build.input(each.shape, each.dtype) if isinstance(each, np.ndarray) else each for each in given]
    made = build.apply(name, *values, **attributes)
    results = made if isinstance(made, tuple) else (made,)
    return compile(build.finish(*results))(*[each for each in given if isinstance(each, np.ndarray)])


def _as_array(value: ArrayLike) -> Array:
    return as_array("array", of_tensor("array", value))
