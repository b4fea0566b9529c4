"""`tilesmith onnx`: run an ONNX model by kernels, or say what computes each of its nodes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from zipfile import BadZipFile

import numpy as np

from ...encoder.deferred import lazy
from ...microkernels.errors import UnsupportedError
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
    parser.add_argument(
        "--inputs",
        type=Path,
        help="a file of numpy.savez with an array for each input, by name; or of numpy.save, for a model of one input",
    )
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
    except UnsupportedError as error:
        raise ValueError(str(error).replace("strict=False", "--loose")) from error
    if options.inputs is None and not options.explain:
        raise ValueError(f"--inputs: a file of numpy.savez with {found.takes}; or --explain")
    if options.inputs is None and options.output is not None:
        raise ValueError(f"-o: outputs need --inputs, a file of numpy.savez with {found.takes}")
    made: dict[str, Array] = {}
    if options.inputs is not None:
        try:
            made = dict(zip(found.outputs, found(_arrays(options.inputs))))
        except TypeError as error:  # of elements of another type
            raise ValueError(str(error)) from error
    if options.output is not None:
        save: Callable[..., None] = np.savez
        with options.output.open("wb") as file:
            save(file, **made)
    if options.explain:
        print(found.explain())
    for name, each in made.items():
        print(f"{name}: {each.dtype} {each.shape}")
    return 0


def _arrays(path: Path) -> dict[str, Array] | Array:
    """Return the arrays of a file of numpy.savez by name, or that of one of numpy.save."""
    try:
        given = np.load(path)
        if isinstance(given, np.ndarray):
            return given
        with given:
            return {name: given[name] for name in given.files}
    except (
        EOFError,
        ValueError,
        BadZipFile,
    ) as error:  # what numpy says of files that are none of its own is of pickles
        raise ValueError(f"--inputs: a file of numpy.savez with arrays of numbers, not {path}") from error
