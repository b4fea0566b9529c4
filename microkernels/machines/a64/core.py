"""General registers, addresses and control of AArch64 under AAPCS64.

There are enough registers, so the stack frame holds only callee-saved registers and scratch memory. The machine itself
uses x16 and x17 (veneers may destroy them at calls, but a kernel makes none). x18 is not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from ....encoder.a64 import abi
from ....encoder.a64.assembler import A64Assembler
from ....encoder.a64.names import PREFETCHES
from ....encoder.a64.registers import D, General, X, mem, sp, xzr
from ....encoder.asm import Assembler
from ....encoder.features import Target
from ....encoder.operands import Label
from ...contract.machine import SCRATCH_ALIGNMENT, STACK_PAGE, MachineOf, scratch_frame
from ...errors import too_much_to_hold
from .element_moves import A64Elements
from .lanes import A64Lanes
from .rounding import A64Rounding

_SCRATCH, _SECOND = X[16], X[17]
_BTI_C = 34  # the hint that encodes `bti c`; older processors ignore it
_CALLEE_SAVED_VECTORS = range(8, 16)  # their low 64 bits belong to the caller

A64Address = tuple[General, int, General | None]  # base, displacement, index
A64Factor = tuple[int, int]  # a group's vector register, and the index of an element in it
Amount: TypeAlias = Any  # int or General: this architecture creates no slots


class A64Machine(A64Elements, A64Rounding, MachineOf[General, A64Address, A64Lanes, A64Factor]):
    """The general registers, addresses and control that all AArch64 machines share."""

    asm: A64Assembler

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        mine = (_SCRATCH, _SECOND)
        free = [*abi.ARGUMENTS, X[8], *(reg for reg in abi.SCRATCH if reg not in mine)]
        self._free_general: list[Any] = [*reversed(abi.CALLEE_SAVED), *reversed(free)]
        # from the top down: registers in 16 bytes each, and sizes of scratch memory
        self._pushed: list[General | int] = []
        self._saves_vectors = False
        # Callee-saved registers come last, and low numbers first, because some instructions can name only low ones.
        caller = self.facts.vector_registers - len(_CALLEE_SAVED_VECTORS)
        order = [n for n in range(self.facts.vector_registers) if n not in _CALLEE_SAVED_VECTORS]
        self._free_vectors = [*reversed(_CALLEE_SAVED_VECTORS), *reversed(order)]
        self._own_vectors = caller

    # General registers

    def arguments(self, count: int) -> list[Any]:
        """Return eight arguments in registers; load the others from above the frame."""
        registers: list[Any] = list(abi.ARGUMENTS[:count])
        for reg in registers:
            self._free_general.remove(reg)
        self.stacked = count - len(registers)
        registers = self.received(registers)
        for number in range(self.stacked):
            reg = self.general(f"argument {len(registers)}")
            frame = sum(pushed if isinstance(pushed, int) else 16 for pushed in self._pushed)
            frame += 64 if self._saves_vectors else 0
            self.asm.ldr(reg, mem[sp, frame + abi.STACK_ARGUMENT + 8 * number])
            registers.append(reg)
        return registers

    def received(self, registers: list[Any]) -> list[Any]:
        """Return the registers for the arguments that were passed in these."""
        return registers

    def general(self, role: str) -> General:
        """Claim a free register. A callee-saved register is pushed first."""
        if not self._free_general:
            raise too_much_to_hold(f"no general register left for {role}")
        reg: General = self._free_general.pop()
        if reg in abi.CALLEE_SAVED and reg not in self._pushed:
            self._pushed.append(reg)
            self.asm.str(reg, mem[sp, -16].pre)
        return reg

    def release(self, register: General) -> None:
        """Give a general register back."""
        self._free_general.append(register)

    def generals_left(self) -> int:
        """The number of free registers."""
        return len(self._free_general)

    def reclaim(self, preserved: Sequence[Any]) -> None:
        """Free all other registers. Frame values are in registers too, so they are kept only if `preserved` names
        them."""
        mine = (_SCRATCH, _SECOND)
        free = [*abi.ARGUMENTS, X[8], *(reg for reg in abi.SCRATCH if reg not in mine)]
        every = [*reversed(abi.CALLEE_SAVED), *reversed(free)]
        names = {id(register) for register in preserved}  # registers are compared as objects: there is one of each
        self._free_general = [reg for reg in every if id(reg) not in names]

    def scratch(self, size: int) -> General:
        """Claim scratch memory below the registers that have been pushed."""
        if self.area is not None:
            return self._of_area(self.area, size)
        frame = scratch_frame(size, sum(pushed for pushed in self._pushed if isinstance(pushed, int)))
        base = self.general("scratch memory")
        for part in [STACK_PAGE] * (frame // STACK_PAGE) + [frame % STACK_PAGE]:
            if part:
                self.asm.sub(sp, sp, part)
                self.asm.str(xzr, mem[sp])
        self._pushed.append(frame)
        self.claimed += frame
        self.asm.add(base, sp, SCRATCH_ALIGNMENT - 1)
        self.asm.and_(base, base, -SCRATCH_ALIGNMENT & (1 << 64) - 1)
        return base

    def to_slot(self, register: General) -> General:
        """Return the register itself: there are enough registers."""
        return register

    @contextmanager
    def set_aside(self, registers: Sequence[Any]) -> Iterator[None]:
        """Save them on the stack. The body must claim neither unsaved callee-saved registers nor scratch memory."""
        aside = list({id(each): each for each in registers}.values())
        if not aside:
            yield
            return
        size = -(-8 * len(aside) // 16) * 16
        self.asm.sub(sp, sp, size)
        for number, register in enumerate(aside):
            self.asm.str(register, mem[sp, 8 * number])
        unsaved = [reg for reg in self._free_general if reg in abi.CALLEE_SAVED and reg not in self._pushed]
        saved = [reg for reg in self._free_general if reg not in unsaved]
        self._free_general = [*aside, *saved]  # saving another register now would move the stack pointer
        yield
        self._free_general[:0] = unsaved
        for number, register in enumerate(aside):
            self.asm.ldr(register, mem[sp, 8 * number])
        self.asm.add(sp, sp, size)

    def counter(self, role: str) -> General:
        """Claim a register: there are enough for every loop."""
        return self.general(role)

    # Addresses

    def at(self, base: General, disp: int = 0) -> A64Address:
        """base + disp."""
        return base, disp, None

    def prefetch_line(self, address: A64Address, level: int, written: bool = False) -> None:
        """Emit prfm with PLDLnKEEP or PSTLnKEEP."""
        base, disp, index = address
        if index is not None or disp % 8 or not 0 <= disp < 8 << 12:
            base, disp = self.place(address), 0
        self.asm.prfm(PREFETCHES[f"p{'st' if written else 'ld'}l{level}keep"], mem[base, disp])

    def further(self, address: A64Address, disp: int) -> A64Address:
        """The address `disp` bytes behind this one."""
        base, offset, index = address
        return base, offset + disp, index

    def multiples(self, stride: Amount, count: int) -> Sequence[General]:
        """Registers with the stride, twice the stride, three times the stride..."""
        if isinstance(stride, int):
            return ()
        registers: list[General] = [stride]
        for times in range(2, count):
            registers.append(self.general(f"{times} * stride"))
            self.asm.add(registers[-1], registers[-2], stride)
        return registers

    def column(self, base: General, stride: Amount, multiples: Sequence[General], j: int, disp: int) -> A64Address:
        """base + j * stride + disp."""
        if isinstance(stride, int):
            return base, disp + j * stride, None
        return base, disp, multiples[j - 1] if j else None

    def copy(self, dst: Any, amount: Amount) -> None:
        """dst = amount."""
        if isinstance(amount, int):
            self.asm.load_immediate(dst, amount)
        elif amount is not dst:
            self.asm.mov(dst, amount)

    def pooled(self, dst: General, data: bytes) -> None:
        """Add a displacement of 21 bits to pc."""
        self.asm.adr(dst, self.asm.const(data, SCRATCH_ALIGNMENT))

    def load_general(self, dst: General, base: General, index: General | None) -> None:
        """dst = the 64-bit word at base + 8 * index."""
        self.asm.ldr(dst, mem[base] if index is None else mem[base, index.lsl(3)])

    def advance(self, dst: Any, amount: Amount, times: int = 1) -> None:
        """dst += amount * times."""
        if isinstance(amount, int):
            if amount * times:
                self._sum(dst, dst, amount * times)
        elif times == 1:
            self.asm.add(dst, dst, amount)
        elif times == -1:
            self.asm.sub(dst, dst, amount)
        elif times and abs(times) & abs(times) - 1 == 0:
            (self.asm.add if times > 0 else self.asm.sub)(dst, dst, amount.lsl(abs(times).bit_length() - 1))
        elif times:
            self.asm.load_immediate(_SECOND, times)
            self.asm.madd(dst, amount, _SECOND, dst)

    def _sum(self, dst: General, base: General, disp: int) -> None:
        """dst = base + disp."""
        if 0 <= disp < 1 << 12:
            self.asm.add(dst, base, disp)
        elif -(1 << 12) < disp < 0:
            self.asm.sub(dst, base, -disp)
        else:
            self.asm.load_immediate(_SECOND, disp)
            self.asm.add(dst, base, _SECOND)

    def place(self, address: A64Address) -> General:
        """Return a register that holds the address."""
        base, disp, index = address
        if index is not None:
            self.asm.add(_SCRATCH, base, index)
            base = _SCRATCH
        if disp:
            self._sum(_SCRATCH, base, disp)
            base = _SCRATCH
        return base

    def shift_left(self, dst: General, bits: int) -> None:
        """dst <<= bits."""
        self.asm.lsl(dst, dst, bits)

    def shift_right(self, dst: General, bits: int) -> None:
        """dst >>= bits."""
        self.asm.lsr(dst, dst, bits)

    def modulo(self, dst: General, power: int) -> None:
        """Take the low bits."""
        self.asm.and_(dst, dst, power - 1)

    # Control

    @contextmanager
    def loop(self, counter: Any, count: Amount) -> Iterator[None]:
        """Count down to 0. A count of 1 emits no loop."""
        if count == 1:
            yield
            return
        self.copy(counter, count)
        with self.asm.loop(counter), self._restoring():
            yield

    @contextmanager
    def index_loop(self, index: General, limit: Amount) -> Iterator[None]:
        """index = 0 .. limit - 1."""
        self.copy(index, 0)
        top = self.asm.here()
        with self._restoring():
            yield
        self.asm.add(index, index, 1)
        self.asm.cmp(index, limit)
        self.asm.b_ne(top)

    @contextmanager
    def while_at_least(self, left: Any, step: int) -> Iterator[None]:
        """Run the body while left >= step, and subtract step each time; perhaps it never runs."""
        end = self.asm.label()
        self.asm.subs(left, left, step)
        self.asm.b_lt(end)
        top = self.asm.here()
        with self._restoring():
            yield
        self.asm.subs(left, left, step)
        self.asm.b_ge(top)
        self.asm.bind(end)
        self.asm.add(left, left, step)

    def branch_if_more(self, amount: Any, most: int, elsewhere: Label) -> None:
        """Compare without a sign."""
        self.asm.cmp(amount, most)
        self.asm.b_hi(elsewhere)

    @contextmanager
    def unless_zero(self, amount: Any) -> Iterator[None]:
        """Skip the body if amount is 0."""
        end = self.asm.label()
        self.asm.cbz(amount, end)
        with self._restoring():
            yield
        self.asm.bind(end)

    @contextmanager
    def _restoring(self) -> Iterator[None]:
        """Emit code that runs more than once or not at all. It pops the caller's registers that it pushes, and its
        scratch memory: another run would push again, and without a run nothing is pushed."""
        pushed = len(self._pushed)
        yield
        self._pop(pushed)
        del self._pushed[pushed:]

    def enter(self, vectors: int) -> None:
        """Emit a landing pad for indirect branches, and save callee-saved vector registers if the kernel needs them."""
        self.asm.hint(_BTI_C)
        with self.comparing_mode() as elsewhere:
            self.unless_own(elsewhere)
        self._saves_vectors = vectors > self._own_vectors
        if self._saves_vectors:
            self.asm.stp(D[8], D[9], mem[sp, -64].pre)
            for n in (10, 12, 14):
                self.asm.stp(D[n], D[n + 1], mem[sp, 8 * (n - 8)])
        else:
            self._free_vectors = [n for n in self._free_vectors if n not in _CALLEE_SAVED_VECTORS]

    def _pop(self, first: int) -> None:
        """Pop everything that was pushed, down to number `first`."""
        for pushed in reversed(self._pushed[first:]):
            if isinstance(pushed, int):
                self._sum(sp, sp, pushed)
            else:
                self.asm.ldr(pushed, mem[sp].post(16))

    def leave(self) -> None:
        """Restore the caller's registers."""
        self._pop(0)
        if self._saves_vectors:
            for n in (10, 12, 14):
                self.asm.ldp(D[n], D[n + 1], mem[sp, 8 * (n - 8)])
            self.asm.ldp(D[8], D[9], mem[sp].post(64))
        self.asm.ret()
        body = self.settled_mode()
        if body is not None:
            self.under_own(body)

    # Embedded broadcasts

    def scalar(self, address: A64Address) -> A64Factor:
        """Raise an error: AArch64 has no embedded broadcast."""
        raise NotImplementedError("facts.embedded_broadcast is False")
