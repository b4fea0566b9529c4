"""The request for a convolution whose results are as many as its channels: depthwise, or of expanded small groups.

    c[p, q, k] = sum over r, s, d of x[p * stride - top + r * dilation, q * stride - left + s * dilation, d * n + k]
                                     * w[r, s, d, k]
    y[p, q, k] = f(c[p, q, k], ...)

x has a row of memory for each pixel, y one for each pixel of the result; channels are neighbours (NHWC). Taps beside
the image are left out, as if zeros lay there. With `depth` above 1, each result sums several channels, which lie
`channels` apart in x. Terms are added in the order of r, s and d, starting from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from ...encoder.errors import shown
from ...encoder.records import cached_property, dataclass
from ..codegen.long_sums import MOST_TERMS
from ..dtypes import DTYPES, element_type
from ..eltwise.spec import EltwiseSpec, eltwise_spec
from ..errors import UnsupportedError
from ..expr.conversions import carried
from ..expr.coordinates import number_word
from ..expr.trace import behind_first
from ..functions.accuracies import STANDARD
from ..operands import DEEP, Interface, Number, Operand, View, again, aliasing_of, extent, leading_dimension, whole

SUMS = {"f64": "f64", **dict.fromkeys(("f32", "bf16", "f16", "i8", "u8"), "f32")}
"""Element type of x and w -> type of the sums."""
Pair = tuple[int, int]
Padding = tuple[Pair, Pair]


@dataclass(frozen=True)
class DepthwiseSpec:
    """A checked request.

    taps, stride, dilation   down the rows of the image, and along them
    padding                  zeros before and after the rows, and before and after the columns
    pitch                    pixels from one row of x to the next
    walk                     f as an elementwise kernel of the sums, its first input
    """

    height: int
    width: int
    taps: Pair
    stride: Pair
    padding: Padding
    dilation: Pair
    depth: int
    dtypes: Pair | tuple[str, str]
    pitch: int
    ldx: int
    ldw: int
    walk: EltwiseSpec

    @property
    def channels(self) -> int:
        """The number of channels of the result."""
        return self.walk.n

    @property
    def acc_dtype(self) -> str:
        """The type in which terms are added. Sums of integers are exact in it, and become i32 before f."""
        return SUMS[str(self.dtypes[0])]

    @property
    def whole(self) -> bool:
        """Whether the sums are integers."""
        return not DTYPES[str(self.dtypes[0])].real

    @property
    def extents(self) -> Pair:
        """The height and the width of the result."""
        return extents((self.height, self.width), self.taps, self.stride, self.padding, self.dilation)

    @cached_property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """The arguments in the order of the call: x, w, further operands of f, y."""
        x, w = self.dtypes
        pixels, n = (self.height - 1) * self.pitch + self.width, self.channels
        factors = (
            Operand("x", pixels, self.depth * n, View("C", self.ldx), str(x)),
            Operand("w", self.taps[0] * self.taps[1] * self.depth, n, View("C", self.ldw), str(w)),
        )
        return (*factors, *self.walk.inputs[1:], *self.walk.outputs)

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        in_place = [name for name in self.walk.in_place if name != self.walk.inputs[0].name]
        return Interface(self.arguments, (), aliasing_of(self.arguments, in_place), DEEP)

    converts = True
    """Its results are computed, not moved."""

    def again(self) -> DepthwiseSpec:
        """Return the request made again by its function, which checks it."""
        return _checked(
            (self.height, self.width),
            self.taps,
            self.stride,
            self.padding,
            self.dilation,
            self.depth,
            self.dtypes,
            (self.pitch, self.ldx, self.ldw),
            lambda pixels, n: again(self.walk, EltwiseSpec),
            self.channels,
        )

    @property
    def stem(self) -> str:
        """The stem of the symbol: kind, taps, types and shape."""
        taps, types = (
            "x".join(map(str, self.taps)),
            "_".join(dict.fromkeys((*map(str, self.dtypes), self.walk.outputs[0].dtype))),
        )
        return f"depthwise_{taps}_{types}_{self.height}x{self.width}x{self.channels}"

    @property
    def flops(self) -> int:
        """A product and a sum for each tap, those beside the image included."""
        return 2 * self.taps[0] * self.taps[1] * self.depth * self.walk.m * self.walk.n

    def __str__(self) -> str:
        (top, bottom), (left, right) = self.padding
        rows, columns = self.extents
        deep = f" x {self.depth}" * (self.depth > 1)
        return (
            f"depthwise: {self.taps[0]} x {self.taps[1]}{deep} taps, stride {self.stride}, dilation {self.dilation}, "
            f"padding {top}, {bottom}, {left}, {right}; x {self.dtypes[0]} {self.height} x {self.width} pixels "
            f"{self.ldx} apart, {self.channels} channels; y {self.walk.outputs[0].dtype} {rows} x {columns}"
        )


def extents(size: Pair, taps: Pair, stride: Pair, padding: Padding, dilation: Pair) -> Pair:
    """Return the height and width of a result. Raises ValueError with the axis and the number if it would be empty."""
    made = []
    for axis, n, t, step, (before, after), apart in zip(("height", "width"), size, taps, stride, padding, dilation):
        reach, whole_axis = (t - 1) * apart + 1, n + before + after
        if whole_axis < reach:
            raise ValueError(
                f"{axis}: {t} taps of dilation {apart} reach over {reach}, and x has {n}, with padding {whole_axis}"
            )
        made.append((whole_axis - reach) // step + 1)
    return made[0], made[1]


def pair(name: str, value: Any, least: int = 1) -> Pair:
    """Return a whole number for both axes, or one for each."""
    both = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    numbers = [whole(each) for each in both]
    if len(both) != 2 or any(each is None for each in numbers):
        raise TypeError(f"{name}: a whole number, or one for rows and one for columns, not {shown(value)}")
    for each in numbers:
        if each is not None and each < least:
            raise ValueError(f"{name}: at least {least}, not {shown(value)}")
    return int(numbers[0] or 0), int(numbers[1] or 0)


def padded(value: Any) -> Padding:
    """Return the zeros before and after rows and columns: a number, one for each axis, or a pair for each axis."""
    if isinstance(value, (tuple, list)) and len(value) == 2 and all(isinstance(each, (tuple, list)) for each in value):
        return pair("padding", value[0], 0), pair("padding", value[1], 0)
    rows, columns = pair("padding", value, 0)
    return (rows, rows), (columns, columns)


def depthwise_spec(
    height: Any,
    width: Any,
    channels: Any,
    taps: Any = 3,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    depth: Any = 1,
    dtype: Any = "f32",
    pitch: Any = None,
    ldx: Any = None,
    ldw: Any = None,
    ldy: Any = None,
    epilogue: Callable[..., Any] | None = None,
    operands: Mapping[str, Any] | None = None,
    accuracy: str = STANDARD,
) -> DepthwiseSpec:
    """Check the arguments and return the request. TypeError and ValueError name the wrong argument, UnsupportedError
    names what is not supported."""
    types = _types(dtype)
    n, across = extent("channels", channels), extent("depth", depth)
    size = extent("height", height), extent("width", width)
    places = (
        size[1] if pitch is None else extent("pitch", pitch),
        _leading("ldx", ldx, across * n),
        _leading("ldw", ldw, n),
    )

    def walk(pixels: int, n: int) -> EltwiseSpec:
        return _walk(epilogue, operands, pixels, n, types, ldy, accuracy)

    both = pair("taps", taps), pair("stride", stride), padded(padding), pair("dilation", dilation)
    return _checked(size, *both, across, types[:2], places, walk, n)


def _leading(name: str, value: Any, least: int) -> int:
    found = leading_dimension(name, value, least)
    if not isinstance(found, int):
        raise UnsupportedError(f"{name}: must be a number of elements; this kernel takes none at the call")
    return found


def _types(dtype: Any) -> tuple[str, str, str]:
    """Return the types of x, w and y. A single type is that of all, with results of i32 for integers."""
    if isinstance(dtype, (tuple, list)):
        if len(dtype) != 3:
            raise ValueError(f"dtype: one type, or three for x, w and y, not {shown(dtype)}")
        x, w, y = (element_type("dtype", each) for each in dtype)
    else:
        x = w = element_type("dtype", dtype)
        y = x if x in SUMS and DTYPES[x].real else "i32"
    if x not in SUMS or w not in SUMS or SUMS[x] != SUMS[w] or DTYPES[x].real != DTYPES[w].real:
        raise UnsupportedError(
            f"dtype: x and w of f64, or both of f32, bf16 or f16, or both of i8 or u8, not {x} and {w}"
        )
    return x, w, y


def _walk(
    epilogue: Callable[..., Any] | None,
    operands: Mapping[str, Any] | None,
    m: int,
    n: int,
    types: tuple[str, str, str],
    ldy: Any,
    accuracy: str,
) -> EltwiseSpec:
    """Return f as an elementwise request of the sums and of further operands."""
    function = epilogue if epilogue is not None else _identity
    if not callable(function):
        raise TypeError(f"epilogue: a function of the sums and further operands, not {shown(epilogue)}")
    asked = dict(operands or {})
    names = behind_first(function, asked)
    if not names:
        raise TypeError("epilogue: a function whose first parameter is the sum, not one without parameters")
    of_shape = {"row": (1, n), "col": (m, 1), "scalar": (1, 1), None: (m, n)}
    sums = SUMS[types[0]] if DTYPES[types[0]].real else "i32"
    shapes, given = {names[0]: (m, n)}, {names[0]: sums}
    for name in names[1:]:
        said = asked.pop(name, "row")
        shape, dtype = said if isinstance(said, tuple) and len(said) == 2 else (said, None)
        if shape not in of_shape:
            raise ValueError(f'operands: "row", "col", "scalar" or None (a value for each result), not {shown(shape)}')
        shapes[name], own = of_shape[shape], "f32" if types[2] in ("i8", "u8") else types[2]
        given[name] = own if dtype is None else element_type(f"dtype of {name}", dtype)
    if asked:
        raise ValueError(f"operands: {next(iter(asked))!r} is no parameter of the epilogue ({', '.join(names)})")
    taken = {"x", "w"} & set(names)
    if taken:
        raise ValueError(f"epilogue: an operand named {min(taken)}, which the kernel has; rename the parameter")
    leading = {} if ldy is None else {"ldy": ldy}
    return eltwise_spec(
        function, "epilogue", shapes, dtype=given, out=types[2], accuracy=accuracy, leading=leading, extents=(m, n)
    )


def _identity(c: Any) -> Any:
    return c


def _checked(
    size: Pair,
    taps: Pair,
    stride: Pair,
    padding: Padding,
    dilation: Pair,
    depth: int,
    dtypes: tuple[Any, Any],
    places: tuple[int, int, int],
    walk: Callable[[int, int], EltwiseSpec],
    channels: int,
) -> DepthwiseSpec:
    rows, columns = extents(size, taps, stride, padding, dilation)
    pitch, ldx, ldw = places
    if pitch < size[1]:
        raise ValueError(f"pitch: at least the width, {size[1]}, not {pitch}")
    terms, sums = taps[0] * taps[1] * depth, SUMS[dtypes[0]]
    _bounded(terms, dtypes)
    made = walk(rows * columns, channels)
    for storage in dtypes:
        carried(storage, sums)
    if made.compute not in ((sums,) if DTYPES[dtypes[0]].real else (sums, "i32")):
        raise UnsupportedError(f"epilogue: computed in {sums}, the type of the sums, not in {made.compute}")
    words = any(number_word(name) for name, _ in made.program.inputs)
    if len(made.outputs) != 1 or made.bits or made.placed or words:
        raise UnsupportedError(
            "epilogue: one result, of the sums and of operands in memory, without masks, random numbers or positions; "
            "ts.equation computes these in a second kernel"
        )
    return DepthwiseSpec(*size, taps, stride, padding, dilation, depth, dtypes, pitch, ldx, ldw, made)


def _bounded(terms: int, dtypes: tuple[str, str]) -> None:
    """Refuse sums of so many terms that they are not exact, or less exact than sums elsewhere."""
    if DTYPES[dtypes[0]].real:
        most, why = MOST_TERMS, "sums of more terms lose accuracy"
    else:
        most = (1 << 24) // prod({"u8": 255, "i8": 128}[each] for each in dtypes)
        why = "sums of more products are not exact in f32"
    if terms > most:
        raise UnsupportedError(
            f"taps: at most {most} of {dtypes[0]} and {dtypes[1]}, not {terms}, because {why}; "
            "add the results of two kernels, each with a part of the taps"
        )
