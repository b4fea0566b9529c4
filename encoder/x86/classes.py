"""Operand classes: which operands one place of a form accepts, and why another operand does not fit."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..operands import Label, kind_of
from .registers import IMPLIED, UNENCODED, Mem, Reg, X86Operand

_KINDS = {
    "m": "memory",
    "b": "broadcast",
    "sib": "memory",
    "vx": "gather",
    "vy": "gather",
    "vz": "gather",
    "i": "signed",
    "u": "bits",
    "rel": "branch",
}
"""The kinds of classes whose names are these letters and a size in bits."""
_DIGITS = "0123456789"
_VIRTUAL = "names a virtual register, which only its own function takes"


class OperandClass:
    """The operands that one place of a form accepts, e.g. zmm{kz}, m512, b32, i8."""

    __slots__ = (
        "name",
        "kind",
        "size",
        "mask",
        "file",
        "high",
        "count",
        "distinct",
        "touches_memory",
        "checked",
        "width",
        "_taken",
    )

    def __init__(self, name: str, mask: str, high: bool, vector_bits: int, distinct: bool, width: int) -> None:
        self._taken: dict[str, bool] = {}  # keyed by kind of operand
        self.name = name
        self.mask = mask  # "", "k" or "kz"
        self.high = high  # whether registers 16..31 are accepted (EVEX)
        self.distinct = distinct  # whether it must differ from the other register operands of the same file
        self.size = 0  # bits of memory or of an immediate
        self.width = width  # bits to which a signed immediate is extended; 0 if no operand beside it says so
        self.count = 0  # elements that a broadcast fills
        self.file = ""
        letters = name.rstrip(_DIGITS)
        if letters in _KINDS:
            self.kind = _KINDS[letters]
            self.size = int(name[len(letters) :] or 0)
            self.file = letters[1] if self.kind == "gather" else ""
        elif name == "1":
            self.kind = "one"
        else:
            self.kind, self.file = "register", "k" if name == "pair" else name
        if self.kind == "broadcast":
            self.count = vector_bits // self.size
        self.touches_memory = self.kind in ("memory", "broadcast", "gather")
        # whether operands of the same kind may differ in whether they fit
        self.checked = distinct or name in ("pair", "sib")

    def takes(self, operand: Any) -> bool:
        """Whether the operand fits. Operands of equal kinds are interchangeable, so the answer is cached."""
        if self.checked:
            return not self.problem(operand)
        kind = kind_of(operand, X86Operand)
        taken = self._taken.get(kind)
        if taken is None:
            taken = self._taken[kind] = not self.problem(operand)
        return taken

    def problem(self, operand: Any) -> str:
        """Why the operand does not fit; empty if it does."""
        if self.kind == "register":
            return self._register_problem(operand)
        if self.touches_memory:
            return self._memory_problem(operand)
        if self.kind == "branch":
            return self._branch_problem(operand)
        if type(operand) is not int:
            return "is not a Python integer"
        return self._immediate_problem(operand)

    def _register_problem(self, operand: Any) -> str:
        if not isinstance(operand, Reg):
            return self._wanted_register()
        if UNENCODED in operand.kind:
            return _VIRTUAL
        if self.file in IMPLIED:
            return "" if operand.name == self.file and operand.mask is None else f"must be {self.file}"
        if operand.file != self.file:
            return self._wanted_register()
        if operand.num > 15 and not self.high:
            return "is a register above 15, which needs an EVEX encoding"
        if self.name == "pair" and operand.num % 2:
            return "is odd: an even mask register and the next one are written"
        return self._mask_problem(operand)

    def _wanted_register(self) -> str:
        return f"is not {'an' if self.file[0] in 'rx' else 'a'} {self.file} register"

    def _mask_problem(self, operand: Reg | Mem) -> str:
        if operand.mask is None:
            return ""
        if not self.mask:
            return "cannot be masked here"
        if isinstance(operand, Reg) and operand.zeroing and self.mask == "k":
            return "cannot be zero-masked here"
        return ""

    def _memory_problem(self, operand: Any) -> str:
        if not isinstance(operand, Mem):
            return "is not memory"
        if UNENCODED in operand.kind:
            return _VIRTUAL
        if bool(operand.broadcast) != (self.kind == "broadcast"):
            return "is not a broadcast" if self.kind == "broadcast" else "cannot be broadcast"
        if operand.broadcast > 1 and operand.broadcast != self.count:
            return f"is broadcast to {operand.broadcast}, {self.count} elements are needed"
        vector = operand.index is not None and operand.index.file != "r64"
        if vector != (self.kind == "gather"):
            return "needs a vector index" if self.kind == "gather" else "has a vector index, which is for gathers"
        if self.kind == "gather" and operand.index is not None:
            if operand.index.file[0] != self.file:
                return f"needs its index in a {self.file}mm register"
            if operand.index.num > 15 and not self.high:
                return "has an index above 15, which needs an EVEX encoding"
        if self.name == "sib" and operand.index is None:
            return "needs an index register: the distance of rows"
        if self.size and operand.size not in (0, self.size):
            return f"has {operand.size} bits, {self.size} are accessed"
        return self._mask_problem(operand)

    @staticmethod
    def _branch_problem(operand: Any) -> str:
        if type(operand) is int:
            return "" if -0x8000_0000 <= operand <= 0x7FFF_FFFF else "is a distance that does not fit 32 bits"
        return "" if isinstance(operand, Label) else "is not a label"

    def _immediate_problem(self, value: int) -> str:
        if self.kind == "one":
            return "" if value == 1 else "must be 1"
        low = -(1 << self.size - 1)
        high = (1 << self.size) - 1 if self.kind == "bits" or self.width == self.size else -low - 1
        if low <= value <= high or low <= value - (1 << self.width) < 0:
            return ""
        unsigned = f", or unsigned bits of such a number in {self.width} bits" if self.width > self.size else ""
        return f"must be from {low} to {high}{unsigned}"

    def __repr__(self) -> str:
        return self.name + (f"{{{self.mask}}}" if self.mask else "")


@cache
def operand_class(name: str, mask: str, high: bool, vector_bits: int, distinct: bool, width: int) -> OperandClass:
    """Return the one object for a class. `vector_bits` is the width of the vector that a broadcast fills, `width` that
    of the operand beside a signed immediate."""
    return OperandClass(name, mask, high, vector_bits, distinct, width)
