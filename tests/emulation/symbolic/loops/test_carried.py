"""Sums over iterations from one execution of the body give the same nodes as executing all iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.core.faults import Fault
from tilesmith.emulation.core.memory import Region, address_of
from tilesmith.emulation.symbolic.machine import execute
from tilesmith.encoder.code import Code
from tilesmith.runtime.host.detect import resolve
from tilesmith.runtime.verify.requests import every_call
from tilesmith.x86 import ptr, r10, rdi, rsi, xmm0, xmm1, xmm2

KERNELS: dict[str, tuple[tuple[str, ...], Callable[[str], Any]]] = {
    "product": (("sse", "avx2", "avx512", "neon", "sve256"), lambda target: ts.brgemm(7, 5, 40, target=target)),
    "bf16": (("avx512",), lambda target: ts.brgemm(6, 9, 66, dtype="bf16", target=target)),
    "integers": (("avx2",), lambda target: ts.brgemm(4, 9, 80, dtype=("u8", "i8", "i32"), target=target)),
    "rows": (("avx512", "sve256"), lambda target: ts.reduce("sum", 16, 300, axis=1, target=target)),
    "columns": (("sse", "avx2"), lambda target: ts.reduce("sum", 40, 9, axis=0, target=target)),
    "maximum": (("avx2", "sve256"), lambda target: ts.reduce("max", 9, 300, axis=1, target=target)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_nodes_equal_those_of_all_iterations(name: str) -> None:
    targets, make = KERNELS[name]
    summarised = 0
    for target in targets:
        kernel = make(target)
        _, call = next(every_call(kernel.spec, kernel.kind)[1])
        given = kernel.code, kernel.target, call.integers, call.regions, call.symbolic()
        whole = execute(*given, summaries=False)
        short = execute(*given, like=whole)
        assert whole.steps == short.steps and (whole.lost, whole.warnings) == (short.lost, short.warnings)
        for region in call.regions:
            for what in ("ids", "writer", "read"):
                assert np.array_equal(whole.memory.held(region, what), short.memory.held(region, what))
        summarised += bool(short.loops)
    assert summarised or name == "integers"


def summing(move: str = "", step: int = 16) -> Code:
    """Return a sum of 20 vectors, each loaded `step` bytes behind the previous one."""
    asm = ts.assembler("sse")
    asm.xorps(xmm0, xmm0)
    asm.xorps(xmm2, xmm2)
    asm.mov(r10, 20)
    head = asm.label("head")
    asm.bind(head)
    asm.movaps(xmm1, ptr[rdi])
    asm.addps(xmm0, xmm1)
    if move:  # the sum alternates between two registers
        asm.movaps(xmm1, xmm0)
        asm.movaps(xmm0, xmm2)
        asm.movaps(xmm2, xmm1)
    asm.add(rdi, step)
    asm.dec(r10)
    asm.jne(head)
    asm.addps(xmm0, xmm2)
    asm.movups(ptr[rsi], xmm0)
    asm.ret()
    return asm.finish("summing")


@pytest.mark.parametrize("move", ["", "turns"])
def test_sums_that_change_places(move: str) -> None:
    made = []
    code = summing(move)
    memory = np.zeros(100, np.float32)
    x = memory[-address_of(memory) % 16 // 4 :][:80]
    y = np.zeros(4, np.float32)
    regions = [Region("x", x, promised=16), Region("y", y)]
    whole = execute(
        code.data, resolve("sse"), [address_of(x), address_of(y)], regions, {"x": 4, "y": 4}, summaries=False
    )
    for like in (None, whole):
        done = execute(code.data, resolve("sse"), [address_of(x), address_of(y)], regions, {"x": 4, "y": 4}, like=like)
        assert done.loops and not whole.loops
        made.append(done)
    assert np.array_equal(made[1].memory.held(regions[1]), whole.memory.held(regions[1]))


def test_an_access_that_is_not_aligned_later_is_refused() -> None:
    memory = np.zeros(120, np.float32)
    x = memory[-address_of(memory) % 16 // 4 :][:100]
    y = np.zeros(4, np.float32)
    with pytest.raises(Fault, match="multiple of 16"):
        execute(
            summing(step=12).data,
            resolve("sse"),
            [address_of(x), address_of(y)],
            [Region("x", x, promised=16), Region("y", y)],
            {"x": 4, "y": 4},
        )


def test_a_loop_that_leaves_its_operand_is_refused() -> None:
    memory = np.zeros(100, np.float32)
    x = memory[-address_of(memory) % 16 // 4 :][:76]  # the last vector lies outside the operand
    y = np.zeros(4, np.float32)
    with pytest.raises(Fault):
        execute(
            summing().data,
            resolve("sse"),
            [address_of(x), address_of(y)],
            [Region("x", x, promised=16), Region("y", y)],
            {"x": 4, "y": 4},
        )


@pytest.mark.parametrize("target", ["avx512", "neon"])
def test_products_are_proved_by_it(target: str) -> None:
    proof = ts.brgemm(16, 4, 64, target=target).verify()
    assert proof and proof.loops and "2 ways through the code leave the same expressions" in str(proof)
