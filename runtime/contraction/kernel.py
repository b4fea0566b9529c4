"""Contractions as machine code: `Contracted` makes a job of their loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.operands import CACHE_LINE
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, address_of
from ..loops.code import Barrier, Node
from ..loops.job import Job, JobCall, JobWord, TableKernel, job_of, pointer
from ..threads.called_code import JobTable
from ..threads.policy import num_threads
from .form import Contraction
from .interface import ContractionLoops, PackingPlaces
from .nest import EXTRAS, OWN, A, B, C
from .plan import planned
from .products import ProductKernels, ProductLoops
from .tiling import PartChoices, TilingChoice

if TYPE_CHECKING:
    from ..api.typed import Epilogue
    from ..kernel.accuracy import Accuracy
    from ..verify.proof import Proof
    from ..verify.terms import SumOfProducts
    from . import proofs

proofs = lazy(__package__, ".proofs")


class Contracted(TableKernel):
    """Contractions that read one A and one B and write places of one C, as one job. Its calls take the addresses of A,
    the panels of B, C, and the further operands.

    plan       how each part is cut; print it: roles, copies, tiles, panels, an estimate of the time
    """

    parts: tuple[Contraction, ...]
    flops: int
    threads: int | None = None
    _stem = "contraction"

    def __init__(
        self,
        parts: Sequence[Contraction],
        target: Target,
        epilogue: Epilogue | None,
        names: Sequence[str],
        accuracy: Accuracy | None,
        tuned: TilingChoice | None = None,
    ) -> None:
        """Make the job of these parts.

        epilogue   a function of expressions of a sum, c, and of an element of each further operand, by name
        names      of the contractions' further operands
        tuned      how the only part is cut, in place of what the estimate says
        """
        trimmed = [each.trimmed() for each in parts]
        empty = [each for each in trimmed if epilogue is None and each.a.is_outside(each.extents) and not each.a.fill]
        products = [each for each in trimmed if each not in empty] or trimmed[:1]
        self._keep(parts=tuple(products), target=target, flops=sum(each.flops for each in parts))
        self._empty = tuple(each for each in empty if each not in products)  # whose sums are 0
        self._products, self._tuned = ProductKernels(target, epilogue, tuple(names), accuracy), tuned
        self._packings: dict[tuple[int, ...], JobCall | None] = {}

    @property
    def plan(self) -> PartChoices:
        """How each part is cut."""
        return self._cut

    @cached_property
    def _cut(self) -> PartChoices:
        """The plan: B lies in the groups that an instruction multiplies, if the target multiplies those."""
        if self._tuned is not None:
            return PartChoices((self._tuned,))
        widest = max(1, 4 // ELEMENT_BYTES[self.parts[0].b.dtype])
        found = PartChoices(tuple(planned(each, self.target, widest, self.threads) for each in self.parts))
        if widest > 1 and not all(map(self._products.multiplies, found.ways)):
            return PartChoices(tuple(planned(each, self.target, 1, self.threads) for each in self.parts))
        return found

    @cached_property
    def loops(self) -> ContractionLoops:
        """The loops that the plan says."""
        plan = self.plan
        return plan.loops or ProductLoops(self.parts, self._empty, plan.ways, self._products, plan.cycles)

    @cached_property
    def bytes_own(self) -> int:
        """Bytes of scratch memory per worker."""
        return self.loops.bytes_own

    @cached_property
    def bytes_b(self) -> int:
        """Bytes of the panels of B."""
        return self.loops.bytes_b

    @property
    def _asked(self) -> tuple[object, ...]:
        return self.loops.asked

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        return self.loops.nodes(self.bytes_own)

    @property
    def _table(self) -> JobTable:
        return JobTable((A, B, C, *range(EXTRAS, self._barrier)), None, OWN, self._barrier)

    @property
    def _memory(self) -> tuple[int, int]:
        return 0, self.bytes_own

    @property
    def cycles(self) -> int:
        """The estimated cycles of one core."""
        return int(self.loops.cycles)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the further operands."""
        return self._products.names

    @property
    def _barrier(self) -> int:
        """The place of the barrier in the table of a job that packs B; its argument and B follow."""
        return EXTRAS + len(self.names)

    def packing(self, strides: tuple[int, ...]) -> JobCall | None:
        """Return the calls of a job that packs a B of these strides, in elements, and computes, with the address of B
        in place of the panels; None if no kernels pack it."""
        if strides not in self._packings:
            self._packings[strides] = self._packing(strides)
        return self._packings[strides]

    def _packing(self, strides: tuple[int, ...]) -> JobCall | None:
        source, loops = self._barrier + 2, self.loops
        found = loops.packing(strides, PackingPlaces(source, B, OWN))
        if found is None:
            return None
        nodes, own = found
        asked, stem = (loops.asked, strides), f"{self._stem}_of_weights"
        job = job_of(asked, lambda: (*nodes(), Barrier(self._barrier), *loops.nodes(own)), self.target, stem)
        table = JobTable((A, source, C, *range(EXTRAS, self._barrier)), B, OWN, self._barrier)
        shared = -(-self.bytes_b // CACHE_LINE) * CACHE_LINE
        return JobCall(job, table, (shared, own), self.cycles, True) if job.runs else None

    def packing_job(self, strides: tuple[int, ...]) -> tuple[Job, int] | None:
        """Return the job that packs a B of these strides, in elements, and its bytes of scratch memory: its table has
        the addresses of B, of the panels, which are zero before, and of the scratch memory. None if no kernels pack
        it, or this machine does not run it."""
        found = self.loops.packing(strides, PackingPlaces(0, 1, 2))
        if found is None:
            return None
        nodes, own = found
        asked, stem = (self.loops.asked, strides, "alone"), f"{self._stem}_weights"
        job = job_of(asked, nodes, self.target, stem)
        return (job, own) if job.runs else None

    def panels(self, b: Array) -> Array:
        """Return the panels of B of all parts, as bytes."""
        made = bytes_at_a_line(self.bytes_b, zero=True)
        self.loops.pack(b, made)
        made.setflags(write=False)
        return made

    def on(self, a: int, b: Array, c: int, more: Sequence[int], threads: int | None = None) -> None:
        """Compute on operands at these addresses, and on a B that is packed first, into scratch memory."""
        whole = b.flags.aligned and not any(step % b.itemsize for step in b.strides)
        found = self.packing(tuple(step // b.itemsize for step in b.strides)) if whole else None
        factor = b if found else self.panels(b)
        (found or self.call).at((a, address_of(factor), c, *more), threads or num_threads())

    def recut(self, choice: TilingChoice) -> Contracted:
        """Return the same contraction, of one part, cut in another way."""
        raise NotImplementedError

    def verify(self, *, timeout: float | None = None) -> Proof:
        """Return a proof of the kernels, that the job's calls write every element of the result and nothing else, and
        that no two threads touch the same memory: see docs/soundness.md. A successful proof is truthy, and printing it
        shows how it was found."""
        return proofs.of_contraction(self.parts, self.names, self.loops, self.job, self.definition(), timeout=timeout)

    def definition(self) -> tuple[SumOfProducts, Array, Sequence[str]] | None:
        """Return what it computes, the numbers of the elements of B in it, and the names of further operands whose
        memory may be that of the result. None: no proof compares its calls with a definition."""
        return None

    def _operands(self) -> list[JobWord]:
        first = self.parts[0]
        panels = JobWord("the panels of b: {} bytes, aligned to 64 bytes", "b_bytes", self.bytes_b)
        more = [pointer(each.dtype, name, False) for name, each in zip(self.names, first.more)]
        return [pointer(first.a.dtype, "a", False), panels, pointer(first.c.dtype, "c", True), *more]
