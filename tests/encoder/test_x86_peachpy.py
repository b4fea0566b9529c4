"""VEX and EVEX forms against PeachPy, whose tables have another source (the package opcodes 0.3.14) than LLVM's.

PeachPy encodes some instructions in another way (the store opcode of a move between registers, L'L that a scalar
instruction ignores); these must disassemble to the same text. PeachPy also has defects: for each known one, the wrong
instruction is predicted exactly from ours, so a disagreement that no known defect predicts fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import pytest

from tests.encoder.draws import all_forms, draws, encoded
from tests.oracles import llvm, peachpy
from tests.profiles import scaled
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.registers import K, Reg
from tilesmith.encoder.x86.words import EVEX, LEGACY

pytestmark = pytest.mark.seconds  # every form that PeachPy knows is encoded by it

FEATURES = frozenset(("AVX", "AVX2", "FMA", "F16C", "AVX512F", "AVX512VL"))
DRAWS = scaled(3, 20)  # per form
PARTS = 4  # parts that test workers share
# Other features with VEX and EVEX forms that PeachPy knows; it has no mnemonic of any further feature.
ALSO_KNOWN = frozenset(
    (
        "AVX512BW",
        "AVX512DQ",
        "AVX512CD",
        "AVX512_VBMI",
        "AVX512_IFMA",
        "AVX512_VPOPCNTDQ",
        "AES",
        "PCLMULQDQ",
        "BMI1",
        "BMI2",
    )
)
# Forms of known mnemonics that PeachPy lacks.
LACKS = {
    r"vbroadcastss xmm.*AVX512F": "128 bits under EVEX",
    r"vsqrtpd [xy]mm.*b64": "the broadcast, except of 512 bits",
    r"vreduce.*\{sae\}": "suppressed exceptions",
    r"vpopcnt[dq] [xy]mm": "any but 512 bits",
}


class Case(NamedTuple):
    """A drawn instruction, its call in PeachPy and our bytes."""

    form: X86Form
    operands: tuple[Any, ...]
    call: str
    data: bytes


# Defects of PeachPy


def _defects(case: Case) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes that each known defect makes of a case, and several defects together."""
    form, operands = case.form, case.operands
    unit, mask = form, operands
    if any(getattr(operand, "broadcast", 0) for operand in operands):
        unit = _counting_in_vectors(form)
        yield "disp8 of a broadcast counts in vectors, not in elements (SDM vol. 2, 2.7.5)", encoded(unit, operands)
    first = operands[0] if operands else None
    if form.prefix.encoding == EVEX and isinstance(first, Reg) and first.file == "k" and not first.mask and first.num:
        mask = first.k(K[first.num]), *operands[1:]
        yield "a mask register that is written, unmasked, is its own mask", encoded(form, mask)
        yield "both of these", encoded(unit, mask)
    if form.mnemonic == "vmovntps":
        yield "prefix 66 where there is none", bytes([*case.data[:2], case.data[2] | 1, *case.data[3:]])


def _counting_in_vectors(form: X86Form) -> X86Form:
    """Return the form with the disp8 unit of a whole vector."""
    made = copy(form)
    made.__dict__.pop("encode", None)  # it was made for the right unit
    memory = next(c for c in form.classes if c.kind == "broadcast")
    made.disp_unit = memory.size * memory.count // 8
    return made


def _disagreements(cases: Sequence[Case], results: Sequence[bytes | str]) -> list[str]:
    """Return the cases that PeachPy rejects, or encodes as neither our text nor the text of a known defect."""
    wrong = [f"{case.call}: {result}" for case, result in zip(cases, results) if isinstance(result, str)]
    different = [(c, r) for c, r in zip(cases, results) if not isinstance(r, str) and r != c.data]
    chunks = [chunk for case, theirs in different for chunk in (theirs, case.data, *(d for _, d in _defects(case)))]
    read = dict(zip(chunks, llvm.first_instructions(chunks)))
    for case, theirs in different:
        text, ours = _sense(read[theirs]), _sense(read[case.data])
        if text == ours and text or theirs in {data for _, data in _defects(case)}:
            continue
        if not text or text not in {_sense(read[data]) for _, data in _defects(case)}:
            wrong.append(f"{case.call}: ours {case.data.hex()} = {ours}, PeachPy {theirs.hex()} = {text}")
    return wrong


def _sense(read: tuple[str, int] | None) -> str:
    return llvm.sense(read[0]) if read else ""


# Cases


def _forms(features: frozenset[str], part: int = 0, parts: int = 1) -> list[X86Form]:
    """Return every `parts`-th of the VEX and EVEX forms that need only these features."""
    forms = [form for form in all_forms() if form.prefix.encoding != LEGACY and form.features]
    return [form for form in forms if form.features <= features and not _lacked(form)][part::parts]


def _lacked(form: X86Form) -> str:
    """Return why PeachPy lacks the form; empty if it may have it."""
    return next((reason for pattern, reason in LACKS.items() if re.match(pattern, form.syntax())), "")


def _cases(form: X86Form, wanted: int) -> list[Case]:
    """Return `wanted` cases that PeachPy can write and would not encode as an earlier form of the mnemonic."""
    earlier = form.siblings[: form.siblings.index(form)]
    made: list[Case] = []
    for count in (wanted + 6, 3 * wanted, 8 * wanted):
        drawn = [tuple(_counted(form, operand) for operand in operands) for operands in draws(form, count)]
        calls = [(operands, _call(form, operands)) for operands in drawn]
        made = [
            Case(form, operands, call, encoded(form, operands))
            for operands, call in calls
            if call and not any(other.accepts(operands) for other in earlier)
        ]
        if len(made) >= wanted:
            break
    return made[:wanted]


def _call(form: X86Form, operands: tuple[Any, ...]) -> str:
    """Return the call, or "" if PeachPy cannot write it. It raises AttributeError for EVEX stores relative to rip."""
    stores = form.prefix.encoding == EVEX and getattr(operands[0] if operands else None, "base", 0) is None
    return "" if stores and (operands[0].rip or operands[0].label) else peachpy.call(form.mnemonic, operands)


def _counted(form: X86Form, operand: Any) -> Any:
    """Return the operand; a broadcast gets its count, which PeachPy needs."""
    if getattr(operand, "broadcast", 0) != 1:
        return operand
    return operand.to(next(c.count for c in form.classes if c.kind == "broadcast"))


def _is_reachable(form: X86Form) -> bool:
    """Return whether PeachPy may choose the form: VCVTSS2SI r32, m32 of EVEX accepts nothing that VEX does not."""
    general = all(c.touches_memory or c.file in ("r32", "r64") for c in form.classes)
    return form.prefix.encoding != EVEX or not general


@pytest.fixture(autouse=True, scope="module")
def _peachpy() -> None:
    peachpy.require()


@pytest.mark.parametrize("part", range(PARTS))
def test_same_bytes_as_peachpy(part: int):
    forms = [form for form in _forms(FEATURES, part, PARTS) if _is_reachable(form)]
    cases_of = {form: _cases(form, DRAWS) for form in forms}
    few = [form.syntax() for form, cases in cases_of.items() if len(cases) < DRAWS and form.classes]
    assert not few, f"fewer than {DRAWS} draws of {few}"
    cases = [case for made in cases_of.values() for case in made]
    wrong = _disagreements(cases, peachpy.ask([case.call for case in cases]).results)
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:20])


def test_same_bytes_as_peachpy_of_other_features():
    forms = [form for form in _forms(FEATURES | ALSO_KNOWN) if form.features & ALSO_KNOWN and _is_reachable(form)]
    cases = [case for form in forms for case in _cases(form, 3)]
    wrong = _disagreements(cases, peachpy.ask([case.call for case in cases]).results)
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:60])


def test_peachpy_rejects_the_forms_that_it_lacks():
    """PeachPy rejects every form in the list of forms that it lacks."""
    forms = [form for form in all_forms() if _lacked(form)]
    assert {_lacked(form) for form in forms} == set(LACKS.values())
    cases = [case for form in forms for case in _cases(form, 5)]
    accepted = [c.call for c, r in zip(cases, peachpy.ask([c.call for c in cases]).results) if not isinstance(r, str)]
    assert not accepted


def test_peachpy_knows_no_further_feature():
    """PeachPy knows no VEX or EVEX mnemonic of other features, so no form that it could judge is left out."""
    known = FEATURES | ALSO_KNOWN
    forms = [form for form in all_forms() if form.prefix.encoding != LEGACY and not form.features <= known]
    mnemonics = sorted({form.mnemonic for form in forms} - {form.mnemonic for form in _forms(known)})
    results = peachpy.ask([f"{mnemonic.upper()}()" for mnemonic in mnemonics]).results
    heard = [mnemonic for mnemonic, result in zip(mnemonics, results) if result != "unknown instruction"]
    assert not heard, f"PeachPy knows {heard}"


def test_disagreements_are_seen():
    form = next(form for form in _forms(FEATURES) if form.mnemonic == "vaddps")
    case = _cases(form, 1)[0]
    assert not _disagreements([case], [case.data])
    assert _disagreements([case], [case.data[:-1] + bytes([case.data[-1] ^ 1])])
    assert _disagreements([case], ["rejected"])
