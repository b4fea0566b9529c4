"""A reduction down the columns of one number, used again beside matrices: a strip of columns was stored as the result,
past its end."""

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded, run_forked
from tilesmith.runtime.host import detect as host

FUNCTIONS = {
    "sum": (lambda x, w, e: (ts.sum(e, axis=0) + w, ts.sum(e, axis=0)), lambda e: 4 * e),
    "largest": (lambda x, w, e: (ts.max(e, axis=0) * w, ts.max(e, axis=0)), lambda e: e),
    "beside elements": (lambda x, w, e: (ts.sum(e, axis=0) * x + w, ts.sum(e, axis=0)), lambda e: 4 * e),
}
SHAPES = {"x": (4, 21), "w": (1, 21), "e": (1, 1)}


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("target", ["sse", "avx2", "avx512", "neon", "sve256"])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.grid(5)
def test_the_result_has_one_element(name: str, target: str, dtype: str) -> None:
    proof = ts.equation(FUNCTIONS[name][0], dtype=dtype, target=target, **SHAPES).verify()
    assert not proof.refuted, str(proof)


@pytest.mark.skipif(bool(host.runs(host.host())), reason="kernels run nowhere here")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_beside_it_is_written(name: str) -> None:
    function, value = FUNCTIONS[name]
    kernel = ts.equation(function, **SHAPES)
    given = {each: np.random.default_rng(1).integers(-5, 6, shape).astype(np.float32) for each, shape in SHAPES.items()}
    number = value(given["e"])
    wanted = {
        "sum": number + given["w"],
        "largest": number * given["w"],
        "beside elements": number * given["x"] + given["w"],
    }[name]

    def call() -> None:
        y, one = (guarded(np.zeros(each, np.float32), "end") for each in (wanted.shape, (1, 1)))
        kernel(*(guarded(given[each.name], "end", writable=False) for each in kernel.spec.inputs), y, one)
        check_canary(one)
        assert np.array_equal(y, wanted) and np.array_equal(one, number)

    assert run_forked(call) == 0
