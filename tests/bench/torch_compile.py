"""Models of PyTorch beside eager calls and inductor:
`tilesmith bench torch_compile [--only PART ...] [--without-inductor]`.

A table for each number of threads: calls without gradients and training steps of eager PyTorch, of torch.compile by
inductor and by this package, and the seconds that the first call takes, which compiles. Inductor needs a C++ compiler.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tilesmith.runtime.bench.measure import PythonCall, asleep
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted
from tilesmith.runtime.threads.policy import num_threads

Sizes = tuple[int, ...]
CASES: tuple[tuple[str, Sizes, Sizes], ...] = (
    ("MLP of 256, 512, 512, 10", (256, 512, 512, 10), (64, 256)),
    ("MLP of 1024", (1024, 1024, 1024, 1024), (256, 1024)),
    ("block of 64, 4 heads", (64, 4), (2, 16, 64)),
    ("block of 384, 12 heads", (384, 12), (1, 128, 384)),
    ("block of 384, 12 heads", (384, 12), (8, 128, 384)),
)
"""Layers of a perceptron, or the width and heads of a transformer block, and the shape of the input."""
TITLE = "{model}, {input}, {pass}, {threads} threads: "
GOALS = (
    Wanted(TITLE + "of eager", 1.0, "of eager", where={"pass": "inference"}),
    Wanted(TITLE + "of eager", 1.1, "of eager", where={"pass": "training"}),
    Wanted(TITLE + "of inductor", 0.95, "of inductor"),
)


def perceptron(torch: Any, widths: Sizes) -> Any:
    """Return linear layers with relu between them."""
    layers: list[Any] = []
    for narrow, wide in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(narrow, wide), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def block(torch: Any, width: int, heads: int) -> Any:
    """Return a transformer block with layer norm before attention and before the two linear layers with gelu."""
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            batch, rows, _ = x.shape
            q, k, v = self.qkv(self.norm1(x)).view(batch, rows, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
            mixed = nn.functional.scaled_dot_product_attention(q, k, v)
            x = x + self.out(mixed.transpose(1, 2).reshape(batch, rows, width))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    return Block()


def models(run: Run, name: str, sizes: Sizes, shape: Sizes) -> Iterator[Row]:
    """Yield the rows of inference and training of a model."""
    torch = torch_module()
    if torch is None:
        run.remark("needs torch")
        return
    from tilesmith.integrations import torch as tst

    torch.compiler.reset()  # cases share classes, whose graphs torch would trace for any size the second time
    torch.manual_seed(0)
    torch.set_num_threads(num_threads())
    model = perceptron(torch, sizes) if name.startswith("MLP") else block(torch, *sizes)
    x = torch.randn(*shape)
    backends = {"ours": tst.backend} | ({} if run.options.without_inductor else {"inductor": "inductor"})
    ways, first = {"eager": model}, dict[str, float]()
    for who, backend in backends.items():
        ways[who] = torch.compile(model, backend=backend, fullgraph=True)
        with torch.no_grad():
            start = time.process_time()
            ways[who](x)
            first[who] = time.process_time() - start

    def inference(way: Callable[..., Any]) -> None:
        with torch.no_grad():
            way(x)

    given = x.clone().requires_grad_()

    def training(way: Callable[..., Any]) -> None:
        for each in (given, *model.parameters()):
            each.grad = None
        way(given).sum().backward()

    for kind in (inference, training):
        calls = {who: partial(kind, way) for who, way in ways.items()}
        for each in calls.values():
            each()
            each()
        if num_threads() == 1:
            best = run.turns({who: PythonCall(each) for who, each in calls.items()})
        else:
            best = asleep(calls, run.seconds)
        row = {"threads": num_threads(), "model": name, "input": " x ".join(map(str, shape)), "pass": kind.__name__}
        row |= best | {f"of {who}": best[who] / best["ours"] for who in best if who != "ours"}
        yield row | ({f"first {who}": each for who, each in first.items()} if kind is inference else {})


def _tables(run: Run) -> tuple[Table, ...]:
    chosen = [case for case in CASES if all(part in " ".join(map(str, case)) for part in run.options.only)]
    return (
        Table(
            "models",
            "threads; model; input; pass; us=ours:0u; eager:0u; inductor:0u; of eager:2; of inductor:2; "
            "first call, s=first ours:2; of inductor, s=first inductor:2",
            chosen,
            models,
            f"{num_threads()} threads",
            GOALS,
        ),
    )


BENCH = Bench(
    "torch_compile",
    __doc__,
    _tables,
    {
        "--only": {"nargs": "+", "default": (), "metavar": "PART", "help": "parts of a case's text"},
        "--without-inductor": {"action": "store_true"},
        "--threads": {"type": int, "nargs": "+", "default": (1, 2)},
    },
    seconds=1.0,
    alone=False,
    threads=True,
    quick=("--without-inductor", "--only", "256, 512", "--threads", "1"),
)
