"""Proofs executed one unusual mode of the caller, once, on numbers: code that forgets a bit of the mode was proved.

Expected: for each mutant that is not proved, the processor's manual says that some caller's mode changes the results,
is not restored, or traps.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

import tilesmith as ts
import tilesmith.x86 as x
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import X, xzr
from tilesmith.encoder.decode import decode
from tilesmith.encoder.x86.registers import dword
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.verify.check import verify
from tilesmith.runtime.verify.proof import Proof

KERNELS: dict[str, Callable[[str], ts.Kernel]] = {
    "products": lambda target: ts.brgemm(3, 5, 4, beta=0, target=target),
    "a loop": lambda target: ts.binary("add", 9, 160, target=target),
}
MASK, LOADED = b"\x25\xc0\xff\x00\x00", b"\x04\x80\x1f\x00\x00"  # and eax, 0xffc0; mov dword ptr [rsp + 4], 0x1f80
MODES_KEPT = {0xFFC1: "a sticky flag calls the body under the kernel's own mode, with the same results"}
FORGOTTEN = (0x9FC0, 0xDFC0, 0xBFC0, 0x7FC0, 0xFF80, 0xE040, 0x8040, 0x8000, 0x0040)
OWN_KEPT = {0x1F81: "a sticky flag in the kernel's own mode is lost with it"}
OWN = {
    0x0F80: "an exception is not masked",
    0x1F00: "an exception is not masked",
    0: "no exception is masked",
    0x1FC0: "denormals are zeros",
    0x5F80: "rounding up",
    0x11F80: "#GP",
    0xFFFF1F80: "#GP",
}


def proved(kernel: ts.Kernel, code: bytes) -> Proof:
    return verify(code, kernel.target, kernel.spec, kernel.kind)


def replaced(kernel: ts.Kernel, old: bytes, new: bytes) -> bytes:
    assert kernel.code.count(old) == 1
    return kernel.code.replace(old, new)


@pytest.mark.parametrize(("kind", "target"), [("products", "avx512"), ("a loop", "sse")])
def test_masks_and_modes_of_x86(kind: str, target: str) -> None:
    kernel = KERNELS[kind](target)
    whole = proved(kernel, kernel.code)
    assert whole and "each of the 16 bits of the caller's MXCSR may have either value: 2 ways" in str(whole)
    compare = kernel.code.index(MASK) + len(MASK)
    for mask in FORGOTTEN if kind == "products" else FORGOTTEN[:1]:
        code = replaced(kernel, MASK, MASK[:1] + struct.pack("<I", mask))
        code = code[: compare + 1] + struct.pack("<I", mask & 0x1F80) + code[compare + 5 :]
        proof = proved(kernel, code)
        assert proof.refuted, (hex(mask), str(proof))
    for mask, reason in MODES_KEPT.items():
        assert proved(kernel, replaced(kernel, MASK, MASK[:1] + struct.pack("<I", mask))), reason
    for word, reason in (OWN if kind == "products" else dict(list(OWN.items())[:1])).items():
        assert not proved(kernel, replaced(kernel, LOADED, LOADED[:1] + struct.pack("<I", word))), reason
    for word, reason in OWN_KEPT.items():
        assert proved(kernel, replaced(kernel, LOADED, LOADED[:1] + struct.pack("<I", word))), reason


def changed(kernel: ts.Kernel, text: str, which: int, data: bytes) -> bytes:
    """Replace an instruction that begins with a text: the first (0) or the last (-1)."""
    arch = kernel.target.arch
    at = [
        each.offset
        for each in kernel._code.instructions
        if (own := decode(kernel.code, each.offset, arch)) and own.text.startswith(text)
    ][which]
    own = decode(kernel.code, at, arch)
    assert own is not None and own.length == len(data)
    return kernel.code[:at] + data + kernel.code[at + len(data) :]


def a64(emit: Callable[[A64Assembler], object]) -> bytes:
    asm = A64Assembler(TARGETS["neon"])
    emit(asm)
    return bytes(asm.buffer)


FPCR, FPSR, NOTHING = SYSTEM_REGISTERS["fpcr"], SYSTEM_REGISTERS["fpsr"], bytes.fromhex("1f2003d5")


@pytest.mark.parametrize("target", ["neon", "sve256"])
def test_modes_of_aarch64(target: str) -> None:
    kernel = KERNELS["products"](target)
    whole = proved(kernel, kernel.code)
    assert whole and "each of the 32 bits of the caller's FPCR may have either value: 2 ways" in str(whole)
    compared = int.from_bytes(kernel.code[8:12], "little")
    assert compared >> 24 == 0xB5 and compared & 31 == 16  # cbnz x16
    distance = compared >> 5 & 0x7FFFF
    for bit in (24, 9) if target == "neon" else (22,):
        test = struct.pack("<I", 0x3700_0010 | bit << 19 | distance << 5)  # tbnz w16, #bit
        code = kernel.code[:8] + test + kernel.code[12:]
        assert proved(kernel, code).refuted, f"the other bits than {bit} are not compared"
    narrow = struct.pack("<I", compared & 0x7FFF_FFFF)  # cbnz w16: FPCR has 32 bits
    assert proved(kernel, kernel.code[:8] + narrow + kernel.code[12:])
    wrong = {
        "the caller's mode stays": changed(kernel, "msr fpcr, xzr", 0, NOTHING),
        "the kernel's mode stays": changed(kernel, "msr fpcr, x16", -1, NOTHING),
        "another register is looked at": changed(kernel, "mrs x16", 0, a64(lambda asm: asm.mrs(X[16], FPSR))),
        "the flags are cleared": changed(kernel, "msr fpcr, xzr", 0, a64(lambda asm: asm.msr(FPSR, xzr))),
        "an undefined mode": changed(kernel, "msr fpcr, xzr", 0, a64(lambda asm: asm.msr(FPCR, X[9]))),
    }
    for reason, code in wrong.items() if target == "sve256" else ():
        assert not proved(kernel, code), reason


def test_flags_of_the_caller_are_kept() -> None:
    """A function that sets MXCSR without comparing it, so that the caller's sticky flags are lost."""

    def function(restores: bool, own: int = 0x1F80, any_mode: bool = True) -> Proof:
        asm = ts.assembler("avx2")
        asm.vstmxcsr(dword[x.rsp - 8])
        asm.mov(dword[x.rsp - 4], own)
        asm.vldmxcsr(dword[x.rsp - 4])
        asm.vmovups(x.ymm0, x.ptr[x.rdi])
        asm.vmulps(x.ymm0, x.ymm0, x.ymm0)
        asm.vmovups(x.ptr[x.rsi], x.ymm0)
        if restores:
            asm.vldmxcsr(dword[x.rsp - 8])
        asm.vzeroupper()
        asm.ret()
        return ts.verify(asm.finish("square"), ts.unary("square", 1, 8, target="avx2"), any_mode=any_mode)

    assert function(True) and function(True, any_mode=False)
    assert function(True, 0x1F00, any_mode=False).refuted, "an exception may trap, also for callers of the usual mode"
    assert "not restored" in str(function(False)) or "restoring mxcsr" in str(function(False))
