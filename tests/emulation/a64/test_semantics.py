"""The semantics of AArch64 instructions agree with the kernel server's processor, for every form with semantics."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.emulation.a64.by_server import FPCR, differences, make_case
from tests.profiles import is_soak, scaled
from tilesmith.emulation.a64 import semantics as a64_semantics
from tilesmith.emulation.qemu.faults import GuestFault
from tilesmith.encoder.a64.assembler import TABLE as ROWS

CASES = scaled(1, 20) if is_soak() else 0.5
"""The number of cases per form; 0.5: every second form has one case. A soak has more."""
GROUPS = {"a to e": "abcde", "f": "f", "g to l": "ghijkl", "m to s": "mnopqrs", "t to z": "tuvwxyz"}
# Instructions that leave a stub or depend on its place.
OUTSIDE = {"adr", "adrp", "b", "bl", "blr", "br", "brk", "cbz", "cbnz", "tbz", "tbnz", "ret", "hlt", "udf", "mrs",
           "msr", "hint", "bti", "wfe", "sev", "sevl", "paciasp", "autiasp", "pacibsp", "autibsp",
           "xpaclri", "svc", "hvc", "smc", "eret", "drps", "smstart", "smstop"}  # fmt: skip
# qemu 7.2 does not truncate the results of these scalar forms to 16 bits.
WRONG_IN_QEMU = {("fcvtzs", "Hd", "Hn", "#-sh"), ("fcvtzu", "Hd", "Hn", "#-sh")}
LENGTHS = (128, 256, 512)


def streaming(form: Any) -> bool:
    """Whether the form executes in streaming mode. qemu 7.2 computes some of SME wrongly and has no SME2."""
    return any(feature.startswith("SME") for feature in form.features)


def in_reach(form: Any, server: Any) -> bool:
    """Return whether a stub can contain the form and the server executes it correctly."""
    known = server.features()
    unsupported = any(known.get(feature) for feature in form.features) or streaming(form) and known["SME2"]
    literal = any(slot.text == "label" for slot in form.slots)
    wrong = (form.mnemonic, *form.row.operands.split(",")) in WRONG_IN_QEMU
    return not (unsupported or literal or wrong or form.mnemonic in OUTSIDE or form.mnemonic.startswith("b."))


def lengths(form: Any) -> tuple[int, ...]:
    """Return the vector lengths to try. With long vectors, qemu 7.2 keeps the high part of some NEON results."""
    if not any("SVE" in feature or "SME" in feature or feature in ("F32MM", "F64MM", "B16B16")
               for feature in form.features):  # fmt: skip
        return LENGTHS[:1]
    longer = "F64MM" in form.features or ".q" in form.syntax()
    return LENGTHS[1:] if longer else LENGTHS


@pytest.mark.seconds
@pytest.mark.parametrize("group", GROUPS)
def test_instructions_agree_with_the_server(aarch64: Any, group: str) -> None:
    wrong, tried = [], 0
    for mnemonic in sorted(name for name in ROWS if name[0] in GROUPS[group]):
        for form in ROWS.forms(mnemonic):
            if not in_reach(form, aarch64):
                continue
            rng = random.Random(f"{form.syntax()} {form.word}")  # type: ignore[attr-defined]
            for _ in range(int(CASES + rng.random())):
                case = next(
                    (c for _ in range(8) if (c := make_case(form, rng, rng.choice(lengths(form)), rng.choice(FPCR)))),
                    None,
                )
                if case is None or a64_semantics.semantic_of(case.form) is None:
                    break
                try:
                    found = differences(aarch64, case)
                except GuestFault as fault:
                    if fault.signal == "SIGILL":  # the instruction is newer than the emulator
                        break
                    raise
                tried += 1
                wrong += [f"{case}: {'; '.join(found)}"] if found else []
    assert not wrong, "\n".join(wrong[:20])
    assert tried > 200


def test_most_of_the_vector_instructions_have_semantics() -> None:
    """Of NEON, SVE and SVE2 only ciphers, complex numbers, histograms and non-faulting loads may lack semantics."""
    kinds = {"NEON", "SVE", "FP16", "BF16", "I8MM", "DOTPROD", "FHM"}
    vector = {name for name in ROWS if any(form.features & kinds for form in ROWS.forms(name))}
    assert len(vector & a64_semantics.mnemonics()) > 0.75 * len(vector)
