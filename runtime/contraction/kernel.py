"""Contractions as machine code: `Contracted` makes the nests of their plans around BRGEMM kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import View
from ..api.aligned import bytes_at_a_line
from ..api.brgemm import product_spec
from ..arguments.arrays import Array, address_of
from ..kernel.callable import Kernel, kept
from ..kernel.kinds import kind_of
from ..kernel.origin import planned as plan_of
from ..loops.blob import Blob
from ..loops.code import Node
from ..loops.job import Job, JobKernel, Word, job_of, pointer, scratch, scratch_words
from ..loops.scratch import buffer
from ..loops.text import text
from ..threads.policy import num_threads
from .form import Contraction
from .nest import C, ContractionNest, zeros
from .packs import packed
from .plan import Tiling, TilingChoice, planned
from .roles import Roles

if TYPE_CHECKING:
    from ...microkernels.operands import Operand
    from ..api.typed import Epilogue
    from ..kernel.accuracy import Accuracy
    from ..kernel.kinds import AnyRequest
    from ..verify.proof import Proof
    from . import proofs
    from .form import IndexedArray

proofs = lazy(__package__, ".proofs")


class Contracted(JobKernel):
    """Contractions that read one A and one B and write places of one C, as one job, with addresses as arguments.

    plan       how each part is cut; print it: roles, copies, tiles, panels, an estimate of the time
    """

    parts: tuple[Contraction, ...]
    flops: int
    _stem = "contraction"

    def __init__(
        self,
        parts: Sequence[Contraction],
        target: Target,
        epilogue: Epilogue | None,
        names: Sequence[str],
        accuracy: Accuracy | None,
    ) -> None:
        """Make the job of these parts.

        epilogue   a function of expressions of a sum, c, and of an element of each further operand, by name
        names      of the contractions' further operands
        """
        trimmed = [each.trimmed() for each in parts]
        empty = [each for each in trimmed if epilogue is None and each.a.is_outside(each.extents) and not each.a.fill]
        products = [each for each in trimmed if each not in empty] or trimmed[:1]
        empty = [each for each in empty if each not in products]
        self._keep(parts=tuple(products), target=target, flops=sum(each.flops for each in parts))
        self._empty = tuple(empty)  # whose sums are 0
        self._epilogue, self._names, self._accuracy = epilogue, tuple(names), accuracy

    @cached_property
    def plan(self) -> PartChoices:
        """How each part is cut. B lies in the groups that an instruction multiplies, if the target multiplies those."""
        widest = max(1, 4 // ELEMENT_BYTES[self.parts[0].b.dtype])
        found = PartChoices(tuple(planned(each, self.target, widest) for each in self.parts))
        if widest > 1 and not all(map(self._multiplies, found.ways)):
            return PartChoices(tuple(planned(each, self.target, 1) for each in self.parts))
        return found

    def _multiplies(self, way: Tiling) -> bool:
        """Whether the target has a kernel for the products of a way."""
        request = self._first(way)
        try:
            plan_of(request, self.target, kind_of(request))
        except UnsupportedError:
            return False
        return True

    @cached_property
    def _ways(self) -> tuple[Tiling, ...]:
        return tuple(each.way for each in self.plan.parts)

    @cached_property
    def bytes_own(self) -> int:
        """Bytes of scratch memory per worker."""
        return max(each.bytes_own for each in self._ways)

    @cached_property
    def bytes_b(self) -> int:
        """Bytes of the panels of B."""
        return sum(each.b.size for each in self._ways)

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        asked = self.parts, self._empty, self.plan.ways, self._names, self._asked
        return job_of(asked, self._nodes, self.target, self._stem)

    @cached_property
    def _asked(self) -> AnyRequest:
        """The request of the first product, which says what the epilogue computes."""
        return self._first(self._ways[0])

    def _first(self, way: Tiling) -> AnyRequest:
        """Return the request of the first product of a way."""
        return self._request(way, way.roles, min(way.width, way.b.columns))

    def _nodes(self) -> tuple[Node, ...]:
        made: list[Node] = []
        before = 0
        for way in self._ways:
            made += ContractionNest(way, self.target, self._product, self.bytes_own, before).nodes()
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
        if roles.rows.extent > 1:
            request |= {"lda": roles.rows.a, "ldc": roles.rows.c}
        if roles.batch:
            step, strides = way.b.groups * way.width, list[tuple[int, int]]()
            for chain in reversed(roles.batch):
                strides.insert(0, (chain.a, step))
                step *= chain.extent
            request |= {"batch": tuple(each.extent for each in roles.batch), "strides": tuple(strides)}
        if self._epilogue is None:
            return product_spec(roles.rows.extent, columns, roles.depth.extent, **request)
        shapes = {name: (_shape(each, roles), each.dtype) for name, each in zip(self._names, contraction.more)}
        request |= {"epilogue": self._epilogue, "operands": shapes, "accuracy": self._accuracy}
        spec: Any = product_spec(roles.rows.extent, columns, roles.depth.extent, **request)
        lying = zip(spec.extras, contraction.more, strict=True)
        made: AnyRequest = replace(spec, extras=tuple(_placed(way, extra, each, roles) for extra, each in lying))
        return made

    def panels(self, b: Array) -> Array:
        """Return the panels of B of all parts, as bytes."""
        made, before = bytes_at_a_line(self.bytes_b, zero=True), 0
        for way in self._ways:
            apart = [name for name in way.dealt if way.contraction.b.has(name)]
            packed(way.contraction, apart, way.roles, way.b, b, made[before : before + way.b.size])
            before += way.b.size
        made.setflags(write=False)
        return made

    def at(self, addresses: Sequence[int], threads: int | None = None) -> None:
        """Compute on operands at these addresses: A, the panels of B, C, and the further ones."""
        workers, own = threads or num_threads(), self.bytes_own
        a, b, c, *more = addresses
        if not own:
            self.job.run((a, b, c, 0, *more), workers, cycles=int(self.plan.cycles))
            return
        with buffer(workers * own) as memory:
            self.job.run((a, b, c, memory.address, *more), workers, cycles=int(self.plan.cycles))

    def emulated(self, addresses: Sequence[int], regions: Sequence[Any], workers: int, turns: int) -> None:
        """Compute in the emulator, as `at` does. `regions` are the memory of the operands."""
        memory = scratch(workers * self.bytes_own)
        a, b, c, *more = addresses
        words = a, b, c, address_of(memory) if self.bytes_own else 0, *more
        self._emulate(self._blob, words, [*regions, ("scratch memory", memory)], workers, turns)

    def verify(self, *, timeout: float | None = None) -> Proof:
        """Return a proof of the kernels, that the job's calls write every element of the result and nothing else, and
        that no two threads touch the same memory: see docs/soundness.md. A successful proof is truthy, and printing it
        shows how it was found."""
        return proofs.of_contraction(self, timeout=timeout)

    def _words(self) -> list[Word]:
        first = self.parts[0]
        panels = Word("the panels of b: {} bytes, aligned to 64 bytes", "b_bytes", self.bytes_b)
        own = scratch_words(0, self.bytes_own)[1]
        more = [pointer(each.dtype, name, False) for name, each in zip(self._names, first.more)]
        return [pointer(first.a.dtype, "a", False), panels, pointer(first.c.dtype, "c", True), own, *more]

    def _text(self, names: Sequence[str]) -> list[str]:
        return text(self._blob.nodes, dict(enumerate([*names, *self._names])), "  ")


class PartChoices:
    """The plans of all parts."""

    def __init__(self, parts: tuple[TilingChoice, ...]) -> None:
        self.parts = parts

    @property
    def ways(self) -> tuple[Tiling, ...]:
        """The ways that are taken."""
        return tuple(each.way for each in self.parts)

    @property
    def cycles(self) -> float:
        """The estimated cycles of one core."""
        return sum(each.cycles for each in self.parts)

    @property
    def rejected(self) -> tuple[str, ...]:
        """The ways that are not taken, with their estimated cycles, and reasons why others are impossible."""
        return tuple(line for each in self.parts for line in each.rejected)

    def __repr__(self) -> str:
        return "; ".join(map(str, self.parts))

    def __str__(self) -> str:
        return "\n".join(map(str, self.parts))


def _shape(operand: IndexedArray, roles: Roles) -> str | None:
    """Return which elements of C have an element of a further operand of their own."""
    return None if any(map(operand.has, roles.rows.names)) else "row"


def _placed(way: Tiling, extra: Operand, operand: IndexedArray, roles: Roles) -> Operand:
    """Return an operand of the epilogue with the distance between its rows."""
    if extra.vector or not any(map(operand.has, roles.rows.names)):
        return extra
    apart = roles.rows.c if way.staged else operand.stride(roles.rows.names[-1])
    return extra._replace(view=View("C", apart))
