"""Proofs of grouped products and of attention over sequences, with the table of one call: that the nest makes the calls
that are the products of all members, or the attention of all sequences, which write each element of the result; that
the job leaves what the calls leave, each kernel proved by itself; and that no worker touches what another one writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.attention.spec import SEEN, AttentionSpec
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, address_of
from ..ops.row_kernels import Steps
from ..ops.row_nest import OWN, TABLE, A, B, C, RowsNest
from ..verify import trusted
from ..verify.check import timed
from ..verify.definition.traced import keys_of
from ..verify.nests import elements, of_job
from ..verify.proof import Claim, Proof
from ..verify.terms import ABSENT, UNKNOWN, Memories, SumOfProducts, once, written_once
from ..verify.together import WORKERS
from .nest import DepthNest

if TYPE_CHECKING:
    from ..loops.job import Job
    from ..verify.nests import Made
    from .attention_nest import Sequences, SequencesNest


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
        {"c": written},
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


# Attention over sequences


class HidingOfKeys(NamedTuple):
    """What a call of attention over sequences asks for: the scale, and which keys are hidden."""

    causal: bool
    window: int
    scale: float

    def shown(self, query: int, keys: int) -> slice:
        """Return the keys that a query of a sequence of so many keys sees."""
        if not self.causal or query >= keys:
            return slice(0, keys)
        return slice(max(0, query + 1 - self.window) if self.window else 0, query + 1)


@timed
def of_sequences(
    job: Job,
    nest: SequencesNest,
    asked: HidingOfKeys,
    sequences: Sequences,
    table: Array,
    workers: Sequence[int] = WORKERS,
) -> Proof:
    """Prove a job of attention with the table of a call."""
    spec, steps = nest.requests[0], dict(nest.steps)
    if nest.inverse:
        why = trusted.KINDS[trusted.kind(spec)]
        raise UnsupportedError(f"verify: no specification of the gradients of attention: {why}; attention has one")
    heads, tokens, keys = sequences.heads, sequences.total, int(sequences.key_ends[-1])
    arrays, before, written = dict[str, Array](), list[int](), dict[str, Array]()
    for name, each in steps.items():
        of, many = (keys, heads // sequences.group) if name in "kv" else (tokens, heads)
        dtype, line = (spec.compute, 1) if name == "lse" else (spec.dtype, spec.size)
        size = ELEMENT_BYTES[dtype]
        where = _lse(tokens, size) if name == "lse" else each
        begin = _places(where, 1, np.arange(of), np.zeros(1, np.int64), np.arange(many)).ravel()
        before.append(-int(begin.min(initial=0)))
        arrays[name] = elements(int(begin.max(initial=0)) + before[-1] + line * size, dtype)
        if name in ("out", "lse"):
            written[name] = np.zeros(arrays[name].size, bool)
            written[name][np.add.outer((begin + before[-1]) // size, np.arange(line)).ravel()] = True
    arrays["table"] = table.copy()
    numbers: dict[int, set[int]] = {}

    def words_of(addresses: Sequence[int], scratch: Array, _: int) -> Sequence[int]:
        *of_arrays, held = addresses
        return [*(address + ahead for address, ahead in zip(of_arrays, before)), held]

    def made(calls: Sequence[Made]) -> Sequence[Claim]:
        for kernel, arguments in calls:
            numbers.setdefault(id(kernel), set()).add(_named(kernel.spec, arguments)[SEEN])
        wrong = _wrong_piece(calls, steps, asked, sequences)
        how = f"each of {tokens} queries of {heads} heads has one call, with the keys that it sees of its own sequence"
        return [Claim("once", not wrong, wrong or how)]

    return of_job(
        job,
        arrays,
        written,
        words_of,
        lambda count: 0,
        tables=("table",),
        made=made,
        memory={len(steps): table.view(np.uint8)},
        workers=workers,
        numbers=lambda kernel: sorted(numbers[id(kernel)]),
    )


def _lse(tokens: int, size: int) -> Steps:
    """Return where the elements of lse (heads, tokens) lie."""
    return Steps(size, 0, tokens * size)


def _named(spec: AttentionSpec, arguments: Sequence[int | tuple[int, int]]) -> dict[str, int]:
    """Return the arguments of a call by their names: the bytes before what an operand begins with, and numbers."""
    given = zip(spec.arguments, arguments, strict=True)
    return {each.name: found[1] if isinstance(found, tuple) else found for each, found in given}


def _wrong_piece(calls: Sequence[Made], steps: Mapping[str, Steps], asked: HidingOfKeys, sequences: Sequences) -> str:
    """Return what is wrong with the calls of kernels, or "": each query of each head has one, with the scale and the
    rows of the arrays, that lets it see the keys that it sees."""
    tokens, heads, many = sequences.total, sequences.heads, np.zeros((sequences.heads, sequences.total), int)
    starts, key_starts = sequences.ends - sequences.queries, sequences.key_ends - sequences.keys

    def at(name: str, row: int, head: int, size: int) -> int:
        of = _lse(tokens, size) if name == "lse" else steps[name]
        return row * of.row + head * of.member

    of_out = {at("out", row, head, 0): (row, head) for row in range(tokens) for head in range(heads)}
    for kernel, arguments in calls:
        spec, given = kernel.spec, _named(kernel.spec, arguments)
        if given["out"] not in of_out:
            return f"{kernel.name} writes to byte {given['out']} of out, where no row of a head begins"
        (row, head), seen = of_out[given["out"]], given[SEEN]
        member = int(np.searchsorted(sequences.ends, row, side="right"))
        places = {"k": (key_starts[member], head // sequences.group)}
        places["v"] = places["k"]
        for name in steps:
            size = ELEMENT_BYTES[spec.compute if name == "lse" else spec.dtype]
            line = size if name == "lse" else spec.row_step(name) * size
            if given[name] != at(name, *places.get(name, (row, head)), size) or (
                name != "lse" and line != steps[name].row
            ):
                return f"{kernel.name} has another {name} than that of query {row} of head {head}"
        one, first = replace(spec, keys=seen), row - int(starts[member])
        for query in range(spec.queries):
            wanted = asked.shown(first + query, int(sequences.keys[member]))
            if first + query >= sequences.queries[member] or keys_of(one, query) != wanted:
                return (
                    f"query {first + query} of sequence {member} does not see its keys, {wanted.start} to {wanted.stop}"
                )
        if spec.scale != asked.scale:
            return f"{kernel.name} has another scale than {asked.scale}"
        many[head, row : row + spec.queries] += 1
    wrong = np.argwhere(many != 1)
    return f"query {wrong[0, 1]} of head {wrong[0, 0]} has {many[tuple(wrong[0])]} calls" if len(wrong) else ""
