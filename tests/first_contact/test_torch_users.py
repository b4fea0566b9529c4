"""Section C of first-contact.md: issues of an ML engineer with tensors of torch, if the extra `peers` is installed."""

from __future__ import annotations

import contextlib
import gc
import sys

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import scaled
from tests.this_process import resident
from tilesmith.runtime.fastcall import dlpack, entry, exporters

TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i32": "int32", "i8": "int8"}
FLOAT8 = {"f8e5m2": "float8_e5m2", "f8e4m3": "float8_e4m3fn"}


WAYS = ("read", "asked", "bytes")
"""Tensors are read directly if their layout is as expected; else their C function describes them, or their bytes are
viewed."""


@pytest.fixture(params=WAYS)
def torch(request):
    """Yield torch for each way; users get the first way that is possible."""
    torch = pytest.importorskip("torch")
    if entry.refusal():
        pytest.skip(entry.refusal()) if request.param != "bytes" else None
        yield torch
        return
    assert dlpack.register(torch.Tensor)
    table, word = dlpack._exporters(), entry.foreign_word()
    place = next(i for i in range(0, len(table), 8) if table[i] == id(torch.Tensor)) + 3
    before = table[place], word[0]
    assert before[0] == exporters.READ
    table[place], word[0] = {"read": before, "asked": (1, before[1]), "bytes": (before[0], 0)}[request.param]
    yield torch
    table[place], word[0] = before


def matrix(torch, shape, name):
    """Return a tensor of small integers, which every type represents."""
    return (torch.arange(int(np.prod(shape))) % 3).reshape(shape).to(getattr(torch, (TYPES | FLOAT8)[name]))


@pytest.mark.parametrize("name", ["f32", "f64", "bf16"])
def test_c1_tensors_in_and_out(torch, name):
    a, b = matrix(torch, (4, 6), name), matrix(torch, (6, 5), name)
    mm, into = ts.brgemm(4, 5, 6, dtype=name, beta=0), ts.brgemm(4, 5, 6, dtype=name)
    for _ in range(3):  # the first call meets the type; later calls run emitted code only
        made, c = mm(a, b), torch.ones(4, 5, dtype=a.dtype)
        into(a, b, c)
        assert (type(made), made.dtype) == (torch.Tensor, a.dtype)
        assert torch.equal(made, a @ b)
        assert torch.equal(c, 1 + a @ b)


@pytest.mark.parametrize("name", [*TYPES, *FLOAT8])
def test_c1_every_type(torch, name):
    x = matrix(torch, (4, 6), name)
    for _ in range(3):
        y = ts.transpose(4, 6, dtype=name)(x)
        assert (type(y), y.dtype) == (torch.Tensor, x.dtype)
        assert torch.equal(y.double(), x.double().T)


@pytest.mark.parametrize("name", FLOAT8)
def test_c1_products_of_8_bits(torch, name):
    try:
        mm = ts.brgemm(4, 5, 8, dtype=(name, name, "f32"), beta=0)
    except ts.UnsupportedError as reason:
        pytest.skip(str(reason))
    a, b = matrix(torch, (4, 8), name), matrix(torch, (8, 5), name)
    for _ in range(2):
        assert torch.equal(mm(a, b), a.float() @ b.float())


def test_c1_bits_of_a_bfloat16():
    """The caller must state the type, since bits of bf16 and f16 look the same."""
    a, b = np.zeros((4, 4), np.uint16), np.zeros((4, 4), ml_dtypes.bfloat16)
    mm = ts.brgemm(4, 4, 4, dtype="bf16", beta=0)
    with pytest.raises(TypeError, match=r"a: dtype bfloat16 .* not uint16; .* pass a.view\(ml_dtypes.bfloat16\)"):
        mm(a, b)
    mm(a.view(ml_dtypes.bfloat16), b)


def test_c1_the_type_that_came_in(torch):
    a, b = matrix(torch, (4, 6), "f32"), matrix(torch, (6, 5), "f32")
    mm = ts.brgemm(4, 5, 6, beta=0)
    for _ in range(3):
        assert type(mm(a, b)) is type(mm(a, b.numpy())) is type(mm(a.numpy(), b)) is torch.Tensor
        assert type(mm(a.numpy(), b.numpy())) is np.ndarray
    assert type(mm.run(a, b)) is torch.Tensor
    handle = ts.dispatch(ts.brgemm, beta=0)
    assert [type(handle(a, b)) for _ in range(3)] == [torch.Tensor] * 3


def test_c1_handles_with_an_epilogue(torch):
    """The operands of the epilogue are tensors too, and do not determine the shape."""
    layer = ts.dispatch(ts.brgemm, beta=0, epilogue=lambda c, bias: c + bias)
    a, b, bias = (matrix(torch, shape, "f32") for shape in ((3, 4), (4, 5), (5,)))
    for _ in range(2):
        assert torch.equal(layer(a, b, None, bias), a @ b + bias)


@pytest.mark.parametrize("guard", ["grad", "no_grad"])
def test_c6_gradients(torch, guard):
    a, b = matrix(torch, (4, 4), "f32").requires_grad_(), matrix(torch, (4, 4), "f32")
    mm = ts.brgemm(4, 4, 4, beta=0)
    mm(b, b)
    with torch.set_grad_enabled(guard == "grad"):
        for x in (a, a * 2, a.T.contiguous()) if guard == "grad" else (a,):
            with pytest.raises(TypeError, match=r"^a: the tensor requires grad.*; pass a\.detach\(\)"):
                mm(x, b)
            with pytest.raises(TypeError, match=r"^b: the tensor requires grad.*; pass b\.detach\(\)"):
                mm(b, x)
            with pytest.raises(TypeError, match=r"^c: the tensor requires grad.*; pass c\.detach\(\)"):
                mm(b, b, x)
    assert torch.equal(mm(a.detach(), b), a.detach() @ b)
    assert torch.equal(mm(torch.nn.Parameter(b, requires_grad=False), b), b @ b)


REFUSED = {
    "negative": (lambda torch, x: torch._neg_view(x), r"a: the tensor is a lazy negative .*; pass a.resolve_neg\(\)"),
    "sparse": (lambda torch, x: x.to_sparse(), r"a: the tensor is sparse .*; pass a.to_dense\(\)"),
    "compressed": (lambda torch, x: x.to_sparse_csr(), r"a: the tensor is sparse .*sparse_csr.*"),
    "meta": (lambda torch, x: x.to("meta"), "a: the tensor has no memory"),
    "bool": (lambda torch, x: x.bool(), "a: no kernel has elements of torch.bool"),
    "quantized": (lambda torch, x: torch.quantize_per_tensor(x, 1.0, 0, torch.qint8), "a: the tensor is quantized"),
    "nested": (lambda torch, x: torch.nested.nested_tensor([x, x]), "a: "),
    "shape": (lambda torch, x: x[:3], r"a: shape \(4, 4\), not \(3, 4\)"),
    "type": (lambda torch, x: x.double(), "a: dtype float32 in native byte order, not float64"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("which", REFUSED)
def test_c6_refused_tensors(torch, which):
    make, message = REFUSED[which]
    b, mm = matrix(torch, (4, 4), "f32"), ts.brgemm(4, 4, 4, beta=0)
    x = make(torch, b)
    for _ in range(2):
        mm(b, b)
        with pytest.raises((TypeError, ValueError), match=f"^{message}"):
            mm(x, b)


def test_c6_conjugates(torch):
    x = torch.arange(12).reshape(3, 4) * (1 + 1j)
    t = ts.transpose(3, 4, dtype="c64")
    for _ in range(2):
        assert torch.equal(t(x), x.T)
        with pytest.raises(TypeError, match=r"^x: the tensor is a lazy conjugate .*; pass x.resolve_conj\(\)"):
            t(x.conj())
    with pytest.raises(TypeError, match="^x: the tensor is a lazy negative"):
        ts.transpose(3, 4)(x.conj().imag)


def test_c6_subclasses_have_no_memory(torch):
    fake = pytest.importorskip("torch._subclasses.fake_tensor")
    mm, b = ts.brgemm(4, 4, 4, beta=0), matrix(torch, (4, 4), "f32")
    with fake.FakeTensorMode() as mode:
        x = mode.from_tensor(b)
    with pytest.raises(TypeError, match="^a: a torch.Tensor, not its subclass FakeTensor"):
        mm(x, b)


def test_c1_inference_mode_and_transformations(torch):
    mm, b = ts.brgemm(4, 4, 4, beta=0), matrix(torch, (4, 4), "f32")
    with torch.inference_mode():
        x = b + 0
        for _ in range(3):
            assert torch.equal(mm(x, b), b @ b)
    for transformed in (torch.vmap(lambda a: mm(a, b)), torch.func.grad(lambda a: mm(a, b).sum())):
        with pytest.raises(TypeError, match="^a: "):
            transformed(b)


def test_c1_views_offsets_and_lazy_copies(torch):
    whole, b = matrix(torch, (3, 4, 4), "f32"), matrix(torch, (4, 4), "f32")
    mm, gapped = ts.brgemm(4, 4, 4, beta=0), ts.brgemm(2, 4, 4, beta=0, lda=ts.RUNTIME)
    columns = ts.brgemm(4, 4, 4, beta=0, order=("F", "C", "C"))
    c = torch.zeros(4, 4)
    for _ in range(2):
        assert torch.equal(mm(whole[2], b), whole[2] @ b)
        assert torch.equal(gapped(whole[1, ::2], b), whole[1, ::2] @ b)
        assert torch.equal(columns(whole[1].T, b), whole[1].T @ b)
    shared = torch._lazy_clone(c)
    mm(b, b, shared)
    assert torch.equal(shared, b @ b)
    assert not c.any(), "an output whose memory is another tensor's until it is written to"


def test_c1_memory_and_references(torch):
    """None of the results of 64 KiB is kept, no argument has more references, and a refused call leaves no trace."""
    a, b, c = (matrix(torch, (128, 128), "f32") for _ in range(3))
    mm, wrong = ts.brgemm(128, 128, 128, beta=0), a.clone().requires_grad_()
    for _ in range(3):
        mm(a, b)
    before, memory = [sys.getrefcount(each) for each in (a, b, c, wrong)], resident()
    for i in range(scaled(2_000, 100_000)):
        mm(a, b)
        mm(a, b, c)
        if i % 64 == 0:
            with contextlib.suppress(TypeError):
                mm(wrong, b)
    gc.collect()
    assert [sys.getrefcount(each) for each in (a, b, c, wrong)] == before
    assert resident() - memory < 16 << 20
