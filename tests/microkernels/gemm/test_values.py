"""Special values: NaN, infinities, denormals, signed zeros, and sums of an empty batch."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.gemm_cases import DTYPES, PLAIN_ORDERS, RUNNING, Case, call_of, dense
from tests.profiles import is_soak
from tilesmith.runtime.testing.reference import NUMPY

FEW = 100

each_dtype = pytest.mark.parametrize("dtype", DTYPES)
each_target = pytest.mark.parametrize("target", RUNNING)
each_order = pytest.mark.parametrize("order", PLAIN_ORDERS, ids="".join)

# Full and partial vectors, one and several panels, sums along k for single rows and columns, loops over k and unrolled
# k
SHAPES = (
    (1, 1, 1),
    (1, 1, 40),
    (5, 3, 7),
    (16, 6, 16),
    (17, 9, 33),
    (35, 7, 20),
    (1, 64, 64),
    (64, 1, 64),
    (33, 65, 3),
)


def small(rng, shape, dtype):
    """Return integers from -4 to 4 without zero, so that a product with an infinity is infinite."""
    return (rng.integers(1, 5, shape) * rng.choice([-1, 1], shape)).astype(NUMPY[dtype])


def in_order(x, order):
    return np.asarray(x, order=order)


# NaN and infinity


@st.composite
def specials(draw):
    """Draw (operand, row, column, value), with row and column to be taken modulo the operand's size."""
    place = st.tuples(st.sampled_from("abc"), st.integers(0, 99), st.integers(0, 99))
    value = st.sampled_from((np.nan, np.inf, -np.inf))
    return draw(st.lists(st.tuples(place, value), min_size=1, max_size=4))


@each_target
@each_dtype
def test_nan_and_infinity_reach_the_elements_that_numpy_says(dtype, target):
    size = st.integers(1, 40)
    factors = st.sampled_from((1.0, -1.0, 0.5, 0.0))

    @settings(max_examples=FEW)
    @given(size, size, size, st.sampled_from(PLAIN_ORDERS), specials(), factors, factors, st.integers(0, 2**32 - 1))
    def test(m, n, k, order, specials, alpha, beta, seed):
        rng = np.random.default_rng(seed)
        shapes = {"a": (m, k), "b": (k, n), "c": (m, n)}
        values = {name: small(rng, shape, dtype) for name, shape in shapes.items()}
        for (name, row, column), value in specials:
            values[name][row % shapes[name][0], column % shapes[name][1]] = value
        a, b, c = (x.astype(np.float64) for x in values.values())
        with np.errstate(invalid="ignore"):
            expected = alpha * np.einsum("ik,kj->ij", a, b)  # einsum adds one product after the other
            if beta:
                expected = expected + beta * c
        given_ = [in_order(x, o) for x, o in zip(values.values(), order)]
        ts.brgemm(m, n, k, dtype=dtype, order=order, alpha=alpha, beta=beta, target=target)(*given_)
        np.testing.assert_array_equal(given_[2], expected)  # NaN equals NaN here, and these sums are exact

    test()


@each_order
@each_dtype
@each_target
def test_nan_of_c_is_not_read_with_beta_zero(target, dtype, order):
    for m, n, k in SHAPES:
        for alpha in (1.0, 2.0, 0.0):
            rng = np.random.default_rng(m)
            a, b = small(rng, (m, k), dtype), small(rng, (k, n), dtype)
            c = in_order(np.full((m, n), np.nan, NUMPY[dtype]), order[2])
            mm = ts.brgemm(m, n, k, dtype=dtype, order=order, alpha=alpha, beta=0, target=target)
            mm(in_order(a, order[0]), in_order(b, order[1]), c)
            np.testing.assert_array_equal(c, alpha * (a.astype(np.float64) @ b))


@each_dtype
@each_target
def test_sums_that_are_too_large_are_infinite(target, dtype):
    largest = np.finfo(NUMPY[dtype]).max
    for m, n, k in SHAPES:
        a = np.full((m, k), largest)
        b = np.full((k, n), 2, NUMPY[dtype])
        b[:, ::2] = -2
        c = np.zeros((m, n), NUMPY[dtype])
        ts.brgemm(m, n, k, dtype=dtype, target=target)(a, b, c)
        assert np.isinf(c).all()
        np.testing.assert_array_equal(np.signbit(c), np.broadcast_to(b[0] < 0, c.shape))


# Denormal numbers and zeros


@each_order
@each_dtype
@each_target
def test_denormal_numbers_are_kept(target, dtype, order):
    """Integers are multiplied by the least denormal: either the operands are denormal, or only their products are."""
    info = np.finfo(NUMPY[dtype])
    tiny = info.smallest_subnormal
    for m, n, k in SHAPES:
        rng = np.random.default_rng(k)
        a, b, c = (small(rng, shape, dtype) for shape in ((m, k), (k, n), (m, n)))
        expected = (c.astype(np.float64) + a.astype(np.float64) @ b).astype(NUMPY[dtype])
        assert np.abs(expected).max() * tiny < info.smallest_normal  # the results are denormal, so they are exact
        mm = ts.brgemm(m, n, k, dtype=dtype, order=order, target=target)
        for scale_a in (tiny, np.sqrt(np.longdouble(info.smallest_normal)).astype(NUMPY[dtype])):
            scale_a = 2 ** np.round(np.log2(scale_a))
            scale_b = (tiny / scale_a).astype(NUMPY[dtype])
            assert scale_a * scale_b == tiny
            result = in_order(c * tiny, order[2])
            mm(in_order(a * scale_a, order[0]), in_order(b * scale_b, order[1]), result)
            np.testing.assert_array_equal(result, expected * tiny)


@each_order
@each_dtype
@each_target
def test_a_sum_that_cancels_is_plus_zero(target, dtype, order):
    """The sums x + -x and +0 + -0 are +0 in every order of additions."""
    for m, n, k in SHAPES:
        rng = np.random.default_rng(m + n)
        a, b = small(rng, (m, k), dtype), small(rng, (k, n), dtype)
        product = (a.astype(np.float64) @ b).astype(NUMPY[dtype])
        zeros = np.zeros((m, k), NUMPY[dtype]), np.abs(b), np.full((m, n), -0.0, NUMPY[dtype])
        for alpha, x, y, c in ((1, a, b, -product), (-1, a, b, product), (2, a, b, -2 * product), (1, *zeros)):
            mm = ts.brgemm(m, n, k, dtype=dtype, order=order, alpha=alpha, target=target)
            c = in_order(c, order[2])
            mm(in_order(x, order[0]), in_order(y, order[1]), c)
            assert not c.any() and not np.signbit(c).any()


# Sums of an empty batch


def any_bits(rng, shape, dtype):
    """Return random bits: NaN of any payload, quiet and signalling, infinities, denormals, both zeros."""
    width = {"f32": np.uint32, "f64": np.uint64}[dtype]
    bits = rng.integers(0, np.iinfo(width).max, shape, width, endpoint=True)
    one = np.array(1, NUMPY[dtype])
    pool = np.array([-0.0, 0.0, np.nan, -np.nan, np.inf, -np.inf, 1e-45, -1e-320], NUMPY[dtype]).view(width)
    signalling = np.array(np.inf, NUMPY[dtype]).view(width) + width(1)
    pool = np.append(pool, [signalling, signalling | (np.array(-0.0, one.dtype).view(width))])
    return np.where(rng.random(shape) < 0.5, rng.choice(pool, shape), bits).view(NUMPY[dtype])


EMPTY = (0, ts.STRIDE, ts.OFFSET, ts.ADDRESS)


def empty_case(shape, dtype, order, batch, **factors):
    case = dense(replace(Case(*shape, dtype, order, **factors), batch=0))
    return replace(case, batch=batch)


@each_order
@each_dtype
@each_target
@pytest.mark.parametrize("batch", EMPTY, ids=str)
def test_no_pairs_leave_c_as_it_is(batch, target, dtype, order):
    """C = 1 * C + alpha * nothing leaves every bit of C unchanged."""
    for number, shape in enumerate(SHAPES):
        case = empty_case(shape, dtype, order, batch, alpha=(1.0, -2.0)[number % 2])
        call = call_of(case, "end")
        before = any_bits(np.random.default_rng(1), call.c.shape, dtype)
        call.c[...] = before
        case.kernel(target)(*call.arguments)
        assert call.c.tobytes() == before.tobytes()


@each_dtype
@each_target
@pytest.mark.parametrize("batch", EMPTY, ids=str)
def test_no_pairs_scale_c(batch, target, dtype):
    """A soak tests every alpha with every beta and shape. Otherwise each shape has one alpha."""
    alphas = (1.0, -1.0, 3.0)
    for number, shape in enumerate(SHAPES):
        for alpha in alphas if is_soak() else (alphas[number % 3],):
            for beta in (0.0, -1.0, 0.5):
                case = empty_case(shape, dtype, ("C", "C", "C"), batch, alpha=alpha, beta=beta)
                call = call_of(case, "start")
                before = np.array(call.c)
                case.kernel(target)(*call.arguments)
                np.testing.assert_array_equal(call.c, beta * before if beta else np.zeros_like(before))
