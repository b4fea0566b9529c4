"""Small calls of functions of torch, ours and its own: `tilesmith bench torch_calls`, f32, on one thread.

What a call costs beside its kernel. A call forward and backward includes that of `backward`, on the function's result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tilesmith.runtime.bench.measure import PythonCall
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import WrongResult

GRADIENTS = ("softmax", "layer_norm", "gelu", "linear", "linear and gelu")


def _functions(torch: Any) -> dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]]:
    """Return, by name, the function of ours and of torch, and the tensors that they are given."""
    from tilesmith.integrations import torch as tst

    torch.set_num_threads(1)
    torch.manual_seed(0)
    own = torch.nn.functional
    x, weight, bias = torch.randn(16, 64), torch.randn(64, 64), torch.randn(64)
    heads = tuple(torch.randn(1, 4, 16, 16) for _ in range(3))
    table, indices = torch.randn(1000, 64), torch.randint(0, 1000, (32, 10))
    few, many = torch.arange(0, 40, 10), torch.arange(0, 320, 10)
    layers = [torch.nn.Sequential(torch.nn.Linear(64, 64)).eval() for _ in range(2)]
    layers[0].load_state_dict(layers[1].state_dict())
    tst.freeze(layers[0])
    flat = indices.view(-1)
    bags, torch_bags = (partial(each.embedding_bag, mode="sum") for each in (tst, own))
    return {
        "softmax": (tst.softmax, partial(torch.softmax, dim=-1), (x,)),
        "layer_norm": (
            lambda x, w, b: tst.layer_norm(x, 64, w, b),
            lambda x, w, b: own.layer_norm(x, (64,), w, b),
            (x, bias, bias),
        ),
        "gelu": (tst.gelu, own.gelu, (x,)),
        "mm": (tst.mm, torch.mm, (x, weight)),
        "linear": (tst.linear, own.linear, (x, weight, bias)),
        "linear and gelu": (
            lambda x, w, b: tst.linear(x, w, b, "gelu"),
            lambda x, w, b: own.gelu(own.linear(x, w, b)),
            (x, weight, bias),
        ),
        "frozen layer": (*layers, (x,)),
        "attention": (tst.scaled_dot_product_attention, own.scaled_dot_product_attention, heads),
        "embedding_bag, 4 bags of 10": (bags, torch_bags, (flat[:40], table, few)),
        "embedding_bag, 32 bags of 10": (bags, torch_bags, (flat, table, many)),
        "embedding_bag, indices (32, 10)": (bags, torch_bags, (indices, table)),
    }


def _call(function: Callable[..., Any], given: tuple[Any, ...], gradient: bool) -> tuple[Callable[[], Any], list[Any]]:
    """Return a call without arguments, and the tensors whose gradients it computes."""
    if not gradient:
        return lambda: function(*given), []
    leaves = [each.clone().requires_grad_() for each in given]
    g = function(*leaves).detach().clone()

    def both() -> Any:
        for each in leaves:
            each.grad = None
        made = function(*leaves)
        made.backward(g)
        return made

    return both, leaves


def measured(run: Run, name: str, gradient: bool) -> Row:
    """Return the seconds of a call of ours and of torch's, whose results are compared first."""
    if (torch := torch_module()) is None:
        run.remark("torch_calls: needs torch")
        return {}
    ours, other, given = _functions(torch)[name]
    (mine, leaves), (its, others) = (_call(each, given, gradient) for each in (ours, other))
    with torch.set_grad_enabled(gradient):
        pairs = [(mine(), its()), *((a.grad, b.grad) for a, b in zip(leaves, others))]
        for a, b in pairs:
            if not torch.allclose(a, b, rtol=1e-4, atol=1e-4):
                raise WrongResult(f"{name}: differs from torch's by {(a - b).abs().max():.1e}")
        best = run.turns({"ours": PythonCall(mine), "torch": PythonCall(its)})
    call = f"{name}, forward and backward" if gradient else name
    return {"call": call, **best, "by torch": best["torch"] / best["ours"]}


NAMES = (
    *("softmax", "layer_norm", "gelu", "mm", "linear", "linear and gelu", "frozen layer", "attention"),
    *("embedding_bag, 4 bags of 10", "embedding_bag, 32 bags of 10", "embedding_bag, indices (32, 10)"),
)
CASES = (*((name, False) for name in NAMES), *((name, True) for name in GRADIENTS))
BENCH = Bench(
    "torch_calls",
    __doc__,
    (Table("calls", "16 x 64 f32=call; ours, us=ours:1u; torch, us=torch:1u; by torch:2~", CASES, measured),),
    seconds=0.5,
)
