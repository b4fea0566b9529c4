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
from dataclasses import fields
from math import prod

from ...encoder.errors import shown
from ...encoder.records import cached_property, dataclass
from ..codegen.long_sums import MOST_TERMS
from ..dtypes import DTYPES, element_type
from ..eltwise.spec import EltwiseSpec, eltwise_spec
from ..errors import UnsupportedError
from ..expr.conversions import carried
from ..expr.coordinates import number_word
from ..expr.graph import Expr
from ..expr.trace import behind_first
from ..functions.accuracies import STANDARD
from ..operands import DEEP, Interface, Number, Operand, View, again, aliasing_of, extent, leading_dimension
from ..windows import Padding, Pair, extents, padded, pair

SUMS = {"f64": "f64", **dict.fromkeys(("f32", "bf16", "f16", "i8", "u8"), "f32")}
"""Element type of x and w -> type of the sums."""
TAKEN = frozenset(("x", "w"))
"""Names that operands of an epilogue may not have."""
Epilogue = Callable[..., object]
"""f, a function of expressions."""


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
    dtypes: tuple[str, str, str]
    pitch: int
    ldx: int
    ldw: int
    elementwise: EltwiseSpec

    @property
    def channels(self) -> int:
        """The number of channels of the result."""
        return self.elementwise.n

    @property
    def acc_dtype(self) -> str:
        """The type in which terms are added. Sums of integers are exact in it, and become i32 before f."""
        return SUMS[self.dtypes[0]]

    @property
    def whole(self) -> bool:
        """Whether the sums are integers."""
        return not DTYPES[self.dtypes[0]].real

    @property
    def extents(self) -> Pair:
        """The height and the width of the result."""
        return extents((self.height, self.width), self.taps, self.stride, self.padding, self.dilation)

    @cached_property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """The arguments in the order of the call: x, w, further operands of f, y."""
        x, w, _ = self.dtypes
        pixels, n = (self.height - 1) * self.pitch + self.width, self.channels
        factors = (
            Operand("x", pixels, self.depth * n, View("C", self.ldx), x),
            Operand("w", self.taps[0] * self.taps[1] * self.depth, n, View("C", self.ldw), w),
        )
        return (*factors, *self.elementwise.inputs[1:], *self.elementwise.outputs)

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        in_place = [name for name in self.elementwise.in_place if name != self.elementwise.inputs[0].name]
        return Interface(self.arguments, (), aliasing_of(self.arguments, in_place), DEEP)

    converts = True
    """Its results are computed, not moved."""

    def again(self) -> DepthwiseSpec:
        """Return the request made again by its function, which checks it."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        dtype, elementwise = given.pop("dtypes"), given.pop("elementwise")
        return depthwise_spec(**given, channels=self.channels, dtype=dtype, epilogue=elementwise)

    @property
    def equation(self) -> str:
        """The equation in one line."""
        (top, _), (left, _) = self.padding
        at = [
            f"{i} * {step} - {zeros} + {t} * {apart}"
            for i, t, zeros, step, apart in zip("pq", "rs", (top, left), self.stride, self.dilation)
        ]
        deep = f"{self.channels} * d + " * (self.depth > 1)
        term = f"x[{at[0]}, {at[1]}, {deep}k] * w[r, s, {'d, ' * (self.depth > 1)}k]"
        return f"{self.elementwise.outputs[0].name}[p, q, k] = f(sum of {term}, ...) over taps inside the image"

    @property
    def stem(self) -> str:
        """The stem of the symbol: kind, taps, types and shape."""
        taps, types = "x".join(map(str, self.taps)), "_".join(dict.fromkeys(self.dtypes))
        return f"depthwise_{taps}_{types}_{self.height}x{self.width}x{self.channels}"

    @property
    def flops(self) -> int:
        """A product and a sum for each tap, those beside the image included."""
        return 2 * self.taps[0] * self.taps[1] * self.depth * self.elementwise.m * self.elementwise.n

    def __str__(self) -> str:
        (top, bottom), (left, right) = self.padding
        rows, columns = self.extents
        deep = f" x {self.depth}" * (self.depth > 1)
        return (
            f"depthwise: {self.taps[0]} x {self.taps[1]}{deep} taps, stride {self.stride}, dilation {self.dilation}, "
            f"padding {top}, {bottom}, {left}, {right}; x {self.dtypes[0]} {self.height} x {self.width} pixels "
            f"{self.ldx} apart, {self.channels} channels; y {self.elementwise.outputs[0].dtype} {rows} x {columns}"
        )


def depthwise_spec(
    height: object,
    width: object,
    channels: object,
    taps: object = 3,
    *,
    stride: object = 1,
    padding: object = 0,
    dilation: object = 1,
    depth: object = 1,
    dtype: object = "f32",
    pitch: object = None,
    ldx: object = None,
    ldw: object = None,
    ldy: object = None,
    epilogue: EltwiseSpec | Epilogue | None = None,
    operands: Mapping[str, object] | None = None,
    accuracy: str = STANDARD,
) -> DepthwiseSpec:
    """Check the arguments, those of ts.depthwise, and return the request. epilogue: f, or the request that it becomes.
    TypeError and ValueError name the wrong argument, UnsupportedError names what is not supported."""
    types, n, across = _types(dtype), extent("channels", channels), extent("depth", depth)
    size = extent("height", height), extent("width", width)
    window, step, zeros, apart = pair("taps", taps), pair("stride", stride), padded(padding), pair("dilation", dilation)
    rows, columns = extents(size, window, step, zeros, apart)
    _check_terms(prod(window) * across, types)
    for storage in types[:2]:
        carried(storage, SUMS[types[0]])
    if isinstance(epilogue, EltwiseSpec):
        made = again(epilogue, EltwiseSpec)
    else:
        made = _elementwise(epilogue, operands, rows * columns, n, types, ldy, accuracy)
    _check_elementwise(made, (rows * columns, n), types)
    row = size[1] if pitch is None else extent("pitch", pitch)
    if row < size[1]:
        raise ValueError(f"pitch: at least the width, {size[1]}, not {row}")
    leading = _leading("ldx", ldx, across * n), _leading("ldw", ldw, n)
    dtypes = types[0], types[1], made.outputs[0].dtype
    return DepthwiseSpec(*size, window, step, zeros, apart, across, dtypes, row, *leading, made)


def _leading(name: str, value: object, least: int) -> int:
    found = leading_dimension(name, value, least)
    if not isinstance(found, int):
        raise UnsupportedError(f"{name}: must be a number of elements; this kernel takes none at the call")
    return found


def _types(dtype: object) -> tuple[str, str, str]:
    """Return the types of x, w and y. A single type is that of all, with results of i32 for integers."""
    given = dtype if isinstance(dtype, (tuple, list)) else (dtype, dtype, None)
    if len(given) != 3:
        raise ValueError(f"dtype: one type, or three for x, w and y, not {shown(dtype)}")
    x, w = (element_type("dtype", each) for each in given[:2])
    if x not in SUMS or w not in SUMS or SUMS[x] != SUMS[w] or DTYPES[x].real != DTYPES[w].real:
        raise UnsupportedError(
            f"dtype: x and w of f64, or both of f32, bf16 or f16, or both of i8 or u8, not {x} and {w}"
        )
    return x, w, (x if DTYPES[x].real else "i32") if given[2] is None else element_type("dtype", given[2])


def _elementwise(
    epilogue: Epilogue | None,
    operands: Mapping[str, object] | None,
    m: int,
    n: int,
    types: tuple[str, str, str],
    ldy: object,
    accuracy: str,
) -> EltwiseSpec:
    """Return f as an elementwise request of the sums and of further operands."""
    function, asked = epilogue if epilogue is not None else _identity, dict(operands or {})
    names = behind_first(function, asked)
    of_shape: dict[object, Pair] = {"row": (1, n), "col": (m, 1), "scalar": (1, 1), None: (m, n)}
    shapes, given = {names[0]: (m, n)}, {names[0]: SUMS[types[0]] if DTYPES[types[0]].real else "i32"}
    for name in names[1:]:
        said = asked.pop(name, "row")
        shape, dtype = said if isinstance(said, tuple) and len(said) == 2 else (said, None)
        if shape not in of_shape:
            raise ValueError(f'operands: "row", "col", "scalar" or None (a value for each result), not {shown(shape)}')
        shapes[name], own = of_shape[shape], "f32" if types[2] in ("i8", "u8") else types[2]
        given[name] = own if dtype is None else element_type(f"dtype of {name}", dtype)
    if asked:
        raise ValueError(f"operands: {next(iter(asked))!r} is no parameter of the epilogue ({', '.join(names)})")
    if taken := TAKEN & set(names):
        raise ValueError(f"epilogue: an operand named {min(taken)}, which the kernel has; rename the parameter")
    made = eltwise_spec(function, "epilogue", shapes, dtype=given, out=types[2], accuracy=accuracy, extents=(m, n))
    if ldy is None or len(made.outputs) != 1:  # several are refused later
        return made
    return eltwise_spec(
        function, "epilogue", shapes, dtype=given, out=types[2], accuracy=accuracy, leading={"ldy": ldy}, extents=(m, n)
    )


def _identity(c: Expr) -> Expr:
    return c


def _check_elementwise(elementwise: EltwiseSpec, extents: Pair, types: tuple[str, str, str]) -> None:
    """Refuse a function that is not computed from sums in registers."""
    sums = SUMS[types[0]]
    if (
        elementwise.compute not in ((sums,) if DTYPES[types[0]].real else (sums, "i32"))
        or (elementwise.m, elementwise.n) != extents
    ):
        raise UnsupportedError(f"epilogue: computed in {sums}, the type of the sums, not in {elementwise.compute}")
    words = any(number_word(name) for name, _ in elementwise.program.inputs)
    if len(elementwise.outputs) != 1 or elementwise.bits or elementwise.placed or words:
        raise UnsupportedError(
            "epilogue: one result, of the sums and of operands in memory, without masks, random numbers or positions; "
            "ts.equation computes these in a second kernel"
        )


def _check_terms(terms: int, dtypes: tuple[str, str, str]) -> None:
    """Refuse sums of so many terms that they are not exact, or less exact than sums elsewhere."""
    most, why = MOST_TERMS, "sums of more terms lose accuracy"
    if not DTYPES[dtypes[0]].real:
        most = (1 << 24) // prod({"u8": 255, "i8": 128}[each] for each in dtypes[:2])
        why = "sums of more products are not exact in f32"
    if terms > most:
        raise UnsupportedError(
            f"taps: at most {most} of {dtypes[0]} and {dtypes[1]}, not {terms}, because {why}; "
            "add the results of two kernels, each with a part of the taps"
        )
