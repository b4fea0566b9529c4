"""How `spread` cuts the requests of kernels into parts that do not depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ...encoder.deferred import is_of, lazy
from ...encoder.records import NamedTuple, dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.eltwise import orders
from ...microkernels.eltwise.spec import EltwiseSpec
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.coordinates import ROW
from ...microkernels.fused.spec import FusedSpec
from ...microkernels.operands import CACHE_LINE, ORIGIN, Operand
from ..kernel.callable import Kernel, kept
from ..loops.code import Address, Call, Header, Share, When, affine, index
from ..loops.job import Job

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.attention import spec as attention
    from ...microkernels.chain import spec as chain
    from ...microkernels.indexed import spec as indexed
    from ...microkernels.reduce import spec as reduce_spec
    from ...microkernels.reduce.spec import ReduceSpec
    from ...microkernels.rowwise import plan as rowwise_plan

reduce_spec = lazy(__package__, "...microkernels.reduce.spec")
attention = lazy(__package__, "...microkernels.attention.spec")
chain = lazy(__package__, "...microkernels.chain.spec")
indexed = lazy(__package__, "...microkernels.indexed.spec")
rowwise_plan = lazy(__package__, "...microkernels.rowwise.plan")

_PARTS = 64
"""The most parts: enough for the cores of one machine."""
_LEAST = 16 << 10
"""The minimum bytes of operands per part, if there is more than one part."""
BAND = 48
"""A traced function with products has a multiple of this many rows per part: right factors are read once for them."""
_BEGINS = "because a part does not know where it begins; call the kernel itself (one thread)"
Request: TypeAlias = Any
"""The request of a kernel of any kind."""


@dataclass(frozen=True)
class Fold:
    """A result to which every part of the rows contributes. Each part writes its own into scratch memory, and a kernel
    reduces those of all parts to the result, in the order of the parts.

    name      of the result
    columns   how many elements it has
    dtype     the type of the parts' own results
    request   returns the request of the kernel, k(own results, the further input, result), for a number of parts, so
              many elements, and the elements between the results of two parts
    init      the name of the further input, or ""
    """

    name: str
    columns: int
    dtype: str
    request: Callable[[int, int, int], Request]
    init: str = ""

    @property
    def bytes(self) -> int:
        """The bytes from the result of a part to that of the next: whole cache lines."""
        return -(-self.columns * ELEMENT_BYTES[self.dtype] // CACHE_LINE) * CACHE_LINE


@dataclass(frozen=True)
class FurtherCalls:
    """Further calls for each part, one after the other, which add to results of the first one.

    count     the number of calls, the first one included
    request   returns their request for a part of the extent
    distance  returns the bytes of an argument from one call to the next
    """

    count: int
    request: Callable[[int], Request]
    distance: Callable[[Operand], int]


@dataclass(frozen=True)
class SpreadCut:
    """How a request is cut: along an extent of `total`, `block` of it per part.

    whole     the request
    request   returns the request for a part of the extent
    step      returns the bytes from one unit of the extent to the next in an argument; a block is whole units
    folds     results to which every part contributes
    repeats   further calls for each part
    same      whether each element is computed in a part as in the whole. If not, as where sums are cut, calls on one
              thread compute the parts, too
    bytes     the bytes that a unit of the extent reads and writes; 0: those between neighbouring units of all arguments
    """

    whole: Request
    total: int
    block: int
    request: Callable[[int], Request]
    step: Callable[[Operand], int]
    folds: tuple[Fold, ...] = ()
    repeats: FurtherCalls | None = None
    bytes: int = 0
    unit: int = 1
    same: bool = True

    @property
    def parts(self) -> int:
        """The number of parts."""
        return -(-self.total // self.block)

    def operand(self, name: str) -> Operand | None:
        """Return the operand of this name, or None."""
        return next((each for each in self.whole.arguments if each.name == name), None)


class SpreadPhases(NamedTuple):
    """The cuts of a request, whose phases follow one another.

    stored   values that a phase makes and later ones read, by name
    same     names of values that lie in a result, with the name of that
    """

    cuts: tuple[SpreadCut, ...]
    stored: Mapping[str, Operand] = {}
    same: Mapping[str, str] = {}

    @property
    def exact(self) -> bool:
        """Whether the kernel itself has the bits of the parts."""
        return len(self.cuts) <= 1 and all(cut.same and not cut.folds for cut in self.cuts)


def elements(spec: EltwiseSpec) -> SpreadCut:
    """Cut the rows of an elementwise or fused kernel, or the elements of a single row."""
    check(spec)
    if spec.m == 1 and not isinstance(spec, FusedSpec) and not spec.bits and not spec.placed:
        return _columns(spec)
    return _rows(spec)


def is_reordered(spec: EltwiseSpec) -> bool:
    """Whether some matrix of a request is not row-major."""
    return any(spec.layout_of(each) not in ("", orders.PLAIN) for each in spec.operands if spec.layouts)


def check(spec: EltwiseSpec) -> None:
    moved = [each.name for each in spec.operands if spec.layouts and spec.layout_of(each) not in ("", orders.PLAIN)]
    if moved:
        raise UnsupportedError(f'spread: {moved[0]} must be row-major (order "C"); transpose column-major ones')
    check_leading(spec.operands)


def check_leading(operands: Iterable[Operand]) -> None:
    """Raise UnsupportedError for leading dimensions that the call gives."""
    late = [each.name for each in operands if not isinstance(each.view.leading, int)]
    if late:
        raise UnsupportedError(
            f"spread: ld{late[0]} must be a number, not ts.RUNTIME, because parts begin at "
            "multiples of it; make a kernel for each distance between rows"
        )


def heads(spec: attention.AttentionSpec) -> SpreadCut:
    """Cut the work by key/value heads, or by sequences whose heads share masks with each other or with those of other
    sequences."""
    of_sequences, of_heads = spec.masks
    each_head = of_heads == spec.heads or min(spec.masks) > 1
    units = spec.sequences if spec.sequences > 1 and not each_head else spec.kv_heads
    kv_heads, masks = spec.kv_heads // units, of_sequences * of_heads if each_head or of_sequences > 1 else 0

    def step(operand: Operand) -> int:
        if operand.name == "mask":
            return prod(operand.shape) // (of_sequences * of_heads) * (masks // units) * ELEMENT_BYTES[operand.dtype]
        distance = spec.head_step(operand.name) if operand.group > 1 else operand.columns
        return operand.rows // units * distance * ELEMENT_BYTES[operand.dtype]

    def request(count: int) -> attention.AttentionSpec:
        heads = count * kv_heads * spec.group
        own = (1, heads) if each_head else (count, 1) if of_sequences > 1 else spec.masks
        part = kv_heads * spec.group if spec.by_head else 0
        return replace(spec, heads=heads, kv_heads=count * kv_heads, masks=own, part=part)

    return SpreadCut(spec, units, 1, request, step)


def bands(spec: chain.ChainSpec) -> SpreadCut:
    """Cut the rows of a traced function with products."""

    def step(operand: Operand) -> int:
        leading = operand.view.leading
        assert isinstance(leading, int)
        if operand.name in spec.transposed:
            return ELEMENT_BYTES[operand.dtype]
        return leading * ELEMENT_BYTES[operand.dtype] if operand.name in spec.banded else 0

    _check_sums(spec)
    check_names(spec)
    spec.of(1)  # raises if the rows of an operand cannot be divided
    both = sorted(spec.transposed & spec.whole)
    if both:
        raise UnsupportedError(
            f"spread: {both[0]} is used as a right factor and, column by column, as {both[0]}.T; "
            "pass the same array as a second parameter for one of these"
        )

    def part(rows: int) -> chain.ChainSpec:
        return replace(spec.of(rows), moved=spec.placed)

    return SpreadCut(spec, spec.m, block_of(spec.m, sum(map(step, spec.operands)), BAND), part, step)


def checked_independent(request: Request) -> Request:
    """Return the request if its rows do not depend on each other; raise UnsupportedError otherwise."""
    if is_of(request, indexed, "IndexedSpec"):
        _check_found(cast("indexed.IndexedSpec", request))
    if isinstance(request, FusedSpec):
        check_walks(request)
    if isinstance(request, EltwiseSpec) and request.layouts:
        raise UnsupportedError('spread: matrices must be row-major (order "C"); transpose column-major ones')
    if hasattr(request, "placed"):
        check_names(request)
    _check_sums(request)
    return request


def check_walks(spec: FusedSpec) -> None:
    """Raise UnsupportedError if rows read a reduction of all rows."""
    if spec.swept:
        raise UnsupportedError(
            f"spread: {spec.name} uses reductions over all rows in each row, so a pass needs all of "
            "the one before; use one kernel for each pass (batchnorm_sums, then batchnorm_inv), of "
            "which all but the sums can be spread"
        )


def check_names(request: Request) -> None:
    """Raise UnsupportedError if an operand has the name of a number that tells a part where it begins."""
    both = {each.name for each in request.operands} & {*ORIGIN} if request.placed else set()
    if both:
        raise UnsupportedError(
            f"spread: {min(both)} is an operand, and the number that tells a part where it begins; rename the operand"
        )


def _check_sums(request: Request) -> None:
    """Raise UnsupportedError if a result depends on all rows."""
    names: list[str] = []
    if isinstance(request, FusedSpec):
        names = [request.outputs[number].name for number in sorted(request.column_sums)]
    elif is_of(request, chain, "ChainSpec"):
        names = sorted(request.sums)
    if names:
        raise _uncut(names[0])


def _uncut(name: str) -> UnsupportedError:
    return UnsupportedError(
        f"spread: {name} is a sum down the columns, over all rows, which is only cut for a fixed number of rows and "
        "without products or rows by an index; compute it by a kernel of its own, and spread the others"
    )


def _check_found(spec: indexed.IndexedSpec) -> None:
    """Raise UnsupportedError if rows that read others by an index depend on each other."""
    if spec.scattered:
        raise UnsupportedError(
            f"spread: rows of {spec.scattered[0].table} are scattered in order, so that a fixed number of rows of an "
            "elementwise function is cut by columns; this one takes ts.RUNTIME rows, reductions or products"
        )
    if spec.bad:
        raise UnsupportedError('spread: needs bounds="call"; kernels that check indices number rows within a part')
    if isinstance(spec.request, FusedSpec):
        check_walks(spec.request)
    _check_sums(spec.request)
    if any(name == ROW for name, _ in spec.request.program.inputs):
        raise UnsupportedError(f"spread: random numbers are not supported together with rows by an index, {_BEGINS}")
    both = sorted({each.table for each in spec.found} & set(spec.walked))
    if both:
        raise UnsupportedError(
            f"spread: {both[0]} is used both as a table and row by row; pass the same array as a "
            "second parameter for one of these"
        )


def found_rows(spec: indexed.IndexedSpec) -> SpreadCut:
    """Cut rows that read others by an index; or columns, if rows are scattered, which keeps the order of the rows."""
    if spec.scattered and type(spec.request) is EltwiseSpec and not spec.bad:
        return _found_columns(spec, spec.request)
    _check_found(spec)

    def step(operand: Operand) -> int:
        leading = operand.view.leading
        assert isinstance(leading, int)
        return leading * ELEMENT_BYTES[operand.dtype] if operand.name in spec.banded else 0

    check_leading(spec.operands)
    tables = [spec.operand(each.table) for each in spec.gathered]
    found = sum(each.columns * ELEMENT_BYTES[each.dtype] for each in tables)
    return SpreadCut(spec, spec.m, block_of(spec.m, found + sum(map(step, spec.operands)), 1), spec.of, step)


def _found_columns(spec: indexed.IndexedSpec, request: EltwiseSpec) -> SpreadCut:
    """Cut the columns of an elementwise function whose rows are scattered."""
    if request.bits or request.placed:
        raise UnsupportedError(f"spread: masks of bits and random numbers are not supported with ts.scatter, {_BEGINS}")
    indices = {each.by for each in spec.found}
    check_leading(each for each in spec.operands if each.name not in indices)

    def narrowed(operands: Iterable[Operand], count: int) -> tuple[Operand, ...]:
        cut = (each.name not in indices and each.columns > 1 for each in operands)
        return tuple(each._replace(columns=count) if yes else each for each, yes in zip(operands, cut))

    def part(count: int) -> indexed.IndexedSpec:
        inside = replace(
            request, n=count, inputs=narrowed(request.inputs, count), outputs=narrowed(request.outputs, count)
        )
        return replace(spec, request=inside, inputs=narrowed(spec.inputs, count), outputs=narrowed(spec.outputs, count))

    def step(operand: Operand) -> int:
        return ELEMENT_BYTES[operand.dtype] if operand.name not in indices and operand.columns > 1 else 0

    column = spec.m * sum(map(step, spec.operands))
    return SpreadCut(spec, request.n, block_of(request.n, column, CACHE_LINE), part, step, bytes=column)


def _rows(spec: EltwiseSpec) -> SpreadCut:
    check_names(spec)

    def request(count: int) -> EltwiseSpec:
        inputs, outputs = (
            tuple(each._replace(rows=count) if each.rows > 1 else each for each in operands)
            for operands in (spec.inputs, spec.outputs)
        )
        return replace(spec, m=count, inputs=inputs, outputs=outputs, moved=spec.placed)

    def step(operand: Operand) -> int:
        leading = operand.view.leading
        assert isinstance(leading, int)
        return leading * ELEMENT_BYTES[operand.dtype] if operand.rows > 1 else 0

    row = sum(step(each) for each in spec.operands)
    return SpreadCut(spec, spec.m, block_of(spec.m, row, 1), request, step, folds_of(spec))


def folds_of(spec: EltwiseSpec) -> tuple[Fold, ...]:
    """Return the results of a fused kernel that are reductions down its columns."""
    if not isinstance(spec, FusedSpec):
        return ()
    return tuple(
        folded(spec.outputs[number].name, name, spec.outputs[number].columns, spec.outputs[number].dtype)
        for number, name in sorted(spec.column_sums.items())
    )


def folded(name: str, reduction: str, columns: int, dtype: str) -> Fold:
    """Return the fold of a result of this reduction."""

    def request(parts: int, width: int, leading: int) -> ReduceSpec:
        return reduce_spec.reduce_spec(of_parts(reduction), parts, width, axis=0, dtype=dtype, ldx=leading)

    return Fold(name, columns, dtype, request)


def of_parts(reduction: str) -> str:
    """Return the reduction of the results of parts: those of squares are summed."""
    return "sum" if reduction == "squares" else reduction.removesuffix("_squares")


def _columns(spec: EltwiseSpec) -> SpreadCut:
    """Cut the elements of a single row."""

    def request(count: int) -> EltwiseSpec:
        inputs, outputs = (
            tuple(each._replace(columns=count) if each.columns > 1 else each for each in operands)
            for operands in (spec.inputs, spec.outputs)
        )
        return replace(spec, n=count, inputs=inputs, outputs=outputs)

    def step(operand: Operand) -> int:
        return ELEMENT_BYTES[operand.dtype] if operand.columns > 1 else 0

    return SpreadCut(spec, spec.n, block_of(spec.n, sum(step(each) for each in spec.operands), 64), request, step)


def block_of(total: int, size: int, unit: int) -> int:
    """Return the units of `size` bytes per part: not too few, and a multiple of `unit`, for whole vectors and masks."""
    least = max(-(-total // _PARTS), -(-_LEAST // max(1, size)))
    return min(total, -(-least // unit) * unit)


# Rows that the call counts


class RowsParts:
    """The cut of a kernel of any number of rows: into one part per worker, whose rows are computed at each call.

    Parts begin at whole blocks of the kernel, so that a row is computed by the same code whatever the number of
    workers. The last part has the rows behind the last whole block, and also that block if the code of these rows
    depends on it.
    """

    spec: Request
    target: Target
    kernel: Kernel
    block: int
    whole: bool
    own: str
    names: list[str]
    extent: str
    _jobs: dict[int, Job]

    def __init__(self, kernel: Kernel, spec: Request) -> None:
        self.spec, self.target = spec, kernel.target
        plan, each = kernel.plan, spec
        if getattr(spec, "placed", False):  # a part has to know where it begins
            each = replace(cast("chain.ChainSpec", spec), moved=True)
        assert isinstance(plan, rowwise_plan.RowwisePlan)
        self.kernel = kept(each, kernel.target)
        self.block, self.whole = plan.rows_of_parts, plan.rests_on_blocks
        rows = f", beginning at a multiple of {self.block}" if self.block > 1 else ""
        self.own = f"its own rows{rows}"
        self.names = [name for _, name in each.interface.parameters()]
        self.extent = spec.extent
        self._jobs = {}

    def run(self, integers: Sequence[int], workers: int) -> None:
        """Compute with the arguments of the kernel."""
        self.job(workers).run(self.operands(integers, workers), workers)

    def job(self, parts: int) -> Job:
        """Return the job of this many parts. Each part has as many operands of its own as the kernel has parameters."""
        made = self._jobs.get(parts)
        if made is None:
            count = len(self.names)
            body = tuple(
                When(
                    index("part") - part,
                    "==",
                    (Call(self.kernel, tuple(Address(count * part + number) for number in range(count))),),
                )
                for part in range(parts)
            )
            share = Share((Header("part", affine(0), (affine(parts),), 1, parts),), body)
            made = self._jobs[parts] = Job((share,), self.target, f"spread_{self.spec.stem}")
        return made

    def operands(self, integers: Sequence[int], parts: int) -> list[int]:
        """Return the job's operand table for the arguments of the kernel."""
        given = dict.fromkeys(ORIGIN, 0) | dict(zip((name for _, name in self.spec.interface.parameters()), integers))
        rows, pitches = given[self.extent], self._pitches(given)
        blocks = rows // self.block if self.whole else -(-rows // self.block)
        table: list[int] = []
        for part in range(parts):
            first, last = (min(rows, blocks * at // parts * self.block) for at in (part, part + 1))
            last = last if part < parts - 1 else rows
            own = {self.extent: last - first, ORIGIN[0]: given[ORIGIN[0]] + first}
            own |= {name: given[name] + first * pitch for name, pitch in pitches.items()}
            table += [own.get(name, given[name]) for name in self.names]
        return table

    def _pitches(self, given: dict[str, int]) -> dict[str, int]:
        """Return the bytes between rows of each matrix whose rows the call counts, keyed by name."""
        return {
            each.name: _leading(each, given) * ELEMENT_BYTES[each.dtype]
            for each in self.spec.operands
            if each.name in self.spec.banded
        }


class CountedParts(RowsParts):
    """The cut of a gather, of an embedding bag or of groups, of any number of rows, bags or samples."""

    def __init__(self, kernel: Kernel, spec: Request, cut: SpreadCut, extent: str) -> None:
        self.spec, self.target, self.kernel, self.extent, self._cut = spec, kernel.target, kernel, extent, cut
        self.block, self.whole, self.own = 1, False, f"its own {extent if extent in ('bags', 'samples') else 'rows'}"
        self.names = [name for _, name in spec.interface.parameters()]
        self._jobs = {}

    def _pitches(self, given: dict[str, int]) -> dict[str, int]:
        """Return the bytes between rows of each operand that has the rows of the call."""
        found = {each.name: self._cut.step(each) for each in self._cut.whole.arguments if isinstance(each, Operand)}
        return {name: step for name, step in found.items() if step}


def _leading(operand: Operand, given: dict[str, Request]) -> int:
    if operand.vector:
        return 1
    leading = operand.view.leading
    return leading if isinstance(leading, int) else int(given[f"ld{operand.name}"])
