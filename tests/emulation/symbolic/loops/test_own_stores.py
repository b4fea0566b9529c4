"""Loops whose iterations load what they have stored themselves: summaries give the nodes of all iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import chosen
from tilesmith.emulation.core.memory import Region, address_of
from tilesmith.emulation.symbolic.machine import Done, execute
from tilesmith.encoder.code import Code
from tilesmith.encoder.features import Target
from tilesmith.runtime.host.detect import resolve
from tilesmith.runtime.verify.requests import numbers_of
from tilesmith.x86 import ptr, r10, rdi, rsi, rsp, xmm0, xmm1, xmm2

TARGETS = ("avx2", *(("sse", "avx512", "neon", "sve256") if chosen() == "soak" else ()))


def same(code: bytes, target: Target, integers: Any, regions: Any, symbolic: Any) -> Done:
    """Compare an execution with summaries to one without; return the former."""
    whole = execute(code, target, integers, regions, symbolic, summaries=False)
    short = execute(code, target, integers, regions, symbolic, like=whole)
    assert whole.steps == short.steps and (whole.lost, whole.warnings) == (short.lost, short.warnings)
    for region in regions:
        for what in ("ids", "writer", "read"):
            assert np.array_equal(whole.memory.held(region, what), short.memory.held(region, what))
    return short


@pytest.mark.parametrize("target", TARGETS)
def test_softmax_of_any_rows(target: str) -> None:
    kernel = ts.fused("softmax", ts.RUNTIME, 9, target=target)
    numbers = numbers_of(kernel.spec, kernel.kind)
    assert numbers is not None
    _, call = next(numbers.of((12,)))
    assert same(kernel.code, kernel.target, call.integers, call.regions, call.symbolic()).loops


BODIES = {
    "kept on the stack": True,
    "kept in the result": True,
    "of the iteration before": False,
    "of the next element": False,
    "at another distance": False,
    "in place": True,
    "in place, a vector ahead": False,
    "in place, stored before it is loaded": True,
}
"""Bodies of loops, and whether they are summarised."""


def looped(name: str) -> Code:
    """Return y[i] = x[i] + x[i], or something else, by way of memory."""
    asm = ts.assembler("sse")
    asm.xorps(xmm2, xmm2)
    asm.movups(ptr[rsp - 32], xmm2)
    asm.movups(ptr[rsi + 256], xmm2)
    asm.mov(r10, 12)
    head = asm.label("head")
    asm.bind(head)
    asm.movups(xmm0, ptr[rdi])
    if name == "of the iteration before":
        asm.movups(xmm1, ptr[rsp - 32])
        asm.movups(ptr[rsp - 32], xmm0)
    elif name == "kept on the stack":
        asm.movups(ptr[rsp - 32], xmm0)
        asm.movups(xmm1, ptr[rsp - 32])
    elif name == "kept in the result":
        asm.movups(ptr[rsi], xmm0)
        asm.movups(xmm1, ptr[rsi])
    elif name == "of the next element":
        asm.movups(ptr[rsi], xmm0)
        asm.movups(xmm1, ptr[rsi + 4])
    elif name == "in place, a vector ahead":  # the next iteration loads it
        asm.movups(xmm1, ptr[rdi])
        asm.movups(ptr[rdi + 16], xmm1)
    elif name == "in place":
        asm.movups(xmm1, ptr[rdi])
    else:
        asm.movups(ptr[rsi], xmm0)
        asm.movups(xmm1, ptr[rdi])
    asm.addps(xmm0, xmm1)
    asm.movups(ptr[rsi], xmm0)
    asm.add(rdi, 20 if name == "at another distance" else 16)
    asm.add(rsi, 16)
    asm.dec(r10)
    asm.jne(head)
    asm.movups(xmm1, ptr[rsp - 32])
    asm.movups(ptr[rsi + 64], xmm1)
    asm.ret()
    return asm.finish("looped")


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str) -> None:
    memory = np.zeros(160, np.float32)
    x, y = memory[:80], memory[80:160]
    if name == "at another distance" or name.startswith("in place"):  # a vector is loaded from where a store may reach
        x = y = memory[:120]
    regions = [Region("y", y)] if x is y else [Region("x", x, False), Region("y", y)]
    symbolic = {each.name: 4 for each in regions}
    done = same(looped(name).data, resolve("sse"), [address_of(x), address_of(y)], regions, symbolic)
    assert bool(done.loops) == BODIES[name]
