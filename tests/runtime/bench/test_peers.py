"""The libraries that benchmarks compare with compute the operation for which they are timed."""

import numpy as np
import pytest

from tests.oracles.tools import missing
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.bench import measure
from tilesmith.runtime.bench.peers import products as peers
from tilesmith.runtime.host import detect as host

SHAPES = [(64, 6, 64, 0), (13, 7, 5, 0), (1, 64, 64, 0), (64, 1, 64, 0), (9, 35, 15, 3), (32, 32, 32, 16), (8, 8, 8, 1)]
DTYPES = [np.float32, np.float64]


def column_major(shape, dtype, seed):
    """Return random matrices whose last two axes are column-major."""
    swapped = (*shape[:-2], shape[-1], shape[-2])
    return np.random.default_rng(seed).uniform(-1, 1, swapped).astype(dtype).swapaxes(-1, -2)


def operands(m, n, k, batch, dtype):
    some = (batch,) if batch else ()
    return column_major((*some, m, k), dtype, 1), column_major((*some, k, n), dtype, 2), column_major((m, n), dtype, 3)


def product(a, b):
    products = a.astype(np.float64) @ b.astype(np.float64)
    return products if a.ndim == 2 else products.sum(0)


def close(found, wanted, terms, dtype):
    """Compare within a bound: operands are below 1, so a sum of `terms` products errs by at most terms**2 roundings."""
    return abs(found - wanted).max() <= (terms + 1) ** 2 * np.finfo(dtype).eps


def libxsmm(*arguments, **keywords):
    try:
        return peers.libxsmm_gemm(*arguments, **keywords)
    except peers.BaselineMissing as error:
        missing(str(error))


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda target: target.name)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_libxsmm_is_called_as_it_expects(target, shape, dtype, beta):
    if host.runs(target):
        pytest.skip(host.runs(target))
    a, b, c = operands(*shape, dtype)
    wanted = product(a, b) * 2 ** int(beta) + beta * c
    call = libxsmm(target, c, a, b, beta=beta)
    call.run(2)
    assert close(c, wanted, shape[2] * max(1, shape[3]), dtype)


def test_a_kernel_of_libxsmm_is_found_again():
    a, b, c = operands(8, 8, 8, 0, np.float32)
    first = libxsmm(TARGETS["avx2"], c, a, b)
    assert libxsmm(TARGETS["avx2"], c, a, b).address == first.address


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_numpy_computes_the_same_product(shape, dtype):
    a, b, c = operands(*shape, dtype)
    peers.numpy_gemm(c, a, b).run(2)
    assert close(c, product(a, b), shape[2] * max(1, shape[3]), dtype)


def test_numpy_is_held_to_one_thread():
    found = peers._openblas()
    before = found[0]() if found else None
    with peers.numpy_single_thread() as alone:
        assert alone == (found is not None)
        assert found is None or found[0]() == 1
    assert found is None or found[0]() == before


@pytest.fixture
def nothing_built(monkeypatch, tmp_path):
    """Forget loaded libraries and use an empty cache, so that no shared object is found."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for cached in (peers._libxsmm, peers._libxsmm_function):
        cached.cache_clear()
    yield tmp_path
    for cached in (peers._libxsmm, peers._libxsmm_function):
        cached.cache_clear()


def test_without_gcc(monkeypatch, nothing_built):
    monkeypatch.setattr(peers.shutil, "which", lambda name: None)
    with pytest.raises(peers.BaselineMissing, match=r"libxsmm: gcc is not installed \(make oracles\)"):
        peers.libxsmm_gemm(TARGETS["avx2"], *operands(4, 4, 4, 0, np.float32))


def test_without_libxsmm(monkeypatch, nothing_built):
    monkeypatch.setattr(peers, "LIBXSMM_HEADER", nothing_built / "libxsmm.h")
    monkeypatch.setattr(peers.shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(peers.BaselineMissing, match=r"libxsmm: libxsmm-dev is not installed \(make oracles\)"):
        peers.libxsmm_gemm(TARGETS["avx2"], *operands(4, 4, 4, 0, np.float32))


def test_when_gcc_fails(monkeypatch, nothing_built):
    libxsmm(TARGETS["avx2"], *operands(4, 4, 4, 0, np.float32))  # skips if LIBXSMM is missing
    peers._libxsmm.cache_clear()
    peers._libxsmm_function.cache_clear()
    monkeypatch.setattr(peers, "_SOURCE", "#error the test says so")
    with pytest.raises(peers.BaselineMissing, match="libxsmm: gcc refused it:\n.*the test says so"):
        peers.libxsmm_gemm(TARGETS["avx2"], *operands(4, 4, 4, 0, np.float32))
    assert len(list((nothing_built / "tilesmith").iterdir())) == 1, "nothing is left behind but the first object"


def test_contenders_of_one_shape_can_be_timed_together():
    a, b, c = operands(16, 16, 16, 0, np.float32)
    contenders = {"libxsmm": libxsmm(TARGETS["avx2"], c, a, b), "numpy": peers.numpy_gemm(np.empty_like(c), a, b)}
    timings = measure.seconds_per_call(contenders, budget=0.002)
    assert timings["libxsmm"].best > 0 and timings["numpy"].best > 0
