"""Several operations combined into one instruction: any bitwise function of three operands, and masked arithmetic.

vpternlog computes a bitwise function that is given by its truth table. A masked addition or product leaves the elements
unchanged whose mask bit is clear; a masked comparison clears their bits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any

from ...codegen.selection import Emission, InstructionRow, own
from ...expr.graph import FLOATS, MASKS, Expr, ordered, rebuilt, with_args
from .selection import ORDERED

_LOGIC: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
_A, _B, _C = 0xF0, 0xCC, 0xAA  # the truth tables of the operands themselves; the index is 4 a + 2 b + c
_ALIASES = ("bits", "from_bits")
_TYPES = ("i32", "i64")
_MASKED = ("add", "sub", "mul")


def _plain(expr: Expr) -> Expr:
    """Return the expression under a chain of type changes."""
    while expr.op in _ALIASES:
        expr = expr.args[0]
    return expr


def combine(outputs: Sequence[Expr]) -> tuple[Expr, ...]:
    """Combine a bitwise operation with one that only it uses into an operation of three operands, and merge arithmetic
    that only a selection uses into the selection."""
    uses = Counter(_plain(arg) for expr in ordered(outputs) if expr.op not in _ALIASES for arg in expr.args)
    uses.update(map(_plain, outputs))

    def change(old: Expr, args: tuple[Expr, ...]) -> Expr:
        new = with_args(old, args)
        if old.op in _LOGIC and old.dtype in _TYPES:
            for i, arg in enumerate(old.args):
                inner, made = _plain(arg), _plain(args[i])
                if uses[inner] == 1 and made.op in _LOGIC and made.dtype == old.dtype:
                    table = _LOGIC[old.op](_LOGIC[made.op](_A, _B), _C)
                    return own("logic", old.dtype, *made.args, args[1 - i], value=table)
        if old.op == "and" and old.dtype in MASKS:
            for i, arg in enumerate(old.args):
                inverted = args[i].op == "not" and uses[arg.args[0]] == 1
                compared = args[i].args[0] if inverted else args[i]
                if uses[arg] == 1 and compared.op in ORDERED:
                    op = f"not_{compared.op}_where" if inverted else f"{compared.op}_where"
                    return own(op, old.dtype, args[1 - i], *compared.args)
        if old.op == "select" and old.dtype in FLOATS and uses[old.args[1]] == 1 and args[1].op in _MASKED:
            return own(f"{args[1].op}_where", old.dtype, args[0], *args[1].args, args[2])
        return new

    return rebuilt(outputs, change)


def logic_row(name: str, operand: Callable[[Any, Emission, Any], Any]) -> InstructionRow:
    """A row for any bitwise function of three operands. One of them is in dst, and one may be a constant in memory."""

    def emit(m: Any, e: Emission) -> None:
        first = e.tied or 0
        rest = [i for i in range(3) if i != first]
        if not isinstance(e.srcs[rest[0]], int):
            rest.reverse()  # memory comes last
        order = (first, *rest)
        table = _permuted(e.value, order)
        getattr(m.asm, name)(e.lanes.ops.file[e.dst], *(operand(m, e, e.srcs[i]) for i in rest), table)

    return InstructionRow(emit, ties=(0, 1, 2), memory=(0, 1, 2))


@cache
def _permuted(table: int, order: tuple[int, ...]) -> int:
    """The truth table for operands in another order: place i has the old operand order[i]."""
    permuted = 0
    for values in product((0, 1), repeat=3):
        old = [0, 0, 0]
        for position, value in zip(order, values):
            old[position] = value
        if table >> (4 * old[0] + 2 * old[1] + old[2]) & 1:
            permuted |= 1 << (4 * values[0] + 2 * values[1] + values[2])
    return permuted
