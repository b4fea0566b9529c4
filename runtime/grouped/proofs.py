"""Proofs of grouped products, with the table of one call: that the nest makes the calls that are the products of all
members, which write each element of the result; that the job leaves what the calls leave, each kernel proved by itself;
and that no worker touches what another one writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, address_of
from ..ops.row_nest import OWN, TABLE, A, B, C, RowsNest
from ..verify.check import timed
from ..verify.nests import elements, of_job
from ..verify.proof import Claim, Proof
from ..verify.terms import ABSENT, UNKNOWN, Memories, SumOfProducts, once, written_once
from ..verify.together import WORKERS
from .nest import DepthNest

if TYPE_CHECKING:
    from ..loops.job import Job
    from ..ops.row_kernels import Steps
    from ..verify.nests import Made


@timed
def of_groups(
    job: Job, nest: RowsNest | DepthNest, ends: Array, table: Array, workers: Sequence[int] = WORKERS
) -> Proof:
    """Prove a job with the table of a call, whose members end at `ends`."""
    if isinstance(nest, RowsNest) and nest.prepacked:
        raise UnsupportedError("verify: no specification of matrices packed before; those that are not have one")
    *types, result = nest.kernels.dtypes
    if nest.finishing is not None:
        program, result = nest.finishing.walk.program, nest.finishing.walk.outputs[0].dtype
        if any(program.steps[at].op != "input" for at in program.outputs):
            raise UnsupportedError("verify: no specification of epilogues of grouped products; without one there is")
    types.append(result)
    sizes = tuple(ELEMENT_BYTES[each] for each in types)
    places, wanted = _rows(nest, sizes, ends) if isinstance(nest, RowsNest) else _terms(nest, sizes, ends)
    extents = [1 + int(each.max(initial=-1)) for each in places]
    arrays = {name: elements(count * size, of) for name, count, size, of in zip("abc", extents, sizes, types)}
    arrays["table"] = table.copy()
    written = np.zeros(extents[2], bool)
    written[wanted.places] = True

    def words_of(addresses: Sequence[int], scratch: Array, _: int) -> Sequence[int]:
        a, b, c, held = addresses
        return [a, b, c, address_of(scratch) if scratch.size else 0, held]

    def made(calls: Sequence[Made]) -> Sequence[Claim]:
        whole = written_once(calls, C, written, sizes[2])
        held = {place: np.full(count * size, UNKNOWN) for place, count, size in zip((A, B, C), extents, sizes)}
        held[OWN] = np.full(nest.scratch.bytes, UNKNOWN)
        for place, count, size in zip((A, B), extents, sizes):
            held[place][::size] = np.arange(1, 1 + count)
        return [whole] if not whole.holds else [whole, once(calls, Memories(held, C, (OWN,), sizes[2]), wanted)]

    return of_job(
        job,
        arrays,
        "c",
        written,
        words_of,
        lambda count: count * nest.scratch.bytes,
        tables=("table",),
        made=made,
        memory={TABLE: table.view(np.uint8)},
        workers=workers,
    )


def _places(steps: Steps, size: int, *axes: Array) -> Array:
    """Return where the elements of an operand lie, by rows, columns and members."""
    rows, columns, members = axes
    found = np.add.outer(members * steps.member, np.add.outer(rows * steps.row, columns * steps.column))
    return np.asarray(found // size)


def _rows(nest: RowsNest, sizes: tuple[int, ...], ends: Array) -> tuple[tuple[Array, ...], SumOfProducts]:
    """Return where the elements of a, b and c lie, and the products of rows that are cut."""
    total, (n, k), one = int(ends[-1]), (nest.kernels.n, nest.kernels.k), np.arange(1)
    a = _places(nest.a, sizes[0], np.arange(total), np.arange(k), one)[0]
    b = _places(nest.b, sizes[1], np.arange(k), np.arange(n), np.arange(len(ends)))
    c = _places(nest.c, sizes[2], np.arange(total), np.arange(n), one)[0]
    row, column = np.divmod(np.arange(total * n), n)
    member = np.searchsorted(ends, row, side="right")
    return (a, b, c), SumOfProducts(
        c.ravel(),
        row,
        member * n + column,
        lambda elements: 1 + a[row[elements]],
        lambda elements: 1 + b[member[elements], :, column[elements]],
        (),
        0,
    )


def _terms(nest: DepthNest, sizes: tuple[int, ...], ends: Array) -> tuple[tuple[Array, ...], SumOfProducts]:
    """Return where the elements of a, b and c lie, and the products of terms that are cut."""
    total, (m, n), one = int(ends[-1]), (nest.kernels.m, nest.kernels.n), np.arange(1)
    a = _places(nest.a, sizes[0], np.arange(m), np.arange(total), one)[0]
    b = _places(nest.b, sizes[1], np.arange(total), np.arange(n), one)[0]
    c = _places(nest.c, sizes[2], np.arange(m), np.arange(n), np.arange(len(ends)))
    member, row, column = (each.ravel() for each in np.indices((len(ends), m, n)))
    own = np.searchsorted(ends, np.arange(total), side="right") == np.arange(len(ends))[:, None]
    return (a, b, c), SumOfProducts(
        c.ravel(),
        member * m + row,
        member * n + column,
        lambda elements: np.where(own[member[elements]], 1 + a[row[elements]], ABSENT),
        lambda elements: 1 + b[:, column[elements]].T,
        (),
        0,
    )
