"""A sample of the wrong operands that `python -m tests.encoder.wrong_operands` gives to mnemonics and functions."""

from __future__ import annotations

import inspect

import pytest

from tests.encoder.targets import EVERYTHING
from tests.encoder.wrong_arguments import FUNCTIONS
from tests.encoder.wrong_operands import ARCHITECTURES, check, check_function
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.asm import Assembler
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.table import InstructionTable
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.grammar import expand
from tilesmith.encoder.x86.registers import R64, X86Operand
from tilesmith.encoder.x86.rows import ROWS

SEED = 18


@pytest.mark.seconds
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_wrong_operands_of_instructions(arch: str):
    """Every third mnemonic gets three wrong cases in turn: an error must leave nothing behind for the next case."""
    table, _ = ARCHITECTURES[arch]
    assert [fault for mnemonic in list(table)[::3] for fault in check(arch, mnemonic, 3, SEED)] == []


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_wrong_arguments_of_public_functions(arch: str):
    ours = [function for function in FUNCTIONS if function.arch == arch]
    assert [fault for function in ours for fault in check_function(function, 40, SEED)] == []


def test_a_number_for_an_emitter_that_expects_none():
    """A mnemonic without number operands may get rows that have them."""
    table, asm = InstructionTable(ROWS, expand, X86Operand, lambda row: False), X86Assembler(EVERYTHING)
    emit = table.emitter("mov")
    emit(asm, R64[0], 1)
    emit(asm, R64[0], 1)
    for wrong in (1.0, True):
        with pytest.raises(EncodeError, match=f"{wrong} is not a Python integer"):
            emit(asm, R64[0], wrong)
    asm.mov(R64[0], 1)
    assert bytes(asm.buffer[:7]) * 3 == asm.buffer


def _methods(cls: type) -> set[str]:
    """Return the public methods that a class itself defines, without the emitters, which are added later."""
    functions = {name: inspect.unwrap(member) for name, member in vars(cls).items() if inspect.isfunction(member)}
    own = {name for name, function in functions.items() if function.__qualname__ == f"{cls.__name__}.{name}"}
    return {name for name in own if name == "__init__" or name[0] != "_"}


@pytest.mark.parametrize(("arch", "cls"), [("x86", X86Assembler), ("a64", A64Assembler)])
def test_every_method_of_an_assembler_is_asked(arch: str, cls: type):
    asked = {function.name for function in FUNCTIONS if function.arch == arch}
    methods = _methods(Assembler) | _methods(cls)
    assert {"bind", "align", "loop", "finish"} <= methods
    assert methods <= asked
