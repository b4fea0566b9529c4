"""Attention in models of torch.compile: masks, dropout and functions of scores, forwards and backwards."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", minversion="2.6")

from torch.nn import functional as F  # noqa: E402  # after the check that torch is there

import tilesmith as ts  # noqa: E402
from tilesmith.integrations import torch as tst  # noqa: E402

TOLERANCES = {torch.float64: 1e-12, torch.float32: 2e-6, torch.bfloat16: 2e-2, torch.float16: 2e-3}


@pytest.fixture(autouse=True)
def _fresh():
    torch.manual_seed(0)
    torch._dynamo.reset()


def _drawn(*shape, dtype=torch.float32, gradient=True):
    return torch.randn(shape, dtype=torch.float64).to(dtype).requires_grad_(gradient)


def _results(function, operands, seed=5):
    """Return what a function makes, and the gradients of its floats."""
    torch.manual_seed(seed)
    out = function(*operands)
    weights = torch.linspace(-1, 1, out.numel(), dtype=torch.float64).view(out.shape).to(out.dtype)
    return out, *torch.autograd.grad(out, [each for each in operands if each.requires_grad], weights)


def _close(found, wanted, dtype):
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == dtype
        torch.testing.assert_close(one.double(), other.double(), rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype])


def _is_attention(report):
    units = {unit.nodes[0] for each in report for unit in each.compiled.explain()}
    return not report.fallbacks and {"attention", "attention_backward"} <= units


def _kept(shape, keys, rate, seed=5):
    """Return the factors of the probabilities of `shape` that a call after this seed keeps."""
    torch.manual_seed(seed)
    rows = int(np.prod(shape))
    ones = np.ones((rows, keys), np.float32)
    made = ts.unary("dropout", rows, keys, rate=rate)(ones, int(torch.randint(0, (1 << 63) - 1, ())))
    return torch.tensor(made != 0).view(*shape, keys).double() / (1 - rate)


def _exact(q, k, v, mask, causal, scale, factors):
    """Attention in f64, of rows that see no key 0."""
    k, v = (each.repeat_interleave(q.shape[-3] // each.shape[-3], -3) for each in (k, v))
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    hidden = torch.zeros(scores.shape[-2:], dtype=torch.bool)
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    if mask is not None:
        hidden = hidden | (~mask if mask.dtype == torch.bool else mask == -torch.inf)
        scores = scores if mask.dtype == torch.bool else scores + mask.double().nan_to_num(neginf=0.0)
    powers = scores.exp().masked_fill(hidden, 0.0)
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-300) * factors @ v


def _without_rows(mask):
    mask[..., 1, :] = False if mask.dtype == torch.bool else -torch.inf  # a query that sees no key
    return mask


CALLS = {
    "plain": (((2, 3, 5, 8),) * 3, torch.float32, lambda: None, {}),
    "one query": (((2, 1, 1, 3), (2, 1, 9, 3), (2, 1, 9, 3)), torch.float64, lambda: None, {"scale": 0.3}),
    "causal": (((3, 7, 4),) * 3, torch.float32, lambda: None, {"is_causal": True}),
    "shared heads": (((1, 4, 3, 6), (1, 2, 5, 6), (1, 2, 5, 6)), torch.float32, lambda: None, {"enable_gqa": True}),
    "booleans": (((2, 2, 3, 5, 8),) * 3, torch.float32, lambda: _without_rows(torch.rand(2, 2, 1, 5, 5) > 0.4), {}),
    "bias": (((2, 3, 4, 8), *[(2, 3, 6, 8)] * 2), torch.float32, lambda: _without_rows(torch.randn(3, 4, 6)), {}),
    "padding": (((2, 3, 4, 8),) * 3, torch.bfloat16, lambda: torch.randn(2, 1, 1, 4).bfloat16(), {}),
    "halves": (((2, 3, 4, 7),) * 3, torch.float16, lambda: None, {}),
}


@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.grid(5)
def test_attention_is_that_of_kernels(name, dropout):
    """Against f64, with the factors that `ts.dropout` draws by the seed that a call takes from torch's generator."""
    shapes, dtype, made, options = CALLS[name]
    operands, mask = [_drawn(*each, dtype=dtype) for each in shapes], made()

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, mask, dropout_p=dropout, **options)

    assert _is_attention(tst.explain(attend, *operands))
    found = _results(torch.compile(attend, backend="tilesmith", fullgraph=True, options={"strict": True}), operands)
    wide = [each.detach().double().requires_grad_() for each in operands]
    queries, keys = shapes[0][:-1], shapes[1][-2]
    factors = _kept(queries, keys, dropout) if dropout else 1.0
    causal, scale = options.get("is_causal", False), options.get("scale")
    wanted = _results(lambda q, k, v: _exact(q, k, v, mask, causal, scale, factors), wide)
    _close(found, wanted, dtype)


def softcapped(s, mask):
    return 3.0 * ts.tanh((s + mask) / 3.0)


def sloped(s, query, key, head):
    return s - (head + 1.0) * 0.125 * abs(query - key)


@pytest.mark.parametrize("score", [softcapped, sloped])
def test_functions_of_scores(score):
    """Directly and compiled, of heads that lie side by side, which are numbered over all samples."""
    q, k, v = (_drawn(2, 5, 3, 4, dtype=torch.float64) for _ in range(3))
    mask = torch.randn(5, 5, dtype=torch.float64) if score is softcapped else None

    def attend(q, k, v):
        return tst.attention(*(each.transpose(1, 2) for each in (q, k, v)), mask, score=score)

    def exact(q, k, v):
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
        scores = q @ k.transpose(-1, -2) / 2
        if score is softcapped:
            return (3 * torch.tanh((scores + mask) / 3)).softmax(-1) @ v
        places, head = torch.arange(5).double(), torch.arange(6).double().view(2, 3, 1, 1)
        return (scores - (head + 1) * 0.125 * (places[:, None] - places).abs()).softmax(-1) @ v

    fast = torch.compile(attend, backend="tilesmith", fullgraph=True, options={"strict": True})
    wanted = _results(exact, (q, k, v))
    for made in (attend, fast):
        _close(_results(made, (q, k, v)), wanted, torch.float64)


def test_what_kernels_do_not_take_is_left_to_torch():
    """Values of another size, a mask with a gradient, every probability dropped, and numbers as torch draws them."""
    q, k, v, bias = _drawn(2, 3, 4, 8), _drawn(2, 3, 5, 8), _drawn(2, 3, 5, 6), _drawn(3, 4, 5)
    calls = {
        "size": (lambda: F.scaled_dot_product_attention(q, k, v), {}),
        "bias": (lambda: F.scaled_dot_product_attention(q, k, k, bias), {}),
        "all": (lambda: F.scaled_dot_product_attention(q, k, k, dropout_p=1.0), {}),
        "exact": (lambda: F.scaled_dot_product_attention(q, k, k, dropout_p=0.3), {"fallback_random": True}),
    }
    for name, (call, options) in calls.items():
        torch._dynamo.reset()
        fast = torch.compile(call, backend="tilesmith", fullgraph=True, options=options)
        made = []
        for each in (fast, call):
            torch.manual_seed(5)
            out = each()
            made.append((out, *torch.autograd.grad(out.square().sum(), [q, bias], allow_unused=True)))
        torch.testing.assert_close(*made, rtol=1e-4, atol=1e-5, msg=name)


@pytest.mark.parametrize("mask", ["none", "keys", "pairs"])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.grid(2)
def test_an_encoder_layer_of_torch_in_inference(norm_first, mask):
    """The one operator of torch's own fast path; a query that sees no key gives NaN, as there."""
    hidden = torch.rand(2, 5) > 0.5
    hidden[0] = True
    options = {"keys": {"src_key_padding_mask": hidden}, "pairs": {"src_mask": torch.ones(5, 5).triu(1).bool()}}
    activation = "gelu" if norm_first else "relu"
    layer = torch.nn.TransformerEncoderLayer(
        12, 3, 16, batch_first=True, norm_first=norm_first, activation=activation, dtype=torch.float64
    ).eval()
    fast = torch.compile(layer, backend="tilesmith", fullgraph=True, options={"strict": True})
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    with torch.no_grad():
        given = options.get(mask, {})
        torch.testing.assert_close(fast(x, **given), layer(x, **given), rtol=1e-12, atol=1e-12, equal_nan=True)
