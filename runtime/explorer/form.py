"""The form of the page: the kinds of requests with their arguments and options, read from the parser of requests."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..api.brgemm import targets
from ..api.eltwise import primitives
from ..api.fused import composites
from .answers import parser

EXAMPLES = {
    "brgemm": "brgemm 16 6 64",
    "fused": "fused softmax 16 128",
    "equation": "equation 'gelu(x @ w + b)' 32 64 --shape x=32x48 --shape w=48x64 --row b",
    "unary": "unary gelu 16 64",
    "attention": "attention 2 32 64 32",
    "transpose": "transpose 16 16",
    "reduce": "reduce sum 16 64 --axis 1",
    "binary": "binary add 16 64",
    "ternary": "ternary muladd 16 64",
    "attention_inv": "attention_inv 1 16 32 16",
    "gather": "gather rows 8 64 --size 100",
    "scatter": "scatter rows 8 64 --size 100",
    "embedding_bag": "embedding_bag 8 64 --size 100 --count 40",
    "transform": "transform vnni2 32 32",
}
"""A request of each kind, in the order of the page. The first one is shown at the beginning."""


def form() -> dict[str, object]:
    """Return what the page needs to offer every request."""
    return {
        "targets": targets(),
        "kinds": [
            {"name": name, "about": kind.description, "example": EXAMPLES[name], "fields": list(_fields(name, kind))}
            for name, kind in _kinds()
        ],
    }


def _kinds() -> list[tuple[str, argparse.ArgumentParser]]:
    (kinds,) = [each for each in parser()._actions if isinstance(each, argparse._SubParsersAction)]
    return [(name, kinds.choices[name]) for name in EXAMPLES]


def _fields(kind: str, parser: argparse.ArgumentParser) -> Iterator[dict[str, object]]:
    """Yield the arguments of a kind, and its options but the target."""
    for action in parser._actions:
        option = max(action.option_strings, key=len, default="")
        if option == "--target":
            continue
        values = action.choices or (_names(kind) if action.dest == "name" else ())
        yield {
            "name": action.dest,
            "option": option,
            "help": action.help or "",
            "default": "" if action.default is None or action.default == [] else str(action.default),
            "choices": [str(each) for each in values],
            "switch": action.nargs == 0,
            "several": isinstance(action, argparse._AppendAction),
        }


def _names(kind: str) -> tuple[str, ...]:
    """Return the names of the primitives or composites of a kind."""
    if kind == "fused":
        return tuple(composites())
    return tuple(primitives().get(kind, ()))
