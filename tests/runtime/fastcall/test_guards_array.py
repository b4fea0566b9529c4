"""Guards of matrices and numbers in machine code accept only what `ArrayCall` accepts, with the same integers.

The kernel is a callback that records its arguments. Calls that machine code does not accept must reach the slow path.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.fastcall.call_cases import UNUSUAL, needs_native
from tilesmith.microkernels.operands import DEEP, EXACT, RUNTIME, Interface, Number, Operand, View, aliasing_of, dense
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.arguments.operands import ArrayCall
from tilesmith.runtime.fastcall import entry, guards_array
from tilesmith.runtime.fastcall.guards import FUNCTION
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.system.libc import ffi

pytestmark = needs_native
TYPES = ("f64", "f32", "f16", "i64", "u64", "i32", "u32", "i16", "u16", "i8", "u8")


def matrix(name, rows, columns, order="C", leading=None, dtype="f32", output=False):
    return Operand(name, rows, columns, View(order, leading or dense(order, rows, columns)), dtype, output)


def vector(name, count, dtype="f32", output=False):
    return Operand(name, 1, count, View("C", count), dtype, output, True)


def spec_of(*arguments, in_place=(), axes=EXACT):
    return Interface(arguments, (), aliasing_of(arguments, in_place), axes)


class Spy:
    """A callable like a kernel of the spec, which records how it was called."""

    def __init__(self, spec, release="never"):
        structure, values = guards_array.interface_entry(spec, release, 0)
        native, self.call = entry.native_type(Kernel), ArrayCall(spec)
        self.natively, self.slowly = [], []
        kernel = ffi.callback(
            f"void({', '.join(['int64_t'] * len(structure.parameters))})", lambda *args: self.natively.append(args)
        )
        values[FUNCTION] = int(ffi.cast("uintptr_t", kernel))
        constants = entry.constants_of(values)
        slowly = self.slowly

        def slow(*args, **keywords):
            slowly.append(args)

        slow.keep = kernel, constants
        self.target = object.__new__(native.type)
        native.install(self.target, entry.code_of(structure, native), constants, slow)

    def __call__(self, *args):
        """Return (the integers, or None if the slow path got the call, and the value that the call returned)."""
        self.natively.clear()
        self.slowly.clear()
        made = self.target(*args)
        assert len(self.natively) + len(self.slowly) == 1
        if self.slowly:
            assert len(self.slowly[0]) == len(args) and all(x is y for x, y in zip(self.slowly[0], args))
            return None, made
        return self.natively[0], made

    def expected(self, *args):
        """Return the integers that Python's checks make of the arguments, or None if they raise."""
        try:
            return tuple(self.call(*args)[0])
        except (TypeError, ValueError):
            return None


def grouped(name, rows, columns, order="C", leading=None, group=2, output=False):
    return matrix(name, rows, columns, order, leading, "f16", output)._replace(group=group)


def array_for(operand, pad=0, start=0):
    """Return an array that the operand accepts, in its own buffer, with `pad` elements between lines if allowed."""
    dtype = numpy_dtype(operand.dtype)
    if operand.vector:
        return np.arange(start, start + operand.columns).astype(dtype)
    lines, length = (operand.rows, operand.columns) if operand.view.order == "C" else (operand.columns, operand.rows)
    leading = operand.view.leading if isinstance(operand.view.leading, int) else length + pad
    group = () if operand.group == 1 else (operand.group,)
    count = lines * leading * operand.group
    whole = np.arange(start, start + count).astype(dtype).reshape(lines, leading, *group)[:, :length]
    return whole if operand.view.order == "C" else whole.swapaxes(0, 1)


def right(spec, pad=0):
    return [
        each.least + 2 if isinstance(each, Number) else array_for(each, pad, i) for i, each in enumerate(spec.arguments)
    ]


SPECS = {
    "transpose": spec_of(matrix("x", 3, 5), matrix("y", 5, 3, output=True)),
    "in place": spec_of(matrix("x", 3, 5), matrix("y", 3, 5, output=True), in_place=("x",)),
    "rows": spec_of(matrix("x0", 3, 5), vector("x1", 5), matrix("y", 3, 5, output=True), in_place=("x0",)),
    "three": spec_of(*(matrix(f"x{i}", 4, 4) for i in range(3)), matrix("y", 4, 4, output=True)),
    "many": spec_of(*(matrix(f"x{i}", 2, 3, "FC"[i % 2]) for i in range(9)), matrix("y", 2, 3, output=True)),
    "runtime": spec_of(matrix("x", 3, 5, "C", RUNTIME), matrix("y", 5, 3, "C", RUNTIME, output=True)),
    "columns": spec_of(matrix("x", 3, 5, "F", RUNTIME), matrix("y", 5, 3, "F", 7, output=True)),
    "one row": spec_of(matrix("x", 1, 5, "C", RUNTIME), matrix("y", 5, 1, "F", RUNTIME, output=True)),
    "numbers": spec_of(matrix("x", 3, 5), Number("count", 2), Number("rest"), matrix("y", 3, 5, output=True)),
    "convert": spec_of(matrix("x", 3, 5, dtype="f64"), matrix("y", 3, 5, dtype="i8", output=True)),
    "two outputs": spec_of(
        matrix("x", 3, 5),
        matrix("mask", 3, 5, dtype="u8", output=True),
        matrix("y", 3, 5, output=True),
        in_place=("x",),
    ),
    "output first": spec_of(vector("y", 8, output=True), vector("x", 8)),
    "one vector": spec_of(vector("y", 7, "f64", output=True)),
    **{dtype: spec_of(matrix("x", 2, 9, dtype=dtype), matrix("y", 9, 2, "C", 3, dtype, True)) for dtype in TYPES},
}
CAN_BE_LEFT_OUT = {
    name for name, spec in SPECS.items() if name not in ("two outputs", "output first", "columns", *TYPES)
}


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("release", ("never", "always"))
def test_right_arguments_are_taken(name, release):
    spec = SPECS[name]
    spy = Spy(spec, release)
    for pad in (0, 2):
        args = right(spec, pad)
        found, made = spy(*args)
        assert found == spy.expected(*args) is not None and made is None


@pytest.mark.parametrize("name", SPECS)
def test_an_output_that_is_left_out_is_made(name):
    spec = SPECS[name]
    spy, args = Spy(spec), right(SPECS[name])[:-1]
    found, made = spy(*args)
    if name not in CAN_BE_LEFT_OUT:
        assert found is None and made is None
        return
    output = spec.arguments[-1]
    assert type(made) is np.ndarray and made.shape == output.shape and made.dtype == numpy_dtype(output.dtype)
    assert found == spy.expected(*args, made) is not None


@pytest.mark.parametrize("kind", UNUSUAL)
@pytest.mark.parametrize("name", ("rows", "runtime", "convert", "two outputs"))
def test_unusual_arrays(name, kind):
    spy = Spy(SPECS[name])
    for position in range(len(SPECS[name].arguments)):
        args = right(SPECS[name])
        try:
            args[position] = UNUSUAL[kind](args[position])
        except (ValueError, IndexError):  # this kind of array does not exist for the shape or type
            continue
        found, made = spy(*args)
        if args[-1] is None and found is not None:  # a new output
            args[-1] = made
        assert found is None or found == spy.expected(*args)


@pytest.mark.parametrize("value", (-1, 0, 1, 2, 3, 1 << 29, 1 << 30, 1 << 64, True, 2.0, None, np.int64(5)))
def test_numbers(value):
    spy = Spy(SPECS["numbers"])
    for position in (1, 2):
        args = right(SPECS["numbers"])
        args[position] = value
        found, _ = spy(*args)
        assert found is None or found == spy.expected(*args)
        if type(value) is int and 2 <= value < 1 << 30:
            assert found is not None


def test_in_place_is_the_very_array():
    x, y = (np.zeros((3, 5), np.float32) for _ in range(2))
    spy, other = Spy(SPECS["in place"]), Spy(spec_of(*SPECS["in place"].arguments))
    assert spy(x, x)[0] is not None and other(x, x)[0] is None and other(x, y)[0] is not None
    rows = Spy(SPECS["rows"])
    assert rows(x, y[0], x)[0] is not None and rows(x, x[0], x)[0] is None
    two = Spy(SPECS["two outputs"])
    assert two(x, np.zeros((3, 5), np.uint8), x)[0] is not None
    assert two(y, x.view(np.uint8)[:, :5].copy(), x)[0] is not None
    assert two(y, x.reshape(-1).view(np.uint8)[:15].reshape(3, 5), x)[0] is None  # the outputs overlap each other


@given(st.data())
def test_arrays_in_one_buffer(data):
    """Machine code accepts operands that do not overlap, or that are equal where the kernel may work in place."""
    name = data.draw(st.sampled_from(("transpose", "in place", "rows", "runtime", "two outputs")))
    spec, buffer = SPECS[name], np.zeros(400, np.float32)
    args = []
    for operand in spec.arguments:
        dtype = numpy_dtype(operand.dtype)
        room = buffer.view(dtype)[data.draw(st.integers(0, 40)) * 4 // dtype.itemsize :]
        strides = array_for(operand, data.draw(st.integers(0, 2))).strides
        args.append(np.lib.stride_tricks.as_strided(room, operand.shape, strides))
    spy = SPIES.setdefault(name, None) or Spy(spec)
    SPIES[name] = spy
    found, _ = spy(*args)
    expected = spy.expected(*args)
    assert found is None or found == expected
    bounds = [(x.__array_interface__["data"][0], x.__array_interface__["data"][0] + x.nbytes) for x in args]
    dense_and_apart = name != "runtime" and all(
        a >= d or c >= b for i, (a, b) in enumerate(bounds) for c, d in bounds[:i]
    )
    assert found is not None or not dense_and_apart


SPIES: dict = {}


@given(st.data())
def test_any_views(data):
    """For views with any strides, machine code accepts the same calls as Python's checks, with the same integers."""
    order = data.draw(st.sampled_from("CF"))
    rows, columns = (data.draw(st.sampled_from((1, 2, 4))) for _ in range(2))
    leading = data.draw(st.sampled_from((None, 6, RUNTIME)))
    spec = spec_of(matrix("x", rows, columns, order, leading), matrix("y", rows, columns, output=True))
    spy = Spy(spec)
    steps = [data.draw(st.integers(-3, 9)) * 4, data.draw(st.sampled_from((4, 4, 4, 8, -4, 0)))]
    if order == "F":
        steps.reverse()
    x = np.lib.stride_tricks.as_strided(np.zeros(200, np.float32)[100:], (rows, columns), steps)
    args = [x, np.zeros((rows, columns), np.float32)]
    assert spy(*args)[0] == spy.expected(*args)


GROUPS = {
    "rows": spec_of(grouped("x", 3, 5, "C", RUNTIME, 4), grouped("y", 5, 3, output=True)),
    "columns": spec_of(grouped("x", 3, 5, "F"), grouped("y", 5, 3, "F", RUNTIME, output=True)),
    "padded": spec_of(grouped("x", 3, 5, "F", 4), grouped("y", 5, 3, "C", 7, output=True)),
}
WRONG_GROUPS = (
    lambda x: x[..., ::-1],
    lambda x: x[..., :1],
    lambda x: x[..., 0],
    lambda x: x[1:],
    lambda x: x.view(np.int16),
    lambda x: np.repeat(x, 2, axis=0)[::2],
    lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    lambda x: np.repeat(x, 2, axis=2)[..., ::2],
)


@pytest.mark.parametrize("name", GROUPS)
def test_groups_of_elements(name):
    """An element of the matrix is a dense group of numbers, and leading dimensions count groups."""
    spec = GROUPS[name]
    spy = Spy(spec)
    for pad in (0, 2):
        args = right(spec, pad)
        expected = [x.__array_interface__["data"][0] for x in args]
        for operand, array in zip(spec.arguments, args):
            if operand.view.leading is RUNTIME:
                expected.append(array.strides[operand.view.order == "F"] // (2 * operand.group))
        assert spy(*args)[0] == tuple(expected)
        for position in range(2):
            for wrong in WRONG_GROUPS:
                changed = [*args]
                changed[position] = wrong(args[position])
                runs_along = spec.arguments[position].view.order == "F"
                free = spec.arguments[position].view.leading is RUNTIME
                lines_apart = changed[position].shape == args[position].shape and (
                    changed[position].strides[not runs_along] == args[position].strides[not runs_along]
                    and changed[position].strides[2] == 2
                    and changed[position].dtype == np.float16
                )
                assert (spy(*changed)[0] is not None) == (free and lines_apart)


LINES = spec_of(
    matrix("x", 3, 5), matrix("row", 1, 5), matrix("column", 3, 1), matrix("y", 3, 5, output=True), axes=DEEP
)


def test_rows_and_columns_may_have_one_axis():
    spy = Spy(LINES)
    x, row, column, y = right(LINES)
    for this in (row, row[0]):
        for that in (column, column[:, 0], np.ascontiguousarray(column[:, 0])):
            found, _ = spy(x, this, that, y)
            assert found == spy.expected(x, this, that, y) is not None
    wrong = [
        row[0, :4],
        np.zeros(6, np.float32),
        np.zeros(3, np.float32),
        row[0].astype(np.float64),
        row[0, ::-1],
        np.zeros(10, np.float32)[::2],
        np.zeros((), np.float32),
        row[None],
    ]
    for this in wrong:
        assert spy(x, this, column, y)[0] is None
    assert spy(x[0], row, column, y)[0] is None and spy(x, row, row[0], y)[0] is None
    assert Spy(LINES._replace(axes=EXACT))(x, row[0], column, y)[0] is None
