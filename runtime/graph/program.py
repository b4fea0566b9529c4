"""Compiled programs: what their calls need, which the cache folder holds as an entry of the kind `graph`.

An entry belongs to the exact content of a program: operators, attributes, shapes, element types and strides, numbers
(which kernels hold in their code), and how constants lie, but not their elements. It belongs to a target, to the stamp
of the sources, and to what plans depend on beside these: threads, processors, the accuracy of the process and the
blocks that `ts.tune` found. Its value is the calls of the executor as data (`executor.kept`) and how each constant is
made of those of the program, such as weights that a job packs.

A process that finds the entry neither partitions nor lowers the program, and makes no kernel. It does so only if
somebody asks for the steps, as listings, proofs and the emulator do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple, text_of
from ...microkernels.notebook import summary
from ..arguments.arrays import Array, address_of
from ..cache.keeping import keeps, stamp, store
from ..executor.calls import GraphCalls
from ..executor.kept import ArrayData, EntryReader, EntryWriter, NotKept, PackingData, type_text
from ..executor.steps import Origin, PythonEntry
from ..kernel.accuracy import default_accuracy
from ..ops.tuned_blocks import tuned_products
from ..system.architecture import arch
from ..system.environment import cache_folder, tells_tools, wants_proofs
from ..threads.policy import num_threads
from .on_arrays import OnArrays, entry_of, origin_of
from .storage import ConstantSource, Storage, ValuePlace, as_constant, constant_of
from .values import GraphNode, GraphValue, TensorGraph

if TYPE_CHECKING:
    from ..cache.sealed import SealedEntry
    from ..loops.code import Node

KIND = "graph"
"""What requests of programs begin with in the cache."""


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

    foreign     those that no kernel computes, by name with the reason
    kernels     the number of kernels that a call runs
    each_size   why each number of rows that calls give has a program of its own; "" if there is none or one for all
    """

    each_size: str = ""

    @property
    def foreign(self) -> dict[str, str]:
        """The functions that the caller brought, and why."""
        return {each.nodes[0]: each.reason for each in self if each.kind == "foreign"}

    @property
    def kernels(self) -> int:
        """The number of steps of a call."""
        return sum(len(each.kernels) for each in self)

    def __str__(self) -> str:
        lines = [f"{number}: {each}" for number, each in enumerate(self)]
        lines += [f"a program for each number of rows: {self.each_size}"] if self.each_size else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the same for notebooks, with the lines in a folded section."""
        title = f"{len(self)} units, {self.kernels} kernels"
        foreign = "".join(f"\n{name}: {reason}" for name, reason in self.foreign.items())
        return summary(self, "units", f"{title}{foreign}")


class GraphProgram(NamedTuple):
    """What calls of a program need.

    calls       in machine code, and of Python
    constants   the arrays whose addresses the calls have
    results     how each result lies
    arena       the bytes of intermediate results
    steps       how many there are
    """

    calls: GraphCalls
    constants: Sequence[Array]
    results: tuple[ValuePlace, ...]
    arena: int
    steps: int
    explanation: Explanation


# What an entry belongs to


def request_of(graph: TensorGraph, threads: int | None, target: Target) -> str | None:
    """Return the request of a program's entry; None if nothing is kept, or its content is no data."""
    where = cache_folder()
    shown = wants_proofs() or tells_tools()  # kernels are proved, or announced, as they are made
    if shown or target.arch != arch() or target.units or where is None or not keeps(where):
        return None
    state = threads, num_threads(), os.cpu_count(), default_accuracy(), tuned_products()
    try:
        content = _content(graph)
    except NotKept:
        return None
    return f"{KIND} {stamp.stamp()} {(state, content)!r} {text_of(target)}"


def _content(graph: TensorGraph) -> tuple[object, ...]:
    """Return the exact content of a program as data."""
    numbers = _numbers(graph)
    inputs = tuple((value.shape, type_text(value.dtype), value.strides) for value in graph.inputs)
    constants = tuple(_constant(value.constant) for value in _constants(graph) if value.constant is not None)
    nodes = tuple(_node(node, numbers) for node in graph.nodes)
    return inputs, constants, nodes, tuple(numbers[value] for value in graph.results), graph.layouts


def _numbers(graph: TensorGraph) -> Mapping[GraphValue, int]:
    """Return a number for each value of a program: inputs, constants, results of nodes."""
    made = (value for node in graph.nodes for value in node.results)
    return {value: number for number, value in enumerate((*graph.inputs, *_constants(graph), *made))}


def _constants(graph: TensorGraph) -> tuple[GraphValue, ...]:
    """Return the constants of a program, in the order in which they are read."""
    read = (*(value for node in graph.nodes for value in node.operands), *graph.results)
    return tuple(dict.fromkeys(value for value in read if value.constant is not None))


def _constant(array: Array) -> tuple[object, ...]:
    """Return what kernels depend on of a constant: how it lies, or the number that it is."""
    if not array.shape:
        return type_text(array.dtype), array.tobytes()
    return type_text(array.dtype), array.shape, array.strides, array.flags.aligned


def _node(node: GraphNode, numbers: Mapping[GraphValue, int]) -> tuple[object, ...]:
    foreign = node.operator.kind == "foreign"  # its function is the caller's own, at each call
    attributes = [
        (name, _plain(value)) for name, value in sorted(node.attributes.items()) if not foreign or name != "function"
    ]
    given = tuple(None if each is None else numbers[each] for each in node.inputs)
    kinds = tuple((value.shape, type_text(value.dtype)) for value in node.results)
    return node.operator.name, given, tuple(attributes), kinds


def _plain(value: object) -> object:
    """Return an attribute as data that are written differently if they differ. Raises NotKept for others."""
    if value is None or type(value) in (int, bool, str):
        return value
    if isinstance(value, float):
        return "float", value.hex()
    if isinstance(value, (tuple, list)):
        return tuple(map(_plain, value))
    if isinstance(value, np.dtype):
        return "dtype", type_text(value)
    if isinstance(value, np.generic):
        return type_text(value.dtype), value.tobytes()
    raise NotKept(f"an attribute of type {type(value).__name__}")


# Entries

SourceData: TypeAlias = "int | tuple[SourceData, int, tuple[int, ...], tuple[int, ...], PackingData | None]"
"""The number of a constant of the program, or how an array is made of one: see `ConstantSource`."""


def keepable(graph: TensorGraph, constants: Sequence[Storage], entries: Sequence[object]) -> bool:
    """Whether another process can make the constants and the functions of Python of a program's steps. The functions
    get their origins."""
    for each in entries:
        if isinstance(each, OnArrays):
            each.origin = origin_of(each, graph.nodes)
    known = (each.origin is not None for each in entries if isinstance(each, PythonEntry))
    return all(known) and all(each.source is not None for each in constants)


def keep(request: str, graph: TensorGraph, made: GraphProgram, constants: Sequence[Storage]) -> None:
    """Keep a program in the cache folder, unless something of it is no data."""
    writer, numbers = EntryWriter(), {value: number for number, value in enumerate(_constants(graph))}

    def source(of: GraphValue | ConstantSource) -> SourceData:
        if isinstance(of, GraphValue):
            return numbers[of]
        packing = None if of.packing is None else writer.packing(of.packing)
        return source(of.of), of.offset, of.shape, of.strides, packing

    try:
        calls = writer.calls(made.calls)
        sources = tuple(source(each.source) for each in constants if each.source is not None)
        tables = tuple(map(writer.array, made.constants[len(constants) :]))
    except NotKept:
        return
    facts = {
        "kind": KIND,
        "name": f"{made.steps} steps of {len(graph.nodes)} operators",
        "arch": arch(),
        "decoded": False,
        "features": sorted(writer.features),
        "calls": calls,
        "sources": sources,
        "tables": tables,
        "results": tuple((each.storage.bytes, each.strides) for each in made.results),
        "arena": made.arena,
        "steps": made.steps,
        "units": tuple(map(tuple, made.explanation)),
    }
    store.keep(request, lambda: (facts, writer.sections))


def find(
    request: str, graph: TensorGraph, threads: int | None, target: Target, nodes: Callable[[int], Sequence[Node]]
) -> GraphProgram | None:
    """Return the program of a request from the cache folder, or None. `nodes` returns the nest of a segment."""
    found = store.find(request)
    if found is None or not target.features.issuperset(found.facts["features"]):
        return None

    def python(origin: Origin) -> PythonEntry:
        return entry_of(origin, graph.nodes)

    reader = EntryReader(found.sections, target, nodes, python)
    constants = [*_made(found, graph, reader), *_tables(found.facts["tables"], reader)]
    calls = reader.calls(found.facts["calls"], list(map(address_of, constants)), threads)
    first = 1 + len(graph.inputs)
    results = tuple(
        ValuePlace(Storage(size, first + number), 0, value.kind, strides)
        for number, (value, (size, strides)) in enumerate(zip(graph.results, found.facts["results"]))
    )
    units = Explanation(UnitSummary(*each) for each in found.facts["units"])
    return GraphProgram(calls, constants, results, found.facts["arena"], found.facts["steps"], units)


def _made(found: SealedEntry, graph: TensorGraph, reader: EntryReader) -> Iterator[Array]:
    """Yield the arrays of constants that are those of a program, or made of them."""
    own = [value.constant for value in _constants(graph) if value.constant is not None]

    def array(data: SourceData) -> Array:
        if isinstance(data, int):
            return as_constant(own[data])
        of, offset, shape, strides, packing = data
        return constant_of(array(of), offset, shape, strides, None if packing is None else reader.packing(packing))

    yield from map(array, found.facts["sources"])


def _tables(given: Sequence[ArrayData], reader: EntryReader) -> Iterator[Array]:
    yield from map(reader.array, given)
