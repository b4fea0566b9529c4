"""The units that an AArch64 instruction names, and the roles that its row gives them.

A unit is read or written as a whole: x5, z3 (of which v3, s3 and v3.s[1] are parts), p2, za, zt0, memory, and the
implicit units nzcv, ffr, sp and x30. Roles: r read, w written, x both.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from tilesmith.encoder.a64.registers import Element, Mem, RegList, Shifted, Slice, View
from tilesmith.encoder.table import Row

IMPLICIT = ("nzcv", "ffr", "sp", "x30")
"""The units that the effects column may name, apart from those in the list of unexecuted instructions."""
_VECTORS = ("b", "h", "s", "d", "q", "v", "z")


class Named(NamedTuple):
    """The units that one operand names: `data` are those to which its role applies, `places` the registers of its
    address."""

    data: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()  # the registers in `places` that an access updates


@cache
def named(operand: Any) -> Named:
    """Return the units of one operand; an immediate, a label or a condition has none."""
    if isinstance(operand, Mem):
        places = named(operand.base).data + (() if isinstance(operand.offset, int) else named(operand.offset).data)
        return Named(("memory",), places, named(operand.base).data if operand.mode else ())
    if isinstance(operand, Slice):
        inside = f"p{operand.num}" if operand.kind[0] == "p" else "za"
        return Named((inside,), named(operand.index).data)
    return Named(_units(operand))


def _units(operand: Any) -> tuple[str, ...]:
    if isinstance(operand, Shifted):
        return _units(operand.reg)
    if isinstance(operand, RegList):
        return tuple(unit for reg in operand.regs for unit in _units(reg))
    if isinstance(operand, Element):
        return _units(operand.of)
    if isinstance(operand, View):
        return _units(operand.reg)
    kind = getattr(operand, "kind", "")
    if kind == "sysreg":
        return (str(operand),)
    if kind in ("sp", "wsp"):
        return ("sp",)
    if kind in ("x", "w"):
        return (f"x{operand.num}",)
    if kind in ("p", "pn", "p/m", "p/z", "pn/m", "pn/z"):
        return (f"p{operand.num}",)
    if kind in _VECTORS:
        return (f"z{operand.num}",)
    return ("zt0",) if kind == "zt0" else ("za",) if kind.startswith(("za", "{tiles")) else ()


def effects(row: Row) -> dict[str, str]:
    """Return the roles in the effects column of a row, keyed by unit."""
    found: dict[str, str] = {}
    for part in row.effects.split():
        role, _, names = part.partition(":")
        found.update(dict.fromkeys(names.split(","), role))
    return found
