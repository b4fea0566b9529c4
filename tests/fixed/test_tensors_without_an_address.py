"""A tensor inside torch.func.functionalize has the address 0, for which numpy allocates new memory: kernels computed on
numbers that nobody wrote, and results were lost."""

import pytest

import tilesmith as ts


@pytest.mark.parametrize("warm", [False, True])
def test_tensors_of_functionalize_are_refused(warm):
    torch = pytest.importorskip("torch")
    x, relu = torch.arange(-12.0, 12.0).view(4, 6), ts.unary("relu", 4, 6)
    if warm:  # from the second call on, machine code reads tensors
        assert all(torch.equal(relu(x), torch.relu(x)) for _ in range(3))

    def inside(call):
        with pytest.raises(TypeError, match=r"^[\w ]+: the tensor has no memory.*torch\.library"):
            torch.func.functionalize(lambda x: call(x.clone()))(x)

    inside(relu)
    inside(lambda x: relu(torch.ones(4, 6), x))
    inside(lambda x: ts.matmul(x, torch.ones(6, 2)))
    inside(lambda x: ts.matmul(torch.ones(4, 2), torch.ones(2, 6), out=x))
    inside(ts.dispatch(ts.unary, "relu"))
    assert torch.equal(relu(x), torch.relu(x))
