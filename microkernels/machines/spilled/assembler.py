"""An assembler whose instructions may name virtual registers: 64-bit values that lie in memory.

A processor has fewer general registers than some kernels have pointers, strides and counters. A virtual register has a
number and a word of memory. For an instruction that names some, the assembler loads them into carriers, which are
registers that nothing else uses, emits the instruction on the carriers, and stores those that it has written.

The flags are unchanged, since moves between registers and memory change none. The words are addressed by a register
that the code reserves for them, so they may be used anywhere between the claim of the memory and its release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from ....encoder.asm import Intercepting
from ....encoder.errors import EncodeError


class SpillingAssembler(Intercepting):
    """The part that both architectures share. Instructions without virtual registers are emitted as usual."""

    word_of: Callable[[int], Any]
    """Returns the memory operand of a virtual register, by its number. Whoever hands out the registers sets it."""

    observer: Callable[[Iterable[int]], None] | None = None
    """Takes the numbers of the virtual registers that an instruction names."""

    def _emit(self, emit: Callable[..., None], *operands: object) -> None:
        """Append an instruction, with moves of the virtual registers that it names."""
        named = [tuple(self.numbers(operand)) for operand in operands]
        numbers = dict.fromkeys(chain.from_iterable(named))
        if not numbers:
            emit(*operands)
            return
        if self.observer is not None:
            self.observer(numbers)
        if len(numbers) == 1 and self._from_memory(emit, operands, named):
            return
        carriers = self.carriers()
        trial = {number: carriers[at % len(carriers)] for at, number in enumerate(numbers)}
        form = self._form(emit, [self.carried(operand, trial) for operand in operands])
        read, written = self._accesses(form, operands, named)
        if len(read) > len(carriers):
            raise EncodeError(f"{form.syntax()}: {len(read)} virtual registers are read, {len(carriers)} can be loaded")
        # an instruction reads before it writes, so a register that it only writes may share a carrier
        order = [*read, *(number for number in written if number not in read)]
        held = {number: carriers[at % len(carriers)] for at, number in enumerate(order)}
        for number in read:
            self.load_word(held[number], number)
        emit(*[self.carried(operand, held) for operand in operands])
        for number in written:
            self.store_word(number, held[number])

    def _form(self, emit: Callable[..., None], operands: Sequence[Any]) -> Any:
        return self.table.match(emit.__name__, tuple(operands), self.target.features)

    def _accesses(
        self, form: Any, operands: Sequence[Any], named: Sequence[Sequence[int]]
    ) -> tuple[list[int], list[int]]:
        """Return the numbers of the virtual registers that an instruction reads, and of those that it writes."""
        read: dict[int, None] = {}
        written: dict[int, None] = {}
        for operand, numbers, access in zip(operands, named, form.access):
            reads, writes = self.effect(operand, access)
            read.update(dict.fromkeys(numbers if reads else ()))
            written.update(dict.fromkeys(numbers if writes else ()))
        return [*read], [*written]

    def _from_memory(
        self, emit: Callable[..., None], operands: Sequence[object], named: Sequence[Sequence[int]]
    ) -> bool:
        """Emit the instruction on the word itself, if the architecture has such a form. Returns whether it did."""
        return False

    # What an architecture adds

    def carriers(self) -> Sequence[int]:
        """The numbers of the registers that instructions use in place of virtual ones."""
        raise NotImplementedError

    def numbers(self, operand: object) -> Iterator[int]:
        """Yield the numbers of the virtual registers that an operand names."""
        raise NotImplementedError

    def carried(self, operand: object, held: dict[int, int]) -> Any:
        """Return the operand with carriers in place of virtual registers."""
        raise NotImplementedError

    def effect(self, operand: Any, access: str) -> tuple[bool, bool]:
        """Whether an operand with virtual registers reads them, and whether it writes them."""
        raise NotImplementedError

    def load_word(self, carrier: int, number: int) -> None:
        """carrier = the word of a virtual register."""
        raise NotImplementedError

    def store_word(self, number: int, carrier: int) -> None:
        """The word of a virtual register = carrier."""
        raise NotImplementedError
