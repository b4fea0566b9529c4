"""Types that AArch64 loads and stores beside the computed one: which there are (neon_storage, sve_storage say how)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dtypes import FLOAT8
from ..machine import Lanes, Vector
from .a64 import A64Address

Load = Callable[[Any, Vector, A64Address, Lanes], None]
Store = Callable[[Any, A64Address, Vector, Lanes, Any], None]

_WHOLE = ("i8", "u8", "i16", "u16")
_SHORT = (*_WHOLE, "bf16", "f16", *FLOAT8)


def _load_same(m: Any, register: Vector, address: A64Address, lanes: Lanes) -> None:
    """The conversion is part of the expression."""
    m.load(register, address, lanes)


def _store_same(m: Any, address: A64Address, register: Vector, lanes: Lanes, spare: Any) -> None:
    """The conversion was part of the expression."""
    m.store(address, register, lanes)


def loads(widening: Callable[[str], Load]) -> dict[tuple[str, str], Load]:
    """(stored type, computed type) -> the load, from the load that widens a stored type."""
    return {
        **{(storage, "f32"): widening(storage) for storage in _SHORT},
        **{(storage, "i32"): widening(storage) for storage in _WHOLE},
        ("f32", "f64"): widening("f32"), ("i32", "f64"): widening("i32"), ("i32", "f32"): _load_same,
    }  # fmt: skip


def stores(narrowing: Callable[[str], Store]) -> dict[tuple[str, str], Store]:
    """(stored type, computed type) -> the store, from the store that narrows to a stored type."""
    return {
        **{(storage, compute): narrowing(storage) for storage in _SHORT for compute in ("f32", "i32")},
        ("f32", "f64"): narrowing("f32"), ("i32", "f64"): narrowing("i32"),
        ("i32", "f32"): _store_same, ("f32", "i32"): _store_same,
    }  # fmt: skip
