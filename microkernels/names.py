"""Names that a request may give: which one a wrong one was meant to be.

One kind of mistake has one kind of error, in every public function:

TypeError          a value of a type that cannot be right: a number where a name belongs, a float for an extent, too few
                   arguments
ValueError         a value of the right type that is none of those there are: "float23", "rleu", order "X", extent 0
UnsupportedError   each argument means something, but no kernel is made of them together; it says what would work. It is
                   a ValueError
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from types import ModuleType
from typing import Any

from ..encoder.deferred import deferred


@deferred
def _difflib() -> ModuleType:
    import difflib

    return difflib


def nearest(name: str, names: Iterable[str]) -> str:
    """The name that is most like this one; empty where none is. Case and "-" for "_" do not count."""
    plain = {each.lower(): each for each in reversed(list(names))}
    matches = _difflib().get_close_matches(name.lower().replace("-", "_"), plain, n=1)
    return plain[matches[0]] if matches else ""


def chosen(what: str, value: Any, names: Collection[str], more: str = "") -> str:
    """The name if it is one of them; TypeError for what is no string, ValueError with the nearest name for another."""
    if isinstance(value, str) and value in names:
        return str.__str__(value)
    listed = ", ".join(map(repr, names)) if len(names) < 8 else ", ".join(names)
    if not isinstance(value, str):
        raise TypeError(f"{what}: one of {listed}{more}, not {value!r}")
    near = nearest(value, names)
    hint = f"; did you mean {near!r}?" if near else ""
    raise ValueError(f"{what}: one of {listed}{more}, not {value!r}{hint}")
