"""Random programs against numpy in f64, with bounds that are carried along."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.profiles import scaled
from tests.runtime.graph.programs import programs
from tilesmith.runtime.graph.compiled import compile


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16], ids=lambda d: np.dtype(d).name)
@given(data=st.data())
@settings(max_examples=scaled(25, 100_000), deadline=None)
def test_programs(dtype, data):
    graph, inputs, results = data.draw(programs(dtype))
    compiled = compile(graph)
    made = compiled(*inputs)
    for found, known in zip(made if isinstance(made, tuple) else (made,), results):
        assert found.shape == known.exact.shape and found.dtype == np.dtype(dtype)
        wrong = np.abs(found.astype(np.float64) - known.exact) > known.error + 1e-300
        assert not wrong.any(), f"{graph}\n{compiled}\n{found}\n{known.exact}\n{known.error}"
