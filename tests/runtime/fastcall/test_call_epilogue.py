"""Calls of kernels with an epilogue, through machine code and through Python, have the same results and errors.

As in runtime/fastcall/test_call_arguments.py, each case runs both ways; a failing call raises the same error and leaves
the memory of all arguments unchanged.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import sys

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import guarded
from tests.runtime.fastcall.call_cases import (
    INTEGERS,
    TABLES,
    UNUSUAL,
    K,
    M,
    N,
    call_many,
    counts,
    equal,
    flat,
    is_native,
    needs_native,
    numbers,
    outcome,
    right,
)
from tilesmith.microkernels.epilogue.spec import epilogue_spec
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.system import environment

BATCHES = (None, 3, ts.STRIDE, ts.OFFSET, ts.ADDRESS)
EXTRAS = 2


def function(c, bias, scale):
    return ts.relu(c + bias) * scale


@functools.cache
def make(way, batch=None, beta=1.0, order="C", release_gil=None):
    """Make a new kernel whose calls go `way`: "native" or "cffi"."""
    before = os.environ.get(environment.ENTRY)
    os.environ[environment.ENTRY] = way
    try:
        plain = ts.gemm_spec(M, N, K, batch=batch, beta=beta, order=order)
        return Kernel(epilogue_spec(plain, function, {"scale": "col"}), ts.host(), release_gil)
    finally:
        os.environ.pop(environment.ENTRY)
        if before is not None:
            os.environ[environment.ENTRY] = before


def arguments(batch, keep=None):
    """Return right arguments; `keep` holds arguments of a plain kernel that must stay alive."""
    a, b, c, *rest = keep or right(batch)
    behind = rest[: {ts.STRIDE: 3, ts.OFFSET: 2}.get(batch, 0)]
    return [a, b, c, numbers((N,), start=-20), numbers((M,), start=2), *behind]


def agree(build, batch, beta=1.0):
    """Check that both ways have the same result; `build` makes fresh arguments."""
    kernel, python = make("native", batch, beta), make("cffi", batch, beta)
    assert is_native(kernel) and not is_native(python)
    expected, memory = outcome(python, build())
    found, touched = outcome(kernel, build())
    assert type(found) is type(expected) and equal(found, expected), (found, expected)
    assert touched == memory
    return expected


def product(batch):
    """Return a @ b summed over the batch of `right`."""
    if batch is None:
        a, b, _ = right()
        return a @ b
    a, b, *_ = right(3)
    pairs = zip(range(3), (40 // 20 - i for i in range(3)) if batch is ts.OFFSET else range(3))
    return sum(a[i] @ b[j] for i, j in pairs)


@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_results_and_new_outputs(mode, batch):
    keep = right(batch)
    for beta in (0.0, 1.0):
        args = arguments(batch, keep)
        kernel, c = make(mode, batch, beta), args[2].copy()
        bias, scale = args[3:5]
        want = np.maximum(beta * c + product(batch) + bias, np.float32(0)) * scale[:, None]
        args[2] = c
        assert kernel(*args) is None
        np.testing.assert_array_equal(c, want)  # integers in f32, so the results are exact
        args[2] = None
        if beta:
            with pytest.raises(TypeError, match="c: an array"):
                kernel(*args)
            continue
        made = [kernel(*args) for _ in range(3)]
        for each in made:
            assert type(each) is np.ndarray and each.dtype == np.float32 and each.flags.writeable
            np.testing.assert_array_equal(each, want)
        assert len({x.ctypes.data for x in made}) == 3
        alike = [object()]  # the number of references to an object in a list depends on the version
        references = sys.getrefcount(made[0]), sys.getrefcount(alike[0])
        assert references[0] == references[1]


@needs_native
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_machine_code_takes_the_call(batch, monkeypatch):
    """Machine code takes right arguments without the slow path, whether c is given or None."""
    keep = right(batch)
    kernel = make("native", batch, 0.0)
    monkeypatch.setattr("tilesmith.runtime.arguments.epilogue.EpilogueCall.__call__", pytest.fail)
    monkeypatch.setattr("tilesmith.runtime.arguments.gemm.GemmCall.with_output", pytest.fail)
    args = arguments(batch, keep)
    kernel(*args)
    args[2] = None
    kernel(*args)


@needs_native
@pytest.mark.parametrize("kind", UNUSUAL)
@pytest.mark.parametrize("batch", (None, 3, ts.STRIDE, ts.OFFSET), ids=str)
def test_unusual_array(batch, kind):
    for position in range(3):

        def build(position=position):
            args = arguments(batch)
            args[position] = UNUSUAL[kind](args[position])
            return args

        for beta in (0.0, 1.0):
            agree(build, batch, beta)


VECTORS = {
    "none": lambda x: None,
    "a list": lambda x: x.tolist(),
    "an int": lambda x: 7,
    "0-d": lambda x: x[0, ...],
    "shorter": lambda x: x[:-1],
    "longer": lambda x: np.concatenate([x, x]),
    "a row": lambda x: x[None],
    "a column": lambda x: x[:, None],
    "every other": lambda x: np.repeat(x, 2)[::2],
    "reversed": lambda x: x[::-1],
    "f8": lambda x: x.astype("f8"),
    "big-endian": lambda x: x.astype(">f4"),
    "read-only": UNUSUAL["read-only"],
    "misaligned": UNUSUAL["misaligned"],
    "subclass": UNUSUAL["subclass"],
    "as it is": lambda x: x,
}


@needs_native
@pytest.mark.parametrize("kind", VECTORS)
@pytest.mark.parametrize("batch", (None, 3, ts.STRIDE, ts.OFFSET), ids=str)
def test_unusual_operand(batch, kind):
    for position in (3, 4):
        for absent in (False, True):

            def build(position=position, absent=absent):
                args = arguments(batch)
                args[position] = VECTORS[kind](args[position])
                args[2] = None if absent else args[2]
                return args

            agree(build, batch, 0.0)


@needs_native
@pytest.mark.parametrize("place", ("first", "second", "behind"))
@pytest.mark.parametrize("batch", (None, ts.STRIDE, ts.OFFSET), ids=str)
def test_operand_that_overlaps_c(batch, place):
    def build():
        args = arguments(batch)
        memory = np.zeros(M * N + 2 * N, np.float32)
        args[2] = memory[: M * N].reshape(M, N)
        start = {"first": 0, "second": M * N - 1, "behind": M * N}[place]
        args[3] = memory[start : start + N]
        return args

    found = agree(build, batch)
    assert (found is None) == (place == "behind")


@needs_native
@pytest.mark.parametrize("value", INTEGERS, ids=repr)
def test_integer_argument(value):
    for position in range(3 + EXTRAS, 6 + EXTRAS):

        def build(position=position):
            args = arguments(ts.STRIDE)
            args[position] = value
            return args

        for absent in (False, True):
            agree(lambda: [None if i == 2 and absent else x for i, x in enumerate(build())], ts.STRIDE, 0.0)  # noqa: B023


@needs_native
@pytest.mark.parametrize("kind", TABLES)
def test_table_of_offsets(kind):
    for position in (3 + EXTRAS, 4 + EXTRAS):
        for absent in (False, True):

            def build(position=position, absent=absent):
                args = arguments(ts.OFFSET)
                args[position] = TABLES[kind](args[position])
                args[2] = None if absent else args[2]
                return args

            agree(build, ts.OFFSET, 0.0)


@needs_native
@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("count", range(10))
def test_number_of_arguments(batch, count):
    def build():
        return (arguments(batch) + [numbers((2, 2))] * 9)[:count]

    if count != len(arguments(batch)):
        error, _ = agree(build, batch)
        assert error == "TypeError"


@needs_native
def test_plain_kernels_take_none_as_well():
    """Batches by STRIDE and OFFSET, and None as the last argument."""
    for batch in BATCHES:
        keep = right(batch)
        args = keep[: {ts.STRIDE: 6, ts.OFFSET: 5}.get(batch, 3)]
        spec = ts.gemm_spec(M, N, K, batch=batch, beta=0)
        kernel = Kernel(spec, ts.host())
        kernel(*args)
        want, args[2] = args[2], None
        made = [kernel(*args) for _ in range(2)]
        np.testing.assert_array_equal(made, [want, want])
        bad = [*args[:1], args[1][..., :1], *args[2:]]
        with pytest.raises((TypeError, ValueError)):
            kernel(*bad)


def test_arrays_at_guard_pages(mode):
    for batch in (None, 3, ts.STRIDE, ts.OFFSET):
        kernel = make(mode, batch, 0.0)
        want = arguments(batch)
        kernel(*want)
        for side in ("start", "end"):
            args = [guarded(x, side) if isinstance(x, np.ndarray) else x for x in arguments(batch)]
            kernel(*args)
            np.testing.assert_array_equal(args[2], want[2])
            args[2] = None
            np.testing.assert_array_equal(kernel(*args), want[2])


@pytest.mark.usefixtures("quick_collections")
@pytest.mark.seconds
@pytest.mark.parametrize("release_gil", (None, True))
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_calls_keep_no_references(mode, batch, release_gil):
    kernel = make(mode, batch, 0.0, release_gil=release_gil)
    keep = right(batch)
    args = arguments(batch, keep)
    absent = [None if i == 2 else x for i, x in enumerate(args)]
    wrong = [*absent[:3], args[3][:2], *absent[4:]]
    arrays = [x for x in args if isinstance(x, np.ndarray)] + [np.dtype(np.float32)]

    def calls(count):
        for _ in range(count):
            kernel(*args)
            kernel(*absent)
            with contextlib.suppress(ValueError):
                kernel(*wrong)

    calls(5)
    gc.collect()
    before, none = counts(*arrays), sys.getrefcount(None)
    calls(300)
    gc.collect()
    after = counts(*arrays)
    assert after == before and abs(sys.getrefcount(None) - none) < 100


@pytest.mark.slow
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_many_calls_keep_no_memory(mode, batch):
    kernel, keep = make(mode, batch, 0.0), right(batch)
    args = [None if i == 2 else x for i, x in enumerate(arguments(batch, keep))]
    assert flat(call_many(kernel, args), 400_000 if mode == "native" else 4_000) < 1 << 20
