"""BERT by the four fused layers of Tensor Processing Primitives, section 5.2.3, with gradients: `workloads/bert.py`.

Sequences of different length lie one after the other, without padding: x is (tokens, width). With dropped units:

    embeddings      x = dropout(layernorm(words[i] + places[p] + kinds[t]))                      one kernel
    self-attention  q, k, v = x @ wqkv + bqkv          o = attention(q, k, v) of each sequence
    self-output     y = layernorm(x + dropout(o @ wo + bo))                    a product, and one kernel for the rest
    intermediate    u = gelu(y @ w1 + b1)                                      one product, which keeps its sums, too
    output          x = layernorm(y + dropout(u @ w2 + b2))                    as self-output

Each function returns its result and a function of the gradients. Everything is machine code; numpy holds the arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples.language import timed

RATE, DROPPED, EPS, BETA1, BETA2 = 1e-3, 0.1, 1e-5, 0.9, 0.999
Array = np.ndarray


@dataclass(frozen=True)
class Shape:
    """Extents of a model; `tokens` are those of a batch, which has at most `sentences`, the longest of `longest`."""

    tokens: int
    width: int
    heads: int
    hidden: int
    layers: int
    words: int = 2
    longest: int = 2
    sentences: int = 1
    classes: int = 2

    def weights(self, rng: np.random.Generator) -> dict[str, Array]:
        """Drawn weights: of norms (g, e), products (w) and biases (b), and tables."""
        n, h, tables = self.width, self.hidden, (self.words, self.longest, 2)
        made = {name: rng.normal(0, 0.5, (rows, n)) for name, rows in zip(("words", "places", "kinds"), tables)}
        made |= {"g": np.ones(n), "e": np.zeros(n), "w": rng.normal(0, n**-0.5, (n, self.classes))}
        for layer in range(self.layers):
            shapes = {"wqkv": (n, 3 * n), "wo": (n, n), "w1": (n, h), "w2": (h, n)}
            made |= {f"{name}.{layer}": rng.normal(0, rows**-0.5, (rows, m)) for name, (rows, m) in shapes.items()}
            made |= {f"b{name[1:]}.{layer}": np.zeros(m) for name, (_, m) in shapes.items()}
            made |= {f"{name}.{layer}": np.full(n, name[0] == "g") for name in ("g1", "e1", "g2", "e2")}
        return {name: each.astype(np.float32) for name, each in made.items()}


def biased(c: Any, bias: Any) -> Any:
    """The end of a product."""
    return c + bias


def activated(c: Any, bias: Any) -> Any:
    """GELU of the sums, and the sums, which the derivative needs."""
    return ts.gelu(c + bias), c + bias


@functools.cache
def scattered(rows: int, m: int, n: int) -> Any:
    """The kernel that adds m gradients to rows of a table."""
    return ts.equation(lambda g, i: ts.scatter(g, i, rows, add=True), g=(m, n), i=(m,), dtype={"g": "f32", "i": "i32"})


@functools.cache
def embedding(of: Shape, dropped: float) -> Any:
    """The kernel of the embeddings: three look-ups, layer norm and dropout; the units that stay, and the sum."""

    def embedded(words: Any, places: Any, kinds: Any, i: Any, p: Any, t: Any, gamma: Any, beta: Any) -> Any:
        total = ts.gather(words, i) + ts.gather(places, p) + ts.gather(kinds, t)
        return *ts.dropout_mask(ts.layernorm(total, gamma, beta, axis=1, eps=EPS), dropped), total

    tables = {"words": (of.words, of.width), "places": (of.longest, of.width), "kinds": (2, of.width)}
    rows = {"gamma": (of.width,), "beta": (of.width,)}
    types = {**dict.fromkeys((*tables, *rows), "f32"), **dict.fromkeys("ipt", "i32")}
    index = dict.fromkeys("ipt", (of.tokens,))
    return ts.equation(embedded, **tables, **index, **rows, out=("f32", "bits", "f32"), dtype=types)


class Bert:
    """A model with the arrays and gradients of a step."""

    def __init__(self, of: Shape, weights: dict[str, Array], dropped: float = DROPPED) -> None:
        m, n = of.tokens, of.width
        self.of, self.weights, self.steps, self.dropped = of, weights, 0, dropped
        self.slopes: dict[str, Array] = {}
        self.moments = {name: (np.zeros_like(w), np.zeros_like(w)) for name, w in weights.items()}
        self.room = functools.cache(lambda name, *shape: np.empty(shape, np.float32))
        self.bits = functools.cache(lambda name: np.empty((m, n // 8), np.uint8))
        more = {"operands": {"bias": ("row", "f32")}, "beta": 0}
        self.biased = functools.cache(lambda w, k: ts.gemm(m, w, k, epilogue=biased, **more))
        self.activated = ts.gemm(m, of.hidden, n, epilogue=activated, **more)
        self.product = ts.gemm(m, n, n, beta=0), ts.gemm(m, n, of.hidden, beta=0)
        self.rest = ts.spread(ts.fused("bias_dropout_residual_layernorm", m, n, rate=dropped, eps=EPS))
        self.undrop = ts.spread(ts.binary("dropout_inv", m, n, rate=dropped))
        self.norm_back = ts.spread(ts.fused("layernorm_inv", m, n, eps=EPS))
        self.add = ts.spread(ts.binary("add", m, n))
        self.adam = functools.cache(lambda rows, columns: ts.spread(ts.fused("adam", rows, columns)))

    def embeddings(self, i: Array, p: Array, seed: int) -> tuple[Array, Callable[[Array], None]]:
        """The rows of the first layer, and what adds the gradients of the tables."""
        w, t, names, shape = (
            self.weights,
            np.zeros_like(i),
            ("words", "places", "kinds"),
            (self.of.tokens, self.of.width),
        )
        x, bits, total = self.room("x", *shape), self.bits("embedded"), self.room("total", *shape)
        given = (*(w[name] for name in names), i, p, t, w["g"], w["e"], seed)
        timed("embeddings", embedding(self.of, self.dropped), *given, x, bits, total)

        def back(g: Array) -> None:
            g, self.slopes["g"], self.slopes["e"] = self.norms_back(self.dropped_back(g, bits), total, w["g"])
            for name, each in zip(names, (i, p, t)):
                add = scattered(w[name].shape[0], *g.shape)
                self.slopes[name] = np.zeros_like(w[name])
                timed("embeddings", add, g, each, self.slopes[name])

        return x, back

    def dropped_back(self, g: Array, bits: Array) -> Array:
        """The gradient before dropout."""
        result = self.room("undropped", *g.shape)
        timed("dropout, residual, layer norm", self.undrop, g, bits, result)
        return result

    def norms_back(self, g: Array, x: Array, gamma: Array) -> tuple[Array, Array, Array]:
        """The gradients of a layer norm by its rows, gamma and beta."""
        results = np.empty_like(x), np.empty_like(gamma), np.empty_like(gamma)
        timed("dropout, residual, layer norm", self.norm_back, g, x, gamma, *results)
        return results

    def attention(self, x: Array, ends: Sequence[int], layer: int) -> tuple[Array, Callable[[Array], Array]]:
        """Self-attention of each sequence, whose first rows and last end are `ends`."""
        of, name = self.of, f"qkv.{layer}"
        shape = of.tokens, 3, of.heads, of.width // of.heads
        w, b = self.weights[f"w{name}"], self.weights[f"b{name}"]
        qkv, o = self.room(name, of.tokens, 3 * of.width), self.room(f"o.{layer}", of.tokens, of.width)
        timed("contractions, GELU", self.biased(3 * of.width, of.width), x, w, qkv, b)
        q, k, v = qkv.reshape(shape).transpose(1, 0, 2, 3)
        heads = o.reshape(of.tokens, of.heads, -1)
        _, lse = timed("attention", ts.varlen_attention, q, k, v, ends, out=heads, lse=True)

        def back(g: Array) -> Array:
            gqkv = self.room("gqkv", *qkv.shape)
            slopes = tuple(gqkv.reshape(shape).transpose(1, 0, 2, 3))
            given = g.reshape(heads.shape), q, k, v, heads, lse, ends
            timed("attention", ts.varlen_attention_backward, *given, gradients=slopes)
            return self.product_back(gqkv, x, name)

        return o, back

    def product_back(self, g: Array, x: Array, name: str, **more: Any) -> Array:
        """The gradient of a product by its rows; those of the weights and the bias are kept."""
        w, b = self.weights[f"w{name}"], self.weights[f"b{name}"]
        found = timed("contractions, GELU", ts.linear_backward, g, x, w, b, **more)
        dx, self.slopes[f"w{name}"], self.slopes[f"b{name}"] = found
        return dx

    def output(self, x: Array, residual: Array, name: str, norm: str, seed: int) -> tuple[Array, Any]:
        """A product, and in one kernel bias, dropout, residual and layer norm."""
        w, shape, bits, c = self.weights, residual.shape, self.bits(name), self.room("c", *residual.shape)
        timed("contractions, GELU", self.product[x.shape[1] != shape[1]], x, w[f"w{name}"], c)
        y, total = self.room(f"y {name}", *shape), self.room(f"total {name}", *shape)
        gamma, beta = w[f"g{norm}"], w[f"e{norm}"]
        timed("dropout, residual, layer norm", self.rest, c, w[f"b{name}"], residual, gamma, beta, seed, y, total, bits)

        def back(g: Array) -> tuple[Array, Array]:
            g, self.slopes[f"g{norm}"], self.slopes[f"e{norm}"] = self.norms_back(g, total, gamma)
            return self.product_back(self.dropped_back(g, bits), x, name), g

        return y, back

    def layer(self, x: Array, ends: Sequence[int], number: int, seed: int) -> tuple[Array, Callable[[Array], Array]]:
        """A layer, and its gradient by x from that of its result."""
        w, of = self.weights, self.of
        o, attention_back = self.attention(x, ends, number)
        y, self_back = self.output(o, x, f"o.{number}", f"1.{number}", seed)
        u, z = (self.room(f"{name}.{number}", of.tokens, of.hidden) for name in "uz")
        timed("contractions, GELU", self.activated, y, w[f"w1.{number}"], u, w[f"b1.{number}"], z)
        result, output_back = self.output(u, y, f"2.{number}", f"2.{number}", seed + 1)

        def back(g: Array) -> Array:
            du, dy = output_back(g)
            dy = self.sum(self.product_back(du, y, f"1.{number}", activation=ts.gelu, z=z), dy)
            do, dx = self_back(dy)
            return self.sum(attention_back(do), dx)

        return result, back

    def sum(self, a: Array, b: Array) -> Array:
        """Two gradients of one array."""
        timed("dropout, residual, layer norm", self.add, a, b, a)
        return a

    def forward(self, i: Array, p: Array, ends: Sequence[int]) -> tuple[Array, list[Callable[[Array], Any]]]:
        """The rows of the last layer, and the gradients of all parts, the embeddings' first."""
        seeds = [2 * (self.steps * (self.of.layers + 1) + number) for number in range(self.of.layers + 1)]
        x, embeddings_back = self.embeddings(i, p, seeds[-1])
        backs: list[Callable[[Array], Any]] = [embeddings_back]
        for number in range(self.of.layers):
            x, back = self.layer(x, ends, number, seeds[number])
            backs.append(back)
        return x, backs

    def step(self, i: Array, p: Array, ends: Sequence[int], labels: Array) -> float:
        """One batch of tokens, their places, the ends of the sequences and their classes; returns the cross entropy."""
        self.steps += 1
        x, backs = self.forward(i, p, ends)
        firsts, count, most = list(ends[:-1]), len(labels), self.of.sentences
        head, known = np.zeros((most, self.of.width), np.float32), np.full((most, 1), -1, np.int32)
        head[:count], known[:count, 0] = x[firsts], labels
        scores = ts.matmul(head, self.weights["w"])
        loss = ts.fused("cross_entropy", *scores.shape)(scores, known)
        share = np.full((most, 1), 1 / count, np.float32)
        d = ts.fused("cross_entropy_inv", *scores.shape)(share, scores, known)
        dx, self.slopes["w"] = ts.linear_backward(d, head, self.weights["w"], wanted="dx dw")
        g = np.zeros_like(x)
        g[firsts] = dx[:count]
        for back in reversed(backs):
            g = back(g)
        self.update()
        return float(loss.sum() / count)

    def update(self) -> None:
        """A step of Adam."""
        numbers = [np.full((1, 1), each, np.float32) for each in (RATE, 1 - BETA1**self.steps, 1 - BETA2**self.steps)]
        for name, slope in self.slopes.items():
            shape = slope.shape if slope.ndim == 2 else (1, slope.size)
            state = [each.reshape(shape) for each in (self.weights[name], *self.moments[name])]
            timed("optimizer", self.adam(*shape), *state, slope.reshape(shape), *numbers, *state)
