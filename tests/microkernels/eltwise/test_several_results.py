"""Several results in the memory of their inputs: each may be the array of any input with the same layout.

The results have the bits of numpy's evaluation of the expressions on copies. Kernels are called natively between guard
pages if this processor runs them, else emulated.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, NATIVE, check, expected, inputs_of, sizes
from tests.guard import check_canary, guarded
from tests.profiles import scaled
from tilesmith.microkernels.expr.graph import constant
from tilesmith.runtime.kernel.callable import Kernel


class Step(NamedTuple):
    """A function with several results, and the types of its operands."""

    function: Any
    inputs: dict[str, str]
    out: Any = None


def split_sgd(high: Any, low: Any, g: Any) -> Any:
    return ts.unpack(ts.pack(high, low) - 0.125 * g)


def momentum(w: Any, v: Any, g: Any) -> Any:
    v = 0.875 * v + g
    return w - 0.0625 * v, v


def adam(w: Any, m: Any, v: Any, g: Any) -> Any:
    m, v = 0.75 * m + 0.25 * g, 0.875 * v + 0.125 * (g * g)
    return w - 0.5 * m / (ts.sqrt(v) + 0.5), m, v


STEPS = {
    "swap": Step(lambda x, y: (y, x), {"x": "f32", "y": "f32"}),
    "rotate": Step(lambda x, y, z: (y, z, constant(1.0, "f64")), {"x": "f64", "y": "f64", "z": "f64"}),
    "rotate bytes": Step(lambda x, y, z: (z, x, y), {"x": "i8", "y": "i8", "z": "i8"}),
    "masks": Step(lambda x, a, b: (b & (x < 0.5), a), {"x": "f32", "a": "bits", "b": "bits"}, ("bits",) * 2),
    "split sgd": Step(split_sgd, {"high": "bf16", "low": "u16", "g": "f32"}, ("bf16", "u16")),
    "momentum": Step(momentum, {"w": "f32", "v": "f32", "g": "f32"}),
    "adam": Step(adam, {"w": "f64", "m": "f64", "v": "f64", "g": "f64"}),
    "mixed": Step(lambda x, n: (ts.relu(x), n + 1), {"x": "f32", "n": "i32"}, ("f32", "i32")),
}


def spec_of(step: Step, m: int, n: int) -> Any:
    return ts.eltwise_spec(step.function, "step", dict.fromkeys(step.inputs, (m, n)), dtype=step.inputs, out=step.out)


def called(spec: Any, name: str, arrays: dict[str, Any], over: dict[str, str]) -> list[Any]:
    """Return the outputs of a call. `over` names the input whose array each output overwrites."""
    kernel = Kernel(spec, MACHINES[name])
    if name in NATIVE:
        held = {x: guarded(array, "end", writable=x in over.values()) for x, array in arrays.items()}
        outputs = [held[over[y.name]] for y in spec.outputs]
        kernel(*held.values(), *outputs)
        for each in outputs:
            check_canary(each)
    else:
        outputs = [arrays[over[y.name]] for y in spec.outputs]
        kernel.run(*arrays.values(), *outputs)
    return outputs


@pytest.mark.parametrize("name", MACHINES)
def test_every_way_over_the_inputs(name):
    @settings(max_examples=scaled(20, 20))
    @given(st.sampled_from(list(STEPS)), st.integers(1, 5), sizes, st.integers(0, 99))
    def test(step, m, n, seed):
        spec = spec_of(STEPS[step], m, n)
        layouts = {x.name: x._replace(name="", output=False) for x in (*spec.inputs, *spec.outputs)}
        ways = [
            dict(zip([y.name for y in spec.outputs], inputs))
            for inputs in permutations([x.name for x in spec.inputs], len(spec.outputs))
        ]
        ways = [over for over in ways if all(layouts[y] == layouts[x] for y, x in over.items())]
        assert ways, "the step has a way over its inputs"
        over = ways[seed % len(ways)]
        assert set(over.values()) <= set(spec.in_place)
        arrays = inputs_of(spec, np.random.default_rng(seed))
        wanted = expected(spec, {x: array.copy() for x, array in arrays.items()})
        check(called(spec, name, arrays, over), wanted)

    test()


def test_no_result_is_stored_before_the_last_load():
    """A vector's loads all precede its stores, whatever order the expression needs them in."""
    kernel = Kernel(spec_of(STEPS["momentum"], 1, 16), MACHINES["avx512"])
    moves = [line for line in kernel.listing().splitlines() if "vmovups" in line]
    stores = ["vmovups zmmword ptr" in line for line in moves]
    assert sum(stores) == 2 and stores == sorted(stores)


def test_two_results_are_never_one_array():
    k = ts.equation(momentum, w=(3, 5), v=(3, 5), g=(3, 5))
    w, v, g = (np.ones((3, 5), np.float32) for _ in "wvg")
    z = np.zeros((6, 5), np.float32)
    with pytest.raises(ValueError, match="y0: must not overlap y1"):
        k(w, v, g, w, w)
    with pytest.raises(ValueError, match="overlap"):
        k(z[:3], z[3:], z[1:4], z[:3], z[3:])
    assert "An output may be the same array as w or v or g." in k.__doc__


def test_results_that_are_left_out_are_new_arrays():
    k = ts.equation(momentum, w=(3, 5), v=(3, 5), g=(3, 5))
    w, v, g = (np.full((3, 5), value, np.float32) for value in (1, 2, 3))
    new_w, new_v = k(w, v, g)
    assert (new_v == 4.75).all() and (new_w == 1 - 4.75 / 16).all() and (w == 1).all() and (v == 2).all()
    assert k(w, v, g, None, None)[1][0, 0] == 4.75 and k.run(w, v, g)[1][0, 0] == 4.75
    given = k(w, v, g, out=(w, v))
    assert given[0] is w and given[1] is v and (v == 4.75).all()
    with pytest.raises(TypeError, match=r"out: a tuple of 2 arrays \(y0, y1\), not ndarray"):
        k(w, v, g, out=w)
    with pytest.raises(TypeError, match="y1"):
        k(w, v, g, w)


def test_the_halves_of_f32_in_traced_functions():
    """unpack and pack are inverses, and 16-bit integers are never converted to floats."""
    spec = spec_of(STEPS["split sgd"], 7, 33)
    assert all(step.op != "to_float" for step in spec.program.steps)
    listing = Kernel(spec, MACHINES["avx512"]).listing()
    assert "vcvt" not in listing and "vpaddd" not in listing
    drop = ts.equation(lambda x: ts.dropout_mask(x, 0.5), x=(4, 64))
    x = np.ones((4, 64), np.float32)
    y, mask = drop(x, 7)
    assert np.array_equal(np.unpackbits(mask, bitorder="little").reshape(4, 64), y != 0)
    usual = ts.unary("dropout_mask", 4, 64, rate=0.5, out=("f32", "bits"))
    assert all(np.array_equal(a, b) for a, b in zip(usual(x, 7), (y, mask)))
    bits = ts.equation(lambda x: x * 0 + ts.random(), x=(4, 64), dtype="i32")
    assert np.array_equal(bits(np.zeros((4, 64), np.int32), 7), ts.unary("random", 4, 64)(7))


def test_two_equal_masks_do_not_share_their_byte():
    """A vector of four elements fills half a byte of each mask, so each mask needs a register of its own to combine
    halves."""
    spec = ts.eltwise_spec(lambda x: (x < 0.5, x < 0.5), "masks", {"x": (3, 13)}, dtype="f64")
    arrays = inputs_of(spec, np.random.default_rng(1))
    found = Kernel(spec, MACHINES["avx2"]).run(arrays["x"])
    check(list(found), expected(spec, arrays))
