"""torch.compile saturated products of narrow integers, which wrap in torch, and raised an OverflowError for numbers
that their type does not hold."""

import pytest

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16"])
def test_products_and_numbers_of_integers_are_those_of_torch(dtype):
    kind = getattr(torch, dtype)
    a, b, x = (torch.arange(size).reshape(shape).to(kind) for size, shape in ((35, (5, 7)), (63, (7, 9)), (7, (7,))))

    def program(a, b, x):
        return a @ b, a @ x, torch.dot(x, x), torch.addmm((a @ b) + 1, a, b), torch.scalar_tensor(-5, dtype=kind) + x

    torch._dynamo.reset()
    found = torch.compile(program, backend="tilesmith")(a, b, x)
    for one, other in zip(found, program(a, b, x)):
        assert one.dtype == other.dtype and torch.equal(one, other)
