"""What an execution uses of the addresses that a call chooses: more than the contract promises must not be needed.

An operand begins at a multiple of the alignment of its elements, and nothing more is promised. The stack pointer is a
multiple of 16 at the call. So an instruction that needs more of an operand's address is refused, wherever the operand
lies in this execution. More of the stack's address may be needed: code can round an address up. `Uses` remembers it,
and whether an instruction looks at the bits of an address, so that the proof executes the code at other places too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...encoder.a64.registers import Mem as A64Mem
from ...encoder.x86.registers import Mem as X86Mem
from ...encoder.x86.registers import Reg
from ..core.call import LARGEST_STACK, STACK
from ..core.closures import Run

STACK_PROMISE = 16
_CALLERS = 1 << 12  # bytes of the caller's frame, where arguments may lie
_WHOLE = {
    "x86": frozenset(
        (
            "mov",
            "add",
            "sub",
            "lea",
            "inc",
            "dec",
            "cmp",
            "push",
            "pop",
            "xchg",
            "movq",
            "vmovq",
            "jmp",
            "call",
            "ret",
            "leave",
            "neg",
        )
    ),
    "a64": frozenset(
        (
            "mov",
            "add",
            "sub",
            "adds",
            "subs",
            "cmp",
            "b",
            "br",
            "bl",
            "blr",
            "ret",
            "fmov",
            "dup",
            "csel",
            "madd",
            "msub",
            "str",
            "ldr",
            "stp",
            "ldp",
            "stur",
            "ldur",
            "cbz",
            "cbnz",
            "neg",
            *(f"add{what}l" for what in ("v", "p", "sv", "sp")),
            *(f"inc{size}" for size in "bhwd"),
        )
    ),
}
"""Instructions that move addresses, add to them, compare two of them, or test whether they are null: where an address
begins does not matter."""
_READ_FIRST = ("tst", "tbz", "tbnz", "ccmp", "ccmn", "cmn", "bfi", "bfxil", "bfm")
"""Instructions of AArch64 that read their first operand."""


class Uses:
    """What an execution needs or looks at.

    looked   the names of operands of whose addresses an instruction looks at some bits
    stack    whether one looks at bits of an address on the stack
    needed   the largest alignment that an access to the stack needs
    """

    def __init__(self) -> None:
        self.looked: set[str] = set()
        self.stack = False
        self.needed = 1

    def add(self, other: Uses) -> None:
        """Add what another execution of the same code uses."""
        self.looked |= other.looked
        self.stack = self.stack or other.stack
        self.needed = max(self.needed, other.needed)


def on_stack(address: int) -> bool:
    """Whether an address lies on the stack."""
    return STACK - _CALLERS <= address <= STACK + LARGEST_STACK + _CALLERS


def looked_at(arch: str, form: Any, operands: tuple[Any, ...]) -> list[int]:
    """Return the numbers of the general registers of which an instruction may look at some bits."""
    mnemonic = form.mnemonic
    if mnemonic in _WHOLE[arch] or mnemonic.startswith("cmov"):
        return []
    numbers = [_number(arch, each) for each in operands]
    if arch == "x86":
        if numbers[:1] == numbers[1:2] and mnemonic in ("test", "xor"):  # a test for null, a zero
            return []
        numbers = [each for each, access in zip(numbers, form.access or "r" * len(numbers)) if access != "w"]
    elif mnemonic not in _READ_FIRST:
        numbers = numbers[1:]
    return [each for each in numbers if each is not None]


def _number(arch: str, operand: Any) -> int | None:
    """Return the number of the general register that an operand is, or None."""
    if isinstance(operand, (X86Mem, A64Mem)):
        return None
    if arch == "x86":
        return operand.num if isinstance(operand, Reg) and operand.file in ("r64", "r32", "r16", "r8") else None
    register = getattr(operand, "reg", operand)  # that a shift or an extension applies to
    return register.num if getattr(register, "kind", "") in ("x", "w") else None


def watched(process: Any, run: Run, numbers: list[int]) -> Run:
    """Return an instruction as one that remembers whether these general registers hold addresses."""
    general = process.general
    sees: Callable[[int], None] = process.state.memory.sees

    def execute() -> int | None:
        for number in numbers:
            value = general[number]
            if isinstance(value, int):
                sees(value)
        return run()

    return execute
