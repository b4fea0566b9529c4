"""dtype="f32x3bf16" keeps the bound that microkernels/precision/bf16x3.py proves, has the same bits on every target,
and refuses unsupported requests."""

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

FEW = scaled(8, 400)
RUNNING = [name for name in ("avx2", "avx512", "avx512_bf16") if not host.runs(TARGETS[name])]
U = 2.0**-24
each_target = pytest.mark.parametrize("target", [*RUNNING, "amx"])  # tiles add in another order


def values(rng, shape):
    """Return 0, or numbers of magnitude 2^-40 to 2^60 with all fraction bits random, or normally distributed
    numbers."""
    made = rng.choice([-1, 1], shape) * (1 + rng.random(shape)) * 2.0 ** rng.integers(-40, 60, shape)
    near = rng.standard_normal(shape)
    return np.where(rng.random(shape) < 0.1, 0, np.where(rng.random() < 0.5, near, made)).astype(np.float32)


def gamma(n):
    return n * U / (1 - n * U)


def check(m, n, k, order, gaps, alpha, beta, target, seed):
    rng = np.random.default_rng(seed)
    a, b, c = values(rng, (m, k)), values(rng, (k, n)), values(rng, (m, n))
    leading = {
        f"ld{name}": (shape[1] if o == "C" else shape[0]) + gap
        for name, o, gap, shape in zip("abc", order, gaps, ((m, k), (k, n), (m, n)))
    }
    mm = ts.brgemm(m, n, k, dtype="f32x3bf16", order=order, alpha=alpha, beta=beta, target=target, **leading)
    wide = [x.astype(np.longdouble) for x in (a, b, c)]
    exact = np.float32(alpha) * (wide[0] @ wide[1]) + np.float32(beta) * wide[2]
    scale = abs(wide[0]) @ abs(wide[1])
    left_out, rounded = 2.0**-22.99, gamma(6 * k + 9)
    bound = abs(alpha) * (left_out + rounded * (1 + 2.0**-6.9)) * scale + rounded * abs(beta) * abs(wide[2])
    for side in SIDES:
        found = laid_out(c, order[2], gaps[2], side)
        mm(laid_out(a, order[0], gaps[0], side, False), laid_out(b, order[1], gaps[1], side, False), found)
        assert (abs(found - exact) <= bound + 2.0**-120).all()
        check_canary(found)


@each_target
def test_errors_stay_within_the_bound(target):
    orders = [("C", "C", "C"), ("F", "F", "F")]
    if target != "amx":  # on amx all operands have the same order
        orders += [("F", "C", "C"), ("F", "C", "F")]

    @settings(max_examples=FEW)
    @given(
        *[st.integers(1, 48)] * 3,
        st.sampled_from(orders),
        st.tuples(*[st.sampled_from((0, 3))] * 3),
        st.sampled_from((1.0, -0.5)),
        st.sampled_from((1.0, 0.0, 2.0)),
        st.integers(0, 2**32 - 1),
    )
    def test(m, n, k, order, gaps, alpha, beta, seed):
        survives(lambda: check(m, n, k, order, gaps, alpha, beta, target, seed))

    in_one_child(test)


def product(target, rng_seed=5, shape=(33, 40, 65), run=False):
    rng = np.random.default_rng(rng_seed)
    m, n, k = shape
    a, b, c = (rng.standard_normal(each).astype(np.float32) for each in ((m, k), (k, n), (m, n)))
    mm = ts.brgemm(m, n, k, dtype="f32x3bf16", target=target)
    (mm.run if run else mm)(a, b, c)
    return c


def test_every_target_gives_the_same_bits():
    wanted = product(RUNNING[0])
    for target in RUNNING[1:]:
        assert product(target).tobytes() == wanted.tobytes(), target


def test_tiles_and_what_stands_in_for_them_give_the_same_bits():
    shape = (17, 20, 40)
    assert product("amx", shape=shape).tobytes() == product("amx", shape=shape, run=True).tobytes()


def test_a_whole_f32_is_kept():
    """The three parts add up to the number: the product with the identity is equal to the bit."""
    rng = np.random.default_rng(1)
    x = values(rng, (64, 16))
    for target in (*RUNNING, "amx"):
        found = ts.brgemm(64, 16, 16, dtype="f32x3bf16", beta=0, target=target)(x, np.eye(16, dtype=np.float32))
        assert (found == x).all()


def test_what_is_not_supported():
    with pytest.raises(ts.UnsupportedError, match="10,922 elements"):
        ts.brgemm(128, 128, 128, dtype="f32x3bf16")
    with pytest.raises(ts.UnsupportedError, match="one pair of matrices"):
        ts.brgemm(8, 8, 8, dtype="f32x3bf16", batch=3)
    with pytest.raises(ts.UnsupportedError, match="one pair of matrices"):
        ts.brgemm(8, 8, 8, dtype="f32x3bf16", ldc=ts.RUNTIME)


@pytest.mark.parametrize("target", ("avx2", "avx512_bf16", "amx"))
def test_what_fits_is_as_large_on_every_target(target):
    """The largest supported shapes are the same on every target, although tiles need memory besides that of the
    parts."""
    for fits in ((73, 73, 74), (1, 10921, 1), (5, 5, 1092)):
        assert ts.brgemm(*fits, dtype="f32x3bf16", alpha=2, beta=3, target=target).code


def test_cycles_count_the_configuration_of_tiles():
    plan = ts.brgemm(16, 16, 32, dtype="f32x3bf16", target="amx").plan
    assert plan.tile_shapes and plan.products[0].plan.configure_cycles == 204
    parts = sum(step.plan.call_cycles for step in plan.steps[:2]) + sum(
        step.cycles(pairs) for step, pairs in zip(plan.products, (3, 2, 1))
    )
    assert plan.cycles == pytest.approx(parts + 204)


def test_it_prints():
    mm = ts.brgemm(8, 8, 8, dtype="f32x3bf16")
    assert "f32x3bf16" in str(mm.plan) and "f32x3bf16" in mm.name and "split a" in str(mm.plan)
