"""General registers, addresses and control of x86-64 under the System V calling convention.

A kernel is a leaf function: general values that do not fit into registers are kept in the 128 bytes below rsp (the red
zone, psABI 3.2.2). rsp moves only for scratch memory, which is below the red zone. The machine itself uses rax.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeAlias

from ....encoder.asm import Assembler
from ....encoder.features import Target
from ....encoder.operands import Label
from ....encoder.x86 import abi, control
from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.forms import pattern
from ....encoder.x86.registers import R32, R64, Mem, Reg, dword, mem
from ....encoder.x86.virtual import lowest
from ...contract.machine import SCRATCH_ALIGNMENT, STACK_PAGE, MachineOf, OwnRounding, Slot, Vector, scratch_frame
from ...contract.vector_verbs import Lanes
from ...errors import too_much_to_hold
from .counted_loops import CountedLoops
from .element_moves import X86Elements
from .reclaimed import Reclaimed


class X86Lanes(Lanes):
    """`mask` is a k register, or a vector register on AVX2. It is None if the elements are moved without a mask. `ops`
    are the instructions at the register's width (`TypedInstructions` or `Moves` of avx2.py); dynamic: see
    `dynamic_lanes`."""

    __slots__ = ("mask", "ops", "dynamic")

    def __init__(self, dtype: str, count: int, capacity: int, mask: Reg | None, ops: Any, dynamic: bool) -> None:
        super().__init__(dtype, count, capacity)
        self.mask, self.ops, self.dynamic = mask, ops, dynamic


_RAX, _RSP = R64[0], R64[4]
_EVERY = (*reversed(abi.CALLEE_SAVED), *[reg for reg in reversed((*abi.SCRATCH, *abi.ARGUMENTS)) if reg is not _RAX])
"""The registers that kernels claim, in reverse order: the first one is last."""
_slot = lru_cache(maxsize=1024)(Slot)
"""A slot by its number, one object in all kernels, because parts that are appended again are found by slots."""

RED_ZONE_SLOTS = 16
_RED_ZONE = 8 * RED_ZONE_SLOTS
FURTHER_SLOTS = 16  # slots below the red zone, once rsp has moved for scratch memory
_SCALES = (1, 2, 4, 8)

X86Address = tuple[Reg, int, Reg | None, int]  # base, displacement, index, scale: the arguments of `mem`
Amount: TypeAlias = int | Reg | Slot


@lru_cache(maxsize=1024)
def stack_word(disp: int, size: int = 64) -> Mem:
    """A word of the stack. Equal operands are one object, so that they encode fast."""
    return Mem(_RSP, disp, size=size)


class X86Rounding(OwnRounding):
    """Compare and set MXCSR by VSTMXCSR to the red zone and VLDMXCSR. The six lowest bits of MXCSR are sticky flags.

    A kernel leaves the flags as its instructions set them. A kernel that runs under an MXCSR of its own restores the
    caller's word with its flags.
    """

    asm: X86Assembler

    follows = staticmethod(control.follows)

    def unless_own(self, elsewhere: Label) -> None:
        """Compare in memory, because no instruction reads MXCSR into a register."""
        self.asm.vstmxcsr(stack_word(-8, 32))
        self.asm.mov(R32[0], stack_word(-8, 32))
        self.asm.and_(R32[0], control.CONTROL)
        self.asm.cmp(R32[0], control.USUAL)
        self.asm.jne(elsewhere)

    def under_own(self, body: Label) -> None:
        """Call the body with a frame of its arguments, the caller's word and its own; rsp is a multiple of 16."""
        asm, frame = self.asm, 8 * (self.stacked + 1)
        frame += (frame + 8) % 16
        word, own = stack_word(frame - 8, 32), stack_word(frame - 4, 32)
        asm.sub(_RSP, frame)
        asm.vstmxcsr(word)
        asm.mov(own, control.USUAL)
        asm.vldmxcsr(own)
        for number in range(self.stacked):
            asm.mov(_RAX, Mem(_RSP, frame + abi.STACK_ARGUMENT + 8 * number, size=64))
            asm.mov(Mem(_RSP, 8 * number, size=64), _RAX)
        asm.call(body)
        asm.vldmxcsr(word)
        asm.add(_RSP, frame)
        asm.ret()


class X86Machine(X86Elements, X86Rounding, CountedLoops, MachineOf[Reg, X86Address, X86Lanes, Mem]):
    """The general registers, addresses and control that all x86-64 machines share."""

    asm: X86Assembler
    pattern = pattern

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self._free_general = [*_EVERY]
        self._saved: list[tuple[Reg, Slot]] = []
        self._slots = RED_ZONE_SLOTS
        self._free_slots = list(range(self._slots, 0, -1))
        self._used_slots: set[int] = set()
        self._frame = 0  # how many bytes rsp is below its value on entry
        self._reclaimed: Reclaimed | None = None  # made for the first part of a kernel of several

    # General registers

    def arguments(self, count: int) -> list[Reg | Slot]:
        """Return the first six arguments in registers, the others in slots above the return address."""
        registers = list(abi.ARGUMENTS[:count])
        self._free_general = [reg for reg in self._free_general if reg not in registers]
        self.stacked = count - len(registers)
        return [*self.received(registers), *(Slot(-1 - i) for i in range(count - len(registers)))]

    def received(self, registers: list[Reg]) -> list[Reg]:
        """Return the registers for the arguments that were passed in these."""
        return registers

    def general(self, role: str) -> Reg:
        """Claim a free register. A callee-saved register is saved first."""
        if not self._free_general:
            raise too_much_to_hold(f"no general register left for {role}")
        reg = self._free_general.pop()
        if reg in abi.CALLEE_SAVED and all(reg is not saved for saved, _ in self._saved):
            slot = self._new_slot()
            self._saved.append((reg, slot))
            self.asm.mov(self._place(slot), reg)
        return reg

    def release(self, register: Reg) -> None:
        """Give a general register back."""
        self._free_general.append(register)

    def reclaim(self, preserved: Sequence[Reg | Slot]) -> None:
        """Free slots too, except those that hold the caller's registers."""
        self._reclaimed = self._reclaimed or Reclaimed(_EVERY)
        slots, registers = self._reclaimed.after(preserved, self._slots, self._saved, self._used_slots)
        self._free_slots, self._free_general = [*slots], [*registers]

    def generals_left(self) -> int:
        """The number of free registers."""
        return len(self._free_general)

    def scratch(self, size: int) -> Reg:
        """Claim scratch memory below the red zone, whose slots keep their addresses."""
        if self.area is not None:
            return self._of_area(self.area, size)
        claimed = max(0, self._frame - _RED_ZONE - 8 * FURTHER_SLOTS)
        frame = scratch_frame(size, claimed)
        if not self._frame:
            frame += _RED_ZONE + 8 * FURTHER_SLOTS
            self._slots += FURTHER_SLOTS
            self._free_slots[:0] = range(self._slots, RED_ZONE_SLOTS, -1)
        base = self.general("scratch memory")
        self.asm.sub(_RSP, frame)
        self._frame += frame
        self.claimed += frame
        for page in range(frame // STACK_PAGE * STACK_PAGE, 0, -STACK_PAGE):
            self.asm.test(dword[_RSP + page], _low32(_RAX))
        self.asm.lea(base, mem(_RSP, SCRATCH_ALIGNMENT - 1))
        self.asm.and_(base, -SCRATCH_ALIGNMENT)
        return base

    @contextmanager
    def masks(self, count: int) -> Iterator[Sequence[Reg]]:
        """Claim no masks: only AVX-512 has mask registers."""
        yield ()

    def slot(self) -> Slot:
        """Claim a free slot of the red zone."""
        if not self._free_slots:
            raise too_much_to_hold(f"a kernel has {self._slots} stack slots, all are taken")
        number = self._free_slots.pop()
        self._used_slots.add(number)
        return _slot(number)

    def _new_slot(self) -> Slot:
        """Claim a slot that was never used: earlier code may run again, in a loop, while the slot must keep its
        value."""
        number = next((slot for slot in reversed(self._free_slots) if slot not in self._used_slots), None)
        if number is None:
            raise too_much_to_hold(f"a kernel has {self._slots} stack slots, all are taken")
        self._free_slots.remove(number)
        self._used_slots.add(number)
        return _slot(number)

    def value(self, amount: Amount) -> Reg:
        """Return a register with the amount: its own, or rax, which is valid until the next verb that uses it."""
        if isinstance(amount, Reg):
            return amount
        self.copy(_RAX, amount)
        return _RAX

    def word(self, slot: Slot) -> Mem:
        """The low 32 bits of a slot. Scratch memory must have been claimed before."""
        low = self._place(slot)
        return Mem(_RSP, low.disp, size=32)

    def to_slot(self, register: Reg) -> Slot:
        """Move a register to the red zone."""
        slot = self.slot()
        self.asm.mov(self._place(slot), register)
        self.release(register)
        return slot

    def counter(self, role: str) -> Slot:
        """Return a slot: x86 has few registers, so loops outside the hot path count in memory."""
        return self.slot()

    def _place(self, slot: Slot) -> Mem:
        """The word of a slot. Slots 1, 2... are below rsp; -1, -2... are arguments above the return address."""
        below = slot.number > 0
        disp = -8 * slot.number if below else abi.STACK_ARGUMENT + 8 * (-1 - slot.number)
        return stack_word(self._frame + disp)

    def _operand(self, amount: Amount) -> Reg | Mem | int:
        return self._place(amount) if isinstance(amount, Slot) else amount

    # Addresses

    def at(self, base: Reg, disp: int = 0) -> X86Address:
        """base + disp."""
        return base, disp, None, 1

    def fma_once(self, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """acc += x * y of f32 with one rounding. Machines without FMA need a spare register unless the product has at
        most 24 significant bits."""
        self.fma(acc, x, y, lanes)

    def further(self, address: X86Address, disp: int) -> X86Address:
        """The address `disp` bytes behind this one."""
        base, offset, index, scale = address
        return base, offset + disp, index, scale

    def multiples(self, stride: Amount, count: int) -> Sequence[Reg]:
        """Registers with the odd multiples 1, 3, 5... of a stride; index scaling gives the others."""
        if isinstance(stride, int):
            return ()
        registers = [self.value(stride)]
        for odd in range(3, count, 2):
            reg = self.general(f"{odd} * stride")
            self.asm.lea(reg, mem(registers[-1], 0, stride, 2))
            registers.append(reg)
        return registers

    def column(self, base: Reg, stride: Amount, multiples: Sequence[Reg], j: int, disp: int) -> X86Address:
        """base + j * stride + disp. If the stride is in a register, j is an odd multiple times 1, 2, 4 or 8."""
        if isinstance(stride, int):
            return base, disp + j * stride, None, 1
        if j == 0:
            return base, disp, None, 1
        scale = j & -j
        return base, disp, multiples[j // scale // 2], _SCALES[_SCALES.index(scale)]

    def copy(self, dst: Reg | Slot, amount: Amount) -> None:
        """dst = amount. 0 is set by the xor idiom."""
        if isinstance(dst, Slot):
            if amount is not dst:
                self.asm.mov(self._place(dst), self.value(amount))
        elif amount == 0:
            self.asm.xor(_low32(dst), _low32(dst))
        elif amount is not dst:
            self.asm.mov(dst, self._operand(amount))

    def pooled(self, dst: Reg, data: bytes) -> None:
        """Add a displacement to rip."""
        self.asm.lea(dst, Mem(label=self.asm.const(data, SCRATCH_ALIGNMENT)))

    def load_general(self, dst: Reg, base: Reg, index: Reg | None) -> None:
        """dst = the 64-bit word at base + 8 * index."""
        self.asm.mov(dst, mem(base, 0, index, 8 if index is not None else 1))

    def advance(self, dst: Reg | Slot, amount: Amount, times: int = 1) -> None:
        """dst += amount * times."""
        operand = self._operand(dst)
        if isinstance(amount, int):
            distance = amount * times
            if -(1 << 31) <= distance < 1 << 31:
                if distance:
                    self.asm.add(operand, distance)
            else:  # add has no 64-bit immediate
                self.asm.mov(_RAX, distance)
                self.asm.add(operand, _RAX)
        elif times == 1:
            self.asm.add(operand, self._operand(amount) if operand is dst else self.value(amount))
        elif times == -1:
            self.asm.sub(operand, self._operand(amount) if operand is dst else self.value(amount))
        elif times:
            if -(1 << 31) <= times < 1 << 31:
                self.asm.imul(_RAX, self._operand(amount), times)
            else:
                self.asm.mov(_RAX, times)
                self.asm.imul(_RAX, self._operand(amount))
            self.asm.add(operand, _RAX)

    def shift_left(self, dst: Reg, bits: int) -> None:
        """dst <<= bits."""
        self.asm.shl(dst, bits)

    def shift_right(self, dst: Reg, bits: int) -> None:
        """dst >>= bits."""
        self.asm.shr(dst, bits)

    # Control

    @contextmanager
    def loop(self, counter: Reg | Slot | None, count: Amount) -> Iterator[None]:
        """Count down to 0. A count of 1 emits no loop."""
        if count == 1:
            yield
            return
        assert counter is not None, "a loop counts in a register or slot"
        operand = self._operand(counter)
        if isinstance(operand, Mem) and isinstance(count, Slot):
            self.asm.mov(_RAX, self._operand(count))
            count = _RAX
        if operand is not count:
            self.asm.mov(operand, self._operand(count))
        top = self.asm.here()
        with self._restoring():
            yield
        self.asm.dec(operand)
        self.asm.jne(top)

    @contextmanager
    def unless_zero(self, amount: Reg | Slot) -> Iterator[None]:
        """Skip the body if amount is 0."""
        end = self.asm.label()
        if isinstance(amount, Slot):
            self.asm.cmp(self._place(amount), 0)
        else:
            self.asm.test(amount, amount)
        self.asm.je(end)
        with self._restoring():
            yield
        self.asm.bind(end)

    @contextmanager
    def _restoring(self) -> Iterator[None]:
        """Emit code that runs more than once or not at all. It restores the caller's registers that it saves, and rsp:
        another run would save other values, and without a run nothing is saved. Their slots are as if never used."""
        frame, saved = self._frame, len(self._saved)
        yield
        for reg, slot in self._saved[saved:]:
            self.asm.mov(reg, self._place(slot))
            self._used_slots.discard(slot.number)
            self._free_slots.append(slot.number)
        del self._saved[saved:]
        if self._frame != frame:
            self.asm.add(_RSP, self._frame - frame)
            self._frame = frame

    def enter(self, vectors: int) -> None:
        """Emit a landing pad for indirect branches (CET). No vector register is callee-saved."""
        self.asm.endbr64()
        with self.comparing_mode() as elsewhere:
            self.unless_own(elsewhere)

    def leave(self) -> None:
        """Restore the caller's registers, and clear the upper vector halves, which would slow down its SSE code."""
        for reg, slot in self._saved:
            self.asm.mov(reg, self._place(slot))
        if self._frame:
            self.asm.add(_RSP, self._frame)
        self.asm.vzeroupper()
        self.asm.ret()
        body = self.settled_mode()
        if body is not None:
            self.under_own(body)


def _low32(reg: Reg) -> Reg:
    """The 32-bit name of a register: writing it clears the upper half, and the encoding is shorter."""
    return lowest(reg)
