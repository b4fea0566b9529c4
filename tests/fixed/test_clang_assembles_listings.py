"""Sources for GNU as named a move between registers {load} where `as` would choose its other opcode. clang's assembler
has no {load}, so it refused kernels with such moves, such as softmax on AVX2.
"""

from __future__ import annotations

import subprocess

import tilesmith as ts
from tests.oracles import tools
from tilesmith.runtime.cli import objects
from tilesmith.x86 import xmm1, xmm9, ymm1, ymm9


def moves():
    asm = ts.assembler("avx2")
    asm.vmovaps(ymm1, ymm9)
    asm.vmovups(xmm1, xmm9)
    asm.vmovdqu(ymm1, ymm9)
    asm.vmovq(xmm1, xmm9)
    asm.ret()
    return asm.finish("moves").kernel("void moves(void)")


def text_of(path):
    _, sections = objects.sections(path.read_bytes())
    return sections[0].data


def test_moves_between_registers(tmp_path):
    kernel = moves()
    kernel.save(tmp_path / "k.s")
    subprocess.run([tools.require("as"), "k.s", "-o", "as.o"], cwd=tmp_path, check=True)
    subprocess.run(
        [tools.require("llvm-mc-19"), "--triple=x86_64-linux-gnu", "--filetype=obj", "k.s", "-o", "llvm.o"],
        cwd=tmp_path,
        check=True,
    )
    assert text_of(tmp_path / "as.o") == text_of(tmp_path / "llvm.o") == kernel.code


def test_a_kernel_with_such_moves(tmp_path):
    ts.fused("softmax", 3, 100, target="avx2").save(tmp_path / "k.s")
    assert "{vex3} vmov" in (tmp_path / "k.s").read_text()
    subprocess.run(
        [tools.require("llvm-mc-19"), "--triple=x86_64-linux-gnu", "--filetype=obj", "k.s", "-o", "k.o"],
        cwd=tmp_path,
        check=True,
    )
