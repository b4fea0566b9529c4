"""Results that go to memory are stored past the caches: the same bits, and no byte beside the result."""

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host import detect as host

ROWS, COLUMNS = 3200, 1024
"""The f32 operands of a norm take 26 MB: streaming stores begin at 24 MiB or sooner, on every host that has them."""
RNG = np.random.default_rng(5)

MACHINES = [name for name in ("sse", "avx", "avx2", "avx512") if not host.runs(TARGETS[name])]


def streams(kernel):
    listing = kernel.listing()
    assert ("movntps" in listing) == ("sfence" in listing) == ("stored past the caches" in str(kernel.plan))
    return "movntps" in listing


def placed(array, offset):
    """Return a copy that begins `offset` bytes behind a cache line."""
    room = np.empty(array.nbytes + 128, np.uint8)
    start = -room.__array_interface__["data"][0] % 64 + offset
    made = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


@pytest.mark.parametrize("dtype, rows", (("f32", ROWS), ("f64", ROWS // 2)))
@pytest.mark.parametrize("target", MACHINES)
def test_the_bits_do_not_depend_on_the_alignment(target, dtype, rows):
    kernel = ts.fused("layernorm", rows, COLUMNS, dtype=dtype, target=target)
    assert streams(kernel)
    few = ts.fused("layernorm", 4, COLUMNS, dtype=dtype, target=target)
    assert not streams(few)
    x = RNG.standard_normal((rows, COLUMNS)).astype(np.float32 if dtype == "f32" else np.float64)
    gamma, beta = np.linspace(1, 2, COLUMNS, dtype=x.dtype), np.linspace(-1, 1, COLUMNS, dtype=x.dtype)
    made = [placed(np.zeros_like(x), offset) for offset in (0, 16, 32, 8)]
    for y in made:
        kernel(x, gamma, beta, y)
    assert all(np.array_equal(made[0], each) for each in made[1:])
    for first in (0, rows // 2, rows - 4):
        assert np.array_equal(made[0][first : first + 4], few(x[first : first + 4], gamma, beta))
    wide = x[-4:].astype(np.longdouble)
    exact = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * gamma + beta
    assert np.allclose(made[0][-4:].astype(float), exact.astype(float), rtol=0, atol=1e-5 if dtype == "f32" else 1e-13)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("gap", (0, 4, 3))
@pytest.mark.parametrize("target", MACHINES[-1:])
def test_memory_beside_the_result(target, gap, side):
    """Rows that begin at no multiple of 16 bytes are stored as usual."""
    kernel = ts.fused("rmsnorm", ROWS, COLUMNS, ldy=COLUMNS + gap, target=target)
    assert streams(kernel) == (gap % 4 == 0)
    x, gamma = RNG.standard_normal((ROWS, COLUMNS), np.float32), np.ones(COLUMNS, np.float32)
    y = guarded(np.full((ROWS, COLUMNS + gap), 7, np.float32), side, writable=True)
    kernel(x, gamma, y[:, :COLUMNS])
    check_canary(y)
    few = ts.fused("rmsnorm", 4, COLUMNS, target=target)
    for first in (0, ROWS - 4):
        assert np.array_equal(y[first : first + 4, :COLUMNS], few(x[first : first + 4], gamma))
    assert np.all(y[:, COLUMNS:] == 7)


def test_results_that_share_memory_with_an_operand():
    kernel, few = ts.fused("rmsnorm", ROWS, COLUMNS), ts.fused("rmsnorm", 4, COLUMNS)
    x, gamma = RNG.standard_normal((ROWS, COLUMNS), np.float32), np.ones(COLUMNS, np.float32)
    exact = few(x[-4:], gamma)
    kernel(x, gamma, x)
    assert np.array_equal(x[-4:], exact)


@pytest.mark.parametrize(
    "request_",
    (
        ("softmax", ROWS, COLUMNS, {}),  # its result holds the powers meanwhile
        ("rmsnorm", ROWS, COLUMNS + 1, {}),  # the last vector of a row is partial
        ("rmsnorm", ROWS, COLUMNS, {"dtype": "bf16"}),
        ("rmsnorm", ROWS, COLUMNS, {"target": "neon"}),
        ("rmsnorm", 64, COLUMNS, {}),
    ),
    ids=str,
)
def test_kernels_without_streaming_stores(request_):
    name, rows, columns, more = request_
    assert not streams(ts.fused(name, rows, columns, **{"target": "avx2", **more}))
