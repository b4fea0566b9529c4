"""The calling convention of AArch64 (AAPCS64, IHI 0055, 6)."""

from .registers import Operand, V, X

ARGUMENTS: tuple[Operand, ...] = X[:8]
"""The registers of the first eight integer and pointer arguments. The ninth is at [sp] on entry."""
RESULT: Operand = X[0]
CALLEE_SAVED: tuple[Operand, ...] = X[19:29]
"""General registers that a function must restore, besides the frame pointer and the link register."""
FRAME, LINK = X[29], X[30]
PLATFORM: Operand = X[18]
"""Reserved by some systems. Generated code does not use it."""
SCRATCH: tuple[Operand, ...] = X[9:18]
"""Free general registers that carry no argument."""
VECTOR_CALLEE_SAVED: tuple[Operand, ...] = V[8:16]
"""Vector registers whose low 64 bits (d8 to d15) a function must restore."""
STACK_ARGUMENT = 0  # bytes from sp on entry to the ninth argument; the next arguments follow in steps of 8
