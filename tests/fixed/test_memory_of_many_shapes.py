"""Each of the latest 1,024 kernels kept its plan and the record of its instructions: products of 2,100 shapes took
200 MB. ts.trim() gave none of it back."""

import gc
import weakref
from itertools import islice

import numpy as np

import tilesmith as ts
from tests import bytes as requests
from tests.profiles import scaled
from tilesmith.runtime.kernel import origin


def test_records_are_made_again(monkeypatch):
    """The plan, the listing and the object of a kernel whose record is gone are those that it had."""
    monkeypatch.setenv("TILESMITH_CACHE", "off")
    ts.trim()
    count = 0
    for request in islice(requests.requests(7), scaled(6, 2000)):
        try:
            kernel = getattr(ts, request.function)(*request.positional, **request.keywords)
        except (ts.UnsupportedError, ValueError, TypeError):
            continue
        if not isinstance(kernel._origin, origin.Emitted):
            continue
        before = str(kernel.plan), kernel.listing(), kernel.listing("gas"), kernel.registers()
        old = kernel._origin._made
        origin.forget_records()
        assert old() is None
        assert (str(kernel.plan), kernel.listing(), kernel.listing("gas"), kernel.registers()) == before, str(request)
        assert kernel._origin._made() is not None and kernel._origin.code.data == kernel.code
        count += 1
    assert count > 2


def test_few_records_are_kept(monkeypatch):
    monkeypatch.setenv("TILESMITH_CACHE", "off")
    ts.trim()
    kept = [ts.unary("square", 1, n, target="avx2") for n in range(301, 301 + origin.RECENT + 40)]
    made = [each._origin._made for each in kept]
    assert [each() is None for each in made] == [True] * 40 + [False] * origin.RECENT


def test_trim_forgets_kernels():
    a = np.ones((9, 9), np.float32)
    shapes = [(m, n) for m in range(2, 6) for n in range(2, 6)]
    kernels = weakref.WeakSet()
    for m, n in shapes:
        ts.matmul(a[:m, :7].copy(), a[:7, :n].copy())
        kernels.add(ts.brgemm(m, n, 7, beta=0.0))
    held = ts.brgemm(3, 3, 7, beta=0.0)
    assert len(kernels) == len(shapes)
    ts.trim()
    gc.collect()
    assert list(kernels) == [held] and ts.brgemm(3, 3, 7, beta=0.0) is held
    for m, n in shapes:
        assert (ts.matmul(a[:m, :7].copy(), a[:7, :n].copy()) == 7).all()
