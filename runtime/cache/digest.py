"""BLAKE2b without OpenSSL. `hashlib` would load OpenSSL, which takes as long as the rest of a start."""

from __future__ import annotations

from _blake2 import blake2b as blake2b  # in CPython and PyPy; hashlib takes it from there

__all__ = ["blake2b"]
