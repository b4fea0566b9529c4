"""Kernels without outer products give the same bits in streaming mode as on SVE of the same vector length.

emulation.cpu executes them and refuses instructions that do not exist in streaming mode. The kernel server executes
them under qemu, between guards, at a streaming length that differs from that of SVE.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.emulation.test_cpu_kernels import operands_of

LENGTHS = (128, 256, 512)
REQUESTS: dict[str, Callable[[str], ts.Kernel]] = {
    **{
        f"{name} {dtype}": lambda target, name=name, dtype=dtype: ts.unary(name, 5, 37, dtype=dtype, target=target)
        for name, dtype in (("tanh", "f32"), ("gelu", "bf16"), ("sigmoid", "f16"), ("sqrt", "f64"), ("log", "f32"))
    },
    **{
        f"accurate {name}": lambda target, name=name: ts.unary(name, 3, 19, accuracy="accurate", target=target)
        for name in ("exp", "tanh", "gelu")
    },
    **{
        f"{name} along {axis}": lambda target, name=name, axis=axis: ts.reduce(name, 9, 37, axis=axis, target=target)
        for name in ("sum", "max", "argmin")
        for axis in (0, 1)
    },
    **{
        f"transpose {dtype}": lambda target, dtype=dtype: ts.transpose(19, 35, dtype=dtype, target=target)
        for dtype in ("i8", "bf16", "f32", "f64")
    },
    "vnni2": lambda target: ts.transform("vnni2", 17, 20, "bf16", target=target),
    "vnni4": lambda target: ts.transform("vnni4", 17, 20, "i8", target=target),
    "max": lambda target: ts.binary("max", 3, 19, target=target),
    "gather rows": lambda target: ts.gather("rows", 4, 9, size=5, target=target),
    "gather columns": lambda target: ts.gather("columns", 4, 9, size=12, target=target),
    "depthwise": lambda target: ts.depthwise(4, 5, 9, padding=1, target=target),
    "fixed matrix": lambda target: ts.sparse_kernel(np.arange(-6, 9).reshape(3, 5) % 4 - 1, 19, target=target),
    "embedding bag": lambda target: ts.embedding_bag(3, 9, size=5, count=6, target=target),
}
GIVEN: dict[str, Sequence[Any]] = {
    "gather rows": [np.array([3, 1, 0, 4])],
    "gather columns": [np.array([3, 1, 0, 4, 11, 3, 2, 7, 8])],
    "embedding bag": [np.array([0, 1, 2, 3, 4, 0]), np.array([0, 2, 3, 6])],
}
"""Indices: these operands cannot be random numbers."""


def arguments(name: str, kernel: ts.Kernel) -> list[Any]:
    """Return random operands and the given ones; an operand that is a vector has one dimension."""
    given = iter(GIVEN.get(name, ()))
    made = [next(given, each) if each.dtype == np.int64 else each for each in operands_of(kernel)]
    return [x.reshape(-1) if operand.vector else x for x, operand in zip(made, kernel.spec.arguments)]


@pytest.mark.parametrize("bits", LENGTHS)
@pytest.mark.parametrize("name", REQUESTS)
def test_the_bits_of_sve(aarch64, name, bits):
    wanted = arguments(name, kernel := REQUESTS[name](f"sve{bits}"))
    operands = [x.copy() for x in wanted]
    kernel.run(*wanted)
    streaming = REQUESTS[name](f"sme{bits}")
    emulated, served = ([x.copy() for x in operands] for _ in range(2))
    streaming.run(*emulated)
    results = [emulated]
    if not aarch64.lacks(streaming.target):
        other = 2 * bits if bits < 512 else 128
        aarch64.call(streaming.code, *served, vector_bits=other, streaming_bits=bits)
        results.append(served)
    for found in results:
        assert [x.tobytes() for x in found] == [x.tobytes() for x in wanted]
    assert any(x.tobytes() != y.tobytes() for x, y in zip(wanted, operands))
