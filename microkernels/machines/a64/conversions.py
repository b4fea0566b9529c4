"""The stored types that AArch64 converts from and to; neon_conversions and sve_conversions emit the instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...contract.machine import Vector
from ...dtypes import FLOAT8
from .core import A64Address
from .lanes import A64Lanes

Load = Callable[[Any, Vector, A64Address, A64Lanes], None]
Store = Callable[[Any, A64Address, Vector, A64Lanes, Any], None]

_WHOLE = ("i8", "u8", "i16", "u16")
_SHORT = (*_WHOLE, "bf16", "f16", *FLOAT8)


def _load_same(m: Any, register: Vector, address: A64Address, lanes: A64Lanes) -> None:
    """Load without conversion, because the expression contains it."""
    m.load(register, address, lanes)


def _store_same(m: Any, address: A64Address, register: Vector, lanes: A64Lanes, spare: Any) -> None:
    """Store without conversion, because the expression contains it."""
    m.store(address, register, lanes)


def loads(widening: Callable[[str, str], Load]) -> dict[tuple[str, str], Load]:
    """Map (stored type, computed type) to a load; `widening` makes the loads that convert."""
    pairs = [
        *((storage, compute) for storage in _SHORT for compute in ("f32", "f64")),
        *((storage, compute) for storage in _WHOLE for compute in ("i32", "i64")),
        *(("f32", "f64"), ("i32", "f64"), ("i32", "i64")),
    ]
    same = dict.fromkeys((("i32", "f32"), ("i64", "f64")), _load_same)
    return {**{pair: widening(*pair) for pair in pairs}, **same}


def stores(narrowing: Callable[[str, str], Store]) -> dict[tuple[str, str], Store]:
    """Map (stored type, computed type) to a store; `narrowing` makes the stores that convert."""
    pairs = [
        *((storage, compute) for storage in _SHORT for compute in ("f32", "i32", "f64", "i64")),
        *((storage, compute) for storage in ("f32", "i32") for compute in ("f64", "i64")),
    ]
    same = dict.fromkeys((("i32", "f32"), ("f32", "i32"), ("i64", "f64"), ("f64", "i64")), _store_same)
    return {**{pair: narrowing(*pair) for pair in pairs}, **same}


WIDER = (("f64", "f32"), ("f64", "i32"), ("i64", "i32"))
"""Stores of elements twice as wide as the computed ones."""
