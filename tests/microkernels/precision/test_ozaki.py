"""dtype="f64xi8" keeps the bound that microkernels/precision/ozaki_plan.py proves, has the same bits on every target,
and refuses unsupported requests.

Exact products are computed with Python's integers.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.children import in_one_child, survives
from tests.guard import SIDES, check_canary, laid_out
from tests.profiles import scaled
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host import detect as host

FEW = scaled(10, 400)
RUNNING = [name for name in ("avx2", "avx512", "avx512_vnni", "amx") if not host.runs(TARGETS[name])]
EMULATED = ("amx", "neon", "neon_bf16", "sve256")
U = 2.0**-53
SCALE = 1200  # every element times 2^SCALE is an integer

each_target = pytest.mark.parametrize("target", RUNNING)


def values(rng, shape, kind):
    """Return ordinary numbers, numbers whose magnitudes vary widely by element or by row and column, or edge cases;
    some are 0."""
    made = rng.standard_normal(shape)
    if kind == "any":
        made = rng.choice([-1, 1], shape) * (1 + rng.random(shape)) * 2.0 ** rng.integers(-220, 220, shape)
    elif kind == "lines":
        made = made * 2.0 ** rng.integers(-200, 200, (shape[0], 1)) * 2.0 ** rng.integers(-20, 20, (1, shape[1]))
    elif kind == "edges":  # digits at their limits: just below a power of two, and ties
        made = rng.choice([-1, 1], shape) * rng.choice([1 - 2.0**-53, 1, 1 + 2.0**-52, 2 - 2.0**-52, 2.0**-7], shape)
    return np.where(rng.random(shape) < 0.1, 0, made)


def whole(x):
    """Return the elements times 2^SCALE as Python's integers."""
    return np.array([[int(Fraction(float(e)) * 2**SCALE) for e in row] for row in x], dtype=object)


def beyond(found, a, b, c, alpha, beta):
    """Return the positions of elements whose error exceeds the bound."""
    exact = whole(a).dot(whole(b))  # times 2^(2 SCALE)
    tops = abs(a).max(axis=1), abs(b).max(axis=0)
    wrong = []
    for i, j in np.ndindex(found.shape):
        product = Fraction(int(exact[i, j]), 2 ** (2 * SCALE)) * Fraction(alpha)
        old = Fraction(float(c[i, j])) * Fraction(beta)
        error = abs(Fraction(float(found[i, j])) - product - old)
        of_maxima = Fraction(abs(alpha)) * a.shape[1] * Fraction(float(tops[0][i])) * Fraction(float(tops[1][j]))
        if error > of_maxima / 2**56 + Fraction(4 * U) * (abs(product) + abs(old)):
            wrong.append((i, j))
    return wrong


def case(m, n, k, order, gaps, alpha, beta, kind, seed):
    rng = np.random.default_rng(seed)
    a, b, c = (values(rng, shape, kind) for shape in ((m, k), (k, n), (m, n)))
    leading = {
        f"ld{name}": (shape[1] if o == "C" else shape[0]) + gap
        for name, o, gap, shape in zip("abc", order, gaps, ((m, k), (k, n), (m, n)))
    }
    return (a, b, c), {"dtype": "f64xi8", "order": tuple(order), "alpha": alpha, "beta": beta, **leading}


def check(m, n, k, order, gaps, alpha, beta, kind, seed, target, run=False):
    (a, b, c), request = case(m, n, k, order, gaps, alpha, beta, kind, seed)
    mm = ts.brgemm(m, n, k, target=target, **request)
    for side in SIDES[: 1 if run else 2]:
        found = laid_out(c, order[2], gaps[2], side)
        arguments = laid_out(a, order[0], gaps[0], side, False), laid_out(b, order[1], gaps[1], side, False), found
        (mm.run if run else mm)(*arguments)
        assert not beyond(np.array(found), a, b, c, alpha, beta)
        check_canary(found)


def cases(most):
    return st.tuples(
        *[st.integers(1, most)] * 3,
        st.sampled_from(("CCC", "FFF", "FCC", "CFF", "CCF", "FCF", "CFC", "FFC")),
        st.tuples(*[st.sampled_from((0, 0, 3))] * 3),
        st.sampled_from((1.0, -0.5)),
        st.sampled_from((1.0, 0.0, 2.0)),
        st.sampled_from(("ordinary", "any", "lines", "edges")),
        st.integers(0, 2**32 - 1),
    )


@pytest.mark.seconds
@each_target
def test_errors_stay_within_the_bound(target):
    @settings(max_examples=FEW)
    @given(cases(40))
    def test(drawn):
        survives(lambda: check(*drawn, target))

    in_one_child(test)


@pytest.mark.slow
@pytest.mark.parametrize("target", EMULATED)
def test_the_bytes_of_other_targets_stay_within_the_bound(target):
    """The emulator faults if the bytes access memory outside the operands."""

    @settings(max_examples=max(1, FEW // 5))
    @given(cases(20))
    def test(drawn):
        check(*drawn, target, run=True)

    test()


@pytest.mark.seconds
def test_every_target_gives_the_same_bits():
    """All sums of products are exact, and the remaining operations have a fixed order."""
    shape, order, rest = (5, 18, 9), "CFC", ((0, 3, 0), -0.5, 2.0, "lines", 7)
    (a, b, c), request = case(*shape, order, *rest)
    found = []
    for target in (*RUNNING, *EMULATED):
        mm, y = ts.brgemm(*shape, target=target, **request), c.copy()
        (mm.run if target in EMULATED else mm)(a, laid_out(b, "F", 3, "end"), y)
        found.append(y.tobytes())
    assert len(set(found)) == 1


def test_tiles_are_configured_once_and_stand_ins_give_the_same_bits():
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((17, 40)), rng.standard_normal((40, 20))
    mm = ts.brgemm(17, 20, 40, dtype="f64xi8", beta=0, target="amx")
    emulated, called = np.zeros((17, 20)), np.zeros((17, 20))
    counts = mm.emulate(a, b, emulated).counts
    assert counts["ldtilecfg"] == counts["tilerelease"] == 1
    assert counts["tdpbssd"] == 45 * 2 * 2
    mm(a, b, called)
    assert called.tobytes() == emulated.tobytes()


def test_results_are_nearer_than_those_of_f64():
    """The total error is smaller than that of numpy's product of ordinary numbers."""
    rng = np.random.default_rng(4)
    a, b = rng.standard_normal((32, 64)), rng.standard_normal((64, 32))
    exact = whole(a).dot(whole(b))
    found = ts.brgemm(32, 32, 64, dtype="f64xi8", beta=0, target=RUNNING[-1])(a, b)

    def errors(x):
        return sum(abs(Fraction(float(x[p])) - Fraction(int(exact[p]), 2 ** (2 * SCALE))) for p in np.ndindex(x.shape))

    assert errors(found) < errors(a @ b)


def test_special_values():
    """A row or column with an infinity or a NaN gives NaN; denormals count as zeros."""
    rng = np.random.default_rng(5)
    a, b, c = rng.standard_normal((6, 9)), rng.standard_normal((9, 5)), rng.standard_normal((6, 5))
    a[1, 3], a[2, 0], a[3], a[4], b[2, 4] = np.nan, np.inf, 0, 5e-324, -np.inf
    for target in RUNNING:
        y = c.copy()
        ts.brgemm(6, 5, 9, dtype="f64xi8", target=target)(a, b, y)
        bad = np.zeros((6, 5), bool)
        bad[1:3], bad[:, 4] = True, True
        assert (np.isnan(y) == bad).all()
        assert (y[3:5, :4] == c[3:5, :4]).all()


def test_c_is_not_read_without_beta():
    c = np.full((8, 8), np.nan)
    ts.brgemm(8, 8, 8, dtype="f64xi8", beta=0, target=RUNNING[0])(np.eye(8), np.eye(8), c)
    assert (c == np.eye(8)).all()


def test_what_is_not_supported():
    with pytest.raises(ts.UnsupportedError, match=r"use smaller blocks: 9 \(m k \+ k n\)"):
        ts.brgemm(64, 64, 64, dtype="f64xi8")
    with pytest.raises(ts.UnsupportedError, match="one pair of matrices"):
        ts.brgemm(8, 8, 8, dtype="f64xi8", batch=3)
    with pytest.raises(ts.UnsupportedError, match="one pair of matrices"):
        ts.brgemm(8, 8, 8, dtype="f64xi8", ldc=ts.RUNTIME)
    for fits, target in itertools.product(((46, 46, 46), (32, 32, 64)), (None, *RUNNING, *EMULATED)):
        assert ts.brgemm(*fits, dtype="f64xi8", target=target).code


def test_it_prints():
    mm = ts.brgemm(8, 8, 8, dtype="f64xi8")
    assert "f64xi8" in str(mm.plan) and "f64xi8" in mm.name and "45 products" in str(mm.plan)
