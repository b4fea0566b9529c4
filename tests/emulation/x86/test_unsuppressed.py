"""Masked instructions with an operand at the end of a page: the emulator refuses what faults on this processor."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator

import numpy as np
import pytest

from tests.encoder.draws import all_forms
from tests.encoder.x86_shapes import BASE, shape_of
from tests.guard import PAGE, address, guarded
from tests.profiles import scaled
from tilesmith.emulation.core.faults import Fault
from tilesmith.emulation.cpu import Region, execute
from tilesmith.emulation.x86.unsuppressed import CLASSES, COUNTS
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.assembler import TABLE, X86Assembler
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.words import EVEX
from tilesmith.runtime.host import detect
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

HOST = detect.host()
MASK = regs.K[1]
ALIGNED = ("vmovaps", "vmovapd", "vmovdqa32", "vmovdqa64")
"""Moves that also fault if their memory is not aligned."""
native = pytest.mark.skipif(HOST.arch != "x86" or "AVX512BW" not in HOST.features, reason="this processor has no masks")


def forms() -> Iterator[X86Form]:
    """Yield the masked forms with a memory operand that this processor executes."""
    for form in all_forms():
        memory = [each for each in form.classes if each.touches_memory and each.kind != "gather"]
        masked = form.prefix.encoding == EVEX and memory and any(each.mask for each in form.classes)
        if masked and not HOST.missing(form.features) and form.mnemonic not in ALIGNED:
            yield form


@native
def test_no_fault_is_missed() -> None:
    rng, held = random.Random(1), guarded(np.zeros(PAGE, np.uint8))
    chosen = list(forms())
    every = [form for form in chosen if form.mnemonic in CLASSES]
    drawn = [
        *rng.sample(chosen, min(scaled(8, 10_000), len(chosen))),
        *rng.sample(every, min(scaled(5, 10_000), len(every))),
    ]
    for form in drawn:
        size = next(each for each in form.classes if each.touches_memory).size // 8
        code = _routine(form)
        for there, mask in ((0, 0), (rng.randrange(size), 1), (rng.randrange(size), (1 << rng.randrange(64)) - 1)):
            if _faults(code, address(held) + PAGE - there, mask):
                regions = [Region("x", held[PAGE - there :])] if there else []
                with pytest.raises(Fault):
                    execute(code, HOST, [address(held) + PAGE - there, mask], regions)


@native
def test_faults_of_the_table_are_not_suppressed() -> None:
    held = guarded(np.zeros(PAGE, np.uint8))
    for form in random.Random(2).sample(
        found := [each for each in forms() if each.mnemonic in CLASSES], min(scaled(10, 10_000), len(found))
    ):
        assert _faults(_routine(form), address(held) + PAGE, 0), form.syntax()


def test_the_table_names_masked_instructions_with_memory() -> None:
    for mnemonic in {*CLASSES, *COUNTS}:
        assert any("{k" in row.operands and "M" in row.operands or "m" in row.operands for row in TABLE.rows(mnemonic))


def _routine(form: X86Form) -> bytes:
    """Return a routine that executes a form under the mask of its second argument, on memory at its first one."""
    asm = X86Assembler(HOST)
    asm.mov(BASE, regs.R64[7])
    asm.kmovq(MASK, regs.R64[6])
    shape = shape_of([each.name for each in form.classes], "", False, form.prefix.length).under(MASK)
    end = X86Assembler(HOST)
    end.vzeroupper()
    end.ret()
    return bytes(asm.buffer) + form.encode(shape.operands) + bytes(end.buffer)


def _faults(code: bytes, memory: int, mask: int) -> bool:
    """Whether a routine faults on this processor."""
    published = publish(code)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        ffi.cast("void(*)(uint64_t, uint64_t)", published.address)(memory, mask)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0 or os.WTERMSIG(status) == signal.SIGSEGV
    return status != 0
