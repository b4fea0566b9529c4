"""C declarations: kinds and sizes agree with cffi's own parser, and errors name the part that is not understood."""

from __future__ import annotations

import numpy as np
import pytest
from cffi import FFI
from hypothesis import given
from hypothesis import strategies as st

from tilesmith.runtime.arguments.c_declaration import C_NAMES, PASSED, check_number, declaration, of_types

FFI_TYPES = FFI()
NUMBERS = sorted({name for kind in PASSED for name in C_NAMES[kind]} - {"_Float32", "_Float64", "bool"})
parameters = st.tuples(st.sampled_from(NUMBERS), st.sampled_from([" ", "*", " *", "* ", " * restrict "]), st.booleans())


@given(st.lists(parameters, max_size=6), st.sampled_from(["void", *NUMBERS]))
def test_types_are_those_of_cffi(drawn: list[tuple[str, str, bool]], result: str) -> None:
    text = ", ".join(f"{'const ' * const}{kind}{star}p{i}" for i, (kind, star, const) in enumerate(drawn))
    ours = declaration(f"{result} f({text});")
    bare = ", ".join(f"{kind}{'*' if '*' in star else ''}" for kind, star, _ in drawn)
    theirs = FFI_TYPES.typeof(f"{result}(*)({bare or 'void'})")
    assert [each.pointer for each in ours.parameters] == [each.kind == "pointer" for each in theirs.args]
    passed = FFI_TYPES.typeof(ours.pointer_type)
    assert [FFI_TYPES.sizeof(each) for each in passed.args] == [FFI_TYPES.sizeof(each) for each in theirs.args]
    assert passed.result is theirs.result or FFI_TYPES.sizeof(passed.result) == FFI_TYPES.sizeof(theirs.result)


@pytest.mark.parametrize(
    "text, part",
    [
        ("dot", "no declaration"),
        ("float dot(const flaot *x)", "did you mean float"),
        ("float *dot(const float *x)", "returns a pointer"),
        ("void f(float **x)", "pointer to pointers"),
        ("void f(float)", "no parameter"),
        ("void f(long n, float x[m])", "'m' is no integer parameter"),
        ("void f(float x[n], float n)", "'n' is no integer parameter"),
        ("void f(long n, float x[n ** 2])", "+ - * /"),
        ("void f(long n, float x[n +])", "invalid syntax"),
        ("void f(long n, long n)", "two parameters are named n"),
        ("void f(_Float16 x)", "numbers of these types"),
        ("float _Complex f(void)", "can be returned"),
    ],
)
def test_errors_of_declarations(text: str, part: str) -> None:
    with pytest.raises(ValueError) as error:
        declaration(text)
    assert part in str(error.value)


@given(st.integers(0, 99), st.integers(0, 99), st.integers(1, 9))
def test_extents_are_computed_as_by_c(m: int, n: int, d: int) -> None:
    parsed = declaration("void f(float c[(m + 2) * n - m / d], long m, long n, long d)")
    assert parsed.parameters[0].elements({"m": m, "n": n, "d": d}) == (m + 2) * n - m // d


@pytest.mark.parametrize("kind", PASSED)
def test_numbers_fit_their_type(kind: str) -> None:
    parameter = of_types("f", None, {"n": kind}).parameters[0]
    if kind[0] == "f":
        assert check_number("n", parameter, np.float32(2)) == 2.0
        with pytest.raises(TypeError, match="n: .* takes a number"):
            check_number("n", parameter, "2")
        return
    info = np.iinfo({"i": "int", "u": "uint"}[kind[0]] + kind[1:])
    assert [check_number("n", parameter, each) for each in (info.min, info.max)] == [info.min, info.max]
    for wrong in (int(info.min) - 1, int(info.max) + 1):
        with pytest.raises(ValueError, match="which holds"):
            check_number("n", parameter, wrong)
    with pytest.raises(TypeError, match="takes an integer"):
        check_number("n", parameter, 1.0)
