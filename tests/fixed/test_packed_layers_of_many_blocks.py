"""The torch integration counted one block of packed weights, strided bytes and weights; pickles of weights, none."""

import numpy as np
import pytest

import tilesmith as ts


def test_pickles_of_packed_weights_have_their_bytes():
    """Fewer bytes than the blocks have were read beyond their end."""
    packed = ts.linear(8, 7, 5).pack(np.ones((5, 7), np.float32))
    again, (layer, blocks, array) = packed.__reduce__()
    with pytest.raises(ValueError, match="bytes"):
        again(layer, blocks, np.concatenate([array, array]))


def test_packed_weights_and_gaps_of_tensors():
    """Layers of several blocks could not be packed, and gradients not be computed by weights with gaps."""
    torch = pytest.importorskip("torch")
    operators = pytest.importorskip("tilesmith.integrations.torch")
    weight, x = torch.randn(300, 200), torch.randn(5, 200)
    packed = operators.pack(weight)
    gaps = torch.stack([packed, packed + 1], 1).reshape(-1)[::2]
    for each in (packed, gaps):
        found = operators.linear_packed(x, each, None, 300)
        np.testing.assert_allclose(found, x.double() @ weight.double().t(), atol=1e-3)
    x, scale = torch.randn(3, 8, requires_grad=True), torch.ones(16)[::2].requires_grad_()
    operators.rms_norm(x, 8, scale).sum().backward()
    operators.layer_norm(x, 8, scale, torch.zeros(8)).sum().backward()
    assert x.grad.shape == x.shape
    none = torch.randn(0, 8, requires_grad=True)
    operators.linear(x, none).sum().backward()
    assert none.grad.shape == (0, 8)
