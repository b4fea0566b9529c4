"""`tilesmith onnx`: run an ONNX model by kernels, or say what computes each of its nodes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ...encoder.deferred import lazy
from ..arguments.arrays import Array

if TYPE_CHECKING:
    from ..integrations.onnx import model

model = lazy(__package__, "..integrations.onnx.model")

P = TypeVar("P", bound=argparse.ArgumentParser)


def add_onnx(commands: argparse._SubParsersAction[P]) -> None:
    """Add the command."""
    about = "run an ONNX model by kernels, or say what computes each node"
    parser = commands.add_parser("onnx", help=about, description=about)
    parser.add_argument("model", type=Path, help="a file of ONNX")
    parser.add_argument("--inputs", type=Path, help="a file of numpy.savez with an array for each input, by name")
    parser.add_argument(
        "-o", "--output", type=Path, help="write the outputs to this file, by name, as numpy.savez does"
    )
    parser.add_argument("--explain", action="store_true", help="print which nodes kernels compute, and how")
    parser.add_argument("--loose", action="store_true", help="leave nodes that no kernel computes to onnx.reference")
    parser.set_defaults(command=_onnx)


def _onnx(options: argparse.Namespace) -> int:
    try:
        found = model.load(options.model, strict=not options.loose)
    except ImportError as error:
        raise ValueError(str(error)) from error
    if options.inputs is None and not options.explain:
        raise ValueError(f"--inputs: a file with {', '.join(found.inputs)}, or --explain")
    made: dict[str, Array] = {}
    if options.inputs is not None:
        with np.load(options.inputs) as given:
            made = dict(zip(found.outputs, found({name: given[name] for name in given.files})))
    if options.explain:
        print(found.explain())
    for name, each in made.items():
        print(f"{name}: {each.dtype} {each.shape}")
    if options.output is not None:
        save: Callable[..., None] = np.savez
        with options.output.open("wb") as file:
            save(file, **made)
    return 0
