"""Requests as text: the keys of kernels in the cache on disk, and their descriptions in a folder of frozen kernels.

    text = text_of(spec)        a Python literal: classes by their names, fields in order, floats in hexadecimal
    value_of(text) == spec      in kernel/texts.py, which knows the classes

Equal requests give equal texts, different ones different texts.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

FLOAT, SET, ENUMERATION = "float", "set", "enum"


def text_of(value: Any) -> str:
    """Return the text of a spec, a target, or one of their fields. Raises TypeError for any other value."""
    return repr(_data(value))


def _data(value: Any) -> Any:
    kind: Any = type(value)
    if value is None or kind in (str, int, bool):
        return value
    if kind is float:
        return {FLOAT: value.hex()}
    if kind is tuple:
        return [_data(each) for each in value]
    if kind is frozenset:
        return {SET: sorted(value)}
    if isinstance(value, Enum):
        return {ENUMERATION: f"{kind.__name__}.{value.name}"}
    return {kind.__name__: [_data(getattr(value, name)) for name in _names(kind)]}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """Return the fields of a dataclass or of a named tuple."""
    if is_dataclass(kind):
        return tuple(each.name for each in fields(kind))
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return tuple(kind._fields)
    raise TypeError(f"request: numbers, strings and None, no {kind.__name__}")
