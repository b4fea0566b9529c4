"""Names in requests, and suggestions for misspelled ones.

Each kind of mistake has one kind of error, in every public function:

TypeError          a value of a type that cannot be right: a number instead of a name, a float for an extent, too few
                   arguments
ValueError         a value of the right type that is not allowed: "float23", "rleu", order "X", extent 0
UnsupportedError   each argument is valid, but no kernel takes them together; the message says what would work. It is a
                   ValueError
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from ..encoder.deferred import lazy

if TYPE_CHECKING:
    import difflib

difflib = lazy(None, "difflib")


_OF_OTHERS = {
    "swish": "silu",
    "logistic": "sigmoid",
    "lrelu": "leaky_relu",
    "neg": "negate",
    "negative": "negate",
    "rcp": "reciprocal",
    "copy": "identity",
    "linear": "identity",
    "subtract": "sub",
    "multiply": "mul",
    "fma": "muladd",
    "where": "blend",
    "same_upper": "same",
}
"""Names that others use, and what the same is called here."""


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the name of what others call so, else the most similar name, or an empty string. Case is ignored, and "-"
    equals "_"."""
    plain = {each.lower(): each for each in reversed(list(names))}
    asked = name.lower().replace("-", "_")
    if _OF_OTHERS.get(asked) in plain:
        return plain[_OF_OTHERS[asked]]
    matches = difflib.get_close_matches(asked, plain, n=1)
    return plain[matches[0]] if matches else ""


def missing_name(module: str, name: str, names: Iterable[str], instead: str = "") -> AttributeError:
    """Return the error for a name that a module does not have, with what to write instead or the nearest of its names.

    Names that begin with an underscore get no advice: Python itself asks for them.
    """
    near = "" if instead or name.startswith("_") else nearest(name, names)
    advice = instead or (f"did you mean {near}?" if near else "")
    return AttributeError(f"module {module!r} has no attribute {name!r}{'; ' * bool(advice)}{advice}", name=name)


def chosen(what: str, value: Any, names: Collection[str], more: str = "") -> str:
    """Return the value if it is one of the names; else raise ValueError with the nearest, or TypeError for a
    non-string."""
    if isinstance(value, str) and value in names:
        return str.__str__(value)
    listed = ", ".join(map(repr, names)) if len(names) < 8 else ", ".join(names)
    if not isinstance(value, str):
        raise TypeError(f"{what}: one of {listed}{more}, not {value!r}")
    near = nearest(value, names)
    hint = f"; did you mean {near!r}?" if near else ""
    raise ValueError(f"{what}: one of {listed}{more}, not {value!r}{hint}")
