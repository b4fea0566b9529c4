"""`ts.conv1d`, `conv2d`, `conv3d` and their transposes equal their definition for every parameter, layout and type."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.convolution_cases import TYPES, WAYS, Array, Case, cases, convolution, lay, numbers, rounded, transposed
from tests.gemm_cases import RUNNING
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled

FUNCTIONS = {(dims, back): f"conv{'_transpose' * back}{dims}d" for dims in (1, 2, 3) for back in (False, True)}


def computed(case: Case, x: Array, out: Array | None, w: Array | None = None, **given: Any) -> Any:
    """Call the function of a case."""
    function = getattr(ts, FUNCTIONS[case.dims, case.transposed])
    dtype = np.dtype(TYPES[case.types][2])
    return function(x, case.w if w is None else w, case.bias, out=out, dtype=dtype, **case.given, **given)


@settings(max_examples=scaled(10, 1_000_000))
@given(
    cases(),
    st.sampled_from(WAYS),
    st.sampled_from([None, *WAYS]),
    st.sampled_from([1, 2, 3, 7]),
    st.sampled_from([None, *RUNNING]),
    st.sampled_from(SIDES),
)
def test_every_parameter(case: Case, way: str, to: str | None, threads: int, target: str | None, side: str) -> None:
    expected = rounded(case.exact(), TYPES[case.types][2])
    x, w = (guarded(each, side, writable=False) for each in (lay(case.x, way), case.w))
    bias = None if case.bias is None else guarded(case.bias, side, writable=False)
    out = None if to is None else guarded(lay(np.full(case.shape, 55).astype(expected.dtype), to), side)
    case = case._replace(bias=bias)
    made = computed(case, x, out, w, threads=threads, target=target)
    if out is not None:
        assert made is out
        check_canary(out)
    assert made.shape == expected.shape and made.dtype == expected.dtype
    assert np.array_equal(made, expected)
    if out is None:  # later calls go through machine code, which packs the weights of each
        assert np.array_equal(computed(case, x, None, w, threads=threads, target=target), expected)
        other = guarded(np.roll(case.w, 1, axis=0), side, writable=False)
        again = computed(case, x, None, other, threads=threads, target=target)
        assert np.array_equal(again, rounded(case._replace(w=other).exact(), TYPES[case.types][2]))


@settings(max_examples=scaled(8, 100_000))
@given(cases(), st.data())
def test_bits_depend_on_neither_threads_nor_layout(case: Case, data: st.DataObject) -> None:
    if np.dtype(TYPES[case.types][0]).kind in "iu":
        return  # exact, as the test above shows
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31)))
    x, w = (rng.standard_normal(each.shape).astype(each.dtype) for each in (case.x, case.w))
    case = case._replace(x=x, w=w)
    target = data.draw(st.sampled_from([None, *RUNNING]))
    found = {
        computed(case, lay(x, way), None, threads=threads, target=target).tobytes("C")
        for way in ("first", "last")
        for threads in (1, 2, 3, 7)
    }
    assert len(found) == 1


@settings(max_examples=scaled(8, 100_000))
@given(cases(), st.sampled_from(["first", "last"]))
def test_errors_are_those_of_the_sums(case: Case, way: str) -> None:
    """Each result is within the bound of a sum in any order, gamma_n sum |x w|, and half a unit of the result."""
    of_x, of_w, of_y = TYPES[case.types]
    if np.dtype(of_x).kind in "iu":
        return
    rng = np.random.default_rng(case.x.size)
    x, w = (rng.standard_normal(each.shape).astype(each.dtype) for each in (case.x, case.w))
    case = case._replace(x=x, w=w, bias=None)
    exact, size = case.exact(), case._replace(x=abs(x), w=abs(w)).exact()
    terms = int(np.prod(w.shape[2:])) * (w.shape[0] if case.transposed else w.shape[1]) + 2
    sums = np.finfo(np.float64 if of_x is np.float64 else np.float32).eps / 2
    own = {np.float64: 2.0**-53, np.float32: 2.0**-24, np.float16: 2.0**-11}.get(of_y, 2.0**-8)
    bound = terms * sums * size * 2 + own * abs(exact) * 1.001 + 2.0**-24
    made = computed(case, lay(x, way), None).astype(np.float64)
    assert (abs(made - exact) <= bound).all()


@pytest.mark.parametrize("types", ["f32", "f64", "bf16", "f16"])
@pytest.mark.parametrize("way", ["first", "last"])
@pytest.mark.grid(4)
def test_nan_and_infinity_stay_where_they_belong(types: str, way: str) -> None:
    """Elements next to an odd depth, and those of other images, are multiplied by nothing, not even by zero."""
    for c, taps, stride in ((3, 3, 1), (5, 1, 1), (17, 2, 2), (1, 3, 2)):
        x, w = numbers((2, c, 7, 9), TYPES[types][0], 3), numbers((19, c, taps, taps), TYPES[types][1], 4)
        x[0, c // 2, 3, 4], x[1, c - 1, 6, 8], w[w == 0] = np.nan, np.inf, 1
        with np.errstate(invalid="ignore"):
            expected = rounded(convolution(x, w, (stride,) * 2, ((1, 1),) * 2, (1, 1)), TYPES[types][2])
        made = ts.conv2d(lay(x, way), w, stride=stride, padding=1)
        assert np.array_equal(made.astype(np.float64), expected.astype(np.float64), equal_nan=True)


def test_sums_of_integers_wrap() -> None:
    """A sum beyond 2^31 has the remainder that 32 bits hold, as products have."""
    x, w = np.full((1, 70_000, 1, 1), 255, np.uint8), np.full((1, 70_000, 1, 1), -128, np.int8)
    exact = 255 * -128 * 70_000
    assert int(ts.conv2d(x, w)[0, 0, 0, 0]) == (exact + 2**31) % 2**32 - 2**31


# What people write


NETWORKS: tuple[tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]], ...] = (
    ("the first layer of ResNet", (1, 3, 33, 31), (16, 3, 7, 7), {"stride": 2, "padding": 3}),
    ("depthwise", (2, 24, 10, 11), (24, 1, 3, 3), {"padding": 1, "groups": 24}),
    ("depthwise with a multiplier", (1, 6, 10, 11), (18, 1, 5, 5), {"padding": 2, "groups": 6, "stride": 2}),
    ("ResNeXt", (1, 32, 9, 9), (32, 4, 3, 3), {"padding": 1, "groups": 8}),
    ("WaveNet", (1, 5, 700), (7, 5, 2), {"dilation": 128}),
    ("a long dilated sequence", (1, 3, 4000), (4, 3, 51), {"dilation": 8, "padding": 200}),
    ("one pixel", (3, 70, 1, 1), (9, 70, 3, 3), {"padding": 1}),
    ("padding beyond the taps", (1, 4, 3, 2), (5, 4, 2, 2), {"padding": 9}),
    (
        "windows that stay in the rim",
        (3, 2, 1, 3),
        (2, 1, 2, 2),
        {"padding": ((2, 0), (4, 0)), "stride": 2, "groups": 2},
    ),
    ("512 channels", (1, 512, 5, 4), (3, 512, 3, 3), {"padding": 1}),
    ("1,024 channels", (1, 1024, 3, 3), (2, 1024, 2, 2), {}),
    ("one channel of the result", (1, 40, 13, 17), (1, 40, 1, 1), {}),
    ("prime extents", (1, 13, 37, 41), (31, 13, 1, 5), {"padding": "same"}),
    ("a causal convolution of volumes", (1, 3, 5, 6, 7), (4, 3, 2, 3, 3), {"padding": ((1, 0), (1, 1), (1, 1))}),
)


@pytest.mark.parametrize("way", ["first", "last"])
@pytest.mark.parametrize("layer", NETWORKS, ids=lambda each: each[0])
@pytest.mark.grid(14)
def test_layers_of_networks(layer: tuple[str, Any, Any, dict[str, Any]], way: str) -> None:
    _, shape, of_w, asked = layer
    x, w = numbers(shape, np.float32, 1), numbers(of_w, np.float32, 2)
    dims = len(shape) - 2
    padding = asked.get("padding", 0)
    pairs = ((0, 0), (2, 2)) if padding == "same" else padding
    pairs = ((pairs, pairs),) * dims if isinstance(pairs, int) else pairs
    steps, apart = ((asked.get(name, 1),) * dims for name in ("stride", "dilation"))
    expected = convolution(x, w, steps, pairs, apart, asked.get("groups", 1))
    function: Any = {1: ts.conv1d, 2: ts.conv2d, 3: ts.conv3d}[dims]
    assert np.array_equal(function(lay(x, way), w, **asked), expected)


def test_upsampling_of_unet() -> None:
    x, w = numbers((2, 10, 6, 5), np.float32, 1), numbers((10, 7, 2, 2), np.float32, 2)
    assert np.array_equal(ts.conv_transpose2d(x, w, stride=2), transposed(x, w, (2, 2), ((0, 0),) * 2, (1, 1)))


def test_more_than_a_stride_without_taps() -> None:
    """Places of a transposed convolution that no tap reaches are the bias."""
    x, w = numbers((1, 2, 3, 3), np.float32, 1), numbers((2, 3, 1, 2), np.float32, 2)
    bias = np.array([5, 6, 7], np.float32)
    expected = transposed(x, w, (3, 4), ((0, 0),) * 2, (1, 1), more=(2, 1)) + bias.reshape(-1, 1, 1)
    assert np.array_equal(ts.conv_transpose2d(x, w, bias, stride=(3, 4), output_padding=(2, 1)), expected)


# Shapes and layouts


@pytest.mark.parametrize("shape", [(0, 3, 5, 5), (2, 0, 5, 5), (2, 3, 0, 5)], ids=str)
def test_empty_images(shape: tuple[int, ...]) -> None:
    """Without images there is an empty result; sums of no terms are the bias, or zero."""
    x, w = np.ones(shape, np.float32), np.ones((4, shape[1], 3, 3), np.float32)
    made = ts.conv2d(x, w, np.arange(4, dtype=np.float32), padding=2)
    expected = (shape[0], 4, shape[2] + 2, 7)
    assert made.shape == expected
    assert np.array_equal(made, np.broadcast_to(np.arange(4).reshape(1, 4, 1, 1), expected))
    assert not ts.conv2d(x, w, padding=2).any()


def test_no_channels_of_the_result() -> None:
    assert ts.conv2d(np.ones((2, 3, 5, 5), np.float32), np.ones((0, 3, 3, 3), np.float32)).shape == (2, 0, 3, 3)


def test_an_epilogue_of_no_images() -> None:
    empty, w = np.ones((0, 3, 5, 5), np.float32), np.ones((4, 3, 3, 3), np.float32)
    scale = {"scale": np.ones(4, np.float32)}
    assert ts.conv2d(empty, w, epilogue=lambda c, scale: c * scale, operands=scale).shape == (0, 4, 3, 3)


def test_one_image_without_its_axis() -> None:
    x, w = numbers((3, 6, 5), np.float32, 1), numbers((4, 3, 3, 3), np.float32, 2)
    expected = convolution(x[None], w, (1, 1), ((0, 0),) * 2, (1, 1))[0]
    assert np.array_equal(ts.conv2d(x, w), expected)
    out = np.zeros((4, 4, 3), np.float32)
    assert ts.conv2d(x, w, out=out) is out and np.array_equal(out, expected)


def test_the_result_has_the_order_of_x() -> None:
    x, w = numbers((2, 4, 6, 5), np.float32, 1), numbers((3, 4, 3, 3), np.float32, 2)
    assert ts.conv2d(lay(x, "first"), w).flags.c_contiguous
    assert ts.conv2d(lay(x, "last"), w).transpose(0, 2, 3, 1).flags.c_contiguous


def test_windows_that_overlap() -> None:
    """x may be a view whose elements share memory: windows of a signal, or one row for all."""
    signal = numbers((200,), np.float32, 1)
    windows = np.lib.stride_tricks.sliding_window_view(signal, 40)[:, None, :]
    w = numbers((3, 1, 5), np.float32, 2)
    assert np.array_equal(ts.conv1d(windows, w), convolution(windows, w, (1,), ((0, 0),), (1,)))
    same = np.broadcast_to(numbers((1, 1, 1, 9), np.float32, 3), (2, 3, 7, 9))
    w = numbers((4, 3, 3, 3), np.float32, 4)
    assert np.array_equal(ts.conv2d(same, w, padding=1), convolution(same, w, (1, 1), ((1, 1),) * 2, (1, 1)))


def test_elements_at_odd_addresses() -> None:
    memory = np.zeros(4 * 2 * 3 * 25 + 1, np.uint8)
    x = memory[1:].view(np.float32).reshape(2, 3, 5, 5)
    x[...], w = numbers(x.shape, np.float32, 1), numbers((4, 3, 3, 3), np.float32, 2)
    expected = convolution(x, w, (1, 1), ((0, 0),) * 2, (1, 1))
    assert not x.flags.aligned and np.array_equal(ts.conv2d(x, w), expected)
    out = np.zeros(4 * expected.size + 1, np.uint8)[1:].view(np.float32).reshape(expected.shape)
    assert np.array_equal(ts.conv2d(x, w, out=out), expected)
    bias = np.zeros(17, np.uint8)[1:].view(np.float32)
    bias[...] = 3
    assert np.array_equal(ts.conv2d(x, w, bias), expected + 3)
    more = np.zeros(4 * expected.size + 1, np.uint8)[1:].view(np.float32).reshape(expected.shape)
    more[...] = numbers(expected.shape, np.float32, 5)
    made = ts.conv2d(x, w, epilogue=lambda c, more: c + more, operands={"more": more})
    assert np.array_equal(made, expected + more)


# Epilogues


@pytest.mark.parametrize("way", ["first", "last"])
@pytest.mark.parametrize("beside", ["first", "last", "gaps"])
@pytest.mark.parametrize("back", [False, True], ids=["forward", "transposed"])
@pytest.mark.grid(6)
def test_epilogue(way: str, beside: str, back: bool) -> None:
    x = lay(numbers((2, 6, 7, 5), np.float32, 1), way)
    w = numbers((6, 9, 3, 3) if back else (9, 6, 3, 3), np.float32, 2)
    exact = (transposed if back else convolution)(x, w, (2, 2), ((1, 1),) * 2, (1, 1))
    bias, scale = numbers((9,), np.float32, 3), numbers((9,), np.float32, 4)
    more = lay(numbers(exact.shape, np.float32, 5), beside)
    function: Any = ts.conv_transpose2d if back else ts.conv2d
    made = function(
        x,
        w,
        bias,
        stride=2,
        padding=1,
        epilogue=lambda c, more, scale: ts.relu(c * scale + more),
        operands={"scale": scale, "more": more},
    )
    wide = (each.reshape(-1, 1, 1) for each in (bias, scale))
    assert np.array_equal(made, np.maximum((exact + next(wide)) * next(wide) + more, 0))


def test_an_epilogue_rounds_bytes_once() -> None:
    """Sums of bytes, scaled and rounded to nearest even, saturated to the type of the result."""
    x, w = numbers((1, 4, 6, 6), np.uint8, 1), numbers((5, 4, 3, 3), np.int8, 2)
    scale = np.array([2.0**-9, 2.0**-11, 2.0**-8, 2.0**-10, 2.0**-7], np.float32)
    exact = convolution(x, w, (1, 1), ((1, 1),) * 2, (1, 1))
    for dtype in (np.int8, np.uint8):
        made = ts.conv2d(x, w, padding=1, dtype=dtype, epilogue=lambda c, scale: c * scale, operands={"scale": scale})
        ends = np.iinfo(dtype)
        expected = np.clip(np.rint(exact * scale.astype(np.float64).reshape(-1, 1, 1)), ends.min, ends.max)
        assert made.dtype == dtype and np.array_equal(made, expected)


# Refusals


X, W = np.ones((2, 6, 7, 8), np.float32), np.ones((4, 6, 3, 3), np.float32)
VECTOR = np.ones(4, np.float32)
REFUSED: tuple[tuple[Any, type[Exception], str], ...] = (
    (lambda: ts.conv2d(X[0, 0], W), ValueError, "x: images, channels, height, width, or one image"),
    (lambda: ts.conv2d(X, W[0]), ValueError, "w: 4 axes for conv2d"),
    (lambda: ts.conv2d(X, W[:, :5]), ValueError, "w: 5 channels a group by 1 groups are 5 channels, but x has 6"),
    (lambda: ts.conv2d(X, W[:, :2], groups=4), ValueError, "groups: 4 do not divide the 6 channels of x"),
    (lambda: ts.conv2d(X, W[:, :2], groups=3), ValueError, "groups: 3 do not divide the 4 channels of the result"),
    (lambda: ts.conv2d(X, W, groups=0), ValueError, "groups: a number from 1, not 0"),
    (lambda: ts.conv2d(X, W, groups=1.5), TypeError, "groups: a number from 1, not 1.5"),
    (lambda: ts.conv2d(X, W, stride=0), ValueError, "stride: 1 or more, not 0"),
    (lambda: ts.conv2d(X, W, stride=(1, 2, 3)), TypeError, "stride: a whole number, or 2 of them (height, width)"),
    (lambda: ts.conv2d(X, W, dilation=4), ValueError, "the height of the result would be -1: 3 taps of dilation 4"),
    (lambda: ts.conv2d(X, W, dilation=(1, 4)), ValueError, "the width of the result would be 0"),
    (lambda: ts.conv2d(X, W, padding=-1), ValueError, "padding: 0 or more, not -1"),
    (lambda: ts.conv2d(X, W, padding=((1, 2), (3, -4))), ValueError, "padding: 0 or more"),
    (lambda: ts.conv2d(X, W, padding=((1, 2), 3)), TypeError, "padding: a pair (before, after) for each of height"),
    (lambda: ts.conv2d(X, W, padding="full"), ValueError, "padding: numbers, or one of valid, same, same_lower"),
    (lambda: ts.conv2d(X, W, padding="SAME_UPPER"), ValueError, "did you mean 'same'?"),
    (lambda: ts.conv2d(X, W[:, :, :0]), ValueError, "w: at least one tap along height, width"),
    (lambda: ts.conv2d(X, W.astype(np.float64)), ts.UnsupportedError, "x, w: no kernel multiplies f32 by f64"),
    (lambda: ts.conv2d(X, W, dtype="f64"), ts.UnsupportedError, "has elements of f32, not f64"),
    (lambda: ts.conv2d(X, W, VECTOR[:3]), ValueError, "bias: an element for each channel (4,), not shape (3,)"),
    (lambda: ts.conv2d(X, W, np.ones((2, 4, 5, 6), np.float32)), ValueError, "bias: an element for each channel (4,)"),
    (lambda: ts.conv2d(X, W, out=np.ones((2, 4, 5, 5), np.float32)), ValueError, "out: shape (2, 4, 5, 6), not (2, 4"),
    (lambda: ts.conv2d(X, W, out=np.ones((2, 4, 5, 6))), ts.UnsupportedError, "has elements of f32, not f64"),
    (lambda: ts.conv2d(X, W, out=np.broadcast_to(VECTOR[:1], (2, 4, 5, 6))), ValueError, "out: read-only"),
    (lambda: ts.conv2d(X, W, epilogue=lambda c, r: c + r), ValueError, "operands: none is given for r"),
    (lambda: ts.conv2d(X, W, operands={"r": VECTOR}), ValueError, "operands: 'r' is no parameter of the epilogue"),
    (lambda: ts.conv2d(X, W, operands=[VECTOR]), TypeError, "operands: arrays by name, not list"),
    (lambda: ts.conv2d(X, W, VECTOR, operands={"bias": VECTOR}), ValueError, "operands: one is called bias"),
    (lambda: ts.conv2d(X, W, epilogue=lambda c: (c, c)), ts.UnsupportedError, "epilogue: one result"),
    (lambda: ts.conv_transpose2d(X, W), ValueError, "w: for 4 channels, as its first axis says, but x has 6"),
    (lambda: ts.conv_transpose2d(X, W.swapaxes(0, 1), output_padding=1), ValueError, "output_padding: less than"),
    (lambda: ts.conv_transpose2d(X, W.swapaxes(0, 1), padding=9), ValueError, "the height of the result would be -9"),
    (lambda: ts.conv_transpose2d(X, W.swapaxes(0, 1), padding="same"), ValueError, "several results would fit"),
    (lambda: ts.conv2d(X, W, threads=0), ValueError, "threads"),
)


@pytest.mark.parametrize("case", REFUSED, ids=lambda each: each[2][:40])
@pytest.mark.grid(len(REFUSED))
def test_refusals(case: tuple[Any, type[Exception], str]) -> None:
    call, error, text = case
    with pytest.raises(error, match=re.escape(text)):
        call()


@pytest.mark.parametrize("name", ["x", "w", "bias", "out", "more", "dy"])
@pytest.mark.grid(6)
def test_arrays_of_the_other_byte_order(name: str) -> None:
    """Their bytes are other numbers: they are refused, and the error says how to convert them."""
    given: dict[str, Any] = {"x": X, "w": W, "bias": VECTOR, "more": VECTOR, "out": np.zeros((2, 4, 5, 6), np.float32)}
    given["dy"] = given["out"]
    given[name] = given[name].astype(">f4")
    with pytest.raises(TypeError, match=f"{'weights' if name == 'w' else name}: |{name}: "):
        if name == "dy":
            ts.conv2d_backward(given["dy"], X, W)
        else:
            ts.conv2d(
                *(given[each] for each in ("x", "w", "bias")),
                out=given["out"],
                epilogue=lambda c, more: c + more,
                operands={"more": given["more"]},
            )


@pytest.mark.parametrize("name", ["a", "b", "c", "y", "x", "w", "b_"])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.grid(14)
def test_operands_may_have_any_name(name: str, full: bool) -> None:
    """a, b, c and y are the names of a product's own operands; those of an epilogue may have the same."""
    names: dict[str, Any] = {}
    exec(f"def epilogue(total, {name}, b__): return total * {name} + b__", names)
    more, last = numbers((2, 4, 5, 6) if full else (4,), np.float32, 1), numbers((4,), np.float32, 2)
    made = ts.conv2d(X, W, VECTOR, epilogue=names["epilogue"], operands={name: more, "b__": last})
    factor = more if full else more.reshape(-1, 1, 1)
    assert np.array_equal(made, (6 * 9 + 1) * factor + last.reshape(-1, 1, 1) + np.zeros((2, 4, 5, 6)))


def test_out_shares_no_memory() -> None:
    """A tile of the result would overwrite what another one reads."""
    memory = np.zeros(2 * 6 * 7 * 8 + 5, np.float32)
    x, out = memory[: X.size].reshape(X.shape), memory[5:].reshape(X.shape)
    w = numbers((6, 6, 1, 1), np.float32, 1)
    with pytest.raises(ValueError, match="out: shares memory with x"):
        ts.conv2d(x, w, out=out)
    beside = np.zeros((2, 12, 7, 8), np.float32)  # channels in turn: no element is shared
    beside[:, ::2] = X
    ts.conv2d(beside[:, ::2], w, out=beside[:, 1::2])
    assert np.array_equal(beside[:, 1::2], convolution(X, w, (1, 1), ((0, 0),) * 2, (1, 1)))
    with pytest.raises(ValueError, match="out: memory of its own for each element"):
        ts.conv2d(X, W, out=np.lib.stride_tricks.as_strided(memory, (2, 4, 5, 6), (4, 4, 4, 4)))


@pytest.mark.parametrize("groups", [1, 6])
def test_out_may_be_an_operand(groups: int) -> None:
    """A residual, or an array that lies beside it by a few elements, or the weights, which are read before."""
    w = numbers((6, 6 // groups, 3, 3), np.float32, 1)
    exact = convolution(X, w, (1, 1), ((1, 1),) * 2, (1, 1), groups)
    for way in ("first", "last"):
        for apart in (0, 5):
            memory = np.zeros(X.size + 5, np.float32)
            more = lay(np.zeros_like(X), way)
            more, out = (np.lib.stride_tricks.as_strided(memory[first:], X.shape, more.strides) for first in (0, apart))
            more[...] = numbers(X.shape, np.float32, 2)
            expected = exact + more
            given: dict[str, Any] = {"epilogue": lambda c, more: c + more, "operands": {"more": more}}
            assert ts.conv2d(lay(X, way), w, padding=1, groups=groups, out=out, **given) is out
            assert np.array_equal(out, expected)
    memory = np.zeros(w.size + X.size, np.float32)
    memory[: w.size] = w.ravel()
    out = memory[: X.size].reshape(X.shape)
    ts.conv2d(X, memory[: w.size].reshape(w.shape), padding=1, groups=groups, out=out)
    assert np.array_equal(out, exact)


@pytest.mark.parametrize("shape", [(2, 0, 5, 5), (2, 3, 0, 5)], ids=str)
@pytest.mark.parametrize("back", [False, True])
def test_an_epilogue_of_sums_without_terms(shape: tuple[int, ...], back: bool) -> None:
    """The sums are zero, and the epilogue is applied to the bias."""
    if back and 0 in shape[2:]:
        shape = (2, 0, 5, 5)  # a transposed one of no rows has no rows
    x, scale = np.ones(shape, np.float32), np.arange(4, dtype=np.float32)
    given: dict[str, Any] = {"epilogue": lambda c, scale: ts.exp(c * scale), "operands": {"scale": scale}}
    if back:
        made = ts.conv_transpose2d(x, np.ones((shape[1], 4, 7, 7), np.float32), scale, stride=7, **given)
    else:
        made = ts.conv2d(x, np.ones((4, shape[1], 3, 3), np.float32), scale, padding=2, **given)
    assert made.shape[:2] == (2, 4)
    assert np.allclose(made, np.exp(np.arange(4) ** 2).reshape(-1, 1, 1), rtol=1e-6)


def test_weights_may_be_any_view() -> None:
    w = numbers((3, 3, 6, 4), ml_dtypes.bfloat16, 1).transpose(3, 2, 0, 1)[::-1, :, ::-1]
    x = numbers((1, 6, 5, 5), ml_dtypes.bfloat16, 2)
    expected = rounded(convolution(x, w, (1, 1), ((0, 0),) * 2, (1, 1)), ml_dtypes.bfloat16)
    assert np.array_equal(ts.conv2d(x, w), expected)
