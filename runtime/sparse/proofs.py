"""Proofs of products with sparse matrices, and at their places, with the table of one matrix: that the nest makes the
calls that are the product, which write each element of the result once; that the job leaves what the calls leave, each
kernel proved by itself; and that no worker touches what another one writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, address_of
from ..verify.check import timed
from ..verify.nests import elements, of_job
from ..verify.proof import Claim, Proof
from ..verify.terms import ABSENT, FILL, UNKNOWN, Memories, SumOfProducts, once, written_once
from ..verify.together import WORKERS, barrier_of
from . import sampled_nest as sampled
from . import softmax_nest as softmax
from .nest import EXTRAS, OWN, SHARED, TABLE, VALUES, B, C

if TYPE_CHECKING:
    from ..loops.job import Job
    from ..verify.nests import Made
    from .nest import FurtherElements, SparseNest, SparseProduct
    from .sampled_nest import SampledProduct
    from .softmax_nest import RowsSoftmax


@timed
def of_product(
    job: Job, nest: SparseNest, table: Array, starts: Array, columns: Array, workers: Sequence[int] = WORKERS
) -> Proof:
    """Prove the job of a nest with the table of a matrix.

    starts, columns   where each row of blocks begins, and the column of each block
    """
    of = nest.of
    if of.sizes.parts and of.epilogue is not None:
        raise UnsupportedError(
            "verify: an epilogue of long rows, whose parts are added first, has no proof; without the epilogue, or "
            "with rows of fewer blocks, there is one"
        )
    extents = _extents(of)
    types = dict(zip(extents, (*of.types, *(each.dtype for each in of.more))))
    arrays = {name: elements(count * ELEMENT_BYTES[types[name]], types[name]) for name, count in extents.items()}
    arrays = {"table": table.copy(), **arrays}
    written = np.zeros(extents["c"], bool)
    places = _places(_filled_up(of.m, of.groups[1]), of.n, of.c, of.groups[1])
    written[places] = True

    def words_of(addresses: Sequence[int], scratch: Array, _: int) -> Sequence[int]:
        held, a, b, c, *more = addresses
        shared = address_of(scratch) if scratch.size else 0
        return [a, b, c, held, shared, shared + nest.bytes_shared, *barrier_of(), *more]

    def made(calls: Sequence[Made]) -> Sequence[Claim]:
        whole = written_once(calls, C, written, nest.size_c)
        if not whole.holds:
            return (whole,)
        return whole, once(calls, _memories(of, nest, extents, table), _definition(of, places, starts, columns))

    return of_job(
        job,
        arrays,
        {"c": written},
        words_of,
        lambda count: nest.bytes_shared + count * nest.bytes_own,
        tables=("table",),
        made=made,
        memory={TABLE: table.view(np.uint8)},
        workers=workers,
    )


def _extents(of: SparseProduct) -> dict[str, int]:
    """Return the elements of each operand, from its first to its last one."""
    down, across = of.block
    lines, long = (of.n, of.k) if of.turned else (of.k, of.n)
    of_b, of_c = (
        (-(-rows // group) - 1) * apart * group + columns * group
        for rows, columns, apart, group in zip((lines, of.m), (long, of.n), (of.b, of.c), of.groups)
    )
    found = {"a": of.sizes.entries * down * across, "b": of_b, "c": of_c}
    return found | {f"{each.name} of the epilogue": _further(each, of) for each in of.more}


def _filled_up(rows: int, group: int) -> int:
    return -(-rows // group) * group


def _places(rows: int, columns: int, apart: int, group: int) -> Array:
    """Return where the elements of a matrix lie, whose rows are side by side in groups that are so many apart."""
    row = np.arange(rows)
    of_row = row // group * (apart * group) + row % group
    places: Array = np.add.outer(of_row, np.arange(columns) * group).ravel()
    return places


def _further(each: FurtherElements, of: SparseProduct) -> int:
    whole = (of.m - 1) * each.apart + of.n
    return {"row": of.n, "col": of.m, "scalar": 1}.get(each.shape or "", whole)


def _memories(of: SparseProduct, nest: SparseNest, extents: dict[str, int], table: Array) -> Memories:
    """Return the memory of all operands, whose elements have numbers from 1 on."""
    sizes = [*(ELEMENT_BYTES[each] for each in of.types), *(ELEMENT_BYTES[each.dtype] for each in of.more)]
    at = VALUES, B, C, *range(EXTRAS, EXTRAS + len(of.more))
    held = {OWN: np.full(nest.bytes_own, UNKNOWN), SHARED: np.full(nest.bytes_shared, UNKNOWN)}
    for place, count, size in zip(at, extents.values(), sizes):
        held[place] = np.full(count * size, UNKNOWN)
        if place != C:
            held[place][::size] = np.arange(1, 1 + count)
    return Memories(held, C, (SHARED, OWN), nest.size_c, {TABLE: table.view(np.uint8)})


def _definition(of: SparseProduct, places: Array, starts: Array, columns: Array) -> SumOfProducts:
    """Return the product of the stored elements, with zeros where blocks reach beyond the rows of B."""
    (down, across), depth = of.block, -(-of.k // of.block[1]) * of.block[1]
    lines = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    blocks = np.full((len(starts) - 1, down, depth // across, across), ABSENT)
    blocks[lines, :, columns] = np.arange(1, 1 + len(columns) * down * across).reshape(-1, down, across)
    rows = _filled_up(of.m, of.groups[1])
    numbers_a = np.full((rows, depth), ABSENT)
    numbers_a[: of.m] = blocks.reshape(-1, depth)[: of.m]
    numbers_b = np.full((of.n, depth), FILL)
    if of.turned:
        numbers_b[:, : of.k] = 1 + np.add.outer(np.arange(of.n) * of.b, np.arange(of.k))
    else:
        numbers_b[:, : of.k] = 1 + _places(of.k, of.n, of.b, of.groups[0]).reshape(of.k, of.n).T
    row, column = np.divmod(np.arange(rows * of.n), of.n)
    more = [
        {"row": column, "col": row, "scalar": row * 0}.get(each.shape or "", row * each.apart + column)
        for each in of.more
    ]
    return SumOfProducts(
        places,
        row,
        column,
        lambda elements: numbers_a[row[elements]],
        lambda elements: numbers_b[column[elements]],
        tuple(more),
        0,
    )


# Products at the places of a matrix


@timed
def of_sample(
    job: Job, of: SampledProduct, table: Array, starts: Array, columns: Array, workers: Sequence[int] = WORKERS
) -> Proof:
    """Prove the job of a sampled product with the table of a matrix: the row and the column of each block.

    starts, columns   where each row of blocks begins, and the column of each block
    """
    places = np.stack([np.repeat(np.arange(len(starts) - 1), np.diff(starts)), columns], axis=1)
    (down, across), sizes = of.block, [ELEMENT_BYTES[each] for each in of.types]
    lines, long = (of.n, of.k) if of.turned else (of.k, of.n)
    extents = [(of.m - 1) * of.a + of.k, (lines - 1) * of.b + long, of.blocks * down * across]
    arrays = {name: elements(count * size, of_) for name, count, size, of_ in zip("abc", extents, sizes, of.types)}
    arrays["table"] = table.copy()
    entries, row, column = (each.ravel() for each in np.indices((of.blocks, down, across)))
    row, column = (places[entries, at] * step + each for at, step, each in ((0, down, row), (1, across, column)))
    written = (row < of.m) & (column < of.n)  # what lies outside of the matrix stays zero
    row, column = row[written], column[written]

    def words_of(addresses: Sequence[int], scratch: Array, _: int) -> Sequence[int]:
        return [*addresses, address_of(scratch) if of.copies else 0, *barrier_of()]

    def made(calls: Sequence[Made]) -> Sequence[Claim]:
        whole = written_once(calls, sampled.VALUES, written, sizes[2])
        held = {at: np.full(count * size, UNKNOWN) for at, (count, size) in enumerate(zip(extents, sizes))}
        for at in (sampled.A, sampled.B):
            held[at][:: sizes[at]] = np.arange(1, 1 + extents[at])
        held[sampled.SHARED] = np.full(of.bytes_shared, UNKNOWN)
        by_depth, by_columns = (1, of.b) if of.turned else (of.b, 1)
        depth = np.arange(of.k)
        wanted = SumOfProducts(
            np.flatnonzero(written),
            row,
            column,
            lambda some: 1 + row[some, None] * of.a + depth,
            lambda some: 1 + column[some, None] * by_columns + depth * by_depth,
            (),
            0,
        )
        memories = Memories(held, sampled.VALUES, (sampled.SHARED,), sizes[2])
        return [whole, once(calls, memories, wanted)] if whole.holds else [whole]

    return of_job(
        job,
        arrays,
        {"c": written},
        words_of,
        lambda count: of.bytes_shared,
        tables=("table",),
        made=made,
        memory={sampled.TABLE: table.reshape(-1).view(np.uint8)},
        workers=workers,
    )


# Softmax over the rows of a matrix


@timed
def of_softmax(job: Job, of: RowsSoftmax, table: Array, starts: Array, workers: Sequence[int] = WORKERS) -> Proof:
    """Prove the job of a softmax with the table of a matrix: each row of elements has one call of the kernel, whose
    proof is its own, with the parts of the row in all of its blocks.

    table, starts   the words that the job loads, and where each row of blocks of the matrix begins
    """
    (down, across), size = of.block, ELEMENT_BYTES[of.dtype]
    names = ("x", "added", "y") if of.added else ("x", "y")
    arrays = {name: elements(of.blocks * down * across * size, of.dtype) for name in names}
    arrays["table"] = table.copy()
    counts = np.diff(starts)
    line, row = np.divmod(np.arange(of.rows), down)
    wanted = {
        (int(starts[each]) * down + int(inside)) * across * size: int(counts[each])
        for each, inside in zip(line, row)
        if counts[each]
    }
    inside = np.repeat(np.arange(len(counts)) * down, counts)[:, None] + np.arange(down) < of.rows
    written = np.repeat(inside.ravel(), across)  # what lies below the last row stays zero

    def words_of(addresses: Sequence[int], scratch: Array, _: int) -> Sequence[int]:
        x, *added, y, table = addresses
        return [x, *(added or [x]), y, table]

    def made(calls: Sequence[Made]) -> Sequence[Claim]:
        places = (softmax.X, softmax.ADDED, softmax.Y) if of.added else (softmax.X, softmax.Y)
        found: dict[int, int] = {}
        for _, (*operands, count) in calls:
            at = operands[0][1]
            if at in found or operands != [(each, at) for each in places]:
                return [Claim("once", False, f"a row of blocks at byte {at} is computed twice, or of other elements")]
            found[at] = count
        if found != wanted:
            strange = len(found.items() ^ wanted.items())
            return [Claim("once", False, f"{strange} rows have no call of their own with all of their blocks")]
        return [Claim("once", True, f"each of {len(wanted)} rows with blocks has one call, with all of its blocks")]

    return of_job(
        job,
        arrays,
        {"y": written},
        words_of,
        lambda count: 0,
        tables=("table",),
        made=made,
        memory={softmax.TABLE: table.view(np.uint8)},
        workers=workers,
        numbers=lambda kernel: sorted(set(wanted.values())),
    )
