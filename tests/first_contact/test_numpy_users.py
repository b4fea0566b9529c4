"""Section B of first-contact.md: issues of a numpy or HPC user."""

import traceback

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.dtypes import DTYPES, SPELLINGS, element_type

RNG = np.random.default_rng(0)


class TorchLike:
    """A stand-in for torch.float32 if torch is not imported: an object of torch's type `dtype` that prints its name."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


TorchLike.__module__, TorchLike.__name__ = "torch", "dtype"


def spellings(name):
    """Yield every spelling of an element type."""
    numpy_name = DTYPES[name].numpy
    kind = getattr(np, numpy_name, None) or getattr(ml_dtypes, numpy_name)
    yield from (name, numpy_name, kind, np.dtype(kind), TorchLike(numpy_name), np.str_(numpy_name))
    yield from (each for each, of in SPELLINGS.items() if of == name)
    yield from {"f64": [float], "i64": [int], "c128": [complex]}.get(name, [])


@pytest.mark.parametrize("name", DTYPES)
def test_b3_every_spelling(name):
    for each in spellings(name):
        assert element_type("dtype", each) == name, each


def test_b3_in_every_function():
    for bf16 in spellings("bf16"):
        made = [
            (ts.brgemm(4, 4, 4, dtype=(bf16, bf16, np.float32)), ts.brgemm(4, 4, 4, dtype=("bf16", "bf16", "f32"))),
            (ts.brgemm(4, 4, 4, dtype=bf16), ts.brgemm(4, 4, 4, dtype="bf16")),
            (ts.unary("relu", 4, 4, dtype=bf16, out=np.float32), ts.unary("relu", 4, 4, dtype="bf16", out="f32")),
            (ts.binary("add", 4, 4, dtype=(bf16, float)), ts.binary("add", 4, 4, dtype=("bf16", "f64"))),
            (ts.ternary("muladd", 4, 4, dtype=bf16), ts.ternary("muladd", 4, 4, dtype="bf16")),
            (ts.reduce("sum", 4, 4, dtype=bf16, out=np.float32), ts.reduce("sum", 4, 4, dtype="bf16", out="f32")),
            (ts.transpose(4, 4, dtype=bf16), ts.transpose(4, 4, dtype="bf16")),
            (ts.transform("vnni2", 4, 4, bf16), ts.transform("vnni2", 4, 4, "bf16")),
            (
                ts.gather("rows", 4, 4, size=4, dtype=bf16, index=np.int32),
                ts.gather("rows", 4, 4, size=4, dtype="bf16", index="i32"),
            ),
            (
                ts.embedding_bag(2, 4, size=4, count=4, dtype=bf16),
                ts.embedding_bag(2, 4, size=4, count=4, dtype="bf16"),
            ),
            (ts.equation(lambda x: x + 1, x=(4, 4), dtype=bf16), ts.equation(lambda x: x + 1, x=(4, 4), dtype="bf16")),
        ]
        assert all(odd is usual for odd, usual in made)


@pytest.mark.parametrize(
    "ask",
    [
        lambda dtype: ts.brgemm(4, 4, 4, dtype=dtype),
        lambda dtype: ts.unary("relu", 4, 4, dtype=dtype),
        lambda dtype: ts.binary("add", 4, 4, dtype=dtype),
        lambda dtype: ts.equation(lambda x: x, x=(4, 4), dtype=dtype),
        lambda dtype: ts.reduce("sum", 4, 4, dtype=dtype),
        lambda dtype: ts.transpose(4, 4, dtype=dtype),
        lambda dtype: ts.transform("vnni2", 4, 4, dtype),
        lambda dtype: ts.gather("rows", 4, 4, size=4, dtype=dtype),
        lambda dtype: ts.embedding_bag(4, 4, size=4, count=4, dtype=dtype),
    ],
)
def test_b3_one_kind_of_error_for_one_kind_of_mistake(ask):
    with pytest.raises(
        ValueError, match=r"no element type is called 'float23'; did you mean \"float32\" \(f32\)\?"
    ) as e:
        ask("float23")
    assert type(e.value) is ValueError
    with pytest.raises(TypeError, match="an element type, as .*, not 3"):
        ask(3)
    with pytest.raises(ValueError, match="native byte order"):
        ask(np.dtype(">f4"))
    with pytest.raises(ValueError, match="codes count bytes, names here bits: 'f32'"):
        ask("f4")


def test_b4_errors_of_views_name_the_keyword():
    mm, b, c = ts.brgemm(3, 5, 4), np.ones((4, 5), np.float32), np.zeros((3, 5), np.float32)
    wide = np.ones((3, 8), np.float32)
    with pytest.raises(ValueError, match=r'order="F" for a .* takes it; ts.dispatch'):
        mm(np.ones((4, 3), np.float32).T, b, c)
    with pytest.raises(ValueError, match=r"lda=8, or of ts.brgemm with lda=ts.RUNTIME, takes it"):
        mm(wide[:, :4], b, c)
    with pytest.raises(ValueError, match=r"np.ascontiguousarray\(a\) copies"):
        mm(wide[:, ::2], b, c)
    with pytest.raises(ValueError, match=r"ldx=8, or ldx=ts.RUNTIME"):
        ts.unary("relu", 3, 4)(wide[:, :4])
    with pytest.raises(ValueError, match=r"np.ascontiguousarray\(x\) copies"):
        ts.unary("relu", 3, 4)(np.ones((4, 3), np.float32).T)
    ts.brgemm(3, 5, 4, order="FCC")(np.ones((4, 3), np.float32).T, b, c)
    ts.brgemm(3, 5, 4, lda=8)(wide[:, :4], b, c)


def test_b5_the_first_line_says_that_a_batch_is_summed():
    assert "summed" in ts.brgemm.__doc__.splitlines()[0]


def test_b7_beta_and_out():
    mm = ts.brgemm(3, 5, 4)
    a, b, c = (RNG.random(s, np.float32) for s in ((3, 4), (4, 5), (3, 5)))
    expected = c.astype(np.float64) + a.astype(np.float64) @ b
    with pytest.raises(TypeError, match="beta is 1, so this kernel adds to c: pass it as c or out=, or .* beta=0"):
        mm(a, b)
    for call in (mm, mm.run):
        mine = c.copy()
        assert call(a, b, out=mine) is mine
        np.testing.assert_allclose(mine, expected, rtol=1e-6)
        mine = c.copy()
        assert call(a, b, c=mine) is None and call(a=a, b=b, c=c.copy()) is None
        np.testing.assert_allclose(mine, expected, rtol=1e-6)
    for wrong, words in (({"out": c}, "by its place and by its name"), ({"d": c}, "d: not an argument")):
        with pytest.raises(TypeError, match=words):
            mm(a, b, c, **wrong)
    with pytest.raises(TypeError, match="b: missing"):
        mm(a, c=c)
    fused = ts.brgemm(3, 5, 4, beta=0, epilogue=lambda c, bias: c + bias)
    made = fused(a, b, bias=np.ones(5, np.float32))
    assert made.shape == (3, 5)
    y = np.empty((3, 4), np.float32)
    assert ts.unary("relu", 3, 4)(a, out=y) is y and (y == a).all()


def test_b8_shapes():
    x = RNG.standard_normal((2, 3, 4)).astype(np.float32)
    y = np.empty((2, 3, 4), np.float32)
    ts.unary("relu", 6, 4)(x, y)
    np.testing.assert_array_equal(y, np.maximum(x, 0))
    line = np.empty(4, np.float32)
    ts.unary("relu", 1, 4)(x[0, 0], line)
    np.testing.assert_array_equal(line, y[0, 0])
    k = ts.equation(lambda x: x * 2, x=(16,))
    np.testing.assert_array_equal(k(np.arange(16.0, dtype="f4"), line := np.empty(16, np.float32)), None)
    np.testing.assert_array_equal(line, 2 * np.arange(16))
    k = ts.equation(lambda x, g: x * g, x=(2, 3, 4), g=(4,))
    np.testing.assert_array_equal(k(x, x[0, 0]), (x * x[0, 0]).reshape(6, 4))
    with pytest.raises(ValueError, match="y: strides"):
        ts.unary("relu", 6, 4)(x, np.empty((2, 3, 8), np.float32)[:, :, ::2])
    with pytest.raises(ValueError, match="n: from 1 to .*, not 0; nothing is to be computed of an empty array"):
        ts.brgemm(3, 0, 4)


RESULTS = {"m": "leave the call out", "n": "leave the call out", "k": "C = beta \\* C remains; batch=0 computes that"}


def test_b8_extents_of_0():
    """A request with an extent of 0 raises an error that states the result; calls with empty arrays are as in numpy."""
    for place, words in RESULTS.items():
        with pytest.raises(ValueError, match=f"{place}: from 1 to 2147483647, not 0; .*{words}"):
            ts.brgemm(**{"m": 2, "n": 2, "k": 2, place: 0})
    a, b, square = (np.ones(shape, np.float32) for shape in ((0, 4), (4, 0), (4, 4)))
    leave_out = (
        lambda: ts.unary("relu", 0, 4),
        lambda: ts.binary("add", 4, 0),
        lambda: ts.ternary("muladd", 0, 4),
        lambda: ts.equation(lambda x: x + 1, x=(0, 4)),
        lambda: ts.transpose(0, 4),
        lambda: ts.transform("vnni2", 4, 0),
        lambda: ts.gather("rows", 0, 4, size=4),
        lambda: ts.scatter("rows", 4, 4, size=0),
        lambda: ts.embedding_bag(4, 4, size=4, count=0),
        lambda: ts.dispatch(ts.brgemm)(a, square, a),
        lambda: ts.dispatch(ts.unary, "relu")(a),
        lambda: ts.dispatch(ts.transpose)(b),
    )
    for ask in leave_out:
        with pytest.raises(ValueError, match="not 0; nothing is to be computed of an empty array"):
            ask()
    for ask in (lambda: ts.reduce("sum", 4, 0, axis=1), lambda: ts.dispatch(ts.reduce, "max")(a)):
        with pytest.raises(ValueError, match="a sum of nothing is 0, a mean or maximum of nothing does not exist"):
            ask()
    pairs, c = np.empty((0, 4, 4), np.float32), np.ones((4, 4), np.float32)
    for k in (ts.brgemm(4, 4, 4, batch=0, beta=2), ts.dispatch(ts.brgemm, beta=2)):
        k(pairs, pairs, c)
    np.testing.assert_array_equal(c, np.full((4, 4), 4))
    one = np.ones((1, 4, 4), np.float32)
    ts.brgemm(4, 4, 4, batch=ts.STRIDE, beta=0)(one, one, c, 0, 64, 64)
    np.testing.assert_array_equal(c, 0)
    assert ts.brgemm(4, 4, 4, stack=ts.RUNTIME, beta=0)(pairs, pairs).shape == (0, 4, 4)
    assert ts.brgemm(4, 4, 4, stack=0, beta=0)(pairs, pairs).shape == (0, 4, 4)


@pytest.mark.parametrize("axis", [0, 1, -1, -2, None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_b8_reductions(axis, keepdims):
    x = RNG.integers(-8, 8, (5, 16)).astype(np.float32)
    for name in ("mean", "sum", "max"):
        expected = getattr(np, name)(x.astype(np.float64), axis=axis, keepdims=keepdims)
        expected = np.atleast_1d(expected).astype(np.float32)  # sums are exact, so only the quotient is rounded
        k = ts.reduce(name, 5, 16, axis=axis, keepdims=keepdims)
        made, given = k(x), np.empty(expected.shape, np.float32)
        k(x, given)
        for found in (made, given, k.run(x)):
            assert found.shape == expected.shape
            np.testing.assert_array_equal(found, expected)


def test_b8_means_of_integers_and_squares():
    x = RNG.integers(-(2**31), 2**31 - 1, (3, 40), np.int32)
    np.testing.assert_array_equal(ts.reduce("mean", 3, 40, axis=1, dtype="i32", out="f64")(x), x.mean(axis=1))
    y, y2 = np.empty(3, np.float32), np.empty(3, np.float32)
    small = (x % 16).astype(np.float32)
    ts.reduce("mean", 3, 40, axis=1, squared="both")(small, y, y2)
    np.testing.assert_array_equal(y2, (small * small).sum(axis=1) / np.float32(40))
    np.testing.assert_array_equal(ts.reduce("mean", 3, 40, axis=1, squared=True)(small), y2)


def test_b8_numbers_for_operands_of_one_element():
    x = RNG.random((3, 4), np.float32)
    k = ts.binary("mul", 3, 4, bcast=(None, "scalar"))
    np.testing.assert_array_equal(k(x, 0.1), x * np.float32(0.1))
    np.testing.assert_array_equal(k(x, 2), x * 2)
    mm = ts.brgemm(3, 4, 3, beta=0, epilogue=lambda c, s: c * s, operands={"s": "scalar"})
    np.testing.assert_array_equal(mm(np.eye(3, dtype="f4"), x, None, 0.5), x / 2)
    with pytest.raises(TypeError, match=r"x0: an array of shape \(3, 4\), not 1.0"):
        k(1.0, 2.0)
    whole = ts.binary("add", 3, 4, bcast=(None, "scalar"), dtype="i32")
    with pytest.raises(TypeError, match="x1: an integer, as int32, not 0.5"):
        whole(x.astype("i4"), 0.5)
    with pytest.raises(ValueError, match="does not fit int32"):
        whole(x.astype("i4"), 1 << 40)


def test_b9_orders_and_targets():
    assert ts.brgemm(4, 5, 6, order="CFC") is ts.brgemm(4, 5, 6, order=("C", "F", "C"))
    for name in ("host", "native", "HOST"):
        assert ts.brgemm(4, 5, 6, target=name) is ts.brgemm(4, 5, 6)
    for name, target in (("AVX2", "avx2"), ("Neon", "neon"), ("avx512-vnni", "avx512_vnni")):
        assert ts.brgemm(4, 5, 6, target=name).target.name == target
    with pytest.raises(ValueError, match="three letters for a, b and c, as \"CFC\", not 'CXC'"):
        ts.brgemm(4, 5, 6, order="CXC")
    with pytest.raises(ValueError, match="target: one of avx2.*'av2'; did you mean 'avx2'"):
        ts.unary("relu", 4, 4, target="av2")


@pytest.mark.parametrize(
    ("ask", "meant"),
    [
        (lambda: ts.unary("rleu", 4, 4), "relu"),
        (lambda: ts.binary("ad", 4, 4), "add"),
        (lambda: ts.reduce("summ", 4, 4), "sum"),
        (lambda: ts.gather("row", 4, 4, size=4), "rows"),
        (lambda: ts.unary("relu", 4, 4, accuracy="acurate"), "accurate"),
        (lambda: ts.binary("add", 4, 4, bcast=("rows", None)), "row"),
        (lambda: ts.brgemm(4, 4, 4, numerics="fats"), "fast"),
        (lambda: ts.brgemm(4, 4, 4, dtype="bf16", b_layout="vni2"), "vnni2"),
        (lambda: ts.transform("vnni3", 4, 4), "vnni8"),
    ],
)
def test_b9_names_that_are_nearly_right(ask, meant):
    with pytest.raises(ValueError, match=f"did you mean '{meant}'"):
        ask()


def test_b9_a_name_of_another_function():
    with pytest.raises(ValueError, match=r"gelu_inv\(g, x\) = .*: a name of ts.binary, not of ts.unary"):
        ts.unary("gelu_inv", 4, 4)


def test_b11_a_wrong_argument_shows_one_internal_frame():
    mm, x = ts.brgemm(3, 4, 4), np.ones((3, 4), np.float32)
    for wrong in (lambda: mm(x, x, x), lambda: ts.brgemm(4, 4, 4, order="X"), lambda: ts.unary("rleu", 4, 4)):
        with pytest.raises(ValueError) as caught:
            wrong()
        frames = traceback.extract_tb(caught.value.__traceback__)
        assert len(frames) == 3, frames  # this function, the lambda, and the function that raises

    def function(x):
        return np.sin(x)

    with pytest.raises(TypeError) as caught:
        ts.equation(function, x=(4, 4))
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "function"  # the traced function stays


def traced(function, *shape):
    return ts.equation(function, x=shape or (1, 64), dtype="f32")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: np.tanh(x), "write ts.tanh"),
        (lambda x: np.where(x > 0, x, 0), r"write ts.select\(mask, a, b\)"),
        (lambda x: np.clip(x, 0, 1), "write ts.clamp"),
        (lambda x: np.sin(x), "np.sin: has no counterpart for expressions"),
        (lambda x: np.log1p(x), r"write ts.log\(1 \+ x\)"),
        (lambda x: np.expm1(x), r"write ts.exp\(x\) - 1"),
        (lambda x: __import__("math").exp(x), "write ts.exp"),
        (lambda x: x**0.3, "a whole number or a half"),
        (lambda x: 3.0**x, r"ts.exp\(x \* log\(base\)\)"),
        (lambda x: x // 2.0, r"ts.floor\(x / y\)"),
        (lambda x: x % 2.0, r"x - y \* ts.floor\(x / y\)"),
        (lambda x: np.ones(4) * x, "make it a parameter"),
    ],
)
def test_b12_errors_name_what_to_write(function, words):
    with pytest.raises(TypeError, match=words):
        traced(function)


def test_b12_powers_and_other_expressions():
    x = np.exp(RNG.standard_normal((1, 64))).astype(np.float32)
    exact = x.astype(np.float64)
    for function, roundings in (
        (lambda x: x**0.5, 1),
        (lambda x: x**2, 1),
        (lambda x: x**3, 2),
        (lambda x: x**-1, 1),
        (lambda x: x**-2, 2),
        (lambda x: x**1.5, 2),
        (lambda x: x**-0.5, 2),
        (lambda x: x**0, 0),
        (lambda x: x**2.0, 1),
    ):
        want = function(exact)
        assert (abs(traced(function)(x) - want) <= roundings * (1 + 1e-6) * 2.0**-24 * want).all()
    two = ts.equation(lambda x: 2**x, x=(1, 64), accuracy="accurate")(x[:, :64])
    assert (abs(two - np.exp2(exact)) <= np.spacing(np.exp2(exact).astype(np.float32))).all()
    np.testing.assert_array_equal(traced(lambda x: np.float32(2) * x - np.float64(1))(x), 2 * x - 1)
    np.testing.assert_array_equal(traced(lambda x: round(x))(x), np.rint(x))
    n = RNG.integers(-(2**31), 2**31 - 1, (1, 64), np.int32)
    for function in (lambda n: n // 8, lambda n: n % 8, lambda n: n // 1, lambda n: n % (1 << 20)):
        np.testing.assert_array_equal(ts.equation(function, n=(1, 64), dtype="i32")(n), function(n))


def test_b12_parameters_may_be_called_a_and_b():
    x, one = RNG.random((3, 3), np.float32), np.eye(3, dtype=np.float32)
    mm = ts.brgemm(3, 3, 3, beta=0, epilogue=lambda c, a, b, y: c * a + b - y, operands={"b": "col"})
    np.testing.assert_allclose(mm(one, x, None, x[0], x[1], x[2]), x * x[0] + x[1][:, None] - x[2], rtol=1e-6)
    assert [each.name for each in mm.spec.extras] == ["a_", "b_", "y_"]
    swapped = ts.brgemm(3, 3, 3, beta=0, epilogue=lambda b, c: b - c)
    np.testing.assert_array_equal(swapped(one, x, None, x[0]), x - x[0])


def test_b13_results_of_f64():
    x = RNG.random((3, 1000), np.float32)
    k = ts.reduce("sum", 3, 1000, axis=1, out="f64")
    assert k.spec.compute == "f64"
    np.testing.assert_allclose(k(x), x.astype(np.float64).sum(axis=1), rtol=1e-14)
    with pytest.raises(ts.UnsupportedError, match='compute="f64"'):
        ts.reduce("sum", 3, 1000, out="f64", compute="f32")
