"""The version of the package that made an entry, which determines the bytes of kernels and how they are called.

`stamp()` is cheap: it uses names, sizes and times of the modules, so a changed checkout never finds what it made
before. `contents()` reads the modules and is the same for the same sources in any place. It marks folders of kernels
that are moved to other machines (`tilesmith freeze`).
"""

from __future__ import annotations

import functools
import os

from ... import encoder, microkernels, runtime
from .digest import blake2b

_FOLDERS = {"encoder": encoder, "microkernels": microkernels, "runtime": runtime}
_ELSEWHERE = frozenset(
    {"__pycache__", "api", "bench", "cli", "coverage", "debug", "testing", "verify"}
)
"""Folders that do not affect the bytes of kernels and of nests."""
_SUFFIXES = (".py", ".pyc", ".so")


@functools.cache
def stamp() -> str:
    """Return a digest that changes when a module does; it takes some 3 us per module. It is empty if the modules are
    neither files nor in an archive."""
    homes = {folder: _home(module) for folder, module in _FOLDERS.items()}
    if not all(os.path.isdir(home) == os.path.isdir(_FOLDERS[folder].__path__[0]) for folder, home in homes.items()):
        return ""
    known = [line for folder, home in homes.items() for line in (folder, *sorted(_files(home)))]
    return blake2b("\n".join(known).encode(), digest_size=16).hexdigest()


@functools.cache
def contents() -> str:
    """Return a digest that changes when the text of a module does."""
    digest = blake2b(digest_size=16)
    for folder, module in _FOLDERS.items():
        home = _home(module)
        for name in sorted(file.partition("\t")[0] for file in _files(home)):
            digest.update(f"{folder}/{name}\n".encode())
            with open(os.path.join(home, name) if name else home, "rb") as file:
                digest.update(blake2b(file.read()).digest())
    return digest.hexdigest()


def _home(module: object) -> str:
    """Return the folder of a package, or the archive that contains it, without links, which cost time in each path."""
    path: str = module.__path__[0]  # type: ignore[attr-defined]
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return os.path.realpath(path)


def _files(home: str) -> list[str]:
    """Return name, size and time of each module below a folder, or of the archive itself."""
    if not os.path.isdir(home):
        found = os.stat(home)
        return [f"\t{found.st_size} {found.st_mtime_ns}"]
    made, folders = [], [""]
    while folders:
        under = folders.pop()
        folder = os.open(f"{home}/{under}", os.O_RDONLY)  # the system then finds its files without the path
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name == "__init__.py":
                        continue  # only a docstring
                    if name.endswith(_SUFFIXES):
                        found = entry.stat()
                        made.append(f"{under}{name}\t{found.st_size} {found.st_mtime_ns}")
                    elif "." not in name and name not in _ELSEWHERE and entry.is_dir():
                        folders.append(f"{under}{name}/")
        finally:
            os.close(folder)
    return made
