"""Train and classify the UCI digits with tilesmith's kernels only.

    pip install scikit-learn                     (the data: 1,797 images of 8 x 8; nothing else of it is used)
    python docs/examples/digits.py [--plot loss.png]

A network of 64 inputs, 96 hidden units and 10 classes; softmax and cross entropy; minibatches, momentum. With x
(b, 64) and labels as rows of zeros and a one, t (b, 10):

    h = relu(x @ w1 + b1)      z = h @ w2 + b2      p = exp(z - max z) / sum exp(z - max z)
    d = (p - t) / b            dw2 = h' @ d         dh = (d @ w2') where h > 0         dw1 = x' @ dh

Every product, sum and function above is machine code; numpy holds the arrays, draws the weights and picks the rows of a
minibatch.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import tilesmith as ts

INPUTS, HIDDEN, CLASSES, BATCH = 64, 96, 10, 48
RATE, MOMENTUM, EPOCHS = 0.08, 0.9, 60

seconds: dict[str, float] = defaultdict(float)
calls: dict[str, int] = defaultdict(int)


def timed(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel, with what its calls cost on the account of `name`."""

    def call(*args: Any) -> Any:
        start = time.perf_counter()
        result = kernel(*args)
        seconds[name] += time.perf_counter() - start
        calls[name] += 1
        return result

    return call


class Forward:
    """The network for a number of rows."""

    def __init__(self, rows: int) -> None:
        self.h, self.z = np.empty((rows, HIDDEN), np.float32), np.empty((rows, CLASSES), np.float32)
        self.hidden = timed("x @ w1, + b1, relu", ts.brgemm(
            rows, HIDDEN, INPUTS, beta=0, epilogue=lambda c, bias: ts.relu(c + bias)))  # fmt: skip
        self.scores = timed("h @ w2, + b2", ts.brgemm(
            rows, CLASSES, HIDDEN, beta=0, epilogue=lambda c, bias: c + bias))  # fmt: skip
        self.largest = timed("max of rows", ts.reduce("max", rows, CLASSES, axis=1))
        self.exponent = timed("exp(z - max)", ts.equation(
            lambda z, top: ts.exp(z - top), z=(rows, CLASSES), top=(rows, 1), accuracy="accurate"))  # fmt: skip
        self.total = timed("sum of rows", ts.reduce("sum", rows, CLASSES, axis=1))
        self.divide = timed("e / sum", ts.binary("div", rows, CLASSES, bcast=(None, "col")))

    def __call__(self, x: np.ndarray, net: Network) -> tuple[np.ndarray, np.ndarray]:
        """Hidden activations and the probabilities of the classes."""
        self.hidden(x, net.w1, self.h, net.b1)
        self.scores(self.h, net.w2, self.z, net.b2)
        e = self.exponent(self.z, self.largest(self.z)[:, None])
        return self.h, self.divide(e, self.total(e)[:, None])


class Network:
    """Weights, and one step of training."""

    def __init__(self, rng: np.random.Generator) -> None:
        def drawn(m: int, n: int) -> np.ndarray:
            return rng.normal(0, (2 / m) ** 0.5, (m, n)).astype(np.float32)

        self.w1, self.b1 = drawn(INPUTS, HIDDEN), np.zeros(HIDDEN, np.float32)
        self.w2, self.b2 = drawn(HIDDEN, CLASSES), np.zeros(CLASSES, np.float32)
        self.weights = (self.w1, self.b1, self.w2, self.b2)
        self.speeds = tuple(np.zeros_like(each) for each in self.weights)
        self.forward, self.dh = Forward(BATCH), np.empty((BATCH, HIDDEN), np.float32)
        self.difference = timed("(p - t) / b", ts.equation(
            lambda p, t: (p - t) * (1 / BATCH), p=(BATCH, CLASSES), t=(BATCH, CLASSES)))  # fmt: skip
        self.transposed = timed("w2'", ts.transpose(HIDDEN, CLASSES))
        self.back = timed("d @ w2', where h > 0", ts.brgemm(
            BATCH, HIDDEN, CLASSES, beta=0,
            epilogue=lambda c, h: ts.select(h > 0, c, 0.0), operands={"h": None}))  # fmt: skip
        self.slope2 = timed("h' @ d", ts.brgemm(HIDDEN, CLASSES, BATCH, beta=0, order=("F", "C", "C")))
        self.slope1 = timed("x' @ dh", ts.brgemm(INPUTS, HIDDEN, BATCH, beta=0, order=("F", "C", "C")))
        self.sums = {
            n: timed("sums of columns", ts.reduce("sum", BATCH, n, axis=0)) for n in (HIDDEN, CLASSES)
        }  # fmt: skip
        self.move = [
            (timed("momentum", ts.equation(lambda v, g: MOMENTUM * v - RATE * g, v=shape, g=shape)),
             timed("w + v", ts.binary("add", *shape)))
            for shape in ((each.shape if each.ndim == 2 else (1, each.size)) for each in self.weights)
        ]  # fmt: skip

    def step(self, x: np.ndarray, t: np.ndarray) -> float:
        """One minibatch; returns its cross entropy."""
        h, p = self.forward(x, self)
        d = self.difference(p, t)
        self.back(d, self.transposed(self.w2), self.dh, h)
        slopes = (self.slope1(x.T, self.dh), self.sums[HIDDEN](self.dh), self.slope2(h.T, d), self.sums[CLASSES](d))
        for (momentum, add), weight, speed, slope in zip(self.move, self.weights, self.speeds, slopes):
            w, v, g = (each.reshape(1, -1) if each.ndim == 1 else each for each in (weight, speed, slope))
            momentum(v, g, v)
            add(w, v, w)
        return float(-np.log(p[t > 0]).mean())


def main() -> float:
    """Train, print what was reached and where the time went; returns the accuracy on the test images."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, help="write the loss curve to this file")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    digits = load_digits()
    x = (digits.data / 16).astype(np.float32)
    order = rng.permutation(len(x))
    x, labels = x[order], digits.target[order]
    t = np.eye(CLASSES, dtype=np.float32)[labels]
    split = len(x) * 3 // 4
    net, losses = Network(rng), []
    for _ in range(EPOCHS):
        shuffled = rng.permutation(split)
        losses += [
            net.step(x[rows], t[rows])
            for rows in (shuffled[i : i + BATCH] for i in range(0, split - BATCH + 1, BATCH))
        ]  # fmt: skip
    spent = dict(seconds)
    _, p = Forward(len(x) - split)(x[split:], net)
    accuracy = float((p.argmax(1) == labels[split:]).mean())
    print(f"{len(losses)} steps, loss {losses[0]:.3f} -> {np.mean(losses[-20:]):.4f}")
    print(f"accuracy on {len(x) - split} images that were not trained on: {accuracy:.4f}\n")
    print(f"{'kernel':24}{'calls':>8}{'us each':>10}{'share':>8}")
    for name, each in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"{name:24}{calls[name]:8}{each / calls[name] * 1e6:10.2f}{each / sum(spent.values()):8.1%}")
    if options.plot:
        plot(losses, options.plot)
    return accuracy


def plot(losses: list[float], path: Path) -> None:
    """The loss of every step, and its mean over 28 of them."""
    pyplot = import_module("matplotlib.pyplot")  # only who asks for the plot needs it
    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.semilogy(losses, linewidth=0.5, alpha=0.5)
    axes.semilogy(np.convolve(losses, np.ones(28) / 28, "valid"))
    axes.set_xlabel("step")
    axes.set_ylabel("cross entropy")
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    raise SystemExit(main() < 0.97)
