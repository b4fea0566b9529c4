"""Gathered rows that are converted, scaled and shifted have the bits of numpy's rounding, on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, check, elements, sizes, strided
from tests.eltwise_cases import expected as by_numpy
from tests.guard import SIDES
from tests.kernel_runs import call, few_and_many
from tilesmith.emulation.numerics import fp
from tilesmith.microkernels.dtypes import FLOAT8
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.gather.spec import SPREADS, GatherSpec, gather_spec
from tilesmith.microkernels.operands import RUNTIME
from tilesmith.runtime.api.eltwise import request as primitive
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]
FEW, MANY = 15, 50
TYPES = ("f32", "f64", "bf16", "f16", "i8", "u8", "i16", *FLOAT8)


@st.composite
def requests(draw: st.DrawFn) -> tuple[GatherSpec, int, str]:
    dtype, out = draw(st.sampled_from(TYPES)), draw(st.sampled_from(TYPES))
    gap = draw(st.sampled_from([None, RUNTIME]))
    spec = gather_spec(
        "gather",
        "rows",
        draw(st.integers(1, 9)),
        draw(st.one_of(sizes, st.integers(1, 300))),
        size=draw(st.integers(1, 30)),
        dtype=dtype,
        out=out,
        ldx=gap,
        ldy=gap,
        index=draw(st.sampled_from(["i32", "i64"])),
        bounds=draw(st.sampled_from(["call", "kernel"])),
        scale=draw(st.sampled_from([None, *SPREADS])),
        bias=draw(st.sampled_from([None, *SPREADS])),
        prefetch=draw(st.sampled_from([0, 1, 4, 100])),
    )
    return spec, draw(st.integers(0, 1 << 20)), draw(st.sampled_from(SIDES))


def drawn(spec: GatherSpec, seed: int) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    leading = spec.n + 3 if spec.ldx is RUNTIME else spec.n
    index = rng.integers(0, spec.size, spec.m, numpy_dtype(spec.index))
    if spec.bad is not None:
        index = np.where(rng.random(spec.m) < 0.2, index.dtype.type(-1), index)
    made = {"x": strided(elements(spec.dtype, (spec.size, spec.n), rng), leading), "index": index}
    made |= {each.name: elements(each.dtype, (each.columns,), rng) for each in spec.factors}
    made["y"] = strided(np.ones((spec.m, spec.n), numpy_dtype(spec.out)), leading)
    return made | {"bad": np.zeros(1, np.int64)}


def expected(spec: GatherSpec, given: dict[str, Array]) -> Array:
    """Return the expression in the type of the arithmetic, with FMA, stored as the identity kernel stores it."""
    compute, inside = numpy_dtype(spec.compute), (given["index"] >= 0)
    index = np.where(inside, given["index"], 0)
    with np.errstate(all="ignore"):
        x = given["x"][index].astype(compute)
        spread = {"scalar": lambda f: f, "row": lambda f: f, "col": lambda f: f[index][:, None]}
        scale, bias = (
            spread[way](given[name]) if way else None for name, way in (("scale", spec.scale), ("bias", spec.bias))
        )
        if scale is not None and bias is not None:
            x = fp.fma(np.broadcast_to(scale, x.shape), x, np.broadcast_to(bias, x.shape))
        elif scale is not None:
            x = x * scale
        elif bias is not None:
            x = x + bias
    store = primitive("unary", "identity", *x.shape, dtype=spec.compute, out=spec.out)
    (stored,) = by_numpy(store, {"x": np.ascontiguousarray(x)})
    return np.where(inside[:, None], stored, np.zeros((), stored.dtype))


def one(spec: GatherSpec, seed: int, side: str, name: str, server: Any) -> None:
    given = drawn(spec, seed)
    wanted = expected(spec, given)
    arrays = {each.name: given[each.name] for each in spec.arguments}
    found = call(spec, MACHINES[name], arrays, server, side)
    check([np.ascontiguousarray(found["y"])], [wanted])


test_some, test_many = few_and_many(requests(), one, FEW, MANY)


def test_the_embedding_of_the_amx_chapter():
    """Example 20-25 of Intel's optimization manual: one FMA per row vector, with prefetches some indices ahead."""
    rng = np.random.default_rng(1)
    table, index = rng.standard_normal((50, 16), np.float32), rng.integers(0, 50, 40)
    scale, bias = np.array([0.5], np.float32), np.array([2], np.float32)
    k = ts.gather("rows", 40, 16, size=50, scale="scalar", bias="scalar", prefetch=8)
    assert np.array_equal(k(table, index, scale, bias), table[index] * np.float32(0.5) + np.float32(2))
    listing = Kernel(k.spec, MACHINES["avx512"]).listing()
    assert "prefetcht0" in listing and sum("vfmadd" in line for line in listing.splitlines()) == 1
    assert "prefetch" not in ts.gather("rows", 40, 16, size=50).listing()


def test_what_is_not_converted():
    with pytest.raises(UnsupportedError, match="only gathered rows"):
        ts.gather("columns", 3, 4, size=5, out="f64")
    with pytest.raises(UnsupportedError, match="only gathered rows"):
        gather_spec("scatter", "rows", 3, 4, size=5, scale="row")
    with pytest.raises(ValueError, match="scale"):
        ts.gather("rows", 3, 4, size=5, scale="column")
    with pytest.raises(UnsupportedError, match="converted elements"):
        ts.gather("rows", 3, 4, size=5, dtype="c64", out="f32")
    with pytest.raises(ValueError, match="prefetch"):
        ts.gather("rows", 3, 4, size=5, prefetch=-1)
    for target in ("sse", "avx"):
        with pytest.raises(UnsupportedError, match="scale and bias together .* in f64 .* scale or bias alone works"):
            ts.gather("rows", 3, 4, size=5, dtype="f64", scale="col", bias="row", target=target)
