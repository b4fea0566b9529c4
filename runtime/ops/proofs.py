"""Proofs of products of any size, of layers and networks, and of kernels on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

from ...emulation.coverage import Seen, recorded
from ...microkernels.operands import CACHE_LINE
from ..loops.blob import Blob
from ..loops.code import Barrier, placed
from ..verify import trusted
from ..verify.callers.mode import UNUSUAL
from ..verify.check import timed
from ..verify.coverage import Chosen, choose, covered, made_again, with_coverage
from ..verify.indices import Indices
from ..verify.nests import look_at_layers, network_call
from ..verify.operands import Call
from ..verify.proof import Claim, Proof, together
from ..verify.requests import every_call, numbers_of
from ..verify.together import WORKERS, WorkerJob, barrier_of, scratch_of, table_of, verify_together
from .product_nest import BARRIER, EXTRAS, PACKED_B, B


@timed
def of_gemm(of: Any) -> Proof:
    """Prove the job of a product, for each call that its request allows."""
    return _of_product(of, of.code, *of._scratch)


@timed
def of_layer(of: Any, workers: Sequence[int] = WORKERS) -> Proof:
    """Prove a layer: a job whose workers pack the weights, wait for each other, and compute the product."""
    return _of_product(of, _layer_code(of), _packed_bytes(of), of.bytes_own, workers)


def _layer_code(of: Any) -> bytes:
    count = EXTRAS + sum(len(getattr(of.spec, name, ())) for name in ("extras", "numbers", "results"))
    packing = placed(of.packing.job.blob.nodes, {0: B, 1: PACKED_B})
    product = placed(of.nest.nodes(), {**{place: place for place in range(count)}, B: PACKED_B})
    data: bytes = Blob((*packing, Barrier(BARRIER), *product), of.target).data
    return data


def _packed_bytes(of: Any) -> int:
    return -(-int(of.packing.bytes) // CACHE_LINE) * CACHE_LINE


def _of_product(of: Any, code: bytes, packed: int, own: int, workers: Sequence[int] = WORKERS) -> Proof:
    """Prove the code of a product with these bytes of scratch memory: shared, and for each worker."""
    trusted.check(of.spec, of.target)
    found: list[Proof] = []
    words, calls = every_call(of.spec, of.kind)
    with recorded() as seen:
        for spec, call in calls:
            opened = call.opened()

            def job_of(workers: int, call: Call = opened) -> WorkerJob:
                a, b, c, *extras = call.integers
                scratch = scratch_of(packed + workers * own)
                first = scratch.__array_interface__["data"][0]
                read = first if packed else 0, first + packed if own else 0
                return WorkerJob(code, [*table_of([a, b, c, *read]), *extras], (scratch,))

            found.append(verify_together(of.target, spec, call, job_of, workers=workers))
            if not found[-1]:
                break
    return with_coverage(together(found, words), code, of.target, seen, workers)


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
    call, code = network_call([layer.product for layer in of.layers]), of.with_packing().data
    x, weights, biases, results = call.keep
    sizes = [_packed_bytes(layer) for layer in of.layers]

    def job_of(workers: int) -> WorkerJob:
        memory = [scratch_of(size) for size in (*sizes, workers * of.bytes_own)]
        *packed, own = (each.__array_interface__["data"][0] for each in memory)
        layers = [word for each in zip(packed, biases, results) for word in each]
        return WorkerJob(code, [x, own, *barrier_of(), *layers, *weights], tuple(memory))

    def alone(number: int, given: int) -> WorkerJob:
        """Return the job of one layer that reads this address."""
        layer = of.layers[number]
        scratch = scratch_of(sizes[number] + layer.bytes_own)
        packed = scratch.__array_interface__["data"][0]
        table = table_of([given, weights[number], results[number], packed, packed + sizes[number]])
        return WorkerJob(_layer_code(layer), [*table, biases[number]], (scratch,))

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
