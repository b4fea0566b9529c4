"""Train and classify the UCI digits with tilesmith's kernels only.

    pip install scikit-learn                     (the data: 1,797 images of 8 x 8; nothing else of it is used)
    python docs/examples/digits.py [--plot loss.png] [--torch]

A network of 64 inputs, 96 hidden units and 10 classes; batch norm, dropout; softmax and cross entropy; minibatches,
Adam. With x (b, 64) and labels (b, 1):

    s = x @ w1 + b1      h = dropout(relu(batchnorm(s)))      z = h @ w2 + b2      loss = cross entropy of softmax(z)
    d = its derivative   dw2 = h' @ d     dh = (d @ w2') / (1 - rate) where h > 0     ds, dgamma, dbeta from dh
    dw1 = x' @ ds        w, m, v of Adam in place

Every product, sum and function above is machine code; numpy holds the arrays, draws the weights and picks the rows of a
minibatch. --torch trains the same network in torch, from the same weights, on the same minibatches and with the same
dropped units, and prints the difference of the losses.
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
RATE, DROPPED, EPOCHS = 2e-3, 0.2, 60
BETA1, BETA2, SMOOTH = 0.9, 0.999, 28
EPS, MOMENTUM = 1e-5, 0.1

seconds: dict[str, float] = defaultdict(float)
calls: dict[str, int] = defaultdict(int)


def timed(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel; the time of its calls is added to that of `name`."""

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
        self.s, self.h, self.z = (np.empty((rows, n), np.float32) for n in (HIDDEN, HIDDEN, CLASSES))
        self.hidden = timed("x @ w1, + b1", ts.brgemm(rows, HIDDEN, INPUTS, beta=0, epilogue=lambda c, bias: c + bias))
        self.scores = timed("h @ w2, + b2", ts.brgemm(rows, CLASSES, HIDDEN, beta=0, epilogue=lambda c, bias: c + bias))

    def __call__(self, x: np.ndarray, net: Network) -> np.ndarray:
        """The scores of the classes."""
        self.hidden(x, net.w1, self.s, net.b1)
        self.activate(net)
        self.scores(self.h, net.w2, self.z, net.b2)
        return self.z

    def activate(self, net: Network) -> None:
        """h from s, normalized by the running mean and variance."""
        activate = ts.equation(
            lambda s, mean, variance, gamma, beta: ts.relu((s - mean) / ts.sqrt(variance + EPS) * gamma + beta),
            s=self.s.shape,
            **dict.fromkeys(("mean", "variance", "gamma", "beta"), (HIDDEN,)),
        )
        activate(self.s, net.mean, net.variance, net.gamma, net.beta, self.h)


class Training(Forward):
    """The same for a minibatch, normalized by its own mean and variance, with dropout."""

    def __init__(self, rows: int) -> None:
        super().__init__(rows)
        self.mask = np.empty((rows, HIDDEN // 8), np.uint8)
        self.y = np.empty((rows, HIDDEN), np.float32)
        self.batch = tuple(np.empty((1, HIDDEN), np.float32) for _ in range(2))
        self.norm = timed("batch norm", ts.fused("batchnorm_training", rows, HIDDEN, eps=EPS))
        self.drop = timed(
            "relu, dropout",
            ts.equation(lambda y: ts.dropout_mask(ts.relu(y), DROPPED), y=(rows, HIDDEN), out=("f32", "bits")),
        )
        unbiased = rows / (rows - 1)
        self.follow = timed(
            "running mean and variance",
            ts.equation(
                lambda mean, inverse, m, v: (
                    m + MOMENTUM * (mean - m),
                    v + MOMENTUM * ((1 / (inverse * inverse) - EPS) * unbiased - v),
                ),
                **dict.fromkeys(("mean", "inverse", "m", "v"), (1, HIDDEN)),
            ),
        )

    def activate(self, net: Network) -> None:
        """h from s, and the mask of the units that were not dropped."""
        self.norm(self.s, rows(net.gamma), rows(net.beta), self.y, *self.batch)
        running = rows(net.mean), rows(net.variance)
        self.follow(*self.batch, *running, *running)
        self.drop(self.y, net.steps, self.h, self.mask)


class Network:
    """Weights, and one step of training."""

    def __init__(self, rng: np.random.Generator) -> None:
        def drawn(m: int, n: int) -> np.ndarray:
            return rng.normal(0, (2 / m) ** 0.5, (m, n)).astype(np.float32)

        self.w1, self.b1 = drawn(INPUTS, HIDDEN), np.zeros(HIDDEN, np.float32)
        self.gamma, self.beta = np.ones(HIDDEN, np.float32), np.zeros(HIDDEN, np.float32)
        self.w2, self.b2 = drawn(HIDDEN, CLASSES), np.zeros(CLASSES, np.float32)
        self.weights = (self.w1, self.b1, self.gamma, self.beta, self.w2, self.b2)
        self.moments = tuple((np.zeros_like(each), np.zeros_like(each)) for each in self.weights)
        self.mean, self.variance = np.zeros(HIDDEN, np.float32), np.ones(HIDDEN, np.float32)
        self.forward, self.steps = Training(BATCH), 0
        self.dh, self.ds = (np.empty((BATCH, HIDDEN), np.float32) for _ in range(2))
        self.dgamma, self.dbeta = (np.empty(HIDDEN, np.float32) for _ in range(2))
        self.share = np.full((BATCH, 1), 1 / BATCH, np.float32)
        self.loss = timed("cross entropy", ts.fused("cross_entropy", BATCH, CLASSES))
        self.difference = timed("its derivative", ts.fused("cross_entropy_inv", BATCH, CLASSES))
        self.transposed = timed("w2'", ts.transpose(HIDDEN, CLASSES))
        self.back = timed(
            "d @ w2', where h > 0",
            ts.brgemm(
                BATCH,
                HIDDEN,
                CLASSES,
                beta=0,
                operands={"h": None},
                epilogue=lambda c, h: ts.select(h > 0, c * (1 / (1 - DROPPED)), 0.0),
            ),
        )
        self.norm_back = timed("derivative of batch norm", ts.fused("batchnorm_training_inv", BATCH, HIDDEN))
        self.slope2 = timed("h' @ d", ts.brgemm(HIDDEN, CLASSES, BATCH, beta=0, order=("F", "C", "C")))
        self.slope1 = timed("x' @ ds", ts.brgemm(INPUTS, HIDDEN, BATCH, beta=0, order=("F", "C", "C")))
        self.sums = {n: timed("sums of columns", ts.reduce("sum", BATCH, n, axis=0)) for n in (HIDDEN, CLASSES)}
        self.adam = [timed("Adam", ts.fused("adam", *rows(each).shape)) for each in self.weights]

    def step(self, x: np.ndarray, labels: np.ndarray) -> float:
        """One minibatch; returns its cross entropy."""
        self.steps += 1
        z = self.forward(x, self)
        loss = float(self.loss(z, labels).mean())
        d = self.difference(self.share, z, labels)
        self.back(d, self.transposed(self.w2), self.dh, self.forward.h)
        self.norm_back(
            self.dh, self.forward.s, *self.forward.batch, rows(self.gamma), self.ds, rows(self.dgamma), rows(self.dbeta)
        )
        slopes = (
            self.slope1(x.T, self.ds),
            self.sums[HIDDEN](self.ds),
            self.dgamma,
            self.dbeta,
            self.slope2(self.forward.h.T, d),
            self.sums[CLASSES](d),
        )
        numbers = [np.full((1, 1), each, np.float32) for each in (RATE, 1 - BETA1**self.steps, 1 - BETA2**self.steps)]
        for adam, weight, (m, v), slope in zip(self.adam, self.weights, self.moments, slopes):
            state = rows(weight), rows(m), rows(v)
            adam(*state, rows(slope), *numbers, *state)
        return loss


def rows(array: np.ndarray) -> np.ndarray:
    """The array as a matrix; an array of one axis becomes a row."""
    return array.reshape(1, -1) if array.ndim == 1 else array


class TorchNetwork:
    """The same in torch, from the same weights."""

    def __init__(self, net: Network) -> None:
        self.torch = import_module("torch")
        self.torch.set_num_threads(1)
        self.weights = [self.torch.from_numpy(each.copy()).requires_grad_() for each in net.weights]
        self.adam = self.torch.optim.Adam(self.weights, lr=RATE)

    def step(self, x: np.ndarray, labels: np.ndarray, mask: np.ndarray) -> float:
        """One minibatch without the units that the mask drops."""
        w1, b1, gamma, beta, w2, b2 = self.weights
        functional = self.torch.nn.functional
        stays = self.torch.from_numpy(np.unpackbits(mask, axis=1, bitorder="little").astype(np.float32))
        s = self.torch.from_numpy(x) @ w1 + b1
        y = functional.batch_norm(s, None, None, gamma, beta, training=True, eps=EPS)
        h = functional.relu(y) * stays / (1 - DROPPED)
        loss = functional.cross_entropy(h @ w2 + b2, self.torch.from_numpy(labels[:, 0].astype(np.int64)))
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        return float(loss.detach())


def main() -> float:
    """Train, print the accuracy and the time of each kind of kernel; returns the accuracy on the test images."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, help="write the loss curve to this file")
    parser.add_argument("--torch", action="store_true", help="train the same network in torch, too")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    digits = load_digits()
    x = (digits.data / 16).astype(np.float32)
    order = rng.permutation(len(x))
    x, labels = x[order], digits.target[order].astype(np.int32)[:, None]
    split = len(x) * 3 // 4
    net, losses, others = Network(rng), [], []
    other = TorchNetwork(net) if options.torch else None
    for _ in range(EPOCHS):
        shuffled = rng.permutation(split)
        for chosen in (shuffled[i : i + BATCH] for i in range(0, split - BATCH + 1, BATCH)):
            losses.append(net.step(x[chosen], labels[chosen]))
            if other is not None:
                others.append(other.step(x[chosen], labels[chosen], net.forward.mask))
    spent = dict(seconds)
    z = Forward(len(x) - split)(x[split:], net)
    accuracy = float((z.argmax(1) == labels[split:, 0]).mean())
    print(f"{len(losses)} steps, loss {losses[0]:.3f} -> {np.mean(losses[-20:]):.4f}")
    if others:
        near = np.abs(smooth(losses) - smooth(others)).max()
        print(
            f"torch: loss {others[0]:.3f} -> {np.mean(others[-20:]):.4f}; means of {SMOOTH} steps differ by {near:.1e}"
        )
    print(f"accuracy on {len(x) - split} images that were not trained on: {accuracy:.4f}\n")
    print(f"{'kernel':28}{'calls':>8}{'us each':>10}{'share':>8}")
    for name, each in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"{name:28}{calls[name]:8}{each / calls[name] * 1e6:10.2f}{each / sum(spent.values()):8.1%}")
    if options.plot:
        plot({"tilesmith": losses, "torch": others} if others else {"tilesmith": losses}, options.plot)
    return accuracy


def smooth(losses: list[float]) -> np.ndarray:
    """Means over some steps."""
    return np.convolve(losses, np.ones(SMOOTH) / SMOOTH, "valid")


def plot(curves: dict[str, list[float]], path: Path) -> None:
    """Draw the mean loss over some steps of each run, and for the first run also the loss of every step."""
    pyplot = import_module("matplotlib.pyplot")  # only who asks for the plot needs it
    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.semilogy(next(iter(curves.values())), linewidth=0.5, alpha=0.5)
    for (name, losses), style in zip(curves.items(), ("-", "--")):
        axes.semilogy(smooth(losses), style, label=name)
    axes.set_xlabel("step")
    axes.set_ylabel("cross entropy")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    raise SystemExit(main() < 0.97)
