"""Layers of convolutions: packed weights, epilogues, zero points, layouts, every machine, pickles, errors."""

from __future__ import annotations

import pickle
import re
import threading
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.convolution_cases import TYPES, Array, Case, cases, convolution, lay, numbers, rounded, wide
from tests.gemm_cases import RUNNING
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tilesmith.microkernels.machines.registry import TARGETS

LAYOUTS = {"NCHW": "first", "NHWC": "last", "NCWH": "turned"}
NAMES = {"f64": "f64", "f32": "f32", "bf16": "bf16", "f16": "f16", "bf16f32": ("bf16", "bf16", "f32")}
NAMES |= {"u8i8": ("u8", "i8", "i32"), "i8i8": ("i8", "i8", "i32"), "u8u8": ("u8", "u8", "i32")}
NAMES |= {"i8u8": ("i8", "u8", "i32"), "i16": ("i16", "i16", "i32"), "f32bf16": ("f32", "bf16", "f32")}


def weights_of(types: str, shape: tuple[int, ...]) -> Array:
    return numbers(shape, TYPES[types][1], 2)


@settings(max_examples=scaled(6, 200_000))
@given(
    st.sampled_from(["u8i8", "i8i8", "u8u8", "i8u8", "i16"]),
    st.sampled_from(list(LAYOUTS)),
    st.tuples(*[st.integers(0, 4)] * 4),
    st.integers(1, 2),
    st.booleans(),
    st.integers(1, 9),
    st.data(),
)
def test_zero_points_at_the_rims(
    types: str, layout: str, rim: tuple[int, ...], stride: int, biased: bool, c: int, data: st.DataObject
) -> None:
    """The sums are of (x - zero_point) w, exactly, also where the padding takes part."""
    of_x, _, of_y = TYPES[types]
    ends = np.iinfo(of_x)
    zero = data.draw(st.one_of(st.sampled_from([ends.min, ends.max, 1]), st.integers(ends.min, ends.max)))
    padding = (rim[:2], rim[2:])
    x, w = numbers((2, c, 6, 5), of_x, 1), weights_of(types, (7, c, 3, 2))
    bias = numbers((7,), of_y, 3)
    layer = ts.conv(
        x.shape,
        w.shape,
        stride=stride,
        padding=padding,
        dtype=NAMES[types],
        zero_point=zero,
        bias=biased,
        layout=layout,
    )
    exact = convolution(x.astype(np.int64) - zero, w, (stride,) * 2, padding, (1, 1))
    exact = exact + bias.reshape(-1, 1, 1) if biased else exact
    side = data.draw(st.sampled_from(SIDES))
    given = [guarded(each, side, writable=False) for each in ([bias] if biased else [])]
    out = guarded(lay(np.full(exact.shape, 7, of_y), LAYOUTS[layout]), side)
    made = layer(guarded(lay(x, LAYOUTS[layout]), side, writable=False), layer.pack(w), *given, out=out)
    check_canary(out)
    assert made is out and np.array_equal(made, exact.astype(of_y))


def orders_of(dims: int) -> list[tuple[str, str]]:
    """Return the names of layouts with the ways of `lay` that they are."""
    letters = "DHW"[-dims:]
    turned = [("NC" + letters[::-1], "turned")] if dims > 1 else []
    return [("NC" + letters, "first"), (f"N{letters}C", "last"), *turned]


@settings(max_examples=scaled(4, 200_000))
@given(cases(backwards=False), st.data())
def test_every_parameter_of_layers(case: Case, data: st.DataObject) -> None:
    """Every call of a layer, through Python and through machine code, with guard pages around all operands."""

    def draw(*values: Any) -> Any:
        return data.draw(st.sampled_from(values))

    of_x, _, of_y = TYPES[case.types]
    (layout, way), side = draw(*orders_of(case.dims)), draw(*SIDES)
    whole, single = np.dtype(of_x).kind in "iu", case.x.shape[0] == 1 and draw(False, True)
    zero = int(numbers((1,), of_x, case.x.size)[0]) if whole and draw(False, True) else 0
    residual, packed, in_place, clips = (draw(False, True) for _ in range(4))
    layer = ts.conv(
        case.x.shape[single:],
        case.w.shape,
        stride=case.stride,
        padding=case.padding,
        dilation=case.dilation,
        groups=case.groups,
        bias=case.bias is not None,
        residual=residual,
        activation=ts.relu if clips else None,
        layout=layout,
        dtype=NAMES[case.types],
        zero_point=zero,
        target=draw(None, *RUNNING),
    )
    exact = convolution(wide(case.x) - zero, case.w, case.stride, case.pairs, case.dilation, case.groups)
    bias, more = case.bias, numbers(case.shape, of_y, 9)
    exact = exact if bias is None else exact + wide(bias).reshape(-1, *[1] * case.dims)
    exact = exact + wide(more) if residual else exact
    exact = np.maximum(exact, 0) if clips else exact
    expected = rounded(exact, of_y)[0 if single else slice(None)]

    def placed(values: Array, **given: Any) -> Array:
        return guarded(lay(values, way)[0 if single else slice(None)], side, **given)

    x = placed(case.x, writable=False)
    weights = layer.pack(guarded(case.w, side, writable=False), bias=bias if packed else None)
    operands = [guarded(bias, side, writable=False)] if bias is not None and not packed else []
    for threads in (None, None, draw(1, 2, 3, 7)):
        out = placed(more if in_place and residual else np.full(case.shape, 55).astype(of_y))
        last = [out if in_place else placed(more, writable=False)] if residual else []
        assert layer(x, weights, *operands, *last, out=out, threads=threads) is out
        check_canary(out)
        assert np.array_equal(out, expected), (layout, threads)
        made = layer(x, weights, *operands, *([placed(more)] if residual else []), threads=threads)
        assert np.array_equal(made, expected) and made.dtype == expected.dtype


@pytest.mark.parametrize("types", list(NAMES))
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.grid(8)
def test_residual_and_activation(types: str, layout: str) -> None:
    """y = relu(sum + bias + residual), rounded once."""
    of_x, _, of_y = TYPES[types]
    x, w = numbers((2, 7, 6, 9), of_x, 1), weights_of(types, (18, 7, 3, 3))
    layer = ts.conv(
        x.shape, w.shape, padding=1, residual=True, activation=ts.relu, layout=layout, dtype=NAMES[types], stride=(1, 2)
    )
    exact = convolution(x, w, (1, 2), ((1, 1),) * 2, (1, 1))
    bias, residual = numbers((18,), of_y, 3), numbers(exact.shape, of_y, 4)
    way = LAYOUTS[layout]
    made = layer(lay(x, way), layer.pack(w), bias, lay(residual, way))
    whole = exact + bias.astype(exact.dtype).reshape(-1, 1, 1) + residual.astype(exact.dtype)
    assert np.array_equal(made, rounded(np.maximum(whole, 0), of_y))
    assert made.strides == lay(np.zeros(exact.shape, of_y), way).strides


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_requantised_results(layout: str) -> None:
    """What a network of bytes computes: the sum less its zero point, scaled for each channel, plus a residual."""
    x, w = numbers((2, 5, 7, 7), np.uint8, 1), numbers((20, 5, 3, 3), np.int8, 2)
    scale = np.float32(2.0) ** np.random.default_rng(3).integers(-10, -6, 20).astype(np.float32)
    residual = numbers(x.shape[:1] + (20, 7, 7), np.uint8, 4)
    way = LAYOUTS[layout]
    for result in ("u8", "i8"):
        layer = ts.conv(
            x.shape,
            w.shape,
            padding=1,
            dtype=("u8", "i8", result),
            zero_point=100,
            epilogue=lambda c, scale, more: c * scale + more,
            operands={"scale": ("channel", "f32"), "more": (None, "u8")},
            layout=layout,
        )
        bias = numbers((20,), np.int32, 5)
        sums = convolution(x.astype(np.int64) - 100, w, (1, 1), ((1, 1),) * 2, (1, 1)) + bias.reshape(-1, 1, 1)
        exact = sums * scale.astype(np.float64).reshape(-1, 1, 1) + residual
        ends = np.iinfo({"u8": np.uint8, "i8": np.int8}[result])
        made = layer(lay(x, way), layer.pack(w), bias, scale, lay(residual, way))
        assert np.array_equal(made, np.clip(np.rint(exact), ends.min, ends.max))


def test_operands_by_name() -> None:
    x, w = numbers((2, 3, 6, 5), np.float32, 1), numbers((4, 3, 3, 3), np.float32, 2)
    bias, residual = numbers((4,), np.float32, 3), numbers((2, 4, 6, 5), np.float32, 4)
    layer = ts.conv(x.shape, w.shape, padding=1, residual=True)
    exact = convolution(x, w, (1, 1), ((1, 1),) * 2, (1, 1)) + bias.reshape(-1, 1, 1) + residual
    p, with_bias = layer.pack(w), layer.pack(w, bias=bias)
    for _ in range(2):
        for made in (
            layer(x, p, bias=bias, residual=residual),
            layer(x, p, residual=residual, bias=bias, threads=2),
            layer(x, p, bias, residual=residual),
            layer(x, with_bias, residual),
            layer(x, with_bias, residual=residual),
            layer.run(x, p, bias, residual=residual),
        ):
            assert np.array_equal(made, exact)
    refused: tuple[tuple[Any, str], ...] = (
        (lambda: layer(x, p, bias, bias=bias), "bias: given by its place and by its name"),
        (lambda: layer(x, p, bias), "so that residual is missing; give them by place or by name, residual="),
        (lambda: layer(x, p, bias, residual, scale=bias), "scale: this layer takes further operands: bias, residual"),
        (lambda: layer(x, with_bias, bias, residual), "with weights that have a bias, this layer takes further"),
    )
    for call, text in refused:
        with pytest.raises(TypeError, match=re.escape(text)):
            call()


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("types", ["f32", "u8i8"])
def test_the_result_in_place_of_the_residual(layout: str, types: str) -> None:
    """By machine code, by Python and in the emulator; on several threads."""
    of_x, _, of_y = TYPES[types]
    x, w = lay(numbers((2, 5, 9, 8), of_x, 1), LAYOUTS[layout]), weights_of(types, (18, 5, 3, 3))
    layer = ts.conv(x.shape, w.shape, padding=1, residual=True, bias=False, layout=layout, dtype=NAMES[types])
    residual = numbers((2, 18, 9, 8), of_y, 4)
    exact = convolution(x, w, (1, 1), ((1, 1),) * 2, (1, 1)) + residual
    p = layer.pack(w)
    for call in (layer, layer, lambda *a, **given: layer(*a, threads=3, **given), layer.run):
        out = lay(residual, LAYOUTS[layout])
        assert call(x, p, out, out=out) is out and np.array_equal(out, exact)


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_one_image_without_its_axis(layout: str) -> None:
    x, w = numbers((3, 6, 5), np.float32, 1), numbers((4, 3, 3, 3), np.float32, 2)
    layer = ts.conv(x.shape, w.shape, padding=1, residual=True, bias=False, layout=layout)
    assert (layer.shape_x, layer.shape_y) == ((3, 6, 5), (4, 6, 5))
    image, residual = lay(x[None], LAYOUTS[layout])[0], lay(numbers((1, 4, 6, 5), np.float32, 3), LAYOUTS[layout])[0]
    exact = convolution(x[None], w, (1, 1), ((1, 1),) * 2, (1, 1))[0] + residual
    p = layer.pack(w)
    for call in (layer, layer, layer.run):
        assert np.array_equal(call(image, p, residual), exact)
    with pytest.raises(ValueError, match=re.escape("x: shape (3, 6, 5), not (1, 3, 6, 5)")):
        layer(x[None], p, residual)


# Machines


SMALL = {"dims": ((1, 5, 4, 6), (7, 5, 3, 2)), "given": {"padding": ((1, 0), (0, 2)), "stride": (1, 2)}}
EMULATED = ("neon", "sve256", "amx", "avx512_bf16", "avx2", "sse")


@pytest.mark.parametrize(
    "target", [each for each in dict.fromkeys((*EMULATED, *TARGETS)) if each not in ("sme256", "sme512")]
)
@pytest.mark.parametrize("types", ["f32", "bf16", "u8i8", "f64", "i8i8"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.grid(5)
def test_every_machine_in_the_emulator(target: str, types: str, layout: str) -> None:
    """Several workers, whose turns are drawn, leave what the definition says; the emulator raises if two race."""
    of_x, _, of_y = TYPES[types]
    x, w = numbers(SMALL["dims"][0], of_x, 1), weights_of(types, SMALL["dims"][1])
    try:
        layer = ts.conv(x.shape, w.shape, **SMALL["given"], dtype=NAMES[types], layout=layout, target=target)
        layer.job  # noqa: B018
    except ts.UnsupportedError as error:
        pytest.skip(str(error))
    exact = convolution(x, w, SMALL["given"]["stride"], SMALL["given"]["padding"], (1, 1))
    bias = numbers((7,), of_y, 3)
    way = LAYOUTS[layout]
    expected = rounded(exact + bias.astype(exact.dtype).reshape(-1, 1, 1), of_y)
    for workers in (1, 3):
        made = layer.run(lay(x, way), layer.pack(w), bias, workers=workers, turns=workers)
        assert np.array_equal(made, expected)


@pytest.mark.parametrize("target", RUNNING)
@pytest.mark.parametrize("types", ["f32", "bf16", "u8i8", "i16"])
@pytest.mark.grid(6)
def test_every_machine_that_this_one_executes(target: str, types: str) -> None:
    of_x, _, of_y = TYPES[types]
    x, w = numbers((2, 9, 6, 7), of_x, 1), weights_of(types, (17, 9, 3, 3))
    expected = rounded(convolution(x, w, (1, 1), ((2, 2),) * 2, (1, 1)), of_y)
    for layout, way in LAYOUTS.items():
        layer = ts.conv(x.shape, w.shape, padding=2, dtype=NAMES[types], layout=layout, target=target, bias=False)
        assert np.array_equal(layer(lay(x, way), layer.pack(w), threads=2), expected)


def test_several_threads_of_a_program() -> None:
    """A layer may be called by several threads at once: each has scratch memory of its own."""
    x, w = numbers((1, 12, 15, 14), np.float32, 1), numbers((20, 12, 3, 3), np.float32, 2)
    layer = ts.conv(x.shape, w.shape, padding=1, bias=False)
    packed, wrong = layer.pack(w), list[int]()

    def work(number: int) -> None:
        mine = x * (number + 1)
        exact = convolution(mine, w, (1, 1), ((1, 1),) * 2, (1, 1))
        for _ in range(20):
            if not np.array_equal(layer(mine, packed, threads=1 + number % 3), exact):
                wrong.append(number)

    several = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for each in several:
        each.start()
    for each in several:
        each.join()
    assert not wrong


def test_scratch_memory_of_other_layers_leaves_no_trace() -> None:
    """Scratch memory is not cleared between calls: what another layer left there, NaN too, is overwritten or unread."""
    for c in (512, 3, 17):
        x = np.full((1, c, 9, 9), np.nan, np.float32)
        w = numbers((5, c, 3, 3), np.float32, 2)
        assert np.isnan(ts.conv2d(x, w, padding=1, threads=1)[:, :, 1:-1, 1:-1]).all()
        for less in (512, 16, 2):
            x, w = numbers((1, less, 7, 6), np.float32, 1), numbers((5, less, 3, 3), np.float32, 2)
            expected = convolution(x, w, (1, 1), ((1, 1),) * 2, (1, 1))
            assert np.array_equal(ts.conv2d(x, w, padding=1, threads=1), expected)


# Objects


def test_pickles() -> None:
    """A layer and its weights, copied to another process, compute the same bits."""
    x, w = numbers((2, 6, 7, 5), np.uint8, 1), numbers((9, 6, 3, 3), np.int8, 2)
    layer = ts.conv(
        x.shape,
        w.shape,
        padding=1,
        dtype=("u8", "i8", "i32"),
        zero_point=3,
        epilogue=lambda c, scale: ts.relu(c) * scale,
        operands={"scale": ("channel", "i32")},
    )
    bias, scale = numbers((9,), np.int32, 3), numbers((9,), np.int32, 4)
    weights = layer.pack(w)
    other, same = pickle.loads(pickle.dumps((layer, weights)))
    expected = layer(x, weights, bias, scale)
    assert np.array_equal(other(x, same, bias, scale), expected)
    assert np.array_equal(layer(x, same, bias, scale), expected)
    assert np.array_equal(other(x, weights, bias, scale), expected)


def test_equal_requests_share_a_layer() -> None:
    asked: dict[str, Any] = {"padding": 1, "activation": ts.relu}
    assert ts.conv((1, 3, 5, 5), (4, 3, 3, 3), **asked) is ts.conv((1, 3, 5, 5), (4, 3, 3, 3), **asked)
    assert ts.conv((1, 3, 5, 5), (4, 3, 3, 3)) is not ts.conv((1, 3, 5, 5), (4, 3, 3, 3), layout="NHWC")


def test_a_layer_says_what_it_does() -> None:
    layer = ts.conv((1, 3, 9, 9), (4, 3, 3, 3), stride=2, padding=1, layout="NHWC", bias=False)
    assert "convolution (1, 3, 9, 9) -> (1, 4, 5, 5), 3x3 taps, stride 2x2, f32/f32/f32" in repr(layer)
    assert layer.flops == 2 * 4 * 5 * 5 * 3 * 3 * 3
    assert str(layer.plan) in str(layer) and layer.plan.cycles > 0
    assert any("elements outside of A are read" in each for each in layer.plan.rejected)


# Refusals


SHAPES = (2, 6, 7, 8), (4, 6, 3, 3)
LAYER_REFUSED: tuple[tuple[Any, type[Exception], str], ...] = (
    (
        lambda: ts.conv((2, 6), (4, 6)),
        ValueError,
        "w: channels, channels a group and taps along one to three axes, not",
    ),
    (lambda: ts.conv(5, (4, 6)), TypeError, "x: a shape, as (1, 64, 56, 56), not 5"),
    (lambda: ts.conv((2, 6, 7, 8.5), (4, 6, 3, 3)), TypeError, "x: a shape, as (1, 64, 56, 56), not (2, 6, 7, 8.5)"),
    (lambda: ts.conv((2, 0, 7, 8), (4, 0, 3, 3)), ValueError, "x, w: extents from 1"),
    (lambda: ts.conv(*SHAPES, layout="HWNC"), ts.UnsupportedError, "layout: images outermost"),
    (lambda: ts.conv(*SHAPES, layout="channels_last"), ValueError, "layout: the letters NCHW in the order of memory"),
    (lambda: ts.conv(*SHAPES, layout="hwnc"), ts.UnsupportedError, "layout: images outermost"),
    (lambda: ts.conv(*SHAPES, zero_point=3), ts.UnsupportedError, "zero_point: of integers only; x is f32"),
    (lambda: ts.conv(*SHAPES, dtype=("u8", "i8", "i32"), zero_point=256), ValueError, "zero_point: a value of u8"),
    (lambda: ts.conv(*SHAPES, dtype=("u8", "i8", "i32"), zero_point=0.5), TypeError, "zero_point: a whole number"),
    (lambda: ts.conv(*SHAPES, dtype=("u8", "i8")), ValueError, "dtype: one type, or three"),
    (lambda: ts.conv(*SHAPES, activation="relu"), TypeError, "activation: a function of expressions"),
    (
        lambda: ts.conv(*SHAPES, activation=ts.relu, epilogue=lambda c: c),
        TypeError,
        "epilogue: in place of activation= and residual=",
    ),
    (lambda: ts.conv(*SHAPES, operands={"s": "channel"}), TypeError, "operands: only an epilogue takes operands="),
    (
        lambda: ts.conv(*SHAPES, epilogue=lambda c, s: c * s, operands={"s": "col"}),
        ValueError,
        'operands: s is "channel" (an element for each) or None',
    ),
    (lambda: ts.conv(*SHAPES, threads=-1), ValueError, "threads"),
)


@pytest.mark.parametrize("case", LAYER_REFUSED, ids=lambda each: each[2][:40])
@pytest.mark.grid(len(LAYER_REFUSED))
def test_refused_layers(case: tuple[Any, type[Exception], str]) -> None:
    call, error, text = case
    with pytest.raises(error, match=re.escape(text)):
        call()


def test_refused_calls() -> None:
    layer, other = (ts.conv((2, 6, 7, 8), (4, 6, taps, taps), bias=True) for taps in (3, 1))
    x, w, bias = np.ones((2, 6, 7, 8), np.float32), np.ones((4, 6, 3, 3), np.float32), np.ones(4, np.float32)
    p = layer.pack(w)
    refused: tuple[tuple[Any, type[Exception], str], ...] = (
        (lambda: layer.pack(w[:3]), ValueError, "weights: shape (4, 6, 3, 3), not (3, 6, 3, 3)"),
        (lambda: layer.pack(w.astype(np.float64)), TypeError, "weights: f32, not float64"),
        (lambda: layer.pack(w, bias[:3]), ValueError, "scale: an element for each of 4 channels"),
        (lambda: layer(x, w, bias), TypeError, "weights: packed, by layer.pack(weights), not ndarray"),
        (lambda: other(x, p, bias), TypeError, "weights: of shape (4, 6, 1, 1), not (4, 6, 3, 3)"),
        (lambda: layer(x, p), TypeError, "this layer takes further operands: bias; 0 are given"),
        (lambda: layer(x[:1], p, bias), ValueError, "x: shape (2, 6, 7, 8), not (1, 6, 7, 8)"),
        (lambda: layer(x.astype(np.float16), p, bias), TypeError, "x: f32, not float16"),
        (lambda: layer(x.astype(">f4"), p, bias), TypeError, "x: float32 in native byte order, not >f4"),
        (lambda: layer(x, p, bias.astype(">f4")), TypeError, "bias: float32 in native byte order, not >f4"),
        (lambda: layer(lay(x, "last"), p, bias), ValueError, "x: strides of"),
        (lambda: layer(x, p, bias[:2]), ValueError, "bias: shape (4,), not (2,)"),
        (lambda: layer(x, p, bias, out=np.ones((2, 4, 5, 5), np.float32)), ValueError, "out: shape (2, 4, 5, 6)"),
        (lambda: layer(x, p, bias, threads=0), ValueError, "threads"),
    )
    for call, error, text in refused:
        with pytest.raises(error, match=re.escape(text)):
            call()
    out = np.ones((2, 4, 5, 6), np.float32)
    out.setflags(write=False)
    with pytest.raises(ValueError, match="out: read-only"):
        layer(x, p, bias, out=out)
    same = ts.conv((2, 6, 7, 8), (6, 6, 1, 1), bias=False)
    with pytest.raises(ValueError, match="out: shares memory with x"):
        same(x, same.pack(numbers((6, 6, 1, 1), np.float32, 1)), out=x)


@pytest.mark.parametrize("shape", [(2, 3, 9), (1, 3, 4, 5, 6)], ids=str)
def test_layers_of_sequences_and_volumes(shape: tuple[int, ...]) -> None:
    dims = len(shape) - 2
    x, w = numbers(shape, np.int8, 1), numbers((4, 3, *[2] * dims), np.int8, 2)
    layer = ts.conv(shape, w.shape, padding=1, dtype=("i8", "i8", "i32"), bias=False)
    expected = convolution(x, w, (1,) * dims, ((1, 1),) * dims, (1,) * dims)
    assert np.array_equal(layer(x, layer.pack(w)), expected)


def test_bf16_weights_of_images_in_f32() -> None:
    x, w = numbers((1, 6, 5, 5), np.float32, 1), numbers((4, 6, 3, 3), ml_dtypes.bfloat16, 2)
    layer = ts.conv(x.shape, w.shape, bias=False, dtype=("f32", "bf16", "f32"))
    assert np.array_equal(layer(x, layer.pack(w)), convolution(x, w, (1, 1), ((0, 0),) * 2, (1, 1)))


@pytest.mark.parametrize("target", [each for each in TARGETS if each not in ("sme256", "sme512")])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.grid(3)
def test_vectors_along_pixels(target: str, stride: int) -> None:
    """One tap with channels first: pixels are neighbours in x, or its bands, and in y, and so nothing is turned."""
    x, w = numbers((2, 9, 8, 12), np.float32, 1), numbers((37, 9, 1, 1), np.float32, 2)
    given: dict[str, Any] = {"stride": stride, "residual": True, "activation": ts.relu}
    layer = ts.conv(x.shape, w.shape, **given, target=target)
    bias, residual = numbers((37,), np.float32, 3), numbers(layer.shape_y, np.float32, 4)
    assert "vectors along the rows" in str(layer.plan) or "vectors along the rows" in str(layer.plan.rejected)
    expected = np.maximum(convolution(x, w, (stride,) * 2, ((0, 0),) * 2, (1, 1)) + bias[:, None, None] + residual, 0)
    for threads in (1, 3):
        found = layer.run(x, layer.pack(w), bias, residual, workers=threads, turns=threads)
        assert np.array_equal(found, expected)
