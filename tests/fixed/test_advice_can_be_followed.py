"""Errors told users to write what raised another error: `ts.select(mask, 1.0, 0.0)`, `argument 1.detach()`, and types
of C that no function by hand takes.

Each case makes a mistake, takes the advice out of the message, and executes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts


def _message(mistake: Callable[[], Any]) -> str:
    with pytest.raises((TypeError, ValueError, ts.UnsupportedError)) as raised:
        mistake()
    return str(raised.value)


def _advice(pattern: str, mistake: Callable[[], Any]) -> str:
    """What the message says to write, which `pattern` has as its group."""
    message = _message(mistake)
    found = re.search(pattern, message)
    assert found, message
    return found[1]


def _follow(text: str, **names: Any) -> Any:
    return eval(text, {"ts": ts, "np": np, **names})


def test_numbers_of_a_mask():
    """The expected values are numpy's."""
    told = _advice(r"(ts\.select\(.*?\)) makes", lambda: ts.equation(lambda x: (x > 0) * x, x=(1, 4)))
    x = np.array([[1, -2, 3, 0]], np.float32)
    for dtype, options in ((np.float32, {}), (np.float64, {}), (np.int32, {"out": "f32", "compute": "f32"})):
        y = x.astype(dtype)
        k = ts.equation(lambda x: _follow(told, mask=x > 0), x=(1, 4), dtype=np.dtype(dtype).name, **options)
        assert np.array_equal(k(y), np.where(y > 0, 1.0, 0.0))


@pytest.mark.parametrize(
    "function, wanted",
    [
        (lambda x: ts.select(x > 0, 1, 0) * x, lambda x: np.where(x > 0, 1, 0) * x),
        (lambda x: ts.select((x > 0) & (x < 2), 2.5, -1), lambda x: np.where((x > 0) & (x < 2), 2.5, -1)),
        (lambda x: ts.select(ts.max(x, axis=1) > 2, 1.0, 0.0) + x, lambda x: (x.max(1, keepdims=True) > 2) + x),
    ],
)
def test_both_values_of_select_may_be_numbers(function, wanted):
    x = np.array([[1, -2, 3, 0], [1, 1, 0, 2]], np.float32)
    assert np.array_equal(ts.equation(function, x=(2, 4))(x), wanted(x))


def test_values_of_integers_are_integers():
    x = np.array([[1, -2, 2**24 + 1, 0]], np.int32)
    k = ts.equation(lambda x: ts.select(x > 0, 2**24 + 1, -3), x=(1, 4), dtype="i32")
    assert np.array_equal(k(x), np.where(x > 0, 2**24 + 1, -3))


def test_tensors_that_require_grad():
    torch = pytest.importorskip("torch")
    tensor = torch.nn.Parameter(torch.ones(8, 8))
    layer, kernel = ts.linear(8, 8, 8), ts.brgemm(8, 8, 8, beta=0)
    calls = [
        layer.pack,
        lambda x: kernel(x, x),
        lambda x: ts.matmul(x, x),
        ts.dispatch(ts.unary, "relu"),
        lambda x: ts.dispatch(ts.brgemm, beta=0)(x, x),
        ts.dispatch(ts.reduce, "sum", axis=0),
    ]
    for call in calls:
        told = _advice(r"pass (\w+\.detach\(\))", lambda call=call: call(tensor))
        call(_follow(told, **dict.fromkeys(("weights", "a", "x", "tensor"), tensor)))


@pytest.mark.parametrize(
    "mistake, wanted",
    [
        ("void f(float _complex *x)", "c64"),
        ("void f(flot *x)", "f32"),
        ("void f(doubel *x)", "f64"),
        ("flot f(void)", ""),
        ("unt32_t f(void)", ""),
        ("void f(unsignd x)", ""),
        ("float _complx f(void)", ""),
        ("void f(int23_t x)", ""),
        ("void f(cmplx *x)", ""),
    ],
)
def test_types_of_c(mistake, wanted):
    """Where a type is suggested, a declaration with it is accepted."""
    asm = ts.assembler("avx2")
    asm.ret()
    code = asm.finish("f")
    message = _message(lambda: code.kernel(mistake))
    wrong = re.search(r"is '([^']*)'", message)
    told = re.search(r"did you mean (.*)\?", message)
    assert wrong and (told or not wanted), message
    for suggested in told[1].split(" or ") if told else []:
        code.kernel(mistake.replace(wrong[1], suggested))


@pytest.mark.parametrize(
    "declaration",
    [
        "void f(complex float *x)",
        "void f(float complex *x, const double complex *y)",
        "void f(_Complex float *x)",
    ],
)
def test_complex_is_spelled_as_in_c(declaration):
    asm = ts.assembler("avx2")
    asm.ret()
    assert asm.finish("f").kernel(declaration)


def test_element_types():
    for mistake in ("complex32", "float16x", "half2", "int33", "bflat16", "f8e4m4", "tf32"):
        message = _message(lambda mistake=mistake: ts.transpose(4, 4, dtype=mistake))
        if told := re.search(r'did you mean "(\w+)"', message):
            assert ts.transpose(4, 4, dtype=told[1])


_NEAR = r"did you mean '?(\w+)'?"
_X = np.ones((4, 6), np.float32)
MISTAKES: list[tuple[Callable[[], Any], str, Callable[[str], Any]]] = [
    (lambda: ts.brgemm(4, 4, 4, alhpa=2.0), r"did you mean (\w+)=", lambda told: ts.brgemm(4, 4, 4, **{told: 1.0})),
    (lambda: ts.unary("tanhh", 4, 4), _NEAR, lambda told: ts.unary(told, 4, 4)),
    (lambda: ts.fused("softmaxx", 4, 4), _NEAR, lambda told: ts.fused(told, 4, 4)),
    (lambda: ts.fused("gelu", 4, 4), r"(ts\.unary\(.*?\))", lambda told: _follow(told, m=4, n=4)),
    (lambda: ts.brgemm(4, 4, 4, target="avx_512"), _NEAR, lambda told: ts.brgemm(4, 4, 4, target=told)),
    (lambda: ts.transform("vnni3", 4, 4), _NEAR, lambda told: ts.transform(told, 4, 4, dtype="bf16")),
    (lambda: ts.exp(_X), r"k = (ts\.unary.*?\)); k", lambda told: _follow(told, m=4, n=6)(_X)),
    (
        lambda: ts.maximum(_X, 1),
        r"k = (ts\.equation.*?\)); k",
        lambda told: _follow(told.replace("...", "1"), m=4, n=6)(_X),
    ),
    (
        lambda: ts.equation(lambda x, y: x**y, x=(4, 6), y=(4, 6)),
        r"write (ts\.exp\(.*?\)\))",
        lambda told: ts.equation(lambda x, y: _follow(told, x=x, y=y), x=(4, 6), y=(4, 6))(_X, _X),
    ),
    (
        lambda: ts.equation(lambda x: np.sum(x), x=(4, 6)),
        r"write (ts\.sum\(x, axis=1\))",
        lambda told: ts.equation(lambda x: _follow(told, x=x), x=(4, 6))(_X),
    ),
    (
        lambda: ts.equation(lambda x: x if x > 0 else 0, x=(4, 6)),
        r"write (ts\.select\(mask, a, b\))",
        lambda told: ts.equation(lambda x: _follow(told, mask=x > 0, a=x, b=0), x=(4, 6))(_X),
    ),
    (
        lambda: ts.equation(lambda x: ts.select(x, x, 0), x=(4, 6)),
        r"write (x != 0)",
        lambda told: ts.equation(lambda x: ts.select(_follow(told, x=x), x, 0), x=(4, 6))(_X),
    ),
]

_IMAGE, _FILTER, _SCALE = np.ones((1, 4, 9, 9), np.uint8), np.ones((8, 4, 3, 3), np.int8), np.ones(8, np.float32)
_REAL, _BIAS = _IMAGE.astype(np.float32), np.ones(7, np.float32)
_GIVEN = {"x": _IMAGE, "w": _FILTER, "scale": _SCALE, "array": np.ones((1, 8, 7, 7), np.float32)}
BYTES: Any = {"dtype": ("u8", "i8", "u8"), "bias": False}
CONVOLUTIONS: list[tuple[Callable[[], Any], str, Callable[[str], Any]]] = [
    (
        lambda: ts.conv2d(_REAL, _FILTER.astype(np.float32), _BIAS),
        r"(\(8,\)), not",
        lambda told: ts.conv2d(_REAL, _FILTER.astype(np.float32), np.ones(_follow(told), np.float32)),
    ),
    (
        lambda: ts.conv2d(_REAL, _FILTER.astype(np.float32), _BIAS),
        r"an epilogue: (epilogue=.*\})",
        lambda told: _follow(f"ts.conv2d(x, w, {told})", **{**_GIVEN, "x": _REAL, "w": _FILTER.astype(np.float32)}),
    ),
    (
        lambda: ts.conv2d(_IMAGE, _FILTER, dtype="u8"),
        r"scaled: (epilogue=.*\}), scale an array of f32",
        lambda told: _follow(f"ts.conv2d(x, w, dtype='u8', {told})", **_GIVEN),
    ),
    (
        lambda: ts.conv2d(_IMAGE, _FILTER, dtype="i16"),
        r"or of (\w+) or \w+ with an epilogue, not i16",
        lambda told: ts.conv2d(_IMAGE, _FILTER, dtype=told, epilogue=lambda c, s: c * s, operands={"s": _SCALE}),
    ),
    (
        lambda: ts.conv(_IMAGE.shape, _FILTER.shape, **BYTES),
        r"scaled: (epilogue=.*\})",
        lambda told: _follow(f"ts.conv({_IMAGE.shape}, {_FILTER.shape}, {told}, **given)", given=BYTES),
    ),
    (
        lambda: ts.conv(_IMAGE.shape, _FILTER.shape, epilogue=lambda c, s: c * s, operands={"s": "col"}, **BYTES),
        r"as (\(.*?\))",
        lambda told: ts.conv(
            _IMAGE.shape, _FILTER.shape, epilogue=lambda c, s: c * s, operands={"s": _follow(told)}, **BYTES
        ),
    ),
    (
        lambda: ts.conv(_IMAGE.shape, _FILTER.shape, epilogue=lambda c, bias: c * bias),
        r"with (bias=False)",
        lambda told: _follow(f"ts.conv({_IMAGE.shape}, {_FILTER.shape}, epilogue=lambda c, bias: c * bias, {told})"),
    ),
    (
        lambda: ts.conv2d(_IMAGE.astype(np.int32), _FILTER.astype(np.int32)),
        r": (x\.astype\(.*?\), w\.astype\(.*?\)),",
        lambda told: _follow(f"ts.conv2d({told})", **_GIVEN),
    ),
    (
        lambda: ts.conv2d(_REAL, _FILTER.astype(np.float64)),
        r": (x\.astype\(.*?\), w),",
        lambda told: _follow(f"ts.conv2d({told})", x=_REAL, w=_FILTER.astype(np.float64)),
    ),
    (
        lambda: ts.conv2d(_REAL, np.ones((8, 2, 3, 3), np.float32)),
        r"(groups=\d+) fits",
        lambda told: _follow(f"ts.conv2d(x, w, {told})", x=_REAL, w=np.ones((8, 2, 3, 3), np.float32)),
    ),
    (
        lambda: ts.conv1d(np.ones((1, 3, 20), np.float32), np.ones((4, 3, 9), np.float32), padding=(8, 0)),
        r"are a pair, (.*)",
        lambda told: _follow(f"ts.conv1d(x, w, padding={told})", x=_REAL[:, :3, 0], w=_REAL[:, :3, 0]),
    ),
    (
        lambda: ts.conv2d(_REAL, _REAL[:, :, :3, :3], padding=(1, 2, 3, 4)),
        r"are (ts\.onnx_padding\(.*?\))",
        lambda told: _follow(f"ts.conv2d(x, w, padding={told})", x=_REAL, w=_REAL[:, :, :3, :3]),
    ),
    (lambda: ts.onnx_padding(1), r"as (\[.*?\])", lambda told: ts.onnx_padding(_follow(told))),
    (lambda: ts.resize(_IMAGE, 4), r"of (x.*?), or", lambda told: ts.resize(_follow(told, **_GIVEN), 4)),
    (lambda: ts.avg_pool2d(_IMAGE, 2), r"of (x.*?), or", lambda told: ts.avg_pool2d(_follow(told, **_GIVEN), 2)),
    (
        lambda: ts.batch_norm(_IMAGE, _SCALE[:4], _SCALE[:4]),
        r"of (x.*)",
        lambda told: ts.batch_norm(_follow(told, **_GIVEN), _SCALE[:4], _SCALE[:4]),
    ),
    (
        lambda: ts.einsum("ij->ji", _X),
        r"(ts\.permute\(a, \(.*?\)\))",
        lambda told: _follow(told, a=_X),
    ),
    (lambda: ts.einsum("ij->i", _X), r"(a\.sum\(axis=\.\.\.\))", lambda told: _follow(told.replace("...", "1"), a=_X)),
    (
        lambda: ts.einsum("ij,kj->ik", _X.astype(np.int32), _X.astype(np.int32)),
        r"(ts\.einsum\(.*?\)\))",
        lambda told: _follow(told, a=_X, b=_X),
    ),
    (
        lambda: ts.conv((1, 4, 9, 9), (8, 4, 3, 3)).pack(_FILTER),
        r"(weights\.astype.*?\)) converts",
        lambda told: ts.conv((1, 4, 9, 9), (8, 4, 3, 3)).pack(_follow(told, weights=_FILTER)),
    ),
    (
        lambda: ts.conv((1, 4, 9, 9), (8, 4, 3, 3), bias=False).pack(_FILTER.astype(np.float32), bias=_SCALE),
        r"with (bias=True)",
        lambda told: _follow(f"ts.conv((1, 4, 9, 9), (8, 4, 3, 3), {told})").pack(
            _FILTER.astype(np.float32), bias=_SCALE
        ),
    ),
    (
        lambda: ts.conv2d_backward(_IMAGE, _IMAGE, np.ones((4, 4, 1, 1), np.uint8)),
        r"convert them, (x.*)",
        lambda told: ts.conv2d_backward(*[_follow(told, x=_IMAGE)] * 2, np.ones((4, 4, 1, 1), np.float32)),
    ),
]


@pytest.mark.parametrize("mistake, pattern, follow", [*MISTAKES, *CONVOLUTIONS])
@pytest.mark.grid(len(MISTAKES) + len(CONVOLUTIONS))
def test_what_the_message_says_works(mistake, pattern, follow):
    follow(_advice(pattern, mistake))
