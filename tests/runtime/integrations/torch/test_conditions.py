"""Where operators are called: in second derivatives' tests, threads, children, modes of torch, without a compiler, many
times. `make soak` makes the long runs."""

from __future__ import annotations

import os
import resource
from concurrent.futures import ThreadPoolExecutor

import pytest

torch = pytest.importorskip("torch", minversion="2.6")

from torch.nn import functional as F  # noqa: E402  # after the check that torch is there

from tests.profiles import scaled  # noqa: E402
from tilesmith.integrations import torch as tst  # noqa: E402

X, W, B = (torch.linspace(-1, 1, 24).view(4, 6), torch.linspace(-2, 1, 30).view(5, 6), torch.linspace(0, 1, 5))
Q = torch.linspace(-1, 2, 64).view(1, 2, 4, 8)
LABELS = torch.tensor([1, 0, 3, -100])
OFFSETS = torch.tensor([0, 2])
CALLS = {
    "softmax": lambda x, w, b, q: tst.softmax(x),
    "log_softmax": lambda x, w, b, q: tst.log_softmax(x),
    "gelu": lambda x, w, b, q: tst.gelu(x),
    "layer_norm": lambda x, w, b, q: tst.layer_norm(x, 6, w[0], w[1]),
    "rms_norm": lambda x, w, b, q: tst.rms_norm(x, 6, w[0]),
    "cross_entropy": lambda x, w, b, q: tst.cross_entropy(x, LABELS),
    "mm": lambda x, w, b, q: tst.mm(x, w.t()),
    "bmm": lambda x, w, b, q: tst.bmm(q[0], q[0].transpose(1, 2)),
    "linear": lambda x, w, b, q: tst.linear(x, w, b, "gelu"),
    "conv": lambda x, w, b, q: tst.conv(x.view(1, 4, 6), w.reshape(-1)[:24].view(2, 4, 3)),
    "max_pool": lambda x, w, b, q: tst.max_pool(q, 2),
    "avg_pool": lambda x, w, b, q: tst.avg_pool(q, 2),
    "attention": lambda x, w, b, q: tst.attention(q, q, q),
    "embedding_bag": lambda x, w, b, q: tst.embedding_bag(LABELS[:3], w, OFFSETS, "sum"),
}


def _given(dtype=torch.float32, grad=False):
    return [each.to(dtype, copy=True).requires_grad_(grad) for each in (X, W, B, Q)]


@pytest.mark.parametrize("name", CALLS)
def test_gradients_are_differences(name):
    assert torch.autograd.gradcheck(lambda *given: CALLS[name](*given), _given(torch.float64, True), atol=1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_storages_stay_resizable(name):
    """FSDP frees gathered parameters by `resize_(0)`, which `Tensor.numpy()` forbids for ever; the first call and
    later ones, with and without gradients, hold no memory. Freed tensors are refused, not read."""
    for grad in (False, True):
        given = _given(grad=grad)
        for _ in range(3):
            made = CALLS[name](*given)
            if grad:
                made.sum().backward()
        for each in given:
            each.untyped_storage().resize_(0)
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            CALLS[name](*(each.detach() for each in given))


@pytest.mark.parametrize("name", CALLS)
def test_modes_of_torch(name):
    call, given = CALLS[name], _given()
    wanted = call(*given)
    with torch.inference_mode():
        for _ in range(3):
            made = call(*given)
            assert made.is_inference() and torch.equal(made, wanted)
            assert torch.equal(call(*(each.clone() for each in given)), wanted)
    with torch.autocast("cpu", torch.bfloat16):
        made = [call(*given) for _ in range(2)]
        floats = [call(*_given(grad=True)) for _ in range(2)]
    for each in (*made, *floats):
        assert each.dtype in (torch.float32, torch.bfloat16)
        assert torch.allclose(each.float(), wanted, atol=0.06, rtol=0.03)
    with torch.autograd.forward_ad.dual_level():
        dual = [torch.autograd.forward_ad.make_dual(each, torch.ones_like(each)) for each in given]
        with pytest.raises(NotImplementedError, match="forward mode"):
            call(*dual)
        assert torch.equal(call(*given), wanted)


def test_exported_programs_hold_the_operators():
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.norm = tst.Linear(6, 6, activation="gelu"), tst.LayerNorm(6)

        def forward(self, x):
            x = self.norm(x + self.layer(x))
            return tst.softmax(x), tst.scaled_dot_product_attention(x[None], x[None], x[None])

    block, x = Block().eval(), X[None].repeat(2, 1, 1)
    program = torch.export.export(block, (x,))
    targets = {str(node.target) for node in program.graph.nodes}
    assert {f"tilesmith.{each}.default" for each in ("linear", "layer_norm", "softmax", "attention")} <= targets
    for one, other in zip(program.module()(x), block(x)):
        assert torch.allclose(one, other, atol=1e-6)


def test_threads_call_at_the_same_time():
    """Four threads make kernels and records of the same calls, with gradients and without."""

    def work(number):
        given = _given(grad=bool(number % 2))
        given[0] = torch.linspace(-1, 1, 6 * (4 + number % 3)).view(-1, 6)[:4].clone().requires_grad_(bool(number % 2))
        return [(name, call(*given).detach(), call(*given).detach(), given) for name, call in CALLS.items()]

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(work, range(8)):
            for name, first, second, given in found:
                assert torch.equal(first, second) and torch.equal(first, CALLS[name](*given).detach())


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_children_call_after_a_fork():
    given = _given()
    wanted = [call(*given) for call in CALLS.values()]
    child = os.fork()
    if not child:
        try:
            torch.set_num_threads(1)
            again = all(torch.equal(call(*given), each) for call, each in zip(CALLS.values(), wanted))
            new = torch.equal(tst.softmax(X[:, :3]), tst.softmax(X[:, :3]))
            os._exit(0 if again and new else 3)
        finally:
            os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("grad", [False, True])
def test_calls_leak_nothing(grad):
    """In a soak 100,000 calls of each operator. A page for every 100 calls would be seen."""
    given, count = _given(grad=grad), scaled(40, 100_000)

    def run():
        for call in CALLS.values():
            for _ in range(count):
                made = call(*given)
                if grad:
                    made.sum().backward()
            del made
            for each in given:
                each.grad = None

    run()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4096 + count * len(CALLS) * 4 / 100, f"{grown} KiB more"
    assert all(each._use_count() == 1 for each in given)


def test_functions_of_torch_in_a_loop_of_training():
    """What people write: a model, a schedule, clipped gradients, autocast, a state dict on the way."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(tst.Linear(6, 16, activation="gelu"), tst.LayerNorm(16), tst.Linear(16, 4))
    optimizer = tst.AdamW(model.parameters(), lr=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.05, total_steps=30)
    losses = []
    for step in range(30):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=step % 2 == 1):
            loss = tst.cross_entropy(model(X).float(), LABELS, label_smoothing=0.01)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step == 10:
            state = optimizer.state_dict()
            optimizer = tst.AdamW(model.parameters(), lr=0.05)
            optimizer.load_state_dict(state)
            schedule.optimizer = optimizer
    assert losses[-1] < 0.2 * losses[0]
    assert F.cross_entropy(model(X), LABELS) < 0.3
