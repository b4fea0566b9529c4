"""Guards of arrays one of whose extents is given at the call accept only what Python's checks accept, with the same
integers.

The kernel is a callback that records its arguments. Calls that machine code does not accept must reach the slow path.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilesmith as ts
from tests.runtime.fastcall.call_cases import UNUSUAL, needs_native
from tilesmith.microkernels.gemm.spec import GemmSpec
from tilesmith.runtime.arguments.arrays import byte_bounds, numpy_dtype
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.fastcall.guards import FUNCTION
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.system.libc import ffi

pytestmark = needs_native
R = ts.RUNTIME
KERNELS = {
    "one": ts.unary("relu", R, 5),
    "gapped": ts.binary("add", R, 5, bcast=(None, "row"), ldx0=7, ldy=6),
    "column": ts.equation(lambda x, b: (x + b, ts.sum(x, axis=1)), x=(R, 5), b=(R, 1)),
    "number": ts.unary("dropout", R, 5, rate=0.5),
    "reduced": ts.reduce("sum", R, 5, axis=1, init=True),
    "kept": ts.reduce("argmax", R, 5, axis=1, keepdims=True, ldx=6),
    "gathered": ts.gather("rows", R, 5, size=R, bounds="kernel", scale="col", ldy=6),
    "table": ts.gather("rows", 4, 5, size=R, bounds="kernel"),
    "bag": ts.embedding_bag(R, 5, size=R, count=R, weights=True, bounds="kernel"),
    "product": ts.brgemm(R, 5, 4, beta=0),
    "added": ts.brgemm(R, 5, 4, ldc=6),
    "columns": ts.brgemm(5, R, 4, order="F", ldb=6),
    "depth": ts.brgemm(5, 6, R),
    "depth by columns": ts.brgemm(5, 6, R, order="F", lda=7),
    "depth of groups": ts.brgemm(5, 6, R, dtype=("i16", "i16", "i32"), b_layout="vnni", ldb=7),
    "depth of groups by columns": ts.brgemm(5, 6, R, dtype="bf16", order="F", a_layout="vnni"),
    "depth of one line": ts.brgemm(5, 1, R, order="CFC", beta=0),
}


class Spy:
    """A callable like the kernel, which records how it was called."""

    def __init__(self, kernel: Kernel, release: str = "never") -> None:
        structure, values = kernel.kind.entry(kernel.spec, release, 4)
        native, self.call = entry.native_type(Kernel), kernel.kind.call(kernel.spec)
        self.natively: list[Any] = []
        self.slowly: list[Any] = []
        types = ", ".join(["int64_t"] * len(structure.parameters))
        noted = ffi.callback(f"void({types})", lambda *args: self.natively.append(args))
        values[FUNCTION] = int(ffi.cast("uintptr_t", noted))
        self.keep = noted, entry.constants_of(values)
        self.target = object.__new__(native.type)
        native.install(
            self.target, entry.code_of(structure, native), self.keep[1], lambda *args, **named: self.slowly.append(args)
        )

    def __call__(self, *args: Any) -> tuple[Any, Any]:
        """Return (the integers, or None if the slow path got the call, and the value that the call returned)."""
        self.natively.clear()
        self.slowly.clear()
        made = self.target(*args)
        assert len(self.natively) + len(self.slowly) == 1
        return (self.natively[0] if self.natively else None), made

    def expected(self, *args: Any) -> Any:
        """Return the integers that Python's checks make of the arguments, or None if they raise."""
        try:
            return tuple(self.call(*args)[0])
        except (TypeError, ValueError):
            return None


def right(kernel: Kernel, m: int, pad: int = 0) -> list[Any]:
    """Return arguments that the kernel accepts, with leading dimensions `pad` elements larger than requested."""
    spec: Any = kernel.spec
    numbers = {"size": 3, "count": m + 2}
    if isinstance(spec, GemmSpec):
        arguments: Any = spec.of(m * spec.whole_k if spec.counted == "k" else m).operands
    else:
        arguments = spec.interface.of([numbers.get(extent.name, m) for extent in spec.interface.extents]).arguments
    made: list[Any] = []
    for each in arguments:
        if not hasattr(each, "dtype"):
            made.append(3)
            continue
        dtype = numpy_dtype(each.dtype)
        lead = 1 if each.vector else each.length if each.view.leading is R else each.view.leading
        groups = (each.group,) if each.group > 1 else ()
        shaped = np.ones((each.columns if each.vector else each.lines, lead + pad, *groups), dtype)
        lines = shaped[:, 0] if each.vector else shaped[:, : each.length]
        made.append(lines if each.vector or each.view.order == "C" else lines.swapaxes(0, 1))
    return made


@pytest.mark.parametrize("release", ("never", "always", "count"))
@pytest.mark.parametrize("name", KERNELS)
def test_right_arguments_are_taken(name: str, release: str) -> None:
    spy = Spy(KERNELS[name], release)
    for m in (1, 2, 64, 1000):
        args = right(KERNELS[name], m)
        found, made = spy(*args)
        assert found == spy.expected(*args) is not None and made is None
    if name != "table":
        none = right(KERNELS[name], 0)
        assert spy(*none)[0] is None and spy.expected(*none) is not None


def test_a_column_may_be_an_array_of_one_axis() -> None:
    spy = Spy(KERNELS["column"])
    for m in (2, 64):
        x, b, *outputs = right(KERNELS["column"], m)
        found, _ = spy(x, b[:, 0], *outputs)
        assert found == spy.expected(x, b[:, 0], *outputs) is not None
        assert (
            spy(x, np.ones(m + 1, np.float32), *outputs)[0]
            is spy(x, np.ones(2 * m, np.float32)[::2], *outputs)[0]
            is None
        )


@pytest.mark.parametrize("name", ("one", "number", "product", "reduced", "kept", "depth of one line"))
def test_an_output_that_is_left_out_has_as_many_rows(name: str) -> None:
    spy = Spy(KERNELS[name])
    for m in (1, 7, 300):
        *args, last = right(KERNELS[name], m)
        found, made = spy(*args)
        assert made.shape == last.shape and made.dtype == last.dtype
        assert found == spy.expected(*args, made) is not None


@pytest.mark.parametrize("name", KERNELS)
def test_machine_code_takes_no_refused_arrays(name: str) -> None:
    spy, places = Spy(KERNELS[name]), range(len(right(KERNELS[name], 3)))
    for position in places:
        for kind in UNUSUAL:
            args = right(KERNELS[name], 3)
            try:
                args[position] = UNUSUAL[kind](args[position])
            except (ValueError, IndexError, AttributeError, TypeError):  # this kind does not exist for the argument
                continue
            found, made = spy(*args)
            if args[-1] is None and found is not None:
                args[-1] = made
            assert found is None or found == spy.expected(*args), kind
        for m in (2, 4):
            args = right(KERNELS[name], 3)
            args[position] = right(KERNELS[name], m)[position]
            found, _ = spy(*args)
            assert found is None or found == spy.expected(*args)
        args = right(KERNELS[name], 3)
        args[position] = right(KERNELS[name], 3, pad=1)[position]
        found, _ = spy(*args)
        assert found == spy.expected(*args)


@given(st.data())
def test_arrays_in_one_buffer(data: st.DataObject) -> None:
    """For any overlap, machine code accepts only what Python accepts, and everything whose output overlaps no input."""
    name = data.draw(st.sampled_from(("one", "gapped", "product", "added", "columns", "depth", "depth by columns")))
    spy = SPIES.get(name) or SPIES.setdefault(name, Spy(KERNELS[name]))
    buffer, m = np.zeros(500, np.float32), data.draw(st.integers(1, 5))
    args = []
    for each in right(KERNELS[name], m):
        room = buffer[data.draw(st.integers(0, 60)) :]
        args.append(np.lib.stride_tricks.as_strided(room, each.shape, each.strides))
    found, _ = spy(*args)
    expected = spy.expected(*args)
    assert found is None or found == expected
    bounds = [byte_bounds(x) for x in args]
    (low, high), others = bounds[-1], bounds[:-1]
    assert found is not None or any(low < end and start < high for start, end in others)


SPIES: dict[str, Spy] = {}
