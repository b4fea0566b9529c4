"""x86-64 machines whose further general registers are words of the stack frame, and whose operands may be far away.

The displacement of an instruction has 32 bits. The address of an operand beyond them is computed in a carrier, by moves
and LEA, which leave the flags unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from ....encoder.asm import Assembler
from ....encoder.errors import EncodeError
from ....encoder.features import Target
from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.registers import R32, R64, Far, Mem, Reg, dword, mem
from ....encoder.x86.virtual import Virtual, carried, effect, numbers, virtual
from ...contract.machine import STACK_PAGE, Slot
from ..x86.core import FURTHER_SLOTS, RED_ZONE_SLOTS, X86Machine
from .assembler import SpillingAssembler
from .machine import Spilled

_CARRIERS = (10, 11)  # they carry no arguments, and belong to no caller


class SpillingX86(SpillingAssembler, X86Assembler):
    """An instruction on one virtual register takes its word as a memory operand where there is such a form."""

    _left: Sequence[int] = _CARRIERS

    def carriers(self) -> Sequence[int]:
        """r10 and r11, or only r10 while r11 holds an address."""
        return self._left

    def _emit(self, emit: Callable[..., None], *operands: object) -> None:
        far = next((operand for operand in operands if isinstance(operand, Far)), None)
        if far is None:
            super()._emit(emit, *operands)
            return
        alone = not any([*self.numbers(operand)] for operand in operands if operand is not far)
        near = self._near(far, alone)
        self._left = _CARRIERS[:1]
        super()._emit(emit, *[near if operand is far else operand for operand in operands])
        self._left = _CARRIERS

    def _near(self, far: Far, alone: bool) -> Mem:
        """Return the operand at an address that r11 holds. `alone` says that no other operand needs r10; it then holds
        a virtual index, which tiles take as the distance of their rows."""
        other, address = (R64[each] for each in _CARRIERS)
        if self.observer is not None and (numbers := [*self.numbers(far)]):
            self.observer(numbers)
        assert far.base is not None, "machines address operands by a base"
        self.mov(address, far.disp)
        self.lea(address, mem(self._held(far.base, other), 0, address))
        if alone and far.index is not None:
            return far.near(address, self._held(far.index, other))
        if isinstance(far.index, Virtual):
            self.lea(address, mem(address, 0, self._held(far.index, other), far.scale))
            return far.near(address, None)
        return far.near(address, far.index)

    def _held(self, register: Reg, carrier: Reg) -> Reg:
        """Return the register, or a carrier with its value if it is virtual."""
        if isinstance(register, Virtual):
            self.load_word(carrier.num, register.number)
            return carrier
        return register

    numbers, carried, effect = staticmethod(numbers), staticmethod(carried), staticmethod(effect)

    def _from_memory(self, emit: Callable[..., None], operands: Sequence[Any], named: Sequence[Sequence[int]]) -> bool:
        places = [at for at, numbers in enumerate(named) if numbers]
        operand = operands[places[0]]
        alone = len(places) == 1 and isinstance(operand, Virtual) and operand.width == 64
        if not alone or any(isinstance(each, Mem) for each in operands):
            return False
        taken = [self.word_of(operand.number) if at == places[0] else each for at, each in enumerate(operands)]
        try:
            self._form(emit, taken)
        except EncodeError:
            return False
        emit(*taken)
        return True

    def load_word(self, carrier: int, number: int) -> None:
        """Emit mov."""
        self.mov(R64[carrier], self.word_of(number))

    def store_word(self, number: int, carrier: int) -> None:
        """Emit mov."""
        self.mov(self.word_of(number), R64[carrier])


_RSP = R64[4]


class SpilledX86(Spilled, X86Machine):
    """The whole frame is claimed at entry: slots as in a kernel that has scratch memory, and for each virtual register
    one more slot, in which it may be kept, and its own word. The word of the first one is at rsp, so that addresses
    of the first words take one byte."""

    reserved = tuple(R64[number] for number in _CARRIERS)

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self._slots = RED_ZONE_SLOTS + FURTHER_SLOTS + self.values
        self._free_slots = list(range(self._slots, 0, -1))
        cast(SpillingX86, asm).word_of = lambda number: self._place(Slot(self._slots + self.values - number))

    @staticmethod
    def is_virtual(register: object) -> bool:
        """Whether the value of a register lies in memory."""
        return isinstance(register, Virtual)

    @staticmethod
    def virtual(number: int) -> Virtual:
        """The virtual register of this number."""
        return virtual(number)

    def pattern(self, emit: Callable[[], None], bases: Sequence[Reg]) -> None:
        """Emit the instructions. There is no pattern of instructions whose bases may be carriers."""
        emit()

    def enter(self, vectors: int) -> None:
        """Claim the frame after the comparison of the rounding mode."""
        super().enter(vectors)
        self.note("values beyond the registers are in the stack frame")
        frame = 8 * (self._slots + self.values)
        self.asm.sub(_RSP, frame)
        self._frame = frame
        for page in range(frame // STACK_PAGE * STACK_PAGE, 0, -STACK_PAGE):
            self.asm.test(dword[_RSP + page], R32[0])
