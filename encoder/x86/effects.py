"""The registers and flags that an instruction reads and writes besides its operands."""

from __future__ import annotations

from ..records import NamedTuple
from .forms import X86Form

FLAGS = ("cf", "pf", "af", "zf", "sf", "of")


class Effects(NamedTuple):
    """Names of implicit registers (general registers by their 64-bit names) and flags."""

    reads: frozenset[str]
    writes: frozenset[str]


def implicit(form: X86Form) -> Effects:
    """Return what the form reads and writes besides its operands, from the effects column of its row."""
    reads: set[str] = set()
    writes: set[str] = set()
    for part in form.row.effects.split():
        role, _, names = part.partition(":")
        listed = [flag for name in names.split(",") for flag in (FLAGS if name == "flags" else (name,))]
        if role in "rx":
            reads.update(listed)
        if role in "wx":
            writes.update(listed)
    return Effects(frozenset(reads), frozenset(writes))
