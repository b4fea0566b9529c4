"""Products with sparse matrices as machine code: how B is read is chosen by an estimate of the cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import facts_of
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.sparse import SPARSE
from ..kernel.kinds import kind_of
from ..kernel.origin import planned
from ..loops.code import Node, has_barriers
from ..loops.job import (
    Job,
    JobKernel,
    JobWord,
    MemoryRegion,
    barrier_words,
    emulated_barrier,
    job_of,
    parameter,
    pointer,
    scratch,
    scratch_words,
)
from ..loops.scratch import buffer
from ..loops.text import text
from ..threads.barrier import barrier
from .nest import ALONE, IN_PLACE, TOGETHER, PanelChoice, SparseNest, SparseProduct

if TYPE_CHECKING:
    from ...microkernels.contract.machine import Facts
    from ..arguments.arrays import Array
    from ..loops.blob import Blob
    from ..verify.proof import Proof
    from . import proofs

proofs = lazy(__package__, ".proofs")


class SparseJob(JobKernel):
    """A product with a sparse matrix as machine code, with addresses as arguments.

    product   what is computed
    plan      how B is read
    nest      makes the loops
    """

    product: SparseProduct
    plan: PanelChoice
    flops: int
    nest: SparseNest

    def __init__(self, product: SparseProduct, plan: PanelChoice) -> None:
        down, across = product.block
        flops = 2 * product.sizes.entries * down * across * product.n
        nest = SparseNest(product, plan)
        self._keep(product=product, plan=plan, target=product.target, flops=flops, nest=nest)

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        asked = replace(self.product, epilogue=None), self.plan, self.nest.first
        return job_of(asked, self.nest.nodes, self.product.target, "spmm")

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The loops and their calls."""
        return self.nest.nodes()

    @property
    def apart(self) -> int:
        """The bytes from one row of blocks of B to the next one, where they are read."""
        of = self.product
        width = of.b if self.plan.copies == IN_PLACE else self.plan.width
        return of.block[1] * width * ELEMENT_BYTES[of.types[1]]

    def table(self, starts: Array, columns: Array, pieces: Sequence[Array]) -> Array:
        """Return the table of a matrix: where each row of blocks begins, the pieces, and the places of blocks of A and
        of the rows of B that they are multiplied by."""
        down, across = self.product.block
        of_a = np.arange(self.product.sizes.most) * (down * across * ELEMENT_BYTES[self.product.types[0]])
        made: Array = np.concatenate([starts, *map(np.ravel, pieces), of_a, columns * self.apart]).astype(np.int64)
        made.setflags(write=False)
        return made

    def at(self, words: Sequence[int], more: Sequence[int], workers: int) -> None:
        """Compute on operands at these addresses: A, B, C, the table, and the further ones."""
        shared, own = self.nest.bytes_shared, self.nest.bytes_own
        state = barrier(self.product.target) if workers > 1 and self.nest.waits else (0, 0)
        cycles = int(self.plan.cycles)
        if not shared + own:
            self.job.run((*words, 0, 0, *state, *more), workers, cycles=cycles)
            return
        with buffer(shared + workers * own) as memory:
            self.job.run((*words, memory.address, memory.address + shared, *state, *more), workers, cycles=cycles)

    def emulated(
        self, words: Sequence[int], more: Sequence[int], regions: Sequence[MemoryRegion], workers: int, turns: int
    ) -> None:
        """Compute in the emulator, as `at` does. `regions` are the memory of the operands."""
        shared, own = self.nest.bytes_shared, self.nest.bytes_own
        memory = scratch(shared + workers * own)
        first = memory.__array_interface__["data"][0]
        table = *words, first, first + shared, *emulated_barrier(), *more
        self._emulate(self._blob, table, [*regions, ("scratch memory", memory)], workers, turns)

    def _words(self) -> list[JobWord]:
        of, nest = self.product, self.nest
        types = of.types
        made = [pointer(types[0], "a", False), pointer(types[1], "b", False), pointer(types[2], "c", True)]
        made += [parameter("const int64_t *", "table"), *scratch_words(nest.bytes_shared, nest.bytes_own)]
        made += barrier_words(has_barriers(self.nodes))
        return made + [pointer(each.dtype, each.name, False) for each in of.more]

    def _title(self) -> str:
        of = self.product
        down, across = of.block
        return (
            f"spmm {of.m} x {of.n} x {of.k} {','.join(of.types)}, {of.sizes.entries} blocks of {down} x {across}, "
            f"for {of.target.name}"
        )

    def __str__(self) -> str:
        """Return the plan, and the loops with their calls as text."""
        names = ["a", "b", "c", "table", "shared scratch", "own scratch", "barrier", "its argument"]
        names += [each.name for each in self.product.more]
        return "\n".join([self._title(), f"  {self.plan}", *text(self.nodes, dict(enumerate(names)), "  ")])

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def __reduce__(self) -> tuple[type[SparseJob], tuple[SparseProduct, PanelChoice]]:
        return SparseJob, (self.product, self.plan)


class KnownProduct(NamedTuple):
    """A product with a matrix, as `ts.sparse(a).plan(n)` returns it: its job, and the table of the matrix for it.

    starts, columns   where each row of blocks begins, and the column of each block
    """

    job: SparseJob
    table: Array
    starts: Array
    columns: Array

    def about(self) -> list[str]:
        """Return the plan as lines of text."""
        of = self.job.product
        return [f"times {of.k} x {of.n} {of.types[1]}: {self.job.plan}"]

    def verify(self, *, timeout: float | None = None) -> Proof:
        """Return a proof of the machine code with the table of this matrix: that the kernels compute what they are to,
        that their calls are the product and write each element of the result once, and that no two threads touch the
        same memory; see docs/soundness.md. A successful proof is truthy, and printing it shows how it was found."""
        return proofs.of_product(self.job.job, self.job.nest, self.table, self.starts, self.columns, timeout=timeout)

    def __str__(self) -> str:
        """Return the plan, and the loops with their calls as text."""
        return str(self.job)


# The choice


def chosen(of: SparseProduct, workers: int) -> PanelChoice:
    """Return how B is read. Raises UnsupportedError if no kernel multiplies such blocks."""
    facts, found, refusal = facts_of(of.target), list[PanelChoice](), ""
    for way in _ways(of, facts, workers):
        try:
            found.append(replace(way, cycles=_cycles(of, way, facts)))
        except UnsupportedError as error:
            refusal = str(error)
    if not found:
        raise UnsupportedError(refusal)
    best = min(found, key=lambda each: each.cycles)
    return replace(best, streams=_streams(of, best, facts))


def _streams(of: SparseProduct, way: PanelChoice, facts: Facts) -> bool:
    """Whether C is stored past the caches: it and B are more than they hold, and every kernel of the job can."""
    size = ELEMENT_BYTES[of.types[2]]
    least, bytes_all = facts.shuffles.streaming_bytes, of.n * (of.m * size + of.k * ELEMENT_BYTES[of.types[1]])
    if not least or bytes_all < least or size < ELEMENT_BYTES["f32"] or of.c * size % CACHE_LINE:
        return False
    nest = SparseNest(of, replace(way, streams=True))
    try:
        for request in nest.finishing():
            planned(request, of.target, kind_of(request))
    except UnsupportedError:
        return False
    return True


def _ways(of: SparseProduct, facts: Facts, workers: int) -> Iterator[PanelChoice]:
    """Yield the ways that are tried."""
    size = ELEMENT_BYTES[of.types[1]]
    lanes = facts.widths[0] // (8 * max(4, ELEMENT_BYTES[of.types[2]]))
    group = max(1, 4 // size) if ELEMENT_BYTES[of.types[0]] == size else 1
    groups = [group] if of.block[1] % group == 0 and not of.turned else []
    plain = [] if of.groups[0] > 1 else [1]
    widths = dict.fromkeys(min(of.n, lanes * vectors) for vectors in SPARSE.vectors)
    for width in widths:
        for each in dict.fromkeys((*groups, *plain)):
            alone = -(-of.n // width) >= SPARSE.dealt * workers or workers == 1
            yield PanelChoice(width, each, ALONE if alone else TOGETHER)
        if not of.turned and of.k % of.block[1] == 0:
            yield PanelChoice(width, of.groups[0], IN_PLACE)


def _cycles(of: SparseProduct, way: PanelChoice, facts: Facts) -> float:
    """Estimate the cycles of one thread: the products, and what comes from outside of L2."""
    nest = SparseNest(of, way)
    request = nest.first
    product = planned(request, of.target, kind_of(request)).pair_cycles
    size = ELEMENT_BYTES[of.types[1]]
    read = of.sizes.entries * of.block[1] * way.width * size  # bytes of B for a panel
    panel = nest.depth * way.width * size
    calls = of.sizes.lines * SPARSE.call + of.m * SPARSE.run
    total = nest.panels * (of.sizes.entries * product + calls)
    rows = of.sizes.entries * of.block[1]  # of B that are read for a panel
    if way.copies == IN_PLACE:
        if nest.depth * of.b * size <= SPARSE.share * facts.l2_bytes:
            return total
        apart = of.b > way.width  # rows share few sets of the caches
        return total + nest.panels * ((read / SPARSE.outside + rows * SPARSE.run) if apart else panel / SPARSE.outside)
    copied = nest.panels * (panel / SPARSE.move + nest.depth * SPARSE.run)
    fits = panel <= SPARSE.share * facts.l2_bytes
    return total + copied + (0 if fits else nest.panels * read / SPARSE.outside)
