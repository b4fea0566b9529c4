"""Files that the command line reads and writes. Mistakes are reported with their option before the work starts."""

from __future__ import annotations

import errno
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...encoder.files.store import whole
from ...microkernels.names import chosen
from ..host.detect import HERE

Array = np.ndarray[Any, Any]
_DRAWN = (".png", ".svg", ".pdf")


def load(path: Path) -> Array:
    """Load the array of a .npy file. Raise ValueError for any other file."""
    with path.open("rb") as file:
        try:
            made: Array = np.lib.format.read_array(file, allow_pickle=False)
        except MemoryError as error:
            raise MemoryError(f"{path}: {error}") from error
        except Exception as error:  # the exception that numpy raises for a damaged header depends on the damage
            raise ValueError(f"{path}: must be a .npy file with one array of numbers; {error}") from error
    return made


def save(path: Path, array: Array) -> None:
    """Write a .npy file with exactly this name."""
    with whole(path), path.open("wb") as file:
        np.save(file, array)


def output(option: str, path: Path | None) -> Path | None:
    """Return a file that is going to be written. Raise ValueError if it cannot be."""
    if path is None:
        return None
    if path.is_dir():
        raise ValueError(f"{option}: must name a file, but {path} is a folder")
    if not path.parent.is_dir():
        raise ValueError(f"{option}: the folder of the file must exist, but {path.parent} does not")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ValueError(f"{option}: {path} cannot be written to")
    return path


_SYNTAX = {".s": "gas", ".lst": "intel", ".txt": "intel", ".o": None, ".bin": None}
ENDINGS = "a source for GNU as (.s), a listing (.lst, .txt), an object (.o), the raw bytes (.bin)"


def assembly(option: str, path: Path | None, syntax: str | None, as_json: bool) -> str | None:
    """Return the syntax of the text that goes to a file with this name, or None for one without text. Raise ValueError
    if the name contradicts the other options."""
    if as_json:
        if syntax is not None or path is not None and path.suffix != ".json":
            raise ValueError(
                f"--json: the file's name must end in .json, and --syntax is not possible; without --json {ENDINGS}"
            )
        return None
    if path is None:
        return syntax or "intel"
    if path.suffix not in _SYNTAX:
        raise ValueError(f"{option}: {ENDINGS}; with --json .json; not {str(path)!r}")
    if _SYNTAX[path.suffix] is None and syntax is not None:
        raise ValueError(f"--syntax: {path.name} holds no text; use a name ending in .s or .lst")
    return syntax or _SYNTAX[path.suffix]


def drawing(option: str, path: Path | None) -> None:
    """Raise ValueError if a figure cannot be drawn here, before any work for it is done."""
    if path is None:
        return
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError(f"{option}: needs matplotlib, which is not installed: pip install 'tilesmith[plot]'")
    if path.suffix not in _DRAWN:
        raise ValueError(f"{option}: a name ending in {', '.join(_DRAWN)}, not {str(path)!r}")


def target(name: str | None, names: Sequence[str]) -> None:
    """Raise ValueError, worded for the command line, if no target has this name."""
    if name is not None and name.lower().replace("-", "_") not in (*names, *HERE):
        chosen("--target", name, names, ', or "host", the default')


def printable() -> None:
    """Let characters that the encoding of the standard output lacks be printed as question marks, not end the
    program."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def flush() -> None:
    """Flush everything that was printed. Raise OSError if the reader has gone or it cannot be written. The rest is then
    dropped, because the interpreter would report it again at its end."""
    if sys.stdout is None:  # the program was started without a standard output
        raise OSError(errno.EBADF, "standard output is closed")
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise
