"""Which instructions depend on MXCSR or FPCR: processors execute them under several rounding modes.

A kernel whose instructions depend on neither does not check the mode at its start (microkernels/contract/machine.py),
so a mnemonic that is missing from the pattern would compute under the caller's mode.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from tests.emulation.a64 import by_server as cpu_a64_server
from tests.emulation.a64 import cases as cpu_a64_cases
from tests.emulation.a64 import test_semantics as test_cpu_a64
from tests.emulation.x86 import native as cpu_x86_native
from tests.emulation.x86.test_semantics import MODULES, forms, needs_registers
from tilesmith.emulation.a64 import semantics as a64_semantics
from tilesmith.emulation.core.memory import MemoryFault
from tilesmith.emulation.qemu.faults import GuestFault
from tilesmith.encoder.a64.assembler import TABLE as A64_ROWS
from tilesmith.microkernels.machines.a64.rounding import A64Rounding
from tilesmith.microkernels.machines.x86.core import X86Rounding
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

USUAL, MXCSR = 0x1F80, (0xDFC0, 0x3F80, 0x7F80)  # rounding up with flushing; down; towards zero
FPCR = 1 << 22 | 1 << 24 | 1 << 19 | 1 << 25 | 1 << 26  # rounding up, flushing, default NaN, AHP
TRIES = 2  # tests per form


def cases_of(form: Any, make: Callable[[Any, random.Random], Any], tries: int = TRIES) -> Iterator[Any]:
    """Yield random cases of a form, leaving out combinations of operands and contents that are not valid."""
    rng = random.Random(form.syntax())
    for _ in range(tries):
        case = next((case for _ in range(8) if (case := make(form, rng)) is not None), None)
        if case is not None:
            yield case


def ends(those: Sequence[Any]) -> list[Any]:
    """Return the first and the last form of a mnemonic, which usually have the shortest and the longest vectors."""
    return list(dict.fromkeys((*those[:1], *those[-1:])))


# x86-64, on this processor


def vector_forms() -> dict[str, list[Any]]:
    """Return the forms of VEX and EVEX of each mnemonic that the emulator knows and a stub can hold. Kernels emit no
    others."""
    found: dict[str, list[Any]] = {}
    for module in MODULES:
        for form in forms(module):
            if form.mnemonic[0] in "vk" and "mxcsr" not in form.mnemonic:
                found.setdefault(form.mnemonic, []).append(form)
    return found


def natively(case: Any, address: int, mxcsr: int) -> tuple[bytes, bytes]:
    """Run the stub at this address and return all registers but MXCSR, and the memory."""
    block, before = case.block.copy(), case.memory.copy()
    block[cpu_x86_native.MXCSR :][:4].view("u4")[0] = mxcsr
    cpu_x86_native.IN[:] = block
    ffi.cast("void(*)(void)", address)()
    out = cpu_x86_native.OUT.copy()
    left = case.memory.tobytes()
    case.memory[:] = before
    out[cpu_x86_native.MXCSR :] = 0
    return out.tobytes(), left


def followers(known: dict[str, list[Any]], tries: int = TRIES) -> set[str]:
    """Return the mnemonics whose results differ under another MXCSR."""
    before, after, _ = cpu_x86_native.around()
    cases = [
        case
        for those in known.values()
        for form in ends(those)
        for case in cases_of(form, cpu_x86_native.make_case, tries)
    ]
    stubs = [before + case.data + after for case in cases]
    places = np.cumsum([0, *map(len, stubs)])
    block = publish(b"".join(stubs))
    differ = set()
    for case, place in zip(cases, places):
        wanted = natively(case, block.address + int(place), USUAL)
        if any(natively(case, block.address + int(place), word) != wanted for word in MXCSR):
            differ.add(case.form.mnemonic)
    return differ


@needs_registers
@pytest.mark.seconds
def test_instructions_outside_the_pattern_ignore_mxcsr() -> None:
    still = {name: those for name, those in vector_forms().items() if not X86Rounding.follows(name)}
    assert len(still) > 300
    assert followers(still) == set()


@needs_registers
def test_common_instructions_depend_on_mxcsr() -> None:
    names = {
        "vaddps",
        "vmaxps",
        "vfmadd231ps",
        "vfnmadd213pd",
        "vmulpd",
        "vdivps",
        "vsqrtps",
        "vroundps",
        "vcvtps2dq",
        "vcvtdq2ps",
        "vcvtpd2ps",
        "vcvtps2ph",
        "vrndscaleps",
    }
    assert followers({name: those for name, those in vector_forms().items() if name in names}, 8) == names
    assert all(X86Rounding.follows(name) for name in names)


# AArch64, on the server's processor

VECTOR = {"NEON", "SVE", "SVE2", "FP16", "BF16", "I8MM", "DOTPROD", "FHM", "F64MM", "F32MM"}


def served(server: Any, case: Any, fpcr: int) -> dict[str, Any]:
    case.block[case.place.fpcr :][:8].view("u8")[0] = fpcr
    cpu_a64_server.processed(server, case)
    parts: dict[str, Any] = case.after["processor"]
    return parts


def a64_follows(server: Any, mnemonic: str) -> bool:
    """Return whether any result differs under another FPCR."""

    def make(form: Any, rng: random.Random) -> Any:
        return cpu_a64_cases.make_case(form, rng, test_cpu_a64.lengths(form, server)[-1])

    known = [form for form in A64_ROWS.forms(mnemonic) if test_cpu_a64.in_reach(form, server)]
    for case in (case for form in known[-1:] for case in cases_of(form, make)):
        if a64_semantics.semantic_of(case.form) is None:
            continue
        try:
            cpu_a64_server.emulated(case)
        except MemoryFault:  # a first-fault load whose first element lies outside
            continue
        try:
            wanted = served(server, case, 0)
        except GuestFault as fault:
            assert fault.signal == "SIGILL", mnemonic  # an instruction newer than the emulator
            return False
        if served(server, case, FPCR) != wanted:
            return True
    return False


@pytest.mark.seconds
def test_instructions_outside_the_pattern_ignore_fpcr(aarch64: Any) -> None:
    vector = [name for name in sorted(A64_ROWS) if any(form.features & VECTOR for form in A64_ROWS.forms(name))]
    still = [name for name in vector if not A64Rounding.follows(name)]
    assert len(still) > 300
    assert [name for name in still if a64_follows(aarch64, name)] == []


def test_common_instructions_depend_on_fpcr(aarch64: Any) -> None:
    names = ["fadd", "fmla", "fmul", "fmax", "fdiv", "fsqrt", "frinti", "fcvtn", "scvtf", "fmlal"]
    assert [name for name in names if not a64_follows(aarch64, name)] == []
    assert [name for name in names if not A64Rounding.follows(name)] == []
