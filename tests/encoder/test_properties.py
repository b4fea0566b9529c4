"""Properties of objects and listings that linkers read: binutils find only those that hold for the code."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.encoder.a64_targets import EVERYTHING as A64
from tests.encoder.targets import EVERYTHING as X86
from tests.oracles import gnu, gnu_a64, tools
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import BRANCH_TARGETS
from tilesmith.encoder.a64.registers import X, mem, sp
from tilesmith.encoder.elf import relocatable
from tilesmith.encoder.listing import listing
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.names import eax, rax, rdi, rsp
from tilesmith.encoder.x86.registers import ptr


def x86_plain(asm: X86Assembler) -> None:
    asm.endbr64()
    asm.ret()


def x86_bare(asm: X86Assembler) -> None:
    asm.ret()


def x86_moving(asm: X86Assembler) -> None:
    asm.endbr64()
    asm.mov(rsp, rdi)
    asm.ret()


def x86_shadow(asm: X86Assembler) -> None:
    asm.endbr64()
    asm.incsspq(rdi)
    asm.ret()


def _address(asm: X86Assembler, padded: bool) -> None:
    """Emit code that reaches a place by its address."""
    place = asm.label()
    asm.endbr64()
    asm.lea(rax, ptr[place])
    asm.jmp(rax)
    asm.bind(place)
    if padded:
        asm.endbr64()
    asm.ret()


def x86_address(asm: X86Assembler) -> None:
    _address(asm, False)


def x86_padded_address(asm: X86Assembler) -> None:
    _address(asm, True)


def _second(asm: X86Assembler, padded: bool) -> None:
    """Emit a second entry, which a caller reaches by adding a number to the address of the code."""
    asm.endbr64()
    asm.mov(eax, 1)
    asm.ret()
    asm.here("second")
    if padded:
        asm.endbr64()
    asm.ret()


def x86_second(asm: X86Assembler) -> None:
    _second(asm, False)


def x86_padded_second(asm: X86Assembler) -> None:
    _second(asm, True)


def x86_constant(asm: X86Assembler) -> None:
    """The address of data is not an address of code, and a direct call needs no landing pad."""
    inner = asm.label()
    asm.endbr64()
    asm.lea(rax, ptr[asm.const(bytes(16))])
    asm.call(inner)
    asm.ret()
    asm.bind(inner)
    asm.ret()


def a64_plain(asm: A64Assembler) -> None:
    asm.bti(BRANCH_TARGETS["c"])
    asm.ret()


def a64_hint(asm: A64Assembler) -> None:
    asm.hint(34)
    asm.ret()


def a64_bare(asm: A64Assembler) -> None:
    asm.ret()


def a64_jumps_only(asm: A64Assembler) -> None:
    """A function is called, and a pad for jumps does not accept calls."""
    asm.bti(BRANCH_TARGETS["j"])
    asm.ret()


def a64_address(asm: A64Assembler) -> None:
    place = asm.label()
    asm.bti(BRANCH_TARGETS["c"])
    asm.adr(X[0], place)
    asm.br(X[0])
    asm.bind(place)
    asm.ret()


def a64_padded_address(asm: A64Assembler) -> None:
    place = asm.label()
    asm.bti(BRANCH_TARGETS["c"])
    asm.adr(X[0], place)
    asm.br(X[0])
    asm.bind(place)
    asm.bti(BRANCH_TARGETS["j"])
    asm.ret()


def a64_signed(asm: A64Assembler) -> None:
    asm.paciasp()
    asm.stp(X[29], X[30], mem[sp, -16].pre)
    asm.ldp(X[29], X[30], mem[sp].post(16))
    asm.autiasp()
    asm.ret()


def a64_saved_unsigned(asm: A64Assembler) -> None:
    asm.bti(BRANCH_TARGETS["c"])
    asm.stp(X[29], X[30], mem[sp, -16].pre)
    asm.ldp(X[29], X[30], mem[sp].post(16))
    asm.paciasp()
    asm.autiasp()
    asm.ret()


PROMISES: dict[Callable[..., None], str] = {
    x86_plain: "IBT, SHSTK",
    x86_bare: "SHSTK",
    x86_moving: "IBT",
    x86_shadow: "IBT",
    x86_address: "SHSTK",
    x86_padded_address: "IBT, SHSTK",
    x86_second: "SHSTK",
    x86_padded_second: "IBT, SHSTK",
    x86_constant: "IBT, SHSTK",
    a64_plain: "BTI",
    a64_hint: "BTI",
    a64_bare: "",
    a64_jumps_only: "",
    a64_address: "",
    a64_padded_address: "BTI",
    a64_signed: "BTI, PAC",
    a64_saved_unsigned: "BTI",
}


@pytest.mark.parametrize(("write", "promised"), PROMISES.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_only_true_properties_are_recorded(tmp_path, write, promised):
    x86 = write.__name__.startswith("x86")
    asm = X86Assembler(X86) if x86 else A64Assembler(A64)
    write(asm)
    code, oracle = asm.finish(write.__name__), gnu if x86 else gnu_a64
    (tmp_path / "k.o").write_bytes(relocatable(code))
    tools.run(oracle.ASSEMBLER, "-o", str(tmp_path / "as.o"), "--", stdin=listing(code, "gas"))
    for name in ("k.o", "as.o"):
        done = tools.run("readelf", "-nW", str(tmp_path / name))
        line = f"{'x86' if x86 else 'AArch64'} feature: {promised}\n"
        assert not done.stderr and (line in done.stdout if promised else " feature: " not in done.stdout)
