"""Losses by labels in models of torch.compile, forwards and backwards, against torch in f64."""

from __future__ import annotations

from functools import partial

import pytest

torch = pytest.importorskip("torch", minversion="2.6")

from torch.nn import functional as F  # noqa: E402  # after the check that torch is there

from tilesmith.integrations import torch as tst  # noqa: E402

WEIGHT = torch.tensor([0.5, 2.0, 0.0, 1.0, 3.0])


@pytest.fixture(autouse=True)
def _fresh():
    torch.manual_seed(0)
    torch._dynamo.reset()


def _weighted(x, labels):
    return F.cross_entropy(x, labels, WEIGHT.to(x.dtype), ignore_index=3, label_smoothing=0.1)


LOSSES = {
    "labels": ((6, 5), torch.float32, F.cross_entropy),
    "one row": ((5,), torch.float64, partial(F.cross_entropy, label_smoothing=0.3)),
    "weights and smoothing": ((7, 5), torch.float32, _weighted),
    "each": ((2, 5, 3, 4), torch.float32, partial(F.cross_entropy, ignore_index=1, reduction="none")),
    "narrow": ((40, 5), torch.bfloat16, partial(F.cross_entropy, ignore_index=0)),
    "classes first": ((1, 5, 6), torch.float32, lambda x, labels: F.nll_loss(x, labels, WEIGHT.to(x.dtype))),
    "sum": ((3, 5), torch.float16, partial(F.nll_loss, reduction="sum")),
    "all ignored": ((2, 5), torch.float32, lambda x, labels: F.cross_entropy(x, labels - labels, ignore_index=0)),
    "ours": ((6, 5), torch.float32, partial(tst.cross_entropy, ignore_index=2)),
    "ours, smooth": ((9, 5), torch.float64, partial(tst.cross_entropy, label_smoothing=0.2)),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.grid(4)
def test_losses_are_those_of_kernels(name):
    shape, dtype, loss = LOSSES[name]
    axis = min(1, len(shape) - 1)
    labels = torch.randint(0, 5, (*shape[:axis], *shape[axis + 1 :]))
    x = torch.randn(shape, dtype=torch.float64).to(dtype).requires_grad_()
    fast = torch.compile(loss, backend="tilesmith", fullgraph=True, options={"strict": True})
    found, of_torch = fast(x, labels), loss(x, labels)
    assert found.dtype == of_torch.dtype and found.shape == of_torch.shape
    wide = x.detach().double().requires_grad_()
    wanted = loss(wide, labels)
    pairs = zip((found, *torch.autograd.grad(found.sum(), x)), (wanted, *torch.autograd.grad(wanted.sum(), wide)))
    tolerance = {torch.float64: 1e-12, torch.float32: 1e-6, torch.bfloat16: 1e-2, torch.float16: 1e-3}[dtype]
    for one, other in pairs:
        torch.testing.assert_close(one.double(), other, rtol=tolerance, atol=tolerance, equal_nan=True)


def test_a_label_that_is_no_class_is_an_error():
    fast = torch.compile(F.cross_entropy, backend="tilesmith", fullgraph=True)
    x = torch.randn(4, 5)
    assert fast(x, torch.tensor([0, 4, -100, 1])).isfinite()
    for wrong in (5, -1):
        with pytest.raises(IndexError, match=f"is {wrong}"):
            fast(x, torch.tensor([0, wrong, 1, 2]))
