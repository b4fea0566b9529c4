"""BRGEMM kernels with every feature of a request against numpy in higher precision, between guard pages."""

import pytest
from hypothesis import given, settings

from tests.children import in_one_child, survives
from tests.gemm_cases import DTYPES, RUNNING, cases, run
from tests.profiles import quick, scaled

FEW, MANY = quick(25), scaled(25, 10_000)

each_dtype = pytest.mark.parametrize("dtype", DTYPES)
each_target = pytest.mark.parametrize("target", (*RUNNING, None), ids=str)
CASES = {dtype: cases(dtype) for dtype in DTYPES}


@each_target
@each_dtype
def test_some(dtype, target):
    @settings(max_examples=FEW)
    @given(CASES[dtype])
    def test(case):
        kernel = case.kernel(target)
        survives(lambda: run(case, kernel))

    in_one_child(test)


@pytest.mark.slow
@each_target
@each_dtype
@pytest.mark.grid(4)
def test_many(dtype, target):
    @settings(max_examples=MANY)
    @given(CASES[dtype])
    def test(case):
        kernel = case.kernel(target)
        survives(lambda: run(case, kernel))

    in_one_child(test)
