"""Operands that both architectures share: registers and labels are small immutable values.

Every operand has a `kind`, the key by which an emitter finds the form of an instruction. Two operands of the same kind
are interchangeable in every instruction. Numbers are immediates; `int_kind` classifies integers.

Only this module decides what counts as a number: a Python int or float, or a value that stands for one (a member of an
IntEnum, numpy's integers and floats, a Fraction). Such a value is converted before anything else sees it. A bool is not
a number: True is not 1.
"""

from __future__ import annotations

from math import isnan
from numbers import Real
from operator import index
from typing import Any, Protocol

from .errors import EncodeError, shown


class Operand(Protocol):
    """Anything that an instruction takes, apart from numbers."""

    @property
    def kind(self) -> str: ...


class Unique:
    """An operand that equals only itself, whatever the other side of a comparison claims.

    Operands are keys of the assemblers' caches. A look-up compares identities before it calls `__eq__`, so this costs
    nothing. Without it, an object with a register's hash that claims to equal it would be taken for the register.
    """

    __slots__ = ()
    kind: str

    def __init_subclass__(cls) -> None:
        if {"__eq__", "__hash__"} & vars(cls).keys():
            raise TypeError(f"{cls.__name__}: an operand equals itself alone, it must not say otherwise")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


class Label(Unique):
    """A place in the code or the constant pool, bound once by the assembler."""

    __slots__ = ("name", "offset")
    kind = "label"

    def __init__(self, name: str) -> None:
        self.name = name_of(name, "label")
        self.offset: int | None = None

    def __repr__(self) -> str:
        return self.name


def number(value: Any) -> Any:
    """Return the int or float that a value stands for, or the value itself if it is not a number."""
    kind = type(value)
    if kind is int or kind is float or kind is bool or isinstance(value, Unique):
        return value
    try:
        return index(value)
    except Exception:  # whatever a foreign object raises, it is not an integer
        pass
    try:
        real = float(value) if isinstance(value, Real) else None
        if real is not None and (real == value or isnan(real)):
            return real
    except Exception:  # it is not a real number either
        pass
    return value


def integer(value: Any, what: str) -> int:
    """Return the int that a value stands for. EncodeError names the value, and `what` it should have been."""
    if type(value) is int:
        return value
    found = number(value)
    if type(found) is int:
        return found
    raise EncodeError(f"{what} {shown(value)}: is not a Python integer")


def name_of(value: Any, what: str) -> str:
    """Return a name. Raises EncodeError unless it is a string."""
    if type(value) is str:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    raise EncodeError(f"{what} {shown(value)}: a name is a string")


# Lower bound, upper bound (exclusive) and name of each class of immediates, tightest first. w32_8 holds the negative
# numbers of 8 bits, written as unsigned numbers of 32 bits: 0xFFFFFFF0 means -16 beside an operand of 32 bits.
_INT_KINDS = tuple(
    (low, high, kind)
    for bits in (8, 16, 32, 64)
    for low, high, kind in (
        (-(1 << bits - 1), 1 << bits - 1, f"i{bits}"),
        *(((1 << bits) - (1 << less - 1), 1 << bits, f"w{bits}_{less}") for less in (8, 16, 32) if less < bits),
        (0, 1 << bits, f"u{bits}"),
    )
)


def int_kind(value: int) -> str:
    """The tightest class of an immediate: "one", "i8", "u8", "i16"... (1 is a class of its own: shifts encode it
    differently.)"""
    if value == 1:
        return "one"
    if -128 <= value < 128:  # most are
        return "i8"
    return next((kind for low, high, kind in _INT_KINDS if low <= value < high), "wide")


def kind_of(operand: Any, own: type[Unique]) -> str:
    """The dispatch kind of a number, a label or an architecture's `own` operand; empty for everything else."""
    if type(operand) is int:
        return int_kind(operand)
    if isinstance(operand, (own, Label)):
        return operand.kind
    return "float" if type(operand) is float else ""
