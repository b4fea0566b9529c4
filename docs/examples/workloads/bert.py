"""BERT: a small one learns a task beside torch, and a layer of BERT-large is timed by component:
`tilesmith bench bert [--small] [--threads 1 2] [--tables layer training]`.

The model is in docs/examples/bert_model.py: the four fused layers of Tensor Processing Primitives, section 5.2.3, with
gradients and dropout, on sequences that lie one after the other without padding.

    layer       one layer of BERT-large's shapes, a sequence of 384 tokens: forward and backward with Adam, and its
                components, each beside the same in eager torch
    training    from which of four packages is a sentence of the docstrings of Python's library? 2 layers, batches of
                sentences of 8, 16, 24 or 32 words. torch learns the same from the same weights, on the same sentences
                and with the same dropped units
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples.bert_model import DROPPED, EPS, RATE, Array, Bert, Shape
from docs.examples.language import Sentences, now, seconds
from docs.examples.workloads import beside_torch
from docs.examples.workloads.beside_torch import timed, torch_here
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted, WrongResult

PACKAGES = "asyncio", "email", "unittest", "xml"
LENGTHS = 8, 16, 24, 32
"""Words of a sentence: longer ones are cut to the next of these."""
LARGE, STEPS = Shape(384, 1024, 16, 4096, 1), 200
TOLERANCE = 1e-3
"""The most that losses of a step may differ from torch's: roundings of 24 bits, which Adam amplifies."""


class TorchBert:
    """The same in torch, from the same weights."""

    def __init__(self, model: Bert, torch: Any, names: list[str] | None = None) -> None:
        self.torch, self.of, self.slopes = torch, model.of, model.slopes
        weights = {name: model.weights[name] for name in names or model.weights}
        self.weights = {name: torch.from_numpy(w.copy()).requires_grad_() for name, w in weights.items()}
        self.adam = torch.optim.Adam(self.weights.values(), lr=RATE)

    def norm(self, x: Any, name: str) -> Any:
        """A layer norm."""
        gamma, beta = self.weights[f"g{name}"], self.weights[f"e{name}"]
        return self.torch.nn.functional.layer_norm(x, gamma.shape, gamma, beta, EPS)

    def dropped(self, x: Any, bits: Array | None) -> Any:
        """Without the units that the bits drop; None: torch draws."""
        if bits is None:
            return self.torch.nn.functional.dropout(x, DROPPED)
        return (
            x * self.torch.from_numpy(np.unpackbits(bits, axis=1, bitorder="little").astype(np.float32)) / (1 - DROPPED)
        )

    def layer(self, x: Any, ends: list[int], number: int, bits: Callable[[str], Array | None]) -> Any:
        """A layer, with attention of each sequence."""
        w, functional, of = self.weights, self.torch.nn.functional, self.of
        qkv = x @ w[f"wqkv.{number}"] + w[f"bqkv.{number}"]
        q, k, v = qkv.reshape(-1, 3, of.heads, of.width // of.heads).permute(1, 2, 0, 3)
        mixed = [
            functional.scaled_dot_product_attention(q[None, :, a:b], k[None, :, a:b], v[None, :, a:b])[0]
            for a, b in zip(ends, ends[1:])
        ]
        o = self.torch.cat(mixed, 1).transpose(0, 1).reshape(x.shape)
        o = self.dropped(o @ w[f"wo.{number}"] + w[f"bo.{number}"], bits(f"o.{number}"))
        y = self.norm(x + o, f"1.{number}")
        u = functional.gelu(y @ w[f"w1.{number}"] + w[f"b1.{number}"])
        u = self.dropped(u @ w[f"w2.{number}"] + w[f"b2.{number}"], bits(f"2.{number}"))
        return self.norm(y + u, f"2.{number}")

    def step(self, i: Array, p: Array, ends: list[int], labels: Array, bits: Callable[[str], Array]) -> float:
        """One batch."""
        w, torch = self.weights, self.torch
        rows = w["words"][torch.from_numpy(i)] + w["places"][torch.from_numpy(p)] + w["kinds"][0]
        x = self.dropped(self.norm(rows, ""), bits("embedded"))
        for number in range(self.of.layers):
            x = self.layer(x, ends, number, bits)
        loss = torch.nn.functional.cross_entropy(x[ends[:-1]] @ w["w"], torch.from_numpy(labels).long())
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        return float(loss.detach())

    def whole(self, given: tuple[Any, Any], ends: list[int]) -> None:
        """A layer forward and backward, and Adam."""
        self.adam.zero_grad()
        self.layer(given[0], ends, 0, lambda _: None).backward(given[1])
        self.adam.step()

    def parts(self, given: tuple[Any, Any]) -> dict[str, Callable[[], object]]:
        """The components of a layer by themselves, forward and backward."""
        w, of, functional, (x, g) = self.weights, self.of, self.torch.nn.functional, given
        wide = self.torch.randn(of.tokens, of.hidden, requires_grad=True)
        qkv = self.torch.randn(3, 1, of.heads, of.tokens, of.width // of.heads, requires_grad=True)

        def contractions() -> None:
            u = functional.gelu(x @ w["w1.0"] + w["b1.0"])
            each = x @ w["wqkv.0"] + w["bqkv.0"], x @ w["wo.0"] + w["bo.0"], u @ w["w2.0"] + w["b2.0"]
            self.torch.autograd.backward(each, (self.torch.cat((g, g, g), 1), g, g))

        def attention() -> None:
            result = functional.scaled_dot_product_attention(*qkv)
            result.backward(self.torch.ones_like(result))

        def rest() -> None:
            for name in ("1.0", "2.0"):
                self.norm(x + functional.dropout(wide[:, : of.width], DROPPED), name).backward(g)

        return {
            "contractions, GELU": contractions,
            "attention": attention,
            "dropout, residual, layer norm": rest,
            "optimizer": self.adam.step,
        }


def trained(run: Run) -> Row:
    """Return the losses of a training, beside torch's, and how many new sentences are recognised."""
    small = run.options.small
    rng = np.random.default_rng(1)
    lengths, width, tokens, layers, steps = (LENGTHS[:1], 16, 32, 1, 3) if small else (LENGTHS, 64, 512, 2, STEPS)
    packages = ("html", "json") if small else PACKAGES
    data = Sentences(packages, lengths, 300 if small else 4000, rng)
    limits = data.words, lengths[-1], tokens // lengths[0], len(packages)
    of = Shape(tokens, width, 4, 4 * width, layers, *limits)
    model = Bert(of, of.weights(rng))
    torch = torch_here()
    other = None if torch is None else TorchBert(model, torch)
    draws = (data.known[place] for _ in iter(int, 1) for place in rng.permutation(len(data.known)))
    losses, others, spent = list[float](), list[float](), [0.0, 0.0]
    for _ in range(steps):
        batch = data.batch(of.tokens, draws)
        start = now()
        losses.append(model.step(*batch))
        spent[0] += now() - start
        if other is not None:
            start = now()
            others.append(other.step(*batch, model.bits))
            spent[1] += now() - start
    apart = max((abs(a - b) for a, b in zip(losses, others)), default=float("nan"))
    if apart > TOLERANCE:
        raise WrongResult(f"bert: the losses of a step differ from torch's by {apart:.1e}, more than {TOLERANCE}")
    still, held, right, total = Bert(of, model.weights, 0.0), iter(data.held), 0, 0
    while total < (1 if small else len(data.held) // 2):
        i, p, ends, labels = data.batch(of.tokens, held)
        x, _ = still.forward(i, p, ends)
        right += int((ts.matmul(x[ends[:-1]], model.weights["w"]).argmax(1) == labels).sum())
        total += len(labels)
    most = max(Counter(label for _, label in data.held).values()) / len(data.held)
    first, last = losses[0], float(np.mean(losses[-20:]))
    return {
        "threads": ts.num_threads(),
        "steps": steps,
        "first": first,
        "last": last,
        "apart": apart,
        "sentences": total,
        "right": right / total,
        "most": most,
        "ours": spent[0] / steps,
        "by torch": spent[1] / spent[0],
    }


def layer_row(run: Run) -> Iterator[Row]:
    """Yield the row of a layer, and those of its components."""
    of = Shape(32, 32, 2, 64, 1) if run.options.small else LARGE
    rng, ends = np.random.default_rng(0), [0, of.tokens]
    model = Bert(of, of.weights(rng))
    x, g = rng.standard_normal((2, of.tokens, of.width)).astype(np.float32)
    slopes = [name for name in model.weights if name.endswith(".0")]

    def ours() -> None:
        model.steps += 1
        result, back = model.layer(x, ends, 0, 2 * model.steps)
        back(g)
        model.update()

    torch, flops = torch_here(), 18 * of.tokens * of.width * (4 * of.width + 2 * of.hidden) // 3
    calls: dict[str, Callable[[], object]] = {"ours": ours}
    parts: dict[str, Callable[[], object]] = {}
    if torch is not None:
        other = TorchBert(model, torch, slopes)
        given = torch.from_numpy(x.copy()).requires_grad_(), torch.from_numpy(g)
        calls["torch"] = lambda: other.whole(given, ends)
        parts = other.parts(given)
    ours()
    best, peak, shares = timed(run, calls), beside_torch.peak(run, "f32"), dict[str, float]()
    for _ in range(5):
        seconds.clear()
        ours()
        shares = {name: min(each, shares.get(name, each)) for name, each in seconds.items()}
    whole = sum(shares.values())
    threads = {"threads": ts.num_threads()}
    yield {**threads, "component": "forward, backward, Adam", **best, "share": 1.0}
    for name, each in shares.items():
        theirs = timed(run, {"ours": parts[name]})["ours"] if name in parts else float("nan")
        row = {
            **threads,
            "component": name,
            "ours": each,
            "torch": theirs,
            "by torch": theirs / each,
            "share": each / whole,
        }
        yield row | ({"of peak": flops / each / peak} if name.startswith("contractions") else {})


LAYER = "threads; component; ms=ours:2m; torch, ms=torch:2m; torch by ours=by torch:2; share, %=share:0%; of peak:2"
TRAINING = (
    "threads; steps; first loss=first:3; last 20=last:3; from torch, at most=apart:6; new sentences=sentences; "
    "recognised=right:3; most frequent package=most:3; ms a step=ours:1m; torch by ours=by torch:2"
)


def _tables(run: Run) -> tuple[Table, ...]:
    goal = (Wanted("BERT-large's layer, {threads} threads: torch by ours", 1.3, "by torch", where={"share": 1.0}),)
    return (
        Table("layer", LAYER, ((),), layer_row, "f32: one layer of BERT-large, 384 tokens", goal),
        Table("training", TRAINING, ((),), trained, "f32: which package is a sentence from?"),
    )


BENCH = Bench("bert", __doc__, _tables, beside_torch.OPTIONS, seconds=2.0, **beside_torch.SETTINGS)
