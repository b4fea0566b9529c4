"""Plans and the code generated from them are complete, reproducible, printable and of bounded size."""

import hashlib
import os
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.gemm_cases import DTYPES, cases
from tests.profiles import quick, scaled
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.gemm.plan import Prepacked
from tilesmith.microkernels.prepack.operand_plan import OperandPrepackPlan
from tilesmith.runtime.kernel.callable import Kernel

LARGEST_CODE = 32 << 10  # bytes of what a call executes of any kernel up to 512 x 512 x 512: a level-1 cache holds it


def bodies(batch):
    """A kernel of a batch that the call counts has a second body, for pairs of more than 4,096 terms."""
    return 1 + (batch in (ts.STRIDE, ts.OFFSET, ts.ADDRESS))


each_dtype = pytest.mark.parametrize("dtype", DTYPES)
each_target = pytest.mark.parametrize("target", TARGETS)
LARGE = st.fixed_dictionaries(dict.fromkeys("mnk", st.integers(1, 512) | st.sampled_from((1, 17, 157, 511, 512))))


def generate(case, target):
    """Generate a kernel anew, without the cache."""
    return Kernel(ts.gemm_spec(**case.request), TARGETS[target])


# Plans


@each_target
@each_dtype
def test_panels_and_blocks_cover_c(dtype, target):
    @settings(max_examples=scaled(10, 1000))
    @given(cases(dtype))
    def test(case):
        plan = case.kernel(target).plan
        if isinstance(plan, Prepacked):
            return  # its products are GemmPlans of other requests
        product = plan.product
        if case.batch == 0 and case.beta == 1:
            assert not plan.panels  # C = C + nothing needs no code
            return
        assert sorted((product.m, product.n)) == sorted((case.m, case.n))
        assert sum(panel.rows * panel.repeat for panel in plan.panels) == product.m
        for panel in plan.panels:
            assert sum(block.columns * block.repeat for block in panel.blocks) == product.n
            assert panel.rows == sum(panel.row_vectors) and min(panel.row_vectors) > 0

    test()


@each_target
def test_plan_prints(target):
    plan = ts.brgemm(35, 9, 64, order="F", batch=ts.STRIDE, alpha=2, target=target).plan
    text = str(plan)
    assert text.startswith(str(plan.spec))
    assert text.count("panel") == len(plan.panels)
    assert len(re.findall(r"\[\d+ accumulators", text)) == sum(len(panel.blocks) for panel in plan.panels)
    for panel in plan.panels:
        assert f"{panel.rows} rows ({panel.scheme.value}, {'+'.join(map(str, panel.row_vectors))})" in text
    assert re.search(r"k 64, batch stride", text)
    assert "column-major; vectors along m of A" in text
    assert "alpha 2, beta 1" in text
    assert re.search(r"about \d+ cycles", text)


@each_target
def test_plan_says_that_a_row_major_product_is_transposed(target):
    text = str(ts.brgemm(9, 35, 64, target=target).plan)
    assert "C' = B' A'" in text and "vectors along n of B" in text


@each_target
def test_plan_says_what_becomes_of_c(target):
    """Only with alpha = beta = 1 can the sum start with C, and it does so unless successive calls would wait for each
    other."""
    for size in (4, 200):
        for alpha in (1, 2):
            assert "C not read" in str(ts.brgemm(size, size, size, alpha=alpha, beta=0, target=target).plan)
        for alpha, beta in ((1, 0.5), (2, 0.5), (2, 1)):
            text = str(ts.brgemm(size, size, size, alpha=alpha, beta=beta, target=target).plan)
            assert "C added to the finished sum" in text
    assert "C starts the accumulators" in str(ts.brgemm(200, 200, 200, target=target).plan)
    assert "C added to the finished sum" in str(ts.brgemm(4, 4, 4, target=target).plan)


# Bytes


@each_target
@each_dtype
def test_the_same_request_gives_the_same_bytes(dtype, target):
    @settings(max_examples=scaled(3, 400))
    @given(cases(dtype))
    def test(case):
        first, second = generate(case, target), generate(case, target)
        assert first is not second
        assert first.code == second.code and str(first.plan) == str(second.plan)
        assert first.name == second.name and first.listing("gas") == second.listing("gas")

    test()


DIGEST = """
import hashlib, itertools, tilesmith as ts
digest = hashlib.sha256()
batches = None, 3, ts.STRIDE, ts.OFFSET, ts.ADDRESS
for (m, n, k), dtype, batch, target in itertools.product(
    ((9, 35, 15), (1, 40, 33)), ("f32", "f64"), batches, ("avx2", "avx512")
):
    for leading in (None, ts.RUNTIME):
        kernel = ts.brgemm(m, n, k, dtype=dtype, batch=batch, lda=leading, ldb=leading, target=target)
        digest.update(kernel.code + repr(kernel.plan).encode() + kernel.name.encode() + kernel.listing().encode())
print(digest.hexdigest())
"""


@pytest.mark.seconds
def test_the_bytes_do_not_depend_on_the_process(tmp_path):
    """Each process iterates sets of strings in another order, which must not change the bytes."""
    found = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("0", "12345")
    }
    assert len(found) == 1
    assert re.fullmatch(r"[0-9a-f]{64}\n", found.pop())


def test_kernels_of_other_requests_have_other_bytes():
    """Shapes, factors and batches are part of the code."""
    changes = [
        {},
        {"m": 10},
        {"n": 34},
        {"k": 16},
        {"dtype": "f64"},
        {"order": "F"},
        {"lda": 16},
        {"ldb": 36},
        {"ldc": 36},
        {"ldc": ts.RUNTIME},
        {"batch": 2},
        {"batch": ts.STRIDE},
        {"alpha": 2},
        {"alpha": 3},
        {"beta": 0},
        {"beta": 2},
        {"target": "avx512"},
    ]
    codes = [ts.brgemm(**{"m": 9, "n": 35, "k": 15, "target": "avx2", **change}).code for change in changes]
    assert len({hashlib.sha256(code).digest() for code in codes}) == len(changes)


# Size

# The largest code found by 40,000 random requests and by hill climbing from the largest of them
LARGEST_FOUND = [
    {"m": 291, "n": 147, "k": 157, "order": "F", "batch": ts.OFFSET, "alpha": 2, "beta": 2},
    {"m": 451, "n": 131, "k": 157, "batch": ts.OFFSET, "alpha": 2, "beta": 2},
    {"m": 9, "n": 323, "k": 185, "lda": 513, "batch": 3, "beta": 2},
    {"m": 35, "n": 479, "k": 146, "order": "F", "lda": 600, "ldc": 513, "batch": ts.OFFSET, "alpha": 2},
    {"m": 333, "n": 139, "k": 301, "dtype": "f64", "lda": 600, "batch": ts.STRIDE, "alpha": 2, "beta": 2},
]


@each_target
@pytest.mark.parametrize("request_", LARGEST_FOUND, ids=str)
def test_largest_code_known(request_, target):
    assert len(ts.brgemm(**request_, target=target).code) <= bodies(request_.get("batch")) * LARGEST_CODE


def sizes_are_bounded(dtype, target, examples):
    """Generation succeeds for every supported request of any size, and the code stays small."""

    @settings(max_examples=examples)
    @given(cases(dtype, sizes=LARGE))
    def test(case):
        kernel = generate(case, target)
        products = 2 if isinstance(kernel.plan, OperandPrepackPlan) else 1  # of whole blocks, and of the rest
        assert len(kernel.code) <= products * bodies(case.batch) * LARGEST_CODE

    test()


@each_target
@each_dtype
def test_code_size(dtype, target):
    sizes_are_bounded(dtype, target, quick(10))


@pytest.mark.slow
@each_target
@each_dtype
def test_code_size_of_many(dtype, target):
    sizes_are_bounded(dtype, target, scaled(10, 10_000))


@each_target
@pytest.mark.parametrize("shape", [(1 << 20, 1, 1), (1, 1 << 20, 1), (1, 1, 1 << 20), (1 << 20,) * 3], ids=str)
def test_the_largest_problems_loop(shape, target):
    """Distances of more than 2 GiB do not fit in an immediate or a displacement."""
    for order in ("C", "F"):
        for batch in (None, 3, 1 << 40):
            kernel = ts.brgemm(*shape, dtype="f64", order=order, batch=batch, target=target)
            assert len(kernel.code) <= LARGEST_CODE


@each_target
@pytest.mark.parametrize("order", ["C", "F", ("F", "C", "F"), ("F", "C", "C")], ids="".join)
def test_the_largest_leading_dimensions_loop(order, target):
    wide = dict.fromkeys(("lda", "ldb", "ldc"), 1 << 20)
    for shape in ((512, 512, 512), (1, 512, 512), (512, 1, 512), (512, 512, 1), (3, 5, 512), (35, 35, 35)):
        for batch in (None, 2, ts.ADDRESS):
            assert (
                len(ts.brgemm(*shape, dtype="f64", order=order, batch=batch, **wide, target=target).code)
                <= bodies(batch) * LARGEST_CODE
            )


# Columns of B that share a set of L1, and blocks of A without gaps


@pytest.mark.parametrize("lda, most", [(2048, 9), (1024, 9), (512, 18), (1040, 28), (1000, 28)])
def test_rows_that_share_a_cache_set_are_few_in_a_block(lda, most):
    """If the distance between rows of A is a multiple of 4096 bytes, each row of a block has its lines in the same set
    of L1, which has eight ways."""
    for m, n in ((16, 16), (24, 16), (100, 32), (72, 48)):
        panels = ts.brgemm(m, n, 500, lda=lda, target="avx512").plan.panels
        found = [block.columns for panel in panels for block in panel.blocks]
        assert max(found) <= most, (m, n, found)
    alone = ts.brgemm(24, 16, 500, lda=lda, target="avx512").plan.panels[0].blocks[0].columns
    assert alone == {9: 8, 18: 12}.get(most, 24)


def test_a_narrow_matrix_is_read_by_one_panel():
    """Panels of 32 and 16 columns would read 128 and 64 bytes of each row of B, and skip the rest."""
    for dtype, n in (("f32", 48), ("f64", 24)):
        (panel,) = ts.brgemm(32, n, 1000, dtype=dtype, target="avx512").plan.panels
        assert panel.rows == n and [block.columns for block in panel.blocks] == [8]


def test_a_matrix_by_a_vector_reads_few_far_rows_at_a_time():
    """Rows that L1 does not hold are read eight at a time, and prefetched if L2 does not hold them either."""
    near, far, farthest = (ts.brgemm(m, 1, k, beta=0, target="avx512") for m, k in ((16, 64), (64, 1024), (4096, 1024)))
    assert "16 columns [16 accumulators" in str(near.plan)
    assert "8 x 8 columns [8 accumulators" in str(far.plan) and "prefetched" not in str(far.plan)
    assert "512 x 8 columns" in str(farthest.plan)
    assert "lines of A are prefetched 128 steps of k ahead, into L1" in str(farthest.plan)
    assert farthest.listing().count("prefetcht0") == 64, "one for each line that a turn of the loop reads"
    quiet = ts.brgemm(4096, 1, 1024, beta=0, target="avx512", prefetch="")
    assert "prefetched" not in str(quiet.plan)
    asked = ts.brgemm(16, 1, 64, beta=0, target="avx2", prefetch="a")
    assert asked.listing().count("prefetcht1") == 8 * 4, "one for each line of two vectors, in a block of 8 rows"
