"""Functions in files, in the form that the ending of a path names; and files that are whole or not there at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..code import Code
from ..deferred import lazy
from .header import Declared, headers

if TYPE_CHECKING:
    import pathlib
    from pathlib import Path

    from .. import elf, listing
    from . import archive, fortran, library

pathlib = lazy(None, "pathlib")
listing = lazy(__package__, "..listing")
elf = lazy(__package__, "..elf")
archive = lazy(__package__, ".archive")
fortran = lazy(__package__, ".fortran")
library = lazy(__package__, ".library")


def path_of(path: str | Path) -> Path:
    """Return the path of a file, or raise TypeError."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path: the name of a file, not {type(path).__name__}")
    return pathlib.Path(path)


def write(path: str | Path, functions: Sequence[Declared]) -> None:
    """Write functions to a file in the form that its ending names: see `content`."""
    path = path_of(path)
    store(path, content(path, functions))


def content(path: Path, functions: Sequence[Declared]) -> str | bytes:
    """Return functions in the form that the path's ending names: .o (an object), .a (an archive), .so (a shared
    library), .h (a header), .f90 (a Fortran module); and one function also as .s (GNU as) and .bin (its bytes).

    Raises ValueError for another ending, and EncodeError if the functions cannot be in one file.
    """
    forms = [*_FORMS, *(_FORMS_OF_ONE if len(functions) == 1 else ())]
    if path.suffix not in forms:
        some = "" if len(functions) == 1 else ", for several functions"
        raise ValueError(f"path: a name ending in {', '.join(forms[:-1])} or {forms[-1]}{some}, not {str(path)!r}")
    return {**_FORMS, **_FORMS_OF_ONE}[path.suffix](path, functions)


def _codes(functions: Sequence[Declared]) -> list[Code]:
    return [each.code for each in functions]


_FORMS: dict[str, Callable[[Path, Sequence[Declared]], str | bytes]] = {
    ".o": lambda path, functions: elf.relocatable(*_codes(functions)),
    ".a": lambda path, functions: archive.archive(_codes(functions)),
    ".so": lambda path, functions: library.shared(path.name, _codes(functions)),
    ".h": lambda path, functions: headers(functions[0].code.symbol if len(functions) == 1 else path.stem, functions),
    ".f90": lambda path, functions: fortran.module(path.stem, functions),
}
_FORMS_OF_ONE: dict[str, Callable[[Path, Sequence[Declared]], str | bytes]] = {
    ".s": lambda path, functions: listing.listing(functions[0].code, "gas"),
    ".bin": lambda path, functions: functions[0].code.data,
}


def store(path: Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8 whatever the locale is."""
    with whole(path):
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def whole(path: Path) -> Iterator[None]:
    """Write a file inside of this context. If its content cannot be written, because the disk is full, the part that
    was written is removed, and the error names the file. Programs such as make would take the part for the file."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not path.parent.is_dir():
            raise FileNotFoundError(error.errno, "path: the folder of the file must exist", str(path)) from None
        if error.filename is not None:  # it was not opened, so it is as it was
            raise
        if path.is_file() and not path.is_symlink():
            path.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None
