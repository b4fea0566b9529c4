"""x86-64 machines of kernels that read or write more than 2 GiB from their pointers.

The displacement of an instruction has 32 bits. For an operand beyond them, the assembler computes the address in a
register that nothing else uses, by moves and LEA, which leave the flags unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import MethodType
from typing import Any

from ....encoder import emitter
from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.registers import R64, Far, Reg, mem
from ..x86.core import X86Machine
from .machine import Spilled

_CARRIER = R64[11]  # it carries no argument, and belongs to no caller


class FarX86Assembler(X86Assembler):
    """Computes addresses of far operands. Instructions without them are emitted as usual."""

    def __getattribute__(self, name: str) -> Any:
        """Return an attribute. Instructions are wrapped, and each wrapped one is kept."""
        found = super().__getattribute__(name)
        if type(found) is MethodType and found.__func__.__module__ == emitter.__name__:
            found = self.__dict__[name] = partial(self._emit, found)
        return found

    def _emit(self, emit: Callable[..., None], *operands: Any) -> None:
        far = next((operand for operand in operands if isinstance(operand, Far)), None)
        if far is None:
            emit(*operands)
            return
        self.mov(_CARRIER, far.disp)
        if far.base is not None:
            self.lea(_CARRIER, mem(far.base, 0, _CARRIER))
        emit(*[operand.near(_CARRIER) if operand is far else operand for operand in operands])


class FarX86(Spilled, X86Machine):
    """A machine that reserves the register of far addresses."""

    reserved = (_CARRIER,)
    values = 0
    memory = ()

    @staticmethod
    def is_virtual(register: Any) -> bool:
        """No: all values are in registers."""
        return False

    def pattern(self, emit: Callable[[], None], bases: Sequence[Reg]) -> None:
        """Emit the instructions. There is no pattern of instructions whose displacements may be far."""
        emit()
