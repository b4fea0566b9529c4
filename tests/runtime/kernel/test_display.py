"""Display of kernels: the one-line repr, the print-out, HTML, the register map, and the pipes of each instruction."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import tilesmith as ts
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.names import rdi, rsi, ymm0, ymm1, ymm2
from tilesmith.encoder.x86.registers import ptr
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.kernel import costs, register_map

KERNELS = [
    lambda target: ts.brgemm(9, 13, 5, target=target),
    lambda target: ts.unary("tanh", 5, 33, target=target),
    lambda target: ts.reduce("sum", 5, 33, axis=1, target=target),
    lambda target: ts.transpose(7, 9, target=target),
]
kernels = pytest.mark.parametrize("make", KERNELS)
targets = pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])


class Tags(HTMLParser):
    """A parser that fails if tags are not closed in the order in which they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@kernels
@targets
def test_repr_is_one_line(make: object, target: str) -> None:
    kernel = make(target)  # type: ignore[operator]
    assert re.fullmatch(r"<Kernel \w+ for \w+, \d+ bytes (at 0x[0-9a-f]+|not executable here)>", repr(kernel))
    assert "\n" not in repr(kernel.target) and len(repr(kernel.target)) < 100


@kernels
@targets
def test_html_is_whole(make: object, target: str) -> None:
    kernel = make(target)  # type: ignore[operator]
    tags = Tags()
    tags.feed(kernel._repr_html_())
    tags.close()
    assert not tags.open
    for line in str(kernel.plan).splitlines():
        assert line in tags.text


@kernels
@targets
def test_registers_that_are_used_have_a_role(make: object, target: str) -> None:
    """Every vector register in an instruction of the body has a role at that instruction."""
    kernel = make(target)  # type: ignore[operator]
    code = kernel._code
    held = [(role.start, role.end, set(role.numbers)) for role in code.roles]
    for instruction in code.instructions:
        for _, number in register_map._vectors(instruction.operands):
            inside = any(start <= instruction.offset < end and number in numbers for start, end, numbers in held)
            saved = re.match(r"(stp|ldp|str|ldr) [dq]", instruction.text)  # saves and restores around the body
            assert inside or saved, f"{instruction.text}: nobody claims {number}"


def test_ranges_of_registers() -> None:
    assert register_map._spans(["zmm3", "zmm1", "zmm2", "zmm31", "ymm0"]) == "ymm0, zmm1-zmm3, zmm31"


def test_registers_without_roles_are_those_of_the_instructions() -> None:
    """Tiles and general registers, each from the first instruction that names it to the last one."""
    kernel = ts.brgemm(32, 32, 32, dtype=("bf16", "bf16", "f32"), b_layout="vnni", target="amx")
    shown = {tile: span for span, tile in re.findall(r"^ +(\w+ to \w+) +(tmm\d)$", kernel.registers(), re.MULTILINE)}
    listed = [line for line in kernel.listing().splitlines() if re.match(r" *[0-9a-f]+  ", line)]
    for tile, span in shown.items():
        offsets = [line.split()[0] for line in listed if re.search(rf"\b{tile}\b", line)]
        assert span == f"{offsets[0]} to {offsets[-1]}"
    assert shown.keys() == {f"tmm{number}" for number in range(8)}


def test_costs_of_a_loop() -> None:
    """Computed by hand: two loads, an FMA with a load, an addition, two instructions of the counter, six per cycle."""
    asm = X86Assembler(TARGETS["avx2"])
    with asm.loop(rdi):
        asm.vmovups(ymm0, ptr[rsi])
        asm.vfmadd231ps(ymm1, ymm0, ptr[rsi + 32])
        asm.vaddps(ymm2, ymm2, ymm1)
        asm.vpermilps(ymm0, ymm0, 1)
    asm.ret()
    code = asm.finish()
    (loop,) = costs.loops(code, costs.costs(code))
    assert loop.cost == pytest.approx((1.0, 1.0, 1.0, 6 / 6))
    assert "loop 0x0 to" in costs.table(code)
