"""The System V calling convention of x86-64 (psABI 1.0, 3.2)."""

from .registers import R64, Reg

_names = {reg.name: reg for reg in R64}

ARGUMENTS: tuple[Reg, ...] = tuple(_names[n] for n in ("rdi", "rsi", "rdx", "rcx", "r8", "r9"))
"""The registers of the first six integer and pointer arguments. The seventh is at [rsp + 8] on entry."""
CALLEE_SAVED: tuple[Reg, ...] = tuple(_names[n] for n in ("rbx", "rbp", "r12", "r13", "r14", "r15"))
"""General registers that a function must restore. Vector and mask registers are all free."""
SCRATCH: tuple[Reg, ...] = tuple(_names[n] for n in ("rax", "r10", "r11"))
"""Free general registers that carry no argument."""
STACK_ARGUMENT = 8  # bytes from rsp on entry to the seventh argument; the next arguments follow in steps of 8
