"""A call of ts.gemm with rows at another distance advised lda=ts.RUNTIME, which ts.gemm refuses."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


def test_what_the_error_advises_works():
    wide, b = np.ones((4, 9), np.float32), np.ones((5, 3), np.float32)
    a = wide[:, :5]
    for make in (ts.gemm, ts.brgemm):
        with pytest.raises(ValueError, match="lda=9, or of ts.brgemm with lda=ts.RUNTIME, takes it; ") as error:
            make(4, 3, 5, beta=0, target="avx2")(a, b)
        assert "ts.dispatch(ts.brgemm) and ts.matmul take any of these layouts" in str(error.value)
        assert (make(4, 3, 5, beta=0, lda=9, target="avx2")(a, b) == 5).all()
    assert (ts.brgemm(4, 3, 5, beta=0, lda=ts.RUNTIME, target="avx2")(a, b) == 5).all()
    assert (ts.dispatch(ts.brgemm, beta=0)(a, b) == 5).all()
    assert (ts.matmul(a, b) == 5).all()
