"""The assembler found an instruction that its target lacks at `finish` only, without a line, and named no target."""

from __future__ import annotations

import dataclasses
import traceback

import pytest

import tilesmith as ts
from tilesmith.a64 import V
from tilesmith.encoder.a64.targets import TARGETS as A64_TARGETS
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.features import TARGETS as X86_TARGETS
from tilesmith.runtime.host import detect as host
from tilesmith.x86 import k0, ptr, rdi, xmm0, xmm1, ymm0, zmm0, zmm1


def _refused(emit):
    with pytest.raises(EncodeError) as raised:
        emit()
    frames = traceback.extract_tb(raised.value.__traceback__)
    assert any(frame.filename == __file__ and "asm." in (frame.line or "") for frame in frames)
    return str(raised.value)


def test_the_line_and_the_targets():
    asm = ts.assembler("avx2")
    message = _refused(lambda: asm.vmovups(zmm0, ptr[rdi]))
    assert "target avx2 has no AVX512F" in message
    named = message.partition("targets that have it: ")[2].partition(" and ")[0].split(", ")
    assert named and all("AVX512F" in X86_TARGETS[name].features for name in named)
    arm = ts.assembler("neon")
    message = _refused(lambda asm=arm: asm.bfdot(V[0].s4, V[1].h8, V[2].h8))
    first = message.partition("targets that have it: ")[2].partition(", ")[0]
    assert "BF16" not in A64_TARGETS["neon"].features and "BF16" in A64_TARGETS[first].features


def test_a_refused_instruction_leaves_nothing():
    """Neither bytes nor the request to fill in a label. The bytes are those of GNU as."""
    asm = ts.assembler("avx2")
    label = asm.label("never_bound")
    _refused(lambda: asm.vmovups(zmm0, ptr[label]))
    asm.vmovups(ymm0, ptr[rdi])
    asm.ret()
    assert asm.finish("f").data == bytes.fromhex("c5fc1007 c3")


def test_the_advice_for_features_without_a_target():
    asm = ts.assembler("avx2")
    message = _refused(lambda: asm.vp2intersectd(k0, zmm0, zmm1))
    told = message.partition("ts.assembler(")[2].removesuffix(")")
    if told:  # this host lacks it, too
        wider = ts.assembler(eval(told, {"dataclasses": dataclasses, "asm": asm}))
        wider.vp2intersectd(k0, zmm0, zmm1)
    message = _refused(lambda: asm.aesenc(xmm0, xmm1))
    has_it = host.arch() == "x86" and "AES" in host.host().features
    assert ("but this host has it: ts.assembler() without a name" in message) is has_it
    if has_it:
        ts.assembler().aesenc(xmm0, xmm1)


def test_every_instruction_of_a_target_is_taken():
    for target in ("sse", "avx", "avx512", "amx"):
        asm = ts.assembler(target)
        asm.addps(xmm0, xmm1)
        asm.align(16)
        asm.ret()
        assert asm.finish("f").features <= X86_TARGETS[target].features
