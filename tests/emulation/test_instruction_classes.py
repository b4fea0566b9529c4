"""Classes and semantics keys of rows: all rows have them, tables and rows agree, LLVM agrees on loads and stores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.encoder import draws
from tests.oracles import tools
from tilesmith.emulation.a64 import semantics as a64_semantics
from tilesmith.emulation.instruction_classes import class_of
from tilesmith.emulation.x86 import semantics as x86_semantics
from tilesmith.encoder.a64.assembler import TABLE as A64
from tilesmith.encoder.table import Row
from tilesmith.encoder.x86.assembler import TABLE as X86

CLASSES = {
    "address",
    "arithmetic",
    "branch",
    "convert",
    "dot",
    "fma",
    "hint",
    "move",
    "prefetch",
    "shuffle",
    "system",
    "tile",
}
TABLES = {"x86": X86, "a64": A64}
SEMANTICS = {"x86": x86_semantics, "a64": a64_semantics}
ANALYZER = "llvm-mca-19"
FLAGS = (
    "-mtriple=x86_64-linux",
    "-mcpu=sapphirerapids",
    "--json",
    "-iterations=1",
    "--all-views=false",
    "--instruction-info",
    "--skip-unsupported-instructions=any",
)


def rows(arch: str) -> Iterator[Row]:
    return (row for mnemonic in TABLES[arch] for row in TABLES[arch].rows(mnemonic))


@pytest.mark.parametrize("arch", TABLES)
def test_every_row_has_a_class_and_a_key(arch: str) -> None:
    assert {row.class_ for row in rows(arch)} <= CLASSES
    assert all(row.key for row in rows(arch))


@pytest.mark.parametrize("arch", TABLES)
def test_every_key_of_the_emulator_is_one_of_a_row(arch: str) -> None:
    assert not SEMANTICS[arch].unknown()


def drawn() -> list[tuple[Any, tuple[Any, ...], str]]:
    """Return every twelfth emulated row: its first form, operands, and the text for LLVM."""
    first: dict[Row, Any] = {}
    for form in draws.all_forms():
        if form.row.key in x86_semantics.TABLE:
            first.setdefault(form.row, form)
    chosen = [(form, operands) for form in list(first.values())[::12] for operands in draws.draws(form, 1)[:1]]
    return [(form, o, draws.llvm_text(form, o, draws.encoded(form, o))) for form, o in chosen]


def analyzed(texts: Sequence[str]) -> dict[int, tuple[bool, bool]]:
    """Return whether LLVM says that instructions may load and store, keyed by their number, for those that it knows."""
    regions = (f"# LLVM-MCA-BEGIN i{at}\n{text}\n# LLVM-MCA-END i{at}\n" for at, text in enumerate(texts))
    source = ".intel_syntax noprefix\n" + "".join(regions)
    done = json.loads(tools.run(ANALYZER, *FLAGS, stdin=source).stdout)
    answers = {}
    for region in done["CodeRegions"]:
        for entry in region["InstructionInfoView"]["InstructionList"] or ():
            answers[int(region["Name"][1:])] = (entry["mayLoad"], entry["mayStore"])
    return answers


@pytest.mark.seconds
def test_loads_and_stores_of_x86_agree_with_llvm() -> None:
    """LLVM counts prefetches, masked stores and changes of the machine's state as loads and stores; they are left out.

    Stack accesses of push, pop, call and ret do not count: their rows name rsp, not memory.
    """
    sample = drawn()
    answers = analyzed([text for _, _, text in sample])
    assert len(answers) > 80
    wrong = []
    for at, (load, store) in answers.items():
        form, operands, text = sample[at]
        classes = set(class_of(form, operands))
        conservative = (
            classes & {"prefetch", "system", "hint"} or "maskmov" in form.mnemonic or "rsp" in form.row.effects
        )
        if not conservative and ("load" in classes, "store" in classes) != (load, store):
            wrong.append(f"{text}: {sorted(classes)}, LLVM loads {load}, stores {store}")
    assert not wrong, "\n".join(wrong)
