"""Tensor programs by machine code, against exact integers of their own definition."""

from __future__ import annotations

import pickle
import re
from random import Random
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import both_sides, guarded
from tests.profiles import scaled
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.tensorize.expressions import TensorProgram
from tilesmith.runtime.arguments.dtypes import numpy_dtype

TYPES = [
    ("f32", "f32", ts.f32),
    ("u8", "i8", ts.i32),
    ("i8", "i8", ts.i32),
    ("bf16", "bf16", ts.f32),
    ("f64", "f64", ts.f64),
]


def convolution(types: Any = TYPES[1], stride: int = 1, dilation: int = 1) -> TensorProgram:
    tx, tw, cast = types
    n, p, q, k = ts.axis(2, 5, 6, 20, names="n p q k")
    r, s, c = ts.reduce_axis(3, 2, 10, names="r s c")
    x = ts.tensor((2, 4 * stride + 2 * dilation + 1, 5 * stride + dilation + 1, 10), tx)
    w = ts.tensor((3, 2, 10, 20), tw)
    return ts.sum(
        cast(x[n, stride * p + dilation * r, stride * q + dilation * s, c]) * cast(w[r, s, c, k]), axis=(r, s, c)
    )


def arrays_of(program: TensorProgram, seed: int) -> tuple[Any, Any]:
    """Return factors of small integers, with which every sum is exact in every type."""
    rng = np.random.default_rng(seed)
    made = []
    for shape, dtype in zip(program.shapes[1:], program.equation.types):
        low = 0 if dtype[0] == "u" else -4
        made.append(rng.integers(low, 5, shape).astype(numpy_dtype(dtype)))
    return made[0], made[1]


def expected(program: TensorProgram, x: Any, y: Any) -> Any:
    """Compute the program by its definition, in exact integers."""
    grids = np.ogrid[tuple(slice(extent) for _, extent in program.equation.extents)]
    at = dict(zip((name for name, _ in program.equation.extents), grids))
    _, of_x, of_y = program.equation.accesses
    factors = []
    for access, array in ((of_x, x), (of_y, y)):
        places = tuple(index.constant + sum(f * at[name] for f, name in index.terms) for index in access.indices)
        factors.append(array.astype(np.float64).astype(np.int64)[places])
    wide = np.broadcast_to(factors[0] * factors[1], [extent for _, extent in program.equation.extents])
    return wide.sum(axis=tuple(range(len(program.shape), wide.ndim)))


@pytest.mark.parametrize("types", TYPES, ids=lambda each: "-".join(each[:2]))
@pytest.mark.parametrize("stride, dilation", [(1, 1), (2, 1), (1, 3)])
def test_convolutions_on_this_machine(types: Any, stride: int, dilation: int) -> None:
    program = convolution(types, stride, dilation)
    kernel = ts.tensorize(program)
    x, w = arrays_of(program, 1)
    wanted = expected(program, x, w)
    np.testing.assert_array_equal(kernel(x, w), wanted)
    packed = kernel.pack(w)
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(kernel(x, packed, threads=threads), wanted)


@pytest.mark.parametrize(
    "target, name",
    [
        ("avx512_vnni", "VPDPBUSD"),
        ("avx2", "VPDPBUSD"),
        ("amx", "TDPBUSD"),
        ("neon", "USDOT"),
        ("neon_dotprod", "SDOT"),
        ("sve256", "USDOT"),
        ("sme512", "USMOPA"),
    ],
)
def test_the_instruction_of_each_target(target: str, name: str) -> None:
    p, q, k = ts.axis(2, 3, 10, names="p q k")
    r, c = ts.reduce_axis(2, 6, names="r c")
    x, w = ts.tensor((3, 3, 6), "u8"), ts.tensor((2, 6, 10), "i8")
    program = ts.sum(ts.i32(x[p + r, q, c]) * ts.i32(w[r, c, k]), axis=(r, c))
    kernel = ts.tensorize(program, target=target)
    assert kernel.instruction.name == name and kernel.mapping is not None
    x, w = arrays_of(program, 2)
    np.testing.assert_array_equal(kernel.run(x, kernel.pack(w), workers=2), expected(program, x, w))


def program_of(random: Random) -> TensorProgram:
    """Return a program of 2 to 7 loops with strides, offsets and reversals, each loop of which has a role."""
    tx, ty, cast = random.choice(TYPES)
    made: dict[str, list[Any]] = {"rows": [], "columns": [], "sum": [], "all": []}
    for at in range(random.randint(2, 7)):
        kind = ("sum", "columns", "rows")[at] if at < 2 else random.choice(["rows", "columns", "sum", "sum", "all"])
        loop = (ts.reduce_axis if kind == "sum" else ts.axis)(random.choice([1, 2, 3, 5, 7]))
        made[kind].append(loop)

    def factor(loops: list[Any], dtype: str) -> Any:
        random.shuffle(loops)
        indices: list[Any] = []
        while loops:
            index = loops.pop() * random.choice([1, 1, -1, 2])
            if loops and random.random() < 0.3:
                index = index + loops.pop() * random.choice([1, -1, 3])
            indices.append(index - index.span[0] + random.choice([0, 0, 1]))
        shape = [index.span[1] + random.choice([1, 1, 2]) for index in indices]
        return ts.tensor(shape, dtype)[tuple(indices)]

    x = factor([*made["rows"], *made["sum"], *made["all"]], tx)
    y = factor([*made["columns"], *made["sum"], *made["all"]], ty)
    return ts.sum(cast(x) * cast(y), axis=tuple(made["sum"]))


def test_loops_that_go_backwards() -> None:
    """Rows, columns, sums and windows: a convolution as mathematics writes it turns its taps."""
    i, j = ts.axis(4, 13, names="i j")
    r, c = ts.reduce_axis(3, 5, names="r c")
    x, w = ts.tensor((6, 5), "u8"), ts.tensor((3, 5, 13), "i8")
    for row, tap, channel, column in ((i + 2 - r, r, c, j), (i + r, 2 - r, 4 - c, j), (5 - i - r, r, c, 12 - j)):
        program = ts.sum(ts.i32(x[row, channel]) * ts.i32(w[tap, c, column]), axis=(r, c))
        kernel, given = ts.tensorize(program), arrays_of(program, 9)
        np.testing.assert_array_equal(kernel(*given), expected(program, *given), err_msg=str(program))
        packed = given[0], kernel.pack(given[1])
        np.testing.assert_array_equal(kernel(*packed), expected(program, *given), err_msg=str(program))
        assert ts.tensorize(program, target="avx2").verify()


def test_programs_at_random() -> None:
    random = Random(57)
    for seed in range(scaled(25, 2000)):
        program = program_of(random)
        x, y = arrays_of(program, seed)
        wanted = expected(program, x, y)
        kernel = ts.tensorize(program)
        np.testing.assert_array_equal(kernel(x, y), wanted, err_msg=str(program))
        factor = kernel.pack(x if kernel.packs == "x" else y)
        given = (factor, y) if kernel.packs == "x" else (x, factor)
        np.testing.assert_array_equal(kernel(*given), wanted, err_msg=f"packed: {program}")


TARGETS = ("avx2", "avx512_vnni", "amx", "neon", "sve256", "sme512")


def test_programs_at_random_on_other_targets() -> None:
    random = Random(58)
    for seed in range(scaled(6, 600)):
        program, target = program_of(random), TARGETS[seed % len(TARGETS)]
        x, y = arrays_of(program, seed)
        try:
            kernel = ts.tensorize(program, target=target)
        except UnsupportedError as reason:  # with the loop and the axis in the way
            assert re.search(r"loop\S* .*, (but|and) axis \w+ of \w+", str(reason))
            continue
        workers = random.choice((1, 2, 3, 7))
        given = (kernel.pack(x), y) if kernel.packs == "x" else (x, kernel.pack(y))
        np.testing.assert_array_equal(
            kernel.run(*given, workers=workers, turns=seed), expected(program, x, y), err_msg=f"{target}: {program}"
        )


def test_a_choice_of_the_instruction_is_kept_or_refused() -> None:
    program = convolution()
    assert ts.tensorize(program, target="amx", instruction="TDPBUSD").instruction.name == "TDPBUSD"
    with pytest.raises(UnsupportedError, match="run on TDPBUSD on amx"):
        ts.tensorize(program, target="amx", instruction="VPDPBUSD")
    with pytest.raises(ValueError, match=r"instruction: one of TDPBUSD, .*VPDPBUSD.* not 'FMA'"):
        ts.tensorize(program, target="amx", instruction="FMA")
    with pytest.raises(TypeError, match="program: a sum of products"):
        ts.tensorize(np.ones(3))  # type: ignore[arg-type]


def test_arrays_that_do_not_fit_say_so() -> None:
    program = convolution()
    kernel = ts.tensorize(program)
    x, w = arrays_of(program, 3)
    with pytest.raises(ValueError, match=r"x: shape \(2, 7, 7, 10\), not"):
        kernel(x[:, :, :, :5], w)
    with pytest.raises(TypeError, match="y: i8, not float32"):
        kernel(x, w.astype(np.float32))
    with pytest.raises(ValueError, match=r"np.ascontiguousarray\(x\)"):
        kernel(np.asfortranarray(x), w)
    with pytest.raises(TypeError, match="only y may be packed"):
        kernel(kernel.pack(w), w)


def test_kernels_are_kept_and_pickled() -> None:
    program = convolution(TYPES[0])
    kernel = ts.tensorize(program)
    x, w = arrays_of(program, 4)
    again = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_array_equal(again(x, w), kernel(x, w))


def test_candidates_are_printed() -> None:
    text = "\n".join(map(str, ts.tensorize.candidates(convolution(), target="amx")))
    assert "TDPBUSD" in text and "j takes q, i takes k, s e take s c" in text


@pytest.mark.parametrize("packed", [False, True])
def test_an_epilogue_with_operands_of_the_columns_and_of_the_result(packed: bool) -> None:
    n, p, k = ts.axis(2, 7, 20, names="n p k")
    r, c = ts.reduce_axis(3, 6, names="r c")
    x, w = ts.tensor((2, 9, 6), "u8"), ts.tensor((3, 6, 20), "i8")
    program = ts.sum(ts.i32(x[n, p + r, c]) * ts.i32(w[r, c, k]), axis=(r, c))
    scale, beside = ts.tensor((20,), "f32")[k], ts.tensor((2, 7, 20), "f32")[n, p, k]
    kernel = ts.tensorize(
        program,
        dtype="f32",
        epilogue=lambda c, scale, beside: ts.relu(c * scale) + beside,
        operands={"scale": scale, "beside": beside},
    )
    x_, w_ = arrays_of(program, 6)
    rng = np.random.default_rng(7)
    by, more = np.float32(0.25) * rng.integers(1, 9, 20), rng.integers(-9, 9, (2, 7, 20))
    by, more = by.astype(np.float32), more.astype(np.float32)
    wanted = np.maximum(expected(program, x_, w_) * by, 0) + more
    factor = kernel.pack(w_) if packed else w_
    for given in (kernel(x_, factor, by, more), kernel(x_, factor, scale=by, beside=more, threads=2)):
        np.testing.assert_array_equal(given, wanted.astype(np.float32))
    again = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_array_equal(again(x_, w_, by, more), wanted.astype(np.float32))
    kept = pickle.loads(pickle.dumps(kernel.pack(w_)))
    assert kept.array.ctypes.data % 64 == 0 and not kept.array.flags.writeable
    np.testing.assert_array_equal(again(x_, kept, by, more), wanted.astype(np.float32))
    with pytest.raises(TypeError, match="takes further operands: scale, beside; 1 are given"):
        kernel(x_, factor, by)


def test_operands_that_have_no_place_are_refused() -> None:
    program = convolution(TYPES[0])
    n, p, q, k, r, *_ = program.loops
    for words, given in {
        "s depends on loop r, which is no loop of the result": {"s": ts.tensor((3,), "f32")[r]},
        r"s\[p\] of tensor\(\(5,\), 'f32'\) has an element for each place of k": {"s": ts.tensor((5,), "f32")[p]},
        "'t' is no parameter of the epilogue": {"t": ts.tensor((20,), "f32")[k]},
        r"s is an element of a tensor, as ts.tensor\(\(64,\), \"f32\"\)\[k\]": {"s": np.ones(20)},
    }.items():
        with pytest.raises((ValueError, TypeError, UnsupportedError), match=words):
            ts.tensorize(program, epilogue=lambda c, s: c * s, operands=given)
    with pytest.raises(TypeError, match="only an epilogue takes operands="):
        ts.tensorize(program, operands={"s": ts.tensor((20,), "f32")[k]})


@pytest.mark.parametrize("target", ["avx2", "avx512_vnni", "amx", "neon", "sve256", "sme512"])
def test_proofs_of_calls_and_terms(target: str) -> None:
    p, q, k = ts.axis(2, 3, 10, names="p q k")
    r, c = ts.reduce_axis(2, 6, names="r c")
    x, w = ts.tensor((3, 3, 6), "u8"), ts.tensor((2, 6, 10), "i8")
    kernel = ts.tensorize(ts.sum(ts.i32(x[p + r, q, c]) * ts.i32(w[r, c, k]), axis=(r, c)), target=target)
    proof = kernel.verify()
    assert proof, proof
    claims = {each.what: each.how for each in proof.claims}
    assert claims["terms"].startswith("each of the 60 elements of the result is the sum of its terms")


@both_sides
def test_calls_stay_inside_of_their_arrays(side: str) -> None:
    program = convolution(TYPES[1])
    kernel = ts.tensorize(program)
    x, w = arrays_of(program, 8)
    wanted = expected(program, x, w)
    a, y = guarded(x, side, False), guarded(np.zeros(wanted.shape, np.int32), side)
    packed = kernel.pack(guarded(w, side, False))
    for factor in (packed, packed, w):  # the second call goes through machine code
        y[...] = 0
        kernel(a, factor, out=y)
        np.testing.assert_array_equal(y, wanted)
