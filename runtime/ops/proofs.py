"""Proofs of products of any size, of layers and networks, and of kernels on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...emulation.core.memory import Region
from ...emulation.coverage import Seen, recorded
from ...encoder.records import NamedTuple
from ...microkernels.operands import CACHE_LINE
from ..arguments.arrays import Array, address_of
from ..kernel.kinds import kind_of
from ..loops.blob import Blob
from ..loops.code import Barrier, calls, placed
from ..verify import trusted
from ..verify.callers.mode import UNUSUAL
from ..verify.check import timed, verify
from ..verify.coverage import Chosen, choose, covered, made_again, with_coverage
from ..verify.indices import Indices
from ..verify.nests import look_at_layers, network_call
from ..verify.operands import Call
from ..verify.proof import Claim, Proof, Refutation, together
from ..verify.requests import every_call, numbers_of
from ..verify.together import WORKERS, WorkerJob, barrier_of, scratch_of, table_of, verify_together
from . import row_nest
from .product_nest import BARRIER, EXTRAS, PACKED_B, B

if TYPE_CHECKING:
    from .rows_of_calls import OfAnyRows


@timed
def of_gemm(of: Any) -> Proof:
    """Prove the job of a product, for each call that its request allows."""
    return _of_product(of, of._blob, *of._scratch)


@timed
def of_layer(of: Any, workers: Sequence[int] = WORKERS) -> Proof:
    """Prove a layer: a job whose workers pack the weights, wait for each other, and compute the product."""
    return _of_product(of, _layer_code(of), _packed_bytes(of), of.bytes_own, workers)


def _layer_code(of: Any) -> Blob:
    """Return the code of a layer that packs its weights first. A layer of any number of rows has the packed weights and
    the barrier behind its other operands."""
    behind = sum(len(getattr(of.spec, name, ())) for name in ("extras", "numbers", "results"))
    count = (row_nest.EXTRAS if of.product.counted else EXTRAS) + behind
    packed, barrier = (count, count + 1) if of.product.counted else (PACKED_B, BARRIER)
    packing = placed(of.packing.job.blob.nodes, {0: B, 1: packed})
    product = placed(of.nest.nodes(), {**{place: place for place in range(count)}, B: packed})
    return Blob((*packing, Barrier(barrier), *product), of.target)


def _packed_bytes(of: Any) -> int:
    return -(-int(of.packing.bytes) // CACHE_LINE) * CACHE_LINE


def _job(code: bytes, given: Sequence[int], packed: int, own: int, workers: int, pieces: Array | None) -> WorkerJob:
    """Return the job of a product with these bytes of scratch memory, shared and for each worker: given are A, B, C and
    what follows them; pieces is the table of a number of rows, or None."""
    a, b, c, *extras = given
    scratch = scratch_of(packed + workers * own)
    first = address_of(scratch)
    read = first if packed else 0, first + packed if own else 0
    if pieces is None:
        return WorkerJob(code, [*table_of([a, b, c, *read]), *extras], (scratch,))
    return WorkerJob(code, [a, b, c, read[1], address_of(pieces), *extras, read[0], *barrier_of()], (scratch,))


def _of_product(of: Any, blob: Blob, packed: int, own: int, workers: Sequence[int] = WORKERS) -> Proof:
    """Prove the code of a product with these bytes of scratch memory: shared, and for each worker."""
    trusted.check(of.spec, of.target)
    found: list[Proof] = []
    if of.product.counted:
        words, every = _calls_of_rows(of)
    else:
        words, pairs = every_call(of.spec, of.kind)
        every = (_ProvedCall(spec, call, call.opened().integers) for spec, call in pairs)
    with recorded() as seen:
        for spec, call, given, pieces, alone in every:

            def job_of(workers: int, given: Sequence[int] = given, pieces: Array | None = pieces) -> WorkerJob:
                return _job(blob.data, given, packed, own, workers, pieces)

            found.append(verify_together(of.target, spec, call, job_of, workers=workers[:1] if alone else workers))
            if not found[-1]:
                break
    proof = with_coverage(together(found, words), blob.data, of.target, seen, workers)
    if not proof or not of.product.counted:
        return proof
    claim, wrong = _of_any_rows(of, blob)
    return replace(proof, name=of.spec.stem, claims=(*proof.claims, claim), refutation=wrong)


class _ProvedCall(NamedTuple):
    """A call of a product: its request, the words of its job, its table of pieces, and whether one worker is enough."""

    spec: object
    call: Call
    given: Sequence[int]
    pieces: Array | None = None
    alone: bool = False


# Any number of rows

_PIECES = ((9, 8, True), (17, 8, False))
"""The numbers of rows that jobs are proved for, the most rows of a piece, and whether a piece has all columns, and not
one block of them. The last are proved on several workers, the others on one."""


def _calls_of_rows(of: OfAnyRows) -> tuple[str, Iterator[_ProvedCall]]:
    """Return the calls of a product of any number of rows, with pieces so small that few rows have several."""
    n, block = of.product.n, of.nest.kernels.block.columns
    cuts = _PIECES if n > block else _PIECES[1:]
    finishing = of.finishing if of.spec is of.product else None  # rounding is an epilogue
    spec = of.spec if finishing is None else finishing.whole
    numbers = numbers_of(spec, kind_of(spec))
    assert numbers is not None

    def each_of() -> Iterator[_ProvedCall]:
        for rows, most, whole in cuts:
            pieces = row_nest.row_table(np.array([rows]), n, n if whole else block, most)
            for spec, call in numbers.of((rows,)):
                a, b, c, _, *extras = call.opened().integers
                yield _ProvedCall(spec, _with_pieces(call, [pieces]), (a, b, c, *extras), pieces, whole)

    told = ", ".join(f"{rows} in pieces of {most}" for rows, most, _ in cuts)
    return "; ".join(filter(None, (f"rows: {told}", numbers.words))), each_of()


def _with_pieces(call: Call, tables: Sequence[Array]) -> Call:
    """Return a call that reads tables of pieces, whose words keep their values."""
    more = [Region(f"pieces {number}", each, False) for number, each in enumerate(tables, 1)]
    return call._replace(regions=[*call.regions, *more], concrete=call.concrete | {each.name for each in more})


def _of_any_rows(of: OfAnyRows, blob: Blob) -> tuple[Claim, Refutation | None]:
    """Return the claim by which a proof for some pieces holds for any number of rows: the kernels, whose code is that
    of the job, have proofs for any number of rows, and the table of each number cuts the product into pieces."""
    kernels = list(dict.fromkeys(call.kernel for call in calls(blob.nodes)))
    for kernel in kernels:
        proof = verify(kernel.code, kernel.target, kernel.spec, kernel.kind)
        if not proof:
            how = next((claim.how for claim in proof.claims if not claim.holds), "the bytes are wrong")
            return Claim("rows", False, f"{kernel.name}: {how}"), proof.refutation
    parts = [blob.data[start : start + len(origin.data)] for start, origin in blob._placed]
    if sorted(parts) != sorted(kernel.code for kernel in kernels):
        return Claim("rows", False, "the job has other code than that of its kernels"), None
    n, most = of.product.n, of.nest.rows
    powers = [1 << each for each in range(25)]
    numbers = sorted({*range(1, 3 * most + 1), *powers, *(each + 1 for each in powers)})
    wrong = next((rows for rows in numbers if not row_nest.covers(of.table(rows), rows, n, most)), 0)
    if wrong:
        return Claim("rows", False, f"the pieces of {wrong} rows leave out an element, or have one twice"), None
    how = (
        f"any number: each of {len(kernels)} kernels, whose bytes the job has, is proved by itself, those of rows for "
        f"any number of them; the table's pieces have each element once and at most {most} rows: of each number up to "
        f"{3 * most}, of powers of two up to {powers[-1]}, and of one more"
    )
    return Claim("rows", True, how), None


@timed
def of_mlp(of: Any) -> Proof:
    """Prove a network: a job whose workers pack the weights of all layers, wait for each other, and compute the layers.

    Each layer is proved on its own code. The network must leave what the code of the layers leaves, called one after
    the other."""
    proofs: list[Proof] = []
    for number, layer in enumerate(of.layers):
        same = of.layers.index(layer)
        proofs.append(proofs[same] if same < number else of_layer(layer, (1,)))
        if not proofs[-1]:
            break
    rows, most, _ = _PIECES[-1]
    any_rows = bool(of.layers[0].product.counted)
    call = network_call([layer.product.of(rows) if any_rows else layer.product for layer in of.layers])
    cuts = [(layer.product.n, layer.nest.kernels.block.columns) for layer in of.layers] if any_rows else []
    pieces = [row_nest.row_table(np.array([rows]), *cut, most) for cut in cuts]
    call, code = _with_pieces(call, pieces), of.with_packing().data
    x, weights, biases, results = call.keep
    sizes = [_packed_bytes(layer) for layer in of.layers]

    def job_of(workers: int) -> WorkerJob:
        memory = [scratch_of(size) for size in (*sizes, workers * of.bytes_own)]
        *packed, own = (each.__array_interface__["data"][0] for each in memory)
        layers = [word for each in zip(packed, biases, results) for word in each]
        return WorkerJob(code, [x, own, *barrier_of(), *layers, *map(address_of, pieces), *weights], tuple(memory))

    def alone(number: int, given: int) -> WorkerJob:
        """Return the job of one layer that reads this address."""
        layer, table = of.layers[number], pieces[number] if pieces else None
        operands = given, weights[number], results[number], biases[number]
        return _job(_layer_code(layer).data, operands, sizes[number], layer.bytes_own, 1, table)

    jobs = [alone(number, given) for number, given in enumerate((x, *results[:-1]))]
    spec = SimpleNamespace(stem=of.job.blob.name)
    with recorded() as seen:
        whole = verify_together(of.target, spec, call, job_of, partial(look_at_layers, proofs, jobs))
    return together([*dict.fromkeys(proofs), with_coverage(whole, code, of.target, seen, WORKERS)], "")


@timed
def of_spread(of: Any) -> Proof:
    """Prove the parts of a spread kernel, for each call that it allows."""
    trusted.check(of.kernel.spec, of.target)
    found: list[Proof] = []
    indices: dict[int, Indices] = {}
    words, calls, chosen = _calls_of_spread(of)
    with recorded() as seen:
        for spec, call, workers in calls:
            opened = call.opened()

            def job_of(workers: int, call: Call = opened) -> WorkerJob:
                if of.nest is not None and of.nest.waits:
                    memory = scratch_of(of.nest.bytes)
                    first = memory.__array_interface__["data"][0]
                    return WorkerJob(of.job.blob.data, [*call.integers, first, *barrier_of()], (memory,))
                if of._parts is None:
                    return WorkerJob(of.job.blob.data, call.integers)
                return WorkerJob(of._parts.job(workers).blob.data, of._parts.operands(call.integers, workers))

            found.append(verify_together(of.target, spec, call, job_of, workers=workers, indices=indices))
            if not found[-1]:
                break
    proof = together(found, words)
    if proof and (left := next(filter(None, (each.left() for each in indices.values())), "")):
        claims = tuple(claim for claim in proof.claims if claim.what != "indices")
        return replace(proof, claims=(*claims, Claim("indices", False, left)))
    if of._parts is None:
        return with_coverage(proof, of.job.blob.data, of.target, seen, WORKERS)
    return _with_coverage_of_part(proof, of, seen, chosen)


_SEVERAL = 61
"""The rows or products that are proved on several workers, besides the least; others on one worker, which executes
the kernel of a part as they do."""


def _calls_of_spread(of: Any) -> tuple[str, Iterator[tuple[object, Call, Sequence[int]]], Chosen | None]:
    """Return a description of the calls, an iterator over (request, call, numbers of workers), and the numbers that the
    kernel of a part asks for."""
    numbers = numbers_of(of.kernel.spec, of.kernel.kind)
    if numbers is None or of._parts is None:
        words, calls = every_call(of.kernel.spec, of.kernel.kind)
        return words, ((*each, WORKERS) for each in calls), None
    part = of._parts.kernel
    own = numbers_of(part.spec, part.kind)
    assert own is not None
    right = made_again(part.spec, of.target, part.kind.pipeline())
    chosen = choose(part.code, of.target, own, UNUSUAL[of.target.arch], right)
    several = [numbers.least, (_SEVERAL,)]
    every = dict.fromkeys([*chosen.given, *several])
    words = f"{numbers.text([*every])}; {numbers.least[0]} and {_SEVERAL} of these on several workers"
    pairs = ((given in several, *each) for given in every for each in numbers.of(given))
    some = ((spec, call, WORKERS if all_ else WORKERS[:1]) for all_, spec, call in pairs)
    return words, some, chosen


def _with_coverage_of_part(proof: Proof, of: Any, seen: Seen, chosen: Chosen | None) -> Proof:
    """Return a proof with the claim that the executions on one worker met all code of the kernel of a part. Which
    kernel a worker calls, its number alone decides."""
    part, blob = of._parts.kernel, of._parts.job(1).blob
    (start,) = {start for start, origin in blob._placed}
    ways = {(at - start, goes - start) for at, goes in seen.of(blob.data) if start <= at < start + len(part.code)}
    return replace(proof, claims=(*proof.claims, covered(part.code, of.target, ways, chosen))) if proof else proof
