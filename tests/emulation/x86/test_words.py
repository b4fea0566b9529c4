"""Which instructions the emulator does not execute, and what it says to the user; the lists may only become shorter."""

from __future__ import annotations

import random
import re
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.emulation.assembled import AVX512, assembled, fault_of, rax, rcx, rdi
from tests.emulation.x86 import test_by_definition, test_ciphers, test_tiles
from tests.emulation.x86.exact import execute, state_with
from tests.emulation.x86.test_semantics import FAULTS, needs_registers, of_module
from tests.encoder.draws import all_forms, draws
from tests.profiles import is_soak
from tilesmith.emulation.core.faults import CannotRun
from tilesmith.emulation.core.memory import address_of
from tilesmith.emulation.cpu import call
from tilesmith.emulation.numerics.dot import DOTS
from tilesmith.emulation.x86 import tiles as x86_tiles
from tilesmith.emulation.x86.semantics import TABLE, WITHOUT, predecode
from tilesmith.emulation.x86.state import X86State
from tilesmith.encoder.asm import Label
from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.x86 import registers as regs
from tilesmith.runtime.host import detect as host

SHARE = 1.0 if is_soak() else 0.05
TILES = set(x86_tiles.TABLE) - {"tilemovrow", "tmmultf32ps", "tileloaddrs", "tileloaddrst1"}
TILES = {name for name in TILES if "f8ps" not in name and not name.startswith("tcvtrow")}

SAPPHIRE_RAPIDS = {"SHSTK", "MOVDIRI", "MOVDIR64B", "CLDEMOTE", "SERIALIZE"}
"""Features of a Sapphire Rapids beside those of its target."""

MISSING = """
    cpuid fxrstor fxrstor64 fxsave fxsave64 incsspd incsspq rdfsbase rdgsbase rdpid rdpmc rdrand rdseed rdtsc rdtscp
    saveprevssp syscall wrfsbase wrgsbase wrssd wrssq xgetbv xrstor xrstor64 xsave xsave64 xsavec xsavec64 xsaveopt
    xsaveopt64
"""
"""They depend on time, on chance, on the machine, on the operating system or on the thread."""

ORACLES = {
    r"a(add|and|or|xor)|cmp\w+xadd": "test_by_definition.test_instructions_that_change_memory",
    r"v(add|sub|mul|div|fn?m(add|sub)\d+)bf16": "test_by_definition.test_arithmetic_of_bf16",
    r"v(max|min|sqrt|rcp|rsqrt|getexp|getmant|reduce|rndscale|scalef)bf16": "test_by_definition.test_functions_of_bf16",
    r"v(cmp|fpclass|comis)bf16": "test_by_definition.test_comparisons_of_bf16_and_flags",
    r"vu?comxs[sdh]": "test_by_definition.test_comparisons_for_signed_conditions",
    r"vminmax([ps][sdh]|bf16)": "test_by_definition.test_minimum_and_maximum_of_the_standard",
    r"vcvtt?(p[sdh]|s[sd]|bf16)2(u?[dq]qs|u?sis|iu?bs)": "test_by_definition.test_conversions_to_integers_saturate",
    r"vcvt(2|bias)?ph2[bh]f8s?": "test_by_definition.test_eight_bit_floats_from_all_numbers_of_f16",
    r"vcvthf82ph|vbcstne\w+|vcvtne[eo]\w+|v?movrs\w*": "test_by_definition.test_widening_conversions",
    r"vcvt2ps2phx": "test_by_definition.test_two_sources_of_f32_to_f16",
    r"vdpphps": "test_by_definition.test_dot_product_of_f16",
    r"vsha512\w+": "test_ciphers.test_sha512_of_a_text",
    r"vsm3\w+": "test_ciphers.test_sm3_of_the_standard",
    r"vsm4\w+": "test_ciphers.test_sm4_of_the_standard",
    r"vp2intersect[dq]": "test_by_definition.test_intersections",
    r"tdp[bh]+f8ps": "test_tiles.test_products_of_eight_bit_floats",
    r"tmmultf32ps": "test_tiles.test_products_of_tf32",
    r"tilemovrow|tcvtrow\w+": "test_tiles.test_rows_of_tiles",
    r"tileloaddrs(t1)?": "test_tiles.test_loads_that_hint_at_sharing",
    r"xbegin|xtest|xabort|umonitor|umwait|tpause|prefetch\w+": "test_words.test_waits_and_hints_change_little",
}
"""The tests of instructions that this processor or another one that runs the tests may lack. numerics/test_amx.py and
numerics/test_dot.py have those of tiles and of dot products of integers."""


def test_the_list_of_instructions_without_semantics() -> None:
    found = {form.mnemonic for form in all_forms() if not has_semantics(form)}
    assert found == set(MISSING.split()) == set(WITHOUT)


def has_semantics(form: Any) -> bool:
    return form.row.key in TABLE or of_module("legacy", form)


def test_every_form_is_decoded_into_its_semantics() -> None:
    """No operands of a form are refused before it is executed."""
    refused = []
    rng = random.Random(1)
    for form in all_forms():
        if not has_semantics(form) or form.mnemonic in FAULTS or rng.random() > SHARE:
            continue
        for operands in draws(form, 1):
            given = tuple(0 if isinstance(each, Label) else each for each in operands)
            if any(getattr(each, "label", None) is not None for each in given):
                continue
            try:
                predecode(state_with(), form, given, 0)
            except CannotRun as error:
                refused.append(f"{form.text(operands)}: {error}")
    assert not refused, "\n".join(refused[:20])


@needs_registers
def test_every_instruction_has_an_oracle() -> None:
    """This processor or a Sapphire Rapids, on which the tests of semantics run as well, or a definition if they lack
    the instruction."""
    forms = [form for form in all_forms() if has_semantics(form) and form.row.key not in FAULTS | TILES]
    there = TARGETS["avx512_fp16"].features | SAPPHIRE_RAPIDS
    native = {form.mnemonic for form in forms if form.features <= there or not host.host().missing(form.features)}
    modules = {
        "test_by_definition": test_by_definition,
        "test_ciphers": test_ciphers,
        "test_tiles": test_tiles,
        "test_words": sys.modules[__name__],
    }
    for mnemonic in {form.mnemonic for form in forms} - native - DOTS.keys():
        places = [place for pattern, place in ORACLES.items() if re.fullmatch(pattern, mnemonic)]
        assert len(places) == 1, mnemonic
        module, _, name = places[0].partition(".")
        assert hasattr(modules[module], name), places


@pytest.mark.parametrize("mnemonic", sorted(WITHOUT))
def test_messages_name_the_reason_and_what_works(mnemonic: str) -> None:
    form = next(form for form in all_forms() if form.mnemonic == mnemonic)
    with pytest.raises(CannotRun, match=r"^the emulator does not execute this instruction: .{20,}; .{20,}"):
        predecode(X86State(state_with().memory), form, draws(form, 1)[0], 0)


def test_a_fault_says_which_instruction() -> None:
    code = assembled(TARGETS["avx2"], lambda a: a.rdtsc())
    found = str(fault_of(code, TARGETS["avx2"]))
    assert found.startswith("at 0x0: rdtsc: the emulator does not execute this instruction: it reads a clock")


def test_an_undefined_flag_is_not_decided_by() -> None:
    """Intel SDM: imul leaves zf undefined, and shifts by more than one bit of."""
    al = regs.R8[0]
    product = assembled(AVX512, lambda a: (a.imul(rax, rcx), a.sete(al)))
    assert "zf is read, which imul left undefined" in str(fault_of(product, AVX512))
    shift = assembled(AVX512, lambda a: (a.shl(rax, 3), a.seto(al)))
    assert "of is read, which shl left undefined" in str(fault_of(shift, AVX512))
    saved = assembled(AVX512, lambda a: (a.imul(rax, rcx), a.pushfq(), a.pop(rcx), a.test(rcx, rcx), a.sete(al)))
    call(saved, AVX512)


def test_the_direction_flag_is_clear_at_return() -> None:
    code = assembled(AVX512, lambda a: a.std())
    with pytest.raises(RuntimeError, match="the direction flag"):
        call(code, AVX512)


def test_addresses_that_must_be_aligned() -> None:
    memory = np.zeros(200, np.uint8)
    odd = memory[1 + -address_of(memory) % 64 :]
    target = replace(AVX512, features=AVX512.features | {"CX16", "MOVDIR64B"})
    for emit in (lambda a: a.cmpxchg16b(regs.mem(rdi)), lambda a: a.movdir64b(rdi, regs.mem(rdi, 64))):
        assert "must be a multiple of" in str(fault_of(assembled(target, emit), target, odd))


def test_waits_and_hints_change_little() -> None:
    """A transaction aborts at once, as it may on every processor, with the status 0; a wait ends at once."""
    state = state_with(memory=np.zeros(64, np.uint8))
    state.r[0], state.zf, state.cf = 5, True, True
    assert execute(state, "xbegin", 64) == 64
    assert state.r[0] == 0
    execute(state, "xabort", 3)
    for mnemonic in ("tpause", "umwait"):
        execute(state, mnemonic, regs.R32[1])
        assert not (state.cf or state.zf or state.of or state.sf or state.pf)
    execute(state, "umonitor", regs.R64[1])
    for mnemonic in ("prefetchrst2", "prefetchwt1"):
        execute(state, mnemonic, regs.mem(rdi))
    execute(state, "xtest")
    assert state.zf
    assert state.r == [0] * 16
    with pytest.raises(CannotRun, match="no transaction to end"):
        execute(state, "xend")
