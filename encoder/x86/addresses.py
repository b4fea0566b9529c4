"""Memory operands of machines: `mem`, whose equal operands are one object, and `Far` ones, which no instruction
encodes."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import Any

from ..errors import FarDisplacement
from ..operands import Label
from .registers import Mem, Reg

_FIELDS = ("base", "disp", "index", "scale", "size", "broadcast", "mask")
_FIELDS_OF = attrgetter(*_FIELDS)


class Far(Mem):
    """Memory at a displacement that no instruction encodes. Some assemblers compute the address in a register; the
    others raise FarDisplacement."""

    __slots__ = ()

    def __init__(
        self, base: Reg, disp: int, index: Reg | None = None, scale: int = 1, size: int = 0, broadcast: int = 0,
        mask: Reg | None = None,
    ) -> None:  # fmt: skip
        self.base, self.disp, self.index, self.scale = base, disp, index, scale
        self.size, self.broadcast, self.mask, self.label, self.rip = size, broadcast, mask, None, False

    @property
    def kind(self) -> str:  # type: ignore[override]
        """Raise FarDisplacement: assemblers ask for the kind of an operand that they encode."""
        raise FarDisplacement(f"displacement {self.disp} does not fit 32 bits")

    def near(self, base: Reg, index: Reg | None) -> Mem:
        """The operand with a base that includes the displacement, and the index if that is None."""
        return Mem(base, 0, index, self.scale, self.size, self.broadcast, None, self.mask)

    def _with(self, **change: Any) -> Mem:
        fields = dict(zip(_FIELDS, _FIELDS_OF(self))) | change
        made: type[Mem] = Mem if -0x8000_0000 <= fields["disp"] <= 0x7FFF_FFFF else Far
        return made(**fields)

    def at(self, disp: int, label: Label | None = None) -> Mem:
        """The operand with another displacement."""
        return self._with(disp=disp)


@lru_cache(maxsize=1 << 14, typed=True)
def mem(base: Reg, disp: int = 0, index: Reg | None = None, scale: int = 1, broadcast: int = 0, size: int = 0) -> Mem:
    """The memory operand at base + index * scale + disp. Equal operands are one object, so that they encode fast. A
    displacement may have more than 32 bits, if the assembler knows `Far` operands."""
    if type(disp) is int and not -0x8000_0000 <= disp <= 0x7FFF_FFFF:
        return Far(base, disp, index, scale, size, broadcast)
    if disp != 0:
        return mem(base, 0, index, scale, broadcast, size).at(disp)
    return Mem(base, disp, index, scale, size, broadcast)
