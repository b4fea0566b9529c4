"""Indices and ends of bags are copied and checked by machine code: on every machine against Python's integers, and in
calls of kernels between guard pages, which write nothing if one lies outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address, guarded
from tilesmith.emulation import cpu
from tilesmith.encoder.a64.targets import TARGETS as A64_TARGETS
from tilesmith.encoder.features import TARGETS as X86_TARGETS
from tilesmith.runtime.fastcall import copied_indices as copies
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.fastcall.copied_indices import IndexKind as Kind
from tilesmith.runtime.scalar.a64 import A64Scalar
from tilesmith.runtime.scalar.older_x86 import OlderX86Scalar
from tilesmith.runtime.scalar.x86 import X86Scalar

Array = np.ndarray[Any, Any]
MACHINES = {
    "x86": (X86Scalar, X86_TARGETS["avx2"]),
    "older x86": (OlderX86Scalar, X86_TARGETS["sse"]),
    "a64": (A64Scalar, A64_TARGETS["neon"]),
}
KINDS = {each: np.int32 if each is Kind.HALVES else np.int64 for each in Kind}
SIZE = 9


def right(kind: int, length: int, rng: np.random.Generator) -> Array:
    """Return an array that passes its check, whose limit is SIZE."""
    found = rng.integers(0, SIZE + (kind >= Kind.ENDS), length).astype(KINDS[kind])
    return np.sort(found) if kind >= Kind.ENDS else found


def wrong(array: Array, kind: int) -> list[Array]:
    """Return arrays with an element that is out of range, at the beginning, in the middle or at the end."""
    ends = np.iinfo(array.dtype)
    found = [
        np.where(np.arange(len(array)) == place, value, array).astype(array.dtype)
        for place in {0, len(array) // 2, len(array) - 1}
        for value in (-1, SIZE + (kind >= Kind.ENDS), ends.min, ends.max)
    ]
    return found + [np.array([2, 1, *[3] * (len(array) - 2)])] * (kind >= Kind.ENDS and len(array) > 1)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("kind", KINDS)
def test_on_every_machine(name: str, kind: int) -> None:
    """Two indices are copied first, so that the other array's copy lies behind theirs. Its length is computed from a
    parameter, 6 - length + 2 * (length - 3), and so is its limit."""
    (machine, target), rng = MACHINES[name], np.random.default_rng(kind)
    code, first = copies.emit(machine(), 1, 1), np.array([SIZE - 1, 0])
    for length in (1, 2, 5):

        def run(array: Array, length: int = length) -> tuple[int, Array, Array]:
            given = np.array([address(array), length - 3, address(first), SIZE - 2])
            amounts = 6 - length, 2, 1, 2, 1, 3
            checks = np.array([2, Kind.WORDS, 2, 2, 0, 0, SIZE, 0, 0, kind, 0, *amounts])
            space = np.full(4 + length, -7)
            arrays = {"array": array, "first": first, "checks": checks, "given": given, "space": space}
            regions = [cpu.Region(each, found, each in ("given", "space")) for each, found in arrays.items()]
            done = cpu.execute(code, target, [address(each) for each in (given, checks, space)], regions)
            return done.result, given, space

        array = right(kind, length, rng)
        result, given, space = run(array)
        copy = space[3:].view(array.dtype)
        assert result == 0
        assert given.tolist() == [address(space) + 24, length - 3, address(space), SIZE - 2]
        assert space[:3].tolist() == [SIZE - 1, 0, -7]
        assert copy[:length].tolist() == array.tolist()
        if kind == Kind.ENDS_BUT_LAST:
            assert copy[length] == SIZE
        for each in wrong(array, kind):
            assert run(each)[0] == copies.IndexCopier.outside, each


def rows(x: Array, index: Array, **_: Any) -> Array:
    return x[index]


def bags(x: Array, index: Array, ends: Array) -> Array:
    return np.array([x[index[a:b]].sum(0) for a, b in zip(ends, [*ends[1:], len(index)])])


R, COLUMNS, LONG = ts.RUNTIME, 5, copies.FRAMED + 3
CALLS: dict[str, tuple[Callable[[int], Any], Callable[..., Array], str]] = {
    "rows": (lambda count: ts.gather("rows", count, COLUMNS, size=SIZE), rows, "i64"),
    "rows of any number": (lambda count: ts.gather("rows", R, COLUMNS, size=R, index="i32"), rows, "i32"),
    "a traced function": (
        lambda count: ts.equation(lambda x, index: ts.gather(x, index) * 1, x=(SIZE, COLUMNS), index=(count,)),
        rows,
        "i64",
    ),
    "bags": (
        lambda count: ts.embedding_bag(2, COLUMNS, size=SIZE, count=count, include_last_offset=False),
        bags,
        "i64",
    ),
    "bags of any number": (
        lambda count: ts.embedding_bag(R, COLUMNS, size=R, count=R, index="i32", include_last_offset=False),
        bags,
        "i32",
    ),
}


@pytest.mark.skipif(bool(entry.refusal()), reason="calls go through Python here")
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("count", (7, LONG))
def test_in_calls(name: str, count: int) -> None:
    """A call goes through machine code, with new results and given ones; a wrong index is an IndexError of Python."""
    make, defined, dtype = CALLS[name]
    kernel, rng = make(count), np.random.default_rng(count)
    kind = Kind.HALVES if dtype == "i32" else Kind.WORDS
    x = guarded(rng.integers(-9, 9, (SIZE, COLUMNS)).astype(np.float32), "end")
    index, ends = right(kind, count, rng), [np.array([0, 3])] * (defined is bags)
    given, wanted = (x, guarded(index, "end"), *(guarded(each, "end") for each in ends)), defined(x, index, *ends)
    alone = entry.refusing(kernel)
    y = guarded(np.zeros(wanted.shape, np.float32), "end", writable=True)
    assert alone(*given, y) is None
    assert np.array_equal(y, wanted) and np.array_equal(alone(*given), wanted)
    for each in wrong(index, kind)[::3]:
        y[...] = 7
        assert alone(x, each, *given[2:], y) is alone(x, each, *given[2:]) is NotImplemented
        with pytest.raises(IndexError, match=r"index: entry \d+ is -?\d+; .* has 9 rows"):
            kernel(x, each, *given[2:], y)
        assert (y == 7).all()
    for each in (np.array([0, count + 1]), np.array([3, 2]), np.array([-1, 2])) if ends else ():
        assert alone(*given[:2], each, y) is NotImplemented
        with pytest.raises(IndexError, match="offsets: "):
            kernel(*given[:2], each, y)
