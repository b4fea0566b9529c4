"""Type stubs for editors, one method for each mnemonic. `python -m tilesmith.encoder.x86.stubs` writes them from the
rows.

The methods of an assembler are made on first use, so an editor cannot see them in the source. A parameter's name says
what the instruction does with it (dst, src, imm, target), and its type says which operands it accepts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..asm import method_name
from . import assembler as x86
from .forms import X86Form

_HEAD = '''"""The x86-64 assembler. Written by `python -m tilesmith.encoder.x86.stubs`; do not edit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import overload

from ..asm import Assembler, method_name
from ..operands import Label
from ..table import InstructionTable
from .registers import Mem, Reg, StaticRounding

TABLE: InstructionTable
Operand = Reg | Mem | Label | int

class X86Assembler(Assembler):
    """Appends x86-64 instructions: `asm.vaddps(zmm0, zmm1, zmm2)`."""

    def align(self, boundary: int) -> None:
        """Pad with nops up to a multiple of `boundary` bytes."""
    @contextmanager
    def loop(self, counter: Reg, count: int | Reg | None = None, align: int = 0) -> Iterator[Label]:
        """Run the body `count` times, counting `counter` down to 0; None: the counter is already loaded, at least 1."""
'''
_TYPES = {"register": "Reg", "memory": "Mem", "broadcast": "Mem", "gather": "Mem", "branch": "Label | int"}
_ORDER = ("Reg", "Mem", "Label", "int")
_NAMES = {"Label | int": "target", "int": "imm"}


def stub() -> str:
    """Return the stub of the x86-64 assembler."""
    names = [*x86.TABLE, *x86.TABLE.aliases]
    return _HEAD + "".join(text for mnemonic in sorted(names) for text in _methods(mnemonic))


def _methods(mnemonic: str) -> Iterator[str]:
    forms = [form for form in x86.TABLE.forms(mnemonic) if isinstance(form, X86Form)]
    arities = sorted({len(form.classes) for form in forms})
    rows = list(dict.fromkeys(form.row.operands for form in forms))
    for arity in arities:
        alike = [form for form in forms if len(form.classes) == arity]
        if len(arities) > 1:
            yield "    @overload\n"
        yield f"    def {method_name(mnemonic)}({', '.join(('self', *_parameters(alike)))}) -> None:\n"
        yield f'        """{" | ".join(rows) or "no operands"}"""\n'


def _parameters(forms: list[X86Form]) -> list[str]:
    """Name and type of each operand, and of rounding if a form takes it. Callers cannot use the names."""
    made: list[str] = []
    names: list[str] = []
    for at in range(len(forms[0].classes)):
        kinds = {_TYPES.get(form.classes[at].kind, "int") for form in forms}
        types = [name for name in _ORDER if any(name in kind.split(" | ") for kind in kinds)]
        written = any(form.access[at] in "wx" for form in forms)
        name = "dst" if written else _NAMES.get(" | ".join(sorted(kinds)), "src")
        names.append(name)
        number = names.count(name)
        exact = " | ".join(types) if len(types) == 1 or types == ["Label", "int"] else "Operand"
        made.append(f"{name}{number if number > 1 else ''}: {exact}")
    if any(form.control for form in forms):
        made.append(_rounding(forms, made))
    return [*made, "/"] if made else []


def _rounding(forms: list[X86Form], made: list[str]) -> str:
    """The rounding parameter, which comes before an immediate or at the end."""
    if forms[0].roles.endswith("I"):
        last = made.pop()
        return f"rounding: StaticRounding | int, {last} = ..."
    return "rounding: StaticRounding = ..."


def main() -> None:
    """Write the stub beside the module that it describes."""
    Path(x86.__file__).with_suffix(".pyi").write_text(stub())


if __name__ == "__main__":
    main()
