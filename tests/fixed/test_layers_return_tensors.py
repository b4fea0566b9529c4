"""ts.gemm, ts.linear and ts.mlp returned numpy arrays for torch tensors; in bf16 the type was one that torch lacks."""

import pytest

import tilesmith as ts

torch = pytest.importorskip("torch")


def test_new_results_are_tensors():
    x, w, bias = torch.randn(8, 16), torch.randn(16, 12), torch.randn(12)
    layer, last = ts.linear(8, 12, 16, activation=ts.relu), torch.randn(12, 4)
    expected = torch.relu(x @ w + bias)
    y = layer(x, layer.pack(w), bias)
    assert torch.allclose(y, expected, atol=1e-4)  # raises TypeError for an array that is not a tensor
    net = ts.mlp(8, [16, 12, 4], activation=ts.relu)
    assert torch.allclose(net(x, net.pack([w, last]), [bias, torch.zeros(4)]), expected @ last, atol=1e-3)
    assert torch.allclose(ts.gemm(8, 12, 16, beta=0)(x, w), x @ w, atol=1e-4)
    a, b = torch.randn(3, 8, 16), torch.randn(3, 16, 12)
    with ts.threads(2):
        assert torch.allclose(ts.gemm(8, 12, 16, beta=0, stack=3)(a, b), a @ b, atol=1e-4)


def test_of_bf16():
    x, w, bias = torch.randn(8, 16).bfloat16(), torch.randn(16, 12).bfloat16(), torch.zeros(12, dtype=torch.bfloat16)
    layer = ts.linear(8, 12, 16, dtype="bf16")
    y = layer(x, layer.pack(w), bias)
    assert y.dtype is torch.bfloat16
    assert torch.allclose(y.float(), x.float() @ w.float(), atol=0.1, rtol=2**-7)


def test_what_is_given_comes_back():
    x, w, y = torch.randn(8, 16), torch.randn(16, 12), torch.empty(8, 12)
    assert ts.gemm(8, 12, 16, beta=0)(x, w, out=y) is y
    layer = ts.linear(8, 12, 16, bias=False)
    assert layer(x, layer.pack(w), out=y) is y
    assert layer(x, layer.pack(w), y) is y
