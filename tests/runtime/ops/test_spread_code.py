"""Emitted functions that divide a kernel's call: x86-64 natively, AArch64 in its server, by Python's arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.ops.spread_code import OWN, StackCall, TableCall
from tilesmith.runtime.scalar.a64 import A64Scalar
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.scalar.x86 import X86Scalar
from tilesmith.runtime.system.libc import ffi

MACHINES: dict[str, Any] = {"x86": X86Scalar, "a64": A64Scalar}
JOB, SEEN = 0x123456789A, 16
"""`JOB`: an address that is not called. `SEEN`: the word of the array from which the region writes its arguments."""


def built(m: Any, code: StackCall | TableCall, words: int) -> Any:
    """Return f(array), which calls the function with the array's first words, the first of them replaced by its
    address.

    The region writes job, workers, its number and `words` words of the table into the array.
    """
    function, region = m.asm.label(), m.asm.label()
    registers = len(m.arguments)
    m.begin("f")
    m.open(max(0, code.parameters - registers), m.kept)
    base = m.kept[0]
    m.move(base, m.arguments[0])
    m.move(ScalarMemory(base), base)
    for number in range(code.parameters):
        m.move(m.x, ScalarMemory(base, 8 * number))
        m.move(m.argument(number), m.x)
    m.call(function)
    m.close()
    m.ret()
    m.asm.bind(function)
    code.emit(m, JOB, region)
    m.asm.bind(region)
    m.begin("region")
    job, table, workers, number = m.arguments[:4]
    m.move(m.x, ScalarMemory(table))
    for place, value in enumerate((job, workers, number)):
        m.move(ScalarMemory(m.x, 8 * (SEEN + place)), value)
    for word in range(words):
        m.move(m.values[0], ScalarMemory(table, 8 * word))
        m.move(ScalarMemory(m.x, 8 * (SEEN + 3 + word)), m.values[0])
    m.ret()
    return m.asm.finish("f")


def table_from(words: list[int], base: int, code: StackCall | TableCall) -> list[int]:
    """Return the table's words with addresses of A relative to the array's address."""
    parts = code.workers if isinstance(code, StackCall) else 1
    return [each - base if word % OWN == 0 and word < OWN * parts else each for word, each in enumerate(words)]


@pytest.fixture(params=MACHINES)
def seen(request: pytest.FixtureRequest) -> Any:
    """Return seen(code, arguments, words): the arguments of the region, without the address of the first matrix."""
    arch = request.param
    server = request.getfixturevalue("aarch64") if arch == "a64" else None
    if arch == "x86" and host.arch() != "x86":
        pytest.skip("x86-64 code, and this machine is none")

    def run(code: Any, arguments: list[int], words: int) -> list[int]:
        made = built(MACHINES[arch](), code, words)
        assert len(arguments) == code.parameters - 1
        array = np.zeros(SEEN + 3 + words, np.int64)
        array[1 : code.parameters] = arguments
        if server:
            server.call(made, array)
        else:
            block = publish(made.data)
            ffi.cast("void(*)(int64_t)", block.address)(array.__array_interface__["data"][0])
        job, *found = array[SEEN:].tolist()
        assert job == JOB
        return [*found[:2], *table_from(found[2:], int(array[0]), code)]

    return run


@pytest.mark.parametrize("workers", (2, 3, 7))
@pytest.mark.parametrize("count", (0, 1, 2, 6, 1000, 1 << 30))
@pytest.mark.parametrize("known", (True, False))
def test_stacks_are_cut_evenly(seen: Any, workers: int, count: int, known: bool) -> None:
    """Each part of the table has its matrices and its count; the distances and leading dimensions follow."""
    distances, leading = [2048, 0, -72], [16, 17, 18]
    code = StackCall(3 + (not known) + 6, count if known else None, workers, 599)
    wanted = [workers, 599 * count]
    for worker in range(workers):
        first, behind = count * worker // workers, count * (worker + 1) // workers
        wanted += [first * distances[0], 1000, 5000 + first * distances[2], behind - first]
    arguments = [1000, 5000, *([] if known else [count]), *distances, *leading]
    words = OWN * workers + 6
    assert seen(code, arguments, words) == [*wanted, *distances, *leading]


@pytest.mark.parametrize("parameters", (1, 2, 6, 7, 8, 9, 14))
def test_tables_are_the_arguments(seen: Any, parameters: int) -> None:
    """All arguments reach the table, from registers and from the stack."""
    arguments = [number << 33 for number in range(1, parameters)]
    assert seen(TableCall(parameters, 5, 77), arguments, parameters) == [5, 77, 0, *arguments]
