"""Networks: the fewest buffers that hold what is alive, results as those of the layers one by one, on any number of
threads, in blocks of images, and between guard pages."""

from __future__ import annotations

import functools
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import Array, both_sides, check_canary, guarded
from tests.profiles import scaled
from tilesmith.runtime.bench.cases import network as nets
from tilesmith.runtime.network import steps as module

THREADS = 1, 2, 3


def combined(size: int, *values: Array, step: int = 0, out: Array | None = None) -> Array:
    """Return an array of `size` columns that depends on the step, and on every element of the values; `out` is spoiled
    before any is read."""
    out = np.empty((len(values[0]), size)) if out is None else out
    out.fill(np.nan)
    sums = (number * each.sum(axis=1, keepdims=True) for number, each in enumerate(values, 1))
    out[...] = np.sin(step + np.arange(size)) + sum(sums)
    return out


def by_layer(net: module.LayerNetwork, *inputs: Array) -> Array:
    """Return the result of a network whose results all have arrays of their own."""
    values = dict(zip(net.inputs, inputs))
    for step in net.steps:
        values[step.name] = step.function(*(values[each] if isinstance(each, str) else each for each in step.arguments))
    return values[net.steps[-1].name]


def layers(images: int, rng: np.random.Generator) -> dict[str, tuple[object, ...]]:
    """Return the steps of a small residual network with channels last."""

    def layer(c: int, k: int, taps: int, side: int, residual: bool = False) -> tuple[object, ...]:
        made = ts.conv(
            (images, c, side, side),
            (k, c, taps, taps),
            padding=taps // 2,
            activation=ts.relu,
            residual=residual,
            layout="NHWC",
        )
        packed = made.pack(rng.standard_normal((k, c, taps, taps)).astype(np.float32))
        return made, packed, rng.standard_normal(k).astype(np.float32)

    (stem, *of_stem), (inner, *of_inner), (last, *of_last) = (
        layer(3, 16, 3, 8),
        layer(16, 8, 1, 4),
        layer(8, 16, 3, 4, True),
    )
    return {
        "stem": (stem, "x", *of_stem),
        "pool": (functools.partial(ts.max_pool2d, kernel_size=2), "stem"),
        "a": (inner, "pool", *of_inner),
        "b": (last, "a", *of_last, "pool"),
        "c": (inner, "b", *of_inner),
        "d": (last, "c", *of_last, "b"),
    }


def images(count: int, rng: np.random.Generator) -> Array:
    """Return images with channels last."""
    return rng.standard_normal((count, 8, 8, 3)).astype(np.float32).transpose(0, 3, 1, 2)


class Shaped:
    """A layer in place of a convolution, that makes an array of its shape."""

    def __init__(self, x: tuple[int, ...], w: tuple[int, ...], *, stride: int, padding: int, **_: object) -> None:
        rows = (x[2] + 2 * padding - w[2]) // stride + 1
        self.shape_y = x[0], w[0], rows, rows

    def pack(self, weights: Array) -> None:
        """Return nothing, since there are no products."""

    def __call__(self, x: Array, *_: object, out: Array | None = None) -> Array:
        return np.empty((self.shape_y[0], *self.shape_y[2:], self.shape_y[1]), np.float32).transpose(0, 3, 1, 2)


def test_resnet_50_needs_three_buffers(monkeypatch: pytest.MonkeyPatch):
    """Intel's manual, section 20.12: three buffers instead of one for each of 55 results."""
    monkeypatch.setattr(nets, "conv", Shaped)
    monkeypatch.setattr(nets, "drawn", lambda rng, shape: np.broadcast_to(np.float64(0), shape))
    of = nets.ResNetExtents(1)
    net = ts.network(nets.resnet50(of), x=nets.images_of(of))
    assert len(net.placed) == 55
    results = [64 * 112**2, 256 * 56**2, 256 * 56**2]  # f32, the largest that are alive together
    assert [each // 4 for each in sorted(net.buffers)] == sorted(results)
    assert net.verify()


@pytest.mark.slow
def test_resnet_50_computes_as_its_layers_do():
    of = nets.ResNetExtents(2, side=64, width=16, classes=4)
    x = nets.images_of(of)
    net = ts.network(nets.resnet50(of), x=x)
    assert len(net.buffers) == 3
    want = by_layer(net, x)
    for threads in THREADS:
        assert np.array_equal(net(x, threads=threads), want)
        assert np.array_equal(nets.in_two(of, x)(x, threads=threads), want)


def test_a_block_of_inception_resnet_needs_five_buffers():
    """The same for the block A of Inception-ResNet-V2, whose three branches are joined and added to its input."""
    join = functools.partial(combined, 6)
    net = ts.network(
        {
            "before": (join, "x"),
            "one": (join, "before"),
            "two a": (join, "before"),
            "two b": (join, "two a"),
            "three a": (join, "before"),
            "three b": (join, "three a"),
            "three c": (join, "three b"),
            "joined": (join, "one", "two b", "three c"),
            "up": (join, "joined"),
            "sum": (join, "before", "up"),
        },
        x=np.ones((1, 6)),
    )
    assert len(net.buffers) == 5
    assert net.verify()


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, tuple[object, ...]]:
    """Draw steps of which each but the last is read later."""
    count = draw(st.integers(1, 9))
    names = [f"v{number}" for number in range(count)]
    reads = [draw(st.lists(st.sampled_from(["x", *names[:number]]), min_size=1, max_size=3)) for number in range(count)]
    for number, name in enumerate(names[:-1]):
        if not any(name in each for each in reads[number + 1 :]):
            reads[draw(st.integers(number + 1, count - 1))].append(name)
    return {
        name: (functools.partial(combined, draw(st.integers(1, 40)), step=step), *each)
        for step, (name, each) in enumerate(zip(names, reads))
    }


@settings(max_examples=scaled(25, 10_000))
@given(graphs())
def test_any_graph_has_as_many_buffers_as_results_are_alive(steps: dict[str, tuple[object, ...]]):
    x = np.arange(6.0).reshape(2, 3)
    net = ts.network(steps, x=x)
    names = list(steps)
    last = {name: max(at for at, step in enumerate(steps.values()) if name in step) for name in names[:-1]}
    alive = [sum(first <= at <= last[name] for first, name in enumerate(names[:-1])) for at in range(len(names))]
    assert len(net.buffers) == max(alive)
    assert sum(net.buffers) >= net.least
    assert net.verify()
    assert np.array_equal(net(x), by_layer(net, x))


@settings(max_examples=scaled(25, 10_000))
@given(graphs(), st.data())
def test_a_wrong_placement_is_refuted_if_it_is_one(steps: dict[str, tuple[object, ...]], data: st.DataObject):
    x = np.arange(6.0).reshape(2, 3)
    net = ts.network(steps, x=x)
    if len(net.buffers) < 2:
        return
    name = data.draw(st.sampled_from(list(net.placed)))
    net.placed[name] = data.draw(
        st.sampled_from([each for each in range(len(net.buffers)) if each != net.placed[name]])
    )
    net.buffers = (max(net.buffers),) * len(net.buffers)
    assert bool(net.verify()) == np.array_equal(net(x), by_layer(net, x))


@both_sides
@pytest.mark.parametrize("affinity", ["layers", "images"])
def test_images_in_blocks_and_on_threads_have_the_same_bits(
    side: str, affinity: module.Affinity, monkeypatch: pytest.MonkeyPatch
):
    rng = np.random.default_rng(0)
    steps, x = layers(2, rng), images(8, rng)
    buffers: list[Array] = []

    def between_guards(size: int) -> Array:
        buffers.append(guarded(np.zeros(size, np.uint8), side))
        return buffers[-1]

    net = ts.network(steps, affinity=affinity, x=x[:2])
    want = np.concatenate([by_layer(net, x[first : first + 2]) for first in range(0, 8, 2)])
    monkeypatch.setattr(module, "bytes_at_a_line", between_guards)
    given_x = guarded(x, side, writable=False)
    for threads in THREADS:
        out = guarded(np.zeros_like(want), side)
        assert net(given_x, out=out, threads=threads) is out
        assert np.array_equal(out, want)
        for each in (out, *buffers):
            check_canary(each)
    assert buffers


def test_first_layers_by_image_and_last_ones_by_batch():
    """Section 20.7 of the manual: a network of one image is a layer of another one."""
    rng = np.random.default_rng(1)
    steps, x = layers(1, rng), images(4, rng)
    front = ts.network(steps, affinity="images", x=x[:1])
    taps = rng.standard_normal((8, 16, 3, 3)).astype(np.float32)
    back = ts.conv((4, 16, 4, 4), (8, 16, 3, 3), bias=False, layout="NHWC")
    net = ts.network({"front": (front, "x"), "back": (back, "front", back.pack(taps))}, x=x)
    want = back(np.concatenate([by_layer(front, x[at : at + 1]) for at in range(4)]), back.pack(taps))
    for threads in THREADS:
        assert np.array_equal(net(x, threads=threads), want)


def test_calls_at_the_same_time_have_buffers_of_their_own():
    rng = np.random.default_rng(2)
    x = images(6, rng)
    net = ts.network(layers(1, rng), x=x[:1])
    want = [net(x[at : at + 1]) for at in range(6)]
    found: list[Array | None] = [None] * 6

    def call(at: int) -> None:
        for _ in range(20):
            found[at] = net(x[at : at + 1])

    callers = [threading.Thread(target=call, args=(at,)) for at in range(6)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert all(np.array_equal(*each) for each in zip(found, want))


def test_a_pickled_network_computes_the_same():
    x = np.arange(6.0).reshape(2, 3)
    net = ts.network({"a": (functools.partial(combined, 5), "x"), "b": (functools.partial(combined, 4), "a", "x")}, x=x)
    again = pickle.loads(pickle.dumps(net))
    assert np.array_equal(again(x), net(x))
    assert str(again) == str(net)


def test_an_error_on_a_thread_is_raised_to_the_caller():
    def refuses(x: Array, out: Array | None = None) -> Array:
        if x[0, 0] == 3:
            raise RuntimeError("three")
        return np.copy(x) if out is None else np.add(x, 0, out=out)

    net = ts.network({"a": (refuses, "x"), "b": (refuses, "a")}, affinity="images", x=np.zeros((1, 2)))
    x = np.arange(4.0)[:, None] * np.ones(2)
    with pytest.raises(RuntimeError, match="three"):
        net(x, threads=2)
    assert np.array_equal(net(x[:3], threads=3), x[:3])


def test_what_is_wrong_with_steps_and_calls_is_named():
    x, four = np.ones((2, 3)), functools.partial(combined, 4)
    for steps, error, text in (
        ({}, TypeError, "a function and its arguments"),
        ({"a": ("x",)}, TypeError, "a: a function and its arguments"),
        ({"a": (four, "y")}, ValueError, "a: 'y' is no input or earlier result, which are x"),
        ({"x": (four, "x")}, ValueError, "x: a result has the name of an input"),
        ({"a": (four, "x"), "b": (four, "x")}, ValueError, "a: no later step reads it"),
        ({"a": (lambda x, out=None: x[:1], "x")}, ValueError, "a: shares memory with x"),
        ({"a": (lambda x, out=None: 1.0, "x")}, TypeError, "a: returns an array"),
    ):
        with pytest.raises(error, match=text):
            ts.network(steps, x=x)
    with pytest.raises(TypeError, match="at least one array"):
        ts.network({"a": (four, "x")})
    with pytest.raises(ValueError, match='affinity: "layers" or "images", not'):
        ts.network({"a": (four, "x")}, affinity="rows", x=x)  # type: ignore[arg-type]
    net = ts.network({"a": (four, "x")}, x=x)
    for args, named, wrong, text in (
        ((), {}, TypeError, "takes 1 inputs: x; 0 are given"),
        ((np.ones((3, 3)),), {}, ValueError, r"x: shape \(2, 3\), or a multiple of its images, not \(3, 3\)"),
        ((np.ones((2, 4)),), {}, ValueError, r"x: shape \(2, 3\)"),
        ((x.astype(np.float32),), {}, TypeError, "x: float64, not float32"),
        ((x,), {"out": np.ones((2, 3))}, ValueError, r"out: shape \(2, 4\), not \(2, 3\)"),
        ((x,), {"out": np.ones((2, 4), np.float32)}, TypeError, "out: float64, not float32"),
    ):
        with pytest.raises(wrong, match=text):
            net(*args, **named)
    whole = np.ones((2, 5))
    near = ts.network({"a": (four, "x")}, x=whole[:, :3])
    with pytest.raises(ValueError, match="out: shares memory with x"):
        near(whole[:, :3], out=whole[:, 1:])
    careless = ts.network({"a": (lambda x, out=None: x * 2, "x")}, x=x)
    with pytest.raises(TypeError, match="a: writes to `out` and returns it"):
        careless(x)
