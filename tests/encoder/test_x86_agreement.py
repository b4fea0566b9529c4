"""Every form of the x86-64 table against the assemblers of LLVM and GNU. `--draws N` for more operands per form."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import pytest

from tests.encoder.draws import TARGET, all_forms, draws, encoded, llvm_text
from tests.encoder.targets import EVERYTHING
from tests.oracles import gnu, llvm, newer
from tilesmith.encoder.code import Code
from tilesmith.encoder.listing import listing
from tilesmith.encoder.x86.assembler import TABLE, X86Assembler
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.words import LEGACY

# Features of Intel ISE 319433-049 and later; binutils 2.40 is of January 2023.
NEWER_THAN_GNU = newer.FEATURES | {"AMX_COMPLEX", "AVX_VNNI_INT16", "RAO_INT", "SHA512", "SM3", "SM4"}


class Case(NamedTuple):
    """A drawn instruction with our bytes."""

    form: X86Form
    operands: tuple[Any, ...]
    data: bytes

    @property
    def llvm(self) -> str:
        return llvm_text(self.form, self.operands, self.data)


@pytest.fixture(scope="module")
def cases(draw_count: int) -> list[Case]:
    return [Case(form, o, encoded(form, o)) for form in all_forms() for o in draws(form, draw_count)]


def test_every_row_is_drawn(cases: list[Case]):
    drawn = {case.form.row for case in cases}
    never = [" ".join(row) for mnemonic in TABLE for row in TABLE.rows(mnemonic) if row not in drawn]
    assert not never, "no operands reach these rows"


def test_same_bytes_as_llvm(cases: list[Case]):
    cases = [case for case in cases if not case.form.features & newer.FEATURES]
    results = llvm.assemble([case.llvm for case in cases])
    rejected = [f"{case.llvm}: {result}" for case, result in zip(cases, results) if isinstance(result, str)]
    assert not rejected, f"LLVM rejects {len(rejected)}: {rejected[:10]}"
    different = [
        (case, llvm.plain(result))
        for case, result in zip(cases, results)
        if not isinstance(result, str) and not llvm.equal(case.data, result) and not llvm.is_wrong(case.llvm)
    ]
    ours = llvm.disassemble([case.data for case, _ in different])
    theirs = llvm.disassemble([data for _, data in different])
    wrong = [
        f"{case.llvm}: ours {case.data.hex()} = {our}, LLVM {data.hex()} = {their}"
        for (case, data), our, their in zip(different, ours, theirs)
        if llvm.sense(our) != llvm.sense(their) or case.form.mnemonic not in llvm.OTHER_BYTES
    ]
    counts = Counter(case.form.mnemonic for case, _ in different)
    assert not wrong, f"{len(wrong)} of {len(cases)} differ {dict(counts)}:\n" + "\n".join(wrong[:20])


def test_same_bytes_as_a_newer_llvm(cases: list[Case]):
    """What LLVM 19 lacks, and what it has wrong."""
    cases = [case for case in cases if case.form.features & newer.FEATURES or llvm.is_wrong(case.llvm)]
    results = newer.assemble([case.llvm for case in cases])
    wrong = [
        f"{case.llvm}: ours {case.data.hex()}, theirs {result if isinstance(result, str) else result.hex()}"
        for case, result in zip(cases, results)
        if isinstance(result, str) or not newer.equal(case.data, result)
    ]
    assert not wrong, f"{len(wrong)} of {len(cases)} differ:\n" + "\n".join(wrong[:20])


def test_what_assemblers_lack_is_newer_than_they_are():
    """The features that are left out above are those that the assemblers here have never heard of."""
    cases = [Case(form, o, encoded(form, o)) for form in all_forms() for o in draws(form, 5)[:1]]
    known = [case.llvm for case, answer in zip(cases, llvm.assemble([case.llvm for case in cases]))
             if case.form.features & newer.FEATURES and not isinstance(answer, str)]  # fmt: skip
    assert not known, f"LLVM knows {known[:5]}: its features do not belong into newer.FEATURES"
    lacking = gnu.rejected([case.form.gas(case.operands, case.data) for case in cases])
    older = [case.llvm for case, lacks in zip(cases, lacking) if lacks and not case.form.features & NEWER_THAN_GNU]
    assert not older, f"GNU as rejects {older[:10]}"


def test_same_bytes_as_gnu_of_the_listing(cases: list[Case]):
    asm = X86Assembler(EVERYTHING)
    target = asm.here("target")
    for case in cases:
        if case.form.features & NEWER_THAN_GNU:
            continue
        near = asm.here() if case.form.row.operands == "r:rel8" and not case.form.near else target
        getattr(asm, case.form.mnemonic.replace(" ", "_"))(*(_bound(operand, near) for operand in case.operands))
    code = asm.finish("every_form")
    made = gnu.assemble(listing(code, "gas"))
    assert made == code.data, _first_difference(code, made)


def _bound(operand: Any, target: Any) -> Any:
    if operand is TARGET:
        return target
    return operand._with(label=target) if getattr(operand, "label", None) is TARGET else operand


def _first_difference(code: Code, made: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(code.data, made)) if a != b), min(len(code.data), len(made)))
    found = [instruction for instruction in code.instructions if instruction.offset <= at][-1]
    theirs = made[found.offset : found.offset + 16].hex()
    text = found.form.gas(found.operands, found.data)
    return (
        f"{len(made)} bytes, not {len(code.data)}; first at {at:#x}: {text}: ours {found.data.hex()}, GNU {theirs}..."
    )


def test_choice_of_form_is_the_shortest_that_fits():
    """Where several legacy forms take the same operands, the table's order gives the shortest."""
    for form in all_forms():
        if form.prefix.encoding != LEGACY or form.roles == "D":
            continue
        for operands in draws(form, 6):
            fitting = [other for other in form.siblings if other.accepts(operands)]
            lengths = [len(encoded(other, operands)) for other in fitting]
            assert lengths[0] == min(lengths), f"{form.syntax()} {operands}: {lengths}"
