"""`compile`: a program as one callable, and what became of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import cached_property
from ...microkernels.notebook import summary
from ..arguments.arrays import Array, address_of, as_array, overlap
from ..arguments.foreign_arrays import returned
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from ..fastcall.guards import RELEASE_ABOVE, WordArgument
from ..fastcall.guards_array import Builder
from ..host import detect as host
from ..threads import policy
from . import program as programs
from .builder import GraphBuilder
from .found_attention import with_attention
from .program import Explanation, GraphProgram
from .recurrence.scan import body_of
from .storage import ValuePlace
from .values import Attribute, GraphNode, GraphValue, TensorGraph
from .views import NoView, contiguous

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike
    from ..executor.run import Executor
    from ..executor.steps import GraphStep
    from ..loops.code import Node
    from . import lower
    from .lower import LoweredProgram

lower = lazy(__package__, ".lower")


class CompiledGraph:
    """A program: `y = f(x)`, or a tuple of results. See `compile`.

    f(x, out=y)      writes to given arrays
    f.run(addresses of inputs, addresses of results)   on memory that the caller vouches for
    f.explain()      the units and their kernels; print(f): the same, with the memory of intermediate results
    f.arena          the bytes of intermediate results of a call
    """

    def __init__(self, graph: TensorGraph, threads: int | None, target: TargetLike, fold: bool = True) -> None:
        self.graph, self.threads = graph, threads
        self._simple, self._target = simplified(graph, fold), host.resolve(target)
        self._request = programs.request_of(self._simple, threads, self._target)
        found = self._found()
        self._program = found or self._lowered.program
        self._results = self._program.results
        if found is None and self._request is not None:
            self._lowered.keep(self._request)
        self._inputs = [value.kind for value in graph.inputs]
        self._strides = [value.strides or contiguous(value.shape) for value in graph.inputs]

    def _found(self) -> GraphProgram | None:
        """Return the program from the cache folder."""
        if self._request is None:
            return None
        return programs.find(self._request, self._simple, self.threads, self._target, self._nodes)

    def _nodes(self, segment: int) -> Sequence[Node]:
        return self.executor.segments[segment].nodes()

    @cached_property
    def _lowered(self) -> LoweredProgram:
        """The program with its steps. One that was found in the cache folder is lowered if somebody asks for these."""
        return lower.LoweredProgram(self._simple, self.threads, self._target, self._request is not None)

    @property
    def arena(self) -> int:
        """The bytes of intermediate results of a call."""
        return self._program.arena

    @property
    def executor(self) -> Executor:
        """The steps as machine code."""
        return self._lowered.executor

    @property
    def steps(self) -> tuple[GraphStep, ...]:
        """The steps."""
        return self._lowered.steps

    def run(self, inputs: Sequence[int], results: Sequence[int], threads: int | None = None) -> None:
        """Compute on arrays at these addresses, without checks. Results lie as `result_layouts` say."""
        self._program.calls.run([*inputs, *results], threads)

    @cached_property
    def _direct(self) -> Callable[..., object] | None:
        """What checks the inputs and computes in machine code, called with inputs and the addresses of results."""
        builder, count = Builder(RELEASE_ABOVE), len(self._inputs)
        for position, (kind, strides) in enumerate(zip(self._inputs, self._strides)):
            steps = [each * kind.dtype.itemsize for each in strides]
            builder.laid(position, f"word {position}", kind.dtype, kind.shape, steps, False)
        for position in range(count, count + len(self._results)):
            builder.add(WordArgument(position, f"word {position}"))
        return self._program.calls.native(builder)

    @cached_property
    def _new(self) -> list[Callable[[], Array]]:
        """What makes the array of each result."""
        return [
            partial(np.empty, place.kind.shape, place.kind.dtype) if place.is_contiguous else partial(_new, place)
            for place in self._results
        ]

    @property
    def result_layouts(self) -> tuple[ValuePlace, ...]:
        """How results lie: `kind` is the shape and type of each, `strides` its strides in elements."""
        return self._results

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
        return self._program.explanation

    def __repr__(self) -> str:
        return f"<program of {len(self.graph.nodes)} nodes in {self._program.steps} steps>"

    def __str__(self) -> str:
        """Return the units, a line each, and the memory of intermediate results."""
        return f"{self!r}, {self.arena:,} bytes between them\n{self.explain()}"

    def _repr_html_(self) -> str:
        """Return the same for notebooks, with the units in a folded section."""
        return summary(self, "units")

    def __reduce__(self) -> tuple[Callable[..., CompiledGraph], tuple[object, ...]]:
        return CompiledGraph, (self.graph, self.threads, None)


def _new(place: ValuePlace) -> Array:
    """Return a new array for a result."""
    memory = np.empty(max(place.storage.bytes, 1), np.uint8)
    typed = memory[: place.storage.bytes].view(place.kind.dtype)
    made: Array = np.lib.stride_tricks.as_strided(typed, place.kind.shape, place.steps)
    return made


# Before the partition


def simplified(graph: TensorGraph, fold: bool = True) -> TensorGraph:
    """Return a program without nodes that no result needs, with those of constants computed, and with attention in
    place of the products that it consists of."""
    if fold:
        nodes = _needed(graph)
        _fold(nodes, graph.results)
        graph = graph._replace(nodes=tuple(nodes))
    for node in graph.nodes:
        if "body" in node.attributes:
            _simplify_body(node)
    nodes = [
        node for node in _needed(graph) if not node.results or any(value.constant is None for value in node.results)
    ]
    return with_attention(graph._replace(nodes=tuple(nodes)))


def _simplify_body(node: GraphNode) -> None:
    """Simplify the program that a node repeats, where values that are known and the same in all steps are constants."""
    body, changing = body_of(node.attributes), int(node.attributes["states"]) + int(node.attributes["sequences"])  # type: ignore[call-overload]
    kept = [place for place, each in enumerate(node.operands) if place < changing or each.constant is None]
    for place, value in enumerate(body.inputs):
        if place not in kept:
            value.constant = node.operands[place].constant
    node.inputs = tuple(node.operands[place] for place in kept)
    node.attributes["body"] = simplified(body._replace(inputs=tuple(body.inputs[place] for place in kept)))


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
