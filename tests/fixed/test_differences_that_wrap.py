"""testing.check subtracted in the elements' own type: 0 and 255 of u8 differed by 1, and -128 and 127 of i8 too."""

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

testing = ts.testing


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_the_ends_of_integers_are_far_apart(kind):
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    for result, expected in ((least, most), (most, least)):
        with pytest.raises(AssertionError, match=r"1 of 2 elements are wrong, worst C\(1,\)"):
            testing.check(np.array([3, result], kind), np.array([3, expected], kind), 1)
    testing.check(np.array([most - 1], kind), np.array([most], kind), 1)
    with pytest.raises(AssertionError):
        testing.check(np.array([most - 1], kind), np.array([most], kind), 0)
    testing.check(np.array([most], kind), np.array([least], kind), most - least)


def test_differences_are_not_rounded_to_narrow_types():
    narrow = ml_dtypes.float8_e5m2
    with pytest.raises(AssertionError, match="error 8.75"):  # f8e5m2 rounds it to 8
        testing.check(np.array([10], narrow), np.array([1.25], narrow), 8)
    with pytest.raises(AssertionError, match="error 1.31e[+]05"):  # f16 made infinity of it
        testing.check(np.array([65504], np.float16), np.array([-65504], np.float16), 131007)
    testing.check(np.array([65504], np.float16), np.array([-65504], np.float16), 131008)
    testing.check(np.array([True, False]), np.array([True, True]), 1)
    testing.check(np.array([1 + 1j], np.complex64), np.array([1 + 2j]), 1)


def test_results_of_another_shape():
    c = np.zeros((3, 5), np.float32)
    for other in (c[:1], c[:, :1], c.T, c.ravel(), c[None]):
        with pytest.raises(AssertionError, match=r"the result has shape \(3, 5\), expected"):
            testing.check(c, other, 0)
    testing.check(c, np.float64(0), 0)
    with pytest.raises(AssertionError, match=r"worst C\(0, 0\) .* expected .*1.0.*, error 1, bound 0.5"):
        testing.check(c, np.float64(1), np.full(5, 0.5))


def test_wrong_arguments():
    a, b = [np.ones((3, 4), np.int8)], [np.ones((4, 5), np.int8)]
    c = np.zeros((3, 5), np.int32)
    with pytest.raises(TypeError, match="c: float16, float32 or float64.* not int32; exact_brgemm_reference"):
        testing.brgemm_reference(a, b, c, 1, 1)
    assert (testing.exact_brgemm_reference(a, b, c, 1, 1) == 4).all()
    with pytest.raises(TypeError, match="guarded: a numpy array, not list"):
        testing.guarded([1, 2])


def test_strategies_take_every_spelling():
    strategies = pytest.importorskip("tilesmith.testing", reason="hypothesis").strategies
    from hypothesis import find

    for spelled in ("f32", "float32", np.float32, np.dtype("f4")):
        assert find(strategies.matrices((2, 3), spelled, special=True), lambda x: True).dtype == np.float32
        find(strategies.patterns(spelled), lambda bits: bits == 1)
    with pytest.raises(ValueError, match="no element type is called 'f33'; did you mean"):
        find(strategies.matrices((2, 3), "f33"), lambda x: True)
