"""Parts of the AArch64 coverage report. The whole takes minutes: `python -m tests.oracles.coverage --arch a64`."""

from __future__ import annotations

from array import array

from tests.oracles.coverage_a64 import Reading, _canonical, features, is_covered, left_out, read


def test_words_are_read_and_judged():
    # fadd; not an instruction; umulh with bits that LLVM's disassembler ignores
    found = read(array("I", [0x4E22D420, 0xFFFFFFFF, 0x9BC00C00]))
    assert found == ["fadd v0.4s, v1.4s, v2.4s", "", "umulh x0, x0, x0"]
    umulh = Reading(0x9BC00C00, found[2])
    assert not is_covered(umulh) and is_covered(*_canonical([umulh]))
    assert not is_covered(Reading(0xF8200400, "ldraa x0, [x0]"))


def test_features_are_what_llvm_requires():
    texts = ["add x0, x1, x2", "fadd v0.4s, v1.4s, v2.4s", "fadd z0.s, z1.s, z2.s", "ldraa x0, [x1, #8]"]
    assert features([Reading(0, text) for text in texts]) == ["base", "base", "sve or sme", "pauth"]


def test_exempt_forms_have_a_reason():
    assert left_out("pauth") == "of no use to kernels" and left_out("faminmax sve2 or sme2") == "not asked for"
    assert not left_out("sme2p1 or sve2p1") and not left_out("sve or sme")
