"""Proofs of contractions with packed panels: that the job leaves what the calls of its kernels leave, each of which is
proved, that every access lies inside of its operand, and that no worker touches what another one writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from ...emulation.core.memory import Region
from ...emulation.coverage import recorded
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.workers import execute_calls
from ...encoder.features import Target
from ...microkernels.dtypes import ELEMENT_BYTES
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..verify.check import timed
from ..verify.coverage import with_coverage
from ..verify.nests import ALONE, calls_made, calls_of_nodes
from ..verify.operands import Call
from ..verify.proof import Claim, Proof
from ..verify.terms import UNKNOWN, Memories, SumOfProducts, once
from ..verify.together import WORKERS, Claims, WorkerJob, scratch_of, verify_together
from .form import IndexedArray
from .nest import EXTRAS, OWN, A, B, C
from .packs import packed
from .products import ProductLoops

if TYPE_CHECKING:
    from ..loops.code import Node
    from ..loops.job import Job
    from .form import Contraction
    from .interface import ContractionLoops


@timed
def of_contraction(
    parts: Sequence[Contraction],
    names: Sequence[str],
    loops: ContractionLoops,
    job: Job,
    definition: tuple[SumOfProducts, Array, Sequence[str]] | None = None,
    workers: Sequence[int] = WORKERS,
) -> Proof:
    """Prove the job of contractions. Of each operand, the elements from the first to the last may be read, those of C
    written; all other memory is refused.

    parts, names  the contractions, and the names of further operands
    definition    see `Contracted.definition`; None: no claim that the calls are the contraction
    """
    first, target = parts[0], job.target
    arrays = {"a": _memory(first.a), "panels": _elements(loops.bytes_b, first.b.dtype), "c": _memory(first.c)}
    arrays |= {name: _memory(each) for name, each in zip(names, first.more)}
    regions = [Region(name, array, name == "c") for name, array in arrays.items()]
    a, b, c, *more = map(address_of, arrays.values())

    def job_of(count: int) -> WorkerJob:
        scratch = scratch_of(count * loops.bytes_own)
        return WorkerJob(job.data, [a, b, c, address_of(scratch) if loops.bytes_own else 0, *more], (scratch,))

    same = calls_of_nodes(job.blob.nodes, job.blob.name)
    written = _written(parts)

    def look(code: bytes, target: Target, spec: object, call: Call, done: Done) -> Claims:
        claims, wrong = same(code, target, spec, call, done)
        terms = list[Claim]()
        if definition is not None and isinstance(loops, ProductLoops):
            terms.append(terms_of(loops, job.blob.nodes, *definition))
        return (*claims, _whole(done, call, written), *terms), wrong

    call = Call([], regions, list(arrays.values()), [arrays])
    with recorded() as seen:
        proof = verify_together(target, SimpleNamespace(stem=job.blob.name), call, job_of, look, workers)
    return with_coverage(proof, job.data, target, seen, workers)


def terms_of(
    loops: ProductLoops, nodes: Sequence[Node], wanted: SumOfProducts, labels_b: Array, in_place: Sequence[str] = ()
) -> Claim:
    """Return the claim that the calls of these nodes are a contraction: see `once`."""
    places = {name: EXTRAS + number for number, name in enumerate(loops.products.names) if name in in_place}
    return once(list(calls_made(nodes, ALONE)), _memories(loops, labels_b), wanted, places)


def _memories(loops: ProductLoops, labels_b: Array) -> Memories:
    """Return the numbers of the elements of all operands: those of memory from 1 on, those of B as given."""
    first, panels = loops.parts[0], _empty(loops.bytes_b)
    for way, before in zip(loops.ways, loops.begins):
        each, size = way.b, ELEMENT_BYTES[way.b.dtype]
        wide = np.zeros(each.size // size * 8, np.uint8)
        packed(way.contraction, way.loops_b, replace(each, dtype="i64"), labels_b, wide)
        panels[before : before + each.size : size] = wide.view(np.int64)
    held = {A: _counted(first.a), B: panels, C: _empty(_memory(first.c).nbytes), OWN: _empty(loops.bytes_own)}
    held |= {EXTRAS + number: _counted(each) for number, each in enumerate(first.more)}
    return Memories(held, C, OWN, ELEMENT_BYTES[first.c.dtype])


def _empty(size: int) -> Array:
    return np.full(size, UNKNOWN, np.int64)


def _counted(operand: IndexedArray) -> Array:
    memory, size = _memory(operand), ELEMENT_BYTES[operand.dtype]
    found = _empty(memory.nbytes)
    found[::size] = np.arange(1, 1 + memory.size)
    return found


def _memory(operand: IndexedArray) -> Array:
    """Return the memory of an operand."""
    return _elements(operand.span * ELEMENT_BYTES[operand.dtype], operand.dtype)


def _elements(size: int, dtype: str) -> Array:
    """Return memory that is aligned to a line, as panels are."""
    return scratch_of(size)[:size].view(numpy_dtype(dtype))


def _written(parts: Sequence[Contraction]) -> Array:
    """Return which elements of the memory of C the parts compute."""
    found = np.zeros(_memory(parts[0].c).size, bool)
    for part in parts:
        c, extents = part.c, part.extents
        places = np.full(1, c.address.constant)
        for name in c.steps:
            places = np.add.outer(places, np.arange(extents[name]) * c.stride(name)).ravel()
        found[places] = True
    return found


def _whole(done: Done, call: Call, written: Array) -> Claim:
    """Return the claim that the elements of C, and no others, have been written."""
    region = next(each for each in call.regions if each.writable)
    before = execute_calls([], call.regions, call.symbolic(), done)
    changed = (done.memory.held(region) != before.held(region)).any(axis=-1)
    if not np.array_equal(changed, written):
        return Claim("elements", False, f"{int((changed != written).sum())} elements are left out or overwritten")
    return Claim("elements", True, f"all {int(written.sum())} of the result are written, and nothing between them")
