"""Proofs of contractions with packed panels: that the job leaves what the calls of its kernels leave, each of which is
proved, that every access lies inside of its operand, and that no worker touches what another one writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.dtypes import ELEMENT_BYTES
from ..arguments.arrays import Array, address_of
from ..verify.check import timed
from ..verify.nests import ALONE, calls_made, elements, of_job
from ..verify.proof import Claim, Proof
from ..verify.terms import UNKNOWN, Memories, SumOfProducts, once
from ..verify.together import WORKERS
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
    first = parts[0]
    arrays = {"a": _memory(first.a), "panels": elements(loops.bytes_b, first.b.dtype), "c": _memory(first.c)}
    arrays |= {name: _memory(each) for name, each in zip(names, first.more)}

    def words_of(addresses: Sequence[int], scratch: Array, _: int) -> Sequence[int]:
        a, b, c, *more = addresses
        return [a, b, c, address_of(scratch) if loops.bytes_own else 0, *more]

    def made(_: object) -> Sequence[Claim]:
        if definition is None or not isinstance(loops, ProductLoops):
            return ()
        return (terms_of(loops, job.blob.nodes, *definition),)

    written = _written(parts)
    return of_job(
        job, arrays, {"c": written}, words_of, lambda count: count * loops.bytes_own, made=made, workers=workers
    )


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
    return Memories(held, C, (OWN,), ELEMENT_BYTES[first.c.dtype])


def _empty(size: int) -> Array:
    return np.full(size, UNKNOWN, np.int64)


def _counted(operand: IndexedArray) -> Array:
    memory, size = _memory(operand), ELEMENT_BYTES[operand.dtype]
    found = _empty(memory.nbytes)
    found[::size] = np.arange(1, 1 + memory.size)
    return found


def _memory(operand: IndexedArray) -> Array:
    """Return the memory of an operand."""
    return elements(operand.span * ELEMENT_BYTES[operand.dtype], operand.dtype)


def _written(parts: Sequence[Contraction]) -> Array:
    """Return which elements of the memory of C the parts compute."""
    found = np.zeros(_memory(parts[0].c).size, bool)
    for part in parts:
        loops = [each for each in part.loops if part.c.has(each[0])]
        found[part.c.places(loops, part.c.address.constant)] = True
    return found
