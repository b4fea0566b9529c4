"""Models of PyTorch by torch.compile: eager, inductor and tilesmith, inference and training steps, and compile times.

    PYTHONPATH=/tmp/peers python -m tests.bench.torch_compile [--threads 1] [--seconds 2] [--no-inductor] [case ...]

The ways are measured in turn, a few calls each, so that other programs disturb them alike. One thread: processor time
of this thread, the least of all calls; more: wall time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import torch
from torch import nn

import tilesmith as ts
from tilesmith.integrations import torch as tst


class TransformerBlock(nn.Module):
    """A block with layer norm before attention and before the two linear layers with gelu."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, rows, width = x.shape
        joint = self.qkv(self.norm1(x)).view(batch, rows, 3, self.heads, width // self.heads)
        q, k, v = joint.permute(2, 0, 3, 1, 4)
        heads = nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(heads.transpose(1, 2).reshape(batch, rows, width))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


def perceptron(*widths: int) -> nn.Module:
    """Linear layers with relu between them."""
    layers: list[nn.Module] = []
    for narrow, wide in zip(widths, widths[1:]):
        layers += [nn.Linear(narrow, wide), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


CASES: dict[str, Callable[[], tuple[nn.Module, torch.Tensor]]] = {
    "MLP 64 x [256,512,512,10]": lambda: (perceptron(256, 512, 512, 10), torch.randn(64, 256)),
    "MLP 256 x [1024 x 3]": lambda: (perceptron(1024, 1024, 1024, 1024), torch.randn(256, 1024)),
    "block d 64, 4 heads, 2 x 16": lambda: (TransformerBlock(64, 4), torch.randn(2, 16, 64)),
    "block d 384, 12 heads, 1 x 128": lambda: (TransformerBlock(384, 12), torch.randn(1, 128, 384)),
    "block d 384, 12 heads, 8 x 128": lambda: (TransformerBlock(384, 12), torch.randn(8, 128, 384)),
}


def least(
    ways: dict[str, Callable[[], object]], seconds: float, clock: Callable[[], float], calls: int = 3
) -> dict[str, float]:
    """Return the least time of a call of each way, in us, measured in turn."""
    found = dict.fromkeys(ways, float("inf"))
    end = time.perf_counter() + seconds * len(ways)
    while time.perf_counter() < end:
        for name, way in ways.items():
            for _ in range(calls):
                start = clock()
                way()
                found[name] = min(found[name], (clock() - start) * 1e6)
    return found


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--freeze", action="store_true")
    parser.add_argument("cases", nargs="*")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    ts.set_num_threads(asked.threads)
    clock = time.thread_time if asked.threads == 1 else time.perf_counter
    backends = ["tilesmith"] if asked.no_inductor else ["inductor", "tilesmith"]
    for case, made in CASES.items():
        if asked.cases and not any(each in case for each in asked.cases):
            continue
        torch.manual_seed(0)
        model, x = made()
        ways: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {"eager": model}
        first = {}
        for backend in backends:
            options = {"freeze": True} if asked.freeze and backend == "tilesmith" else None
            ways[backend] = torch.compile(
                model, backend=tst.backend if backend == "tilesmith" else backend, fullgraph=True, options=options
            )
            with torch.no_grad():
                start = time.process_time()
                ways[backend](x)
                first[backend] = time.process_time() - start

        def inference(way: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor = x) -> Callable[[], None]:
            def call() -> None:
                with torch.no_grad():
                    way(x)

            return call

        given = x.clone().requires_grad_()

        def training(
            way: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor = given, model: nn.Module = model
        ) -> Callable[[], None]:
            def call() -> None:
                for each in (x, *model.parameters()):
                    each.grad = None
                way(x).sum().backward()

            return call

        for kind, maker in (("inference", inference), ("training step", training)):
            calls = {name: maker(way) for name, way in ways.items()}
            for each in calls.values():
                each()
            times = least(calls, asked.seconds, clock)
            shown = "  ".join(f"{name} {us:9.1f}" for name, us in times.items())
            ratio = times["eager"] / times["tilesmith"]
            compiled = "  ".join(f"{name} {value:.2f} s" for name, value in first.items())
            print(f"{case:32s} {kind:14s} us: {shown}  eager/tilesmith {ratio:.2f}  compile: {compiled}", flush=True)


if __name__ == "__main__":
    main()
