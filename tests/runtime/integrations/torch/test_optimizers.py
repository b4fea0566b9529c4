"""Optimizers: torch's own in f64 are the oracle, and LAMB's definition in numpy."""

from __future__ import annotations

import copy
import gc
import io

import numpy as np
import pytest

torch = pytest.importorskip("torch", minversion="2.6")

from tests.profiles import scaled  # noqa: E402  # after the check that torch is there
from tilesmith.integrations import torch as tst  # noqa: E402

SHAPES = (70, 33), (10,), (64, 64), (1,), (513, 65), (0, 3), ()
"""With and without whole rows of 64 elements, of more than a piece, of none, and of a number."""
CASES = [  # a decay that each type has: where g + decay w is 0, the direction of Adam has a jump
    ("SGD", {}),
    ("SGD", {"weight_decay": 0.125, "maximize": True}),
    ("SGD", {"momentum": 0.9, "dampening": 0.3, "weight_decay": 0.125}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "foreach": True}),
    ("Adam", {}),
    ("Adam", {"weight_decay": 0.125, "amsgrad": True}),
    ("AdamW", {"weight_decay": 0.125, "fused": True, "betas": (0.8, 0.9)}),
    ("AdamW", {"amsgrad": True, "maximize": True, "eps": 1e-6}),
    ("Adagrad", {"initial_accumulator_value": 0.25}),
    ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.125, "maximize": True, "initial_accumulator_value": 0.25}),
    ("RMSprop", {"alpha": 0.8, "weight_decay": 0.125}),
    ("RMSprop", {"momentum": 0.9, "maximize": True}),
    ("RMSprop", {"centered": True}),
    ("RMSprop", {"momentum": 0.9, "centered": True}),
]


def _drawn(shape, seed, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def _parameters(dtype=torch.float64, shapes=SHAPES):
    return [_drawn(shape, number, dtype).requires_grad_() for number, shape in enumerate(shapes)]


def _stepped(optimizer, parameters, step, dtype=torch.float64):
    for number, each in enumerate(parameters):
        each.grad = _drawn(each.shape, 100 * step + number, dtype).to(each.dtype)
    optimizer.step()


@pytest.mark.parametrize("dtype, error", [(torch.float64, 1e-13), (torch.float32, 3e-6)], ids=str)
@pytest.mark.parametrize("name, options", CASES, ids=str)
def test_steps_are_those_of_torch(name, options, dtype, error):
    """Of parameters whose values and gradients are of the type; torch computes in f64."""
    ours = _parameters(dtype)
    theirs = [each.detach().double().requires_grad_() for each in ours]
    pairs = [
        (getattr(module, name)(those, lr=0.05, **options), those)
        for module, those in ((tst, ours), (torch.optim, theirs))
    ]
    for step in range(4):
        for optimizer, those in pairs:
            _stepped(optimizer, those, step, dtype)
    for one, other in zip(ours, theirs):
        assert torch.allclose(one.double(), other, atol=error, rtol=error)


def test_lion_is_its_definition():
    """Chen et al., algorithm 2, in numpy's f64; the first weights of a step do not depend on the size of gradients."""
    ours = _parameters(torch.float64)
    theirs = [each.detach().numpy().copy() for each in ours]
    means = [np.zeros_like(each) for each in theirs]
    optimizer = tst.Lion(ours, lr=0.05, betas=(0.8, 0.9), weight_decay=0.125)
    for step in range(3):
        _stepped(optimizer, ours, step)
        for number, each in enumerate(ours):
            g, m, w = each.grad.numpy(), means[number], theirs[number]
            theirs[number] = w - 0.05 * (np.sign(0.8 * m + 0.2 * g) + 0.125 * w)
            means[number] = 0.9 * m + 0.1 * g
    for one, other in zip(ours, theirs):
        assert np.allclose(one.detach().numpy(), other, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name, options", CASES, ids=str)
def test_parameters_of_16_bits_are_rounded_once(name, options):
    """A step is within half a unit in the last place, a little more for what f32 rounds."""
    ours = _parameters(torch.bfloat16)
    theirs = [each.detach().double().requires_grad_() for each in ours]
    for module, those in ((tst, ours), (torch.optim, theirs)):
        _stepped(getattr(module, name)(those, lr=0.05, **options), those, 1, torch.bfloat16)
    for one, other in zip(ours, theirs):
        assert ((one.double() - other).abs() <= 2**-7.9 * other.abs() + 1e-7).all()


def test_split_weights_are_those_of_f32():
    """The two halves are the f32 that SGD of f32 weights computes; so are they in momentum."""
    for options in ({"lr": 0.1}, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.125, "nesterov": True}):
        halves = _parameters(torch.bfloat16)
        whole = [each.detach().float().requires_grad_() for each in halves]
        ours, theirs = tst.SplitSGD(halves, **options), tst.SGD(whole, **options)
        for step in range(3):
            _stepped(ours, halves, step, torch.bfloat16)
            _stepped(theirs, whole, step, torch.bfloat16)
            ours = _loaded(tst.SplitSGD(halves, **options), ours)
        for high, w in zip(halves, whole):
            if high.numel():
                low = ours.state[high]["low"].view(torch.int16).int() & 0xFFFF
                joined = (high.detach().view(torch.int16).int() << 16) | low
                assert torch.equal(joined.view(torch.float32), w.detach())


def _loaded(made, optimizer):
    """Return an optimizer that has the state of another one, which went through a file."""
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    made.load_state_dict(torch.load(file))
    return made


@pytest.mark.parametrize("dtype, error", [("float64", 1e-12), ("float32", 1e-5)])
def test_lamb_is_its_definition(dtype, error):
    ours = _parameters(getattr(torch, dtype))
    decay, (beta1, beta2), eps, lr = 0.02, (0.8, 0.95), 1e-6, 0.05
    optimizer = tst.LAMB(ours, lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=decay)
    with torch.no_grad():
        ours[1].zero_()  # its norm is 0, so that the ratio is 1
    wanted = [each.detach().double().numpy().copy() for each in ours]
    m, v = ([np.zeros_like(each) for each in wanted] for _ in range(2))
    for step in range(1, 4):
        _stepped(optimizer, ours, step, getattr(torch, dtype))
        for number, w in enumerate(wanted):
            g = ours[number].grad.double().numpy()
            m[number] = beta1 * m[number] + (1 - beta1) * g
            v[number] = beta2 * v[number] + (1 - beta2) * g * g
            u = m[number] / (1 - beta1**step) / (np.sqrt(v[number] / (1 - beta2**step)) + eps) + decay * w
            norms = np.sqrt((w * w).sum()), np.sqrt((u * u).sum())
            wanted[number] = w - lr * (norms[0] / norms[1] if all(norms) else 1.0) * u
    for one, other in zip(ours, wanted):
        assert np.allclose(one.detach().double().numpy(), other, atol=error, rtol=error)


@pytest.mark.parametrize("name, options", CASES, ids=str)
def test_state_dicts_go_from_and_to_torch(name, options):
    ours, theirs = _parameters(), _parameters()
    one, other = (
        getattr(module, name)(those, lr=0.05, **options) for module, those in ((tst, ours), (torch.optim, theirs))
    )
    for optimizer, those in ((one, ours), (other, theirs)):
        _stepped(optimizer, those, 0)
    one, other = (
        _loaded(getattr(module, name)(those, lr=1.0), found)
        for module, those, found in ((tst, ours, other), (torch.optim, theirs, one))
    )
    for optimizer, those in ((one, ours), (other, theirs)):
        _stepped(optimizer, those, 1)
    for each, wanted in zip(ours, theirs):
        assert torch.allclose(each, wanted, atol=1e-12)


def test_groups_schedulers_closures_and_hooks():
    pairs = []
    for module in (tst, torch.optim):
        parameters = _parameters()
        optimizer = module.AdamW([{"params": parameters[:2], "lr": 0.3}, {"params": parameters[2:]}], lr=0.1)
        optimizer.add_param_group({"params": [extra := torch.ones(3, dtype=torch.float64, requires_grad=True)]})
        schedule, seen = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 5), []
        optimizer.register_step_post_hook(lambda *_, seen=seen: seen.append(1))

        def closure(parameters=(*parameters, extra), optimizer=optimizer):
            optimizer.zero_grad()
            loss = sum(each.square().sum() for each in parameters)
            loss.backward()
            return loss

        losses = []
        for _ in range(3):
            losses.append(optimizer.step(closure).item())
            schedule.step()
        assert len(seen) == 3
        pairs.append(([*parameters, extra], losses))
    (ours, one), (theirs, other) = pairs
    assert np.allclose(one, other)
    for each, wanted in zip(ours, theirs):
        assert torch.allclose(each, wanted, atol=1e-12)


def test_parameters_and_gradients_lie_as_they_like():
    """Of channels_last, of axes in another order, and gradients whose elements lie otherwise or are expanded."""
    wanted = []
    for module in (tst, torch.optim):
        images = _drawn((4, 3, 5, 5), 1).to(memory_format=torch.channels_last).requires_grad_()
        turned = _drawn((6, 7), 2).t().detach().requires_grad_()
        images.grad, turned.grad = _drawn((4, 3, 5, 5), 3), torch.ones(1, dtype=torch.float64).expand(7, 6)
        optimizer = module.AdamW([images, turned])
        optimizer.step()
        optimizer.step()
        wanted.append((images, turned))
    for one, other in zip(*wanted):
        assert torch.allclose(one, other, atol=1e-13) and one.stride() == other.stride()


def test_what_a_step_does_not_take_changes_nothing():
    good, table = torch.ones(3, requires_grad=True), torch.nn.Embedding(5, 2, sparse=True)
    good.grad = torch.ones(3)
    table(torch.tensor([1])).sum().backward()
    for name in ("SGD", "AdamW", "LAMB"):
        with pytest.raises(RuntimeError, match="dense gradients"):
            getattr(tst, name)([good, table.weight], lr=0.1).step()
    gaps = torch.ones(4, 6)[:, :3].requires_grad_()
    gaps.grad = torch.ones(4, 3)
    with pytest.raises(RuntimeError, match="without gaps"):
        tst.SGD([good, gaps], lr=0.1).step()
    whole = torch.ones(3, dtype=torch.complex64, requires_grad=True)
    whole.grad = torch.ones(3, dtype=torch.complex64)
    with pytest.raises(TypeError, match="complex64"):
        tst.SGD([good, whole], lr=0.1).step()
    assert torch.equal(good.detach(), torch.ones(3))


def test_bits_do_not_depend_on_threads():
    import tilesmith as ts

    made = []
    for threads in (1, 2, 3):
        with ts.threads(threads):
            parameters = _parameters(torch.float32)
            optimizer = tst.LAMB(parameters, lr=0.1)
            for step in range(2):
                _stepped(optimizer, parameters, step, torch.float32)
        made.append(parameters)
    for others in made[1:]:
        assert all(torch.equal(one, other) for one, other in zip(made[0], others))


def test_optimizers_are_copied_and_hold_nothing():
    parameters = _parameters(torch.float32)
    optimizer = tst.AdamW(parameters)
    _stepped(optimizer, parameters, 0)
    again = copy.deepcopy(optimizer)
    assert again.state_dict()["state"].keys() == optimizer.state_dict()["state"].keys()
    for _ in range(scaled(3, 2000)):
        _stepped(optimizer, parameters, 1)
    gc.collect()
    assert all(each._use_count() <= 2 for each in parameters)
