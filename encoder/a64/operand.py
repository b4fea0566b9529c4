"""The base classes of AArch64 operands: names and kinds, shifts and extensions, elements. The registers:
registers.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, SupportsIndex, TypeVar, overload

from ..errors import EncodeError, shown
from ..operands import Unique, integer

SHIFTS = ("lsl", "lsr", "asr", "ror")
"""Shift kinds, indexed by their encoding."""
EXTENDS = ("uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx")
"""Extensions, indexed by their encoding."""
ELEMENT_BITS = {"b": 8, "h": 16, "s": 32, "d": 64, "q": 128}


def one_of(names: Iterable[str], name: str, what: str) -> str:
    """Return the name. Raises EncodeError unless it is one of `names`; `what` describes them, such as "an element"."""
    if type(name) is not str or name not in names:
        raise EncodeError(f"{shown(name)}: {what} is one of {', '.join(names)}")
    return name


def all_are(kind: type[Operand], operands: tuple[Any, ...], what: str) -> None:
    """Raise EncodeError for the first operand of another class."""
    for operand in operands:
        if not isinstance(operand, kind):
            raise EncodeError(f"{shown(operand)}: is not a {what}")


class Operand(Unique):
    """The base class of operands: text, and the kind that selects a form."""

    __slots__ = ("name", "kind", "num", "_made")

    def __init__(self, name: str, kind: str, num: int) -> None:
        self.name, self.kind, self.num = name, kind, num
        self._made: dict[Any, Any] = {}

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the operand derived from this one under a key, made once."""
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = make()
        return found

    @property
    def lasts(self) -> bool:
        """Whether it names no virtual register, so that what is derived from it may be kept for good."""
        return self.num != -1 or self.kind == "vl"

    def __repr__(self) -> str:
        return self.name


class Shifted(Operand):
    """A register under a shift or an extension."""

    __slots__ = ("reg", "op", "amount")

    def __init__(self, reg: Operand, op: str, amount: int) -> None:
        written = f" #{shown(amount)}" if amount or op in SHIFTS else ""
        super().__init__(f"{reg.name}, {op}{written}", f"{reg.kind} {op}", reg.num)
        self.reg, self.op, self.amount = reg, op, amount


def parts(operand: Any, plain: str = "lsl") -> tuple[Any, str, int]:
    """Return register, operation and amount of a register that may be shifted. `plain` is the operation of an unshifted
    one."""
    return (operand.reg, operand.op, operand.amount) if isinstance(operand, Shifted) else (operand, plain, 0)


class Shiftable(Operand):
    """A register that may be shifted or extended."""

    __slots__ = ()

    def _shifted(self, op: str, amount: int) -> Shifted:
        if type(amount) is not int:
            amount = integer(amount, f"{self}, {op}")
        found: Shifted = self._once((op, amount), lambda: Shifted(self, op, amount))
        return found

    def lsl(self, amount: int) -> Shifted:
        """The register shifted left."""
        return self._shifted("lsl", amount)

    def uxtw(self, amount: int = 0) -> Shifted:
        """The low 32 bits, zero-extended, then shifted left."""
        return self._shifted("uxtw", amount)

    def sxtw(self, amount: int = 0) -> Shifted:
        """The low 32 bits, sign-extended, then shifted left."""
        return self._shifted("sxtw", amount)


class General(Shiftable):
    """A general register."""

    __slots__ = ()

    def lsr(self, amount: int) -> Shifted:
        """The register shifted right, shifting in zeros."""
        return self._shifted("lsr", amount)

    def asr(self, amount: int) -> Shifted:
        """The register shifted right, shifting in sign bits."""
        return self._shifted("asr", amount)

    def ror(self, amount: int) -> Shifted:
        """The register rotated right."""
        return self._shifted("ror", amount)

    def extended(self, op: str, amount: int = 0) -> Shifted:
        """The register extended by one of EXTENDS, then shifted left."""
        return self._shifted(one_of(EXTENDS, op, "an extension"), amount)


class Element(Operand):
    """One element of a vector or list: v0.s[1], z0.d[0], { v0.s }[1]."""

    __slots__ = ("of", "index")

    def __init__(self, of: Operand, index: int) -> None:
        super().__init__(f"{of.name}[{shown(index)}]", f"{of.kind}[]", of.num)
        self.of, self.index = of, index


class Indexable(Operand):
    """An operand that has numbered elements."""

    __slots__ = ()

    def __getitem__(self, index: int) -> Element:
        if type(index) is not int:
            index = integer(index, f"{self}: element")
        found: Element | None = self._made.get(index)
        if found is None:
            found = self._made[index] = Element(self, index)
        return found


_O = TypeVar("_O", bound=Operand)


class Bank(tuple[_O, ...]):
    """Registers by number, and the parts of virtual registers: `W[i]`. A number that no register has, -1 among them, is
    an IndexError that says which there are."""

    __slots__ = ()

    @overload
    def __getitem__(self, place: SupportsIndex | Operand) -> _O: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[_O, ...]: ...

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, Operand) and hasattr(place, "part"):
            return place.part(tuple.__getitem__(self, 0).kind)
        if not isinstance(place, slice) and not 0 <= integer(place, "register") < len(self):
            first, last = tuple.__getitem__(self, 0), tuple.__getitem__(self, -1)
            others = {"x": ", xzr and sp", "w": ", wzr and wsp"}.get(first.kind, "")
            raise IndexError(f"register {place}: there are {first!r} to {last!r}{others}")
        return super().__getitem__(place)
