"""Reductions over compressed rows with second operands, positions and ranges of rows, on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.eltwise_cases import MACHINES, sizes, strided
from tests.guard import SIDES
from tests.kernel_runs import call, few_and_many, server_for
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.gather.bag_spec import COMBINED, DOT, EACH, NAMES, SECONDS, BagSpec, bag_spec
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]
COMBINE = {"mul": np.multiply, "add": np.add, "sub": np.subtract, "div": np.divide}
REDUCE = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}


@st.composite
def requests(draw: st.DrawFn) -> tuple[BagSpec, int, str]:
    n, second = draw(st.one_of(sizes, st.integers(1, 170))), draw(st.sampled_from(SECONDS))
    name = draw(st.sampled_from((*NAMES, EACH)))
    weights = not second and draw(st.booleans())
    combined = [each for each in COMBINED if each != DOT or (name == EACH and second)]
    spec = bag_spec(
        draw(st.integers(1, 5)),
        n,
        size=draw(st.integers(1, 9)),
        count=draw(st.integers(1, 25)),
        dtype=draw(st.sampled_from(["f32", "f64", "bf16", "f16"])),
        index=draw(st.sampled_from(["i32", "i64"])),
        weights=weights,
        prefetch=draw(st.sampled_from([0, 3])),
        bounds=draw(st.sampled_from(["call", "kernel"])),
        ldx=n + draw(st.sampled_from([0, 3])),
        ldy=n + draw(st.sampled_from([0, 5])),
        name=name,
        combine=draw(st.sampled_from(combined)) if second or weights else "mul",
        second=second,
        second_size=draw(st.integers(1, 7)) if second == "table" else 1,
        ldt=n + draw(st.sampled_from([0, 2])) if second else None,
        arg=name in ("max", "min") and draw(st.booleans()),
        ranged=draw(st.booleans()),
    )
    return spec, draw(st.integers(0, 1 << 20)), draw(st.sampled_from(SIDES))


def drawn(spec: BagSpec, seed: int) -> dict[str, Array]:
    """Return operands with small whole numbers, so that sums are exact, equal numbers are many, and some are infinite.
    If the kernel checks bounds, some indices lie outside."""
    rng = np.random.default_rng(seed)
    made: dict[str, Array] = {}
    for each in spec.arguments:
        dtype = numpy_dtype(each.dtype)
        if each.name in ("index", "index_t"):
            size = spec.size if each.name == "index" else spec.second_size
            index = rng.integers(0, size, each.shape, dtype)
            if spec.bounds == "kernel" and rng.integers(0, 2):
                ends = np.iinfo(dtype)
                wrong = rng.choice(np.array([-1, size, ends.min, ends.max], dtype), each.shape)
                index = np.where(rng.random(each.shape) < 0.2, wrong, index)
            made[each.name] = index
        elif each.name == "offsets":
            made[each.name] = np.sort(rng.integers(0, spec.count + 1, each.shape))
        elif each.name == "ranges":
            made[each.name] = np.sort(rng.integers(0, spec.bags + 1, 2))
        elif each.output:
            made[each.name] = np.full(each.shape, 7, dtype)
        else:
            values = rng.choice([-4.0, -2, -1, 1, 2, 4, -np.inf if spec.name == "max" else 1], each.shape)
            made[each.name] = values.astype(dtype)
    for name, leading in (("x", spec.ldx), ("t", spec.ldt), ("y", spec.ldy), ("arg", spec.ldy)):
        if name in made:
            made[name] = strided(made[name], leading)
    return made


def terms_of(spec: BagSpec, given: dict[str, Array]) -> tuple[Array, Array]:
    """Return the term of each entry in f64, and which entries name rows inside."""
    inside = (given["index"] >= 0) & (given["index"] < spec.size)
    row_of = np.searchsorted(given["offsets"], np.arange(spec.count), side="right") - 1
    made = given["x"].astype(np.float64)[np.where(inside, given["index"], 0)]
    other: Array | None = given["weights"][:, None] if spec.weighted else None
    if spec.second == "table":
        named = (given["index_t"] >= 0) & (given["index_t"] < spec.second_size)
        other, inside = given["t"][np.where(named, given["index_t"], 0)], inside & named
    elif spec.second:
        other = given["t"] if spec.second == "entries" else given["t"][np.clip(row_of, 0, spec.bags - 1)]
    if other is not None:
        combine = COMBINE["mul" if spec.dot else spec.combine]
        made = combine(made, other.astype(np.float64))
    return (made.sum(1, keepdims=True) if spec.dot else made), inside


def expected(spec: BagSpec, given: dict[str, Array]) -> dict[str, Array]:
    """Compute the results by definition, in f64."""
    terms, inside = terms_of(spec, given)
    y, arg, seen = given["y"].astype(np.float64), given.get("arg", np.zeros(0)).copy(), []
    first, last = given["ranges"] if spec.ranged else (0, spec.bags)
    for row in range(first, last):
        entries = np.arange(*given["offsets"][row : row + 2])
        good = entries[inside[entries]]
        seen += entries[~inside[entries]].tolist()
        if spec.each:
            y[good] = terms[good]
            continue
        y[row] = 0
        if len(good):
            total = REDUCE[spec.name](terms[good], axis=0)
            y[row] = total * len(good) / len(entries) if spec.name == "mean" else total
        elif len(entries) and spec.name in ("max", "min"):
            y[row] = -np.inf if spec.name == "max" else np.inf
        if spec.arg:
            arg[row] = -1
            if len(entries):
                order = (np.argmax if spec.name == "max" else np.argmin)(terms[good], axis=0) if len(good) else 0
                arg[row] = good[order] if len(good) else entries[0]
                if len(good):  # where nothing exceeds the infinity that it starts with, it is the first entry
                    arg[row] = np.where(y[row] == (-np.inf if spec.name == "max" else np.inf), entries[0], arg[row])
    return {"y": y, "arg": arg, "bad": np.array([min(seen, default=-1)])}


def one(spec: BagSpec, seed: int, side: str, name: str, server: Any) -> None:
    given = drawn(spec, seed)
    with np.errstate(invalid="ignore"):
        wanted = expected(spec, given)
    found = call(
        spec,
        MACHINES[name],
        {key: each.copy() if each.ndim == 1 else each for key, each in given.items()},
        server,
        side,
    )
    for key, each in found.items():
        if key == "y":  # a mean is rounded once, and so is a quotient of powers of two
            np.testing.assert_allclose(each.astype(np.float64), wanted["y"], rtol=1e-6, err_msg=str(spec))
        else:
            np.testing.assert_array_equal(each, wanted[key], err_msg=str(spec))


test_some, test_many = few_and_many(requests(), one, 8, 24)


@pytest.mark.parametrize("target", ["avx2", "neon", "sve128"])
@pytest.mark.parametrize("name", ["max", "min"])
def test_nan_and_zeros_of_both_signs(target: str, name: Any) -> None:
    """The position is that of the first NaN, else of the first of equal numbers, as -0 and 0 are."""
    x = np.array([[1, np.nan, -0.0], [np.nan, np.nan, 0.0], [3, 2, -0.0]], np.float32)
    spec = bag_spec(1, 3, size=3, count=3, name=name, arg=True)
    y, arg = Kernel(spec, TARGETS[target]).run(x, np.array([0, 1, 2]), np.array([0, 3]))
    np.testing.assert_array_equal(y, [[np.nan, np.nan, 0]])
    assert arg.dtype == np.int32 and arg.tolist() == [[1, 0, 0]] and np.signbit(y[0, 2])


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16"])
@pytest.mark.parametrize("name", ["avx2", "avx512", "neon", "sve256"])
def test_long_dot_products(name: str, dtype: str, request: pytest.FixtureRequest) -> None:
    """More columns than the accumulators hold, and a rest."""
    spec = bag_spec(2, 517, size=4, count=5, dtype=dtype, name=EACH, combine=DOT, second="rows")
    one(spec, 1, "end", name, server_for(name, request))


@pytest.mark.parametrize(
    ("error", "match", "asked"),
    [
        (UnsupportedError, "not together with second", {"weights": True, "second": "rows"}),
        (ValueError, "combine: 'add' needs a second operand", {"combine": "add"}),
        (ValueError, "arg: only of", {"arg": True}),
        (UnsupportedError, 'needs name="each"', {"combine": "dot", "second": "rows"}),
        (UnsupportedError, "dtype: f64, f32", {"second": "rows", "dtype": "i8"}),
        (UnsupportedError, "n: at most", {"n": 20_000, "second": "rows", "combine": "dot", "name": "each"}),
        (ValueError, "second: ", {"second": "columns"}),
    ],
)
def test_refusals(error: type[Exception], match: str, asked: dict[str, Any]) -> None:
    with pytest.raises(error, match=match):
        bag_spec(2, **{"n": 3, "size": 4, "count": 3, **asked})
