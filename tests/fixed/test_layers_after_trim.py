"""ts.trim() kept the layers of convolutions and the jobs of images, norms, copies and padding, which nobody held."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.loops.job import JobKernel

X, W = np.ones((1, 3, 5, 7), np.float32), np.ones((2, 3, 1, 1), np.float32)
CALLS: dict[str, Callable[[], object]] = {
    "conv2d": lambda: ts.conv2d(X, W),
    "conv2d_backward": lambda: ts.conv2d_backward(np.ones((1, 2, 5, 7), np.float32), X, W),
    "max_pool2d": lambda: ts.max_pool2d(X, 2),
    "batch_norm": lambda: ts.batch_norm(X, training=True),
    "permute": lambda: ts.permute(X, (3, 1, 0, 2)),
    "pad": lambda: ts.pad(X, 1, "reflect"),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_nothing_is_kept(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ts.trim()
    made = list[weakref.ref[JobKernel]]()
    keep = JobKernel._keep

    def noted(self: JobKernel, **values: object) -> None:
        made.append(weakref.ref(self))
        keep(self, **values)

    monkeypatch.setattr(JobKernel, "_keep", noted)
    for _ in range(3):
        CALLS[name]()
    assert made and any(each() is not None for each in made)
    ts.trim()
    gc.collect()
    assert all(each() is None for each in made)
