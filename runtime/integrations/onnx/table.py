"""All operators, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from . import (
    attending,
    byte_products,
    casting,
    indexing,
    integers,
    moving,
    pointwise,
    products,
    quantizing,
    recurrent,
    reducing,
    resizing,
    windows,
)
from .call import OnnxRow

_ROWS = (
    *attending.ROWS,
    *byte_products.ROWS,
    *casting.ROWS,
    *indexing.ROWS,
    *integers.ROWS,
    *moving.ROWS,
    *pointwise.ROWS,
    *products.ROWS,
    *quantizing.ROWS,
    *recurrent.ROWS,
    *reducing.ROWS,
    *resizing.ROWS,
    *windows.ROWS,
)
DOMAINS = {"ai.onnx": ""}
"""Other spellings of domains."""


def _by_name() -> Mapping[tuple[str, str], tuple[OnnxRow, ...]]:
    found: dict[tuple[str, str], tuple[OnnxRow, ...]] = {}
    for row in _ROWS:
        key = (row.domain, row.name)
        found[key] = (*found.get(key, ()), row)
    return MappingProxyType(found)


OPERATORS = _by_name()
"""The rows of each operator, by its domain and name."""


def rows_of(domain: str, operator: str, version: int) -> tuple[OnnxRow, ...]:
    """Return the rows that compute an operator as a version of the operator set defines it."""
    rows = OPERATORS.get((DOMAINS.get(domain, domain), operator), ())
    return tuple(row for row in rows if row.since <= version < row.until)


indexing.BINARY.update({"add": pointwise.ADD, "mul": integers.MUL, "max": pointwise.MAX, "min": pointwise.MIN})
