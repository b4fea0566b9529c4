"""Summarised loops give the same values as executing all iterations; loops that cannot be summarised are executed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.core.memory import Region, address_of
from tilesmith.emulation.symbolic.concrete import evaluated
from tilesmith.emulation.symbolic.machine import Done, execute
from tilesmith.encoder.code import Code
from tilesmith.runtime.host.detect import resolve
from tilesmith.runtime.verify.operands import call_of
from tilesmith.x86 import k1, ptr, r10, rdi, rsi, ymm0, ymm1, zmm1, zmm2, zmm3

KERNELS: dict[str, Callable[[str], Any]] = {
    "copy": lambda target: ts.unary("identity", 9, 160, target=target),
    "relu": lambda target: ts.unary("relu", 9, 160, target=target),
    "add": lambda target: ts.binary("add", 9, 160, dtype="f64", target=target),
    "bf16": lambda target: ts.unary("square", 1, 600, dtype="bf16", target=target),
    "transpose": lambda target: ts.transpose(400, 8, target=target),
}
TARGETS = ("sse", "avx2", "avx512", "neon", "sve256")


def numbers(done: Done, region: Any, picked: int) -> Any:
    """Return the values of some elements on random inputs, which are the same for every execution."""
    held = done.memory.held(region)
    raw = held.reshape(-1, held.shape[-1])
    index = np.random.default_rng(0).integers(0, len(raw), picked)
    roots = done.table.nodes_of(raw[index]).tolist()

    def given(node: int) -> Any:
        _, name, number = done.table.leaf(node) or ("", "", 0)
        rng = np.random.default_rng([len(name), number])
        return rng.normal(size=4).astype(f"f{max(done.table.size(node), 2)}").view(np.uint8).reshape(4, -1)

    values = evaluated(done.table, roots, given, 4)
    return [values[root].tolist() for root in roots]


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_summaries_equal_execution_of_all_iterations(name: str) -> None:
    summarised = 0
    for target in TARGETS:
        kernel = KERNELS[name](target)
        call = call_of(kernel.spec, kernel.kind)
        given = kernel.code, kernel.target, call.integers, call.regions, call.symbolic()
        whole, short = (execute(*given, summaries=each) for each in (False, True))
        assert whole.steps == short.steps and not whole.loops
        summarised += bool(short.loops)
        for region in call.regions:
            for what in ("writer", "read"):
                assert np.array_equal(whole.memory.held(region, what), short.memory.held(region, what))
        (y,) = (region for region in call.regions if region.writable)
        if name in ("copy", "transpose"):
            assert np.array_equal(whole.memory.held(y), short.memory.held(y))
        assert numbers(whole, y, 40) == numbers(short, y, 40)
        assert (whole.lost, whole.warnings) == (short.lost, short.warnings)
    assert summarised >= {"bf16": 1, "transpose": 1}.get(name, 3)


def copying(plant: str = "") -> Code:
    """Return a copy of 32 vectors, with the planted fault."""
    asm = ts.assembler("avx2")
    asm.mov(r10, 32)
    head, after = asm.label("head"), asm.label("after")
    asm.vxorps(ymm1, ymm1, ymm1)
    asm.bind(head)
    asm.vmovups(ymm0, ptr[rdi])
    if plant == "iteration 7":
        asm.cmp(r10, 26)
        asm.jne(after)
        asm.vxorps(ymm0, ymm0, ymm0)
        asm.bind(after)
    if plant == "one behind":
        asm.vmovups(ptr[rsi], ymm1)
        asm.vmovups(ymm1, ymm0)
    else:
        asm.vmovups(ptr[rdi + 32 if plant == "itself" else rsi], ymm0)
    asm.add(rdi, 32)
    asm.add(rsi, 32)
    asm.dec(r10)
    asm.jne(head)
    asm.vzeroupper()
    asm.ret()
    return asm.finish("copying")


def selecting() -> Code:
    """Return code that copies each vector under the mask that the previous vector made."""
    asm = ts.assembler("avx512")
    asm.mov(r10, 16)
    head = asm.label("head")
    asm.vxorps(zmm1, zmm1, zmm1)
    asm.vpcmpd(k1, zmm1, zmm1, 0)
    asm.bind(head)
    asm.vmovups(zmm2, ptr[rdi])
    asm.vblendmps(zmm3.k(k1), zmm1, zmm2)
    asm.vmovups(ptr[rsi], zmm3)
    asm.vpcmpd(k1, zmm2, zmm1, 6)
    asm.add(rdi, 64)
    asm.add(rsi, 64)
    asm.dec(r10)
    asm.jne(head)
    asm.vzeroupper()
    asm.ret()
    return asm.finish("selecting")


def test_a_wrong_iteration_is_not_summarised_away() -> None:
    good = ts.verify(copying(), lambda x: x, x=(1, 256))
    assert good and good.loops and "iterations follow from one" in str(good)
    bad = ts.verify(copying("iteration 7"), lambda x: x, x=(1, 256))
    assert bad.refuted and not bad.loops
    assert "[0, 48] becomes" in str(bad)  # an element of the seventh vector


@pytest.mark.parametrize("code", [copying("itself"), selecting()], ids=["itself", "mask"])
def test_dependent_iterations_are_all_executed(code: Code) -> None:
    held = []
    for done, regions in executions(code):
        assert not done.loops
        held.append([numbers(done, region, 60) for region in regions])
    assert held[0] == held[1]


def test_carried_values_are_substituted() -> None:
    (whole, regions), (short, _) = executions(copying("one behind"))
    assert short.loops and not whole.loops
    assert [numbers(whole, each, 60) for each in regions] == [numbers(short, each, 60) for each in regions]


def executions(code: Code) -> Iterator[tuple[Done, list[Region]]]:
    """Yield the results and operands of executions without and with summaries."""
    x, y = np.zeros(33 * 8, np.float32), np.zeros(33 * 8, np.float32)
    regions = [Region("x", x), Region("y", y)]
    for summaries in (False, True):
        yield (
            execute(
                code.data,
                resolve("avx512"),
                [address_of(x), address_of(y)],
                regions,
                {"x": 4, "y": 4},
                summaries=summaries,
            ),
            regions,
        )
