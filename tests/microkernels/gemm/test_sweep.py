"""Every small shape, with each remainder of rows and columns and both schemes, between guard pages."""

import random

import pytest

from tests.children import survives
from tests.gemm_cases import DTYPES, RUNNING, X86, Case, dense, run
from tests.profiles import is_soak
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.gemm.blocking import Scheme
from tilesmith.microkernels.gemm.plan import plan
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.microkernels.machines.registry import machine_class

EXTENTS = range(1, 36)  # two vectors of 16 elements, and every remainder
DEPTHS = (1, 2, 7, 16, 17)
CORNERS, OTHERS = (1, 16, 17, 35), 2  # columns for every number of rows, and the number of further columns drawn for it

each_dtype = pytest.mark.parametrize("dtype", DTYPES)


def sweep(target, cases):
    """Run all cases in one child process, and one by one if that fails, to name the failing case.

    The kernels are generated in this process, because a child would lose what planners and encoders cache.
    """
    kernels = [case.kernel(target) for case in cases]
    try:
        survives(lambda: [run(case, kernel) for case, kernel in zip(cases, kernels)])
    except AssertionError:
        for case in cases:
            try:
                survives(lambda case=case: run(case, case.kernel(target)))
            except AssertionError as failure:
                raise AssertionError(f"{target}, {case}: {failure}") from failure
        raise


@pytest.mark.slow
@pytest.mark.parametrize("m", EXTENTS)
@each_dtype
@pytest.mark.parametrize("target", RUNNING)
def test_every_small_shape(target, dtype, m):
    """A soak tests every n and depth. Otherwise each m, type and target has the corners and two other n, with one
    depth for each."""
    order = ("F", "F", "F")
    drawn = random.Random(f"{target} {dtype} {m}").sample(EXTENTS, OTHERS)
    columns = EXTENTS if is_soak() else sorted({*CORNERS, *drawn})
    depths = {n: DEPTHS if is_soak() else (DEPTHS[(2 * m + n) % len(DEPTHS)],) for n in columns}
    sweep(target, [dense(Case(m, n, k, dtype, order, seed=n * k)) for n in columns for k in depths[n]])


@pytest.mark.parametrize("target", RUNNING)
def test_every_row_count(target):
    """`make check` runs this part of the sweep: one in forty shapes, with every number of rows."""
    shapes = [(m, EXTENTS[(7 * m + 3 * i) % 35], k) for m in EXTENTS for i, k in enumerate(DEPTHS[m % 2 :: 2])]
    sweep(target, [dense(Case(*shape, DTYPES[sum(shape) % 2], ("F", "F", "F"))) for shape in shapes])


@each_dtype
@pytest.mark.parametrize("target", X86)
def test_the_sweep_reaches_every_tail_and_both_schemes(target, dtype):
    facts = machine_class(TARGETS[target]).facts_of(TARGETS[target])
    specs = [gemm_spec(m, n, k, dtype=dtype, order="F") for m in EXTENTS for n in (3, 35) for k in (7, 17)]
    panels = [panel for spec in specs for panel in plan(spec, facts).panels]
    assert {panel.scheme for panel in panels} == {Scheme.FMA, Scheme.ALONG_K}
    whole = TARGETS[target].vector_bits // 8 // {"f32": 4, "f64": 8}[dtype]
    row_vectors = {count for panel in panels if panel.scheme is Scheme.FMA for count in panel.row_vectors}
    assert row_vectors == set(range(1, whole + 1))
