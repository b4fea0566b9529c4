"""Random numbers: known answers, and on every machine the bits of a scalar model in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, sizes
from tests.guard import SIDES
from tests.profiles import scaled
from tests.threefry_model import KNOWN, both_words, call, long_words, words
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.operands import RUNTIME
from tilesmith.runtime.api.eltwise import request as primitive
from tilesmith.runtime.arguments.arrays import numpy_dtype

FEW, MANY = 12, scaled(24, 1000)  # cases on each machine; each plans two kernels
machines = pytest.mark.parametrize("name", MACHINES)


@pytest.mark.parametrize(("counter", "key", "first", "second"), KNOWN)
def test_the_model_gives_the_known_answers(counter, key, first, second):
    assert both_words(np.array([counter[0]]), np.array([counter[1]]), key) == (first, second)


seeds = st.one_of(st.integers(0, 3), st.integers(0, (1 << 63) - 1))


@st.composite
def drawn(draw: st.DrawFn) -> tuple[int, int, int, int, tuple[int, int] | None, str]:
    origin = draw(st.sampled_from([None, (0, 0), (5, 17), ((1 << 32) - 2, (1 << 32) - 3), (1 << 40, 7)]))
    return (
        draw(st.integers(1, 7)),
        draw(sizes),
        draw(seeds),
        draw(st.sampled_from([0, 0, 5])),
        origin,
        draw(st.sampled_from(SIDES)),
    )


def property_of(name: str, request: Any, examples: int) -> None:
    @settings(max_examples=examples)
    @given(drawn())
    def test(case: Any) -> None:
        m, n, seed, gap, origin, side = case
        for out, unsigned, wanted in (("i32", np.uint32, words), ("i64", np.uint64, long_words)):
            spec = primitive("unary", "random", m, n, out=out, ldy=n + gap, origin=RUNTIME if origin else None)
            (found,) = call(spec, name, request, [], [seed, *(origin or ())], side)
            assert (found.view(unsigned) == wanted(m, n, seed, *(origin or ()))).all()

    test()


@machines
def test_the_same_words_everywhere(name, request):
    property_of(name, request, FEW)


@pytest.mark.slow
@machines
def test_the_same_words_everywhere_often(name, request):
    property_of(name, request, MANY)


@machines
def test_known_answers_of_machine_code(name, request):
    """The origin is the counter and the seed is the key."""
    for (column, row), (low, high), first, second in KNOWN:
        for out, answer in (("i32", first), ("i64", first << 32 | second)):
            spec = primitive("unary", "random", 1, 1, out=out, origin=RUNTIME)
            if high < 1 << 31:  # a seed has 63 bits
                (found,) = call(spec, name, request, [], [low | high << 32, row, column], "end")
                assert int(found[0, 0]) & (1 << 8 * found.itemsize) - 1 == answer


@machines
def test_a_tile_has_the_numbers_of_the_whole(name, request):
    (whole,) = call(primitive("unary", "uniform", 12, 90), name, request, [], [11], "end")
    tile = primitive("unary", "uniform", 5, 37, origin=RUNTIME)
    for row, column in ((0, 0), (7, 53), (3, 16)):
        (found,) = call(tile, name, request, [], [11, row, column], "start")
        assert (found == whole[row : row + 5, column : column + 37]).all()


@machines
@pytest.mark.parametrize(
    ("out", "count"), [("f64", 53), ("f32", 24), ("bf16", 8), ("f16", 11), ("f8e5m2", 3), ("f8e4m3", 4)]
)
def test_uniform(name, request, out, count):
    (found,) = call(primitive("unary", "uniform", 3, 131, out=out), name, request, [], [9], "end")
    wanted = (long_words(3, 131, 9) >> np.uint64(64 - count)).astype(np.float64) * 2.0**-count
    assert found.dtype == numpy_dtype(out)
    assert (found.astype(np.float64) == wanted).all()
    assert (found >= 0).all() and (found < 1).all()


# Refusals and calls


@pytest.mark.parametrize(
    ("error", "match", "ask"),
    [
        (TypeError, "give rate=", lambda: ts.unary("dropout", 4, 4)),
        (ValueError, "from 0 to 1", lambda: ts.unary("dropout", 4, 4, rate=1.5)),
        (ValueError, "from 0 to 1", lambda: ts.binary("dropout_inv", 4, 4, rate=-0.1)),
        (TypeError, "rate: a number", lambda: ts.unary("dropout", 4, 4, rate="half")),
        (TypeError, "rate: a number", lambda: ts.unary("dropout", 4, 4, rate=True)),
        (UnsupportedError, "no fractions", lambda: ts.unary("dropout", 4, 4, rate=0.5, dtype="i8")),
        (
            UnsupportedError,
            "f64 is not possible in f32 arithmetic",
            lambda: ts.equation(lambda x: ts.uniform("f64"), x=(4, 4)),
        ),
        (UnsupportedError, "out must be bf16, f16", lambda: ts.unary("round_stochastic", 4, 4)),
        (UnsupportedError, "out must be f32, bf16", lambda: ts.unary("round_stochastic", 4, 4, dtype="f64")),
        (UnsupportedError, "uniform gives floats", lambda: ts.unary("random", 4, 4, out="f32")),
        (ValueError, "origin", lambda: ts.unary("relu", 4, 4, origin=ts.RUNTIME)),
        (ValueError, "origin", lambda: ts.unary("dropout", 4, 4, rate=0.5, origin=3)),
        (ValueError, "seed", lambda: ts.equation(lambda seed: ts.dropout(seed, 0.5), seed=(4, 4))),
        (ValueError, "seed: 0 or more", lambda: ts.unary("uniform", 4, 4)(-1)),
        (TypeError, "2 arguments", lambda: ts.unary("uniform", 4, 4)()),
    ],
)
def test_refusals(error, match, ask):
    with pytest.raises(error, match=match):
        ask()
