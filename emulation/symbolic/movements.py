"""numpy's functions on symbolic elements that only move bytes, and selections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .lanes import HANDLERS, SPECIAL, Lanes, apply, raw_of, settled, table_of
from .values import Undecided


def _handles(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            HANDLERS[function] = handler
        return handler

    return register


def _common(values: Sequence[Any]) -> np.dtype[Any]:
    kinds = {each.dtype for each in values if isinstance(each, Lanes)}
    if len(kinds) == 1:
        only: np.dtype[Any] = kinds.pop()
        return only
    return np.result_type(*[np.zeros(1, each.dtype) for each in values if hasattr(each, "dtype")])


@_handles(np.concatenate)
def _concatenate(values: Sequence[Any], axis: int = 0) -> Lanes:
    dtype = _common(values)
    axis = axis if axis >= 0 else axis - 1
    return Lanes(np.concatenate([raw_of(each, dtype) for each in values], axis=axis), dtype, table_of(values))


@_handles(np.stack)
def _stack(values: Sequence[Any], axis: int = 0) -> Lanes:
    dtype = _common(values)
    axis = axis if axis >= 0 else axis - 1
    return Lanes(np.stack([raw_of(each, dtype) for each in values], axis=axis), dtype, table_of(values))


@_handles(np.repeat)
def _repeat(value: Lanes, times: Any) -> Lanes:
    flat = value.reshape(-1)
    return Lanes(np.repeat(flat.raw, times, axis=0), value.dtype, value.table)


@_handles(np.tile)
def _tile(value: Lanes, times: int) -> Lanes:
    return Lanes(np.tile(value.raw, (times, 1)), value.dtype, value.table)


@_handles(np.resize)
def _resize(value: Lanes, shape: Any) -> Lanes:
    count = int(np.prod(shape))
    times = -(-count // len(value))
    return Lanes(np.tile(value.raw, (times, 1))[:count], value.dtype, value.table)


@_handles(np.broadcast_to)
def _broadcast_to(value: Lanes, shape: Any) -> Lanes:
    wanted = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    return Lanes(np.broadcast_to(value.raw, (*wanted, value.raw.shape[-1])), value.dtype, value.table)


@_handles(np.broadcast_arrays)
def _broadcast_arrays(*values: Any) -> list[Any]:
    shape = np.broadcast_shapes(*[each.shape for each in values])
    return [np.broadcast_to(each, shape) for each in values]


@_handles(np.ascontiguousarray)
def _contiguous(value: Lanes) -> Lanes:
    return Lanes(np.ascontiguousarray(value.raw), value.dtype, value.table)


@_handles(np.zeros_like, np.empty_like)
def _zeros_like(value: Lanes, dtype: Any = None) -> Lanes:
    dtype = value.dtype if dtype is None else np.dtype(dtype)
    return Lanes(np.full((*value.shape, dtype.itemsize), -1, np.int64), dtype, value.table)


@_handles(np.copyto)
def _copyto(to: Any, value: Any, where: Any = True) -> None:
    if not isinstance(to, Lanes):
        raise Undecided("data becomes a mask or a predicate")
    raw = to.as_raw(value)
    if isinstance(where, Lanes) and where.concrete() is None:
        to.raw[...] = selected(where, Lanes(np.broadcast_to(raw, to.raw.shape), to.dtype, to.table), to).raw
        return
    chosen = np.asarray(settled(where))
    np.copyto(to.raw, raw, where=chosen[..., None] if chosen.ndim else chosen)


@_handles(np.where)
def selected(condition: Any, first: Any, second: Any) -> Any:
    """Return elements of `first` where the condition holds, and of `second` elsewhere."""
    dtype = _chosen_type(first, second)
    a, b = raw_of(first, dtype), raw_of(second, dtype)
    table = table_of([condition, first, second])
    if not isinstance(condition, Lanes) or condition.concrete() is not None:
        chosen = np.asarray(settled(condition)).astype(bool)
        return Lanes(np.where(chosen[..., None], a, b), dtype, table)
    truth = condition if condition.dtype == bool else condition != condition.dtype.type(0)
    if not isinstance(truth, Lanes):
        return selected(truth, first, second)
    shape = np.broadcast_shapes(truth.shape, a.shape[:-1], b.shape[:-1])
    name = f"u{dtype.itemsize}"
    sides = [Lanes(np.broadcast_to(raw, (*shape, raw.shape[-1])), name, table) for raw in (a, b)]
    given = [Lanes(np.broadcast_to(truth.raw, (*shape, 1)), bool, table), *sides]
    return apply(("where", dtype.itemsize), np.where, given, np.dtype(name), ("b1", name, name)).view(dtype)


def _chosen_type(first: Any, second: Any) -> np.dtype[Any]:
    for each in (first, second):
        if isinstance(each, Lanes):
            dtype: np.dtype[Any] = each.dtype
            return dtype
    return np.result_type(first, second)


@_handles(np.packbits)
def _packbits(value: Lanes, bitorder: str = "big") -> Any:
    found = value.concrete()
    if found is None:
        raise Undecided("comparisons of data become a mask register")
    return np.packbits(found, bitorder=bitorder)  # type: ignore[call-overload]


@_handles(np.clip)
def _clip(value: Lanes, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(value, value.dtype.type(low)), value.dtype.type(high))


# Universal functions that may only move bytes


def _uniform(amount: Any) -> int | None:
    found = amount.concrete() if isinstance(amount, Lanes) else np.asarray(amount)
    if found is None or not found.size or (found != found.flat[0]).any():
        return None
    return int(found.flat[0])


def _shifted(left: bool) -> Callable[[Any, Any], Lanes | None]:
    """Return a handler of shifts by whole bytes."""

    def function(value: Any, amount: Any) -> Lanes | None:
        by = _uniform(amount)
        if by is None or by % 8 or not isinstance(value, Lanes) or (value.dtype.kind != "u" and not left):
            return None
        places = min(by // 8, value.itemsize)
        raw = value.raw
        zeros = np.full((*value.shape, places), -1, np.int64)
        kept = [zeros, raw[..., : value.itemsize - places]] if left else [raw[..., places:], zeros]
        return Lanes(np.concatenate(kept, axis=-1), value.dtype, value.table)

    return function


_PLAIN = {"bitwise_and": int.__and__, "bitwise_or": int.__or__, "bitwise_xor": int.__xor__}


def bytewise(name: str, first: Sequence[int], second: Sequence[int]) -> tuple[int, ...] | None:
    """Return the AND, OR or XOR of bytes. Return None if a byte of the result is neither a constant nor one of the
    operands' bytes."""
    plain, result = _PLAIN[name], []
    for a, b in zip(first, second):
        if a < 0 and b < 0:
            result.append(-1 - plain(-1 - a, -1 - b))
        elif a == b:
            result.append(-1 if name == "bitwise_xor" else a)
        elif -1 in (a, b) and name != "bitwise_and":
            result.append(b if a == -1 else a)
        elif -1 in (a, b) or (-256 in (a, b) and name == "bitwise_and"):
            result.append(-1 if -1 in (a, b) else b if a == -256 else a)
        elif -256 in (a, b) and name == "bitwise_or":
            result.append(-256)
        else:
            return None
    return tuple(result)


def _units(a: Any, b: Any, size: int) -> list[int]:
    """Return the element sizes that both operands consist of, the largest last, if they are aligned; otherwise the
    given size."""
    found = set()
    for each in (a, b):
        if isinstance(each, Lanes):
            found |= set((each.raw[each.raw >= 0] >> 4 & 3).tolist())
        elif np.ndim(each) == 0:
            return [size]
    units = [1 << each for each in sorted(found)] or [size]
    shape: tuple[int, ...] = (a if isinstance(a, Lanes) else b).shape
    return units if units[-1] < size or (shape and shape[-1] * size % units[-1] == 0) else [size]


def _part_by_part(name: str, a: Any, b: Any, dtype: np.dtype[Any], unit: int) -> Lanes | None:
    """Apply an operation block by block, each with the element size that it consists of. An undefined register consists
    of larger elements than the values computed beside it. Return None if all blocks consist of the same size."""
    table = table_of([a, b])
    given = [Lanes(raw_of(each, dtype), dtype, table) for each in np.broadcast_arrays(a, b)]
    blocks = [each.copy().view(f"u{unit}") for each in given]
    raws = [each.raw for each in blocks]
    sizes = np.max([np.where(raw >= 0, raw >> 4 & 3, 0).max(axis=-1) for raw in raws], axis=0)
    if (sizes == sizes.flat[0]).all():
        return None
    made = np.empty_like(raws[0])
    for each in np.unique(sizes).tolist():
        chosen, own = sizes == each, f"u{1 << each}"
        parts = [Lanes(raw[chosen], blocks[0].dtype, table).view(own) for raw in raws]
        made[chosen] = raw_of(getattr(np, name)(*parts), own).reshape(-1, unit)
    return Lanes(made, blocks[0].dtype, table).view(dtype)


def _bitwise(name: str) -> Callable[[Any, Any], Lanes | None]:
    """Return a handler of AND, OR and XOR of vectors in which each byte is moved or becomes constant."""

    def function(a: Any, b: Any) -> Lanes | None:
        dtype = a.dtype if isinstance(a, Lanes) else b.dtype
        if dtype.kind not in "iu":
            return None
        units = _units(a, b, dtype.itemsize)
        unit = units[-1]
        if len(units) > 1 and (made := _part_by_part(name, a, b, dtype, unit)) is not None:
            return made
        if unit != dtype.itemsize:
            parts = [each.copy().view(f"u{unit}") for each in np.broadcast_arrays(a, b)]
            return getattr(np, name)(*parts).view(dtype)  # type: ignore[no-any-return]
        x, y = np.broadcast_arrays(raw_of(a, dtype), raw_of(b, dtype))
        if x is not y and not ((x < 0) | (y < 0) | (x == y)).all():
            return None
        result = bytewise(name, x.reshape(-1).tolist(), y.reshape(-1).tolist())
        return None if result is None else Lanes(np.array(result, np.int64).reshape(x.shape), dtype, table_of([a, b]))

    return function


def _inverted(a: Any) -> Any:
    """Return the NOT of integers as an exclusive OR with all ones."""
    return a ^ np.full(a.shape, -1, f"i{a.itemsize}").view(a.dtype) if a.dtype.kind in "iu" else None


def _negative_sign(a: Any) -> Any:
    """Return the sign bit of floats as a condition."""
    name = f"u{a.itemsize}"
    return a.view(name) >> np.dtype(name).type(8 * a.itemsize - 1) != np.dtype(name).type(0)


SPECIAL.update(
    signbit=_negative_sign,
    invert=_inverted,
    left_shift=_shifted(True),
    right_shift=_shifted(False),
    bitwise_and=_bitwise("bitwise_and"),
    bitwise_or=_bitwise("bitwise_or"),
    bitwise_xor=_bitwise("bitwise_xor"),
)


@_handles(np.sum)
def _sum(a: Lanes) -> Any:
    return a.sum()
