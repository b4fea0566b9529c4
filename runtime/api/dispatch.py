"""One callable for many shapes: `dispatch(brgemm, beta=0)` calls the kernel that matches its arguments.

The first call with certain types, shapes and strides makes the kernel (dispatch_requests). From then on machine code
finds it (dispatch_code, dispatch_table) and calls its entry. The checks and errors are the kernel's own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.trace import settled
from ...microkernels.operands import RUNTIME
from ..arguments.arrays import as_array
from ..arguments.foreign_arrays import returned
from ..arguments.infer import Reader
from ..arguments.tracebacks import shortened
from ..fastcall import entry
from ..fastcall.foreign import plain_arrays
from ..kernel.callable import Kernel
from ..system.torch_compile import leave_trace, untraced
from .dispatch_requests import FUSED, READERS, axes_of, reader_of, with_np
from .dispatch_table import HashTable, Record, key_of


class Dispatch:
    """Calls the kernel for the arguments' types, shapes and strides, and makes it if there is none: see `dispatch`.

    request: the function that makes kernels. fixed: its arguments that are the same for all of them.
    """

    __slots__ = ("request", "fixed", "_table", "_miss", "__weakref__")

    def __new__(cls, request: Callable[..., Kernel], fixed: dict[str, Any]) -> Dispatch:
        """Create an object that is called through machine code where that works: see `entry`."""
        native = entry.native_type(Dispatch)
        made: Dispatch = object.__new__(native.type if native else cls)
        return made

    def __init__(self, request: Callable[..., Kernel], fixed: dict[str, Any]) -> None:
        self.request, self.fixed = request, fixed
        reader = reader_of(request)
        assert reader is not None, "dispatch has looked"
        known = {
            name: settled(each) if name in ("epilogue", "function") and callable(each) else each
            for name, each in fixed.items()
        }
        reader.check(known)  # raises for a wrong value
        native = entry.native_of(self)
        self._table = HashTable(axes_of(request, known))
        self._miss = _missing(request, reader, known, self._table)
        if native:
            native.install(self, entry.finder(native, self._table.axes), self._table.head, self._miss)

    @untraced
    def __call__(self, *args: Any, **leading: Any) -> Any:
        """Call the kernel for these arguments, in the same way as kernels of `request` are called."""
        return self._miss(*args, **leading)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels that the handle keeps, oldest first."""
        return tuple(dict.fromkeys(record.kernel for record in self._table.records.values()))

    def __reduce__(self) -> tuple[Callable[..., Dispatch], tuple[Any, ...]]:
        """Pickle the request. Kernels are made again as they are called."""
        return _rebuilt, (self.request, self.fixed)

    def __repr__(self) -> str:
        fixed = "".join(f", {name}={value!r}" for name, value in self.fixed.items())
        return f"dispatch({self.request.__name__}{fixed}): {len(self.kernels)} kernels"


def dispatch(request: Callable[..., Kernel], *names: Any, **fixed: Any) -> Dispatch:
    """Return a callable for arrays of any type and shape: `mm = dispatch(brgemm, beta=0)`, then `mm(a, b, c)`.

    request   the function that makes kernels: brgemm, unary, binary, ternary, equation, fused, reduce, transpose,
              transform, gather, scatter, embedding_bag, attention, attention_inv
    names     its arguments before the extents: dispatch(unary, "gelu"), dispatch(reduce, "sum", axis=1),
              dispatch(equation, lambda x, g: x * g)
    fixed     its keywords that hold for all kernels. The arrays of each call determine the others: extents, the type of
              each operand, orders and leading dimensions, broadcasts

    brgemm: a (m, k) and b (k, n) are one pair. The products of a (count, m, k) and b (count, k, n) are summed into
    a c (m, n), or stored one by one in a c (count, m, n); if c is left out, batch=RUNTIME sums and stack=RUNTIME
    stores. With batch=STRIDE or OFFSET, the last two axes of a and b are the matrices. Each may be transposed (x.T)
    or have gaps (x[:, :8]). With b_layout="vnni", k is that of a. A C that is left out has the default type for the
    types of a and b. Elementwise kernels: rows, columns and elements of the result's shape are broadcast; if all
    operands are transposed, the transposes are computed. transform takes plain matrices. fused: if a matrix has
    contiguous columns alone, all must; results that are left out have the type of the inputs, or f32 if these
    differ. attention: heads may lie side by side (x.reshape(n, heads, size).transpose(1, 0, 2)) and have gaps; a
    new out lies as q does.

    Each handle keeps the 256 kernels that were called last. A traced function is called once for each combination of
    operand types, the first time by this function. Values that it reads may change afterwards, but the handle's kernels
    do not. TypeError or ValueError name a wrong keyword here; calls raise the errors of requests and kernels.
    """
    reader = reader_of(request)
    if reader is None:
        known = ", ".join([*(each.__name__ for each in READERS), FUSED])
        own = str(getattr(request, "__module__", "")).startswith(__package__.split(".")[0])
        spelled = getattr(request, "__name__", "")  # a kernel has none
        given = f"ts.{spelled}" if spelled and callable(request) and own else repr(request)
        raise UnsupportedError(
            f"dispatch: the request must be one of {known}, which read their shapes from their "
            f"arguments, not {given}; ts.matmul takes arrays of any shape"
        )
    parameters = list(inspect.signature(request).parameters)
    places = [each for each in parameters[: len(names)] if each not in reader.told]
    if len(places) < len(names):
        raise TypeError(f"dispatch: leave out {parameters[len(places)]}, which is read from the arrays of each call")
    fixed = {**dict(zip(places, names)), **fixed}
    wrong = [name for name in fixed if name in reader.told]
    if wrong:
        raise TypeError(f"dispatch: leave out {', '.join(wrong)}: read from the arrays of each call")
    told = {name: None for name in reader.told if name in parameters}
    try:
        inspect.signature(request).bind(**told, **_bound(request, fixed, reader))
    except TypeError as error:
        example = 'fused, "softmax"' if request.__name__ == FUSED else 'unary, "gelu"'
        hint = f"; it follows the function, as in ts.dispatch(ts.{example})" * ("missing" in str(error))
        raise TypeError(f"dispatch: ts.{request.__name__}: {error}{hint}") from None
    return Dispatch(request, fixed)


def _bound(request: Callable[..., Kernel], fixed: dict[str, Any], reader: Reader) -> dict[str, Any]:
    """Return the fixed keywords, with None for those that each call determines."""
    needed = [name for name, each in inspect.signature(request).parameters.items() if each.default is each.empty]
    told = {"k", "size", "count"}
    return {**{name: None for name in needed if name in told and name not in reader.told}, **fixed}


def _rebuilt(request: Callable[..., Kernel], fixed: dict[str, Any]) -> Dispatch:
    return dispatch(request, **fixed)


def _missing(
    request: Callable[..., Kernel], reader: Reader, fixed: dict[str, Any], table: HashTable
) -> Callable[..., Any]:
    """Return the slow path, which finds or makes the kernel, publishes it and calls it. It refers to nothing that
    refers to it."""

    def found(args: tuple[Any, ...]) -> Record:
        key = key_of(args, table.axes)
        record = table.find(key)
        if record is None:
            asked = reader.read(with_np(args), fixed)
            known = {name: each for name, each in fixed.items() if each is not RUNTIME or name not in asked.keywords}
            record = table.add(key, request(**{**asked.keywords, **known}), asked.transposed)
        return record

    def miss(*args: Any, **leading: Any) -> Any:
        leave_trace()
        try:
            given = leading.pop("out", None)
            out = None if given is None else as_array("out", given)
            arrays = tuple(_as_array(i, each, table.axes) for i, each in enumerate(args))
            record = found(arrays if out is None else (*arrays, out))
        except (TypeError, ValueError) as error:
            raise shortened(error)  # noqa: B904
        named = leading if out is None else {**leading, "out": out}
        if record.transposed:
            arrays = tuple(each.T if type(each) is np.ndarray else each for each in arrays)
            named = {} if out is None else {"out": out.T}
        made = record.kernel(*arrays, **named)  # with the arrays that the key was computed from
        if made is None or given is not None:
            return given
        if record.transposed:
            made = tuple(each.T for each in made) if isinstance(made, tuple) else made.T
        first = made[0] if isinstance(made, tuple) else made
        # operands that are not part of the key are as they were passed
        return returned(made, args) if type(first) is np.ndarray else made

    return miss


def _as_array(position: int, value: Any, axes: tuple[int, ...]) -> Any:
    """Return an array of any library as numpy's. Numbers, None and arguments that are not part of the key stay
    unchanged."""
    if position >= len(axes) or value is None or isinstance(value, (int, float)) or type(value) is np.ndarray:
        return value
    (found,) = plain_arrays((value,)) or (value,)  # emitted code accepts arrays of its type from the next call on
    return as_array("abc"[position] if axes[0] == len(axes) == 3 else f"argument {position + 1}", found)
