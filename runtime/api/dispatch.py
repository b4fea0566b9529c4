"""One callable for many shapes: `dispatch(brgemm, beta=0)` calls the kernel that the arguments' shapes ask for.

The first call of a type and shape makes the kernel; from then on machine code finds it (dispatch_code) and goes on in
its entry, whose checks and errors are the kernel's own.
"""

from __future__ import annotations

import inspect
import os
from collections import deque
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np

from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.gemm.spec import ADDRESS, Batch
from ..arguments.arrays import Array, as_array
from ..arguments.others import returned
from ..fastcall import entry
from ..fastcall.dispatch_code import ENTRY, KERNEL, RECORD, place, tag
from ..kernel.callable import Kernel
from ..system import cpython
from ..system.libc import ffi
from . import brgemm as api

_NAMES = {dtype.numpy: name for name, dtype in DTYPES.items()}
_FROM_ARRAYS = ("m", "n", "k")
_SMALLEST = 16  # records of a table, at most half of them in use


class Key(NamedTuple):
    """What a kernel is found by."""

    m: int
    k: int
    n: int
    number: int  # of the type
    batch: int | None  # matrices; None: the arrays have no such axis, or it does not matter

    @property
    def words(self) -> tuple[int, int, int, int]:
        """As machine code compares it."""
        return self.m, self.k, self.n, tag(self.number, self.batch)


class Dispatch:
    """Calls the kernel of the arguments' type and shape, and makes it when there is none yet: see `dispatch`.

    request: the function that makes kernels. fixed: its arguments that are the same for all of them.
    """

    __slots__ = ("request", "fixed", "_kernels", "_miss", "__weakref__")

    def __new__(cls, request: Callable[..., Kernel], fixed: dict[str, Any]) -> Dispatch:
        """An object whose calls machine code takes, where that works: see `entry`."""
        native = entry.native_type(Dispatch)
        made: Dispatch = object.__new__(native.type if native else cls)
        return made

    def __init__(self, request: Callable[..., Kernel], fixed: dict[str, Any]) -> None:
        self.request, self.fixed = request, fixed
        epilogue = fixed.get("epilogue")
        settled = {**fixed, "epilogue": _settled(epilogue)} if callable(epilogue) else fixed
        request(1, 1, 1, **settled)  # raises for a wrong value
        self._kernels: dict[Key, Kernel] = {}
        native = entry.native_of(self)
        table = _Table() if native else None
        self._miss = _missing(request, settled, self._kernels, table)
        if native and table:
            native.install(self, entry.finder(native, _counted(fixed)), table.head, self._miss)

    def __call__(self, *args: Any, **leading: Any) -> Any:
        """Call the kernel for these arguments: a (m, k), b (k, n), or with a batch, and what else it takes."""
        return self._miss(*args, **leading)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels made so far, oldest first."""
        return tuple(self._kernels.values())

    def __reduce__(self) -> tuple[Callable[..., Dispatch], tuple[Any, ...]]:
        """A pickle holds the request; kernels are made again as they are called."""
        return _rebuilt, (self.request, self.fixed)

    def __repr__(self) -> str:
        fixed = "".join(f", {name}={value!r}" for name, value in self.fixed.items())
        return f"dispatch({self.request.__name__}{fixed}): {len(self._kernels)} kernels"


def dispatch(request: Callable[..., Kernel], **fixed: Any) -> Dispatch:
    """A callable for matrices of any type and shape: `mm = dispatch(brgemm, beta=0)`, then `mm(a, b, c)`.

    request   the function that makes kernels: brgemm
    fixed     its keywords that hold for all kernels; m, n, k, and dtype if it is not among them, follow from the
              arrays of each call: dtype is that of a

    Arrays a (m, k) and b (k, n) are one pair, a (count, m, k) and b (count, k, n) a batch of as many. With
    batch=STRIDE or OFFSET, the last two axes of a and b are the matrices. Each handle has its own table, and keeps its
    kernels alive. An epilogue is called once for each type of sums, the first time (of dtype, or f32) by this function:
    what it reads may change afterwards, the handle's kernels do not. TypeError or ValueError name a wrong keyword here;
    calls raise what kernels raise, and UnsupportedError for a type that no kernel has.
    """
    if request is not api.brgemm:
        raise UnsupportedError(f"dispatch: only brgemm finds its shape in its arguments, not {request!r}")
    packed = [name for name in ("a_layout", "b_layout") if fixed.get(name, "plain") != "plain"]
    if packed:
        raise UnsupportedError(f"dispatch: {', '.join(packed)}; a packed matrix does not tell k, only plain ones do")
    batch = fixed.get("batch")
    if batch is ADDRESS:
        raise UnsupportedError("dispatch: addresses do not tell the shape of their matrices; use STRIDE or OFFSET")
    if batch is not None and not isinstance(batch, Batch):
        raise UnsupportedError(f"dispatch: batch={batch!r}; leave it out, a count is the first axis of a and b")
    wrong = [name for name in fixed if name in _FROM_ARRAYS]
    if wrong:
        raise TypeError(f"dispatch: {', '.join(wrong)} follow from the arrays of each call")
    inspect.signature(request).bind(1, 1, 1, **fixed)
    return Dispatch(request, fixed)


def _settled(epilogue: Callable[..., Any]) -> Callable[..., Any]:
    """The function as it was when it was traced first for a type: kernels of a handle differ in nothing but shape."""
    traced: dict[str, Any] = {}

    @wraps(epilogue)
    def again(*operands: Expr) -> Any:
        dtype = operands[0].dtype
        if dtype not in traced:
            traced.setdefault(dtype, epilogue(*operands))
        return traced[dtype]

    return again


def _counted(fixed: dict[str, Any]) -> bool:
    """Whether a first axis of a and b is a count that belongs to the request."""
    return fixed.get("batch") is None


def _rebuilt(request: Callable[..., Kernel], fixed: dict[str, Any]) -> Dispatch:
    return dispatch(request, **fixed)


def _missing(request: Callable[..., Kernel], fixed: dict[str, Any], kernels: dict[Key, Kernel],
             table: _Table | None) -> Callable[..., Any]:  # fmt: skip
    """The slow path: finds or makes the kernel, publishes and calls it. Refers to nothing that refers to it."""

    counted = _counted(fixed)

    def miss(*args: Any, **leading: Any) -> Any:
        if len(args) < 2:
            raise TypeError(f"this handle takes 3 arguments (a, b, c), or 2 where beta is 0, not {len(args)}")
        a, b = as_array("a", args[0]), as_array("b", args[1])
        key = _key(a, b, counted)
        kernel = kernels.get(key)
        if kernel is None:
            found = {"batch": key.batch} if counted else {}
            made = request(key.m, key.n, key.k, **{"dtype": _type_name(a, fixed), **fixed, **found})
            kernel = kernels.setdefault(key, made)
            if kernel is made and table is not None:
                table.add(key, kernel)
        product = kernel(a, b, *args[2:], **leading)  # as the key found them
        return product if product is None else returned(product, args)

    return miss


def _type_name(a: Array, fixed: dict[str, Any]) -> str:
    if "dtype" not in fixed and a.dtype.name not in _NAMES:
        raise UnsupportedError(f"a: dtype {a.dtype}; kernels have {', '.join(_NAMES.values())}")
    return _NAMES.get(a.dtype.name, "")


def _key(a: Array, b: Array, counted: bool) -> Key:
    for name, array in (("a", a), ("b", b)):
        if array.ndim not in (2, 3):
            raise ValueError(f"{name}: a matrix, or a batch of them, not an array of shape {array.shape}")
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"b: {a.shape[-1]} rows, as a has columns, not shape {b.shape}")
    if counted and a.shape[:-2] != b.shape[:-2]:
        raise ValueError(f"b: as many matrices as a, of shape {a.shape}, not shape {b.shape}")
    count = a.shape[0] if counted and a.ndim == 3 else None
    return Key(a.shape[-2], a.shape[-1], b.shape[-1], a.dtype.num, count)


class _Record(NamedTuple):
    """What a table says of a kernel: its object, and the code that its calls begin with."""

    kernel: int
    code: int


class _Table:
    """The hash table that machine code searches; `head` is what a handle's constants point to.

    Machine code searches it while its thread holds the GIL, so it sees what lies between two stores of Python's; a
    build without the GIL has no such code and no table (cpython.refusal). Every state in between is one that can be
    searched: a record is free until its last word is stored, and a table is whole before `head` points to it. A full
    one is replaced by one of twice the size; the old one stays until the handle goes.

    One thread at a time changes it, and none waits for another: records lie in `waiting` until the thread at work has
    put them in. So a signal handler or a finaliser that calls the handle in the middle of a change finds no lock that
    its own thread holds, and a child process none that a thread held which it does not have.
    """

    def __init__(self) -> None:
        self.head = ffi.new("uintptr_t[2]", [id(np.ndarray), 0])
        self.records: dict[Key, _Record] = {}
        self.waiting: deque[tuple[Key, _Record]] = deque()
        self.busy = Lock()
        self.tables: list[Any] = []
        self._renew(_SMALLEST, {})
        _tables.add(self)

    def add(self, key: Key, kernel: Kernel) -> None:
        """Let machine code find the kernel, if it can call it. The handle keeps it alive."""
        native = entry.native_of(kernel)
        code = cpython.word(id(kernel) + native.vectorcall) if native else 0
        if not code:
            return
        self.waiting.append((key, _Record(id(kernel), code)))
        # whoever is at work looks again after it has finished: what came too late for it is not left behind
        while self.waiting and self.busy.acquire(blocking=False):
            try:
                self._publish()
            finally:
                self.busy.release()

    def _publish(self) -> None:
        """Put in what waits. A record waits until it is in, so that a process forked meanwhile puts it in itself."""
        while self.waiting:
            key, record = self.waiting[0]
            if key not in self.records:
                size = self.tables[-1][0] + 1
                if 2 * (len(self.records) + 1) > size:
                    self._renew(2 * size, {**self.records, key: record})
                else:
                    _insert(self.tables[-1], key, record)
                self.records[key] = record
            self.waiting.popleft()

    def _renew(self, size: int, records: dict[Key, _Record]) -> None:
        table = ffi.new("int64_t[]", 1 + RECORD * size)
        table[0] = size - 1
        for key, record in records.items():
            _insert(table, key, record)
        self.tables.append(table)
        self.head[1] = int(ffi.cast("uintptr_t", table))


def _insert(table: Any, key: Key, record: _Record) -> None:
    """The kernel comes last: before that store the record is free."""
    mask = table[0]
    i = place(*key.words, mask)
    while table[1 + RECORD * i + KERNEL]:
        i = (i + 1) & mask
    start = 1 + RECORD * i
    for offset, value in enumerate(key.words):
        table[start + offset] = value
    table[start + ENTRY] = record.code
    table[start + KERNEL] = record.kernel


_tables: WeakSet[_Table] = WeakSet()


def _forked() -> None:
    """In a child process: the thread that was at work on a table may not have come along."""
    for table in _tables:
        table.busy = Lock()


os.register_at_fork(after_in_child=_forked)
