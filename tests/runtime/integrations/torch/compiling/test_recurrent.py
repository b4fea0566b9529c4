"""Recurrent layers of torch, by torch.compile and as modules: results and gradients are kernels', and right."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", minversion="2.6")

from tilesmith.integrations import torch as tst  # noqa: E402  # after the check that torch is there
from tilesmith.microkernels.errors import UnsupportedError  # noqa: E402

CASES = [
    (kind, more)
    for kind in ("LSTM", "GRU", "RNN")
    for more in (
        {},
        {"bidirectional": True, "num_layers": 2, "batch_first": True},
        {"bias": False, **({"nonlinearity": "relu"} if kind == "RNN" else {})},
    )
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


def with_gradients(module, x):
    """Return results, and the gradients of x and of all parameters."""
    x = x.clone().requires_grad_()
    module.zero_grad()
    results = tensors(module(x))
    sum(part.square().sum() for part in results).backward()
    return [*(each.detach() for each in results), x.grad, *(each.grad for each in module.parameters())]


def same(found, wanted, tolerance):
    assert [each.stride() for each in found] == [each.stride() for each in wanted]
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kind, more", CASES, ids=lambda each: str(each))
@pytest.mark.grid(1)
def test_compiled_layers(kind, more):
    torch.manual_seed(0)
    module = getattr(torch.nn, kind)(5, 6, dtype=torch.float64, **more)
    fast = torch.compile(module, backend=tst.backend, fullgraph=True, options={"strict": True})  # or it would raise
    x = torch.randn(3, 4, 5, dtype=torch.float64)
    report = str(tst.explain(fast, x))
    assert "forward: " in report and "repeat -> " in report
    # a few dozens of numbers near 1, each of a few roundings
    same(with_gradients(fast, x), with_gradients(module, x), 1e-12)
    with torch.no_grad():
        same(tensors(fast(x)), tensors(module(x)), 1e-12)


@pytest.mark.parametrize("kind, more", CASES, ids=lambda each: str(each))
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.grid(2)
def test_modules(kind, more, dtype):
    """Numbers of all types are those of torch in f64, but for the roundings of the type."""
    torch.manual_seed(0)
    module = getattr(tst, kind)(5, 6, dtype=dtype, **more)
    wide = getattr(torch.nn, kind)(5, 6, dtype=torch.float64, **more)
    wide.load_state_dict(module.state_dict())
    x = torch.randn(3, 4, 5, dtype=dtype)
    found, wanted = with_gradients(module, x), with_gradients(wide, x.double())
    # sums of up to 32 numbers, through 3 steps of 2 layers: of the order of 8 roundings of the largest
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == dtype
        error = (one.double() - other).abs().max()
        assert error <= 8 * torch.finfo(dtype).eps * max(1.0, float(other.abs().max()))
    with torch.no_grad():
        assert all(torch.equal(one, other) for one, other in zip(tensors(module(x)), found))


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_one_sample_and_its_states(kind):
    torch.manual_seed(0)
    module, other = getattr(tst, kind)(5, 6), getattr(torch.nn, kind)(5, 6)
    other.load_state_dict(module.state_dict())
    states = torch.randn(2, 1, 6)
    hx = (states[0], states[1]) if kind == "LSTM" else states[0]
    x = torch.randn(7, 5)
    same(tensors(module(x, hx)), tensors(other(x, hx)), 1e-6)
    assert torch.library.opcheck(
        getattr(torch.ops.tilesmith, f"{kind.lower()}_layer"),
        (x[:, None].requires_grad_(), *states[: 1 + (kind == "LSTM")], *list(module.parameters())[:2], None, True),
        test_utils=("test_schema", "test_faketensor", "test_autograd_registration"),
    )


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_an_empty_batch(kind):
    """Results have no elements, and gradients of weights are 0."""
    module, other = getattr(tst, kind)(5, 6), getattr(torch.nn, kind)(5, 6)
    x = torch.empty(3, 0, 5)
    for one, wanted in zip(with_gradients(module, x), with_gradients(other, x), strict=True):
        assert torch.equal(one, wanted)


def test_refusals():
    fast = torch.compile(torch.nn.LSTM(5, 6, num_layers=2, dropout=0.5), backend=tst.backend, fullgraph=True)
    with pytest.raises(Exception, match="dropout between layers that train") as error:
        fast(torch.randn(3, 4, 5))
    assert isinstance(error.value.__cause__ or error.value, (UnsupportedError, torch._dynamo.exc.BackendCompilerFailed))
    with pytest.raises(UnsupportedError, match="put torch.nn.Dropout between single layers"):
        tst.LSTM(5, 6, num_layers=2, dropout=0.5)(torch.randn(3, 4, 5))
    with pytest.raises(UnsupportedError, match="layers that project their states"):
        tst.LSTM(5, 6, proj_size=3)(torch.randn(3, 4, 5))
    with pytest.raises(ValueError, match="input: of 3 axes, or 2 for one sample"):
        tst.GRU(5, 6)(torch.randn(5))
    packed = torch.nn.utils.rnn.pack_padded_sequence(torch.randn(3, 4, 5), torch.tensor([3, 2, 2, 1]))
    with pytest.raises(TypeError, match="torch.nn's module takes packed sequences"):
        tst.GRU(5, 6)(packed)
    with pytest.raises(TypeError, match="hx: torch.float32 as the input, not torch.float64"):
        tst.GRU(5, 6)(torch.randn(3, 4, 5), torch.randn(1, 4, 6, dtype=torch.float64))
    with pytest.raises(ValueError, match="an input of steps with elements"):
        tst.GRU(5, 6)(torch.randn(0, 3, 5))
