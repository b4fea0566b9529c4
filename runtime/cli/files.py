"""Files that the command line reads and writes: each mistake with its option, before the work rather than after it."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...microkernels.names import chosen
from ..host.detect import HERE

Array = np.ndarray[Any, Any]
_DRAWN = (".png", ".svg", ".pdf")


def load(path: Path) -> Array:
    """The array in a .npy file; ValueError for any other file."""
    with path.open("rb") as file:
        try:
            made: Array = np.lib.format.read_array(file, allow_pickle=False)
        except MemoryError as error:
            raise MemoryError(f"{path}: {error}") from error
        except Exception as error:  # what numpy raises for a damaged header depends on the damage
            raise ValueError(f"{path}: must be a .npy file with one array of numbers; {error}") from error
    return made


def save(path: Path, array: Array) -> None:
    """Write a .npy file of exactly this name."""
    with path.open("wb") as file:
        np.save(file, array)


def output(option: str, path: Path | None) -> Path | None:
    """A file that is going to be written; ValueError where that cannot be."""
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
    """The syntax of the text that goes to a file of this name, None for one without text; ValueError for names that
    say something else than what is asked for."""
    if as_json:
        if syntax is not None or path is not None and path.suffix != ".json":
            raise ValueError("--json: the file's name must end in .json, and --syntax is not possible; without --json "
                             f"{ENDINGS}")  # fmt: skip
        return None
    if path is None:
        return syntax or "intel"
    if path.suffix not in _SYNTAX:
        raise ValueError(f"{option}: {ENDINGS}; with --json .json; not {str(path)!r}")
    if _SYNTAX[path.suffix] is None and syntax is not None:
        raise ValueError(f"--syntax: {path.name} holds no text; use a name ending in .s or .lst")
    return syntax or _SYNTAX[path.suffix]


def drawing(option: str, path: Path | None) -> None:
    """A figure that is going to be drawn; ValueError where nothing here draws it, before the work for it is done."""
    if path is None:
        return
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError(f"{option}: needs matplotlib, which is not installed: pip install 'tilesmith[plot]'")
    if path.suffix not in _DRAWN:
        raise ValueError(f"{option}: a name ending in {', '.join(_DRAWN)}, not {str(path)!r}")


def target(name: str | None, names: Sequence[str]) -> None:
    """ValueError in the command line's words for a name that no target has."""
    if name is not None and name.lower().replace("-", "_") not in (*names, *HERE):
        chosen("--target", name, names, ', or "host", the default')


def flush() -> None:
    """All that was printed, to who reads it; OSError where nobody does, or where it cannot be written. Then what is
    left is dropped, since the interpreter would complain of it once more at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise
