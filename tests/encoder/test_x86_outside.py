"""Operands just outside a form: the form rejects them by name, unless another form accepts them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.encoder.draws import all_forms, draws
from tests.profiles import is_soak, rotation
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.features import IMPLIES, closure
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.assembler import TABLE
from tilesmith.encoder.x86.classes import OperandClass
from tilesmith.encoder.x86.effects import FLAGS, implicit
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.registers import REGISTERS, Mem, Reg, sae

_VECTORS = {"xmm": regs.XMM, "ymm": regs.YMM, "zmm": regs.ZMM}
_OTHERS = (REGISTERS["r9"], regs.K[3], regs.YMM[2], regs.TMM[1])


def outside(wanted: OperandClass, operand: Any) -> Iterator[Any]:
    """Yield operands close to this one that the class does not accept."""
    if isinstance(operand, Reg):
        yield next(other for other in _OTHERS if other.file != wanted.file and other.name != wanted.file)
        yield 5
        if wanted.file in _VECTORS and not wanted.high:
            yield _VECTORS[wanted.file][16]
        if wanted.file in _VECTORS or wanted.file == "k":
            plain = REGISTERS[operand.name]
            if wanted.mask != "kz":
                yield plain.kz(regs.K[1])
            if not wanted.mask:
                yield plain.k(regs.K[1])
        if wanted.file in regs.IMPLIED:
            yield REGISTERS["r13" if wanted.file != "xmm0" else "xmm3"]
    elif isinstance(operand, Mem):
        yield REGISTERS["r9"] if wanted.kind == "gather" else regs.TMM[1]
        if wanted.size and wanted.kind != "gather":
            yield operand._with(size=80)
        if wanted.kind == "memory":
            yield Mem(REGISTERS["rax"], 0, regs.ZMM[3])
            yield Mem(REGISTERS["rax"], size=wanted.size, index=REGISTERS["rcx"], broadcast=1)
            if not wanted.mask:
                yield operand._with(mask=regs.K[1])
        if wanted.kind == "broadcast":
            yield operand._with(broadcast=2 if wanted.count != 2 else 4)
    elif wanted.kind in ("signed", "bits"):
        low, high = -(1 << wanted.size - 1), (1 << wanted.size) - 1
        yield from (low - 1, high + 1, 0.5)
        if wanted.kind == "signed" and wanted.width != wanted.size:
            yield -low
            if wanted.width:
                yield (1 << wanted.width) + low - 1  # below the unsigned forms of the numbers that fit
    elif wanted.kind == "branch":
        yield from (1 << 31, -(1 << 31) - 1, "label")


def attempts(form: X86Form) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield operands with one of them outside, and that operand: every fourth one for each form, other ones each
    day, or all in a soak."""
    number = zlib.crc32(f"{form.syntax()} {rotation()}".encode())
    for operands in draws(form, 1):
        for i, wanted in enumerate(form.classes):
            at = i + (form.control != "" and i >= len(form.classes) - form.roles.count("I"))
            for other in outside(wanted, operands[at]):
                number += 1
                if is_soak() or number % 4 == 0:
                    yield (*operands[:at], other, *operands[at + 1 :]), other


@pytest.mark.seconds
def test_operands_just_outside_a_form_are_rejected_by_name():
    rejected = accepted = 0
    for form in all_forms():
        for operands, culprit in attempts(form):
            assert not form.accepts(operands), f"{form.syntax()} takes {operands}"
            try:
                found = TABLE.match(form.mnemonic, operands)
            except EncodeError as error:
                rejected += 1
                assert repr(culprit) in str(error), f"{form.syntax()} {operands}: {error}"
            else:
                accepted += 1
                assert found is not form
    assert rejected > 12_000 and accepted < rejected


@pytest.mark.seconds
def test_no_form_takes_another_number_of_operands():
    for form in all_forms():
        for operands in draws(form, 1):
            assert not form.accepts((*operands, sae, 1))
            assert not form.accepts(operands[:-1]) or not operands


@pytest.mark.parametrize(
    ("mnemonic", "operands", "message"),
    [
        ("tdpbf16ps", (regs.TMM[0], regs.TMM[0], regs.TMM[1]), "tmm0 must differ"),
        ("tdpbf16ps", (regs.TMM[0], regs.TMM[1], regs.TMM[1]), "tmm1 must differ"),
        ("vfmulcph", (regs.ZMM[1], regs.ZMM[1], regs.ZMM[2]), "zmm1 must differ"),
        ("tileloadd", (regs.TMM[0], Mem(regs.R64[0])), "needs an index register"),
        ("vp2intersectd", (regs.K[1], regs.ZMM[1], regs.ZMM[2]), "k1 is odd"),
        ("vcvtpd2ps", (regs.XMM[0], Mem(regs.R64[0])), r"128, 256 bits all fit \(dword"),
        ("vcvtpd2ps", (regs.XMM[0], Mem(regs.R64[0], broadcast=1)), r"128, 256 bits all fit \(\[rax\].to"),
        ("vcvtpd2ps", (regs.YMM[0], Mem(regs.R64[0]).to(4)), "is broadcast to 4, 8 elements are needed"),
    ],
)
def test_operands_that_do_not_go_together(mnemonic: str, operands: tuple[Any, ...], message: str):
    with pytest.raises(EncodeError, match=message):
        TABLE.match(mnemonic, operands)


def test_same_kinds_are_checked_anew():
    """A form that was chosen for some operands does not accept wrong operands of the same kinds."""
    asm_of = {}
    for mnemonic, good, bad in (
        ("tdpbf16ps", regs.TMM[:3], (regs.TMM[0], regs.TMM[1], regs.TMM[1])),
        ("tileloadd", (regs.TMM[0], Mem(regs.R64[0], 0, regs.R64[1])), (regs.TMM[0], Mem(regs.R64[0]))),
        ("vp2intersectd", (regs.K[2], *regs.ZMM[:2]), (regs.K[3], *regs.ZMM[:2])),
    ):
        form = TABLE.match(mnemonic, good)
        asm_of[mnemonic] = form.encode(good)
        with pytest.raises(EncodeError):
            form.encode(bad)
    assert all(asm_of.values())


def test_a_form_that_processors_differ_in_follows_the_target():
    ymm = regs.YMM[:3]
    vex, evex = closure(("AVX_VNNI",)), closure(("AVX512_VNNI", "AVX512VL"))
    assert TABLE.match("vpdpbusd", ymm, vex).features == {"AVX_VNNI"}
    assert TABLE.match("vpdpbusd", ymm, evex).features == {"AVX512_VNNI", "AVX512VL"}
    assert TABLE.match("vpdpbusd", ymm, vex | evex).features == {"AVX_VNNI"}


def test_features_and_effects_are_words_that_exist():
    features = {feature for form in all_forms() for feature in form.features}
    assert not {feature for feature in features if not feature.replace("_", "").isalnum() or feature.islower()}
    assert {implied for names in IMPLIES.values() for implied in names} <= features | {"AVX10_1"}
    names = {name for form in all_forms() for effects in [implicit(form)] for name in effects.reads | effects.writes}
    assert names <= {*FLAGS, "df", *(reg.name for reg in regs.R64), "xmm0"}


@pytest.mark.parametrize(
    ("mnemonic", "reads", "writes"),
    [
        ("adc", {"cf"}, set(FLAGS)),
        ("mul", {"rax"}, {"rax", "rdx", *FLAGS}),
        ("rep movsb", {"rcx", "rsi", "rdi", "df"}, {"rcx", "rsi", "rdi"}),
        ("cpuid", {"rax", "rcx"}, {"rax", "rbx", "rcx", "rdx"}),
        ("vaddps", set(), set()),
        ("jbe", {"cf", "zf"}, set()),
        ("vpcmpistrm", set(), {"xmm0", *FLAGS}),
    ],
)
def test_effects(mnemonic: str, reads: set[str], writes: set[str]):
    form: Any = TABLE.forms(mnemonic)[0]
    assert implicit(form) == (reads, writes)


def test_none_of_the_features_asked_for_is_empty():
    asked = """BMI1 BMI2 LZCNT POPCNT ADX SSE SSE2 SSE3 SSSE3 SSE4_1 SSE4_2 AVX AVX2 FMA F16C AVX_VNNI AVX_IFMA
    AVX_NE_CONVERT AVX_VNNI_INT8 AVX_VNNI_INT16 AVX512F AVX512CD AVX512BW AVX512DQ AVX512VL AVX512_IFMA AVX512_VBMI
    AVX512_VBMI2 AVX512_VNNI AVX512_BITALG AVX512_VPOPCNTDQ AVX512_BF16 AVX512_FP16 AVX512_VP2INTERSECT GFNI VAES
    VPCLMULQDQ AMX_TILE AMX_INT8 AMX_BF16 AMX_FP16 AMX_COMPLEX AVX10_2 AMX_FP8 AMX_TF32"""
    assert set(asked.split()) <= {feature for form in all_forms() for feature in form.features}
    assert len(TABLE) >= 750
