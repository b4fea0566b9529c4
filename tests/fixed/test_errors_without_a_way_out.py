"""Errors for wrong element types, lists, functions of torch in traced functions, and missing names did not say what to
write instead. Now they do."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.cli.main import main

X = np.ones((4, 4), np.float32)
CONVERTED = r"; x\.astype\(np\.float32\) converts it, or of a tensor \.to\(torch\.float32\)"
OTHER = "; dtype= of the request makes a kernel for other types$"
WRONG = {
    "f64": (X.astype("f8"), f"not float64{CONVERTED}{OTHER}"),
    "order": (X.astype(">f4"), f"not float32 in the other byte order{CONVERTED}$"),
    "bool": (X > 0, f"not bool{CONVERTED}$"),
    "object": (X.astype(object), "not object$"),
    "complex": (X.astype("c8"), "not complex64$"),
    "record": (np.zeros((4, 4), [("a", "f4")]), r"not \[\('a', '<f4'\)\]$"),
    "list": (X.tolist(), r"not list; np\.asarray\(x, dtype\) makes an array of it$"),
}


@pytest.mark.parametrize("which", WRONG)
def test_arguments(which):
    value, message = WRONG[which]
    with pytest.raises(TypeError, match=message):
        ts.unary("relu", 4, 4)(value)


def test_advice_on_types_is_right():
    half = X.astype(np.float16)
    with pytest.raises(TypeError, match=r"x\.astype\(ml_dtypes\.bfloat16\) converts it"):
        ts.unary("relu", 4, 4, dtype="bf16")(half)
    assert (ts.unary("relu", 4, 4, dtype="bf16")(half.astype(ml_dtypes.bfloat16)) == 1).all()
    rows = ts.gather("rows", 4, 4, size=4)
    with pytest.raises(TypeError, match=r"index\.astype\(np\.int64\) converts it, .*\(torch\.int64\)$"):
        rows(X, np.zeros(4, np.int32))
    with pytest.raises(TypeError, match="not [|]V4$"):
        ts.unary("relu", 4, 4)(X.view("V4"))
    with pytest.raises(TypeError, match="^y: dtype float32 in native byte order, not float64$"):
        ts.unary("relu", 4, 4)(X, X.astype("f8"))  # a converted copy would not be the caller's result


@pytest.mark.parametrize(("code", "name"), [("<f4", "f32"), (">f8", "f64"), ("=i8", "i64"), ("|u1", "u8")])
def test_codes_with_a_byte_order(code, name):
    with pytest.raises(ValueError, match=rf"{re.escape(repr(code))} \(numpy's codes count bytes.*'{name}'\)"):
        ts.unary("relu", 4, 4, dtype=code)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("sin", "no kernel computes sin"),
        ("log1p", r"write ts\.log\(1 \+ x\)"),
        ("pow", r"write x\*\*n"),
        ("where", r"write ts\.select\(mask, a, b\)"),
        ("gem", r"did you mean ts\.gemm\?$"),
        ("swish", r"did you mean ts\.silu\?$"),
        ("xyzzy", "'xyzzy'$"),
    ],
)
def test_names_that_the_package_does_not_have(name, instead):
    with pytest.raises(AttributeError, match=f"^module 'tilesmith' has no attribute (?='{name}').*{instead}"):
        getattr(ts, name)
    assert not hasattr(ts, "__wrapped__")


def test_functions_of_torch_in_traced_functions():
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    for function, instead in (
        (torch.relu, r"torch\.relu .*write ts\.relu"),
        (functional.gelu, r"write ts\.gelu"),
        (lambda c: torch.softmax(c, 1), r"write ts\.softmax\(x, axis=1\)"),
        (torch.sin, r"torch\.sin: has no counter"),
        (lambda c: torch.clamp(c, 0, 1), r"write ts\.clamp"),
        (torch.exp, r"write ts\.exp"),
    ):
        with pytest.raises(TypeError, match=instead):
            ts.brgemm(4, 4, 4, epilogue=lambda c, function=function: function(c))
    weight = torch.ones(4, 4)
    for function in (lambda c: c + weight, lambda c: weight * c, lambda c: weight - c):
        with pytest.raises(TypeError, match=r"an array of shape \(4, 4\) is no operand of an expression: make it a"):
            ts.brgemm(4, 4, 4, epilogue=function)
    doubled = ts.brgemm(4, 4, 4, beta=0, epilogue=lambda c: torch.tensor(2.0) * c + c * torch.tensor(1.0))
    assert (doubled(X, X) == 12).all()


def test_requests():
    with pytest.raises(TypeError, match=r'^name: of a primitive, as "tanh", not .*ts.equation\(function, x=\(m, n\)\)'):
        ts.unary(np.tanh, 4, 4)
    for request, name in ((ts.gemm, r"ts\.gemm"), (ts.matmul, r"ts\.matmul"), ("brgemm", "'brgemm'")):
        with pytest.raises(ts.UnsupportedError, match=f"not {name}; ts.matmul takes arrays of any shape"):
            ts.dispatch(request)
    with pytest.raises(TypeError, match=r"^axis: softmax .*and ts\.softmax\(\.\.\., axis=0\) inside ts\.equation"):
        ts.fused("softmax", 4, 4, axis=0)
    counted = ts.embedding_bag(ts.RUNTIME, 4, size=ts.RUNTIME, count=ts.RUNTIME)
    for kernel in (ts.fused("layernorm", 4, 4), ts.fused("layernorm", ts.RUNTIME, 4), counted):
        with pytest.raises(TypeError, match=r"^this kernel takes 4 arguments \(x, .*, y; y may be left out\), not 1$"):
            kernel(X)
    with pytest.raises(TypeError, match=r"^softmax: axis=1 \(along each row\) or axis=0"):
        ts.equation(lambda x: ts.softmax(x), x=(4, 4))
    with pytest.raises(TypeError, match=r"^save: each kernel by the name .*save\('k.o', product=kernel\)"):
        ts.save("k.o", ts.unary("relu", 4, 4))


def test_command_line(tmp_path, capsys):
    code = tmp_path / "k.bin"
    ts.unary("relu", 4, 4, target="neon").save(code)
    shown = []
    for name in ("a64", "aarch64", "ARM64"):
        assert main(["disasm", "--arch", name, str(code)]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] and shown[0] == shown[1] == shown[2]
    assert main(["asm", "brgemm", "4", "4", "4", "--epilogue", "lambda c: ts.relu(c)"]) == 2
    assert 'functions by their names alone, as "relu(c + bias)"' in capsys.readouterr().err


REFUSED = {
    "strides": (lambda: ts.brgemm(8, 8, 8, dtype="f32x3bf16", batch=2, strides=ts.RUNTIME), r"ts\.ladder takes"),
    "streaming": (lambda: ts.brgemm(8, 8, 8, beta=0, streaming="c", epilogue=ts.relu), "leave one of them out$"),
    "prefetch": (lambda: ts.brgemm(ts.RUNTIME, 8, 8, prefetch="a"), "leave them out, or give a number$"),
    "leading": (lambda: ts.spread(ts.fused("softmax", 8, 8, ldx=ts.RUNTIME)), "for each distance between rows$"),
}


@pytest.mark.parametrize("which", REFUSED)
def test_refused_requests(which):
    request, message = REFUSED[which]
    with pytest.raises(ts.UnsupportedError, match=message):
        request()
