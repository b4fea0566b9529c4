"""Recurrent layers of torch.compile: kernels compute the steps, torch the gradients, and both are right."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", minversion="2.6")

from tilesmith.integrations import torch as tst  # noqa: E402  # after the check that torch is there
from tilesmith.microkernels.errors import UnsupportedError  # noqa: E402

CASES = [
    (kind, more)
    for kind in ("LSTM", "GRU", "RNN")
    for more in ({}, {"bidirectional": True, "num_layers": 2, "batch_first": True}, {"bias": False})
]


@pytest.fixture(autouse=True)
def traced():
    """Let torch trace recurrent layers, which it leaves out by default."""
    torch._dynamo.reset()
    with torch._dynamo.config.patch(allow_rnn=True):
        yield


def tensors(results):
    y, ends = results
    return [y, *(ends if isinstance(ends, tuple) else (ends,))]


@pytest.mark.parametrize("kind, more", CASES, ids=lambda each: str(each))
@pytest.mark.grid(1)
def test_layers(kind, more):
    torch.manual_seed(0)
    module = getattr(torch.nn, kind)(5, 6, dtype=torch.float64, **more)
    fast = torch.compile(module, backend=tst.backend, fullgraph=True)
    x = torch.randn(3, 4, 5, dtype=torch.float64)
    with torch.no_grad():
        report = tst.explain(fast, x)
        found, wanted = tensors(fast(x)), tensors(module(x))
    assert not report.fallbacks and "repeat -> " in str(report)
    assert [each.stride() for each in found] == [each.stride() for each in wanted]
    gradients = []
    for each in fast, module:
        module.zero_grad()
        sum(part.square().sum() for part in tensors(each(x))).backward()
        gradients.append([part.grad.clone() for part in module.parameters()])
    # a few dozens of numbers near 1, each of a few roundings
    for one, other in zip([*found, *gradients[0]], [*wanted, *gradients[1]], strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)


def test_dropout_between_layers_is_refused():
    fast = torch.compile(torch.nn.LSTM(5, 6, num_layers=2, dropout=0.5), backend=tst.backend, fullgraph=True)
    with pytest.raises(Exception, match="dropout between layers that train") as error:
        fast(torch.randn(3, 4, 5))
    assert isinstance(error.value.__cause__ or error.value, (UnsupportedError, torch._dynamo.exc.BackendCompilerFailed))
