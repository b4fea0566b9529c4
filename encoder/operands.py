"""Operands that both architectures share: registers and labels are small immutable values.

Every operand has a `kind`, the key by which an emitter finds the form of an instruction: two operands of the same kind
are interchangeable in every instruction. Plain Python integers are immediates; `int_kind` classifies them.
"""

from __future__ import annotations

from typing import Any, Protocol


class Operand(Protocol):
    """Anything an instruction takes, apart from plain integers."""

    @property
    def kind(self) -> str: ...


class Label:
    """A place in the code or the constant pool, bound once by the assembler."""

    __slots__ = ("name", "offset")
    kind = "label"

    def __init__(self, name: str) -> None:
        self.name = name
        self.offset: int | None = None

    def __repr__(self) -> str:
        return self.name


# Upper bound (exclusive) and name of each class of immediates, tightest first.
_INT_KINDS = tuple(
    (low, high, kind)
    for bits in (8, 16, 32, 64)
    for low, high, kind in (
        (-(1 << bits - 1), 1 << bits - 1, f"i{bits}"),
        (0, 1 << bits, f"u{bits}"),
    )
)


def int_kind(value: int) -> str:
    """The tightest class of an immediate: "one", "i8", "u8", "i16"... (1 is its own class: shifts encode it apart)."""
    if value == 1:
        return "one"
    for low, high, kind in _INT_KINDS:
        if low <= value < high:
            return kind
    return "wide"


def kind_of(operand: Any) -> str:
    """The dispatch kind of any operand, integers included."""
    if isinstance(operand, int):
        return int_kind(operand)
    kind = getattr(operand, "kind", None)
    return kind if isinstance(kind, str) else type(operand).__name__
