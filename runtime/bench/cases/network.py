"""`tilesmith bench network`: ResNet-50 as one callable of `ts.network`, by four ways to deal out its work.

Every contender computes the same layers of `ts.conv` with packed weights. *own arrays* has an array for each result;
*buffers* shares three; *images* takes one image after the other through all layers, each thread its own; *mini-batch*
takes them so through all layers but conv5, whose weights exceed L2, and computes these for all images at once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ....encoder.records import NamedTuple
from ....microkernels.expr.graph import Expr
from ...api.aligned import bytes_at_a_line
from ...api.functions import relu
from ...api.typed import DType
from ...arguments.arrays import Array, numpy_dtype
from ...convolution.layers import conv
from ...images.pooling import adaptive_avg_pool2d, max_pool2d
from ...network.steps import LayerNetwork, network
from ...threads.policy import num_threads
from ..measure import PythonCall
from ..runner import Bench, Run, Table
from ..table import Row, WrongResult
from .conv import rows_of

STAGES = rows_of("64 3 | 128 4 | 256 6 | 512 3")
"""The channels inside of the blocks of each stage, conv2 to conv5, and how many blocks it has."""
Steps = dict[str, Sequence[object]]


class ResNetExtents(NamedTuple):
    """How large a ResNet-50 is: the images, their height and width, channels of its first layer, and element type; and
    the threads of its layers, 1 for image affinity: then calls of layers need not find out how many there are."""

    images: int
    side: int = 224
    width: int = 64
    dtype: DType = "f32"
    classes: int = 1000
    threads: int | None = None


def drawn(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return weights by which results are about as large as inputs."""
    return rng.standard_normal(shape) * (2 / np.prod(shape[1:])) ** 0.5


def _scaled(c: Expr, scale: Expr) -> Expr:
    return relu(c * scale)


def _added(c: Expr, scale: Expr, residual: Expr) -> Expr:
    return relu(c * scale + residual)


class ResNet:
    """The steps of a network, each of which reads a result of earlier ones. Weights are drawn from a seed by their
    number, so that builders of different numbers of images have the same ones."""

    def __init__(self, of: ResNetExtents, source: str, shape: tuple[int, int], first: int = 0) -> None:
        self.of, self.last, self.number = of, source, first
        self.steps: Steps = {}
        self.shapes = {source: shape}  # channels and side of each result

    def conv(
        self, name: str, source: str, k: int, taps: int, stride: int = 1, residual: str = "", act: bool = True
    ) -> str:
        """Add a convolution, with a bias and an activation, and return its name."""
        (c, side), of = self.shapes[source], self.of
        rng = np.random.default_rng(self.number)
        shapes, narrow = ((of.images, c, side, side), (k, c, taps, taps)), of.dtype == "u8"
        made = functools.partial(
            conv, *shapes, stride=stride, padding=taps // 2, layout="NHWC", threads=of.threads
        )
        if narrow:
            more = {"scale": ("channel", "f32"), **({"residual": (None, "u8")} if residual else {})}
            layer = made(epilogue=_added if residual else _scaled, operands=more, dtype=("u8", "i8", "u8"))
        else:
            layer = made(residual=bool(residual), activation=relu if act else None, dtype=of.dtype)
        weights, bias = drawn(rng, shapes[1]), rng.standard_normal(k) * 0.1
        if narrow:  # 8 bits of weights, and sums that are scaled back
            scale = np.abs(weights).max() / 127
            packed = layer.pack(np.rint(weights / scale).astype(np.int8))
            arrays = [np.rint(bias / scale).astype(np.int32), np.full(k, scale, np.float32)]
        else:
            packed, arrays = layer.pack(weights.astype(numpy_dtype(of.dtype))), [bias.astype(numpy_dtype(of.dtype))]
        self.steps[name] = (layer, source, packed, *arrays, *([residual] if residual else []))
        self.shapes[name] = k, layer.shape_y[-1]
        self.number, self.last = self.number + 1, name
        return name

    def function(self, name: str, function: Callable[..., object], side: int) -> None:
        """Add a function of the last result, which keeps its channels."""
        self.steps[name] = (function, self.last)
        self.shapes[name] = self.shapes[self.last][0], side
        self.last = name

    def stage(self, number: int) -> None:
        """Add the blocks of a stage, conv2 to conv5; the first one has a convolution beside it."""
        channels, blocks = STAGES[number - 2]
        k = self.of.width * channels // 64
        for block in range(blocks):
            source, stride = self.last, 2 if block == 0 and number > 2 else 1
            name = f"conv{number}_{block + 1}"
            beside = self.conv(f"{name} beside", source, 4 * k, 1, stride, act=False) if block == 0 else source
            inner = self.conv(f"{name} a", source, k, 1)
            inner = self.conv(f"{name} b", inner, k, 3, stride)
            self.conv(f"{name} c", inner, 4 * k, 1, residual=beside)


def stem(of: ResNetExtents) -> ResNet:
    """Return a builder with the first convolution and pooling."""
    made = ResNet(of, "x", (3, of.side))
    made.conv("conv1", "x", of.width, 7, 2)
    side = made.shapes["conv1"][1]
    made.function("pool1", functools.partial(max_pool2d, kernel_size=3, stride=2, padding=1), (side + 1) // 2)
    return made


def head(made: ResNet) -> None:
    """Add the average of each channel and the classes. Bytes have neither, since averages are of floats."""
    if made.of.dtype == "u8":
        return
    made.function("average", functools.partial(adaptive_avg_pool2d, output_size=1), 1)
    made.conv("classes", "average", made.of.classes, 1, act=False)


def resnet50(of: ResNetExtents) -> Steps:
    """Return the steps of ResNet-50 v1.5 with batch norms folded into the convolutions."""
    made = stem(of)
    for number in (2, 3, 4, 5):
        made.stage(number)
    head(made)
    return made.steps


def in_two(of: ResNetExtents, x: Array) -> LayerNetwork:
    """Return ResNet-50 with image affinity up to conv4, and layer affinity from conv5 on."""
    front = stem(of._replace(images=1, threads=1))
    for number in (2, 3, 4):
        front.stage(number)
    first = network(front.steps, affinity="images", x=x[:1])
    back = ResNet(of, "front", front.shapes[front.last], front.number)
    back.stage(5)
    head(back)
    return network({"front": (first, "x"), **back.steps}, x=x)


def images_of(of: ResNetExtents) -> Array:
    """Return images with channels last."""
    rng, shape = np.random.default_rng(1), (of.images, of.side, of.side, 3)
    numbers = rng.integers(0, 256, shape) if of.dtype == "u8" else rng.standard_normal(shape)
    made: Array = np.asarray(numbers).astype(numpy_dtype(of.dtype)).transpose(0, 3, 1, 2)
    return made


def own_arrays(net: LayerNetwork) -> Callable[[Array], Array]:
    """Return the layers of a network as a function with an array for each result."""
    arrays = [result.at(bytes_at_a_line(result.size)) for result in net.results]

    def run(x: Array) -> Array:
        values: dict[str, Array] = {"x": x}
        for step, array in zip(net.steps, arrays):
            step.run(values, array)
            values[step.name] = array
        return values[net.steps[-1].name]

    return run


def measured(run: Run, images: int, dtype: DType) -> Row:
    """Return the row of a number of images."""
    of = ResNetExtents(images, dtype=dtype)
    x = images_of(of)
    whole = network(resnet50(of), x=x)
    single = network(resnet50(of._replace(images=1, threads=1)), affinity="images", x=x[:1])
    nets: Mapping[str, Callable[[Array], Array]] = {
        "own": own_arrays(whole), "buffers": whole, "images": single, "mini": in_two(of, x)}
    by_layer, alone = own_arrays(whole)(x).copy(), own_arrays(single)
    by_image = np.concatenate([alone(x[image : image + 1]).copy() for image in range(images)])
    for name, net in nets.items():
        if not np.array_equal(net(x), by_image if name == "images" else by_layer):
            raise WrongResult(f"{images} images of {dtype}, {name}: other bits than layer by layer")
    best = run.turns({name: PythonCall(functools.partial(net, x)) for name, net in nets.items()})
    return {"count": images, "type": dtype, "threads": num_threads(), "held": sum(whole.buffers),
            "results": sum(each.size for each in whole.results[:-1]),
            **{name: seconds / images for name, seconds in best.items()},
            "gain": best["own"] / min(best[name] for name in ("buffers", "images", "mini"))}


COLUMNS = ("images=count; type; threads; MB of results=results:1M; MB of buffers=held:1M; own arrays, ms an image="
           "own:2m; buffers=buffers:2m; images=images:2m; mini-batch=mini:2m; best by own arrays=gain:2")
BENCH = Bench("network", __doc__, (
    Table("resnet-50", COLUMNS, [(images, dtype) for dtype in ("f32", "bf16", "u8") for images in (1, 2, 4, 8)],
          measured),), alone=False, share=2.0)
