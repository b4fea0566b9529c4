"""Contractions as machine code: `Contracted` makes the nests of their plans around BRGEMM kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import facts_of
from ...microkernels.operands import CACHE_LINE, View
from ..api.aligned import bytes_at_a_line
from ..api.brgemm import product_spec
from ..arguments.arrays import Array, address_of
from ..kernel.callable import Kernel, kept
from ..kernel.kinds import kind_of
from ..kernel.origin import planned as plan_of
from ..loops.blob import Blob
from ..loops.code import Barrier, Node
from ..loops.job import Job, JobKernel, JobWord, MemoryRegion, job_of, pointer, scratch, scratch_words
from ..loops.scratch import buffer
from ..loops.text import text
from ..threads.barrier import barrier
from ..threads.policy import num_threads
from . import packing
from .form import Contraction
from .nest import EXTRAS, OWN, B, C, ContractionNest, zeros
from .packing import PackingPlaces
from .packs import packed
from .plan import ordered, planned
from .roles import Roles
from .tiling import PartChoices, Tiling, TilingChoice

if TYPE_CHECKING:
    from ...microkernels.operands import Operand
    from ..api.typed import Epilogue
    from ..kernel.accuracy import Accuracy
    from ..kernel.kinds import AnyRequest
    from ..verify.proof import Proof
    from . import proofs
    from .form import IndexedArray

proofs = lazy(__package__, ".proofs")


class PackingJob(NamedTuple):
    """A job that packs B and computes, and its bytes of scratch memory per worker."""

    job: Job
    own: int


class Contracted(JobKernel):
    """Contractions that read one A and one B and write places of one C, as one job, with addresses as arguments.

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
        empty = [each for each in empty if each not in products]
        self._keep(parts=tuple(products), target=target, flops=sum(each.flops for each in parts))
        self._empty = tuple(empty)  # whose sums are 0
        self._epilogue, self._names, self._accuracy, self._tuned = epilogue, tuple(names), accuracy, tuned

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
        if widest > 1 and not all(map(self._multiplies, found.ways)):
            return PartChoices(tuple(planned(each, self.target, 1, self.threads) for each in self.parts))
        return found

    def _multiplies(self, way: Tiling) -> bool:
        """Whether the target has a kernel for the products of a way."""
        try:
            request = self._first(way)
            plan_of(request, self.target, kind_of(request))
        except UnsupportedError:
            return False
        return True

    @cached_property
    def _ways(self) -> tuple[Tiling, ...]:
        return tuple(each.way for each in self._cut.parts)

    @property
    def bytes_own(self) -> int:
        """Bytes of scratch memory per worker."""
        return max(each.bytes_own for each in self._ways)

    @property
    def bytes_b(self) -> int:
        """Bytes of the panels of B."""
        return sum(each.b.size for each in self._ways)

    @cached_property
    def panels_lie(self) -> tuple[object, ...]:
        """How the panels of B lie, for each part: equal if they are the same bytes of the same B."""
        return tuple(
            (way.b, way.contraction.b, tuple((name, way.contraction.extents[name]) for name in way.loops_b))
            for way in self._ways
        )

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        return job_of(self._asked, self._nodes, self.target, self._stem)

    @property
    def _asked(self) -> tuple[object, ...]:
        """Everything but the target that the nest depends on. The request of the first product says what the epilogue
        computes."""
        return self.parts, self._empty, self._ways, self._names, self._first(self._ways[0])

    def _first(self, way: Tiling) -> AnyRequest:
        """Return the request of the first product of a way."""
        return self._request(way, way.roles, min(way.width, way.b.columns))

    def _nodes(self, own: int | None = None) -> tuple[Node, ...]:
        """Return the nest. `own` are bytes of scratch memory per worker, if it is not alone in its job."""
        own = self.bytes_own if own is None else own
        made: list[Node] = []
        before = 0
        for way in self._ways:
            made += ContractionNest(way, self.target, self._product, own, before).nodes()
            before += way.b.size
        for each in self._empty:
            made += zeros(each.c, each.extents, C, self.target)
        return tuple(made)

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    def _product(self, way: Tiling, roles: Roles, columns: int) -> Kernel:
        return kept(self._request(way, roles, columns), self.target)

    def _request(self, way: Tiling, roles: Roles, columns: int) -> AnyRequest:
        """Return the request of a product of so many columns of a panel."""
        contraction = way.contraction
        request: dict[str, Any] = {
            "dtype": (contraction.a.dtype, contraction.b.dtype, contraction.c.dtype),
            "ldb": way.width,
            "beta": 0.0,
            "b_layout": "vnni" if way.group > 1 else "plain",
        }
        lines = {"lda": roles.rows.a, "ldc": roles.rows.c} if roles.rows.extent > 1 else {}
        if way.along:
            lines = {"lda": roles.depth.a} if roles.depth.extent > 1 else {}
            lines |= {"ldc": roles.columns.c} if columns > 1 else {}
            request["order"] = "F", "C", "F"
            if not way.copies and facts_of(self.target).outer_product(contraction.b.dtype, contraction.a.dtype) is None:
                request["prefetch"] = "a@l1"  # rows of A that are far apart, which nothing else fetches ahead
        request |= lines
        if roles.batch:
            step, strides = way.b.groups * way.width, list[tuple[int, int]]()
            for chain in reversed(roles.batch):
                strides.insert(0, (chain.a, step))
                step *= chain.extent
            request |= {"batch": tuple(each.extent for each in roles.batch), "strides": tuple(strides)}
        if self._epilogue is not None:
            shapes = {name: (_shape(each, roles), each.dtype) for name, each in zip(self._names, contraction.more)}
            request |= {"epilogue": self._epilogue, "operands": shapes, "accuracy": self._accuracy}
        spec: Any = product_spec(roles.rows.extent, columns, roles.depth.extent, **request)
        if self._epilogue is not None:
            lying = zip(spec.extras, contraction.more, strict=True)
            spec = replace(spec, extras=tuple(_placed(way, extra, each, roles) for extra, each in lying))
        made: AnyRequest = replace(spec, ordered=ordered(contraction))
        return made

    def panels(self, b: Array) -> Array:
        """Return the panels of B of all parts, as bytes."""
        made = bytes_at_a_line(self.bytes_b, zero=True)
        self._write_panels(b, made)
        made.setflags(write=False)
        return made

    def packing(self, strides: tuple[int, ...]) -> PackingJob | None:
        """Return the job that packs a B of these strides, in elements, and computes; None if no kernels pack it."""
        if strides not in self._packings:
            found = self._packing_nodes(strides, PackingPlaces(self.barrier + 2, B, OWN))
            self._packings[strides] = None
            if found is not None:
                nodes, own = found
                asked, stem = (self._asked, strides), f"{self._stem}_of_weights"
                job = job_of(asked, lambda: (*nodes(), Barrier(self.barrier), *self._nodes(own)), self.target, stem)
                self._packings[strides] = PackingJob(job, own) if job.runs else None
        return self._packings[strides]

    @cached_property
    def _packings(self) -> dict[tuple[int, ...], PackingJob | None]:
        return {}

    @property
    def barrier(self) -> int:
        """The place of the barrier in the table of a job that packs B; its argument and B follow."""
        return EXTRAS + len(self._names)

    def _packing_nodes(
        self, strides: tuple[int, ...], places: PackingPlaces
    ) -> tuple[Callable[[], list[Node]], int] | None:
        """Return what makes the nests that pack a B, and the bytes of scratch memory per worker."""
        loops = [packing.loops_of(way, strides) for way in self._ways]
        found = [each for each in loops if each is not None]
        if len(found) < len(loops):
            return None
        own = max([self.bytes_own, *(each.own for each in found)])

        def nodes() -> list[Node]:
            made, before = list[Node](), 0
            for way, each in zip(self._ways, found):
                made += packing.nodes_of(each, before, own, self.target, places)
                before += way.b.size
            return made

        return nodes, own

    def on(self, a: int, b: Array, c: int, more: Sequence[int], threads: int | None = None) -> None:
        """Compute on operands at these addresses, and on a B that is packed first, into scratch memory."""
        size, workers = b.itemsize, threads or num_threads()
        whole = b.flags.aligned and not any(step % size for step in b.strides)
        found = self.packing(tuple(step // size for step in b.strides)) if whole else None
        if found is None:
            made = self.panels(b)
            self.at((a, address_of(made), c, *more), workers)
            return
        with buffer(self.bytes_panels + workers * found.own) as memory:
            state = barrier(self.target) if workers > 1 else (0, 0)
            words = a, memory.address, c, memory.address + self.bytes_panels, *more, *state, address_of(b)
            found.job.run(words, workers, cycles=self._cycles)

    @property
    def bytes_panels(self) -> int:
        """Bytes of shared scratch memory for the panels."""
        return -(-self.bytes_b // CACHE_LINE) * CACHE_LINE

    @cached_property
    def _cycles(self) -> int:
        return int(self.plan.cycles)

    def _write_panels(self, b: Array, to: Array) -> None:
        """Write the panels of B to these bytes, which are zero."""
        before = 0
        for way in self._ways:
            packed(way.contraction, way.loops_b, way.b, b, to[before : before + way.b.size])
            before += way.b.size

    def at(self, addresses: Sequence[int], threads: int | None = None) -> None:
        """Compute on operands at these addresses: A, the panels of B, C, and the further ones."""
        workers, own = threads or num_threads(), self.bytes_own
        a, b, c, *more = addresses
        if not own:
            self.job.run((a, b, c, 0, *more), workers, cycles=self._cycles)
            return
        with buffer(workers * own) as memory:
            self.job.run((a, b, c, memory.address, *more), workers, cycles=self._cycles)

    def emulated(self, addresses: Sequence[int], regions: Sequence[MemoryRegion], workers: int, turns: int) -> None:
        """Compute in the emulator, as `at` does. `regions` are the memory of the operands."""
        memory = scratch(workers * self.bytes_own)
        a, b, c, *more = addresses
        words = a, b, c, address_of(memory) if self.bytes_own else 0, *more
        self._emulate(self._blob, words, [*regions, ("scratch memory", memory)], workers, turns)

    def recut(self, choice: TilingChoice) -> Contracted:
        """Return the same contraction, of one part, cut in another way."""
        raise NotImplementedError

    def verify(self, *, timeout: float | None = None) -> Proof:
        """Return a proof of the kernels, that the job's calls write every element of the result and nothing else, and
        that no two threads touch the same memory: see docs/soundness.md. A successful proof is truthy, and printing it
        shows how it was found."""
        return proofs.of_contraction(self, *self._definition(), timeout=timeout)

    def _definition(self) -> tuple[Any, ...]:
        """Return what it computes and the numbers of the elements of B in it, or nothing: then no proof compares."""
        return ()

    def _words(self) -> list[JobWord]:
        first = self.parts[0]
        panels = JobWord("the panels of b: {} bytes, aligned to 64 bytes", "b_bytes", self.bytes_b)
        own = scratch_words(0, self.bytes_own)[1]
        more = [pointer(each.dtype, name, False) for name, each in zip(self._names, first.more)]
        return [pointer(first.a.dtype, "a", False), panels, pointer(first.c.dtype, "c", True), own, *more]

    def _text(self, names: Sequence[str]) -> list[str]:
        return text(self._blob.nodes, dict(enumerate([*names, *self._names])), "  ")


def _shape(operand: IndexedArray, roles: Roles) -> str | None:
    """Return which elements of C have an element of a further operand of their own."""
    return None if any(map(operand.has, roles.rows.names)) else "row"


def _placed(way: Tiling, extra: Operand, operand: IndexedArray, roles: Roles) -> Operand:
    """Return an operand of the epilogue with the distance between its rows."""
    if extra.vector or not any(map(operand.has, roles.rows.names)):
        return extra
    if way.along:
        return extra._replace(
            view=View("F", operand.stride(roles.columns.names[-1]) if roles.columns.names else extra.rows)
        )
    apart = roles.rows.c if way.staged else operand.stride(roles.rows.names[-1])
    return extra._replace(view=View("C", apart))
