"""`spread`: a kernel whose rows, heads or elements do not depend on each other, on all cores.

A nest calls the same kernel for a few rows at a time. The cut does not depend on the number of threads, so neither do
the bits of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, cast
from weakref import ref

from ...encoder.deferred import deferred
from ...encoder.records import NamedTuple, cached_property, dataclass
from ...microkernels.attention.spec import AttentionSpec
from ...microkernels.chain.spec import ChainSpec
from ...microkernels.contract.vector_verbs import claimed
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.eltwise import orders
from ...microkernels.eltwise.spec import ORIGIN, EltwiseSpec
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.coordinates import ROW
from ...microkernels.fused.spec import FusedSpec
from ...microkernels.indexed.spec import IndexedSpec
from ...microkernels.operands import Number, Operand
from ...microkernels.rowwise.spec import RowwiseSpec
from ...microkernels.stack.spec import StackSpec
from ..arguments.others import returned
from ..kernel.callable import Kernel, kept
from ..kernel.instead import cycles_of
from ..loops.code import Address, Affine, Call, Header, Node, Share, When, affine, index
from ..loops.job import Job
from ..threads.policy import checked, num_threads
from ..threads.region import CLAIMS, WEIGHED
from .blocks import L2
from .known_calls import KnownCalls
from .spread_code import TableCall
from .spread_rows import RowsParts
from .spread_stack import StackParts, called

_PARTS = 64
"""The most parts: enough for the cores of one machine."""
_LEAST = 16 << 10
"""The minimum bytes of operands per part, if there is more than one part."""
_CLAIMED = 8
"""Parts per thread if the operands exceed their second-level caches. Threads then claim parts one after the other.
Parts of smaller operands are dealt out in a fixed way, so that each thread finds its operands of the call before."""
_BAND = 48
"""A traced function with products has a multiple of this many rows per part: right factors are read once for them."""
_ALONE = 64 << 10
"""Operands smaller than this (a few microseconds of work) are computed by one thread."""
_BEGINS = "because a part does not know where it begins; call the kernel itself (one thread)"


@deferred
def _proofs() -> ModuleType:
    from . import proofs

    return proofs


@dataclass(frozen=True)
class Cut:
    """How a request is cut: `total` units, `block` of them per part.

    request   returns the request for a number of units
    step      returns the bytes between neighbouring units of an argument
    """

    total: int
    block: int
    request: Callable[[int], Any]
    step: Callable[[Operand], int]


class _Whole(NamedTuple):
    """The number of parts, and the bytes of all operands that are cut."""

    parts: int
    bytes: int


class Spread:
    """A kernel on all cores. It is called like the kernel itself, with an additional threads=. See `spread`."""

    def __init__(self, kernel: Kernel, threads: int | None) -> None:
        self.kernel, self.threads = kernel, threads
        self.spec = spec = cast(Any, kernel.spec)
        self.target = kernel.target
        self._call = kernel.kind.call(spec)
        self._stack = StackParts(kernel, spec) if isinstance(spec, StackSpec) else None
        rows = RowsParts(kernel, _apart(spec)) if isinstance(spec, RowwiseSpec) else None
        self._found = isinstance(spec, IndexedSpec) or (rows is not None and isinstance(spec.request, IndexedSpec))
        self._parts: StackParts | RowsParts | None = self._stack or rows
        self.cut = None if self._parts else _cut(spec)
        arguments = () if self._stack else spec.arguments
        written = [number for number, each in enumerate(arguments) if isinstance(each, Operand) and each.output]
        self._calls: dict[int, Callable[..., Any] | None] = {}
        self._known = KnownCalls(written or [2])  # c of a stack

    @cached_property
    def job(self) -> Job:
        """Loops and kernels as machine code, except for stacks."""
        return Job(self._nodes(claimed(self.cut)), self.target)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compute. Outputs that are only written may be left out, as in calls of the kernel."""
        if not named:
            call = self._calls.get(self.threads or num_threads())
            if call is not None:
                return call(*args)
        threads, out = named.pop("threads", None), named.pop("out", None)
        args = (*args, out) if out is not None else args
        workers = self.threads or num_threads() if threads is None else checked(threads, "threads")
        if workers not in self._calls:
            self._calls[workers] = self._call_of(workers)
        call = self._calls[workers]
        if call is not None:
            made = call(*args, **named)
            return made if out is None else out
        alone = workers == 1 or (self._stack.light(args) if self._stack else
                                 sum(getattr(each, "nbytes", 0) for each in args) < _ALONE)  # fmt: skip
        made = self.kernel(*args, **named) if alone else self._together(args, named, workers)
        return made if out is None else out

    def _call_of(self, workers: int) -> Callable[..., Any] | None:
        """Return the native entry point for calls on this many workers, or None if Python must split the calls."""
        if workers == 1:
            return self.kernel
        itself = ref(self)

        def slow(*args: Any, **named: Any) -> Any:
            spread = itself()
            assert spread is not None  # the caller holds it
            return spread._together(args, named, workers)

        if self._stack:
            return self._stack.direct(workers, slow)
        if self._parts:
            return None
        parts = self._claimed(workers)
        parameters = len(self.kernel.kind.parameters(self.spec))
        region = CLAIMS if parts > workers else WEIGHED
        code = TableCall(parameters, workers, parts if region == CLAIMS else self._cycles)
        made: Callable[..., Any] | None = called(self.kernel, self.job, code, region, slow)
        return made

    def _together(self, args: tuple[Any, ...], named: dict[str, Any], workers: int) -> Any:
        """Compute on several workers. Return the new outputs, or None if all were given."""
        made, given = self._call.with_output(args)
        named_or_found = bool(named) or self._found  # indices are checked in every call
        found = None if named_or_found else self._known.find(given)
        integers, keep = found or self._call(*given, **named)
        if found is None and not named_or_found:
            self._known.keep(given, integers)
        self.at(integers, workers)
        del keep
        return made if made is None else returned(made, args)

    def at(self, integers: Sequence[int], threads: int | None = None) -> None:
        """Compute on these addresses and numbers, without checks."""
        workers = threads or self.threads or num_threads()
        if self._parts:
            self._parts.run(integers, workers)
        else:
            self.job.run(integers, workers, self._claimed(workers), self._cycles)

    @cached_property
    def _cycles(self) -> int:
        """The cycles of one thread, by the planner's estimate."""
        return int(cycles_of(self.kernel))

    def _claimed(self, workers: int) -> int:
        """Return how many parts the workers claim, or 0 if each worker gets a fixed share."""
        whole, l2 = self._whole, self.target.l2 or L2
        return min(whole.parts, _CLAIMED * workers) if whole.bytes > workers * l2 else 0

    @cached_property
    def _whole(self) -> _Whole:
        cut = claimed(self.cut)
        step = sum(cut.step(each) for each in self.spec.arguments if isinstance(each, Operand))
        return _Whole(-(-cut.total // cut.block), cut.total * step)

    def _nodes(self, cut: Cut) -> tuple[Node, ...]:
        whole, rest = divmod(cut.total, cut.block)
        header = Header("i", affine(0), (affine(cut.total),), cut.block, whole + bool(rest))
        body: list[Node] = []
        last = whole * cut.block
        if whole:
            call = self._part(cut, cut.block)
            body += [When(index("i") - last, "<", (call,)) if rest else call]
        if rest:
            body.append(When(index("i") - last, "==", (self._part(cut, rest),)))
        return (Share((header,), tuple(body)),)

    def _part(self, cut: Cut, count: int) -> Call:
        kernel = kept(cut.request(count), self.target)
        request: Any = kernel.spec
        places = {each.name: number for number, each in enumerate(self.spec.arguments)}
        return Call(kernel, tuple(self._argument(cut, each, places) for each in request.arguments))

    def _argument(self, cut: Cut, argument: Any, places: dict[str, int]) -> Address | Affine:
        """Return the address of an operand, a number of the call, or the row and column of the part's first element."""
        i = index("i")
        if isinstance(argument, Number) and argument.name in ORIGIN:
            ahead = i if argument.name == ORIGIN[0] else affine(0)
            return Address(places[argument.name], ahead) if argument.name in places else ahead
        place = places[argument.name]
        step = 0 if isinstance(argument, Number) else cut.step(self.spec.arguments[place])
        return Address(place, i * step) if step else Address(place)

    def verify(self) -> Any:
        """Return a proof that the parts compute what the kernel does, on any number of threads, and that no two of them
        touch the same memory: see docs/soundness.md. Raises UnsupportedError if the kernel has no specification."""
        return _proofs().of_spread(self)

    def __reduce__(self) -> tuple[type[Spread], tuple[Kernel, int | None]]:
        return Spread, (self.kernel, self.threads)

    def __repr__(self) -> str:
        cut = "a part for each thread" if self.cut is None else f"parts of {self.cut.block} of {self.cut.total}"
        return f"<{self.spec.stem} in {cut} for {self.target.name}>"


def spread(kernel: Kernel, *, threads: int | None = None) -> Spread:
    """Run a kernel on all cores: `softmax = ts.spread(ts.fused("softmax", 4096, 1024))`, then `softmax(x, y)`.

    kernel    an elementwise, equation, fused or attention kernel whose rows or heads do not depend on each other, with
              a fixed number of rows or any (ts.RUNTIME); or a stack of independent products, brgemm(..., stack=N)
    threads   the number of threads; None: `num_threads()` at each call; `k(x, y, threads=2)` sets it for one call

    The rows (heads of attention, elements of a single row) are cut into at most 64 parts, whatever the number of
    threads, so any number of them gives the same bits. Raises UnsupportedError for other kernels, with what would work.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"kernel: a kernel, such as ts.fused(...), not {type(kernel).__name__}")
    return Spread(kernel, None if threads is None else checked(threads, "threads"))


def _cut(spec: Any) -> Cut:
    if isinstance(spec, AttentionSpec):
        return _heads(spec)
    if isinstance(spec, ChainSpec):
        return _bands(spec)
    if isinstance(spec, IndexedSpec):
        return _found_rows(spec)
    if not isinstance(spec, EltwiseSpec):
        raise UnsupportedError("spread: only elementwise and fused kernels, attention and stacks can be spread, not "
                               f"{spec}; for products of any size use ts.gemm or ts.matmul")  # fmt: skip
    _check(spec)
    if spec.m == 1 and not isinstance(spec, FusedSpec) and not spec.bits and not spec.placed:
        return _columns(spec)
    return _rows(spec)


def _check(spec: EltwiseSpec) -> None:
    moved = [each.name for each in spec.operands if spec.layouts and spec.layout_of(each) not in ("", orders.PLAIN)]
    if moved:
        raise UnsupportedError(f'spread: {moved[0]} must be row-major (order "C")')
    late = [each.name for each in spec.operands if not isinstance(each.view.leading, int)]
    if late:
        raise UnsupportedError(f"spread: ld{late[0]} must be a number, not ts.RUNTIME")
    if isinstance(spec, FusedSpec):
        _check_walks(spec)
    if isinstance(spec, FusedSpec) and spec.column_sums:
        name = spec.outputs[min(spec.column_sums)].name
        raise UnsupportedError(f"spread: {name} is a sum down the columns, over all rows; it cannot be cut")


def _heads(spec: AttentionSpec) -> Cut:
    """Cut the work by key/value heads."""

    def step(operand: Operand) -> int:
        if operand.name == "mask":
            return 0
        return operand.rows // spec.kv_heads * operand.columns * operand.group * ELEMENT_BYTES[operand.dtype]

    return Cut(spec.kv_heads, 1, lambda count: replace(spec, heads=count * spec.group, kv_heads=count), step)


def _bands(spec: ChainSpec) -> Cut:
    """Cut the rows of a traced function with products."""

    def step(operand: Operand) -> int:
        leading = operand.view.leading
        assert isinstance(leading, int)
        if operand.name in spec.turned:
            return ELEMENT_BYTES[operand.dtype]
        return leading * ELEMENT_BYTES[operand.dtype] if operand.name in spec.banded else 0

    _check_sums(spec)
    both = sorted(spec.turned & spec.whole)
    if both:
        raise UnsupportedError(f"spread: {both[0]} is used as a right factor and, column by column, as {both[0]}.T; "
                               "pass the same array as a second parameter for one of these")  # fmt: skip
    return Cut(spec.m, _block(spec.m, sum(map(step, spec.operands)), _BAND), spec.of, step)


def _apart(spec: RowwiseSpec) -> RowwiseSpec:
    """Return the spec if its rows do not depend on each other; raise UnsupportedError otherwise."""
    request = spec.request
    if isinstance(request, IndexedSpec):
        _check_found(request)
    if isinstance(request, FusedSpec):
        _check_walks(request)
    if isinstance(request, EltwiseSpec) and request.layouts:
        raise UnsupportedError('spread: matrices must be row-major (order "C"); transpose column-major ones')
    _check_sums(request)
    return spec


def _check_walks(spec: FusedSpec) -> None:
    """Raise UnsupportedError if rows read a reduction of all rows."""
    if spec.swept:
        raise UnsupportedError(f"spread: {spec.name} uses reductions over all rows in each row, so a pass needs all of "
                               "the one before; use one kernel for each pass (batchnorm_sums, then batchnorm_inv), of "
                               "which all but the sums can be spread")  # fmt: skip


def _check_sums(request: Any) -> None:
    """Raise UnsupportedError if a result depends on all rows."""
    names: list[str] = []
    if isinstance(request, FusedSpec):
        names = [request.outputs[number].name for number in sorted(request.column_sums)]
    elif isinstance(request, ChainSpec):
        names = sorted(request.sums)
        if request.placed:
            raise UnsupportedError("spread: random numbers and element positions are not supported with products, "
                                   f"{_BEGINS}")  # fmt: skip
    if names:
        raise UnsupportedError(f"spread: {names[0]} is a sum down the columns, over all rows; it cannot be cut")


def _check_found(spec: IndexedSpec) -> None:
    """Raise UnsupportedError if rows that read others by an index depend on each other."""
    if spec.scattered:
        raise UnsupportedError(f"spread: rows of {spec.scattered[0].table} are scattered in order, so that the last "
                               "one stays; only ts.gather can be spread")  # fmt: skip
    if spec.bad:
        raise UnsupportedError('spread: needs bounds="call"; kernels that check indices number rows within a part')
    _check_sums(spec.request)
    if isinstance(spec.request, EltwiseSpec) and any(name == ROW for name, _ in spec.request.program.inputs):
        raise UnsupportedError(f"spread: random numbers are not supported together with rows by an index, {_BEGINS}")
    both = sorted({each.table for each in spec.found} & set(spec.walked))
    if both:
        raise UnsupportedError(f"spread: {both[0]} is used both as a table and row by row; pass the same array as a "
                               "second parameter for one of these")  # fmt: skip


def _found_rows(spec: IndexedSpec) -> Cut:
    """Cut rows that read others by an index."""
    _check_found(spec)

    def step(operand: Operand) -> int:
        leading: Any = operand.view.leading
        return int(leading) * ELEMENT_BYTES[operand.dtype] if operand.name in spec.banded else 0

    late = [each.name for each in spec.operands if not isinstance(each.view.leading, int)]
    if late:
        raise UnsupportedError(f"spread: ld{late[0]} must be a number, not ts.RUNTIME")
    tables = [spec.operand(each.table) for each in spec.gathered]
    found = sum(each.columns * ELEMENT_BYTES[each.dtype] for each in tables)
    return Cut(spec.m, _block(spec.m, found + sum(map(step, spec.operands)), 1), spec.of, step)


def _rows(spec: EltwiseSpec) -> Cut:
    def request(count: int) -> EltwiseSpec:
        inputs, outputs = (tuple(each._replace(rows=count) if each.rows > 1 else each for each in operands)
                           for operands in (spec.inputs, spec.outputs))  # fmt: skip
        return replace(spec, m=count, inputs=inputs, outputs=outputs, moved=spec.placed)

    def step(operand: Operand) -> int:
        leading = operand.view.leading
        assert isinstance(leading, int)
        return leading * ELEMENT_BYTES[operand.dtype] if operand.rows > 1 else 0

    row = sum(step(each) for each in spec.operands)
    return Cut(spec.m, _block(spec.m, row, 1), request, step)


def _columns(spec: EltwiseSpec) -> Cut:
    """Cut the elements of a single row."""

    def request(count: int) -> EltwiseSpec:
        inputs, outputs = (tuple(each._replace(columns=count) if each.columns > 1 else each for each in operands)
                           for operands in (spec.inputs, spec.outputs))  # fmt: skip
        return replace(spec, n=count, inputs=inputs, outputs=outputs)

    def step(operand: Operand) -> int:
        return ELEMENT_BYTES[operand.dtype] if operand.columns > 1 else 0

    return Cut(spec.n, _block(spec.n, sum(step(each) for each in spec.operands), 64), request, step)


def _block(total: int, size: int, unit: int) -> int:
    """Return the units of `size` bytes per part: not too few, and a multiple of `unit`, for whole vectors and masks."""
    least = max(-(-total // _PARTS), -(-_LEAST // max(1, size)))
    return min(total, -(-least // unit) * unit)
