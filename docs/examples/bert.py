"""Train a small BERT on sentences of Python's library, or time one layer of BERT-large by components, beside torch.

    python docs/examples/bert.py [--steps N] [--torch]      learn from which package a sentence is
    python docs/examples/bert.py --layer [--json FILE]      one layer of BERT-large, forward, backward and Adam

The model is in bert_model.py. The task: from which of four packages is a sentence of the docstrings of Python's library?
A batch has sentences of 8, 16, 24 or 32 words one after the other, without padding. --torch trains the same in torch,
from the same weights, on the same sentences and with the same dropped units, and prints the difference of the losses.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sysconfig
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from bert_model import DROPPED, EPS, RATE, Array, Bert, Shape, seconds

import tilesmith as ts

PACKAGES = "asyncio", "email", "unittest", "xml"
LENGTHS = 8, 16, 24, 32
"""Words of a sentence: longer ones are cut to the next of these."""
UNKNOWN, FIRST = 0, 1
"""The numbers of rare words, and of the one before the first, at whose place the class is read."""
COMPONENTS = ("contractions", "attention", "GELU", "dropout, residual", "layer norm", "optimizer")


def sentences() -> Iterator[tuple[list[str], int]]:
    """Yield the words of the sentences of docstrings, each once, and the number of their package."""
    seen = set()
    for number, package in enumerate(PACKAGES):
        for path in sorted(Path(sysconfig.get_path("stdlib"), package).rglob("*.py")):
            if "test" not in path.parent.parts[-1:]:
                holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
                nodes = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, holders))
                for text in re.split(r"(?<=[.:])\s", " ".join(ast.get_docstring(node) or "" for node in nodes)):
                    words = re.findall(r"[a-z]+", text.lower())
                    if len(words) >= LENGTHS[0] and text not in seen:
                        seen.add(text)
                        yield words, number


class Sentences:
    """All sentences as numbers, four fifths of them to learn from."""

    def __init__(self, most: int, rng: np.random.Generator) -> None:
        found = list(sentences())
        counted = Counter(word for words, _ in found for word in words)
        numbers = {word: 2 + place for place, (word, _) in enumerate(counted.most_common(most - 2))}
        self.words = 2 + len(numbers)
        every = [([FIRST, *(numbers.get(word, UNKNOWN) for word in words)], label) for words, label in found]
        order = rng.permutation(len(every))
        self.known = [every[place] for place in order[len(every) // 5 :]]
        self.held = [every[place] for place in order[: len(every) // 5]]

    def batch(self, tokens: int, chosen: Iterator[tuple[list[int], int]]) -> tuple[Array, Array, list[int], Array]:
        """The words of a batch, their places, the ends of sentences, and the classes."""
        ends, words, labels = [0], [], []
        while ends[-1] < tokens:
            sentence, label = next(chosen)
            length = max(each for each in LENGTHS if each <= min(len(sentence), tokens - ends[-1]))
            words += sentence[:length]
            labels.append(label)
            ends.append(len(words))
        places = np.concatenate([np.arange(b - a) for a, b in zip(ends, ends[1:])])
        return np.array(words, np.int32), places.astype(np.int32), ends, np.array(labels, np.int32)


class TorchBert:
    """The same in torch, from the same weights."""

    def __init__(self, model: Bert) -> None:
        self.torch, self.of = import_module("torch"), model.of
        self.torch.set_num_threads(ts.num_threads())
        self.weights = {name: self.torch.from_numpy(w.copy()).requires_grad_() for name, w in model.weights.items()}
        self.adam = self.torch.optim.Adam(self.weights.values(), lr=RATE)

    def norm(self, x: Any, name: str) -> Any:
        """A layer norm."""
        gamma, beta = self.weights[f"g{name}"], self.weights[f"e{name}"]
        return self.torch.nn.functional.layer_norm(x, gamma.shape, gamma, beta, EPS)

    def dropped(self, x: Any, bits: Array | None) -> Any:
        """Without the units that the bits drop; None: torch draws."""
        if bits is None:
            return self.torch.nn.functional.dropout(x, DROPPED)
        return x * self.torch.from_numpy(np.unpackbits(bits, axis=1, bitorder="little").astype(np.float32)) / (1 - DROPPED)

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


def train(options: argparse.Namespace) -> None:
    """Learn, and print the losses, the share of new sentences that are recognised, and the shares of time."""
    rng = np.random.default_rng(1)
    data = Sentences(options.words, rng)
    of = Shape(options.tokens, options.width, 4, 4 * options.width, 2, data.words, LENGTHS[-1], len(PACKAGES))
    model = Bert(of, of.weights(rng))
    other = TorchBert(model) if options.torch else None
    draws = (data.known[place] for _ in iter(int, 1) for place in rng.permutation(len(data.known)))
    losses: dict[str, list[float]] = defaultdict(list)
    for _ in range(options.steps):
        batch = data.batch(of.tokens, draws)
        losses["tilesmith"].append(model.step(*batch))
        if other is not None:
            losses["torch"].append(other.step(*batch, model.bits))
    for name, each in losses.items():
        print(f"{name}: loss {each[0]:.4f} -> {np.mean(each[-20:]):.4f}")
    if other is not None:
        apart = np.abs(np.subtract(losses["tilesmith"], losses["torch"])).max()
        print(f"largest difference of a step's losses: {apart:.1e}")
    print_shares(seconds)
    right = total = 0
    held = iter(data.held)
    while total < len(data.held) // 2:
        i, p, ends, labels = data.batch(of.tokens, held)
        right += int((model.scores(i, p, ends).argmax(1) == labels).sum())
        total += len(labels)
    most = max(Counter(label for _, label in data.held).values()) / len(data.held)
    print(f"of {total} sentences that were not learnt from: {right / total:.3f}; the most frequent package: {most:.3f}")


def print_shares(spent: dict[str, float]) -> None:
    """Print the share of each component."""
    for name, each in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"    {name:26}{each / sum(spent.values()):8.1%}")
