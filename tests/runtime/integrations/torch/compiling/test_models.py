"""Models by torch.compile(backend="tilesmith"): results, gradients and statistics against eager torch in f64."""

from __future__ import annotations

import copy
import os
import subprocess
import threading

import pytest

torch = pytest.importorskip("torch", minversion="2.6")

from torch import nn  # noqa: E402  # after the check that torch is there
from torch.nn import functional as F  # noqa: E402

from tilesmith.integrations import torch as tst  # noqa: E402
from tilesmith.runtime.cache import store  # noqa: E402
from tilesmith.runtime.graph import lower  # noqa: E402


class Block(nn.Module):
    """A transformer block with norms first and causal attention."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads, self.norm1, self.norm2 = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, rows, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, rows, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(heads.transpose(1, 2).reshape(batch, rows, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


def _perceptron():
    return nn.Sequential(nn.Linear(24, 40), nn.ReLU(), nn.Linear(40, 40), nn.SiLU(), nn.Linear(40, 7), nn.Softmax(-1))


def _images():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, stride=2, groups=2),
        nn.GroupNorm(2, 8),
        nn.Hardswish(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 5),
    )


def _tokens():
    return nn.Sequential(nn.Embedding(50, 32), Block(), nn.RMSNorm(32), nn.Linear(32, 50), nn.LogSoftmax(-1))


MODELS = {
    "perceptron": (_perceptron, lambda: torch.randn(6, 24)),
    "block": (Block, lambda: torch.randn(2, 9, 32)),
    "images": (_images, lambda: torch.randn(2, 3, 12, 14)),
    "tokens": (_tokens, lambda: torch.randint(0, 50, (2, 9))),
}


@pytest.fixture(autouse=True)
def _fresh():
    torch.manual_seed(0)
    torch._dynamo.reset()


def _made(name):
    model, x = (each() for each in MODELS[name])
    exact = copy.deepcopy(model).double()
    return model, exact, x, x.double() if x.is_floating_point() else x


@pytest.mark.parametrize("freeze", [False, True])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.grid(1)
def test_programs_of_a_cache_folder(name, freeze, monkeypatch, tmp_path):
    """A model that was compiled before is neither partitioned nor lowered, and computes the same bits."""
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path / "cache"))
    model, exact, x, wide = _made(name)

    def results():
        torch._dynamo.reset()
        own = copy.deepcopy(model)  # for a step of training changes what batch norms have seen
        fast = torch.compile(own, backend="tilesmith", fullgraph=True, options={"freeze": freeze})
        with torch.no_grad():
            inferred = fast.eval()(x)
        fast.train()(x).square().sum().backward()
        return [inferred, *(each.grad for each in own.parameters())]

    first = results()
    torch.testing.assert_close(first[0].double(), exact.eval()(wide), rtol=1e-5, atol=1e-5)
    store.flush()
    monkeypatch.setattr(lower, "LoweredProgram", None)
    assert all(map(torch.equal, results(), first))


@pytest.mark.parametrize("freeze", [False, True])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.grid(1)
def test_inference(name, freeze):
    model, exact, x, wide = _made(name)
    fast = torch.compile(model.eval(), backend="tilesmith", fullgraph=True, options={"freeze": freeze})
    with torch.no_grad():
        for _ in range(2):
            torch.testing.assert_close(fast(x).double(), exact.eval()(wide), rtol=1e-5, atol=1e-5)
    with torch.inference_mode():
        torch.testing.assert_close(fast(x).double(), exact(wide), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.grid(1)
def test_training(name):
    model, exact, x, wide = _made(name)
    fast = torch.compile(model, backend="tilesmith", fullgraph=True)
    for net, given in ((fast, x), (exact, wide)):
        for _ in range(2):  # the second step adds to gradients and moves statistics on
            net(given).square().mean().backward()
    for one, other in zip(model.parameters(), exact.parameters()):
        torch.testing.assert_close(one.grad.double(), other.grad, rtol=1e-4, atol=1e-6)
    for one, other in zip(model.buffers(), exact.buffers()):
        torch.testing.assert_close(one.double(), other.double(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["perceptron", "block"])
def test_kernels_compute_all_of_a_model(name):
    model, _, x, _ = _made(name)
    report = tst.explain(lambda x: model(x), x)  # which no one can ask for its parameters
    assert not report.fallbacks and all(each.grad is None for each in model.parameters()), report
    assert [each.kind for each in report] == ["forward", "backward"]
    assert report.kernels
    torch.compile(model, backend="tilesmith", options={"strict": True})(x).sum().backward()


def test_results_of_numbers_of_rows_that_change_are_right():
    model, exact, _, _ = _made("block")
    fast = torch.compile(model, backend="tilesmith", dynamic=True, fullgraph=True)
    counters = torch._dynamo.utils.counters["stats"]
    before = counters["unique_graphs"]
    with torch.no_grad():
        for batch, rows in ((2, 9), (3, 9), (2, 5)):
            x = torch.randn(batch, rows, 32)
            torch.testing.assert_close(fast(x).double(), exact(x.double()), rtol=1e-5, atol=1e-5)
    assert counters["unique_graphs"] <= before + 2, "a graph for each number of rows"


def test_gradients_of_numbers_of_rows_that_change_are_right():
    model, exact, _, _ = _made("perceptron")
    fast = torch.compile(model, backend="tilesmith", dynamic=True, fullgraph=True)
    for rows in (4, 6, 3):
        x = torch.randn(rows, 24)
        model.zero_grad(), exact.zero_grad()
        fast(x).square().sum().backward()
        exact(x.double()).square().sum().backward()
        for one, other in zip(model.parameters(), exact.parameters()):
            torch.testing.assert_close(one.grad.double(), other.grad, rtol=1e-4, atol=1e-6)


def test_two_threads_call_at_once():
    model, exact, _, _ = _made("block")
    fast = torch.compile(model, backend="tilesmith", fullgraph=True)
    inputs = [torch.randn(2, 9, 32) for _ in range(2)]
    with torch.no_grad():
        wanted = [exact(each.double()) for each in inputs]
        fast(inputs[0])
    failures = []

    def work(x, expected):
        with torch.no_grad():
            for _ in range(50):
                if not torch.allclose(fast(x).double(), expected, rtol=1e-5, atol=1e-5):
                    failures.append("another result")

    threads = [threading.Thread(target=work, args=each) for each in zip(inputs, wanted)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures


def test_autocast_gives_the_types_of_torch():
    model, _, x, _ = _made("block")
    fast = torch.compile(model, backend="tilesmith", fullgraph=True)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        found, expected = fast(x), model(x)
    assert found.dtype == expected.dtype
    torch.testing.assert_close(found, expected, rtol=3e-2, atol=3e-2)


def test_an_exported_program_compiles():
    model, exact, x, wide = _made("perceptron")
    program = torch.export.export(model.eval(), (x,))
    fast = torch.compile(program.module(), backend="tilesmith")
    with torch.no_grad():
        torch.testing.assert_close(fast(x).double(), exact(wide), rtol=1e-5, atol=1e-5)


def test_results_may_be_arguments_and_views_of_them():
    def function(x, y):
        return x, x.t(), (x + y).view(-1), y[1:], torch.ones(2), None, (x + y)[0]

    fast = torch.compile(function, backend="tilesmith", fullgraph=True)
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    for one, other in zip(fast(x, y), function(x, y)):
        assert one is other or torch.equal(one, other)
    assert fast(x, y)[3].untyped_storage().data_ptr() == y.untyped_storage().data_ptr()


def test_arguments_that_are_written_to_are_written_to():
    def function(x, y):
        x.mul_(2)
        y[0] = x.sum()
        return x + y

    fast = torch.compile(function, backend="tilesmith", fullgraph=True)
    one, other = ([torch.arange(6.0).view(2, 3), torch.ones(2, 3)] for _ in range(2))
    torch.testing.assert_close(fast(*one), function(*other))
    for each, expected in zip(one, other):
        torch.testing.assert_close(each, expected)


def test_arguments_of_any_strides():
    def function(x, y):
        return torch.softmax(x @ y, -1) * x.sum()

    fast = torch.compile(function, backend="tilesmith", fullgraph=True)
    for x, y in (
        (torch.randn(5, 4).t(), torch.randn(12, 10)[::2, 1::2][:5]),
        (torch.randn(5).expand(4, 5), torch.randn(5, 1).expand(5, 6)),
    ):
        torch.testing.assert_close(fast(x, y), function(x, y), rtol=1e-5, atol=1e-5)


def test_random_numbers_are_those_of_torch():
    def function(x):
        return F.dropout(x, 0.5) + torch.rand(3), F.dropout(x, 0.2)

    fast = torch.compile(function, backend="tilesmith", fullgraph=True)
    x = torch.randn(4, 3)
    torch.manual_seed(3)
    expected = function(x)
    torch.manual_seed(3)
    torch.testing.assert_close(fast(x), expected)


def test_what_no_kernel_computes_is_named_with_the_reason():
    def function(x):
        return torch.special.bessel_j0(x) + 1

    x = torch.randn(3)
    report = tst.explain(function, x)
    assert list(report.fallbacks) == ["aten.special_bessel_j0.default"]
    assert "special_bessel_j0" in str(report)
    torch.testing.assert_close(torch.compile(function, backend="tilesmith")(x), function(x))
    with pytest.raises(Exception, match="(?s)strict.*special_bessel_j0"):
        torch.compile(function, backend="tilesmith", options={"strict": True})(x)


def test_an_error_of_torch_reaches_the_caller():
    fast = torch.compile(lambda x: torch.linalg.inv(x) + 1, backend="tilesmith", fullgraph=True)
    assert torch.isfinite(fast(torch.eye(3))).all()
    with pytest.raises(RuntimeError, match="singular"):
        fast(torch.zeros(3, 3))


def test_sizes_that_depend_on_elements_are_left_to_torch():
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        fast = torch.compile(lambda x: x.nonzero() + 1, backend="tilesmith", fullgraph=True)
        torch.testing.assert_close(fast(torch.tensor([0.0, 2, 3])), torch.tensor([[2], [3]]))


def test_no_compiler_is_needed(monkeypatch, tmp_path):
    """Nothing is called from PATH, neither by a compiled model nor by functions and an optimizer."""

    def started(*args, **_):
        raise AssertionError(f"a process: {args}")

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(subprocess, "Popen", started)
    monkeypatch.setattr(os, "system", started)
    x, w = torch.randn(4, 13, requires_grad=True), torch.randn(5, 13, requires_grad=True)
    tst.softmax(tst.linear(x, w, activation="gelu")).sum().backward()
    tst.AdamW([x, w]).step()
    model = torch.nn.Sequential(torch.nn.Linear(11, 17), torch.nn.GELU(), torch.nn.Linear(17, 4))
    x = torch.randn(3, 11)
    assert torch.allclose(torch.compile(model, backend="tilesmith", fullgraph=True)(x), model(x), atol=1e-6)
