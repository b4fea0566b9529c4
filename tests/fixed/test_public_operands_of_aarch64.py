"""tilesmith.a64 had no conditions, system registers, barriers and shifts as last operands, so csel, mrs, dmb and movk
with a shift could not be written with it. X[-1] was x30. Errors did not say what to write instead of a string, of
registers without `listed`, and of an offset that only ldur accepts.
"""

from __future__ import annotations

import subprocess

import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith import a64
from tilesmith.a64 import CC, CS, NE, V, W, X, Z, lsl, mem, vl
from tilesmith.encoder.errors import EncodeError

BODY = [
    (lambda a: a.csel(X[0], X[1], X[2], NE), "csel x0, x1, x2, ne"),
    (lambda a: a.cset(W[3], CS), "cset w3, hs"),
    (lambda a: a.csinc(X[0], X[1], X[2], CC), "csinc x0, x1, x2, lo"),
    (lambda a: a.movk(X[0], 5, lsl(16)), "movk x0, #5, lsl #16"),
    (lambda a: a.mrs(X[0], a64.SYSTEM_REGISTERS["fpcr"]), "mrs x0, fpcr"),
    (lambda a: a.mrs(X[0], a64.system_register(3, 3, 14, 0, 2)), "mrs x0, cntvct_el0"),
    (lambda a: a.dmb(a64.BARRIERS["ish"]), "dmb ish"),
    (lambda a: a.prfm(a64.PREFETCHES["pldl1keep"], mem[X[0], 64]), "prfm pldl1keep, [x0, #64]"),
    (lambda a: a.incb(X[0], a64.PATTERNS["all"], a64.mul(2)), "incb x0, all, mul #2"),
    (lambda a: a.zero(a64.tiles(a64.ZA[0].d)), "zero {za0.d}"),
    (lambda a: a.smstart(a64.STREAMING["sm"]), "smstart sm"),
    (lambda a: a.dc(a64.DATA_CACHE["cvau"], X[1]), "dc cvau, x1"),
    (lambda a: a.ic(a64.INSTRUCTION_CACHE["ivau"], X[1]), "ic ivau, x1"),
    (lambda a: a.bti(a64.BRANCH_TARGETS["c"]), "bti c"),
]


def test_the_bytes_are_those_of_llvm(tmp_path):
    asm = ts.assembler("sme256")
    for write, _ in BODY:
        write(asm)
    text = "\n".join(text for _, text in BODY)
    said = subprocess.run(
        [tools.require("llvm-mc-19"), "--triple=aarch64", "-mattr=+all", "--show-encoding"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    wanted = [
        bytes(int(byte, 16) for byte in line.split("[")[-1].rstrip("]").split(","))
        for line in said.splitlines()
        if "encoding:" in line
    ]
    assert asm.finish("f").data[: 4 * len(BODY)] == b"".join(wanted)


@pytest.mark.parametrize(
    "bank, last, others",
    [
        (X, "x30", ", xzr and sp"),
        (W, "w30", ", wzr and wsp"),
        (V, "v31", ""),
        (Z, "z31", ""),
        (a64.P, "p15", ""),
    ],
)
def test_registers_that_do_not_exist(bank, last, others):
    for number in (-1, len(bank), 99):
        with pytest.raises(IndexError, match=f"register {number}: there are .*0 to {last}{others}$"):
            bank[number]
    assert [*bank[1:3]] == [bank[1], bank[2]] == [*bank][1:3]


@pytest.mark.parametrize(
    "write, hint",
    [
        (lambda a: a.csel(X[0], X[1], X[2], "ne"), r'write CONDITIONS\["ne"\] of tilesmith.a64'),
        (lambda a: a.mrs(X[0], "fpcr"), r'write SYSTEM_REGISTERS\["fpcr"\] of tilesmith.a64'),
        (lambda a: a.dmb("ish"), r'write BARRIERS\["ish"\] of tilesmith.a64'),
        (lambda a: a.ld1w(Z[0].s, a64.P[0].z, mem[X[0], 1 * vl]), r"write listed\(z0.s\)"),
        (lambda a: a.ld2([V[0].s4, V[1].s4], mem[X[0]]), r"write listed\(v0.4s, v1.4s\)"),
        (lambda a: a.ldr(X[0], mem[X[1], -8]), "no such form. ldur accepts them"),
        (lambda a: a.strb(W[0], mem[X[1], -1]), "no such form. sturb accepts them"),
    ],
)
def test_errors_say_what_to_write(write, hint):
    with pytest.raises(EncodeError, match=hint):
        write(ts.assembler("sve256"))


def test_names_that_the_errors_name_exist():
    for table in (
        "CONDITIONS",
        "BARRIERS",
        "PREFETCHES",
        "PATTERNS",
        "COUNTER_LENGTHS",
        "STREAMING",
        "DATA_CACHE",
        "INSTRUCTION_CACHE",
        "BRANCH_TARGETS",
        "SYSTEM_REGISTERS",
    ):
        assert getattr(a64, table) and table in a64.__all__
    with pytest.raises(EncodeError, match="no such form. Nearest"):
        ts.assembler("neon").ldr(X[0], mem[X[1], 1 << 20])
