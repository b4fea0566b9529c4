"""Kernels whose calls go through machine code or through Python, their arguments, and the outcomes of calls.

Each case of tests/runtime/fastcall/test_call_*.py is called on a kernel in native mode, first cold and then after many
right calls, and on a kernel in fallback mode. Calls that succeed must give the same c; calls that fail must raise the
same exception with the same message.
"""

import os
import pickle
import re
import sys
import threading

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.system import environment

MODES = ("native", "cffi")
M, N, K = 3, 5, 4
needs_native = pytest.mark.skipif(bool(entry.refusal()), reason=f"calls go through Python: {entry.refusal()}")


_environment = threading.Lock()


def make(mode, *request, release_gil=None, **keywords):
    """Return a new kernel whose calls use this mode."""
    with _environment:
        before = os.environ.get(environment.ENTRY)
        os.environ[environment.ENTRY] = mode
        try:
            return Kernel(ts.gemm_spec(*request, **keywords), ts.host(), release_gil)
        finally:
            os.environ.pop(environment.ENTRY)
            if before is not None:
                os.environ[environment.ENTRY] = before


def is_native(kernel):
    return type(kernel) is not Kernel


def numbers(shape, dtype="f4", start=1):
    return np.arange(start, start + int(np.prod(shape)), dtype=np.float64).astype(dtype).reshape(shape)


def right(batch=None):
    """Return valid arguments for a batch mode."""
    a, b, c = numbers((M, K)), numbers((K, N), start=2), numbers((M, N), start=3)
    whole_a, whole_b = numbers((3, M, K)), numbers((3, K, N), start=2)
    if batch is None:
        return [a, b, c]
    if batch == 3:
        return [whole_a, whole_b, c]
    if batch is ts.STRIDE:
        return [whole_a, whole_b, c, 3, M * K * 4, K * N * 4]
    if batch is ts.OFFSET:
        return [whole_a, whole_b, c, np.array([0, 48, 96]), np.array([160, 80, 0])]
    tables = [np.array([address(x) for x in whole], np.uint64) for whole in (whole_a, whole_b)]
    return [*tables, c, whole_a, whole_b]  # the last two are only kept alive


COUNTS = {ts.STRIDE: 6, ts.OFFSET: 5}  # the number of arguments of a call; 3 in the other modes


def arguments(batch):
    return right(batch)[: COUNTS.get(batch, 3)]


def outcome(kernel, args, keywords=None):
    """Return the outcome of a call: its result or error (without addresses), and the memory of all arguments
    afterwards."""
    try:
        result = kernel(*args, **(keywords or {}))
    except Exception as error:
        result = type(error).__name__, re.sub("0x[0-9a-f]+", "0x", str(error))
    return result, [x.tobytes() for x in args if issubclass(type(x), np.ndarray) and x.dtype != object]


def equal(x, y):
    return np.array_equal(x, y) if isinstance(x, np.ndarray) else x == y


def warm(kernel, batch, heat):
    """Make valid calls. Their arguments are freed afterwards, so that later tables of addresses can lie in the same
    place."""
    whole = right(batch)
    for _ in range(heat):
        kernel(*whole[: COUNTS.get(batch, 3)])


def agree(request, build, keywords=None, **spec):
    """Check that the three ways to call give the same outcome. `build` makes new arguments that are equal each time
    except for addresses."""
    kernel, python = make("native", *request, **spec), make("cffi", *request, **spec)
    assert is_native(kernel) and not is_native(python)
    expected, memory = outcome(python, build(), keywords)
    for heat in (0, 300):
        warm(kernel, spec.get("batch"), heat)
        found, touched = outcome(kernel, build(), keywords)
        assert type(found) is type(expected) and equal(found, expected), (found, expected)
        assert touched == memory
    return expected


# Wrong and unusual arguments


class Subclass(np.ndarray):
    pass


class Pretender:
    """An object that looks like an array to code that only reads attributes."""

    dtype, shape, strides, ndim = np.dtype("f4"), (M, K), (16, 4), 2
    data = 0
    __class__ = np.ndarray


def misaligned(x):
    return np.ndarray(x.shape, x.dtype, np.frombuffer(bytearray(b"\0" + x.tobytes()), np.uint8), 1)


def frozen(x):
    x.flags.writeable = False
    return x


UNUSUAL = {
    "none": lambda x: None,
    "an int": lambda x: 5,
    "a float": lambda x: 5.0,
    "a list": lambda x: x.tolist(),
    "text": lambda x: "abcdefgh" * 9,
    "a type": lambda x: np.ndarray,
    "a pretender": lambda x: Pretender(),
    "0-d": lambda x: np.array(1, x.dtype),
    "scalar": lambda x: x.dtype.type(1),
    "zero rows": lambda x: x[..., :0, :],
    "zero columns": lambda x: x[..., :0],
    "flat": lambda x: x.reshape(-1),
    "one more axis": lambda x: x[None],
    "32 axes": lambda x: x.reshape((1,) * 28 + x.shape),
    "one row more": lambda x: np.concatenate([x, x[..., :1, :]], axis=-2),
    "transposed": lambda x: np.swapaxes(x, -1, -2),
    "columns": lambda x: np.asfortranarray(x),
    "upside down": lambda x: x[..., ::-1, :],
    "mirrored": lambda x: x[..., ::-1],
    "every other": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "padded": lambda x: np.concatenate([x, x], axis=-1)[..., : x.shape[-1]],
    "broadcast": lambda x: np.broadcast_to(x[..., :1, :], x.shape),
    "f8": lambda x: x.astype("f8"),
    "f2": lambda x: x.astype("f2"),
    "i4": lambda x: x.astype("i4"),
    "c8": lambda x: x.astype("c8"),
    "object": lambda x: x.astype(object),
    "record": lambda x: x.view([("x", "f4")]),
    "big-endian": lambda x: x.astype(">f4"),
    "misaligned": misaligned,
    "read-only": frozen,
    "subclass": lambda x: x.view(Subclass),
    "matrix": lambda x: np.asmatrix(x) if x.ndim == 2 else x.view(Subclass),
    "recarray": lambda x: x.view(np.recarray),
    "unpickled": lambda x: pickle.loads(pickle.dumps(x)),
    "unpickled dtype": lambda x: x.view(pickle.loads(pickle.dumps(x.dtype))),
    "named dtype": lambda x: x.view(np.dtype("f4", metadata={"a": 1})),
    "memoryview": memoryview,
    "as a view": lambda x: x.view(),
    "as it is": lambda x: x,
}


class Index:
    def __index__(self):
        return 3

    def __repr__(self):  # test ids must be the same in every process
        return "Index()"


INTEGERS = (
    -1,
    0,
    1,
    2,
    4,
    48,
    49,
    80,
    1 << 29,
    1 << 30,
    (1 << 30) - 4,
    -(1 << 30),
    1 << 31,
    1 << 62,
    1 << 64,
    -48,
    -80,
    True,
    False,
    3.0,
    None,
    "3",
    np.int64(2),
    np.uint8(2),
    np.int32(-1),
    np.uint64(1 << 63),
    np.int64(48),
    np.int64(-48),
    np.int64(1 << 29),
    np.int64(1 << 30),
    np.int64(-(1 << 30)),
    np.int64(1 << 62),
    np.int64(-(1 << 63)),
    np.int64(0),
    np.bool_(True),
    np.array(2),
    Index(),
)


TABLES = {
    "reversed": lambda t: t[::-1],
    "every other": lambda t: np.repeat(t, 2)[::2],
    "empty": lambda t: t[:0],
    "shorter": lambda t: t[:2],
    "longer": lambda t: np.concatenate([t, t]),
    "two axes": lambda t: t[None],
    "0-d": lambda t: t[0],
    "0-d array": lambda t: t[0, ...],
    "other sign": lambda t: t.view({"i": "u8", "u": "i8"}[t.dtype.kind]),
    "int32": lambda t: t.astype("i4"),
    "floats": lambda t: t.astype("f8"),
    "big-endian": lambda t: t.astype(t.dtype.newbyteorder(">")),
    "list": lambda t: t.tolist(),
    "long long": lambda t: t.view({"i": "q", "u": "Q"}[t.dtype.kind]),
    "read-only": frozen,
    "misaligned": misaligned,
    "odd entry": lambda t: t + np.array([0, 2, 0], t.dtype),
    "an element on": lambda t: t + np.array([0, 0, 4], t.dtype),
    "zero entry": lambda t: t * np.array([1, 0, 1], t.dtype),
    "as it is": lambda t: t,
}


# References and memory


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def counts(*objects):
    return [sys.getrefcount(x) for x in objects]


def flat(body, count):
    """Return the resident bytes that the second half of `count` runs adds; by then allocators have filled their pools.

    There is no garbage collection in between: it would return pages to the system, which the next runs take again.
    """
    body(count // 2)
    before = resident()
    body(count // 2)
    return resident() - before


def call_many(kernel, args):
    def body(count):
        for _ in range(count):
            kernel(*args)

    return body
