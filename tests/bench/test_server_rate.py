"""The number of calls per second of the AArch64 server, printed by `pytest tests/bench/test_server_rate.py -s`."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.profiles import is_soak, scaled
from tilesmith.emulation.qemu.buffers import SIDES
from tilesmith.emulation.qemu.faults import GuestFault
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.registers import Q, V, W, X, mem
from tilesmith.encoder.a64.targets import TARGETS
from tilesmith.encoder.code import Code
from tilesmith.encoder.features import Target
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.runtime.kernel.callable import Kernel

pytestmark = pytest.mark.seconds

SECONDS = 1.0 if is_soak() else 0.2
EXAMPLES = scaled(200, 1000)
ORDERS = list(product("CF", repeat=3))  # half of them pack an operand
BETAS = (0.0, 1.0, 0.5)


def add(count: int, constant: int = 0) -> Code:
    """Return f(x, y, z), which computes z = x + y for `count` vectors of four f32."""
    asm = A64Assembler(TARGETS["neon"])
    asm.load_immediate(X[4], constant)
    with asm.loop(X[3], count):
        asm.ldr(Q[0], mem[X[0]].post(16))
        asm.ldr(Q[1], mem[X[1]].post(16))
        asm.fadd(V[0].s4, V[0].s4, V[1].s4)
        asm.str(Q[0], mem[X[2]].post(16))
    asm.ret()
    return asm.finish()


def show(what: str, rate: float) -> None:
    print(f"\n{what}: {rate:,.0f} per second", end="")


def rate(call: Callable[[], object]) -> float:
    """Return the calls per second."""
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        call()
        count += 1
    return count / (time.perf_counter() - start)


@pytest.mark.parametrize("count", [1, 64, 1024])
def test_calls(aarch64, count):
    x, y, z = (np.full(4 * count, i, np.float32) for i in (1, 2, 0))
    code = add(count)
    show(f"calls with three arrays of {16 * count} bytes", rate(lambda: aarch64.call(code, x, y, z)))
    assert (z == 3).all()


def test_new_code(aarch64):
    codes = iter([add(1, constant).data for constant in range(100_000, 130_000)])
    x = np.ones(4, np.float32)
    show("calls of new code", rate(lambda: aarch64.call(next(codes), x, x, x)))


def test_crashes(aarch64):
    asm = A64Assembler(TARGETS["neon"])
    asm.ldr(W[0], mem[X[0]])
    code, x = asm.finish(), np.ones(3, np.uint8)

    def crash():
        with pytest.raises(GuestFault):
            aarch64.call(code, x)

    show("calls that crash", rate(crash))


def test_restarts(aarch64):
    def restart():
        aarch64.close()
        aarch64.start()

    show("restarts", rate(restart))


class Clock:
    """Sums the seconds spent in calls of a function."""

    def __init__(self) -> None:
        self.seconds, self.calls = 0.0, 0

    def __call__(self, function: Callable[..., object], *arguments: object, **keywords: object) -> object:
        start = time.perf_counter()
        result = function(*arguments, **keywords)
        self.seconds += time.perf_counter() - start
        self.calls += 1
        return result


def test_hypothesis_examples(aarch64):
    """Every example has its own code and values."""
    codes = set()

    @settings(max_examples=EXAMPLES, database=None)
    @given(st.integers(1, 8), st.sampled_from(SIDES), st.integers(0, 1 << 60), st.integers(0, 1 << 30))
    def examples(count, side, constant, seed):
        x, y = np.random.default_rng(seed).random((2, 4 * count), np.float32)
        z = np.zeros_like(x)
        code = add(count, constant)
        codes.add(code.data)
        aarch64.call(code, x, y, z, side=side)
        assert (z == x + y).all()

    start = time.perf_counter()
    examples()
    show(f"hypothesis examples, {len(codes)} codes in {EXAMPLES}", EXAMPLES / (time.perf_counter() - start))


def drawn(largest: int) -> st.SearchStrategy:
    """Draw (m, n, k, orders, beta), side and seed as one argument, since hypothesis takes 30 us for each argument."""
    request = st.tuples(*[st.integers(1, largest)] * 3, st.sampled_from(ORDERS), st.sampled_from(BETAS))
    return st.tuples(request, st.sampled_from(SIDES), st.integers(0, 1 << 30))


def generated(target: Target, request: tuple) -> bytes:
    m, n, k, order, beta = request
    return Kernel(gemm_spec(m, n, k, order=order, beta=beta), target).code


@pytest.mark.parametrize("name", ["neon", "sve256"])
@pytest.mark.parametrize(
    "largest, before", [(scaled(3, 4), True), (8, False)], ids=["generated before", "each generated"]
)
def test_hypothesis_examples_of_gemm(aarch64, largest, before, name):
    """Call and compare BRGEMM requests, generated within each example or all of them before."""
    target, generation, execution, kernels = TARGETS[name], Clock(), Clock(), {}
    bits = target.vector_bits if target.isa == "sve" else None
    if before:
        extents = range(1, largest + 1)
        kernels = {request: generated(target, request) for request in product(extents, extents, extents, ORDERS, BETAS)}

    @settings(max_examples=EXAMPLES, database=None)
    @given(drawn(largest))
    def examples(example):
        request, side, seed = example
        m, n, k, orders, beta = request
        code = kernels[request] if before else generation(generated, target, request)
        values = np.random.default_rng(seed)
        a, b, c = (np.array(values.integers(-8, 9, shape), np.float32, order=order)
                   for shape, order in zip(((m, k), (k, n), (m, n)), orders))  # fmt: skip
        wanted = beta * c + a @ b
        execution(aarch64.call, code, a, b, c, side=side, vector_bits=bits)
        assert (c == wanted).all()

    start = time.perf_counter()
    examples()
    seconds = time.perf_counter() - start
    show(f"hypothesis examples of BRGEMM up to {largest} x {largest} x {largest} for {name}", EXAMPLES / seconds)
    for what, clock in (("generating", generation), ("the server", execution)):
        if clock.calls:
            print(f"\n    {what}: {clock.seconds / seconds:.0%}, {clock.seconds / clock.calls * 1e6:,.0f} us", end="")
