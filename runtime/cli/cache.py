"""`tilesmith cache list | clear | stats | check | prune`, and `tilesmith freeze module:names -o folder`."""

from __future__ import annotations

import argparse
import os
import pkgutil
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.errors import EncodeError
from ...encoder.restore import features_of
from ...microkernels.errors import UnsupportedError
from ..cache import folder, records, sealed, stamp, store
from ..cache.folder import Folder, Unusable
from ..cache.sealed import Damaged, SealedEntry
from ..kernel.callable import Kernel
from ..kernel.frozen import freeze
from ..system import environment
from .pages import CommandParser

if TYPE_CHECKING:
    from ..loops import job
    from ..loops.job import JobKernel

job = lazy(__package__, "..loops.job")

_OPERATIONS = ("tilesmith.runtime.ops.", "tilesmith.runtime.loops.")
"""The packages of products, layers and nests, which call kernels."""


def add_cache(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the two commands."""
    cache = commands.add_parser("cache", help="kernels that are kept on disk")
    cache.add_argument(
        "what",
        nargs="?",
        choices=sorted(_ACTIONS),
        default="stats",
        help="stats: where and how much (the default); list: every entry; check: decode every entry; "
        "prune: remove entries of other versions, and damaged ones; clear: remove all",
    )
    cache.set_defaults(command=_cache)
    ahead = commands.add_parser("freeze", help="write kernels of a module into a folder, for ts.load")
    ahead.add_argument(
        "names",
        metavar="module:names",
        help="a module, and which of its kernels: my.module:mm,act (without names: all)",
    )
    ahead.add_argument("-o", "--output", type=Path, required=True, metavar="folder")
    ahead.set_defaults(command=_freeze)


def _cache(options: argparse.Namespace) -> int:
    where = environment.cache_folder()
    if where is None:
        print(f"off: {environment.CACHE}={environment.value(environment.CACHE)}")
        return 0
    try:
        with folder.opened(where, sealed=options.what != "clear") as place:
            return _ACTIONS[options.what](place)
    except Unusable as reason:
        print(f"{where}: {reason}" if reason.suspicious else f"{where}: empty")
        return 2 if reason.suspicious else 0


def _stats(place: Folder) -> int:
    found = list(store.files(place))
    size, most = sum(file.size for file in store.files(place, others=True)), folder.most_bytes()
    others = _unused(place)
    print(
        f"{place.path}: {len(found)} entries, {_mebibytes(size)} of {_mebibytes(most)} MiB; "
        f"{len(found) - len(others)} of this version"
    )
    if others:
        print(
            f"{len(others)} of other versions or damaged take {_mebibytes(sum(file.size for file in others))} MiB: "
            "`tilesmith cache prune` removes them"
        )
    return 0


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):.1f}"


def _unused(place: Folder) -> list[store.File]:
    """Return the files that no process of this version reads: entries of other versions, and damaged ones."""
    return [file for file, entry in _entries(place) if not isinstance(entry, SealedEntry) or not _is_current(entry)]


def _prune(place: Folder) -> int:
    """Remove the entries that this version does not read. Another version that uses the folder makes them anew."""
    if not stamp.stamp():
        raise UnsupportedError(
            "prune: modules of the package have just changed, or are no files, so which entries are of this version "
            "is not known; run it again, or `tilesmith cache clear`, which removes all"
        )
    others = _unused(place)
    removed = [file.size for file in others if folder.remove(place.descriptor, file.name)]
    print(f"{place.path}: {len(removed)} files removed, {_mebibytes(sum(removed))} MiB")
    return 0


def _list(place: Folder) -> int:
    for file, entry in sorted(_entries(place), key=lambda each: -each[0].used):
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(file.used))
        if isinstance(entry, SealedEntry):
            version = "" if _is_current(entry) else "  (another version)"
            print(f"{used}  {file.size:8}  {entry.facts['kind']:6}  {entry.facts['name']}{version}")
        else:
            print(f"{used}  {file.size:8}  damaged {file.name}: {entry}")
    return 0


def _clear(place: Folder) -> int:
    """Clear the cache, including its secret, so that no seal of this folder fits entries that somebody has copied.

    Measurements of this machine go with it: they are sealed by the same secret, and would be read with a warning."""
    names = [
        name
        for name in os.listdir(place.descriptor)
        if sealed.is_name(name) or name.startswith(folder.TEMPORARY) or name in (folder.SECRET, *records.FILES)
    ]
    removed = sum(folder.remove(place.descriptor, name) for name in names)
    print(f"{place.path}: {removed} files removed")
    return 0


def _check(place: Folder) -> int:
    """Decode the code of every entry of this version, and compare the features it needs with those of the entry."""
    count, wrong, others = 0, 0, 0
    for file, entry in _entries(place):
        if isinstance(entry, SealedEntry) and not _is_current(entry):
            others += 1  # nothing maps it, and it is removed when space runs out
            continue
        count += 1
        reason = _fault(entry) if isinstance(entry, SealedEntry) else entry
        if reason:
            wrong += 1
            print(f"{file.name}: {reason}")
    print(f"{place.path}: {count} entries decoded, {wrong} of them wrong; {others} of other versions not looked at")
    return 1 if wrong else 0


_ACTIONS = {"stats": _stats, "list": _list, "prune": _prune, "clear": _clear, "check": _check}


def _entries(place: Folder) -> Iterator[tuple[store.File, SealedEntry | str]]:
    """Yield each file with its entry, or with a description of its fault."""
    for file in store.files(place):
        try:
            entry = sealed.unsealed(folder.read(place.descriptor, file.name), place.secret)
        except FileNotFoundError:
            continue  # another process has removed it
        except (Unusable, Damaged) as reason:
            yield file, str(reason)
            continue
        yield file, entry if sealed.name_of(entry.request) == file.name else "it is the entry of another request"


def _is_current(entry: SealedEntry) -> bool:
    made_by = entry.facts["stamp"] if entry.facts["kind"] == stamp.SOURCES else entry.request.split(" ", 2)[1]
    return bool(made_by == stamp.stamp())


def _fault(entry: SealedEntry) -> str:
    """Return the fault that the decoder finds; empty if there is none."""
    facts = entry.facts
    if not facts.get("decoded", True):  # blocks have no code, and a job has constants between that of its kernels
        return ""
    code = entry.sections[0][: facts.get("text_size")]
    try:
        needed = features_of(code, facts["arch"])
    except EncodeError as error:
        return str(error)
    missing = needed - set(facts["features"])
    return f"its code needs {', '.join(sorted(missing))}, which its list of features lacks" if missing else ""


def _freeze(options: argparse.Namespace) -> int:
    module, _, names = options.names.partition(":")
    kernels = _kernels(module, [name for name in names.split(",") if name])
    for path in freeze(kernels, str(options.output)):
        print(path)
    return 0


def _not_frozen(value: Any) -> str:
    return (
        f"a {type(value).__name__} is not code; kernels can be frozen, and products, layers, networks, spread "
        "kernels and nests by the kernels that they call; pickle keeps packed weights"
    )


def _called(name: str, value: JobKernel) -> dict[str, Kernel]:
    """Return the kernels that loops call, keyed by their C symbols. Tell the user what becomes of the loops."""
    kernels = {each.name: each for each in value.called()}
    print(
        f"{name}: the {len(kernels)} kernels that it calls; the program makes the {type(value).__name__} again, of "
        "these kernels if it holds what ts.load returned",
        file=sys.stderr,
    )
    return kernels


def _by_name(value: Any) -> bool:
    """Whether this is a dictionary of kernels."""
    return isinstance(value, Mapping) and bool(value) and all(isinstance(each, Kernel) for each in value.values())


def _kernels(module: str, names: list[str]) -> dict[str, Kernel]:
    """Return the kernels that a module has under these names, or that what it has there calls; without names, all."""
    sys.path.insert(0, os.getcwd())
    try:
        found = vars(pkgutil.resolve_name(module))
    except (ImportError, AttributeError, ValueError) as error:  # the last one for an invalid name
        raise ValueError(f"module: {module!r} cannot be imported: {error}") from None
    finally:
        sys.path.pop(0)
    kernels: dict[str, Kernel] = {}
    own = [name for name, value in found.items() if isinstance(value, (Kernel, job.JobKernel)) or _by_name(value)]
    for name, value in () if names else found.items():
        if name not in own and type(value).__module__.startswith(_OPERATIONS):
            print(f"{name} is left out: {_not_frozen(value)}", file=sys.stderr)
    for name in names or own:
        if name not in found:
            raise ValueError(f"names: {module} has no {name}; its kernels: {', '.join(own) or 'none'}")
        value, more = found[name], {}
        if isinstance(value, Kernel):
            more = {name: value}
        elif isinstance(value, job.JobKernel):
            more = _called(name, value)
        elif _by_name(value):
            more = {str(key): each for key, each in value.items()}
        elif type(value).__module__.startswith(_OPERATIONS):
            raise ValueError(f"names: {name} of {module}: {_not_frozen(value)}")
        else:
            raise ValueError(f"names: {name} of {module} must be a kernel, or kernels by name, not {value!r}")
        twice = next((each for each in more if each in kernels and kernels[each] is not more[each]), None)
        if twice is not None:
            raise ValueError(
                f"names: {name} of {module} has another kernel named {twice}; freeze one of the two, or "
                "give them different names"
            )
        kernels |= more
    if not kernels:
        raise ValueError(f"names: {module} holds no kernels")
    return kernels
