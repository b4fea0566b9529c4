"""`tst.pack` and `tst.freeze` raised ValueError for weights of several blocks, such as 256 x 256, and a frozen model
that was loaded on a processor with other blocks of the same size computed wrong numbers."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import tilesmith as ts

torch = pytest.importorskip("torch", minversion="2.6")

from torch import nn  # noqa: E402  # after the check that torch is there

from tilesmith.integrations import torch as tst  # noqa: E402


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("inputs, outputs", [(256, 256), (1100, 300)])
def test_wide_layers_are_frozen(dtype, inputs, outputs):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU()).to(dtype).eval()
    frozen = copy.deepcopy(model)
    tst.freeze(frozen)
    with torch.no_grad():
        for rows in (5, 64):
            x = torch.randn(rows, inputs).to(dtype)
            wanted = model.double()(x.double())
            assert (frozen(x) - wanted).abs().max() < (0.02 if dtype == torch.bfloat16 else 1e-5)
            model.to(dtype)


def test_bytes_of_another_layout_are_refused():
    packed = tst.pack(torch.ones(10, 256))
    x = torch.ones(3, 256)
    assert (tst.linear_packed(x, packed, None, 10) == 256).all()
    elsewhere = packed.clone()
    elsewhere[-1] ^= 1
    with pytest.raises(ValueError, match="of another processor: pack the weight again"):
        tst.linear_packed(x, elsewhere, None, 10)
    with pytest.raises(ValueError, match="of another weight"):
        tst.linear_packed(torch.ones(3, 128), packed, None, 20)


def test_arguments_that_are_no_tensors_are_named():
    x, w = torch.ones(3, 4), torch.ones(4)
    with pytest.raises(TypeError, match="weight: a tensor, not tuple"):
        tst.layer_norm(x, 4, (4,), w)
    with pytest.raises(TypeError, match="weight: a tensor, not ndarray"):
        tst.linear(x, torch.ones(5, 4).numpy())


def test_fixed_matrices_are_parameters_too():
    a = torch.tensor([[0.5, 0], [0, -2]], dtype=torch.bfloat16, requires_grad=True)
    assert ts.sparse_kernel(a, 3)(np.ones((2, 3), np.float32)).tolist() == [[0.5] * 3, [-2] * 3]


def test_state_dicts_have_weights_of_few_bits():
    torch.manual_seed(2)
    first, second = (nn.Sequential(nn.Linear(48, 20)).eval() for _ in range(2))
    for each in (first, second):
        tst.freeze(each, dtype="int4")
    x = torch.randn(3, 48)
    assert not torch.equal(first(x), second(x))
    second.load_state_dict(first.state_dict())
    assert torch.equal(first(x), second(x))
    wide = nn.Sequential(nn.Linear(48, 20)).double().eval()
    assert "0: left to torch, no kernel here for weights of int4 and x of torch.float64" in str(
        tst.freeze(wide, dtype="int4")
    )
