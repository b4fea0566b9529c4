"""`ts.ladder`: errors stay within the bounds that docs/numerics.md proves, at any exponents; batches, epilogues,
operands split into terms, special values and refusals.

Exact products are computed with Python's integers.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.fewer_types import FEWER
from tests.guard import SIDES, check_canary, laid_out
from tests.profiles import scaled
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.precision.ladder_bins import EXACT
from tilesmith.runtime.host import detect as host

RUNNING = [name for name in ("avx2", "avx512", "avx512_bf16") if not host.runs(TARGETS[name])]
EMULATED = ("amx", "avx2", "neon")
RUNGS = (
    {"dtype": "f32x2bf16"},
    {"dtype": "f32x3bf16"},
    {"dtype": "f32x3bf16", "every": True},
    {"dtype": "f64xi8"},
    {"dtype": "f64xi8", "slices": 3},
    {"dtype": "f64xi8", "slices": 14, "result": "f64x2"},
)
TERMS = {"f32x2bf16": 2, "f32x3bf16": 3, "f64xi8": 8}
LEFT_OUT = {("f32x2bf16", False): -14.4, ("f32x2bf16", True): -14.9, ("f32x3bf16", False): -22.99}  # log2; of |A||B|
LEAST = {np.float32: Fraction(1, 2**149), np.float64: Fraction(1, 2**1074)}


def element(rung):
    return np.float32 if rung["dtype"].startswith("f32") else np.float64


def values(rng, shape, kind, dtype):
    """Return a matrix of one kind, a tenth of it zeros. "ordinary": normally distributed; "any": any finite bits,
    denormals too; "lines": one exponent per row; "edges": numbers at the limits of digits.
    """
    bits = rng.integers(0, 1 << 8 * np.dtype(dtype).itemsize, shape, np.dtype(f"u{np.dtype(dtype).itemsize}"))
    least, most = (-149, 126) if dtype is np.float32 else (-1074, 1022)
    made = rng.standard_normal(shape)
    if kind == "any":
        made = np.where(np.isfinite(found := bits.view(dtype)), found, 1.5)
    elif kind == "lines":
        made = np.ldexp(made / 8, rng.integers(least, most, (shape[0], 1)))
    elif kind == "edges":
        edges = [1, 1 - 2.0**-24, 127 / 255, 128 / 255, -127 / 255, -128 / 255, 2.0**-8, 255 / 256, 1.9999999]
        made = rng.choice(edges, shape) * rng.choice([1, 2.0**-8, 1 / 32, 3.98], shape)
    with np.errstate(over="ignore", under="ignore"):
        made = np.where(rng.random(shape) < 0.1, 0, made).astype(dtype)
    return np.where(np.isfinite(made), made, dtype(1.5))


def whole(x):
    """Return the elements times 2^1074, as Python's integers."""
    return np.array([[int(Fraction(float(e)) * 2**1074) for e in row] for row in x], dtype=object).reshape(x.shape)


def exact(pairs):
    """Return the sum of the products and the sum of their absolute values, as fractions."""
    made = sum(whole(a).dot(whole(b)) for a, b in pairs), sum(abs(whole(a)).dot(abs(whole(b))) for a, b in pairs)
    return [np.array([[Fraction(int(e), 2**2148) for e in row] for row in x], dtype=object) for x in made]


def allowed(rung, pairs, alpha, beta, old, unit):
    """Return the exact results, the bound of docs/numerics.md for each element, and the absolute size of the terms.

    unit: relative error of one rounding of the sums.
    """
    product, sizes = exact(pairs)
    count, tops = (
        len(pairs) * pairs[0][0].shape[1],
        [[Fraction(float(x)) for x in np.maximum.reduce([abs(p[i]).max(axis=1 - i) for p in pairs])] for i in (0, 1)],
    )
    of_tops = np.array([[count * p * q for q in tops[1]] for p in tops[0]], dtype=object)
    alpha, beta = Fraction(alpha), Fraction(beta)
    wanted = alpha * product + beta * old
    last = abs(alpha * product) + abs(beta * old)
    dtype, every = rung["dtype"], rung.get("every", False)
    terms = rung.get("slices", TERMS[dtype])
    if element(rung) is np.float32:
        steps = count * (terms * terms if every else terms * (terms + 1) // 2) + 9
        left_out = 2.0 ** LEFT_OUT[dtype, every] if (dtype, every) in LEFT_OUT else 0.0
        rounded = steps * unit / (1 - steps * unit) * (1 + 2.0**-6.9)
        bound = abs(alpha) * (Fraction(left_out + rounded) * sizes + of_tops / 2**169) + last * Fraction(1, 2**23)
    else:
        pieces = -(-count * terms // EXACT)
        rounded = 2.0**-108.9 if pieces == 1 else pieces * 2.0**-102
        left = Fraction(terms * 2.0 ** (4.1 - 8 * terms)) + Fraction(rounded)
        final = Fraction(1, 2**102) if rung.get("result") else Fraction(1, 2**52)
        bound = abs(alpha) * left * of_tops + last * final
    bound = bound + 3 * LEAST[element(rung)] * (1 + abs(alpha) + abs(beta))
    return wanted, bound, last


def check(found, rung, pairs, alpha, beta, old, unit=2.0**-24):
    """Check that every element is within the bound; an element beyond the largest number may be an infinity."""
    old = sum(whole(each) for each in old) if old else np.zeros(found[0].shape, object)
    old = np.array([[Fraction(int(e), 2**1074) for e in row] for row in old], dtype=object)
    wanted, bound, last = allowed(rung, pairs, alpha, beta, old, unit)
    largest = Fraction(float(np.finfo(element(rung)).max))
    for place in np.ndindex(found[0].shape):
        words = [each[place] for each in found]
        if not np.isfinite(words[0]):
            assert last[place] + bound[place] >= largest, (place, words)
            assert abs(wanted[place]) < largest or (words[0] > 0) == (wanted[place] > 0), (place, words)
            assert all(word == 0 for word in words[1:])
            continue
        error = abs(sum(Fraction(float(word)) for word in words) - wanted[place])
        assert error <= bound[place], (place, float(error / bound[place]))


@st.composite
def requests(draw, most):
    m, n, k = (draw(st.integers(1, most)) for _ in range(3))
    return (
        m,
        n,
        k,
        draw(st.sampled_from(RUNGS)),
        draw(st.sampled_from((None, 0, 3, ts.STRIDE, ts.ADDRESS))),
        draw(st.sampled_from(("CCC", "FCC", "CFC", "FFF", "CCF"))),
        draw(st.tuples(*[st.sampled_from((0, 3))] * 3)),
        draw(st.sampled_from((1.0, -0.3))),
        draw(st.sampled_from((1.0, 0.0, 0.7))),
        draw(st.sampled_from(("ordinary", "any", "lines", "edges"))),
        draw(st.integers(0, 2**32 - 1)),
    )


def case(m, n, k, rung, batch, order, gaps, alpha, beta, kind, seed, target, side, run=False, unit=2.0**-24):
    rng, dtype = np.random.default_rng(seed), element(rung)
    count = {None: 1, ts.STRIDE: 2, ts.ADDRESS: 2}.get(batch, batch)
    pairs = [(values(rng, (m, k), kind, dtype), values(rng, (n, k), kind, dtype).T) for _ in range(count)]
    old = [values(rng, (m, n), kind, dtype)]
    if rung.get("result"):
        old.append((old[0] * dtype(2.0**-55)).astype(dtype))
        old = [np.where(abs(each) < 1e300, each, 0) for each in old]
    placed = [[laid_out(x, o, gap, side, False) for x, o, gap in zip(pair, order, gaps)] for pair in pairs]
    if batch is ts.ADDRESS:
        a, b = ([pair[i] for pair in placed] for i in (0, 1))
    elif batch is None:
        a, b = placed[0]
    else:
        a, b = (np.zeros((count, *s), dtype) for s in ((m, k), (k, n)))
        for i, pair in enumerate(pairs):
            a[i], b[i] = pair
    found = [laid_out(each, order[2], gaps[2], side) for each in old]
    p = ts.ladder(m, n, k, batch=batch, alpha=alpha, beta=beta, target=target, **rung)
    (p.run if run else p)(a, b, found[0] if len(found) == 1 else tuple(found))
    if pairs:
        check([np.array(each) for each in found], rung, pairs, alpha, beta, old if beta else [], unit)
    else:
        assert np.allclose(found[0], np.asarray(beta, dtype) * old[0], rtol=1e-6)
    for each in found:
        check_canary(each)


@pytest.mark.parametrize("target", RUNNING)
def test_errors_stay_within_the_bound(target):
    @settings(max_examples=scaled(4, 600))
    @given(requests(12), st.sampled_from(SIDES))
    def test(drawn, side):
        case(*drawn, target, side)

    test()


@pytest.mark.parametrize("target", EMULATED)
def test_the_bytes_of_other_targets_stay_within_the_bound(target):
    """The emulator faults on accesses outside the operands. Units of AArch64 round to odd, which errs twice as much."""

    @settings(max_examples=scaled(1, 60))
    @given(requests(5))
    def test(drawn):
        case(*drawn, target, "end", run=True, unit=2.0**-23 if target in ("neon", "sve256") else 2.0**-24)

    test()


@pytest.mark.parametrize(
    ("rung", "shape"),
    [(RUNGS[1], (120, 2, 100)), (RUNGS[3], (1, 2, EXACT // 8 + 40)), (RUNGS[5], (2, 1, EXACT // 14 + 40))],
    ids=str,
)
def test_sizes_beyond_one_kernel_before(rung, shape):
    """Sizes that need more scratch memory than one brgemm kernel has, and a k whose sum of digits overflows i32."""
    (m, n, k), dtype = shape, element(rung)
    a, b = (np.full(shape, 1 - 2.0**-20, dtype) for shape in ((m, k), (k, n)))
    a[: m // 2] = np.random.default_rng(3).standard_normal((m // 2, k))
    made = ts.ladder(m, n, k, beta=0, **rung)(a, b)
    check(made if isinstance(made, tuple) else (made,), rung, [(a, b)], 1, 0, [])


def test_results_of_every_slice_are_nearer():
    """14 slices and two words give 98 bits or more, and the high word is the nearest f64."""
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((9, 30)), rng.standard_normal((30, 7))
    wanted, sizes = exact([(a, b)])
    errors = []
    for slices in (2, 4, 7, 8, 9, 12, 14):
        high, low = ts.ladder(9, 7, 30, dtype="f64xi8", slices=slices, result="f64x2", beta=0)(a, b)
        found = np.array([[Fraction(float(x)) + Fraction(float(y)) for x, y in zip(*r)] for r in zip(high, low)])
        errors.append(float((abs(found - wanted) / sizes).max()))
    assert all(y < x / 100 for x, y in itertools.pairwise(errors)) and errors[-1] < 2.0**-98
    assert (high == np.array(wanted, dtype=np.float64)).all() and (high + low == high).all()


def test_targets_give_the_same_digits():
    """Sums of digits are exact and everything else has a fixed order, so the results of all targets are equal."""
    rng = np.random.default_rng(6)
    a, b = rng.standard_normal((2, 3, 5)), rng.standard_normal((2, 5, 2))
    found = {
        ts.ladder(3, 2, 5, dtype="f64xi8", slices=4, beta=0, batch=2, target=name).run(a, b).tobytes()
        for name in ("avx512_bf16", "amx", "neon")
    }
    assert len(found) == 1


@pytest.mark.parametrize("rung", [RUNGS[1], RUNGS[3], RUNGS[5]], ids=str)
def test_infinities_and_nans_are_those_of_the_ordinary_product(rung):
    rng, dtype = np.random.default_rng(7), element(rung)
    a, b = rng.standard_normal((6, 9)).astype(dtype), rng.standard_normal((9, 5)).astype(dtype)
    a[1, 3], a[2, 0], a[3], b[2, 4], b[3, 2] = np.nan, np.inf, 0, -np.inf, 0
    a[5, 3] = -np.inf
    with np.errstate(invalid="ignore"):
        wanted = a @ b
    beyond = ~np.isfinite(wanted)
    p = ts.ladder(6, 5, 9, beta=0, **rung)
    for x, y in itertools.product((a, p.split_a(a)), (b, p.split_b(b))):
        made = p(x, y)
        high, *low = made if isinstance(made, tuple) else (made,)
        assert np.array_equal(high[beyond], wanted[beyond], equal_nan=True)
        assert np.allclose(high[~beyond], wanted[~beyond], rtol=1e-4, atol=1e-5)
        assert all((each[beyond] == 0).all() for each in low)


@pytest.mark.parametrize("rung", [RUNGS[1], RUNGS[3]], ids=str)
def test_operands_in_terms_give_the_same_bits(rung):
    """Operands can be split into terms once and used several times; the matrix that they were split from may change."""
    rng, dtype = np.random.default_rng(8), element(rung)
    a, b = rng.standard_normal((3, 9, 12)).astype(dtype), rng.standard_normal((3, 12, 7)).astype(dtype)
    p = ts.ladder(9, 7, 12, beta=0, batch=ts.STRIDE, **rung)
    wanted, in_terms = p(a, b).tobytes(), p.split_b(b)
    b[:] = 0
    for _ in range(2):
        assert p(a, in_terms).tobytes() == wanted and p(p.split_a(a), in_terms).tobytes() == wanted
    with pytest.raises(ValueError, match="a: must come from split_a"):
        p(in_terms, in_terms)
    with pytest.raises(ValueError, match="rows must be contiguous, because b was split"):
        p(a, in_terms, np.zeros((7, 9), dtype).T)


@pytest.mark.parametrize("rung", [RUNGS[1], RUNGS[3]], ids=str)
@pytest.mark.parametrize("order", ("C", "F"))
def test_epilogues(rung, order):
    rng, dtype = np.random.default_rng(9), element(rung)
    a, b = rng.standard_normal((6, 9)).astype(dtype), rng.standard_normal((9, 5)).astype(dtype)
    row, col = rng.standard_normal(5).astype(dtype), rng.standard_normal((6, 1)).astype(np.float32)
    full = rng.standard_normal((6, 5)).astype(dtype)
    c = np.array(rng.standard_normal((6, 5)), dtype, order=order)
    plain = np.array(c)
    ts.ladder(6, 5, 9, alpha=0.5, beta=2, **rung)(a, b, plain)
    p = ts.ladder(
        6,
        5,
        9,
        alpha=0.5,
        beta=2,
        epilogue=lambda c, bias, w, r, s: ts.relu(c + bias) * w + r - s,
        operands={"w": ("col", "f32"), "r": None, "s": "scalar"},
        **rung,
    )
    p(a, b, c, row, col, np.array(full, order=order), 0.25)
    wanted = np.maximum(plain + row, 0) * col.astype(dtype) + full - dtype(0.25)
    assert np.allclose(c, wanted, rtol=4 * np.finfo(dtype).eps, atol=4 * np.finfo(dtype).eps)


def test_threads_share_one():
    rng = np.random.default_rng(10)
    a, b = rng.standard_normal((8, 40, 40)), rng.standard_normal((8, 40, 40))
    p = ts.ladder(40, 40, 40, dtype="f64xi8", beta=0)
    wanted, found = [p(*pair) for pair in zip(a, b)], [None] * 8

    def call(i):
        found[i] = p(a[i], b[i])

    threads = [Thread(target=call, args=(i,)) for i in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert all((x == y).all() for x, y in zip(wanted, found))


def test_description_of_products_and_scratch_memory():
    p = ts.ladder(64, 48, 65, dtype="f64xi8", slices=14, result="f64x2")
    assert p.products == 105 and ts.ladder(4, 4, 4, dtype="f32x2bf16").products == 3
    terms = 14 * (64 * 65 + 2 * 68 * 48 - 3 * 48)  # digits of a, of b as split, and of b in groups of four
    assert p.scratch_bytes == terms + 3 * 8 * 64 * 65 + 64 * 48 * (4 + 8 + 8)
    assert "105 products" in repr(p) and "brgemm 64 x 48 x 65 i8,i8,i32" in str(p)


@pytest.mark.parametrize(
    ("error", "says", "request_"),
    [
        (ts.UnsupportedError, "batch=ADDRESS", {"batch": ts.OFFSET}),
        (ts.UnsupportedError, "f32, not", {"result": "f64x2"}),
        (ts.UnsupportedError, "takes another number", {"slices": 3}),
        (
            ts.UnsupportedError,
            "elementwise functions take one word",
            {"dtype": "f64xi8", "result": "f64x2", "epilogue": lambda c: c},
        ),
        (ts.UnsupportedError, "multiplies no", {"target": FEWER}),
        (ValueError, "from 1 to 14", {"dtype": "f64xi8", "slices": 15}),
        (ValueError, "alpha: a finite number", {"alpha": float("inf")}),
        (ValueError, "'z' is no parameter", {"epilogue": lambda c: c, "operands": {"z": "row"}}),
        (TypeError, "batch: None, a count", {"batch": 1.5}),
    ],
)
def test_unsupported_requests(error, says, request_):
    with pytest.raises(error, match=says):
        ts.ladder(4, 4, 4, **request_)


def test_wrong_arguments():
    p = ts.ladder(4, 5, 6, dtype="f64xi8")
    a, b, c = np.zeros((4, 6)), np.zeros((6, 5)), np.zeros((4, 5))
    wrong = (
        ("a: a matrix of shape", (b, b, c)),
        ("b: an array of shape", (a, b[None], c)),
        ("b: elements of type float64", (a, b.astype("f4"), c)),
        ("c: a matrix of shape", (a, b, a)),
        ("c: give an array", (a, b)),
        ("takes 0 operands", (a, b, c, c)),
        ("a: its rows or columns must be contiguous", (np.zeros((8, 12))[::2, ::2], b, c)),
    )
    for says, arguments in wrong:
        with pytest.raises((TypeError, ValueError), match=says):
            p(*arguments)
    c.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        p(a, b, c)
    two = ts.ladder(4, 5, 6, dtype="f64xi8", result="f64x2", beta=0)
    with pytest.raises(ValueError, match="high: must not overlap low"):
        two(a, b, out=(d := np.zeros((4, 5)), d))
