"""Every verb on vector registers, for every element type and lane count on every machine, against numpy.

emulation.cpu executes the kernels, and this processor if it can. By default a few lane counts are drawn for each verb,
machine and type; TILESMITH_SOAK=1 takes all of them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import numpy as np
import pytest

from tests.microkernels.contract.verb_cases import CASES, COLUMNS, OUTPUT, Array, built, capacities
from tilesmith.emulation.cpu import address_of, call
from tilesmith.microkernels.contract.vector_verbs import VectorVerbsOf
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

SOAK = bool(os.environ.get("TILESMITH_SOAK"))
MACHINES = ("sse", "avx", "avx2", "avx512", "amx", "neon", "sve128", "sve256", "sve512", "sme128", "sme512")
INSIDE_OTHERS = {"expand", "folding", "further", "lanes", "load_group", "predicates", "prefetch_line"}
"""Verbs without a case of their own: the kernels of other cases use them, or they compute nothing; `expand` has the
tests of bit masks (tests/runtime/compressed)."""


def counts(verb: str, name: str, dtype: str) -> list[int]:
    every = capacities(TARGETS[name], dtype)
    if SOAK:
        return list(every)
    drawn = random.Random(f"{verb} {name} {dtype}").choice(every)
    return sorted({len(every), drawn})


def operands(dtype: str, capacity: int, seed: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    size = max(OUTPUT, COLUMNS) * capacity
    low, high = (0, 1 << 31) if dtype == "u32" else (1, 4)
    signs = np.ones(size) if dtype[0] == "u" else rng.choice([-1, 1], size)
    values = [(rng.integers(low, high, size) * signs).astype(numpy_dtype(dtype)) for _ in range(3)]
    return values[0], values[1], values[2]


def cases(verb: str, name: str) -> Iterator[tuple[str, int]]:
    return ((dtype, count) for dtype in CASES[verb].dtypes for count in counts(verb, name, dtype))


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("verb", CASES)
def test_verb(verb: str, name: str):
    target, native = TARGETS[name], not host.runs(TARGETS[name])
    for dtype, count in cases(verb, name):
        made = built(verb, target, dtype, count)
        if made is None:
            continue
        code, capacity = made
        x, y, z = operands(dtype, capacity, count)
        wanted = CASES[verb].expected(x, y, count, capacity, z.copy())
        for given in (x, y):
            given.flags.writeable = False
        again = z.copy()
        call(code.data, target, x, y, z)
        assert np.array_equal(z, wanted), (dtype, count)
        if native:
            block = publish(code.data)  # executable as long as it is referenced
            function = ffi.cast("void(*)(void *, void *, void *)", block.address)
            function(*(ffi.cast("void *", address_of(each)) for each in (x, y, again)))
            assert np.array_equal(again, wanted), (dtype, count, "natively")


def test_every_verb_has_a_case():
    verbs = {name for name, value in vars(VectorVerbsOf).items() if callable(value) and not name.startswith("_")}
    assert verbs == set(CASES) - {"neighbours_without_masks"} | INSIDE_OTHERS


@pytest.mark.parametrize("verb", CASES)
def test_every_case_is_emitted_somewhere(verb: str):
    """Each case must have a kernel on at least one machine."""
    dtype = CASES[verb].dtypes[0]
    assert any(built(verb, TARGETS[name], dtype, capacities(TARGETS[name], dtype)[-1]) for name in MACHINES)
