"""The command-line form of kernels that run on several threads, and the subcommands for all kinds of kernels."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...microkernels.functions.accuracies import ACCURACIES
from .formula import activation
from .requests import REQUESTS, CommandRequest, Make, add_extents, add_product, make_product, some

if TYPE_CHECKING:
    from ..ops import gemm, linear, mlp, spread

gemm = lazy(__package__, "..ops.gemm")
linear = lazy(__package__, "..ops.linear")
mlp = lazy(__package__, "..ops.mlp")
spread = lazy(__package__, "..ops.spread")

Parser = argparse.ArgumentParser
Options = Callable[[Parser], None]


def add_requests(parser: Parser, add_options: Options) -> None:
    """Add a subcommand for each kind. A command with these options makes its kernel by `options.make(options)`."""
    kinds = parser.add_subparsers(required=True, metavar="kind")
    for name, request in {**REQUESTS, **NESTS}.items():
        add_kind(kinds, name, request, add_options)
    about = "a kernel on all cores: one of these kinds"
    inner = kinds.add_parser("spread", help=about, description=about).add_subparsers(required=True, metavar="kind")
    for name in SPREAD:
        add_kind(inner, name, _on_all_cores(REQUESTS[name]), add_options)


def add_kind(kinds: Any, name: str, request: CommandRequest, add_options: Options) -> None:
    """Add the subcommand of one kind, with the option that every kind has."""
    kind = kinds.add_parser(name, aliases=request.aliases, help=request.about, description=request.about)
    request.add(kind)
    kind.add_argument("--target", help="a name from `tilesmith info`; default: this machine")
    add_options(kind)
    kind.set_defaults(make=_answered(request.make))


def _answered(make: Make) -> Make:
    """Wrap a function that makes a kernel: if the request's checks miss an option, raise a ValueError, which the
    command line reports."""

    def made(options: argparse.Namespace) -> Any:
        try:
            return make(options)
        except TypeError as error:
            raise ValueError(str(error)) from error

    return made


def _add_threads(parser: Parser) -> None:
    parser.add_argument(
        "--threads", type=int, help="the number of threads for which the work is cut; default: that of this machine"
    )


# Products and layers of any size


def _add_gemm(parser: Parser) -> None:
    add_product(parser)
    parser.add_argument("--accuracy", choices=ACCURACIES, help="of functions in the epilogue")
    _add_threads(parser)


def _add_layer(parser: Parser) -> None:
    parser.add_argument("--dtype", type=some, default="f32", help="one, or three separated by commas for x, w, y")
    parser.add_argument("--activation", type=activation, help="a function, as relu or gelu")
    parser.add_argument("--accuracy", choices=ACCURACIES, help="of the activation")
    _add_threads(parser)


def _make_gemm(options: argparse.Namespace) -> Any:
    return make_product(gemm.gemm, "accuracy", "threads")(options)


_LAYER = "dtype", "activation", "accuracy", "threads", "target"


def _add_linear(parser: Parser) -> None:
    add_extents(parser, "mnk")
    _add_layer(parser)
    parser.add_argument("--no-bias", dest="bias", action="store_false", help="a layer without a bias")
    parser.add_argument("--packing", action="store_true", help="the function that packs the layer's weights instead")


def _make_linear(options: argparse.Namespace) -> Any:
    layer: Any = linear.linear(options.m, options.n, options.k, bias=options.bias, **_given(options, _LAYER))
    return layer.packing if options.packing else layer


def _add_mlp(parser: Parser) -> None:
    add_extents(parser, "m")
    parser.add_argument("sizes", type=int, nargs="+", help="the columns of x and of the result of each layer")
    _add_layer(parser)
    parser.add_argument("--last", type=activation, help="the activation of the last layer; default: none")


def _make_mlp(options: argparse.Namespace) -> Any:
    return mlp.mlp(options.m, options.sizes, **_given(options, (*_LAYER, "last")))


def _given(options: argparse.Namespace, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(options, name) for name in names}


NESTS = {
    "gemm": CommandRequest("product of any size on all cores: m n k", _add_gemm, _make_gemm),
    "linear": CommandRequest("a layer with packed weights on all cores: m n k", _add_linear, _make_linear),
    "mlp": CommandRequest("several layers on all cores: m sizes", _add_mlp, _make_mlp),
}
"""The kinds of kernels whose code is a nest of loops around other kernels."""


# Kernels whose rows, heads or matrices are divided among threads

SPREAD = (
    "unary",
    "binary",
    "ternary",
    "equation",
    "fused",
    "attention",
    "brgemm",
    "transpose",
    "transform",
    "reduce",
    "gather",
    "scatter",
    "embedding_bag",
)
"""The kinds of kernels that `spread` takes; of products, stacks."""


KINDS = *REQUESTS, *NESTS, "spread"
"""The words that name a kind of kernel behind `asm`, `elf`, `verify` and `roofline`."""


def _on_all_cores(request: CommandRequest) -> CommandRequest:
    def add(parser: Parser) -> None:
        request.add(parser)
        _add_threads(parser)

    return CommandRequest(
        request.about, add, lambda options: spread.spread(request.make(options), threads=options.threads)
    )
