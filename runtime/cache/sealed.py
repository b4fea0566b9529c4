"""The format of an entry: one file, whose seal covers every byte.

    8 bytes      TSCACHE and the number of the format
    4 + 4 bytes  lengths of header and body, little-endian
    header       a Python literal: "request", which the entry answers; "sections", their lengths; facts of the code
    body         the sections: machine code, text for listings
    32 bytes     BLAKE2b of all that comes before, keyed by the secret of the folder

Nothing of a file is trusted before its seal is checked. What is then read is bytes and a literal of strings, numbers,
lists and dictionaries; nothing in it names a class or a function. (JSON would be one more import at every start.)
"""

from __future__ import annotations

import struct
from ast import literal_eval
from collections.abc import Sequence
from typing import Any

from ...encoder.records import NamedTuple
from .digest import blake2b

MAGIC = b"TSCACHE1"
SEAL_BYTES = 32
_LENGTHS = struct.Struct("<8sII")


class Damaged(ValueError):
    """The bytes are not an entry that was sealed with this secret."""


class SealedEntry(NamedTuple):
    """The contents of an entry: facts and bytes."""

    facts: dict[str, Any]
    sections: tuple[bytes, ...]

    @property
    def request(self) -> str:
        """The request that the entry answers."""
        request: str = self.facts["request"]
        return request


def name_of(request: str) -> str:
    """Return the name of the file that answers a request."""
    return f"{blake2b(request.encode(), digest_size=20).hexdigest()}.kernel"


def is_name(name: str) -> bool:
    """Whether a file may be an entry."""
    digits = name.removesuffix(".kernel")
    return len(digits) == 40 and digits != name and not set(digits) - set("0123456789abcdef")


def sealed(facts: dict[str, Any], sections: Sequence[bytes], secret: bytes) -> bytes:
    """Return the bytes of an entry's file."""
    header = repr({**facts, "sections": [len(each) for each in sections]}).encode()
    body = b"".join(sections)
    whole = _LENGTHS.pack(MAGIC, len(header), len(body)) + header + body
    return whole + seal(whole, secret)


def unsealed(data: bytes, secret: bytes) -> SealedEntry:
    """Return the entry of a file. Raises Damaged unless every byte of it was sealed with this secret."""
    whole, found = data[:-SEAL_BYTES], data[-SEAL_BYTES:]
    if len(data) < _LENGTHS.size + SEAL_BYTES:
        raise Damaged(f"{len(data)} bytes are no whole entry")
    if found != seal(whole, secret):
        raise Damaged("its seal does not fit: it is cut off, copied from elsewhere, or changed")
    magic, header_size, body_size = _LENGTHS.unpack_from(whole)
    if magic != MAGIC or len(whole) != _LENGTHS.size + header_size + body_size:
        raise Damaged("it has another format")
    start = _LENGTHS.size + header_size
    facts = _facts(whole[_LENGTHS.size : start], body_size)
    sections = []
    for size in facts["sections"]:
        sections.append(whole[start : start + size])
        start += size
    return SealedEntry(facts, tuple(sections))


def _facts(header: bytes, body_size: int) -> dict[str, Any]:
    """Return the facts of a header. Raises Damaged unless they name a request and sections that fill the body: who
    knows the secret may have sealed anything, and that of frozen kernels is known to all."""
    try:
        facts = literal_eval(header.decode())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        facts = None
    sizes = facts.get("sections") if isinstance(facts, dict) else None
    numbers = type(sizes) is list and all(type(size) is int and size >= 0 for size in sizes)
    if not isinstance(facts, dict) or not numbers or sum(sizes or ()) != body_size:
        raise Damaged("its header is malformed")
    if type(facts.get("request")) is not str:
        raise Damaged("it names no request")
    return facts


def seal(data: bytes, secret: bytes) -> bytes:
    """Return the seal of bytes: only who knows the secret can make it."""
    return blake2b(data, digest_size=SEAL_BYTES, key=secret).digest()
