"""Arguments of a call given by name: mm(a, b, out=c), mm(a, b, c=c, bias=x)."""

from __future__ import annotations

import inspect
from typing import Any


def placed(signature: inspect.Signature, output: str, args: tuple[Any, ...], named: dict[str, Any]
           ) -> tuple[tuple[Any, ...], dict[str, Any], Any]:  # fmt: skip
    """(all arguments in their places, the keywords that have none, what was given as out=).

    output   the name of the argument that out= stands for; empty where there are several
    """
    names = [each.name for each in signature.parameters.values() if each.kind is each.POSITIONAL_ONLY]
    rest = dict(named)
    out = rest.pop("out", None) if output else None
    if out is not None:
        if output in rest:
            raise TypeError(f"{output}: given as {output}= and as out=")
        rest[output] = out
    found = {name: rest.pop(name) for name in names if name in rest}
    twice = [name for name in names[: len(args)] if name in found]
    if twice:
        raise TypeError(f"{twice[0]}: given by its place and by its name")
    if not found:
        return args, rest, out
    last = max(names.index(name) for name in found)
    missing = [name for name in names[len(args) : last] if name not in found and name != output]
    if missing:
        raise TypeError(f"{', '.join(missing)}: missing; this kernel takes {', '.join(names)}")
    return (*args, *(found.get(name) for name in names[len(args) : last + 1])), rest, out
