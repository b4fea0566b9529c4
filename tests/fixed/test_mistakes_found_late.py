"""Mistakes were reported from inner code, as AttributeError, KeyError or errors about tuples that the user had not
written."""

import numpy as np
import pytest

import tilesmith as ts

X = np.ones((8, 8), np.float32)
STEPS = np.ones((8, 16), np.float32)[:, ::2]


def body(i, x):
    raise AssertionError("called")


LOOPS = {"b": (0, 4, 1)}
OF = ((4, 4), "f32")
MISTAKES = {
    "softmax of an array": (lambda: ts.softmax(X, axis=1), 'ts.fused."softmax", m, n.'),
    "an option of another composite": (lambda: ts.fused("softmax", 8, 8, eps=1), "eps: softmax has no such option"),
    "an option that is no number": (lambda: ts.fused("layernorm", 8, 8, eps=None), "eps: a finite number, not None"),
    "an option that is not finite": (lambda: ts.fused("layernorm", 8, 8, eps=np.nan), "eps: a finite number"),
    "a list for a name": (lambda: ts.fused([], 8, 8), "fused: one of"),
    "no loops": (lambda: ts.nest("B", None, body, x=OF), "loops: "),
    "a number for a loop": (lambda: ts.nest("B", {"b": 4}, body, x=OF), "loop b: .start, stop, step."),
    "a number for blockings": (lambda: ts.nest("B", {"b": (0, 4, 1, 2)}, body, x=OF), "loop b: a list"),
    "no body": (lambda: ts.nest("B", LOOPS, None, x=OF), "body: a function"),
    "a number for an operand": (lambda: ts.nest("B", LOOPS, body, x=3), "x: an operand is a shape and an element type"),
    "a part of an extent": (lambda: ts.nest("B", LOOPS, body, x=((4, 1.5), "f32")), "x: a shape of whole numbers"),
    "one value for shapes": (lambda: ts.binary("add", 8, 8, bcast=True), "bcast: None, .* for each of 2 inputs"),
    "numbers for names": (lambda: ts.equation(lambda x: x, x=(8, 8), dtype={1: 2}), "a type for each of x, not for 1"),
    "another function's option": (lambda: ts.unary("relu", 8, 8, rate=0.5), "rate: no argument of this kernel"),
    "no extent of the table": (lambda: ts.gather("rows", 8, 8), "size: required"),
    "a leading dimension beyond": (lambda: ts.unary("relu", 8, 8, ldx=2**31), "ldx: .*; ts.RUNTIME takes that"),
    "a column for a row": (lambda: ts.fused("layernorm", 8, 8)(X, X[:, :1], X[0]), "gamma.T has this shape"),
    "no kernel": (lambda: ts.save("k.o", k=None), "k: a kernel, a nest, or a function of ts.assembler, not NoneType"),
    "a kernel for a request": (lambda: ts.dispatch(ts.unary("relu", 8, 8)), "the request must be .*, not <Kernel"),
    "a mask as numbers": (lambda: ts.equation(lambda x: (x > 0) * x, x=(8, 8)), "ts.select.mask, 1.0, 0.0. makes"),
    "arrays for extents": (lambda: ts.brgemm(X, X), "k: a positive integer, .* ts.matmul.a, b. does"),
    "a length": (lambda: ts.equation(lambda x: x * len(x), x=(8, 8)), "no length while it is traced: write the number"),
    "batches of matrices": (lambda: ts.dispatch(ts.unary, "tanh")(X[None]), "x.reshape.-1, 8. makes one"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("add", r"write a \+ b, and for arrays ts.binary"),
        ("float32", 'as text, such as "f32"'),
        ("bfloat16", 'such as "bf16"'),
    ],
)
def test_names_of_other_packages_are_explained(name, advice):
    with pytest.raises(AttributeError, match=advice):
        getattr(ts, name)


def test_the_advice_in_errors_works():
    by_columns = ts.brgemm(8, 8, 8, order="F", beta=0)
    with pytest.raises(ValueError, match=r"np.ascontiguousarray\(a.swapaxes\(-1, -2\)\).swapaxes\(-1, -2\) copies it"):
        by_columns(STEPS, X.T)
    by_columns(np.ascontiguousarray(STEPS.swapaxes(-1, -2)).swapaxes(-1, -2), X.T)
    residual = ts.brgemm(8, 8, 8, beta=0, epilogue=lambda c, r: c + r, operands={"r": None})
    with pytest.raises(ValueError, match=r"; np.ascontiguousarray\(r\) copies it, or of a tensor r.contiguous\(\)"):
        residual(X, X, None, np.ones((8, 16), np.float32)[:, :8])  # there is no ldr
    with pytest.raises(ValueError, match=r'not \(4, 32\); a kernel with order="F" for a .* takes it'):
        ts.brgemm(8, 8, 8, lda=ts.RUNTIME, beta=0)(X.T, X)
    with pytest.raises(ValueError, match=r"leading dimension of at least 8 .*; np.ascontiguousarray\(x\) copies it"):
        ts.unary("relu", 8, 8, ldx=ts.RUNTIME)(X.T)
    with pytest.raises(ValueError, match=r"not \(64, 8\)$"):  # no copy has a leading dimension of 16
        ts.brgemm(8, 8, 8, lda=16, beta=0)(STEPS, X)


def test_operands_of_nests_are_aligned():
    double = ts.equation(lambda x: x + x, x=(4, 4))
    nest = ts.nest("B", LOOPS, lambda i, x, y: double(x[i.b], y[i.b]), x=((4, 4, 4), "f32"), y=((4, 4, 4), "f32"))
    x, memory = np.ones((4, 4, 4), np.float32), np.zeros(257, np.uint8)
    with pytest.raises(ValueError, match="y: elements aligned to 4 bytes"):
        nest(x, np.frombuffer(memory[1:], np.float32).reshape(4, 4, 4))
