"""Classes of executed instructions, for counting: the class in the table row, and whether it loads or stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

NO_ACCESS = frozenset(("address", "prefetch", "hint"))
"""Classes of instructions that do not access the memory that they name: lea, prefetcht0, nop."""


def class_of(form: Any, operands: tuple[Any, ...]) -> Iterator[str]:
    """Yield the classes of an instruction: load and store if it accesses memory, and its own class if it computes."""
    own = form.row.class_
    roles = "" if own in NO_ACCESS else "".join(_memory_roles(form, operands, own))
    if "r" in roles or "x" in roles:
        yield "load"
    if "w" in roles or "x" in roles:
        yield "store"
    if own != "move" or not roles:
        yield own


def _memory_roles(form: Any, operands: tuple[Any, ...], own: str) -> Iterator[str]:
    """Yield the roles (r, w or x) of the operands that are memory, including the label of a literal load."""
    if hasattr(form, "classes"):
        memory = [wanted.touches_memory for wanted in form.classes]
    else:
        literal = own != "branch"
        memory = [
            hasattr(operand, "base") or literal and slot.text == "label" for operand, slot in zip(operands, form.slots)
        ]
    yield from (role for touched, role in zip(memory, form.access) if touched)
