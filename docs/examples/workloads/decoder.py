"""A small language model that writes, one character at a time: `tilesmith bench decoder [--small]`.

A step has one row, so it waits for the weights: as f32, or in 8 or 4 bits with a scale for 32 rows (`ts.compressed`).
Keys and values of the characters so far are kept, and attention reads as many of them as there are (`seen`).

    text       the transformer of docs/examples/characters.py learns Python's help, then reads some text of it and goes
               on by itself, with its weights as they are and compressed. The scores of f32 are those of torch
    speed      the same program with random weights of a larger model: tokens per second beside torch, which has f32
               weights, and its own product by 4 bits in place of the four products of a layer and the last one
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pydoc_data.topics import topics
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples import characters
from docs.examples.workloads import beside_torch
from docs.examples.workloads.beside_torch import error_of, timed, torch_here
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Named, Wanted

FORMATS = "f32", "i8", "i4"
GROUP, EPS, WARMTH = 32, 1e-5, 0.5
Array = np.ndarray
TEXT = np.frombuffer("\n".join(topics.values()).encode("ascii", "replace"), np.uint8)


class Decoder:
    """A decoder for one character at a time, with room for a number of them. Weights are named as in characters.py."""

    def __init__(self, weights: Mapping[str, Array], heads: int, room: int, form: str) -> None:
        self.weights, self.heads, self.room, self.seen = dict(weights), heads, room, 0
        self.width, self.layers = weights["embedding"].shape[1], sum(name.startswith("wo.") for name in weights)
        self.size = self.width // heads
        self.keys, self.values = np.zeros((2, self.layers, heads, room, self.size), np.float32)
        self.norm = ts.fused("layernorm", 1, self.width, eps=EPS)
        self.attend = ts.attention(heads, 1, room, self.size, seen=ts.RUNTIME)
        self.add = ts.binary("add", 1, self.width)
        self.products: dict[str, Callable[..., Array]] = {"out": self.product(weights["out"], form)}
        for number in range(self.layers):
            qkv = np.concatenate([weights[f"{name}.{number}"] for name in ("wq", "wk", "wv")], 1)
            self.products[f"qkv.{number}"] = self.product(qkv, form)
            self.products[f"wo.{number}"] = self.product(weights[f"wo.{number}"], form)
            self.products[f"w1.{number}"] = self.product(weights[f"w1.{number}"], form, bias=True, activation=ts.gelu)
            self.products[f"w2.{number}"] = self.product(weights[f"w2.{number}"], form, bias=True)

    @staticmethod
    def product(w: Array, form: str, **more: Any) -> Callable[..., Array]:
        """The product of a row by weights of a form."""
        layer = ts.linear(1, *w.shape[::-1], **{"bias": False, **more})
        known = layer.pack(w) if form == "f32" else ts.compressed(w, form, group=GROUP, numerics="fast")
        return lambda x, *bias: layer(x, known, *bias)

    @property
    def nbytes(self) -> int:
        """The bytes of the weights that a step reads."""
        return sum(w.nbytes for name, w in self.weights.items() if name[0] in "wo")

    def step(self, number: int) -> Array:
        """The scores of the characters that may follow this one, (1, characters)."""
        w, of = self.weights, self.products
        x = self.add(w["embedding"][number : number + 1], w["place"][self.seen : self.seen + 1])
        for layer in range(self.layers):
            a = self.norm(x, w[f"g1.{layer}"], w[f"e1.{layer}"])
            q, k, v = of[f"qkv.{layer}"](a).reshape(3, self.heads, 1, self.size)
            self.keys[layer][:, self.seen], self.values[layer][:, self.seen] = k[:, 0], v[:, 0]
            mixed = self.attend(q, self.keys[layer], self.values[layer], self.seen + 1)
            x = self.add(x, of[f"wo.{layer}"](mixed.reshape(1, self.width)))
            u = of[f"w1.{layer}"](self.norm(x, w[f"g2.{layer}"], w[f"e2.{layer}"]), w[f"b1.{layer}"])
            x = self.add(x, of[f"w2.{layer}"](u, w[f"b2.{layer}"]))
        self.seen += 1
        return of["out"](self.norm(x, w["gf"], w["ef"]))


@cache
def trained(steps: int) -> tuple[dict[str, Array], Array]:
    """The weights after so many steps, and the characters by their numbers."""
    rng = np.random.default_rng(1)
    count, batches = characters.minibatches(steps, rng)
    model = characters.Model(count, rng)
    for batch in batches:
        model.step(*batch)
    return model.weights, np.unique(TEXT)


def cross_entropy(scores: Array, following: Array) -> float:
    """The mean over the rows."""
    scores = scores.astype(np.float64)
    largest = scores.max(1, keepdims=True)
    logs = np.log(np.exp(scores - largest).sum(1)) + largest[:, 0]
    return float((logs - scores[np.arange(len(scores)), following]).mean())


def torch_scores(torch: Any, weights: Mapping[str, Array], read: Array) -> Array:
    """The scores of a text by torch, all rows at once."""
    w, functional = {name: torch.from_numpy(each) for name, each in weights.items()}, torch.nn.functional
    x = w["embedding"][torch.from_numpy(read)] + w["place"][: len(read)]
    for layer in range(characters.LAYERS):
        g1, e1, wq, wk, wv, wo, g2, e2, w1, b1, w2, b2 = (w[f"{name}.{layer}"] for name in characters.NAMES)
        a = functional.layer_norm(x, g1.shape, g1, e1)
        x = (
            x
            + functional.scaled_dot_product_attention((a @ wq)[None], (a @ wk)[None], (a @ wv)[None], is_causal=True)[0]
            @ wo
        )
        x = x + functional.gelu(functional.layer_norm(x, g2.shape, g2, e2) @ w1 + b1) @ w2 + b2
    scores: Array = (functional.layer_norm(x, w["gf"].shape, w["gf"], w["ef"]) @ w["out"]).numpy()
    return scores


def text(run: Run, form: str) -> Row:
    """The row of a form of weights: the cross entropy of text that is read, and what the model writes after it."""
    weights, letters = trained(10 if run.options.small else 600)
    numbers = np.searchsorted(letters, TEXT)
    windows = [numbers[start : start + characters.LENGTH + 1] for start in (1000, 50_000, 200_000, 300_000)]
    found, error = [], float("nan")
    for window in windows[: 1 if run.options.small else 4]:
        decoder = Decoder(weights, 1, characters.LENGTH, form)
        scores = np.concatenate([decoder.step(number) for number in window[:-1]])
        if form == "f32" and (torch := torch_here()) is not None:
            error = error_of(scores, torch_scores(torch, weights, window[:-1]), 1e-4, "decoder")
        found.append(cross_entropy(scores, window[1:]))
    decoder, rng = Decoder(weights, 1, characters.LENGTH, form), np.random.default_rng(1)
    written = list(np.searchsorted(letters, list(b"The class ")))
    for place in range(characters.LENGTH):
        scores = decoder.step(written[place])
        if place + 1 == len(written):
            shares = np.exp((scores[0] - scores.max()) / WARMTH).astype(np.float64)
            written.append(int(rng.choice(shares.size, p=shares / shares.sum())))
    said = bytes(letters[written].tolist()).decode().replace("\n", " ")
    return {
        "weights": form,
        "loss": float(np.mean(found)),
        "error": None if np.isnan(error) else f"{error:.0e}",
        "text": " ".join(said.split()),
    }


def drawn(width: int, layers: int, count: int, room: int) -> dict[str, Array]:
    """Random weights of a model."""
    rng = np.random.default_rng(0)
    shapes = {"embedding": (count, width), "place": (room, width), "out": (width, count), "gf": width, "ef": width}
    for layer in range(layers):
        square = dict.fromkeys(("wq", "wk", "wv", "wo"), (width, width))
        wide = {"w1": (width, 4 * width), "w2": (4 * width, width), "b1": 4 * width, "b2": width}
        norms = dict.fromkeys(("g1", "e1", "g2", "e2"), width)
        shapes |= {f"{name}.{layer}": shape for name, shape in (square | wide | norms).items()}
    return {name: rng.normal(0, width**-0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def torch_step(torch: Any, weights: Mapping[str, Array], decoder: Decoder, four: bool) -> Callable[[], Any]:
    """A step of torch with keys and values as they are, of f32 weights or by its own product by 4 bits."""
    w, functional, size = {n: torch.from_numpy(each) for n, each in weights.items()}, torch.nn.functional, decoder.size
    keys, values = (torch.from_numpy(each)[:, None, :, : decoder.seen] for each in (decoder.keys, decoder.values))

    def product(matrix: Any) -> Callable[[Any], Any]:
        if not four:
            turned = matrix.T.contiguous()
            return lambda x: functional.linear(x, turned)
        known = ts.compressed(matrix.numpy(), "i4", group=GROUP)
        scale = np.abs(matrix.numpy().reshape(-1, GROUP, matrix.shape[1])).max(1) / 7
        integers = np.rint(known.dense("f32") / np.repeat(scale, GROUP, 0)).astype(np.int32)
        packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(torch.from_numpy(integers.T.copy() + 8), 1)
        both = torch.stack([torch.from_numpy(scale), torch.zeros(scale.shape)], -1).bfloat16()
        return lambda x: torch.ops.aten._weight_int4pack_mm_for_cpu(x.bfloat16(), packed, GROUP, both).float()

    of = {"out": product(w["out"])}
    for layer in range(decoder.layers):
        of[f"qkv.{layer}"] = product(torch.cat([w[f"{name}.{layer}"] for name in ("wq", "wk", "wv")], 1).contiguous())
        of |= {f"{name}.{layer}": product(w[f"{name}.{layer}"]) for name in ("wo", "w1", "w2")}

    def step() -> Any:
        x = w["embedding"][:1] + w["place"][:1]
        for layer in range(decoder.layers):
            a = functional.layer_norm(x, x.shape[1:], w[f"g1.{layer}"], w[f"e1.{layer}"])
            q, _, _ = of[f"qkv.{layer}"](a).reshape(3, 1, decoder.heads, 1, size)
            mixed = functional.scaled_dot_product_attention(q, keys[layer], values[layer])
            x = x + of[f"wo.{layer}"](mixed.reshape(x.shape))
            a = functional.layer_norm(x, x.shape[1:], w[f"g2.{layer}"], w[f"e2.{layer}"])
            x = x + of[f"w2.{layer}"](functional.gelu(of[f"w1.{layer}"](a) + w[f"b1.{layer}"])) + w[f"b2.{layer}"]
        return of["out"](functional.layer_norm(x, x.shape[1:], w["gf"], w["ef"]))

    return step


def speed(run: Run) -> Iterator[Row]:
    """The tokens per second of each form of weights, after half of the room."""
    ts.set_num_threads(1)
    width, layers, count, room = (64, 1, 96, 32) if run.options.small else (1024, 4, 8192, 256)
    weights, torch = drawn(width, layers, count, room), torch_here()
    decoders = {form: Decoder(weights, width // 64, room, form) for form in FORMATS}
    for decoder in decoders.values():
        decoder.seen = room // 2

    def step(decoder: Decoder) -> None:
        decoder.step(0)
        decoder.seen -= 1

    calls: dict[str, Callable[[], object]] = {
        "ours" if form == "f32" else form: partial(step, each) for form, each in decoders.items()
    }
    if torch is not None:
        with torch.no_grad():
            calls["torch f32"] = torch_step(torch, weights, decoders["f32"], False)
            if hasattr(torch.ops.aten, "_weight_int4pack_mm_for_cpu"):
                calls["torch i4"] = torch_step(torch, weights, decoders["i4"], True)
            best = timed(run, calls)
    else:
        best = timed(run, calls)
    best["f32"] = best["ours"]
    parameters = sum(w.size for name, w in weights.items() if name[0] in "wo")
    for form in FORMATS:
        peer = best.get("torch i4" if form == "i4" else "torch f32", float("nan"))
        figures: Named = {"ours": 1 / best[form], "torch": 1 / peer, "by torch": peer / best[form]}
        yield {"weights": form, "beside": "int4" if form == "i4" else "f32", "parameters": parameters, **figures}


def _tables(run: Run) -> tuple[Table, ...]:
    goal = (Wanted("weights of {weights}: torch by ours", 1.5, "by torch", where={"weights": "i4"}),)
    columns = (
        "weights; million parameters=parameters:1M; tokens/s=ours:1; torch's=beside; torch, tokens/s=torch:1; "
        "torch by ours=by torch:2"
    )
    return (
        Table(
            "text",
            "weights; cross entropy=loss:3; of torch, largest difference=error; it writes=text",
            FORMATS,
            text,
            "what the model reads and writes",
        ),
        Table("speed", columns, ((),), speed, "one row, one thread", goal),
    )


BENCH = Bench(
    "decoder", __doc__, _tables, {"--small": beside_torch.OPTIONS["--small"]}, seconds=1.0, quick=("--small",)
)
