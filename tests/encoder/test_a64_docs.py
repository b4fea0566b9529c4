"""The AArch64 stub for editors is generated from the rows, and the page of all instructions lists every mnemonic."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.encoder.a64_draws import all_forms, draws
from tilesmith.encoder.a64 import reference, stubs
from tilesmith.encoder.a64.assembler import TABLE, A64Assembler
from tilesmith.encoder.a64.registers import Mem
from tilesmith.encoder.operands import Label

ROOT = Path(__file__).parents[2]


def methods(source: str) -> dict[str, list[ast.FunctionDef]]:
    """Return the methods of the class in a stub, keyed by name, with their overloads."""
    found: dict[str, list[ast.FunctionDef]] = {}
    body = next(node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)).body
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def test_the_stub_is_up_to_date():
    path = ROOT / "encoder/a64/assembler.pyi"
    assert path.read_text() == stubs.stub(), "run `make docs`"


def test_the_page_has_every_row():
    rows = {line.split(" | ")[0][2:] for line in reference.page().splitlines() if line.startswith("| ")}
    assert rows - {"mnemonic"} == set(TABLE)


def test_the_stub_has_every_method():
    found = methods(stubs.stub())
    assert {stubs.method_name(mnemonic) for mnemonic in TABLE} <= set(found)
    written = {name for name in vars(A64Assembler) if not name.startswith("_") and callable(vars(A64Assembler)[name])}
    assert {"align", "load_immediate", "loop"} <= written & set(found)


@pytest.mark.seconds
def test_types_of_the_stub_accept_the_operands_of_forms():
    """For every form a method has its number of parameters, and its operands have the types that its slots name."""
    arities = {
        name: {len(node.args.posonlyargs) - 1 for node in nodes if node.args.posonlyargs} or {0}
        for name, nodes in methods(stubs.stub()).items()
    }
    for form in all_forms():
        name = stubs.method_name(form.mnemonic)
        assert len(form.slots) in arities[name] | {0}, form.syntax()
        for operands in list(draws(form, 3).values()):
            for slot, operand in zip(form.slots, operands):
                assert _type(operand) <= stubs.types(slot), f"{form.syntax()}: {operand!r} in {slot.text}"


def _type(operand: object) -> set[str]:
    if isinstance(operand, (int, float)):
        return {type(operand).__name__}
    return {"Mem" if isinstance(operand, Mem) else "Label" if isinstance(operand, Label) else "Operand"}
