"""Text in XML and HTML. The standard library's `xml.sax.saxutils` and `html` have the same function, but the first
imports `urllib.request` with http, email and ssl, which takes half the time of importing numpy."""

from __future__ import annotations

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def escaped(text: str) -> str:
    """Return the text with entities instead of the characters of markup."""
    return text.translate(_ENTITIES)
