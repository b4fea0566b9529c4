"""torch.func: gradients and vmap of functions, in any nesting, are torch's; derivatives in forward mode are refused."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the extra torch")

from torch.nn import functional as F  # noqa: E402

from tilesmith.integrations import torch as tst  # noqa: E402

W, LABELS = torch.linspace(-1, 1, 20).reshape(5, 4), torch.tensor([0, 3, 1])
PAIRS = {
    "softmax": (tst.softmax, lambda x: torch.softmax(x, -1)),
    "linear": (lambda x: tst.linear(x, W, None, "gelu"), lambda x: F.gelu(F.linear(x, W))),
    "mm": (lambda x: tst.mm(x, x.T), lambda x: x @ x.T),
    "layer_norm": (lambda x: tst.layer_norm(x, 4), lambda x: F.layer_norm(x, (4,))),
    "attention": (
        lambda x: tst.attention(x[None], x[None], x[None]),
        lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None]),
    ),
    "max_pool": (lambda x: tst.max_pool(x[None], 2), lambda x: F.max_pool1d(x[None], 2)),
    "cross_entropy": (lambda x: tst.cross_entropy(x, LABELS), lambda x: F.cross_entropy(x, LABELS)),
}


def squared(function):
    return lambda x: function(x).square().sum()


TRANSFORMS = {
    "grad": lambda f: torch.func.grad(squared(f)),
    "jacrev": torch.func.jacrev,
    "vmap": lambda f: lambda x: torch.func.vmap(f)(torch.stack([x, 2 * x])),
    "grad in vmap": lambda f: lambda x: torch.func.vmap(torch.func.grad(squared(f)))(torch.stack([x, 2 * x])),
    "vmap in grad": lambda f: torch.func.grad(lambda x: squared(torch.func.vmap(f))(torch.stack([x, 2 * x]))),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", PAIRS)
def test_transforms_are_those_of_torch(name, transform):
    x = torch.sin(torch.arange(12.0)).reshape(3, 4)
    ours, theirs = (TRANSFORMS[transform](each)(x) for each in PAIRS[name])
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_second_derivatives_of_products():
    x = torch.sin(torch.arange(12.0)).reshape(3, 4)
    ours, theirs = (torch.func.grad(squared(torch.func.grad(squared(each))))(x) for each in PAIRS["mm"])
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", PAIRS)
def test_forward_mode_is_refused(name):
    """It was without a word, and gave zeros."""
    x = torch.ones(3, 4)
    for transform in (torch.func.jacfwd, torch.func.hessian, lambda f: lambda x: torch.func.jvp(f, (x,), (x,))):
        with pytest.raises(NotImplementedError, match="no derivatives in forward mode|second derivatives"):
            transform(PAIRS[name][0])(x)


def test_errors_of_calls_with_a_gradient_are_of_their_own_types():
    """They were RuntimeErrors with the text of a traceback."""
    x, weight = torch.ones(2, 4), W.clone().requires_grad_()
    for _ in range(2):
        with pytest.raises(TypeError, match="^weight: torch.float64, the type of x, not torch.float32$"):
            tst.linear(x.double(), weight)
        with pytest.raises(ValueError, match="^weight: "):
            tst.linear(x[:, :3], weight)
        with pytest.raises(TypeError, match="tensors on the CPU, not on meta"):
            tst.linear(x.to("meta"), weight.detach().to("meta").requires_grad_())
        assert tst.linear(x, weight).shape == (2, 5)


def test_bags_of_a_matrix_of_indices():
    weight, indices = torch.randn(6, 4), torch.tensor([[0, 5, 1], [2, 2, 3]])
    for mode in ("sum", "mean", "max"):
        torch.testing.assert_close(
            tst.embedding_bag(indices, weight, mode=mode), F.embedding_bag(indices, weight, mode=mode)
        )
        for empty in (torch.ones(3, 0, requires_grad=True), torch.ones(0, 4, requires_grad=True)):
            made = tst.embedding_bag(torch.zeros(2, len(empty), dtype=torch.int64), empty, mode=mode)
            made.sum().backward()
            assert made.tolist() == [[0.0] * empty.shape[1]] * 2 and empty.grad.shape == empty.shape
    with pytest.raises(ValueError, match="offsets: where each bag begins"):
        tst.embedding_bag(indices[0], weight)


def test_one_query_matrix_needs_heads():
    q = torch.ones(3, 4)
    with pytest.raises(ValueError, match=r"q: \(..., heads, queries, size\), not \(3, 4\)"):
        tst.attention(q, q, q)
