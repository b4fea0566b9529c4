"""The command-line form of requests: one row for each kind of kernel that one thread runs. Others are in `nests`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from ...encoder.records import NamedTuple
from ...microkernels.attention.spec import MASKS, ORDERS
from ...microkernels.contract.dot_and_tile import NUMERICS
from ...microkernels.functions.accuracies import ACCURACIES, STANDARD
from ...microkernels.gather.bag_spec import NAMES as BAGS
from ...microkernels.gather.spec import BOUNDS, INDEX_TYPES, SPREADS, WAYS
from ...microkernels.gemm.spec import PairBatch
from ...microkernels.operands import RUNTIME
from ...microkernels.reduce.spec import NAMES as REDUCTION_NAMES
from ..api.attention import attention, attention_inv
from ..api.brgemm import brgemm
from ..api.eltwise import binary, equation, ternary, unary
from ..api.fused import fused
from ..api.gather import embedding_bag, gather, scatter
from ..api.reduce import reduce
from ..api.transforms import transform, transpose
from ..kernel.callable import Kernel
from .formula import Formula

Make = Callable[[argparse.Namespace], Any]
"""A function that makes a kernel from the options of a command."""


class CommandRequest(NamedTuple):
    """A kind of kernel: its help, its arguments and options (except --target), the function that makes it, and other
    names."""

    about: str
    add: Callable[[argparse.ArgumentParser], None]
    make: Make
    aliases: tuple[str, ...] = ()


# Parts of options


def add_extents(parser: argparse.ArgumentParser, names: str) -> None:
    """Add positional extents with these one-letter names."""
    for name in names:
        parser.add_argument(name, type=_leading, help='a number; "runtime" where the call may say it')


def add_leading(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add options for leading dimensions."""
    for name in names:
        parser.add_argument(f"--{name}", type=_leading, help='elements, or "runtime"')


def some(text: str) -> Any:
    """Return one word, or a tuple of the words that commas separate."""
    parts = text.split(",")
    return tuple(parts) if len(parts) > 1 else text


def _leading(text: str) -> Any:
    try:
        return RUNTIME if text.lower() == RUNTIME.value else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'a number, or "runtime", not {text!r}') from None


def _batch(text: str) -> Any:
    try:
        return int(text) if text.isdigit() else PairBatch(text.lower())
    except ValueError:
        raise argparse.ArgumentTypeError(f'a count, "stride", "offset" or "address", not {text!r}') from None


# The kinds


def add_product(parser: argparse.ArgumentParser) -> None:
    """Add what products of one size and of any size have in common."""
    add_extents(parser, "mnk")
    parser.add_argument("--dtype", type=some, default="f32", help="one, or three separated by commas for a, b, c")
    parser.add_argument("--order", type=some, default="C", help="C or F; one, or three separated by commas")
    add_leading(parser, "lda", "ldb", "ldc")
    parser.add_argument("--stack", type=_leading, help='independent products in one call: a count, or "runtime"')
    parser.add_argument("--alpha", type=float, default=1.0)
    parser.add_argument("--beta", type=float, default=1.0)
    parser.add_argument("--numerics", default="exact", help="exact or fast")
    parser.add_argument("--epilogue", help='an expression of c, the sums, as "relu(c + bias)"')


_PRODUCT = "dtype", "order", "lda", "ldb", "ldc", "stack", "alpha", "beta", "numerics", "target"


def make_product(function: Callable[..., Any], *more: str) -> Make:
    """Return the function that makes a product from the options of `add_product` and from others."""

    def make(options: argparse.Namespace) -> Any:
        given = {name: getattr(options, name) for name in (*_PRODUCT, *more)}
        if options.epilogue is not None:
            given["epilogue"] = Formula(options.epilogue, first="c")
        return function(options.m, options.n, options.k, **given)

    return make


def _add_brgemm(parser: argparse.ArgumentParser) -> None:
    add_product(parser)
    parser.add_argument("--batch", type=_batch, help='a count, "stride", "offset" or "address"')
    for name in "ab":
        parser.add_argument(f"--{name}-layout", default="plain", help="plain, or vnni: neighbours along k side by side")
    parser.add_argument("--prefetch", help="operands that are fetched ahead, as ab, abc or ab@l1")
    parser.add_argument("--streaming", help="operands that are kept out of the caches, as c")


_BRGEMM = "batch", "a_layout", "b_layout", "prefetch", "streaming"


def _add_transpose(parser: argparse.ArgumentParser) -> None:
    add_extents(parser, "mn")
    parser.add_argument("--dtype", default="f32")
    _add_moves(parser)
    parser.add_argument("--in-place", action="store_true", help="x and y may be the same square matrix")


def _add_transform(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="vnni2, vnni4_to_vnni4t, vnni2_to_plain...")
    add_extents(parser, "mn")
    parser.add_argument("--dtype", default="bf16")
    _add_moves(parser)


def _add_moves(parser: argparse.ArgumentParser) -> None:
    add_leading(parser, "ldx", "ldy")
    parser.add_argument("--loads", choices=["whole", "pieces"], help="how registers are loaded; default: the planner's")


_MOVES = ("dtype", "ldx", "ldy", "loads", "target")


def _make_transpose(options: argparse.Namespace) -> Kernel:
    moves = {name: getattr(options, name) for name in _MOVES}
    return transpose(options.m, options.n, in_place=options.in_place, **moves)


def _make_transform(options: argparse.Namespace) -> Kernel:
    return transform(options.name, options.m, options.n, **{name: getattr(options, name) for name in _MOVES})


def _add_eltwise(count: int) -> Callable[[argparse.ArgumentParser], None]:
    """Return a function that adds the arguments of a primitive with `count` inputs."""

    def add(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("name", help="tanh, add, muladd...: `tilesmith info --coverage` lists them")
        add_extents(parser, "mn")
        parser.add_argument("--dtype", type=some, default="f32", help="of the inputs; one, or one for each")
        parser.add_argument("--out", type=some, help="of the output; default: that of the inputs")
        parser.add_argument("--accuracy", choices=ACCURACIES, default=STANDARD)
        parser.add_argument("--compute", help="type of the arithmetic")
        parser.add_argument("--numerics", choices=NUMERICS)
        parser.add_argument("--rate", type=float, help="of dropout, from 0 to 1")
        parser.add_argument("--scale", type=float, help="of quantize and dequantize")
        parser.add_argument("--zero", type=int, help="of quantize and dequantize")
        parser.add_argument("--bcast", type=_ways, help='"row", "col", "scalar" or "none" for each input, by commas')
        add_leading(parser, *(f"ld{name}" for name in (*_inputs(count), "y")))

    return add


def _add_equation(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("expression", help='of matrices, as "tanh(x) * g + b"')
    add_extents(parser, "mn")
    parser.add_argument("--dtype", type=some, default="f32", help="of the inputs; one, or one for each")
    parser.add_argument("--out", type=some, help="of the output; default: that of the inputs")
    parser.add_argument("--accuracy", choices=ACCURACIES)
    parser.add_argument("--compute", help="type of the arithmetic")
    parser.add_argument("--numerics", choices=NUMERICS)
    for way in _SHAPES:
        parser.add_argument(
            f"--{way}",
            type=lambda text: text.split(","),
            default=[],
            metavar="NAMES",
            help=f"names in the expression, by commas, that are one {way}",
        )
    about = "of a name that has another shape, as w=64x32; several may be given"
    parser.add_argument("--shape", type=_shape, action="append", default=[], metavar="NAME=ROWSxCOLUMNS", help=about)


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    name, _, extents = text.partition("=")
    try:
        return name, tuple(map(int, extents.split("x")))
    except ValueError:
        raise argparse.ArgumentTypeError(f"NAME=ROWSxCOLUMNS, as w=64x32, not {text!r}") from None


_SHAPES: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "row": lambda m, n: (1, n),
    "column": lambda m, n: (m, 1),
    "scalar": lambda m, n: (1, 1),
}


def _make_equation(options: argparse.Namespace) -> Kernel:
    formula, whole = Formula(options.expression), (options.m, options.n)
    shapes: dict[str, Any] = dict.fromkeys(formula.names, whole)
    for way, shape in _SHAPES.items():
        for name in getattr(options, way):
            if name not in shapes:
                raise ValueError(f"--{way}: a name in {options.expression!r}, not {name!r}")
            shapes[name] = shape(*whole)
    for name, given_shape in options.shape:
        if name not in shapes:
            raise ValueError(f"--shape: a name in {options.expression!r}, not {name!r}")
        shapes[name] = given_shape
    given = {name: getattr(options, name) for name in ("dtype", "out", "accuracy", "compute", "numerics", "target")}
    return equation(formula, **shapes, **{name: value for name, value in given.items() if value is not None})


def _add_fused(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="softmax, layernorm, adam...: print(ts.composites()) lists them")
    add_extents(parser, "mn")
    parser.add_argument("--dtype", default="f32", help="of the inputs")
    parser.add_argument("--out", help="of the results; default: that of the inputs")
    parser.add_argument("--accuracy", choices=ACCURACIES)
    parser.add_argument("--numerics", choices=NUMERICS)
    parser.add_argument(
        "--option",
        type=_option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of the formula, as eps=1e-6 or groups=32; several may be given",
    )
    add_leading(parser, "ldx", "ldy")


def _option(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, int(value) if value.isdigit() else float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"NAME=VALUE, as eps=1e-6, not {text!r}") from None


def _make_fused(options: argparse.Namespace) -> Kernel:
    names = ("dtype", "out", "accuracy", "numerics", "target", "ldx", "ldy")
    given = {name: getattr(options, name) for name in names} | dict(options.option)
    made: Kernel = fused(options.name, options.m, options.n, **{k: v for k, v in given.items() if v is not None})
    return made


def _add_attention(parser: argparse.ArgumentParser) -> None:
    for name in ("heads", "queries", "keys", "size"):
        parser.add_argument(name, type=int)
    parser.add_argument("--dtype", default="f32")
    parser.add_argument(
        "--causal", action="store_true", help="causal mask: a query attends to no key behind its own position"
    )
    parser.add_argument("--mask", choices=MASKS, help="numbers that are added to the scores, for keys or for all")
    parser.add_argument("--kv-heads", type=int, help="heads of k and v; default: those of q")
    parser.add_argument("--order", choices=ORDERS, default="C", help="F: heads lie side by side")
    parser.add_argument("--window", type=int, help="with --causal: the keys that a query sees, its own the last")
    parser.add_argument("--seen", action="store_const", const=RUNTIME, help="the call says how many keys count")


def _add_forward_attention(parser: argparse.ArgumentParser) -> None:
    _add_attention(parser)
    parser.add_argument("--lse", action="store_true", help="the logarithms of sums are a further output")


def _make_attention(function: Callable[..., Kernel], *more: str) -> Callable[[argparse.Namespace], Kernel]:
    names = ("causal", "mask", "kv_heads", "order", "window", "seen", "dtype", "target", *more)
    return lambda options: function(
        options.heads, options.queries, options.keys, options.size, **{name: getattr(options, name) for name in names}
    )


def _inputs(count: int) -> list[str]:
    return ["x"] if count == 1 else [f"x{i}" for i in range(count)]


def _ways(text: str) -> Any:
    ways = tuple(None if way == "none" else way for way in text.split(","))
    return ways if len(ways) > 1 else ways[0]


def _make_eltwise(function: Any, count: int) -> Callable[[argparse.Namespace], Kernel]:
    def make(options: argparse.Namespace) -> Kernel:
        leading = (f"ld{name}" for name in (*_inputs(count), "y"))
        names = (
            "dtype",
            "out",
            "accuracy",
            "compute",
            "numerics",
            "bcast",
            "target",
            "rate",
            "scale",
            "zero",
            *leading,
        )
        given = {name: getattr(options, name) for name in names}
        made: Kernel = function(options.name, options.m, options.n, **{k: v for k, v in given.items() if v is not None})
        return made

    return make


_GATHER = ("size", "step", "dtype", "index", "bounds", "ldx", "ldy", "target")
_CONVERTED = ("out", "scale", "bias", "prefetch")
_BAG = ("name", "size", "count", "dtype", "index", "bounds", "weights", "prefetch", "ldx", "ldy", "target")


def _add_index(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--size", type=_leading, help='what the index points into: rows, columns or elements; or "runtime"'
    )
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--index", choices=INDEX_TYPES, default="i64")
    parser.add_argument(
        "--bounds", choices=BOUNDS, default="call", help="what checks the indices: the call, or the kernel"
    )
    add_leading(parser, "ldx", "ldy")


def _add_gather(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("by", choices=WAYS)
    add_extents(parser, "mn")
    parser.add_argument("--step", type=int, help="of a stride")
    _add_index(parser)


def _add_converted_gather(parser: argparse.ArgumentParser) -> None:
    _add_gather(parser)
    parser.add_argument("--out", help="type of y, of gathered rows")
    for name in ("scale", "bias"):
        parser.add_argument(f"--{name}", choices=SPREADS, help="of gathered rows")
    parser.add_argument("--prefetch", type=int, default=0, help="indices to look ahead, of gathered rows")


def _make_gather(function: Callable[..., Kernel], names: Sequence[str]) -> Callable[[argparse.Namespace], Kernel]:
    return lambda options: function(options.by, options.m, options.n, **{x: getattr(options, x) for x in names})


def _add_bag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bags", type=_leading, help='a number, or "runtime"')
    add_extents(parser, "n")
    parser.add_argument("--reduction", dest="name", choices=BAGS, default="sum", help="of the rows of a bag")
    parser.add_argument("--count", type=_leading, help='indices of all bags, or "runtime"')
    parser.add_argument("--weights", action="store_true", help="a factor for each index")
    parser.add_argument("--prefetch", type=int, default=8, help="indices to look ahead")
    _add_index(parser)


def _make_bag(options: argparse.Namespace) -> Kernel:
    return embedding_bag(options.bags, options.n, **{name: getattr(options, name) for name in _BAG})


def _add_reduce(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=REDUCTION_NAMES)
    add_extents(parser, "mn")
    parser.add_argument("--axis", type=int, choices=(0, 1), help="0 down columns, 1 along rows; else of all elements")
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--out", help="element type of the results")
    parser.add_argument("--squared", action="store_true", help="add squares")
    parser.add_argument("--init", action="store_true", help="combine with an input of the results' shape")
    add_leading(parser, "ldx")


def _make_reduce(options: argparse.Namespace) -> Kernel:
    names = ("axis", "dtype", "out", "squared", "init", "ldx", "target")
    return reduce(options.name, options.m, options.n, **{name: getattr(options, name) for name in names})


REQUESTS = {
    **{
        function.__name__: CommandRequest(
            f"elementwise, of {count} input{'s' * (count > 1)}: name m n",
            _add_eltwise(count),
            _make_eltwise(function, count),
        )
        for count, function in enumerate((unary, binary, ternary), 1)
    },
    "equation": CommandRequest("an expression of matrices: expression m n", _add_equation, _make_equation),
    "fused": CommandRequest("softmax, norms, optimizers...: name m n", _add_fused, _make_fused),
    "attention": CommandRequest(
        "attention in one kernel: heads queries keys size",
        _add_forward_attention,
        _make_attention(attention, "lse"),
    ),
    "attention_inv": CommandRequest(
        "gradients of attention: heads queries keys size", _add_attention, _make_attention(attention_inv)
    ),
    "brgemm": CommandRequest("batch-reduce GEMM: m n k", _add_brgemm, make_product(brgemm, *_BRGEMM)),
    "transpose": CommandRequest("transpose: m n", _add_transpose, _make_transpose),
    "gather": CommandRequest(
        "elements that an index names: way m n", _add_converted_gather, _make_gather(gather, (*_GATHER, *_CONVERTED))
    ),
    "scatter": CommandRequest("elements to where an index says: way m n", _add_gather, _make_gather(scatter, _GATHER)),
    "embedding_bag": CommandRequest("sums of rows that an index names: bags n", _add_bag, _make_bag, ("bag",)),
    "reduce": CommandRequest("sums and the like of rows or columns: name m n", _add_reduce, _make_reduce),
    "transform": CommandRequest("change of layout: name m n", _add_transform, _make_transform),
}
