"""Type stubs of the AArch64 assembler for editors. `python -m tilesmith.encoder.a64.stubs` writes them from the rows.

As in encoder/x86/stubs.py, a parameter's name says what the instruction does with it, and its type says which operands
it accepts. Registers of all files are Operand; the docstring shows them in the manual's notation.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..asm import method_name
from . import assembler
from .addresses import AddressSlot
from .bit_fields import BitNumber
from .forms import A64Form
from .slots import BranchTarget, Choice, Fixed, FormSlot, Immediate, Packed, Repeat

_HEAD = '''"""The AArch64 assembler. Written by `python -m tilesmith.encoder.a64.stubs`; do not edit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import overload

from ..asm import Assembler
from ..operands import Label
from ..table import InstructionTable
from .registers import General, Mem, Operand

TABLE: InstructionTable
WORD: int

class A64Assembler(Assembler):
    """Appends AArch64 instructions: `asm.fmla(V[0].s4, V[1].s4, V[2].s[1])`; `b.ne` is `asm.b_ne`."""

    def align(self, boundary: int) -> None:
        """Pad with nops up to a multiple of `boundary` bytes."""
    def load_immediate(self, reg: General, value: int) -> None:
        """Put a number into a general register: movz or movn, then a movk for each further 16 bits."""
    @contextmanager
    def loop(
        self, counter: General, count: int | General | None = None, align: int = 0
    ) -> Iterator[Label]:
        """Run the body `count` times, counting `counter` down to 0; None: the counter is already loaded, at least 1."""
'''
_ORDER = ("Operand", "Mem", "Label", "int", "float")
_NUMBERS = (Immediate, BitNumber)


def stub() -> str:
    """Return the stub of the AArch64 assembler."""
    return _HEAD + "".join(text for mnemonic in sorted(assembler.TABLE) for text in _methods(mnemonic))


def types(slot: FormSlot) -> frozenset[str]:
    """The types of the operands that a slot accepts."""
    if isinstance(slot, Repeat):
        return types(slot.slot)
    if isinstance(slot, BranchTarget):
        return frozenset(("Label", "int"))
    if isinstance(slot, AddressSlot):
        return frozenset(("Mem",))
    if isinstance(slot, _NUMBERS):
        return frozenset(("int",))
    if isinstance(slot, (Packed, Fixed)):
        return frozenset(("float",) if "float" in slot.text or "." in slot.text else ("int",))
    if isinstance(slot, Choice):
        return frozenset(
            type(choice).__name__ if isinstance(choice, (int, float)) else "Operand"
            for choice in slot.choices
            if choice is not None
        )
    return frozenset(("Operand",))


def _methods(mnemonic: str) -> Iterator[str]:
    forms = [form for form in assembler.TABLE.forms(mnemonic) if isinstance(form, A64Form)]
    arities = sorted({len(form.slots) for form in forms})
    for arity in arities:
        alike = [form for form in forms if len(form.slots) == arity]
        rows = list(dict.fromkeys(form.row.operands for form in alike))
        if len(arities) > 1:
            yield "    @overload\n"
        yield f"    def {method_name(mnemonic)}({', '.join(('self', *_parameters(alike)))}) -> None:\n"
        yield f'        """{" | ".join(rows) or "no operands"}"""\n'


def _parameters(forms: list[A64Form]) -> list[str]:
    """Name and type of each operand. Callers cannot use the names."""
    made: list[str] = []
    names: list[str] = []
    for at in range(len(forms[0].slots)):
        found = frozenset().union(*(types(form.slots[at]) for form in forms))
        names.append(_name(found, any(form.access[at] in "wx" for form in forms)))
        number = names.count(names[-1])
        shown = " | ".join(name for name in _ORDER if name in found)
        made.append(f"{names[-1]}{number if number > 1 else ''}: {shown}")
    return [*made, "/"] if made else []


def _name(found: frozenset[str], written: bool) -> str:
    if "Label" in found:
        return "target"
    if found <= {"int", "float"}:
        return "imm"
    return "dst" if written and "Mem" not in found else "mem" if found == {"Mem"} else "src"


def main() -> None:
    """Write the stub beside the module that it describes."""
    Path(assembler.__file__).with_suffix(".pyi").write_text(stub())


if __name__ == "__main__":
    main()
