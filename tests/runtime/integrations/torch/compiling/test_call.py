"""Graphs of torch.compile whose first size calls give: one lowering for all numbers, against eager torch in f64."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch", minversion="2.6")

from torch import nn  # noqa: E402  # after the check that torch is there
from torch.nn import functional as F  # noqa: E402

from tilesmith.integrations import torch as tst  # noqa: E402
from tilesmith.runtime.integrations.torch.compiling import backend  # noqa: E402
from tilesmith.runtime.integrations.torch.compiling.call import GraphOptions  # noqa: E402


class Feedforward(nn.Module):
    """The half of a transformer block that has no attention."""

    def __init__(self, width=16):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 6 * width), nn.Linear(6 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


def _perceptron():
    return nn.Sequential(nn.Linear(24, 40), nn.ReLU(), nn.Linear(40, 300), nn.SiLU(), nn.Linear(300, 7), nn.Softmax(-1))


class Mixing(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 4)

    def forward(self, x):
        q, k, v = self.qkv(x).view(-1, 5, 3, 2, 8).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(-1, 5, 16))


def _images():
    return nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 3)
    )


MODELS = {"perceptron": (_perceptron, (24,)), "feedforward": (Feedforward, (5, 16))}
TRAINED = {"perceptron": MODELS["perceptron"], "attention": (Mixing, (5, 16)), "images": (_images, (3, 6, 6))}


@pytest.mark.parametrize("freeze", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_one_lowering_serves_all_numbers_of_rows(name, freeze):
    torch.manual_seed(0)
    make, shape = MODELS[name]
    model = make()
    exact = copy.deepcopy(model).double()
    calls = []

    def collecting(module, inputs):
        made = backend.compiled(module, inputs, GraphOptions(freeze=freeze))
        calls.extend(made.graphs)
        return made

    torch._dynamo.reset()
    fast = torch.compile(model, backend=collecting, fullgraph=True)
    with torch.no_grad():
        for rows in (33, 2, 7, 100):
            x = torch.randn(rows, *shape)
            torch._dynamo.mark_dynamic(x, 0)
            torch.testing.assert_close(fast(x).double(), exact(x.double()), rtol=1e-4, atol=1e-5)
        (call,) = calls
        assert len(call.reports) == 1, "a program for each number"
        assert "for sizes of any" in str(call.reports[0]) and not call.reports[0].fallbacks
        for rows in (0, 1):
            x = torch.randn(rows, *shape)
            torch.testing.assert_close(fast(x).double(), exact(x.double()), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", TRAINED)
def test_one_lowering_trains_any_batch(name):
    torch.manual_seed(0)
    make, shape = TRAINED[name]
    model = make()
    exact, calls = copy.deepcopy(model).double(), []

    def collecting(module, inputs):
        made = backend.compiled(module, inputs, GraphOptions())
        calls.extend(made.graphs)
        return made

    torch._dynamo.reset()
    fast = torch.compile(model, backend=collecting, fullgraph=True)
    for rows in (33, 2, 7, 100):
        x = torch.randn(rows, *shape)
        torch._dynamo.mark_dynamic(x, 0)
        model.zero_grad(), exact.zero_grad()
        fast(x).square().sum().backward()
        exact(x.double()).square().sum().backward()
        for one, other in zip(model.parameters(), exact.parameters()):
            torch.testing.assert_close(one.grad.double(), other.grad, rtol=1e-4, atol=1e-5 * rows)
    for call in calls:
        assert [report.kind for report in call.reports] == [call.kind], "\n".join(map(str, call.reports))


def test_batch_norms_that_do_not_train_are_kernels():
    torch._dynamo.reset()
    model, x = nn.BatchNorm2d(3).eval(), torch.randn(2, 3, 4, 4)
    with torch.no_grad():
        model.running_mean.copy_(torch.randn(3))
        fast = torch.compile(model, backend="tilesmith", options={"strict": True})
        torch.testing.assert_close(fast(x), model(x))


def test_what_depends_on_the_number_says_why():
    torch._dynamo.reset()
    model = lambda x: (x * 2).argmax(0)  # noqa: E731
    fast = torch.compile(model, backend="tilesmith", dynamic=True, fullgraph=True)
    for rows in (3, 5):
        x = torch.randn(rows, 8)
        torch.testing.assert_close(fast(x), model(x))
    x = torch.randn(9, 8)
    torch._dynamo.mark_dynamic(x, 0)
    report = tst.explain(fast, x)
    assert "for sizes of 9" in str(report) and "a reduction over the rows" in str(report)
