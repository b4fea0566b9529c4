"""Modules, frozen models and optimizers: torch's own are the oracle."""

from __future__ import annotations

import copy
import io

import pytest

torch = pytest.importorskip("torch", minversion="2.6")

from torch import nn  # noqa: E402  # after the check that torch is there

from tilesmith.integrations import torch as tst  # noqa: E402


def _model():
    torch.manual_seed(3)
    layers = [
        nn.Linear(12, 32),
        nn.GELU(),
        nn.LayerNorm(32),
        nn.Linear(32, 8),
        nn.ReLU(),
        nn.RMSNorm(8),
        nn.Softmax(-1),
    ]
    return nn.Sequential(*layers).eval()


def test_state_dicts_are_those_of_torch():
    for ours, theirs in ((tst.Linear(5, 3), nn.Linear(5, 3)), (tst.LayerNorm(5), nn.LayerNorm(5))):
        ours.load_state_dict(theirs.state_dict())
        x = torch.randn(2, 5)
        assert torch.allclose(ours(x), theirs(x), atol=1e-6)


@torch.no_grad()
def test_frozen_models_compute_the_same_and_are_copied_and_saved():
    model, x = _model(), torch.randn(7, 12)
    frozen = copy.deepcopy(model)
    report = tst.freeze(frozen)
    assert not report.left and report.replaced["1"] == "gelu, in the kernel of 0"
    file = io.BytesIO()
    torch.save(frozen, file)
    file.seek(0)
    for each in (frozen, copy.deepcopy(frozen), torch.load(file, weights_only=False)):
        assert torch.allclose(each(x), model(x), atol=1e-6)
    with pytest.raises(RuntimeError, match="constants"):
        frozen.train()


@torch.no_grad()
@pytest.mark.parametrize("dtype, error", [("bf16", 2e-2), ("int8", 3e-2), ("int4", 0.3)])
def test_frozen_weights_of_narrower_types(dtype, error):
    """The oracle is the model with the weights that the layers hold."""
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 8)).eval()
    frozen, rounded, x = copy.deepcopy(model), copy.deepcopy(model), torch.randn(5, 64)
    report = tst.freeze(frozen, dtype=dtype, group=16)
    assert len(report.replaced) == 3 and not report.left
    for each, layer in zip((rounded[0], rounded[2]), (frozen[0], frozen[2])):
        held = each.weight.bfloat16().float() if dtype == "bf16" else torch.from_numpy(layer.weights.dense("f32")).t()
        each.weight.copy_(held)
    for each in (frozen, copy.deepcopy(frozen)):
        assert torch.allclose(each(x), rounded(x), atol=1e-5)
        assert (each(x) - model(x)).abs().max() < error


def test_what_has_no_kernel_is_named():
    model = nn.Sequential(nn.Linear(4, 4), nn.PReLU(), nn.Dropout()).eval()
    report = tst.freeze(model)
    assert report.left == {"1": "no kernel here for PReLU"} and type(model[1]) is nn.PReLU
    with pytest.raises(ValueError, match="eval"):
        tst.freeze(_model().train())


@pytest.mark.parametrize(
    "name, options",
    [
        ("SGD", {"lr": 1e-2}),
        ("SGD", {"lr": 1e-2, "momentum": 0.9, "weight_decay": 0.1}),
        ("Adam", {"lr": 1e-2}),
        ("AdamW", {"lr": 1e-2, "weight_decay": 0.1}),
    ],
)
def test_steps_are_those_of_torch(name, options):
    x = torch.randn(7, 12)
    models = _model(), _model()
    optimizers = [
        getattr(module, name)(model.parameters(), **options) for module, model in zip((tst, torch.optim), models)
    ]
    for _ in range(4):
        for model, optimizer in zip(models, optimizers):
            optimizer.zero_grad()
            model(x).square().sum().backward()
            optimizer.step()
    for one, other in zip(*(model.parameters() for model in models)):
        assert torch.allclose(one, other, atol=1e-6)
