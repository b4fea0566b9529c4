"""The arrays of a call of a grouped product as machine code takes them, and its epilogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.expr.trace import behind_first, settled
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.operands import LARGEST, View
from ..api.brgemm import product_spec
from ..arguments.arrays import Array, as_array
from ..arguments.factors import native
from ..arguments.infer import type_of
from ..fastcall.foreign import of_tensor
from ..kernel.accuracy import default_accuracy
from ..kernel.reads import Traces, state_of
from ..kernel.request_cache import forgetting
from ..ops.product_parts import check_epilogue
from ..ops.row_kernels import Finishing, Steps

if TYPE_CHECKING:
    from ...microkernels.expr.graph import Expr
    from ..api.typed import ArrayLike, Broadcast, DTypeLike, OperandLike
    from ..ops.spread_cuts import Request

_TRACES = Traces()
forgetting.append(_TRACES.forget)


def array_of(name: str, value: ArrayLike) -> Array:
    found = value if type(value) is np.ndarray else of_tensor(name, value)
    return found if type(found) is np.ndarray else as_array(name, found)


class AskedEpilogue(NamedTuple):
    """The keywords of a call."""

    epilogue: Callable[..., Expr] | None
    operands: dict[str, Array]
    dtype: DTypeLike | None


def operand_of(name: str, value: ArrayLike) -> Array:
    return np.array(value, np.float32) if isinstance(value, (int, float)) else native(name, array_of(name, value))


def in_order(asked: AskedEpilogue) -> AskedEpilogue:
    """Return the keywords with operands in the order of the epilogue's parameters, in which kernels read them. Raises
    TypeError unless there is one for each parameter."""
    if asked.epilogue is None:
        if asked.operands:
            raise TypeError(f"operands: only an epilogue takes operands ({', '.join(asked.operands)})")
        return asked
    names = behind_first(asked.epilogue, asked.operands)[1:]
    missing = [name for name in names if name not in asked.operands]
    if missing:
        raise TypeError(f"operands: {', '.join(missing)} missing, which the epilogue takes")
    unknown = [name for name in asked.operands if name not in names]
    if unknown:
        raise ValueError(f"operands: {unknown[0]!r} is no parameter of the epilogue")
    return asked._replace(operands={name: asked.operands[name] for name in names})


def with_sums(types: tuple[str, str, str]) -> tuple[str, str, str]:
    """Return the types of a and b, and that of the sums."""
    a, b, c = types
    acc = GemmSpec(1, 1, 1, (a, b, c), ("C", "C", "C"), (1, 1, 1), None, 1.0, 0.0).acc_dtype
    return a, b, acc


def steps_of(array: Array) -> Steps:
    """Return the bytes between rows, columns and members of an array of two or three axes."""
    *member, row, column = array.strides
    return Steps(row, column, member[0] if member else 0)


def leading_of(array: Array, axis: int) -> int:
    """Return the elements between the lines of a matrix along the last axes, or 0 if its lines have gaps or overlap."""
    size, other = array.itemsize, -3 - axis  # axis -2: rows, -1: columns
    if array.strides[other] != size and array.shape[other] > 1:
        return 0
    if array.shape[axis] == 1:
        return max(1, int(array.shape[other]))
    leading, rest = divmod(array.strides[axis], size)
    fits = not rest and array.shape[other] <= leading <= LARGEST // size
    return int(leading) if fits else 0


def by_rows(array: Array) -> Array:
    """Return the array, or a copy whose rows are contiguous and aligned."""
    fits = array.flags.aligned and leading_of(array, -2)
    return array if fits else np.ascontiguousarray(array)


def matrices_of(array: Array) -> tuple[Array, str, int]:
    """Return an array of matrices that are row-major or column-major, a copy if need be, with the order and the leading
    dimension of each."""
    if array.flags.aligned and (array.ndim == 2 or array.strides[0] >= 0):
        for order, axis in (("C", -2), ("F", -1)):
            if leading := leading_of(array, axis):
                return array, order, leading
    return np.ascontiguousarray(array), "C", array.shape[-1]


def _kind(
    name: str, array: Array, result: tuple[int, int, int], shape: tuple[int, ...]
) -> tuple[Array, Broadcast | None]:
    """Return an operand with an axis for members, and how it is broadcast. `result` are the members, rows and columns
    of the result, `shape` is what errors call it."""
    members, rows, columns = result
    if array.ndim > 3 or any(have not in (1, want) for have, want in zip(array.shape[::-1], result[::-1])):
        raise ValueError(
            f"operands: {name} must be broadcast to the result of shape {shape}, or have a row for each member, "
            f"(G, 1, N), not {array.shape}"
        )
    whole = array.reshape((1,) * (3 - array.ndim) + array.shape)
    kinds: dict[tuple[bool, bool], Broadcast | None] = {
        (True, True): None,
        (True, False): "col",
        (False, True): "row",
        (False, False): "scalar",
    }
    full = whole.shape[1] == rows and rows > 1, whole.shape[2] == columns and columns > 1
    return whole, kinds[full]


class EpilogueArrays(NamedTuple):
    """The operands of an epilogue as kernels read them."""

    arrays: dict[str, Array]
    kinds: dict[str, OperandLike]

    @classmethod
    def of(cls, given: Mapping[str, Array], result: tuple[int, int, int], shape: tuple[int, ...]) -> EpilogueArrays:
        """Check the operands, and copy those whose rows have gaps."""
        arrays: dict[str, Array] = {}
        kinds: dict[str, OperandLike] = {}
        for name, each in given.items():
            whole, kind = _kind(name, each, result, shape)
            lying = (
                leading_of(whole, -2) if kind is None else whole.strides[2 if kind == "row" else 1] == whole.itemsize
            )
            arrays[name] = whole if whole.flags.aligned and (lying or kind == "scalar") else np.ascontiguousarray(whole)
            kinds[name] = kind, cast(Any, type_of(name, each))
        return cls(arrays, kinds)

    def key(self) -> tuple[object, ...]:
        """Return what kernels depend on: types, and the strides of axes of several elements."""
        return tuple(
            (name, self.kinds[name], *(by if extent > 1 else 0 for extent, by in zip(each.shape, each.strides)))
            for name, each in self.arrays.items()
        )


def read_of(asked: AskedEpilogue, types: tuple[str, str, str]) -> object:
    """Return a key of what the epilogue computes, or None if only a trace tells."""
    if asked.epilogue is None:
        return "", default_accuracy()
    state = state_of(asked.epilogue)
    if state is None:
        state = _TRACES.key(types, asked.epilogue, asked.operands)
    return None if state is None else (state, default_accuracy())


def finishing_of(
    asked: AskedEpilogue, extras: EpilogueArrays, product: dict[str, Any], types: tuple[str, str, str], ldc: int
) -> Finishing | None:
    """Return what makes the result of the sums, or None if the sums are the result."""
    a, b, c = product["dtype"]
    if asked.epilogue is None and c == with_sums((a, b, c))[2]:
        return None
    function = settled(asked.epilogue) if asked.epilogue is not None else (lambda c: c)
    spec: Request = product_spec(
        **product,
        beta=0.0,
        order="C",
        numerics="exact",
        epilogue=function,
        operands=extras.kinds or None,
        accuracy=default_accuracy(),
    )
    check_epilogue("grouped_matmul", spec)
    if asked.epilogue is not None:
        _TRACES.keep(types, function, asked.operands)  # type: ignore[arg-type]
    walk = spec.elementwise
    found, *others = walk.inputs
    arrays = {} if asked.epilogue is None else dict(zip((each.name for each in spec.extras), extras.arrays.values()))
    lying, steps = [], []
    for each in others:
        array = arrays[each.name]
        own = Steps(
            array.strides[1] if each.rows > 1 else 0,
            array.strides[2] if each.columns > 1 else 0,
            array.strides[0] if array.shape[0] > 1 else 0,
        )
        steps.append(own)
        whole = each.rows > 1 and each.columns > 1
        lying.append(each._replace(view=View("C", array.strides[1] // array.itemsize)) if whole else each)
    to = tuple(each._replace(view=View("C", ldc)) for each in walk.outputs)
    numerics = walk.numerics if asked.epilogue is not None else "fast"
    return Finishing(replace(walk, inputs=(found, *lying), outputs=to, numerics=numerics), tuple(steps))
