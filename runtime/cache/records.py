"""Records that are measured on a machine and kept in the cache folder: JSON files, sealed as entries of kernels are.

    {
     "version": 2,
     "entries": {...},
     "seal": "..."
    }

The seal is the BLAKE2b of the file's name and of every byte before its line, keyed by the secret of the folder.

A file that others may change, that was damaged, or that is not sealed by this folder counts as missing, and a
CacheWarning says so once. Those who read an entry check it nevertheless: it says what to do, and whatever it says, no
plan that is made of it may touch other memory than the operands.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ..system import environment
from . import folder, sealed

if TYPE_CHECKING:
    import json

    from . import store

json = lazy(None, "json")
store = lazy(__package__, ".store")

MACHINE_FACTS, KERNEL_TIMES, TUNED = FILES = "machine_facts.json", "kernel_times.json", "tuned.json"
"""The names of all files of records: what machine_facts.py and kernel_times.py of `runtime/loops` measure, and what
`tune` finds."""
VERSION = 2
_BEFORE_SEAL, _AFTER_SEAL = b',\n "seal": "', b'"\n}\n'


def entries(file: str) -> dict[str, Any]:
    """Return the entries of a file of the cache folder; none if there are none or the file cannot be trusted."""
    where = environment.cache_folder()
    if where is None:
        return {}
    try:
        with folder.opened(where) as place:
            return _unsealed(folder.read(place.descriptor, file), file, place.secret)
    except FileNotFoundError:
        return {}
    except folder.Unusable as reason:
        if reason.suspicious:
            _warn(where, file, str(reason))
    except (sealed.Damaged, OSError) as reason:
        _warn(where, file, str(reason))
    return {}


def _warn(where: str, file: str, reason: str) -> None:
    store.warn(os.path.join(where, file), f"{os.path.join(where, file)}: {reason}", "Measurements are made anew")


def keep(name: str, entry: object, file: str) -> bool:
    """Add an entry; return whether that was possible. The file is replaced as a whole, so it is never half written."""
    where = environment.cache_folder()
    if where is None:
        return False
    try:
        with folder.opened(where, create=True) as place:
            data = _sealed({**entries(file), name: entry}, file, place.secret)
            temporary = f"{folder.TEMPORARY}{os.getpid()}-{file}"
            folder.write(place.descriptor, temporary, data, replace=True)
            os.rename(temporary, file, src_dir_fd=place.descriptor, dst_dir_fd=place.descriptor)
    except (folder.Unusable, OSError):
        return False
    return True


def _sealed(entries: dict[str, Any], file: str, secret: bytes) -> bytes:
    text = json.dumps({"version": VERSION, "entries": entries}, indent=1).encode()
    return _with_seal(text.removesuffix(b"\n}"), file, secret)


def _with_seal(text: bytes, file: str, secret: bytes) -> bytes:
    seal = sealed.seal(file.encode() + b"\n" + text, secret).hex().encode()
    return text + _BEFORE_SEAL + seal + _AFTER_SEAL


def _unsealed(data: bytes, file: str, secret: bytes) -> dict[str, Any]:
    """Return the entries of a file. Raises Damaged unless every byte of it was sealed under this name."""
    text = data.rpartition(_BEFORE_SEAL)[0]
    if data != _with_seal(text, file, secret):
        raise sealed.Damaged(
            "its seal does not fit: it is cut off, copied from elsewhere, changed, or of an older version"
        )
    found: dict[str, Any] = json.loads(data)
    if found["version"] != VERSION:
        raise sealed.Damaged("it has another format")
    entries: dict[str, Any] = found["entries"]
    return entries
