"""Contractions as machine code: `Contracted` makes the nest of a plan around BRGEMM kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...encoder.features import Target
from ...encoder.records import cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ..api.brgemm import product_spec
from ..kernel.callable import Kernel, kept
from ..loops.blob import Blob
from ..loops.code import Node
from ..loops.job import Job, JobKernel, Word, pointer, scratch_words
from ..loops.text import text
from ..ops.scratch import buffer
from ..threads.policy import num_threads
from .form import Contraction
from .nest import Nest
from .packs import packed
from .plan import Plan, Way, planned
from .roles import Roles

if TYPE_CHECKING:
    from ..arguments.arrays import Array
    from ..kernel.accuracy import Accuracy


class Contracted(JobKernel):
    """A contraction with addresses as arguments, without checks of arrays.

    epilogue   a function of expressions of the sums and of the contraction's further operands, by name
    names      of the further operands
    """

    def __init__(
        self,
        contraction: Contraction,
        target: Target,
        epilogue: Callable[..., Any] | None = None,
        names: Sequence[str] = (),
        accuracy: Accuracy | None = None,
    ) -> None:
        self._keep(contraction=contraction, target=target, flops=contraction.flops)
        self._epilogue, self._names, self._accuracy = epilogue, tuple(names), accuracy

    @cached_property
    def plan(self) -> Plan:
        return planned(self.contraction, self.target)

    @property
    def way(self) -> Way:
        return self.plan.way

    @cached_property
    def job(self) -> Job:
        return Job(self.nodes(), self.target, "contraction")

    def nodes(self) -> tuple[Node, ...]:
        return Nest(self.way, self.target, self.multiply).nodes()

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    def multiply(self, roles: Roles, columns: int) -> Kernel:
        """Return the kernel of a product of a panel."""
        way, contraction = self.way, self.way.contraction
        request: dict[str, Any] = {
            "dtype": (contraction.a.dtype, contraction.b.dtype, contraction.c.dtype),
            "ldb": way.width,
            "beta": 0.0,
            "b_layout": "vnni" if way.group > 1 else "plain",
        }
        if roles.rows.extent > 1:
            request |= {"lda": roles.rows.a, "ldc": roles.rows.c}
        if roles.batch:
            step, strides = way.b.line // ELEMENT_BYTES[contraction.b.dtype], []
            for chain in reversed(roles.batch):
                strides.insert(0, (chain.a, step))
                step *= chain.extent
            request |= {"batch": tuple(each.extent for each in roles.batch), "strides": tuple(strides)}
        if self._epilogue is not None:
            request |= {"epilogue": self._epilogue, "operands": self._operands(roles), "accuracy": self._accuracy}
        spec: Any = product_spec(roles.rows.extent, columns, roles.depth.extent, **request)
        return kept(spec, self.target)

    def _operands(self, roles: Roles) -> Mapping[str, Any]:
        made: dict[str, Any] = {}
        for name, each in zip(self._names, self.way.contraction.more):
            down = any(each.has(loop) for loop in roles.rows.names)
            made[name] = (None if down else "row", each.dtype)
        return made

    def pack(self, b: Array) -> Array:
        """Return the panels of B, as bytes."""
        way = self.way
        apart = [name for name in way.dealt if way.contraction.b.has(name)]
        return packed(way.contraction, apart, way.roles, way.b, b)

    def at(self, addresses: Sequence[int], threads: int | None = None) -> None:
        """Compute on operands at these addresses: A, the panels of B, C, and the further ones."""
        workers, own = threads or num_threads(), self.way.bytes_own
        a, b, c, *more = addresses
        if not own:
            self.job.run((a, b, c, 0, *more), workers)
            return
        with buffer(workers * own) as memory:
            self.job.run((a, b, c, memory.address, *more), workers)

    def _words(self) -> list[Word]:
        c = self.contraction
        packed_b = Word("the panels of b: {} bytes, aligned to 64 bytes", "b_bytes", self.way.b.size)
        own = scratch_words(0, self.way.bytes_own)[1]
        more = [pointer(each.dtype, name, False) for name, each in zip(self._names, c.more)]
        return [pointer(c.a.dtype, "a", False), packed_b, pointer(c.c.dtype, "c", True), own, *more]

    def __str__(self) -> str:
        names = ["a", "b", "c", "own scratch", *self._names]
        return "\n".join(
            [
                f"contraction for {self.target.name}",
                f"  {self.plan}",
                *text(self._blob.nodes, dict(enumerate(names)), "  "),
            ]
        )
