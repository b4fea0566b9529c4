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
    with pytest.raises(ValueError, match="not Linear itself"):
        tst.freeze(nn.Linear(3, 4).eval())


class _Scaled(nn.Module):
    """A module of one's own, with a parameter, a layer, and a function."""

    def __init__(self):
        super().__init__()
        self.scale, self.layer, self.swish = nn.Parameter(torch.ones(3)), nn.Linear(6, 3), _Swish()

    def forward(self, x):
        return self.swish(self.layer(x) * self.scale)


class _Swish(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


@torch.no_grad()
def test_modules_of_ones_own_are_named_and_their_layers_replaced():
    model, x = nn.Sequential(_Scaled(), nn.ConvTranspose1d(1, 1, 1)).eval(), torch.randn(5, 6)
    wanted = model[0](x)
    report = tst.freeze(model)
    assert report.left == {
        "0": "parameters of its own: scale",
        "0.swish": "no kernel here for _Swish",
        "1": "no kernel here for ConvTranspose1d",
    }
    assert type(model[0].layer) is tst.PackedLinear and torch.allclose(model[0](x), wanted, atol=1e-6)


@torch.no_grad()
def test_modules_that_read_weights_of_their_layers_stay():
    model, x = nn.Sequential(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)).eval(), torch.randn(2, 5, 8)
    wanted = model(x)
    report = tst.freeze(model)
    assert report.left["0"] == "TransformerEncoderLayer reads the weights of its layers itself"
    assert torch.allclose(model(x), wanted, atol=1e-6)


@torch.no_grad()
def test_norms_of_batches_are_in_the_weights():
    model = nn.Sequential(
        *(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten()),
        *(nn.Linear(16, 6), nn.BatchNorm1d(6), nn.GELU(), nn.Linear(6, 2, bias=False), nn.BatchNorm1d(2, affine=False)),
    )
    for each in model:
        if isinstance(each, (nn.BatchNorm1d, nn.BatchNorm2d)):
            each.running_mean.normal_()
            each.running_var.uniform_(0.5, 2)
    model, x = model.double().eval(), torch.randn(5, 3, 4, 4, dtype=torch.float64)
    frozen = copy.deepcopy(model)
    report = tst.freeze(frozen)
    assert torch.allclose(frozen(x), model(x), atol=1e-12)
    assert report.left == {"8": "no kernel here for BatchNorm1d"}
    assert [report.replaced[each] for each in ("1", "2", "5", "6")] == [
        "in the weights of 0",
        "relu, in the kernel of 0",
        "in the weights of 4",
        "gelu, in the kernel of 4",
    ]


def test_bf16_says_what_stays_and_groups_that_do_not_fit_are_named():
    for dtype in (torch.float64, torch.float16):
        report = tst.freeze(nn.Sequential(nn.Linear(8, 4)).to(dtype).eval(), dtype="bf16")
        assert report.replaced == {"0": f"packed weights, which stay {dtype}"}
    assert "0: weights of int8, groups of 16" in str(
        tst.freeze(nn.Sequential(nn.Linear(32, 4)).eval(), "int8", group=16)
    )


def test_frozen_layers_that_are_loaded_compute_with_what_was_loaded():
    """A layer keeps where its weights lie; other weights may be loaded to the same place."""
    models, x = [nn.Sequential(nn.Linear(8, 4)).eval() for _ in range(2)], torch.randn(3, 8)
    for each in models:
        tst.freeze(each)
    with torch.no_grad():
        wanted = models[0](x)
        assert not torch.equal(models[1](x), wanted)
        models[1].load_state_dict(models[0].state_dict())
        assert torch.equal(models[1](x), wanted)
        wrong = {name: each.clone() for name, each in models[0].state_dict().items()}
        wrong["0.packed"][-1] ^= 1
        models[1].load_state_dict(wrong)
        with pytest.raises(ValueError, match="another processor"):
            models[1](x)


CONVOLUTIONS = {
    "sequences": (nn.Conv1d(4, 6, 4, padding="same", dilation=2), (3, 4, 11)),
    "images": (nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), (2, 4, 9, 8)),
    "depthwise": (nn.Conv2d(4, 4, 3, padding=1, groups=4, bias=False), (2, 4, 7, 8)),
    "volumes": (nn.Conv3d(2, 3, (1, 2, 3)), (1, 2, 4, 5, 6)),
}


@pytest.mark.parametrize("dtype, error", [(torch.float32, 1e-5), (torch.float64, 1e-12), (torch.bfloat16, 2e-2)])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_frozen_convolutions_compute_the_same_in_all_layouts(name, dtype, error):
    """The oracle is torch in f64. Sums of bf16 are rounded once, and so is the gelu of them."""
    layer, shape = CONVOLUTIONS[name]
    model = nn.Sequential(copy.deepcopy(layer), nn.GELU()).to(dtype).eval()
    frozen, exact = copy.deepcopy(model), copy.deepcopy(model).double()
    report = tst.freeze(frozen)
    assert set(report.replaced) == {"0", "1"} and not report.left
    assert frozen.state_dict().keys() == model.state_dict().keys()
    for x in (
        torch.randn(shape),
        torch.randn(shape).movedim(1, -1).contiguous().movedim(-1, 1),
        torch.randn(shape[1:]),
    ):
        given = x.to(dtype)
        with torch.no_grad():
            wanted = exact(given.double())
            for each in (frozen, copy.deepcopy(frozen)):
                assert each(given).dtype == dtype and each(given).shape == wanted.shape
                assert (each(given).double() - wanted).abs().max() < error
    given.requires_grad_()
    wide = given.detach().double().requires_grad_()
    ours, theirs = (torch.autograd.grad(f(x).sum(), x)[0] for f, x in ((frozen, given), (exact, wide)))
    assert (ours.double() - theirs).abs().max() < 4 * error


@torch.no_grad()
def test_frozen_convolutions_follow_what_is_loaded_and_name_what_stays():
    models, x = [nn.Sequential(nn.Conv2d(2, 3, 3)).eval() for _ in range(2)], torch.randn(1, 2, 5, 5)
    wanted, state = models[0](x), models[0].state_dict()
    assert tst.freeze(models[1], "int8").replaced == {
        "0": "weights packed at the first call of a shape, which stay torch.float32: convolutions by weights of 8 bits "
        "take x of 8 bits, too, as tilesmith.conv does"
    }
    assert not torch.allclose(models[1](x), wanted, atol=1e-5)
    models[1].load_state_dict(state)
    assert torch.allclose(models[1](x), wanted, atol=1e-5)
    assert torch.allclose(models[1].double()(x.double()), wanted.double(), atol=1e-5)
    with pytest.raises(RuntimeError, match="constants"):
        models[1].train()
    with pytest.raises(ValueError, match="no kernel multiplies f32 by f64"):
        models[1](x)
    left = tst.freeze(nn.Sequential(nn.Conv1d(2, 3, 3, padding=1, padding_mode="circular")).eval()).left
    assert left == {"0": "padding_mode circular"}


def test_models_are_traced_and_not_scripted():
    """A trace has the operators, so that it serves other extents and is differentiated; a script is refused."""
    x, more = torch.randn(3, 8), torch.randn(5, 8)
    theirs = nn.Sequential(nn.Linear(8, 4), nn.GELU(), nn.LayerNorm(4), nn.Softmax(-1))
    model = nn.Sequential(tst.Linear(8, 4), nn.GELU(), tst.LayerNorm(4), tst.Softmax(-1))
    model.load_state_dict(theirs.state_dict())
    traced = torch.jit.trace(model, x)
    assert "tilesmith::linear" in str(traced.inlined_graph) and "_direct_" not in str(traced.inlined_graph)
    torch.testing.assert_close(traced(more), theirs(more))
    g = torch.randn(5, 4)
    traced(more).backward(g)
    theirs(more).backward(g)
    torch.testing.assert_close(model[0].weight.grad, theirs[0].weight.grad)
    for each in (model, tst.Linear(3, 4), nn.Sequential(tst.RMSNorm(4))):
        with pytest.raises(TypeError, match="torch.jit.script: not of tst.*; torch.jit.trace, torch.export"):
            torch.jit.script(each)
    frozen = nn.Sequential(nn.Linear(8, 4)).eval()
    with torch.no_grad():
        wanted = frozen(more)
        tst.freeze(frozen)
        torch.testing.assert_close(torch.jit.trace(frozen, x)(more), wanted)
    with pytest.raises(TypeError, match="torch.jit.script: not of tst.PackedLinear"):
        torch.jit.script(frozen)
