"""Check one matrix argument of a call against the operand that the request describes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...microkernels.operands import RUNTIME, Axes, Number, Operand, dense
from .arrays import Array, address_of, as_array, numpy_dtype, overlap
from .layouts import gapless

_INT64 = 1 << 63


def miscounted(arguments: Sequence[Operand | Number], new: Sequence[Operand], given: int) -> TypeError:
    """Return the error for a call with another number of arguments. It names those that a call may leave out."""
    names = ", ".join(each.name for each in arguments)
    outputs = ", ".join(each.name for each in new)
    left_out = f"; {outputs} may be left out" if outputs else ""
    return TypeError(f"this kernel takes {len(arguments)} arguments ({names}{left_out}), not {given}")


_ONE = Axes()
"""Those of a single matrix."""


def matrix(
    operand: Operand, value: Any, batch: Axes = _ONE, layout: str = "", asked: bool = True
) -> tuple[Array, int | None]:
    """Return an array of the operand's type, shape and strides, and its leading dimension if the call decides it. A
    vector stands for lines that overlap, or for a batch: it is the memory in which they lie.

    layout   of an operand of a product: "plain", or the name of the transform that packs it
    asked    whether a request can specify the operand's leading dimension
    """
    name, dtype = operand.name, numpy_dtype(operand.dtype)
    array = as_array(name, value)
    shape = (*batch.shape, *operand.shape)
    if array.dtype != dtype or not array.dtype.isnative:
        raise TypeError(
            f"{name}: dtype {dtype} in native byte order, not {array.dtype.newbyteorder('=')}"
            + ("" if array.dtype.isnative else " in the other byte order")
            + (_bits(name, array.dtype, dtype) or _converted(operand, array.dtype, dtype))
        )
    if array.ndim == 1 and isinstance(operand.view.leading, int) and (batch.shape or _lines_overlap(operand)):
        array = _spread(operand, array, operand.view.leading, batch)
    if array.shape != shape:
        array = _in_groups(operand, array, shape, layout)
    if not _aligned(array) and address_of(array) % dtype.itemsize:
        raise ValueError(
            f"{name}: elements aligned to {dtype.itemsize} bytes, not at {address_of(array):#x}; "
            f"{name}.copy() aligns them"
        )
    if operand.vector:
        _vector_strides(operand, array)
        return array, None
    return array, _strides(operand, array, batch, layout, asked)


_LEVELS = "; np.lib.stride_tricks.as_strided makes such a view, and the vector in which the matrices lie stands for it"


def _lines_overlap(operand: Operand) -> bool:
    """Whether the lines of an operand overlap: an array of its elements would be larger than their memory."""
    return operand.overlaps and isinstance(operand.view.leading, int) and operand.view.leading < operand.length


def _spread(operand: Operand, memory: Array, leading: int, batch: Axes) -> Array:
    """Return the matrices that lie in a contiguous vector, from its first element on."""
    name, size = operand.name, memory.itemsize
    steps, counts = element_strides(operand, leading, batch), (*batch.shape, operand.rows, operand.columns)
    needed = operand.group * (1 + sum((n - 1) * step for n, step in zip(counts, steps)))
    needed = 0 if 0 in counts else needed
    if not memory.flags.c_contiguous or len(memory) < needed:
        strided = "" if memory.flags.c_contiguous else f", with strides {memory.strides}"
        raise ValueError(
            f"{name}: an array of shape {(*batch.shape, *operand.shape)}, or a contiguous vector of at least {needed} "
            f"elements, in which its matrices lie, not one of {len(memory)}{strided}"
        )
    shape, inner = (*batch.shape, *operand.shape), (size,) * (operand.group > 1)
    strides = (*(step * operand.group * size for step in steps), *inner)
    made: Array = np.ndarray(shape, memory.dtype, memory.view(np.uint8), 0, strides)
    return made


def element_strides(operand: Operand, leading: int, batch: Axes) -> tuple[int, ...]:
    """Return the places from each matrix, row and column to the next, or those of the array's own axes."""
    if operand.axes:
        return gapless(operand.axes)
    distances = (leading * operand.lines,) * len(batch.shape) if batch.distances is None else batch.distances
    return (*distances, *((leading, 1) if operand.view.order == "C" else (1, leading)))


def stacked(operand: Operand, array: Array, layout: str) -> tuple[int, int | None]:
    """Check an array of matrices at any distance from each other. Return the bytes from one to the next, and the
    leading dimension if the call decides it."""
    name, dtype = operand.name, numpy_dtype(operand.dtype)
    if not len(array):  # there is no matrix whose strides have a meaning
        if array.dtype != dtype:
            raise TypeError(f"{name}: dtype {dtype}, not {array.dtype}")
        return 0, dense(operand.view.order, operand.rows, operand.columns)
    _, leading = matrix(operand, array[0], layout=layout)
    stride = array.strides[0] if len(array) > 1 else 0
    if stride % array.itemsize:
        raise ValueError(
            f"{name}: the stride from matrix to matrix must be a multiple of {array.itemsize} bytes "
            f"(elements must be aligned), not {stride}"
        )
    return stride, leading


def packing(operand: Operand, layout: str, rows: object, columns: object) -> str:
    """Return how a plain matrix x of so many rows and columns becomes a packed operand of a product."""
    by_columns = operand.view.order == "F"
    if layout.startswith("vnni") and (operand.name[0] == "a") != by_columns:
        return f"groups of {operand.group} neighbours along k, as a plain matrix has them"
    lines, length, turned = (columns, rows, ".T") if by_columns else (rows, columns, "")
    made = f'ts.transform("{layout}", {lines}, {length}, "{operand.dtype}")(x{turned}){turned}'
    return f"{made} makes it of x ({rows}, {columns})"


def _in_groups(operand: Operand, array: Array, shape: tuple[int, ...], layout: str) -> Array:
    """Return a packed operand whose groups have no axis of their own, as ts.transform makes it, or raise ValueError."""
    if operand.group > 1 and array.ndim == len(shape) - 1:
        turns = operand.view.order == "F"  # groups are neighbours along the columns, which are the lines in memory
        *outer, lines, length, group = (*shape[:-3], shape[-2], shape[-3], shape[-1]) if turns else shape
        lying = array.swapaxes(-1, -2) if turns else array
        if lying.shape == (*outer, lines, length * group):
            made = lying.reshape(*outer, lines, length, group)
            if address_of(made) == address_of(array):
                return made.swapaxes(-2, -3) if turns else made
    hint = ""
    if operand.group > 1 and layout:
        hint = f"; it must be packed: {packing(operand, layout, 'rows', 'columns')}"
    elif array.ndim == len(shape) + 1 and len(shape) == 1 and array.size == shape[0]:
        hint = f"; {operand.name}.ravel() has this shape"
    elif array.ndim == 1 and 1 in shape and array.size == np.prod(shape):
        hint = f"; {operand.name}.reshape{shape} has this shape"
    elif array.shape == shape[::-1] and 1 in shape:
        hint = f"; {operand.name}.T has this shape"
    raise ValueError(f"{operand.name}: shape {shape}, not {array.shape}{hint}")


def scalar(operand: Operand, value: int | float) -> Array:
    """Return a Python number for an operand of one element as an array of its type, else raise TypeError."""
    dtype = numpy_dtype(operand.dtype)
    if operand.rows * operand.columns != 1 or operand.output or isinstance(value, bool):
        raise TypeError(f"{operand.name}: an array of shape {operand.shape}, not {value!r}")
    if isinstance(value, float) and dtype.kind in "iu":
        raise TypeError(f"{operand.name}: an integer, as {dtype}, not {value!r}")
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
        raise ValueError(f"{operand.name}: {value} does not fit {dtype}")
    return np.full(operand.shape, value, dtype)


def _bits(name: str, found: np.dtype[Any], dtype: np.dtype[Any]) -> str:
    """Return a hint if an integer array may hold the bits of a type that numpy lacks."""
    if dtype.isbuiltin == 1 or found.kind not in "iuV" or found.itemsize != dtype.itemsize:
        return ""
    return f"; if {name} holds the bits of such elements, pass {name}.view(ml_dtypes.{dtype.name})"


def _converted(operand: Operand, found: np.dtype[Any], dtype: np.dtype[Any]) -> str:
    """Return a hint that says how to convert an argument, if its elements are numbers and the kernel only reads it."""
    if operand.output or found.kind not in "biufV" or found.kind == "V" and found.isbuiltin != 2:  # 2: ml_dtypes
        return ""
    module = "np" if dtype.isbuiltin == 1 else "ml_dtypes"
    if found.kind == "b" and operand.name == "mask":
        hides = f"np.where(mask, 0, -np.inf).astype({module}.{dtype.name})"
        return f"; it is added to scores, so {hides} hides what a mask of booleans leaves out"
    floats = found.newbyteorder("=") != dtype and found.kind in "fV" and dtype.kind in "fV"
    own = "; dtype= of the request makes a kernel for other types" if floats else ""
    return f"; {operand.name}.astype({module}.{dtype.name}) converts it, or of a tensor .to(torch.{dtype.name}){own}"


def _aligned(array: Array) -> bool:
    """Whether numpy reports elements aligned to their size. Asking for the address would take a microsecond."""
    return array.flags.aligned and array.dtype.alignment == array.itemsize


def _vector_strides(operand: Operand, array: Array) -> None:
    if array.size > 1 and array.strides != (array.itemsize,):
        raise ValueError(f"{operand.name}: contiguous, not with strides {array.strides}{_copied(operand)}")


def _strides(operand: Operand, array: Array, batch: Axes, layout: str, asked: bool) -> int | None:
    """Require the operand's strides; the stride of an axis of one element does not matter. Return the leading dimension
    if the call decides it."""
    name, view, place = operand.name, operand.view, array.itemsize * operand.group
    leading, least = view.leading, operand.length
    outer = 0 if view.order == "C" else 1  # the axis that the leading dimension steps along
    batched = array.ndim > len(operand.shape)
    found = None
    if leading is RUNTIME:
        told = _leading_from_strides(array, len(batch.shape) + outer, batched and batch.distances is None, place)
        found = leading = least if told is None else told
        if leading < operand.least:
            raise ValueError(
                f"{name}: leading dimension of at least {operand.least} {_units(operand)}, not {leading}: "
                f"strides are {array.strides}{_remedy(operand, array, layout, asked)}"
            )
    assert isinstance(leading, int)
    steps = element_strides(operand, leading, batch)
    expected = [*(step * place for step in steps), *([array.itemsize] if operand.group > 1 else [])]
    wrong = [
        axis
        for axis, (n, stride, want) in enumerate(zip(array.shape, array.strides, expected))
        if n > 1 and stride != want
    ]
    if wrong and array.size:
        distance = leading if layout else leading * operand.group  # packed operands count groups
        any_leading = view.leading is RUNTIME
        lying = f'order "{view.order}", {"any leading dimension" if any_leading else f"leading dimension {distance}"}'
        meaning = "contiguous" if operand.axes or not (asked or operand.group == 1) else lying
        hint = _remedy(operand, array, layout, asked) if batch.distances is None else _LEVELS
        outer += len(batch.shape)
        wanted = ", ".join("any" if any_leading and axis == outer else str(n) for axis, n in enumerate(expected))
        raise ValueError(f"{name}: strides ({wanted}) ({meaning}), not {array.strides}{hint}")
    return found


def _copied(operand: Operand, transposed: bool = False) -> str:
    """Return a hint how to copy an array that is not contiguous. `transposed` asks for contiguous columns.

    An output is not copied, because the caller would not see what the kernel writes to the copy.
    """
    name, way = operand.name, ".swapaxes(-1, -2)" if transposed else ""
    if operand.output:
        return f"; pass a contiguous array, and copy it to {name} afterwards: {name}[...] = result"
    return f"; np.ascontiguousarray({name}{way}){way} copies it, or of a tensor {name}{way}.contiguous(){way}"


def _remedy(operand: Operand, array: Array, layout: str, asked: bool) -> str:
    """Return a hint which kernel or copy would accept an array with these strides."""
    name, place = operand.name, array.itemsize * operand.group
    rows, columns = array.strides[-3:-1] if operand.group > 1 else array.strides[-2:]
    least, leading = operand.length, operand.view.leading
    copy = _copied(operand, operand.view.order == "F" and operand.group == 1) if leading in (RUNTIME, least) else ""
    if not asked:
        return copy
    if operand.group > 1 and not layout:
        return _remedy_for_heads(operand, array) or copy
    if operand.group > 1 and operand.view.order == "F":
        copy = f"; it must be packed: {packing(operand, layout, 'rows', 'columns')}"
    ordered = (rows, columns) if operand.view.order == "C" else (columns, rows)
    if ordered[1] == place and ordered[0] >= operand.least * place:
        if ordered[0] % place or array.ndim > 2 + (operand.group > 1):
            return copy
        number = ordered[0] // place
        if layout == "plain":  # ts.gemm and ts.linear share this check, and their leading dimensions are numbers
            any_number = f"or of ts.brgemm with ld{name}=ts.RUNTIME"
            return f"; a kernel with ld{name}={number}, {any_number}, takes it{_any(layout)}"
        return f"; a kernel with ld{name}={number}, or ld{name}=ts.RUNTIME for any, takes it"
    if layout == "plain" and ordered[0] == place and array.ndim == 2:
        other = "F" if operand.view.order == "C" else "C"
        return (
            f'; a kernel with order="{other}" for {name} (three letters: one each for a, b and c), whose m and n are '
            f"numbers, takes it{_any(layout)}"
        )
    return copy


def _remedy_for_heads(operand: Operand, array: Array) -> str:
    """Return a hint which kernel of attention would accept heads with these strides, or an empty text."""
    name, line = operand.name, array.itemsize * operand.group
    heads, rows, elements = array.strides
    order, outer, inner = ("C", heads, rows) if rows == line else ("F", rows, heads)
    least = dense(order, operand.rows, operand.columns) * line
    if elements != array.itemsize or inner != line or outer < least or outer % line:
        return ""
    leading = f", ld{name}={outer // array.itemsize}" if outer > least else ""
    return f'; a kernel with order={{"{name}": "{order}"}}{leading} takes it'


def _any(layout: str) -> str:
    return "; ts.dispatch(ts.brgemm) and ts.matmul take any of these layouts" if layout == "plain" else ""


def _leading_from_strides(array: Array, outer: int, batched: bool, place: int) -> int | None:
    """Return the leading dimension from the strides of lines, or of matrices of one line each; None if unknown."""
    axis = outer if array.shape[outer] > 1 else 0 if batched and array.shape[0] > 1 else None
    if axis is None or not array.size:  # an empty batch, as numpy makes it, has strides of 0
        return None
    return array.strides[axis] // place


def _units(operand: Operand) -> str:
    return f"groups of {operand.group}" if operand.group > 1 else "elements"


def writable(name: str, array: Array) -> None:
    """Require that an output is writable."""
    if not array.flags.writeable:
        raise ValueError(f"{name}: a writable array, this one is read-only")


def no_overlap(name: str, output: Array, **others: Array) -> None:
    """Require that an output shares no element with the others."""
    for other, array in others.items():
        if overlap(output, array):
            raise ValueError(f"{name}: must not overlap {other}; the result would depend on the order of writes")


def integer(name: str, value: Any) -> int:
    """Return an integer of 64 bits."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: an integer, not {value!r}")
    try:
        number = int(value.__index__())
    except TypeError as error:  # arrays have the method, and those of several elements or of floats refuse
        if not hasattr(value, "shape"):
            raise
        found = f"an array of shape {tuple(value.shape)} and type {value.dtype}"
        raise TypeError(f"{name}: an integer, not {found}") from error
    if not -_INT64 <= number < _INT64:
        raise ValueError(f"{name}: an integer from {-_INT64} to {_INT64 - 1}, not {number}")
    return number


def runtime_operands(operands: Iterable[Operand]) -> dict[str, Operand]:
    """Return the operands whose leading dimension the call gives, by the keyword for it: "ldx"."""
    return {f"ld{each.name}": each for each in operands if each.view.leading is RUNTIME}


def leading_keywords(given: dict[str, Any], operands: dict[str, Operand]) -> dict[str, int]:
    """Return the leading dimensions given as keywords. `operands` maps each keyword to its operand."""
    made = {}
    for keyword, value in given.items():
        if keyword not in operands:
            raise TypeError(
                f"{keyword}: not an argument of this kernel; it takes {', '.join(operands) or 'no keywords'}"
            )
        operand = operands[keyword]
        made[keyword] = value = integer(keyword, value)
        if value < operand.least:
            raise ValueError(f"{keyword}: at least {operand.least} elements (the contiguous dimension), not {value}")
    return made


def chosen_leading(keyword: str, given: int | None, found: int | None) -> int:
    """Return a leading dimension given at the call: as a keyword, by the strides, or by both if they agree."""
    if given is None and found is None:
        raise TypeError(f"{keyword}: give it as a keyword, addresses have no strides to read it from")
    if given is not None and found is not None and given != found:
        raise ValueError(f"{keyword}: must be {found}, as the strides of {keyword[2:]} say, not {given}")
    return found if given is None else given  # type: ignore[return-value]


def empty(operand: Operand) -> Array:
    """Return a new array that matches the operand."""
    view, dtype = operand.view, numpy_dtype(operand.dtype)
    if operand.vector or operand.axes:
        return np.empty(operand.shape, dtype)
    least = dense(view.order, operand.rows, operand.columns)
    leading = view.leading if isinstance(view.leading, int) else least
    if operand.group > 1:
        c_order = view.order == "C"
        lines, length = (operand.rows, operand.columns) if c_order else (operand.columns, operand.rows)
        packed = np.empty((lines, leading, operand.group), dtype)[:, :length]
        return packed if c_order else packed.transpose(1, 0, 2)
    if view.order == "C":
        return np.empty((operand.rows, leading), dtype)[:, : operand.columns]
    return np.empty((leading, operand.columns), dtype, order="F")[: operand.rows]


def empty_stack(operand: Operand, count: int) -> Array:
    """Return a new array of `count` consecutive matrices that match the operand."""
    view, dtype = operand.view, numpy_dtype(operand.dtype)
    least = dense(view.order, operand.rows, operand.columns)
    leading = view.leading if isinstance(view.leading, int) else least
    if view.order == "C":
        return np.empty((count, operand.rows, leading), dtype)[:, :, : operand.columns]
    made: Array = np.empty((count, operand.columns, leading), dtype)[:, :, : operand.rows].transpose(0, 2, 1)
    return made
