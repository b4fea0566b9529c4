"""Kernels with scratch memory, of up to 76 KiB, crashed in threads with small stacks, and nothing said how much stack
they need."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import tilesmith as ts
from tests import profiles
from tilesmith.emulation.a64 import call as a64_call
from tilesmith.emulation.core.faults import Fault
from tilesmith.emulation.x86 import call as x86_call
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.memory.other_stack import LARGEST

SMALL_THREAD = 64 << 10
RNG = np.random.default_rng(0)


def random(*shape, dtype="f4"):
    return RNG.random(shape, dtype="f4").astype(dtype)


def kinds(target=None, wide=True):
    """Yield kernels by name, with the arguments of a call. `wide`: with shapes that need much scratch memory."""
    bf16 = numpy_dtype("bf16")
    h, q, k, d = (2, 128, 256, 64) if wide else (1, 4, 8, 16)
    m, n = (64, 8000) if wide else (5, 40)
    heads = [random(h, q, d), random(h, k, d), random(h, k, d)]
    x, row = random(m, n), random(n)
    square = random(24, 24)

    def two(x, w, v):
        return ts.gelu(x @ w) @ v

    yield "attention", ts.attention(h, q, k, d, target=target), heads
    narrow = [each.astype(bf16) for each in heads]
    yield "attention bf16", ts.attention(h, q, k, d, dtype="bf16", target=target), narrow
    made = ts.fused("batchnorm_training", m, n, target=target)
    yield "batchnorm", made, [x, row, row, np.empty_like(x), *(np.empty((1, n), "f4") for _ in range(2))]
    yield "softmax", ts.fused("softmax", 8, n, target=target), [x[:5].repeat(2, 0)[:8].copy()]
    chain = ts.equation(two, target=target, x=(24, 24), w=(24, 24), v=(24, 24))
    yield "chain", chain, [square, square, square]
    yield "product", ts.brgemm(24, 24, 24, beta=0, target=target), [square, square]
    columns = ts.brgemm(24, 24, 24, beta=0, order="FFC", target=target)
    yield "packed product", columns, [np.asfortranarray(square)] * 2
    pairs = ts.brgemm(24, 24, 24, beta=0, dtype=("bf16", "bf16", "f32"), target=target)
    yield "product of bf16", pairs, [square.astype(bf16)] * 2
    yield "transpose", ts.transpose(24, 24, target=target), [square]
    yield "sum", ts.reduce("sum", 24, 24, axis=0, target=target), [square]
    yield "gather", ts.gather("rows", 6, 24, size=24, target=target), [square, np.arange(6)]
    lse = random(h, q)
    yield "attention_inv", ts.attention_inv(h, q, k, d, target=target), [heads[0], *heads, heads[0], lse]
    yield "rows of softmax", ts.fused("softmax", ts.RUNTIME, 40, target=target), [x[:, :40].copy()]
    yield "rows of a product", ts.brgemm(ts.RUNTIME, 24, 24, beta=0, target=target), [square, square]
    yield "rows of a chain", ts.equation(two, target=target, x=(ts.RUNTIME, 24), w=(24, 24), v=(24, 24)), [square] * 3


def made(name, kernel, arguments):
    """Return the results of a call."""
    found = kernel(*arguments)
    outputs = arguments[3:] if found is None else found if isinstance(found, tuple) else (found,)
    return [np.array(each) for each in outputs]


def test_every_kind_in_a_thread_of_64_kib():
    """In another process: a fault would end this one."""
    code = "from tests.fixed.test_small_stacks import in_a_small_thread; in_a_small_thread()"
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip() == "right", done.stdout + done.stderr


def in_a_small_thread():
    """Call every kind in the main thread and in one with a small stack, which must give the same bits."""
    calls = [(name, kernel, arguments) for name, kernel, arguments in kinds()]
    big, layer = ts.gemm(300, 300, 300, beta=0), ts.linear(100, 100, 100)
    net = ts.mlp(100, [100, 100])
    x, bias = random(300, 300), random(100)
    heads, y = random(8, 128, 64), random(100, 100)
    spread = ts.spread(ts.attention(8, 128, 128, 64))
    weights, many = layer.pack(y), net.pack([y])
    calls += [
        ("gemm", big, [x, x]),
        ("linear", layer, [y, weights, bias]),
        ("mlp", net, [y, many, [bias]]),
        ("spread", spread, [heads, heads, heads]),
        ("matmul", ts.matmul, [x, x]),
    ]
    assert sum(getattr(kernel, "stack_bytes", 0) > LARGEST for _, kernel, _ in calls) >= 3
    right = [made(*call) for call in calls]
    wrong = ["never ended"]

    def run():
        found = [made(*call) for call in calls]
        wrong[:] = [
            call[0] for call, one, other in zip(calls, right, found) if not all(map(np.array_equal, one, other))
        ]

    threading.stack_size(SMALL_THREAD)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    print(*wrong or ["right"])


TARGETS = (
    ("avx2", "neon")
    if not profiles.is_soak()
    else ("avx512", "avx512_amx", "avx2", "avx", "sse", "neon", "sve256", "sve512", "sme")
)


@pytest.mark.parametrize("target", TARGETS)
def test_the_emulator_finds_no_access_below_the_stack_that_a_kernel_says_it_needs(target, monkeypatch):
    checked = 0
    for name, kernel, arguments in kinds(target, wide=False):
        if not profiles.is_soak() and name not in ("attention", "product", "transpose"):
            continue
        needed = kernel.stack_bytes
        assert f"needs {needed} bytes of stack" in kernel.declared().comment
        for size, fits in ((-(-needed // 16) * 16, True), (needed // 32 * 16, False)):
            for module in (x86_call, a64_call):
                monkeypatch.setattr(module, "stack_size", lambda claims, moves, size=size: size)
            if fits:
                kernel.run(*arguments)
            elif needed > 1024:
                with pytest.raises(Fault):
                    kernel.run(*arguments)
                checked += 1
    assert checked
