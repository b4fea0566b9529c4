"""Mistakes with modules, `freeze` and `explain` are told where they are made; what is printed names what was made."""

from __future__ import annotations

import re

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the extra torch")

from torch import nn  # noqa: E402

from tilesmith.integrations import torch as tst  # noqa: E402


def model(dtype=torch.float32):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(32, 8), nn.GELU(), nn.Linear(8, 4), nn.PReLU()).to(dtype).eval()


@pytest.mark.parametrize(("given", "error"), [("gelo", ValueError), ("GELU", ValueError), (nn.GELU(), TypeError)])
def test_an_unknown_activation_is_refused_where_it_is_given(given, error):
    for make in (lambda: tst.Linear(8, 4, activation=given), lambda: tst.Activation(given)):
        with pytest.raises(error, match="activation: one of") as told:
            make()
        assert error is TypeError or str(told.value).endswith("did you mean 'gelu'?")


def test_no_activation_is_none():
    x, w = torch.randn(3, 8), torch.randn(4, 8)
    assert torch.equal(tst.linear(x, w, None, None), tst.linear(x, w))
    assert tst.Linear(8, 4, activation=None).activation == "none"


def test_what_is_printed():
    assert repr(tst.Linear(8, 4)) == "tst.Linear(in_features=8, out_features=4, bias=True)"
    assert repr(tst.Linear(8, 4, activation="gelu")).endswith("bias=True, activation=gelu)")
    assert repr(tst.Activation("gelu")) == "tst.Activation(gelu)"
    assert repr(tst.Softmax(-1)) == "tst.Softmax(dim=-1)"
    assert repr(type("Own", (tst.Linear,), {})(8, 4)).startswith("Own(")
    shown = {None: "packed f32", "bf16": "packed bf16", "int8": "i8, groups of 32"}
    for dtype, weights in shown.items():
        frozen = model()
        tst.freeze(frozen, dtype)
        assert repr(frozen[0]).endswith(f"bias=True, activation=gelu, weights={weights})")


@pytest.mark.parametrize(
    ("spellings", "what"),
    [
        (("bf16", "bfloat16", torch.bfloat16), "packed weights of bf16"),
        (("int8", "i8", torch.int8), "weights of int8, groups of 32"),
        (("int4", "i4"), "weights of int4, groups of 32"),
    ],
)
def test_spellings_of_types(spellings, what):
    for each in spellings:
        report = tst.freeze(model(), each)
        assert report.replaced["0"] == what
        assert report.left == {"3": "no kernel here for PReLU"}


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"dtype": torch.float16}, ValueError, 'dtype: None, "bf16", "int8" or "int4", not torch.float16'),
        ({"dtype": "int9"}, ValueError, "no element type is called 'int9'"),
        ({"dtype": 8}, TypeError, "dtype: an element type"),
        ({"dtype": "int8", "group": 0}, ValueError, "group: a multiple of 16"),
        ({"dtype": "int8", "group": 7}, ValueError, "group: a multiple of 16"),
        ({"dtype": "int8", "group": 2.5}, TypeError, "group: a multiple of 16"),
    ],
)
def test_what_freeze_refuses(options, error, words):
    given = model()
    with pytest.raises(error, match=re.escape(words)):
        tst.freeze(given, **options)
    assert type(given[0]) is nn.Linear  # nothing was replaced


def test_freeze_takes_modules():
    with pytest.raises(TypeError, match="model: a torch.nn.Module, not function"):
        tst.freeze(model)


@pytest.mark.parametrize("dtype", [None, "int8"])
def test_inputs_of_another_shape_or_type(dtype):
    frozen = model(torch.float16 if dtype is None else torch.float32)
    tst.freeze(frozen, dtype)
    with pytest.raises(ValueError, match=re.escape("input: shape (..., 32), not (4, 16)")):
        frozen(torch.zeros(4, 16, dtype=torch.float16))
    if dtype is None:
        with pytest.raises(TypeError, match="input: torch.float16, the type of the layer when its weights were packed"):
            frozen(torch.zeros(4, 32))


def test_frozen_models_want_no_gradients_and_are_not_converted():
    """A norm's weights still required gradients, so that torch.compile failed outside of torch.no_grad."""
    frozen = nn.Sequential(nn.LayerNorm(32), nn.Conv1d(1, 1, 1), nn.Linear(32, 4)).eval()
    tst.freeze(frozen)
    assert not any(each.requires_grad for each in frozen.parameters())
    with pytest.raises(TypeError, match="the layer was converted to torch.float16 after its weights were packed"):
        frozen[2].half()(torch.zeros(3, 32))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        (
            {"frezee": True},
            ValueError,
            "options: one of 'freeze', 'strict', 'fallback_random', not 'frezee'; did you mean 'freeze'?",
        ),
        ({"freeze": 1}, TypeError, "options: freeze is True or False, not 1"),
    ],
)
def test_unknown_options(options, error, words):
    with pytest.raises(error, match=re.escape(words)):
        tst.explain(torch.relu, torch.zeros(2), options=options)
    with pytest.raises(Exception, match=re.escape(words)):  # torch wraps what backends raise in an error of its own
        torch.compile(torch.relu, backend="tilesmith", options=options)(torch.zeros(2))


def test_explain_takes_functions():
    with pytest.raises(TypeError, match="model: a module or a function, not Tensor"):
        tst.explain(torch.zeros(2))


class Recurrent(nn.Module):
    """A layer, an LSTM or GRU, and a layer."""

    def __init__(self, kind):
        super().__init__()
        self.before, self.recurrent, self.after = nn.Linear(4, 4), kind(4, 8, batch_first=True), nn.Linear(8, 2)

    def forward(self, x):
        return self.after(self.recurrent(self.before(x))[0])


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_recurrent_layers_are_named(kind):
    x, given = torch.randn(2, 3, 4), Recurrent(kind).eval()
    with torch.no_grad():
        for _ in range(2):  # torch.compile remembers what it gave up, and explain names it again
            report = tst.explain(given, x)
            assert [each.name for each in report.breaks] == [f"{kind.__name__}(4, 8, batch_first=True)"]
            assert "torch._dynamo.config.allow_rnn=True" in str(report)
        with torch._dynamo.config.patch(allow_rnn=True):
            report = tst.explain(given, x)
            assert report and not report.breaks
            assert all("LSTM" in reason for reason in report.fallbacks.values())


def test_explain_can_be_asked_any_number_of_times():
    """Each time was one more way to compile the same code, of which torch allows 8."""

    def twice(x):
        return x * 2

    with torch._dynamo.config.patch(recompile_limit=1):
        assert [tst.explain(twice, torch.zeros(3)).kernels for _ in range(3)] == [1] * 3
