"""Errors of wrong calls came from inner code or named something that the caller had not written."""

import numpy as np
import pytest

import tilesmith as ts

X = np.ones((4, 5), np.float32)
KERNEL = ts.unary("relu", 4, 5, target="avx2")
MISTAKES = {
    "a kernel for a path": (lambda: ts.save(KERNEL, "k.o"), "save: each kernel by the name that its function gets"),
    "a kernel alone": (lambda: ts.save(KERNEL), "save: each kernel by the name that its function gets"),
    "a shape without a parameter": (
        lambda: ts.equation(lambda x: ts.sum(x, axis=1), x=(4, 5), z=(3,)),
        "z: no argument of this kernel; its operands are x, y, its leading dimensions are ldx, ldy",
    ),
    "a reduction in a transpose": (
        lambda: ts.transpose(4, 5, epilogue=lambda x: ts.softmax(x, axis=1)),
        "epilogue: a reduction needs whole rows",
    ),
    "no name of a primitive": (lambda: ts.dispatch(ts.unary), "dispatch: ts.unary: missing .*'name'; it follows"),
    "an unknown option": (lambda: ts.dispatch(ts.brgemm, foo=1), "dispatch: ts.brgemm: .* 'foo'$"),
    "operands of no epilogue": (
        lambda: ts.brgemm(4, 5, 6, operands={"b": "row"}),
        "operands: only an epilogue takes operands=",
    ),
    "operands of no epilogue of a large product": (
        lambda: ts.gemm(40, 50, 60, operands={"b": "row"}),
        "operands: only an epilogue takes operands=",
    ),
    "types of results of no epilogue": (lambda: ts.brgemm(4, 5, 6, out="f32"), "out: only an epilogue takes out="),
    "the array of a mask": (lambda: ts.attention(2, 4, 4, 8, mask=X), "mask: .* the call takes the array itself"),
    "a composite of nothing": (
        lambda: ts.equation(lambda x: ts.composite("softmax"), x=(4, 5)),
        "softmax: takes an expression .*, not none",
    ),
    "a number for a file": (lambda: KERNEL.save(3), "path: the name of a file, not int"),
    "an array with a mask": (lambda: KERNEL(np.ma.array(X)), r"x: an array without a mask .*; x.filled\(0\)"),
    "a number for a folder": (lambda: ts.load(3), "folder: the path of a folder"),
    "more blockings than the most": (lambda: ts.Rule(3), "most: blockings from least=3 on, not 0"),
    "a name for a number of blockings": (lambda: ts.Rule("a", 2), "least: a whole number of blockings, not 'a'"),
    "a number for a rule": (lambda: ts.tune({"a": 3}, {"a": (0, 4, 1)}, lambda i: None), "rules: a ts.Rule for loop a"),
    "a body of an operand that is not given": (
        lambda: ts.nest("a", {"a": (0, 4, 1)}, lambda i, x: None),
        "body: is called with i, and takes",
    ),
    "a function of one expression": (lambda: ts.ceil(2.5), r"ts.equation\(lambda x: ts.ceil\(x\), x="),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises((TypeError, ValueError), match=message):
        call()
