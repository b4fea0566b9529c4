"""Kernels took dual numbers of torch's forward mode, whose tangents were lost, and tensors of zeros without memory."""

import pytest

import tilesmith as ts


@pytest.mark.parametrize("warm", [False, True])
def test_dual_numbers_are_refused(warm):
    torch = pytest.importorskip("torch")
    forward = pytest.importorskip("torch.autograd.forward_ad")
    x, w, relu, each = torch.ones(4, 6), torch.ones(6, 2), ts.unary("relu", 4, 6), ts.dispatch(ts.unary, "relu")
    if warm:  # from the second call on, machine code reads tensors
        for _ in range(3):
            relu(x), each(x), ts.matmul(x, w)
    with forward.dual_level():
        dual, out = forward.make_dual(torch.ones(4, 6), torch.ones(4, 6)), torch.empty(4, 6)
        for call in (
            lambda: relu(dual),
            lambda: relu(x, dual),
            lambda: relu(dual, out),
            lambda: each(dual),
            lambda: ts.matmul(dual, w),
        ):
            with pytest.raises(TypeError, match=r"^[\w ]+: the tensor has a tangent .* pass \w.*\.detach"):
                call()
        assert torch.equal(relu(dual.detach()), x)
    assert torch.equal(relu(dual), x)  # the tangent has ended with its level


def test_zeros_without_memory_are_refused():
    torch = pytest.importorskip("torch")
    relu, zeros = ts.unary("relu", 4, 6), torch._efficientzerotensor((4, 6))
    for args in ((zeros,), (torch.ones(4, 6), zeros)):
        with pytest.raises(TypeError, match=r"zeros that are not in memory; pass \w\.clone\(\)"):
            relu(*args)
    assert torch.equal(relu(zeros.clone()), torch.zeros(4, 6))
