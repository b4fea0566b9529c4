"""The first call of a kernel, of ts.matmul, of a handle and of layer.pack took tensors by Tensor.numpy, after which
no program could resize their storages: FSDP gives the memory of parameters back that way. Layers and networks took
tensors through Python at every call."""

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.arguments.foreign_arrays import as_ndarray

torch = pytest.importorskip("torch")


def resizes(tensor):
    """Resize the storage to nothing and back, as FSDP does."""
    storage = tensor.untyped_storage()
    size = storage.nbytes()
    storage.resize_(0)
    storage.resize_(size)
    return storage.resizable()


def test_storages_stay_resizable():
    a, b, c, bias = torch.ones(24, 24), torch.ones(24, 24), torch.zeros(24, 24), torch.zeros(24)
    layer = ts.linear(24, 24, 24)
    calls = {
        "kernel": lambda: ts.brgemm(24, 24, 24)(a, b, c),
        "matmul": lambda: ts.matmul(a, b, c),
        "large matmul": lambda: ts.matmul(torch.ones(300, 300), torch.ones(300, 300)),
        "epilogue": lambda: ts.matmul(a, b, c, epilogue=lambda c, bias: c + bias, operands={"bias": bias}),
        "handle": lambda: ts.dispatch(ts.brgemm, beta=0)(a, b, c),
        "pack": lambda: layer.pack(b),
        "layer": lambda: layer(a, layer.pack(b), bias, c),
        "spread": lambda: ts.spread(ts.fused("softmax", 24, 24))(a, c),
    }
    for name, call in calls.items():
        call()
        assert all(map(resizes, (a, b, c, bias))), name


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16", "int8", "float8_e4m3fn", "float64"])
def test_arrays_of_tensors(name):
    """The address, the shape, the strides and the type of a tensor, whose memory the array keeps."""
    kind = getattr(torch, name)
    whole = torch.arange(60).reshape(3, 4, 5).to(kind)
    for tensor in (whole, whole[1], whole[:, ::2, 1:4], whole.permute(2, 0, 1), whole[2, 3, 1], whole[:0], whole[1:2]):
        found = as_ndarray("x", tensor)
        assert found.shape == tuple(tensor.shape)
        np.testing.assert_array_equal(found.astype(np.float64), tensor.to(torch.float64).numpy())
        if tensor.numel():
            assert found.__array_interface__["data"][0] == tensor.data_ptr()
            assert found.strides == tuple(step * tensor.element_size() for step in tensor.stride())
            assert found.flags.writeable
    kept = as_ndarray("x", torch.full((1000,), 3.0).to(kind))
    torch.zeros(1000)
    assert (kept.astype(np.float64) == 3).all()


def test_layers_and_networks_take_tensors_in_machine_code(monkeypatch):
    """After the first call, Python converts no tensor."""
    x, w, bias = torch.rand(8, 24), torch.rand(24, 24), torch.rand(24)
    layer, net = ts.linear(8, 24, 24), ts.mlp(24, [24, 24])
    packed, many = layer.pack(w), net.pack([w])
    right = layer(x, packed, bias), net(torch.rand(24, 24), many, [bias])
    layer(x, packed, bias)

    def refuse(*_):
        raise AssertionError("converted in Python")

    monkeypatch.setattr("tilesmith.runtime.arguments.foreign_arrays.memory_of_tensor", refuse)
    out = torch.empty(8, 24)
    assert torch.equal(layer(x, packed, bias), right[0]) and layer(x, packed, bias, out) is out
    assert torch.equal(out, right[0]) and type(net(torch.rand(24, 24), many, [bias])) is torch.Tensor
