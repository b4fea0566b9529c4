"""One callable for many shapes: `dispatch(brgemm, beta=0)` calls the kernel that the arguments' shapes ask for.

The first call of a type and shape makes the kernel; from then on machine code finds it (dispatch_x86) and goes on in
its entry, whose checks and errors are the kernel's own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..microkernels.errors import UnsupportedError
from . import api, cpython, entry
from .arrays import as_array
from .dispatch_x86 import RECORD, place
from .kernel import Kernel
from .libc import ffi

_NAMES: dict[int, str] = {np.dtype(np.float32).num: "f32", np.dtype(np.float64).num: "f64"}
_FROM_ARRAYS = ("m", "n", "k", "dtype")
_SMALLEST = 16  # records of a table, at most half of them in use

Key = tuple[int, int, int, int]  # m, k, n, type number


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
        self._kernels: dict[Key, Kernel] = {}
        native = entry.native_of(self)
        table = _Table() if native else None
        self._miss = _missing(request, fixed, self._kernels, table)
        if native and table:
            native.install(self, entry.dispatch_code(native), table.head, self._miss)

    def __call__(self, *args: Any, **leading: Any) -> Any:
        """Call the kernel for these arguments: a (m, k), b (k, n) and what else it takes."""
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
    fixed     its keywords that hold for all kernels; m, n, k and dtype follow from a (m, k) and b (k, n) at each call

    Each handle has its own table, and keeps its kernels alive. TypeError or ValueError name a wrong keyword here;
    calls raise what kernels raise, and UnsupportedError for a type that no kernel has.
    """
    if request is not api.brgemm:
        raise UnsupportedError(f"dispatch: only brgemm finds its shape in its arguments, not {request!r}")
    if fixed.get("batch") is not None:
        raise UnsupportedError("dispatch: batch=None only; a batch's arrays do not tell the shape of its matrices")
    wrong = [name for name in fixed if name in _FROM_ARRAYS]
    if wrong:
        raise TypeError(f"dispatch: {', '.join(wrong)} follow from the arrays of each call")
    inspect.signature(request).bind(1, 1, 1, **fixed)
    request(1, 1, 1, **{**fixed, **dict.fromkeys(set(fixed) & {"lda", "ldb", "ldc"})})  # raises for a wrong value
    return Dispatch(request, fixed)


def _rebuilt(request: Callable[..., Kernel], fixed: dict[str, Any]) -> Dispatch:
    return dispatch(request, **fixed)


def _missing(request: Callable[..., Kernel], fixed: dict[str, Any], kernels: dict[Key, Kernel],
             table: _Table | None) -> Callable[..., Any]:  # fmt: skip
    """The slow path: finds or makes the kernel, publishes and calls it. Refers to nothing that refers to it."""

    def miss(*args: Any, **leading: Any) -> Any:
        if len(args) < 2:
            raise TypeError(f"this handle takes 3 arguments (a, b, c), or 2 where beta is 0, not {len(args)}")
        key = _key(*args[:2])
        kernel = kernels.get(key)
        if kernel is None:
            m, k, n, number = key
            made = request(m, n, k, dtype=_NAMES[number], **fixed)
            kernel = kernels.setdefault(key, made)
            if kernel is made and table is not None:
                table.add(key, kernel)
        return kernel(*args, **leading)

    return miss


def _key(first: Any, second: Any) -> Key:
    a, b = as_array("a", first), as_array("b", second)
    for name, array in (("a", a), ("b", b)):
        if array.ndim != 2:
            raise ValueError(f"{name}: a matrix, not an array of shape {array.shape}")
    if a.dtype.num not in _NAMES:
        raise UnsupportedError(f"a: dtype {a.dtype}; this version has kernels for {', '.join(_NAMES.values())}")
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"b: {a.shape[1]} rows, as a has columns, not shape {b.shape}")
    return a.shape[0], a.shape[1], b.shape[1], a.dtype.num


class _Table:
    """The hash table that machine code searches; `head` is what a handle's constants point to.

    Only threads that hold the GIL search and change it. A full one is replaced by one of twice the size; the old one
    stays until the handle goes.
    """

    def __init__(self) -> None:
        self.head = ffi.new("uintptr_t[2]", [id(np.ndarray), 0])
        self.records: list[tuple[Key, int, int]] = []
        self.tables: list[Any] = []
        self._renew(_SMALLEST)

    def add(self, key: Key, kernel: Kernel) -> None:
        """Let machine code find the kernel, if it can call it. The handle keeps it alive."""
        native = entry.native_of(kernel)
        code = cpython.word(id(kernel) + native.vectorcall) if native else 0
        if not code:
            return
        self.records.append((key, id(kernel), code))
        if 2 * len(self.records) > self.size:
            self._renew(2 * self.size)
        else:
            self._insert(self.tables[-1], self.records[-1])

    def _renew(self, size: int) -> None:
        self.size = size
        table = ffi.new("int64_t[]", 1 + RECORD * size)
        table[0] = size - 1
        for record in self.records:
            self._insert(table, record)
        self.tables.append(table)
        self.head[1] = int(ffi.cast("uintptr_t", table))

    def _insert(self, table: Any, record: tuple[Key, int, int]) -> None:
        """The kernel comes last: before that store the record is free."""
        (m, k, n, number), kernel, code = record
        i = place(m, k, n, number, self.size - 1)
        while table[1 + RECORD * i + 4]:
            i = (i + 1) % self.size
        start = 1 + RECORD * i
        for offset, value in enumerate((m, k, n, number)):
            table[start + offset] = value
        table[start + 5] = code
        table[start + 4] = kernel
