"""Stacks of products whose matrices are found by lists: C[c[l]] += A[a[l]] @ B[b[l]], of numbers or of addresses.

Entries with the same C are summed in the order of the list by one call of a batch-reduce kernel, which reads the
addresses of their factors. So each C is read and written once, by one worker, and any number of workers gives the same
bits. Source: Borstnik et al., Sparse matrix multiplication: the distributed block-compressed sparse row library, 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.records import cached_property
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import ADDRESS, OFFSET, PairBatch
from ...microkernels.operands import Operand
from ..api.brgemm import brgemm
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype, overlap, overlaps_itself
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from ..kernel.callable import Kernel
from ..kernel.redirect import cycles_of
from ..loops.code import Address, Affine, Call, Node, index
from ..loops.job import Job, JobKernel, JobWord, job_of, parameter
from ..loops.text import text
from ..threads.policy import workers_of
from .dealt import WORD, dealt, with_bounds

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, Operands
    from ..loops.blob import Blob
    from .spread_cuts import Request

_OF_A, _OF_B, _TABLE, _EXTRAS = range(4)
"""The operands of the job: the addresses of A and B of all entries, the table of the C's, those of the epilogue."""
_PIECE = "c", "number", "first", "count"
"""A C: its address and number, and its entries."""
_NAMES = "a", "b", "c"


class ListedStack(JobKernel):
    """Products of one shape whose matrices are found by lists. See `ts.gemm`.

    k(a, b, c, a_numbers, b_numbers, c_numbers, ...)   stack=ts.OFFSET: numbers of matrices of a, b and c, checked
    k(a_addresses, b_addresses, c_addresses, ...)      stack=ts.ADDRESS: uint64 addresses of matrices, trusted

    An epilogue's operands follow. k.part is the kernel that computes one C; print(k) shows the loops.
    """

    request: dict[str, Any]
    spec: Request
    part: Kernel
    threads: int | None
    mode: PairBatch

    def __init__(self, request: dict[str, Any], mode: PairBatch, threads: int | None) -> None:
        part = brgemm(**request, batch=ADDRESS)
        self._keep(request=request, mode=mode, threads=threads, part=part, spec=part.spec, target=part.target)
        product: Request = getattr(part.spec, "product", part.spec)
        self._matrices = {each.name: each for each in product.operands}
        self._extras: tuple[Operand, ...] = getattr(part.spec, "extras", ())
        further = [*getattr(part.spec, "results", ()), *getattr(part.spec, "numbers", ())]
        if further:
            raise UnsupportedError(
                f"stack: an epilogue with further results or random numbers ({further[0].name}) is not supported; "
                "use ts.brgemm for each matrix of c"
            )

    @property
    def flops(self) -> int:
        """The number of arithmetic operations of an entry."""
        return self.part.flops

    @property
    def plan(self) -> object:
        """How one C is computed."""
        return self.part.plan

    @cached_property
    def job(self) -> Job:
        """The machine code of the loop and of the kernel."""
        return job_of((self.spec, self._by_number), self._nodes, self.target, f"listed_{self.spec.stem}")

    @property
    def _by_number(self) -> tuple[bool, ...]:
        """Which operands of the epilogue have a matrix for each C: those that the request gives the shape of C."""
        kinds = {name: each[0] if isinstance(each, tuple) else each for name, each in self._asked.items()}
        return tuple(kinds.get(each.name, "row") is None for each in self._extras)

    @property
    def _asked(self) -> Operands:
        asked: Operands = self.request["operands"] or {}
        return asked

    def _nodes(self) -> tuple[Node, ...]:
        first, count = index("first") * WORD, index("count")
        extras: list[Address | Affine] = []
        for place, whole in enumerate(self._by_number):
            at = index(f"extra{place}") if whole else None
            extras.append(Address(_EXTRAS + place) if at is None else at)
        given = [Address(_OF_A, first), Address(_OF_B, first), index("c"), count, *extras]
        names = [name for _, name in self.part.kind.parameters(self.spec)]
        order = ["a", "b", "c", "count", *[each.name for each in self._extras]]
        arguments = tuple(given[order.index(name)] for name in names)
        return dealt(_TABLE, self._columns, (Call(self.part, arguments),))

    @property
    def _columns(self) -> tuple[str, ...]:
        """The words of a row of the table: those of every C, and the addresses of the epilogue's matrices."""
        return (*_PIECE, *[f"extra{place}" for place, whole in enumerate(self._by_number) if whole])

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    def _words(self) -> list[JobWord]:
        table = JobWord("a table of the matrices of c, which Python makes of the lists")
        return [JobWord("addresses of a"), JobWord("addresses of b"), table] + [
            parameter("const void *", each.name) for each in self._extras
        ]

    @shortening
    def __call__(self, *args: ArrayLike, threads: int | None = None) -> ArrayLike:
        """Compute, and return c."""
        lists = 6 if self.mode is OFFSET else 3
        if len(args) != lists + len(self._extras):
            names = (
                "a, b, c, a_numbers, b_numbers, c_numbers" if lists == 6 else "a_addresses, b_addresses, c_addresses"
            )
            more = "".join(f", {each.name}" for each in self._extras)
            raise TypeError(f"this stack takes {names}{more}, not {len(args)} arguments")
        by_number = self.mode is OFFSET
        found, keep = self._numbered(args[:6]) if by_number else self._addressed(args[:3])
        held: list[Array] = []  # contiguous copies of operands
        extras, whole = self._operands(args[lists:], keep[2] if by_number else None, held)
        of_a, of_b, of_c, numbers = found
        if len(of_c):
            table, order = self._table(of_c, numbers, whole)
            a, b = of_a[order], of_b[order]
            cycles = int(cycles_of(self.part)) * len(of_c)
            self.job.run(
                (address_of(a), address_of(b), address_of(table), *extras), self._workers(threads), cycles=cycles
            )
        return args[2]

    def _workers(self, threads: int | None) -> int:
        return workers_of(threads, self.threads)

    def _table(self, of_c: Array, numbers: Array, whole: Sequence[tuple[int, int]]) -> tuple[Array, Array | slice]:
        """Return the table of all C's, and the order that brings the entries of each together, if they are not."""
        together = (of_c[1:] >= of_c[:-1]).all()
        order = slice(None) if together else np.argsort(of_c, kind="stable")
        ordered = of_c[order]
        begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        counts = np.diff(np.append(begins, len(ordered)))
        number = numbers[order][begins]
        columns = [ordered[begins].view(np.int64), number, begins, counts]
        columns += [first + number * apart for first, apart in whole]
        table = np.stack([each.astype(np.int64) for each in columns], axis=1)
        return with_bounds(counts + 1, table), order

    # The arguments of a call

    def _numbered(self, args: Sequence[ArrayLike]) -> tuple[tuple[Array, ...], list[Array]]:
        """Return the addresses of the matrices of each entry, and the numbers of its C's, after a check."""
        arrays = [self._array(name, each) for name, each in zip(_NAMES, args[:3])]
        a, b, c = arrays
        if not c.flags.writeable or overlaps_itself(c):
            raise ValueError("c: must be writable, with memory of its own for each element")
        for name, each in (("a", a), ("b", b)):
            if overlap(c, each):
                raise ValueError(f"c: must not overlap {name}")
        numbers = [self._numbers(name, each, len(of)) for name, each, of in zip(_NAMES, args[3:], arrays)]
        if len({len(each) for each in numbers}) > 1:
            raise ValueError(f"a_numbers, b_numbers, c_numbers: as many each, not {[len(each) for each in numbers]}")
        places = [
            (address_of(of) + each * of.strides[0]).view(np.uint64) for each, of in zip(numbers, arrays, strict=True)
        ]
        return (*places, numbers[2]), arrays

    def _array(self, name: str, value: ArrayLike) -> Array:
        operand, array = self._matrices[name], as_array(name, of_tensor(name, value))
        rows, columns = operand.shape
        if array.ndim != 3 or array.shape[1:] != operand.shape or array.dtype != numpy_dtype(operand.dtype):
            raise ValueError(
                f"{name}: {operand.dtype} (number, {rows}, {columns}), the matrices that the numbers count, not "
                f"{array.dtype} {array.shape}"
            )
        leading, size = operand.view.leading, array.itemsize
        wanted = (leading * size, size) if operand.view.order == "C" else (size, leading * size)
        right = all(extent == 1 or by == to for extent, by, to in zip(operand.shape, array.strides[1:], wanted))
        if array.size and not (right and array.flags.aligned):
            raise ValueError(f"{name}: matrices with strides of {wanted} bytes, aligned, not {array.strides[1:]}")
        return array

    @staticmethod
    def _numbers(name: str, value: ArrayLike, count: int) -> Array:
        numbers = as_array(f"{name}_numbers", of_tensor(f"{name}_numbers", value))
        if numbers.ndim != 1 or numbers.dtype not in (np.int32, np.int64):
            raise TypeError(f"{name}_numbers: int32 or int64 of one axis, not {numbers.dtype} of shape {numbers.shape}")
        numbers = numbers.astype(np.int64)  # a copy: nobody changes it between the check and its use
        unsigned = numbers.view(np.uint64)  # those below 0 are large
        if len(numbers) and unsigned.max() >= count:
            at = int(np.flatnonzero(unsigned >= count)[0])
            raise IndexError(
                f"{name}_numbers: entry {at} is {numbers[at]}; {name} has {count} matrices, counted from 0"
            )
        return numbers

    def _addressed(self, args: Sequence[ArrayLike]) -> tuple[tuple[Array, ...], list[Array]]:
        lists = []
        for name, each in zip(_NAMES, args):
            found = as_array(f"{name}_addresses", each)
            if found.ndim != 1 or found.dtype != np.uint64:
                raise TypeError(f"{name}_addresses: uint64 of one axis, not {found.dtype} of shape {found.shape}")
            lists.append(found.copy())
        if len({len(each) for each in lists}) > 1:
            raise ValueError(f"a_addresses, b_addresses, c_addresses: as many each, not {[len(x) for x in lists]}")
        return (*lists, np.zeros(len(lists[2]), np.int64)), lists

    def _operands(
        self, args: Sequence[ArrayLike], c: Array | None, held: list[Array]
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the addresses of the epilogue's operands, and of those with a matrix for each C also its distance."""
        addresses, whole = [], []
        for each, by_number, value in zip(self._extras, self._by_number, args):
            array = as_array(each.name, of_tensor(each.name, value))
            if by_number and c is None:
                raise UnsupportedError(
                    f"{each.name}: has a matrix for each of c, which addresses do not tell; use stack=ts.OFFSET"
                )
            shape = (len(c), *each.shape) if by_number and c is not None else each.shape
            if not by_number and array.size == each.rows * each.columns:
                array = array.reshape(shape)
            if array.shape != shape or array.dtype != numpy_dtype(each.dtype):
                raise ValueError(f"{each.name}: {each.dtype} {shape}, not {array.dtype} {array.shape}")
            if c is not None and overlap(c, array):
                raise ValueError(f"c: must not overlap {each.name}")
            array = np.ascontiguousarray(array)
            held.append(array)
            addresses.append(address_of(array))
            if by_number:
                whole.append((address_of(array), array.strides[0]))
        return addresses, whole

    def __reduce__(self) -> tuple[Callable[..., ListedStack], tuple[object, ...]]:
        return ListedStack, (self.request, self.mode, self.threads)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.spec}>"

    def __str__(self) -> str:
        """Return the loop with its call as text."""
        names = ["addresses of a", "addresses of b", "table", *[each.name for each in self._extras]]
        return "\n".join([repr(self), *text(self._blob.nodes, dict(enumerate(names)), "  ")])
