"""Compare the access and effect columns of AArch64 rows with what their instructions were observed to do.

The role of an operand describes the register, array or memory that it names: r read, w written, x both. A destination
of which a part is kept is x. If an operand repeats an earlier one, the earlier one has the whole role, and the
repetition is read. Numbers, names and labels are read. The rounding modes and the cumulative flags of FPCR and FPSR
have no column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.encoder.a64_observed import REST, Seen
from tests.encoder.a64_units import IMPLICIT, effects, named
from tilesmith.encoder.a64.forms import A64Form
from tilesmith.encoder.a64.registers import Mem
from tilesmith.encoder.table import Row

# Instructions that are not executed: mnemonics, their columns, and the reason. Source: Arm ARM (DDI 0487) C6.2, B1.4.8
# for streaming mode.
_MODE = "x:svcr,z,p,ffr,za,zt0"
UNEXECUTED = (
    (r"svc|hvc|smc|brk|hlt|udf|hint", "r", "", "leaves the program, or is another instruction"),
    (r"eret|drps|wfe|wfi", "", "", "leaves the program, or waits"),
    (r"dc|ic", "rr", "", "what it does to memory depends on the operation"),
    (r"prf(m|um|b|h|w|d)", "r+", "", "leaves no trace"),
    (r"auti[ab]sp", "", "x:x30 r:sp", "undoes what paciasp did, and faults otherwise"),
    (r"smstart|smstop", "r?", _MODE, "changes which registers there are; they are zero where the mode changes"),
)


def unexecuted(row: Row) -> tuple[str, str] | None:
    """Return the columns that a row must have if it is not executed: a pattern of its roles, and its effects."""
    return next((listed[1:3] for listed in UNEXECUTED if re.fullmatch(listed[0], row.mnemonic)), None)


def wrong(form: A64Form, seen: Seen | None) -> list[str]:
    """Return how the columns of a form's row differ from what was seen, or from the list if it is not executed."""
    listed = unexecuted(form.row)
    if listed is not None:
        same = re.fullmatch(listed[0], form.access) and form.row.effects == listed[1]
        return [] if same else [f"{form.access!r}, {form.row.effects!r} instead of {listed!r}"]
    assert seen is not None and not seen.fault, f"{form.syntax()}: {seen and seen.fault}"
    return [*_operands(form, seen), *_implicit(form, seen)]


def _operands(form: A64Form, seen: Seen) -> Iterator[str]:
    earlier: set[str] = set()
    for number, (operand, role) in enumerate(zip(seen.instance.operands, form.access)):
        found = named(operand)
        wanted = seen.role(number)
        computes = isinstance(operand, Mem) and form.mnemonic == "adr"  # no access
        if not found.data or computes or earlier & set(found.data):
            wanted = "r"
        if role != wanted:
            yield f"operand {number}, {operand!r}: {role} instead of {wanted or 'nothing'}"
        for at, unit in enumerate(found.places):
            wanted = "x" if unit in found.moved else "r"
            if seen.role((number, at)) != wanted:
                yield f"operand {number}, {operand!r}: {unit} is {wanted} and was seen as {seen.role((number, at))!r}"
        earlier |= set(found.data)


def _implicit(form: A64Form, seen: Seen) -> Iterator[str]:
    said = effects(form.row)
    others = {place for place in seen.reads | seen.writes if isinstance(place, str)}
    for name in sorted({*said, *others, *IMPLICIT}):
        if said.get(name, "") != seen.role(name):
            yield f"{name}: {said.get(name, 'nothing')} instead of {seen.role(name) or 'nothing'}"
    assert REST not in said
