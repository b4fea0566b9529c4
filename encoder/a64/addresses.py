"""Slots of memory operands and of the matrix array ZA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import EncodeError
from ..fields import Split
from ..form import Names
from . import registers as regs
from .registers import EXTENDS, Mem, Slice, parts
from .slots import Choice, FormSlot, width


class ZaSlice(FormSlot):
    """Elements of ZA selected by a register and an offset."""

    def __init__(
        self,
        text: str,
        make: Callable[[int, regs.Operand, Any], Slice],
        tile: Split | None,
        index: Choice,
        offset: Split | None,
        span: int,
    ) -> None:
        super().__init__(text)
        self.make, self.tile, self.index, self.offset, self.span = make, tile, index, offset, span
        self.kind = make(0, index.choices[0], self._place(0)).kind

    def _place(self, raw: int) -> Any:
        first = raw * self.span
        return slice(first, first + self.span - 1) if self.span > 1 else first

    def encode(self, operand: Any) -> int:
        if not isinstance(operand, Slice) or operand.kind != self.kind:
            raise EncodeError(f"is not {self.text}")
        raw, rest = divmod(operand.first, self.span)
        limit = 1 << width(self.offset) if self.offset else 1
        tiles = 1 << width(self.tile) if self.tile else 1
        if rest or not 0 <= raw < limit or operand.num >= tiles:
            step = f" in steps of {self.span}" if self.span > 1 else ""
            which = f", a tile from 0 to {tiles - 1}" if self.tile else ""
            raise EncodeError(f"needs an offset from 0 to {(limit - 1) * self.span}{step}{which}")
        if operand.index not in self.index.codes:
            raise EncodeError(f"needs its index in {self.index.wanted}")
        code = self.index.encode(operand.index) | (self.offset.insert(raw) if self.offset else 0)
        return code | (self.tile.insert(operand.num) if self.tile else 0)

    def decode(self, word: int) -> Any:
        tile = self.tile.extract(word) if self.tile else 0
        return self.make(tile, self.index.decode(word), self._place(self.offset.extract(word) if self.offset else 0))


class Braced(FormSlot):
    """An operand that assembly writes in braces: {za0h.s[w12, 0]}."""

    def __init__(self, slot: FormSlot) -> None:
        super().__init__(f"{{{slot.text}}}")
        self.slot = slot

    def encode(self, operand: Any) -> int:
        return self.slot.encode(operand)

    def decode(self, word: int) -> Any:
        return self.slot.decode(word)

    def show(self, operand: Any, names: Names) -> str:
        return f"{{{self.slot.show(operand, names)}}}"


class AddressSlot(FormSlot):
    """An address: a base, and an offset slot that matches the kind of its mode."""

    def __init__(self, text: str, base: Choice, offset: FormSlot | None, mode: str) -> None:
        super().__init__(text)
        self.base, self.offset, self.mode = base, offset, mode

    def encode(self, operand: Any) -> int:
        if not isinstance(operand, Mem):
            raise EncodeError("is not memory")
        if operand.mode != self.mode and not (self.offset is None and operand.offset == 0 and not operand.mode):
            raise EncodeError(f"is not of the form {self.text}")
        if operand.base not in self.base.codes:
            raise EncodeError(f"needs a base that is {self.base.wanted}")
        code = self.base.encode(operand.base)
        if self.offset is None:
            if operand.offset != 0:
                raise EncodeError("cannot have an offset here")
            return code
        try:
            return code | self.offset.encode(operand.offset)
        except EncodeError as error:
            raise EncodeError(f"has an offset that {error}") from None

    def decode(self, word: int) -> Any:
        base = self.base.decode(word)
        offset = 0 if self.offset is None else self.offset.decode(word)
        return None if base is None or offset is None else regs._mem(base, offset, self.mode)


class Lengths(FormSlot):
    """An offset in vector lengths: [x0, #2, mul vl]. An offset of 0 may be omitted."""

    def __init__(self, number: FormSlot) -> None:
        super().__init__(f"{number.text}, mul vl")
        self.number = number

    def encode(self, operand: Any) -> int:
        if type(operand) is int and operand == 0:
            return self.number.encode(0)
        if not isinstance(operand, regs.Operand) or operand.kind != "vl":
            raise EncodeError("counts vector lengths: write 2 * vl")
        return self.number.encode(operand.num)

    def decode(self, word: int) -> Any:
        count = self.number.decode(word)
        return count * regs.vl if count else 0


class IndexRegister(FormSlot):
    """A register offset, extended or shifted by 0 or by the size of the access. It uses the fields option and S."""

    def __init__(
        self, text: str, wide: Choice, narrow: Choice, option: Split, scaled: Split | None, shift: int
    ) -> None:
        super().__init__(text)
        self.wide, self.narrow, self.option, self.scaled, self.shift = wide, narrow, option, scaled, shift

    def encode(self, operand: Any) -> int:
        reg, op, amount = parts(operand)
        is_wide = isinstance(reg, regs.Operand) and reg.kind in ("x", "xzr")
        if op not in (("lsl", "sxtx") if is_wide else ("uxtw", "sxtw")) or amount not in (0, self.shift):
            allowed = " or ".join(f"#{n}" for n in sorted({0, self.shift}))
            raise EncodeError(f"must be an x register under lsl, sxtx or a w register under uxtw, sxtw, by {allowed}")
        code = (self.wide if is_wide else self.narrow).encode(reg)
        code |= self.option.insert(3 if op == "lsl" else EXTENDS.index(op))
        return code | (self.scaled.insert(1) if amount and self.scaled else 0)

    def decode(self, word: int) -> Any:
        option = self.option.extract(word)
        amount = self.shift if self.scaled and self.scaled.extract(word) else 0
        if option not in (2, 3, 6, 7):
            return None
        reg = (self.wide if option & 1 else self.narrow).decode(word)
        if option == 3:
            return reg.lsl(amount) if amount else reg
        return reg._shifted(EXTENDS[option], amount)


class Vectors(FormSlot):
    """A shifted or extended register or vector. Amount and operation are fixed, or chosen by a bit."""

    def __init__(
        self, text: str, plain: Choice, ops: tuple[str, ...], op: Split | None, amount: FormSlot | int
    ) -> None:
        super().__init__(text)
        self.plain, self.ops, self.op, self.amount = plain, ops, op, amount

    def encode(self, operand: Any) -> int:
        reg, op, amount = parts(operand)
        fixed = self.amount if isinstance(self.amount, int) else None
        if op not in self.ops or (fixed is not None and amount != fixed):
            raise EncodeError(f"must be {self.text}")
        code = self.plain.encode(reg)
        code |= self.op.insert(self.ops.index(op)) if self.op else 0
        return code | (self.amount.encode(amount) if isinstance(self.amount, FormSlot) else 0)

    def decode(self, word: int) -> Any:
        reg, op = self.plain.decode(word), self.ops[self.op.extract(word) if self.op else 0]
        amount = self.amount.decode(word) if isinstance(self.amount, FormSlot) else self.amount
        return reg if reg is None or (op, amount) == ("lsl", 0) else reg._shifted(op, amount)


class ZeroedTiles(FormSlot):
    """The tiles that `zero` clears: one bit for each 64-bit tile. za0.s is za0.d and za4.d; all tiles are `{za}`."""

    def __init__(self, text: str, field: Split) -> None:
        super().__init__(text)
        self.field = field

    def encode(self, operand: Any) -> int:
        if operand is regs.za:
            return self.field.insert(255)
        if not isinstance(operand, regs.TileList):
            raise EncodeError("is not `tiles(...)`, nor za")
        mask = 0
        for tile in operand.regs:
            step = {"b": 1, "h": 2, "s": 4, "d": 8}.get(tile.element, 0)
            if tile.num >= step:
                raise EncodeError(f"names {tile}, which is no tile")
            mask |= sum(1 << at for at in range(tile.num, 8, step))
        return self.field.insert(mask)

    def decode(self, word: int) -> Any:
        mask = self.field.extract(word)
        named = [regs.ZA[at].d for at in range(8) if mask >> at & 1]
        return regs.za if mask == 255 else regs.tiles(*named)

    def show(self, operand: Any, names: Names) -> str:
        return "{za}" if operand is regs.za else names(operand)
