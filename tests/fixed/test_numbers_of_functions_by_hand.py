"""Arguments of functions by hand: PeachPy's took 2 for np.float32(2.7), float parameters inf for 1e300, `float *x[3]`
an array of float, and extents with a divisor were refused or raised ZeroDivisionError."""

from fractions import Fraction

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.x86 import rax, rdi

ABI = "SystemV x86-64 ABI"
pytestmark = pytest.mark.skipif(ts.host().arch != "x86", reason="the code is x86-64")


def code(*moves):
    asm = ts.assembler("avx2")
    for move in moves:
        asm.mov(*move)
    asm.ret()
    return asm.finish("f")


def peachpy(kind, **changed):
    made = {
        "name": "f",
        "abi": ABI,
        "code": code((rax, rdi)).data.hex(),
        "constants": "",
        "alignment": 8,
        "relocations": [],
        "arguments": [("n", kind)],
        "result": "int64_t",
    }
    return ts.from_peachpy({**made, **changed})


@pytest.mark.parametrize("number", [np.float32(2.7), np.float16(2), 2.0, Fraction(7, 2), np.ones(1), "1", None])
def test_integers_are_not_rounded(number):
    with pytest.raises(TypeError, match="n: int64_t n takes an integer, not "):
        peachpy("int64_t")(number)


@pytest.mark.parametrize("kind, number", [("uint8_t", 256), ("uint8_t", -1), ("int64_t", 1 << 63), ("int8_t", 128)])
def test_integers_fit_their_type(kind, number):
    with pytest.raises(ValueError, match=rf"n: {number} is no {kind}"):
        peachpy(kind)(number)
    assert peachpy(kind)(np.int64(5)) == 5


@pytest.mark.parametrize("number", [1e300, -3.5e38, 10**400])
def test_numbers_that_would_become_infinite(number):
    by_hand = code().kernel("float f(float x)")
    for call in (by_hand, by_hand.run, peachpy("float", result="float")):
        with pytest.raises(ValueError, match="float . does not hold numbers of this size"):
            call(number)
        for held in (float("-inf"), 3.4028235e38, -0.0, 1e-300):
            assert call(held) == np.float32(held)


def test_complex_numbers_keep_both_parts():
    for call in (code().kernel("double f(double n)"), peachpy("double", result="double")):
        with pytest.raises(TypeError, match="n: double n takes a number, not complex64"):
            call(np.complex64(1 + 2j))


def test_addresses():
    place = np.zeros(4, np.float32).__array_interface__["data"][0]
    for call in (code((rax, rdi)).kernel("long f(const float *n)"), peachpy("const float*")):
        assert call(place) == call(np.uint64(place)) == call(np.int64(place)) == place
        for wrong in (-1, 1 << 64):
            with pytest.raises(ValueError, match=f"n: {wrong} is no address"):
                call(wrong)
        with pytest.raises(TypeError, match="n: an array .* not bool"):
            call(True)
    with pytest.raises(TypeError, match="takes an array of uint64"):
        peachpy("float**")(np.zeros(4, np.float32))


@pytest.mark.parametrize("wrong", ["float *x[3]", "void *x[n]", "const float *restrict x[n]"])
def test_arrays_of_pointers(wrong):
    with pytest.raises(ValueError, match="is an array of pointers; without its"):
        code().kernel(f"void f({wrong}, long n)")


def test_divisors_of_extents():
    x = np.zeros(8, np.float32)
    half = code((rax, rdi)).kernel("long f(long n, const float x[8 / (n - 1)])")
    assert half(2, x) == 2
    with pytest.raises(ValueError, match=r"x\[8 / \(n - 1\)\]: a divisor is 0"):
        half(1, x)
    with pytest.raises(ValueError, match="'q' is no integer parameter"):
        code().kernel("long f(long n, const float x[8 / (n - 1) * q])")


@pytest.mark.parametrize(
    "spelled, short",
    [
        ("long int", "long"),
        ("unsigned long int", "unsigned long"),
        ("int long unsigned", "size_t"),
        ("signed", "int"),
        ("short int", "short"),
        ("long long int", "long long"),
        ("signed char", "int8_t"),
    ],
)
def test_every_spelling_of_an_integer(spelled, short):
    made = code().kernel(f"{spelled} f({spelled} n, const {spelled} *x)").declaration
    assert str(made) == str(code().kernel(f"{short} f({short} n, const {short} *x)").declaration)


def test_wrong_descriptions():
    with pytest.raises(TypeError, match='x=5: a type is a string, such as "const f32'):
        code().kernel(x=5)
    for changed in ({"code": 1000}, {"arguments": "ab"}, {"code": "zz"}):
        with pytest.raises(ts.UnsupportedError, match="a moved PeachPy function has name, code"):
            peachpy("int64_t", **changed)
    with pytest.raises(ts.UnsupportedError, match="a relocation at 0 reaches"):
        peachpy("int64_t", relocations=[(0, 1 << 40, 0)], constants="00")
