"""ts.matmul of another library's arrays through machine code; a stand-in replaces torch (tests/exporter.py).

The stand-in breaks Python's own protocol, so a call that succeeds went through the C functions. The kernel of a product
is found only after a call with ndarrays of the same types and shapes.
"""

import gc
import sys

import numpy as np
import pytest

import tilesmith as ts
from tests.exporter import Tensor
from tests.profiles import scaled
from tilesmith.runtime.fastcall import dlpack, entry

pytestmark = pytest.mark.skipif(bool(entry.refusal()), reason=entry.refusal())


@pytest.fixture(autouse=True)
def registered():
    assert dlpack.register(Tensor)


def dense(*shape):
    return (np.arange(np.prod(shape)) % 7).reshape(shape).astype(np.float32)


def met(m, n, k):
    """Return operands of a product whose kernel machine code finds from now on, with a result and without."""
    a, b, c = dense(m, k), dense(k, n), np.zeros((m, n), np.float32)
    ts.matmul(a, b, c)
    ts.matmul(a, b)
    return a, b, np.zeros((m, n), np.float32)


def test_the_output_is_the_callers_tensor():
    a, b, c = met(3, 5, 4)
    out = Tensor(c)
    assert ts.matmul(Tensor(a), Tensor(b), out) is out
    assert (c == a @ b).all()


def test_the_output_by_its_name():
    a, b, c = met(3, 5, 4)
    out = Tensor(c)
    assert ts.matmul(Tensor(a), Tensor(b), out=out) is out
    assert (c == a @ b).all()


def test_a_new_array_is_a_tensor():
    a, b, _ = met(4, 3, 2)
    made = ts.matmul(Tensor(a), Tensor(b))
    assert type(made) is Tensor
    assert (made.x == a @ b).all()


@pytest.mark.parametrize("of_numpy", range(3))
def test_arrays_of_numpy_among_tensors(of_numpy):
    a, b, c = met(6, 2, 3)
    args = [each if i == of_numpy else Tensor(each) for i, each in enumerate((a, b, c))]
    before = sys.getrefcount(args[2])
    for _ in range(5):
        made = ts.matmul(*args)
        assert made is args[2]
    del made
    assert sys.getrefcount(args[2]) < before + 5
    assert (c == a @ b).all()


def test_an_output_that_overlaps_an_operand():
    """Machine code finds the kernel, whose guards refuse the call, so that Python's protocol is asked, which is
    broken."""
    met(4, 4, 4)
    memory = dense(9, 4)
    with pytest.raises(TypeError, match="emitted code only"):
        ts.matmul(Tensor(memory[:4]), Tensor(dense(4, 4)), Tensor(memory[3:7]))
    with pytest.raises(TypeError, match="emitted code only"):
        ts.matmul(Tensor(memory[:4]), Tensor(dense(4, 4)), out=Tensor(memory[3:7]))


def test_references():
    a, b, c = met(4, 5, 6)
    args = Tensor(a), Tensor(b), Tensor(c)
    watched = [*args, c, None, ts.matmul, np.dtype("f4"), np.ndarray]
    for _ in range(3):
        ts.matmul(*args)
    gc.collect()
    before = [sys.getrefcount(each) for each in watched]
    for _ in range(scaled(2_000, 200_000)):
        ts.matmul(*args)
        ts.matmul(*args[:2], out=args[2])
        ts.matmul(*args[:2])
    gc.collect()
    after = [sys.getrefcount(each) for each in watched]
    assert max(abs(x - y) for x, y in zip(before, after)) < 100, list(zip(before, after))


# torch itself, an extra


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def test_tensors_of_torch(torch):
    a, b, c = torch.arange(12.0).reshape(3, 4), torch.ones(4, 5), torch.zeros(3, 5)
    for _ in range(4):  # through Python, then through machine code
        c.zero_()
        assert ts.matmul(a, b, c) is c
        assert torch.equal(c, a @ b)
        made = ts.matmul(a, b)
        assert type(made) is torch.Tensor and torch.equal(made, a @ b)
        assert ts.matmul(a, b.numpy(), out=c) is c
        assert torch.equal(ts.matmul(a.T, a), a.T @ a)
        assert torch.equal(ts.matmul(a, b[:, 0]), a @ b[:, 0])


def test_an_output_of_torch_that_is_an_operand(torch):
    x = torch.arange(16.0).reshape(4, 4)
    w = torch.eye(4) * 2
    for _ in range(4):
        expected = x @ w
        assert ts.matmul(x, w, out=x) is x
        assert torch.equal(x, expected)


def test_a_gradient_is_refused_after_plain_tensors(torch):
    a, b, c = torch.ones(4, 4), torch.ones(4, 4), torch.zeros(4, 4)
    for _ in range(3):
        ts.matmul(a, b, c)
    with pytest.raises(TypeError, match="a: the tensor requires grad"):
        ts.matmul(a.clone().requires_grad_(), b, c)


def test_large_products_and_epilogues_of_torch(torch):
    a, b, bias = torch.ones(200, 180).bfloat16(), torch.ones(180, 220).bfloat16(), torch.ones(220).bfloat16()
    for _ in range(3):
        made = ts.matmul(a, b, epilogue=lambda c, bias: c + bias, operands={"bias": bias})
        assert made.dtype is torch.bfloat16 and bool((made == 181).all())
        assert bool((ts.matmul(a, b, dtype="f32", threads=2) == 180).all())
