"""The job of a reduction over compressed rows: pieces of rows and panels of columns, dealt out to the workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.gather.bag_spec import BagSpec, bag_spec
from ...microkernels.machines.registry import facts_of
from ...microkernels.operands import CACHE_LINE, RUNTIME, Operand
from ...microkernels.tuning.graphs import GRAPHS
from ..arguments.arrays import Array, address_of, bytes_of
from ..kernel import call_plans
from ..kernel.callable import Kernel, kept
from ..kernel.request_cache import RECENT
from ..loops.code import Address, Call, Node, Share, affine, blocks_of, cases, index
from ..loops.job import JobWord, parameter
from ..ops.blocks import L2
from ..threads.called_code import JobTable
from ..walks.job import ArraysJob

if TYPE_CHECKING:
    from ..verify.proof import Proof
    from . import proofs
    from .pieces import Compressed

proofs = lazy(__package__, ".proofs")

EXTENTS = ("bags", "size", "count", "second_size")
"""The numbers that follow the arrays in the table of operands."""


class RowsRequest(NamedTuple):
    """A reduction of tables of given columns, types and leading dimensions, in a number of pieces, for any graph.

    columns   of a panel: all pieces of one are computed before those of the next, so that its rows stay in a cache
    packed    the rows of a table that lies panel by panel, 0 if its rows lie whole
    """

    spec: BagSpec
    pieces: int
    columns: int
    packed: int
    target: Target

    @property
    def panels(self) -> int:
        """The number of panels."""
        return -(-self.spec.n // self.columns)


@lru_cache(maxsize=RECENT)
def request_of(
    n: int,
    leading: tuple[int, ...],
    dtype: str,
    *,
    index: str,
    name: str = "sum",
    weights: bool = False,
    combine: str = "mul",
    second: str = "",
    arg: bool = False,
    bounds: str = "kernel",
    pieces: int = 1,
    sources: int,
    columns: int = 0,
    target: Target,
) -> RowsRequest:
    """Return the request of a reduction.

    leading   those of the table, the result and, if there is one, the second operand
    sources   the rows of the table, which decide about prefetching
    columns   of the panels that the table is packed in; 0: its rows lie whole
    """
    packed, columns = (sources, columns) if columns else (0, n)
    spec = bag_spec(
        RUNTIME,
        n,
        size=RUNTIME,
        count=RUNTIME,
        second_size=RUNTIME if second == "table" else 1,
        dtype=dtype,
        index=index,
        name=name,
        weights=weights,
        combine=combine,
        second=second,
        arg=arg,
        bounds=bounds,
        ldx=n if packed else leading[0],
        ldy=leading[1],
        ldt=leading[2] if second else None,
        ranged=True,
        include_last_offset=True,
        prefetch=_ahead(columns, dtype, sources, target),
    )
    return RowsRequest(spec, pieces, columns, packed, target)


def panel_of(n: int, dtype: str, sources: int, entries: int, target: Target) -> int:
    """Return the columns of a panel: those of which all rows fit in half of the second-level cache. It is 0 if panels
    gain nothing: the whole table fits, rows of a panel would be short, or too few entries name each row."""
    least = GRAPHS.panel_lines * CACHE_LINE // ELEMENT_BYTES[dtype]
    fit = _half(target) // max(1, sources * ELEMENT_BYTES[dtype]) // least * least
    return fit if least <= fit < n and entries >= GRAPHS.reuse * sources else 0


def _ahead(columns: int, dtype: str, sources: int, target: Target) -> int:
    """Return how many rows ahead those of a panel are prefetched."""
    facts, row = facts_of(target), columns * ELEMENT_BYTES[dtype]
    gather = facts.tuning.gather
    near = max(gather.near_table_bytes, _half(target))
    if sources * row <= near:
        return 0
    block = min(row, gather.bag_vectors * facts.widths[0] // 8)
    if block >= GRAPHS.far_row:
        return GRAPHS.far // block
    return max(GRAPHS.ahead, GRAPHS.lines // -(-block // gather.line_bytes))


def _half(target: Target) -> int:
    """Return the bytes of half of the second-level cache."""
    return (target.l2 or L2) // 2


class Rows(ArraysJob[RowsRequest]):
    """A reduction over compressed rows, of the arrays of its request and the ranges of all pieces."""

    _stem = "rows"

    @property
    def _asked(self) -> tuple[object, ...]:
        return self.request[:4]

    def _kernel(self, columns: int) -> Kernel:
        """Return the kernel of this many columns."""
        spec = self.request.spec
        ldx = self.request.columns if self.request.packed else spec.ldx
        return kept(replace(spec, n=columns, ldx=ldx), self.target)

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        asked = self.request
        headers = blocks_of("panel", asked.spec.n, asked.columns), blocks_of("piece", asked.pieces, 1)
        body: list[Node] = []
        for case, columns in cases("panel", asked.spec.n, asked.columns):
            body += case([self._call(columns)])
        return (Share(headers, tuple(body)),)

    def _call(self, columns: int) -> Call:
        """Return the call for a piece of a panel."""
        kernel, spec = self._kernel(columns), self.request.spec
        panel = ("x", "t", "arg", *(() if spec.dot else ("y",)))
        arguments = []
        for place, each in enumerate(self._tensors):
            step = affine(0)
            if each.name in ("ranges", "bad"):
                step = index("piece") * (8 * each.columns)
            elif each.name in panel:
                step = index("panel") * ELEMENT_BYTES[each.dtype]
                if each.name == "x" and self.request.packed:
                    step *= self.request.packed
            arguments.append(Address(place, step))
        first = len(arguments)
        given = [name for _, name in kernel.kind.parameters(kernel.spec)][first:]
        return Call(kernel, (*arguments, *(Address(first + EXTENTS.index(name)) for name in given)))

    @cached_property
    def _tensors(self) -> tuple[Operand, ...]:
        return tuple(each for each in self.request.spec.arguments if isinstance(each, Operand))

    @property
    def _arrays(self) -> Sequence[tuple[str, str, bool]]:
        return [(each.name, each.dtype, each.output) for each in self._tensors]

    @property
    def _table(self) -> JobTable:
        count = len(self._tensors) + len(EXTENTS)
        return JobTable(tuple(range(count)), None, count + 2, count)

    def _operands(self) -> list[JobWord]:
        return [*super()._operands(), *(parameter("int64_t ", name) for name in EXTENTS)]

    @property
    def cycles(self) -> int:
        """Estimated cycles of one core for an entry."""
        return 4 + self._bytes // 16

    @property
    def _bytes(self) -> int:
        """Bytes of the table that an entry reads."""
        return self.request.spec.n * ELEMENT_BYTES[self.request.spec.dtype]

    def _given(self, arrays: Sequence[Array]) -> tuple[int, ...]:
        """Return the words of the table of operands."""
        named = dict(zip((each.name for each in self._tensors), arrays))
        second = len(named["t"]) if "t" in named else 1
        numbers = len(named["offsets"]) - 1, named["x"].shape[-2], len(named["index"]), second
        return (*map(address_of, arrays), *numbers)

    def on(self, arrays: Sequence[Array], threads: int) -> None:
        """Compute on the arrays. Parts of large graphs are claimed one after the other, those of others dealt out."""
        given = self._given(arrays)
        entries, l2 = given[-2], self.target.l2 or L2
        parts = self.request.pieces * self.request.panels if entries * self._bytes > threads * l2 else 0
        self.job.run(given, threads, parts, self.cycles * entries)

    def run(self, arrays: Sequence[Array], workers: int = 1, turns: int = 0) -> None:
        """Compute in the emulator, as `on` does, on any host."""
        regions = [(each.name, bytes_of(array), each.output) for each, array in zip(self._tensors, arrays)]
        self.emulated(self._given(arrays), regions, workers, turns)

    def verify(
        self,
        of: Compressed,
        sources: int,
        named: Array | None = None,
        second: int = 1,
        *,
        timeout: float | None = None,
    ) -> Proof:
        """Return a proof of the job with the rows of a graph, whose entries name rows of a table of `sources` rows and,
        by `named`, of a second one: that it leaves the reduction for all elements of the tables, and that the pieces
        have each row once; see docs/soundness.md."""
        if self.request.packed:
            raise UnsupportedError(
                "verify: no specification of a table that is packed in panels; smaller ones have one"
            )
        names = [each.name for each in self._tensors]
        return proofs.of_rows(self.job, self.request.spec, names, of, sources, named, second, timeout=timeout)

    def planned(self, of: Compressed, sources: int, named: Array | None, second: int) -> call_plans.JobOfCall:
        """Return the job with the rows of a graph, as `verify` takes them."""
        names = [*(each.name for each in self._tensors), *EXTENTS]
        return call_plans.JobOfCall(
            repr(self)[1:-1],
            lambda: self._text(names),
            lambda **given: self.verify(of, sources, named, second, **given),
        )

    def __str__(self) -> str:
        """Return the loops and their calls as text."""
        return "\n".join([repr(self), *self._text([*(each.name for each in self._tensors), *EXTENTS])])

    def __repr__(self) -> str:
        asked = self.request
        return f"<{asked.spec.equation} in {asked.pieces} pieces, {asked.panels} panels, for {asked.target.name}>"


job_for = lru_cache(maxsize=RECENT)(Rows)
"""Return the job of a request; equal ones share it."""
