"""BLAKE2b without OpenSSL: `hashlib` would load it, which takes as long as all else at a start."""

from __future__ import annotations

from _blake2 import blake2b as blake2b  # of CPython and PyPy alike; hashlib takes it from there

__all__ = ["blake2b"]
