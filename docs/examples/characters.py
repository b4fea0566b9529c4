"""Train a small transformer on the characters of Python's own documentation with tilesmith's kernels only.

    python docs/examples/characters.py [--steps N] [--torch] [--plot loss.png]

The text is that of `help("topics")`, which ships with Python. Two layers of width 64 read 64 characters and guess the
next one of each, with x (batch * length, width):

    a = layernorm(x)     q, k, v = a @ wq, a @ wk, a @ wv     x = x + attention(q, k, v) @ wo, causal
    b = layernorm(x)     h = b @ w1 + b1                      x = x + gelu(h) @ w2 + b2

Every product, norm, function, attention, loss, derivative and step of Adam is machine code; numpy holds the arrays and
draws numbers. --torch trains the same network in torch, from the same weights and on the same characters.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy as np

import tilesmith as ts

WIDTH, HIDDEN, LAYERS, BATCH, LENGTH = 64, 256, 2, 8, 64
ROWS, RATE, BETA1, BETA2 = BATCH * LENGTH, 2e-3, 0.9, 0.999
NAMES = ("g1", "e1", "wq", "wk", "wv", "wo", "g2", "e2", "w1", "b1", "w2", "b2")
"""Weights of a layer: of norms (g, e), products (w) and biases (b)."""

seconds: dict[str, float] = defaultdict(float)
Array = np.ndarray


def timed(name: str, kernel: Any, *args: Any) -> Any:
    """Call the kernel, and add the time to that of `name`."""
    start = time.perf_counter()
    result = kernel(*args)
    seconds[name] += time.perf_counter() - start
    return result


@functools.cache
def product(m: int, n: int, k: int, order: str, add: bool) -> Any:
    """The kernel of A @ B (+ C); each operand is row-major or column-major."""
    return ts.brgemm(m, n, k, beta=int(add), order=tuple(order))


def times(a: Array, b: Array, into: Array | None = None) -> Array:
    """a @ b, or into += a @ b; a and b are read without a copy."""
    order = "".join("C" if each.flags.c_contiguous else "F" for each in (a, b)) + "C"
    c = np.empty((a.shape[0], b.shape[1]), np.float32) if into is None else into
    timed("products", product(a.shape[0], b.shape[1], a.shape[1], order, into is not None), a, b, c)
    return c


class Kernels:
    """The kernels that are not products, and Adam for each shape."""

    norm, norm_back = ts.fused("layernorm", ROWS, WIDTH), ts.fused("layernorm_inv", ROWS, WIDTH)
    attend = ts.attention(BATCH, LENGTH, LENGTH, WIDTH, causal=True, lse=True)
    attend_back = ts.attention_inv(BATCH, LENGTH, LENGTH, WIDTH, causal=True)
    add = ts.binary("add", ROWS, WIDTH)
    activate = ts.equation(lambda h, b: (h + b, ts.gelu(h + b)), h=(ROWS, HIDDEN), b=(HIDDEN,))
    activate_back = ts.binary("gelu_inv", ROWS, HIDDEN)
    biased = ts.equation(lambda x, y, b: x + y + b, x=(ROWS, WIDTH), y=(ROWS, WIDTH), b=(WIDTH,))
    adam = staticmethod(functools.cache(lambda m, n: ts.fused("adam", m, n)))
    column_sums = staticmethod(functools.cache(lambda m, n: ts.reduce("sum", m, n, axis=0)))


def normed(x: Array, gamma: Array, beta: Array) -> Array:
    """Layer norm."""
    return timed("layer norm", Kernels.norm, x, gamma, beta)


def summed(x: Array) -> Array:
    """The sum of each column."""
    return timed("sums", Kernels.column_sums(*x.shape), x)


class Model:
    """Weights by name, and one step of training."""

    def __init__(self, characters: int, rng: np.random.Generator) -> None:
        def drawn(m: int, n: int) -> Array:
            return rng.normal(0, m**-0.5, (m, n)).astype(np.float32)

        ones, zeros = functools.partial(np.ones, dtype=np.float32), functools.partial(np.zeros, dtype=np.float32)
        self.weights = {
            "embedding": drawn(characters, WIDTH),
            "place": drawn(LENGTH, WIDTH),
            "gf": ones(WIDTH),
            "ef": zeros(WIDTH),
            "out": drawn(WIDTH, characters),
        }
        for layer in range(LAYERS):
            shapes = {"w1": (WIDTH, HIDDEN), "w2": (HIDDEN, WIDTH)}
            made = {
                "g1": ones(WIDTH),
                "e1": zeros(WIDTH),
                "g2": ones(WIDTH),
                "e2": zeros(WIDTH),
                "b1": zeros(HIDDEN),
                "b2": zeros(WIDTH),
            }
            made |= {name: drawn(*shapes.get(name, (WIDTH, WIDTH))) for name in NAMES if name.startswith("w")}
            self.weights |= {f"{name}.{layer}": made[name] for name in NAMES}
        self.moments = {name: (np.zeros_like(each), np.zeros_like(each)) for name, each in self.weights.items()}
        self.loss, self.loss_back = (
            ts.fused(name, ROWS, characters) for name in ("cross_entropy", "cross_entropy_inv")
        )
        self.share, self.steps = np.full((ROWS, 1), 1 / ROWS, np.float32), 0

    def layer(self, x: Array, number: int) -> tuple[Array, dict[str, Array]]:
        """The output of a layer, and the values that its derivative needs."""
        w = {name: self.weights[f"{name}.{number}"] for name in NAMES}
        a = normed(x, w["g1"], w["e1"])
        q, k, v = (times(a, w[name]).reshape(BATCH, LENGTH, WIDTH) for name in ("wq", "wk", "wv"))
        o, lse = np.empty_like(q), np.empty((BATCH, LENGTH), np.float32)
        timed("attention", Kernels.attend, q, k, v, o, lse)
        x1 = timed("sums of layers", Kernels.add, x, times(o.reshape(ROWS, WIDTH), w["wo"]))
        b = normed(x1, w["g2"], w["e2"])
        h, u = timed("bias, gelu", Kernels.activate, times(b, w["w1"]), w["b1"])
        y = timed("sums of layers", Kernels.biased, x1, times(u, w["w2"]), w["b2"])
        return y, {"x": x, "a": a, "q": q, "k": k, "v": v, "o": o, "lse": lse, "x1": x1, "b": b, "h": h, "u": u}

    def layer_back(self, g: Array, number: int, kept: dict[str, Array], slopes: dict[str, Array]) -> Array:
        """The gradient of the input of a layer, from that of its output."""
        w = {name: self.weights[f"{name}.{number}"] for name in NAMES}
        s: dict[str, Array] = {"b2": summed(g), "w2": times(kept["u"].T, g)}
        dh = timed("gelu'", Kernels.activate_back, times(g, w["w2"].T), kept["h"])
        s |= {"b1": summed(dh), "w1": times(kept["b"].T, dh)}
        gx, s["g2"], s["e2"] = self.norm_back(times(dh, w["w1"].T), kept["x1"], w["g2"])
        g = timed("sums of layers", Kernels.add, g, gx)
        s["wo"] = times(kept["o"].reshape(ROWS, WIDTH).T, g)
        go = times(g, w["wo"].T).reshape(BATCH, LENGTH, WIDTH)
        grads = [np.empty_like(go) for _ in "qkv"]
        timed("attention'", Kernels.attend_back, go, *(kept[name] for name in ("q", "k", "v", "o", "lse")), *grads)
        ga = None
        for name, each in zip(("wq", "wk", "wv"), grads):
            flat = each.reshape(ROWS, WIDTH)
            s[name] = times(kept["a"].T, flat)
            ga = times(flat, w[name].T, ga)
        gx, s["g1"], s["e1"] = self.norm_back(ga, kept["x"], w["g1"])
        slopes |= {f"{name}.{number}": each for name, each in s.items()}
        return timed("sums of layers", Kernels.add, g, gx)

    def norm_back(self, g: Array, x: Array, gamma: Array) -> tuple[Array, Array, Array]:
        """The gradients by x, gamma and beta."""
        gx, sums = np.empty_like(x), [np.empty(WIDTH, np.float32) for _ in range(2)]
        timed("layer norm'", Kernels.norm_back, g, x, gamma, gx, *sums)
        return gx, sums[0], sums[1]

    def step(self, read: Array, following: Array) -> float:
        """One minibatch of characters (batch, length) and the characters that follow; returns the cross entropy."""
        w, slopes, kept = self.weights, {}, []
        chosen = np.eye(len(w["embedding"]), dtype=np.float32)[read.ravel()]
        x = times(chosen, w["embedding"], np.tile(w["place"], (BATCH, 1)))
        for number in range(LAYERS):
            x, each = self.layer(x, number)
            kept.append(each)
        f, labels = normed(x, w["gf"], w["ef"]), following.reshape(ROWS, 1)
        logits = times(f, w["out"])
        loss = float(timed("loss", self.loss, logits, labels).mean())
        d = timed("loss'", self.loss_back, self.share, logits, labels)
        slopes["out"] = times(f.T, d)
        g, slopes["gf"], slopes["ef"] = self.norm_back(times(d, w["out"].T), x, w["gf"])
        for number in reversed(range(LAYERS)):
            g = self.layer_back(g, number, kept[number], slopes)
        slopes["embedding"] = times(chosen.T, g)
        slopes["place"] = summed(g.reshape(BATCH, LENGTH * WIDTH))
        self.update(slopes)
        return loss

    def update(self, slopes: dict[str, Array]) -> None:
        """A step of Adam."""
        self.steps += 1
        numbers = [np.full((1, 1), each, np.float32) for each in (RATE, 1 - BETA1**self.steps, 1 - BETA2**self.steps)]
        for name, weight in self.weights.items():
            shape = weight.shape if weight.ndim == 2 else (1, weight.size)
            state = [each.reshape(shape) for each in (weight, *self.moments[name])]
            timed("Adam", Kernels.adam(*shape), *state, slopes[name].reshape(shape), *numbers, *state)


class TorchModel:
    """The same in torch, from the same weights."""

    def __init__(self, model: Model) -> None:
        self.torch = import_module("torch")
        self.torch.set_num_threads(1)
        self.weights = {name: self.torch.from_numpy(w.copy()).requires_grad_() for name, w in model.weights.items()}
        self.adam = self.torch.optim.Adam(self.weights.values(), lr=RATE)

    def step(self, read: Array, following: Array) -> float:
        """One minibatch."""
        w, functional = self.weights, self.torch.nn.functional
        x = w["embedding"][self.torch.from_numpy(read)] + w["place"]
        for number in range(LAYERS):
            g1, e1, wq, wk, wv, wo, g2, e2, w1, b1, w2, b2 = (w[f"{name}.{number}"] for name in NAMES)
            a = functional.layer_norm(x, (WIDTH,), g1, e1)
            x = x + functional.scaled_dot_product_attention(a @ wq, a @ wk, a @ wv, is_causal=True) @ wo
            x = x + functional.gelu(functional.layer_norm(x, (WIDTH,), g2, e2) @ w1 + b1) @ w2 + b2
        logits = functional.layer_norm(x, (WIDTH,), w["gf"], w["ef"]) @ w["out"]
        loss = functional.cross_entropy(logits.reshape(ROWS, -1), self.torch.from_numpy(following.ravel()).long())
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        return float(loss.detach())


def minibatches(steps: int, rng: np.random.Generator) -> tuple[int, Any]:
    """The number of different characters, and pairs (characters, the characters that follow)."""
    text = np.frombuffer("\n".join(topics.values()).encode("ascii", "replace"), np.uint8)
    found, numbers = np.unique(text, return_inverse=True)
    starts = rng.integers(0, len(text) - LENGTH - 1, (steps, BATCH))
    windows = (each[:, None] + np.arange(LENGTH + 1) for each in starts)
    return len(found), ((numbers[w[:, :-1]], numbers[w[:, 1:]].astype(np.int32)) for w in windows)


def main() -> float:
    """Train, print the loss and the time of each kind of kernel; returns the mean loss of the last steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--torch", action="store_true", help="train the same in torch, too")
    parser.add_argument("--plot", type=Path, help="write the loss curves to this file")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    characters, batches = minibatches(options.steps, rng)
    model = Model(characters, rng)
    other = TorchModel(model) if options.torch else None
    curves: dict[str, list[float]] = {"tilesmith": [], "torch": []}
    spent: dict[str, float] = defaultdict(float)
    for read, following in batches:
        for name, each in (("tilesmith", model), ("torch", other)):
            if each is not None:
                start = time.perf_counter()
                curves[name].append(each.step(read, following))
                spent[name] += time.perf_counter() - start
    for name, losses in curves.items():
        if losses:
            last = float(np.mean(losses[-20:]))
            print(f"{name}: loss {losses[0]:.3f} -> {last:.3f}, {spent[name] / len(losses) * 1e3:.2f} ms a step")
    if other is not None:
        apart = np.abs(np.subtract(curves["tilesmith"], curves["torch"])).max()
        print(f"largest difference of a step's losses: {apart:.1e}")
    print(f"\n{'kernels':16}{'share':>8}")
    for name, each in sorted(seconds.items(), key=lambda item: -item[1]):
        print(f"{name:16}{each / sum(seconds.values()):8.1%}")
    if options.plot:
        plot(curves, options.plot)
    return float(np.mean(curves["tilesmith"][-20:]))


def plot(curves: dict[str, list[float]], path: Path) -> None:
    """Draw the loss of every step."""
    pyplot = import_module("matplotlib.pyplot")  # only who asks for the plot needs it
    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    for (name, losses), style in zip(curves.items(), ("-", "--")):
        if losses:
            axes.plot(losses, style, linewidth=0.8, label=name)
    axes.set_xlabel("step")
    axes.set_ylabel("cross entropy of the next character")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    main()
