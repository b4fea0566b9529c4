"""Loop nests: prove that the code leaves what the calls of the body leave when made one after the other in loop order.
Networks: prove that the code leaves what the code of the layers leaves.

Each kernel is proved by itself. The calls are derived from the nest as data (runtime/loops/code.py), and each is made
with the kernel's own code on symbolic memory. On any number of workers, the nest's code must leave the same nodes. The
derived calls are also compared with the ranges of the loops: every iteration of the body must be made exactly once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from time import perf_counter
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from ...emulation.core.memory import Region
from ...emulation.coverage import recorded
from ...emulation.symbolic.given.call import Open
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.memory import SymbolicMemory
from ...emulation.symbolic.workers import execute_calls
from ...emulation.workers import CLAIM
from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.operands import CACHE_LINE, Number, Operand, View
from ..arguments.arrays import Array, numpy_dtype
from . import refutation
from .check import conditions, timed, verify
from .coverage import with_coverage
from .operands import Call, any_of, array_of, number_of
from .proof import Claim, Proof, Refutation
from .together import WORKERS, Claims, WorkerJob, scratch_of, table_of, verify_together

_HOLDS = {"==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__}
ALONE = {"@worker": 0, "@workers": 1}
Made = tuple[Any, tuple[Any, ...]]
"""A kernel and the arguments of one call of it: numbers, the bytes of tables, and addresses, each an operand and an
offset from the start of its memory."""
NumbersOf = Callable[[object], Sequence[int]]
"""Returns the numbers that the calls of a kernel give, or () for any."""


@timed
def of_nest(nest: Any) -> Proof:
    """Return a proof of a nest, or of the several nests of a region."""
    arrays = {each.name: _array(each) for each in nest.matrices}
    regions = [Region(name, array, name in nest.written) for name, array in arrays.items()]
    words = {name: array.__array_interface__["data"][0] for name, array in arrays.items()}
    numbers = {each.name: number_of(Number(each.name)) for each in nest.numbers}
    words |= {name: Open(value, name) for name, value in numbers.items()}
    addresses = [words[each.name] for each in nest.operands]
    call = Call(addresses, regions, list(arrays.values()), [arrays], numbers)
    spec = SimpleNamespace(stem=nest.title)
    look = partial(_look, _Called(nest, addresses, *_kernels(nest)))
    workers = WORKERS if nest.parallel else (1,)  # without parallel loops, other workers have nothing to do
    sizes = nest.scratch

    def job_of(count: int) -> WorkerJob:
        memory = [scratch_of(sizes[0]), scratch_of(count * sizes[1])]
        words = [each.__array_interface__["data"][0] for each in memory] if any(sizes) else []
        return WorkerJob(nest.code, [*table_of([*addresses, *words]), CLAIM], (memory[0],) * bool(sizes[0]), memory[1])

    with recorded() as seen:
        proof = verify_together(nest.target, spec, call, job_of, look, workers)
    return with_coverage(proof, nest.code, nest.target, seen, workers)


class _Loops(Protocol):
    """The loops of a job: a name, and what `calls_made` walks."""

    @property
    def name(self) -> str: ...

    @property
    def nodes(self) -> Sequence[object]: ...


class ProvedJob(Protocol):
    """A job: its machine code, its loops, and the processor that it is for."""

    data: bytes
    target: Target

    @property
    def blob(self) -> _Loops: ...


def of_job(
    job: ProvedJob,
    arrays: Mapping[str, Array],
    written: Mapping[str, Array],
    words_of: Callable[[Sequence[int], Array, int], Sequence[int]],
    bytes_of: Callable[[int], int],
    *,
    tables: Collection[str] = (),
    made: Callable[[Sequence[Made]], Sequence[Claim]] = lambda made: (),
    memory: Mapping[int, Array] | None = None,
    workers: Sequence[int] = WORKERS,
    numbers: NumbersOf = lambda kernel: (),
) -> Proof:
    """Prove a job whose table of operands has addresses only: it must leave what the calls of its kernels leave. Of
    each array all may be read, and of results those elements are written that `written` says; other memory is refused.

    written    masks of the elements of results, by their names
    words_of   returns the table, from the addresses of the arrays, the scratch memory, and the number of workers
    bytes_of   returns the bytes of scratch memory of so many workers
    tables     the names of arrays of indices and offsets, which keep their values
    made       returns more claims about the calls
    memory     the bytes of tables that the nest loads indices from, by their places in the job's table
    numbers    returns all numbers that calls of a kernel give by these tables; (): it is proved for any
    """
    start, title, target = perf_counter(), job.blob.name, job.target
    try:
        calls = list(calls_made(job.blob.nodes, ALONE, memory))
        claims = tuple(made(calls))
    except ValueError as error:
        claims = (Claim("indices", False, str(error)),)
    if tables and (wrong := next((each for each in claims if not each.holds), None)):
        found = Refutation(f"refuted: the calls of the nest, with its tables: {wrong.how}")
        return Proof(title, target.name, claims, found, (), 0, perf_counter() - start)
    if memory:
        how = f"the words that the nest loads for {len(calls)} calls lie inside the bounds that it states for them"
        claims = (Claim("indices", True, how), *claims)
    regions = [Region(name, array, name in written) for name, array in arrays.items()]

    def further(call: Call, done: Done) -> Sequence[Claim]:
        return (*(_whole(done, call, *each) for each in written.items()), *claims)

    return of_calls(
        job,
        regions,
        words_of,
        bytes_of,
        further,
        tables=tables,
        memory=memory,
        workers=workers,
        numbers=numbers,
    )


def of_calls(
    job: ProvedJob,
    regions: Sequence[Region],
    words_of: Callable[[Sequence[int], Array, int], Sequence[int]],
    bytes_of: Callable[[int], int],
    further: Callable[[Call, Done], Sequence[Claim]] = lambda call, done: (),
    *,
    tables: Collection[str] = (),
    memory: Mapping[int, Array] | None = None,
    workers: Sequence[int] = WORKERS,
    numbers: NumbersOf = lambda kernel: (),
) -> Proof:
    """Prove a job whose table of operands has addresses only: it must leave in these regions what the calls of its
    kernels leave. See `of_job`; `further` returns more claims about what the job has left."""
    title, target = job.blob.name, job.target
    addresses = [each.start for each in regions]
    nest = SimpleNamespace(nodes=job.blob.nodes, title=title)
    same = partial(_look, _Called(nest, None, *_kernels(nest, numbers, memory), memory))

    def job_of(count: int) -> WorkerJob:
        scratch = scratch_of(bytes_of(count))
        return WorkerJob(job.data, list(words_of(addresses, scratch, count)), (scratch,))

    def look(code: bytes, target: Target, spec: object, call: Call, done: Done) -> Claims:
        found, wrong = same(code, target, spec, call, done)
        return (*found, *further(call, done)), wrong

    arrays = [each.array for each in regions]
    call = Call([], list(regions), arrays, [arrays], concrete=frozenset(tables))
    with recorded() as seen:
        proof = verify_together(target, SimpleNamespace(stem=title), call, job_of, look, workers)
    return with_coverage(proof, job.data, target, seen, workers)


def elements(size: int, dtype: str) -> Array:
    """Return memory of so many bytes that is aligned to a line."""
    return scratch_of(size)[:size].view(numpy_dtype(dtype))


def _whole(done: Done, call: Call, name: str, written: Array) -> Claim:
    """Return the claim that these elements of a result, and no others, have been written."""
    region = next(each for each in call.regions if each.name == name)
    before = execute_calls([], call.regions, call.symbolic(), done)
    changed = (done.memory.held(region) != before.held(region)).any(axis=-1)
    if not np.array_equal(changed, written):
        return Claim("elements", False, f"{int((changed != written).sum())} elements are left out or overwritten")
    return Claim("elements", True, f"all {int(written.sum())} of the result are written, and nothing between them")


class _Called(NamedTuple):
    """The kernels that a nest calls, each once.

    addresses   of the operands; None: those of the job's table
    refuted     the first proof of a kernel that does not hold, or None
    memory      the bytes of operands from which indices are loaded: see `calls_made`
    """

    nest: Any
    addresses: Sequence[int] | None
    kernels: Sequence[Any]
    refuted: Proof | None
    memory: Mapping[int, Array] | None = None


def _array(matrix: Any) -> Array:
    """Return an array whose address is not aligned to a vector."""
    dtype = numpy_dtype(matrix.dtype)
    memory = np.zeros(matrix.bytes + 2 * CACHE_LINE, np.uint8)
    start = -memory.__array_interface__["data"][0] % CACHE_LINE + dtype.itemsize % CACHE_LINE
    made: Array = np.ndarray(matrix.shape, dtype, memory, start)
    return made


def _kernels(
    nest: Any, numbers: NumbersOf = lambda kernel: (), memory: Mapping[int, Array] | None = None
) -> tuple[list[Any], Proof | None]:
    """Return the kernels that are called, with these tables, each once, and the first proof that does not hold, or
    None."""
    every = [each for each, _ in calls_made(nest.nodes, ALONE, memory)] if memory else _called_by(nest.nodes)
    kernels = list({id(kernel): kernel for kernel in every}.values())
    for kernel in kernels:
        given, these = (kernel.code, kernel.target, kernel.spec, kernel.kind), numbers(kernel)
        proof = verify(*given, numbers=these) if these else verify(*given)
        if not proof:
            return kernels, proof
    return kernels, None


def _look(
    called: _Called, code: bytes, target: Target, spec: Any, call: Call, done: Done
) -> tuple[tuple[Claim, ...], Refutation | None]:
    """Return the claims about the code of a nest. It must leave what the calls of its kernels leave."""
    nest, addresses, kernels, refuted, loaded = called
    if refuted is not None:
        failed = next(claim for claim in refuted.claims if not claim.holds)
        return (Claim("arithmetic", False, f"{refuted.name}: {failed.how}"),), refuted.refutation
    made = list(calls_made(nest.nodes, ALONE, loaded))
    if hasattr(nest, "body_nodes") and (wrong := _left_out(nest, made)):
        return (Claim("arithmetic", False, wrong),), None
    calls = []
    if addresses is None:  # those of the job's table, whose scratch memory is beside it
        addresses, aside = [int(each) for each in call.aside[0].array], list(call.aside[1:])
    else:
        memory = scratch_of(sum(nest.scratch))
        first: int = memory.__array_interface__["data"][0]
        addresses = [*addresses, *((first, first + nest.scratch[0]) if any(nest.scratch) else ())]
        aside = [Region("scratch memory of the calls", memory, promised=CACHE_LINE)] if any(nest.scratch) else []
    tables = {
        each: np.frombuffer(each, "<i8") for _, arguments in made for each in arguments if isinstance(each, bytes)
    }
    aside += [Region(f"table {number}", each, False) for number, each in enumerate(tables.values())]
    places = {each: array.__array_interface__["data"][0] for each, array in tables.items()}
    for kernel, arguments in made:
        integers = [
            each if isinstance(each, int) else places[each] if isinstance(each, bytes) else addresses[each[0]] + each[1]
            for each in arguments
        ]
        calls.append((kernel.code, kernel.target, integers))
    wanted = execute_calls(calls, [*call.regions, *aside], call.symbolic(), done)
    other, found = _compared(code, target, call, done, wanted, "the calls of the body")
    if other is not None:
        return (other,), found
    names = [each.name for each in call.regions if each.writable]
    how = (
        f"{', '.join(names)}: what {len(calls)} calls of {len(kernels)} kernels leave, made one after the other in "
        "the order of the loops, every iteration once; each kernel is proved by itself"
    )
    if call.numbers:
        how += f"; {any_of(call.numbers)}, and rows and columns of blocks as the loops give them"
    frame = [*done.lost, *done.warnings]
    kept = f"not restored: {', '.join(frame)}" if frame else "callee-saved registers, stack pointer, return address"
    claims = (
        Claim("arithmetic", True, how),
        Claim("memory", True, "every access lies inside its operand"),
        Claim("frame", not frame, kept),
    )
    return claims, None


def _compared(
    code: bytes, target: Target, call: Call, done: Done, wanted: SymbolicMemory, what: str
) -> tuple[Claim | None, Refutation | None]:
    """Return a failed claim if results are not those that other calls have left, and a refutation if there is one."""
    for region in (each for each in call.regions if each.writable):
        held, expected = done.memory.held(region), wanted.held(region)
        differs = (held != expected).any(axis=-1)
        if differs.any():
            place = tuple(int(at) for at in np.argwhere(differs)[0])
            found = refutation.of_element(code, target, call, done, refutation.Wrong(region, place, expected[place]))
            how = f"{int(differs.sum())} elements of {region.name} are not what {what} leave"
            return Claim("arithmetic", False, how), found if found.confirmed else None
    return None, None


# Networks of layers, each of which is proved by itself for any elements of its input


def network_call(products: Sequence[Any]) -> Call:
    """Return a call of layers with these products. `keep` holds the address of x, and those of the weights, biases and
    results of the layers. The job adds the integers of the call."""
    regions = [x := _operand("x", products[0].m, products[0].k, products[0].dtypes[0])]
    for number, spec in enumerate(products, 1):
        regions += [
            _operand(f"w{number}", spec.k, spec.n, spec.dtypes[1]),
            _operand(f"bias{number}", 1, spec.n, spec.dtypes[2]),
            _operand(f"y{number}", spec.m, spec.n, spec.dtypes[2], True),
        ]
    places = [[each.start for each in regions[first::3]] for first in (1, 2, 3)]
    return Call([], regions, [each.array for each in regions], (x.start, *places))


def _operand(name: str, rows: int, columns: int, dtype: str, written: bool = False) -> Region:
    return Region(name, array_of(Operand(name, rows, columns, View("C", columns), dtype)), written)


def look_at_layers(
    proofs: Sequence[Proof], jobs: Sequence[WorkerJob], code: bytes, target: Target, spec: Any, call: Call, done: Done
) -> tuple[tuple[Claim, ...], Refutation | None]:
    """Return the claims about the code of a network. It must leave what the code of its layers leaves.

    proofs   of the layers, each by itself
    jobs     those of the layers; each reads the result of the one before
    """
    for number, proof in enumerate(proofs, 1):
        if not proof:
            failed = next((claim.how for claim in proof.claims if not claim.holds), "the bytes are wrong")
            return (Claim("arithmetic", False, f"layer {number}: {failed}"),), proof.refutation
    tables = [np.array([each & (1 << 64) - 1 for each in job.operands], np.uint64) for job in jobs]
    aside = [Region(f"operands of layer {number}", table, False) for number, table in enumerate(tables, 1)]
    calls = [(job.code, target, [table.start, 0, 1]) for job, table in zip(jobs, aside)]
    aside += [
        Region(f"scratch memory of layer {number}", each, promised=CACHE_LINE)
        for number, job in enumerate(jobs, 1)
        for each in job.scratch
    ]
    wanted = execute_calls(calls, [*call.regions, *aside], call.symbolic(), done)
    other, found = _compared(code, target, call, done, wanted, "the layers")
    if other is not None:
        return (other,), found
    names = ", ".join(each.name for each in call.regions if each.writable)
    how = (
        f"{names}: what {len(jobs)} layers leave, called one after the other; each layer is proved by itself, with "
        "any elements as its input"
    )
    claims, wrong = conditions(code, target, spec, call, done)
    return (Claim("arithmetic", True, how), *claims), wrong


# The nest as data: the calls that a single worker makes


def _called_by(nodes: Sequence[Any]) -> Iterator[Any]:
    """Yield the kernels of all calls of a nest."""
    for node in nodes:
        kind = type(node).__name__
        if kind == "Call":
            yield node.kernel
        elif kind != "Barrier":
            yield from _called_by(node.body)


def calls_made(
    nodes: Sequence[Any], values: Mapping[str, int], memory: Mapping[int, Array] | None = None
) -> Iterator[Made]:
    """Yield each kernel with its arguments: numbers, or (operand, offset in bytes). `memory` holds the bytes of the
    operands from which indices are loaded; ValueError for an index outside of the bounds that the nest states."""
    for node in nodes:
        kind = type(node).__name__
        if kind == "Call":
            yield node.kernel, tuple(_argument(each, values) for each in node.arguments)
        elif kind == "When":
            if _HOLDS[node.condition](node.left.value(values), 0):
                yield from calls_made(node.body, values, memory)
        elif kind == "Load":
            held = (memory or {})[node.operand]
            yield from calls_made(
                node.body,
                {**values, **_loaded(node.place.value(values), node.indices, node.bytes, node.bounds, held)},
                memory,
            )
        elif kind != "Barrier":
            for inner in _ITERATIONS[kind](node, values):
                yield from calls_made(node.body, inner, memory)


def _loaded(
    begin: int, names: Sequence[str], size: int, bounds: Sequence[tuple[int, int]], table: Array
) -> dict[str, int]:
    """Return the words of a table that a nest loads as indices, by their names."""
    end = begin + size * len(names)
    if not 0 <= begin <= end <= table.size:
        raise ValueError(f"{', '.join(names)}: bytes {begin} to {end} of a table of {table.size}")
    words = table[begin:end].view(np.int64 if size == 8 else np.uint32).tolist()
    for name, value, (least, most) in zip(names, words, bounds):
        if not least <= value <= most:
            raise ValueError(f"{name}: {value} is not from {least} to {most}")
    return dict(zip(names, words))


def _argument(argument: Any, values: Mapping[str, int]) -> Any:
    if hasattr(argument, "operand"):
        return argument.operand, argument.offset.value(values)
    return argument.data if hasattr(argument, "data") else argument.value(values)


def _loop(node: Any, values: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Yield the values of a loop's iterations, or of the chunk that belongs to one cell of a grid."""
    header = node.header
    start, stop = header.start.value(values), min(each.value(values) for each in header.stop)
    if node.axis:
        chunk = -(-header.trips // values[f"@ways{node.axis}"]) * header.step
        start += values[f"@{node.axis}"] * chunk
        stop = min(stop, start + chunk)
    for value in range(start, stop, header.step):
        yield {**values, header.index: value}


def _share(node: Any, values: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Yield all iterations of loops that are dealt out to workers, the last loop varying fastest. A space-filling curve
    is ignored: the iterations are independent, so any order will do."""
    for digits in product(*(range(header.trips) for header in node.headers)):
        inner, inside = dict(values), True
        for header, digit in zip(node.headers, digits):
            value = header.start.value(inner) + digit * header.step
            inner[header.index] = value
            inside = inside and value < min(each.value(inner) for each in header.stop)
        if inside:
            yield inner


def _grid(node: Any, values: Mapping[str, int]) -> Iterator[dict[str, int]]:
    ways = {axis: count or 1 for axis, count in node.ways}
    sizes = {f"@ways{axis}": count for axis, count in ways.items()}
    for place in product(*(range(count) for count in ways.values())):
        yield {**values, **sizes, **{f"@{axis}": at for axis, at in zip(ways, place)}}


def _group(node: object, values: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Yield the values once: one worker is in all groups."""
    yield {**values}


_ITERATIONS = {"Loop": _loop, "Share": _share, "Grid": _grid, "Group": _group}


def _left_out(nest: Any, made: Sequence[Made]) -> str:
    """Return an error text if the loops do not make exactly the calls of the body for each of its iterations, or ""."""
    wanted: Counter[Any] = Counter()
    names, ranges = list(nest.body_names), list(nest.body_names.values())
    for place in product(*ranges):
        wanted.update(calls_made(nest.body_nodes, {**ALONE, **dict(zip(names, place))}))
    once = Counter(calls_made([each for each in nest.nodes if type(each).__name__ == "When"], ALONE))
    return "" if Counter(made) - once == wanted else "the loops make other calls than the body has iterations"
