"""Calls of public functions that do not fit the signature: the errors say how to write the call."""

import traceback

import numpy as np
import pytest

import tilesmith as ts

MISTAKES = {
    "a type by position": (
        lambda: ts.brgemm(4, 5, 6, "bf16"),
        r'brgemm: takes 3 arguments by position \(m, n, k\), not 4; write dtype="bf16"$',
    ),
    "a type of numpy": (lambda: ts.unary("gelu", 4, 5, np.float32), 'by position .*; write dtype="f32"$'),
    "another value": (lambda: ts.attention(8, 8, 8, 64, True), "give options by name: causal=, mask=, "),
    "shapes by position": (lambda: ts.equation(lambda x: x, 5, 7), "give operands and options by name: dtype=, "),
    "an unknown option": (
        lambda: ts.reduce("sum", 4, 5, acuracy="fast"),
        "reduce: acuracy= is no argument of it; its options are axis=, dtype=, ",
    ),
    "a misspelt option": (lambda: ts.gemm(4, 5, 6, treads=2), "treads= is no argument of it.*; did you mean threads=?"),
    "a misspelt option beside operands": (
        lambda: ts.equation(lambda x: x, x=(4, 5), dtyp="bf16"),
        "dtyp: no argument of this kernel; .* ldx, ldy; did you mean dtype=?",
    ),
    "an array for its shape": (
        lambda: ts.equation(lambda x: x, x=np.ones((4, 5))),
        r"x: a shape \(rows, columns\), not an array; write x=\(4, 5\)",
    ),
    "arrays for extents": (
        lambda: ts.attention(*np.ones((3, 2, 8, 16), "f4")),
        r"attention: makes a kernel .* not from arrays; write k = ts.attention\(heads, queries, keys, size\), and then "
        r"k\(...\) takes the arrays$",
    ),
    "an array behind a name": (lambda: ts.fused("softmax", np.ones((4, 5))), r"write k = ts.fused\(name, m, n\)"),
    "a product of arrays": (lambda: ts.gemm(*np.ones((3, 4, 4))), r"ts.matmul\(a, b\) multiplies arrays at once$"),
    "a network of arrays": (lambda: ts.mlp(np.ones((4, 4)), [4, 4]), r"mlp: makes .* k = ts.mlp\(m, sizes\)"),
    "rows of an array": (lambda: ts.gather(np.ones((4, 5)), np.arange(3)), r"write k = ts.gather\(by, m, n\)"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_error_says_how_to_write_the_call(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(TypeError, match=message):
        call()


def test_what_is_missing_is_named_by_python():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'n'"):
        ts.unary("gelu", 5)


def test_the_traceback_shows_the_error_once():
    with pytest.raises(TypeError) as found:
        ts.brgemm(4, 5, 6, "bf16")
    shown = "".join(traceback.format_exception(found.value))
    assert shown.count("TypeError") == 1 and "During handling" not in shown
