"""Calls per second of the AArch64 server: `tilesmith bench server_rate`.

Results are checked at every call. The examples of hypothesis have their own code and values each; those of BRGEMM are
generated within each example, or all of them before.
"""

import time
from collections.abc import Callable, Iterator
from itertools import count, product
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesmith.emulation.qemu.buffers import SIDES
from tilesmith.emulation.qemu.faults import GuestFault
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.registers import Q, V, W, X, mem
from tilesmith.encoder.a64.targets import TARGETS
from tilesmith.encoder.code import Code
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.kernel.callable import Kernel

EXAMPLES = 200
ORDERS = list(product("CF", repeat=3))  # half of them pack an operand
BETAS = (0.0, 1.0, 0.5)


def add(vectors: int, constant: int = 0) -> Code:
    """Return f(x, y, z), which computes z = x + y for this many vectors of four f32."""
    asm = A64Assembler(TARGETS["neon"])
    asm.load_immediate(X[4], constant)
    with asm.loop(X[3], vectors):
        asm.ldr(Q[0], mem[X[0]].post(16))
        asm.ldr(Q[1], mem[X[1]].post(16))
        asm.fadd(V[0].s4, V[0].s4, V[1].s4)
        asm.str(Q[0], mem[X[2]].post(16))
    asm.ret()
    return asm.finish()


def rate(call: Callable[[], object], seconds: float) -> float:
    """Return the calls per second."""
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        call()
        calls += 1
    return calls / (time.perf_counter() - start)


def calls(server: Server, seconds: float) -> Iterator[tuple[str, float]]:
    """Yield the rates of calls of the same code, of new code, of calls that crash, and of restarts."""
    for vectors in (1, 64, 1024):
        x, y, z = (np.full(4 * vectors, i, np.float32) for i in (1, 2, 0))
        code = add(vectors)
        yield f"calls with three arrays of {16 * vectors} bytes", rate(lambda: server.call(code, x, y, z), seconds)  # noqa: B023
        assert (z == 3).all()
    x, codes = np.ones(4, np.float32), (add(1, constant).data for constant in count(100_000))
    yield "calls of new code", rate(lambda: server.call(next(codes), x, x, x), seconds)
    asm = A64Assembler(TARGETS["neon"])
    asm.ldr(W[0], mem[X[0]])
    faulty, few = asm.finish(), np.ones(3, np.uint8)

    def crash() -> None:
        try:
            server.call(faulty, few)
        except GuestFault:
            return
        raise AssertionError("a load past the end did not fault")

    yield "calls that crash", rate(crash, seconds)
    yield "restarts", rate(lambda: (server.close(), server.start()), seconds)


def examples(server: Server, drawn: Any, check: Callable[..., None]) -> float:
    """Return the examples of hypothesis per second."""
    run = settings(max_examples=EXAMPLES, database=None)(given(drawn)(check))
    start = time.perf_counter()
    run()
    return EXAMPLES / (time.perf_counter() - start)


def of_additions(server: Server) -> float:
    """Return the rate of examples that each have their own code and values."""

    def check(example: Any) -> None:
        vectors, side, constant, seed = example
        x, y = np.random.default_rng(seed).random((2, 4 * vectors), np.float32)
        z = np.zeros_like(x)
        server.call(add(vectors, constant), x, y, z, side=side)
        assert (z == x + y).all()

    return examples(server, st.tuples(st.integers(1, 8), st.sampled_from(SIDES), st.integers(0, 1 << 60),
                                      st.integers(0, 1 << 30)), check)


def of_gemm(server: Server, name: str, largest: int, before: bool) -> float:
    """Return the rate of examples of BRGEMM. One argument is drawn, since hypothesis takes 30 us for each."""
    target, extents = TARGETS[name], range(1, largest + 1)
    bits = target.vector_bits if target.isa == "sve" else None

    def generated(m: int, n: int, k: int, order: Any, beta: float) -> bytes:
        return Kernel(gemm_spec(m, n, k, order=order, beta=beta), target).code

    kernels = {each: generated(*each) for each in product(extents, extents, extents, ORDERS, BETAS) if before}

    def check(example: Any) -> None:
        request, side, seed = example
        m, n, k, orders, beta = request
        values = np.random.default_rng(seed)
        a, b, c = (np.array(values.integers(-8, 9, shape), np.float32, order=order)
                   for shape, order in zip(((m, k), (k, n), (m, n)), orders))
        wanted = beta * c + a @ b
        server.call(kernels[request] if before else generated(*request), a, b, c, side=side, vector_bits=bits)
        assert (c == wanted).all()

    request = st.tuples(*[st.integers(1, largest)] * 3, st.sampled_from(ORDERS), st.sampled_from(BETAS))
    return examples(server, st.tuples(request, st.sampled_from(SIDES), st.integers(0, 1 << 30)), check)


def measured(run: Run) -> Iterator[Row]:
    with Server() as server:
        yield from ({"what": what, "rate": found} for what, found in calls(server, run.seconds))
        yield {"what": "hypothesis examples", "rate": of_additions(server)}
        for name, (largest, before) in product(("neon", "sve256"), ((3, True), (8, False))):
            words = f"hypothesis examples of BRGEMM up to {largest} cubed for {name}{', generated before' * before}"
            yield {"what": words, "rate": of_gemm(server, name, largest, before)}


BENCH = Bench("server_rate", __doc__, (Table("rates", "what; per second=rate:0", ((),), measured),), seconds=0.5,
              alone=False)
