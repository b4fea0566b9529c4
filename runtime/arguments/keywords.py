"""Arguments of a call given by name: mm(a, b, out=c), mm(a, b, c=c, bias=x)."""

from __future__ import annotations

import inspect
from typing import Any

from ...microkernels.names import nearest


def with_threads(signature: inspect.Signature) -> inspect.Signature:
    """Return the signature of a call that also takes the number of threads."""
    threads = inspect.Parameter("threads", inspect.Parameter.KEYWORD_ONLY, default=None)
    return signature.replace(parameters=[*signature.parameters.values(), threads])


class KeywordOrder:
    """The arguments of a call by name. Unlike `placed`, it only accepts calls that name arguments and nothing else, and
    leaves everything that is wrong with the others to it."""

    __slots__ = ("outputs", "positions", "single")

    def __init__(self, signature: inspect.Signature, outputs: tuple[str, ...]) -> None:
        names = [each.name for each in signature.parameters.values() if each.kind is each.POSITIONAL_ONLY]
        self.positions, self.outputs = {name: place for place, name in enumerate(names)}, outputs
        self.single = self.positions.get(outputs[0], -1) if len(outputs) == 1 else -1

    def find(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], Any] | None:
        """Return all arguments by position, with None for outputs that the call leaves out, and the value of out=."""
        out = named.get("out")
        if out is not None and len(named) == 1 and len(args) == self.single:
            return (*args, out), out
        found = {name: value for name, value in named.items() if name != "out"}
        if out is not None:
            arrays = (out,) if len(self.outputs) == 1 else out
            if (
                not isinstance(arrays, tuple)
                or len(arrays) != len(self.outputs)
                or not found.keys().isdisjoint(self.outputs)
            ):
                return None
            found.update(zip(self.outputs, arrays))
        places = {self.positions.get(name, -1): value for name, value in found.items()}
        if min(places, default=-1) < len(args):
            return None
        gaps = {*range(len(args), max(places))} - places.keys()
        if gaps and not {name for name, place in self.positions.items() if place in gaps} <= {*self.outputs}:
            return None
        return (*args, *[places.get(place) for place in range(len(args), max(places) + 1)]), out


def placed(
    signature: inspect.Signature, outputs: tuple[str, ...], args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any], Any]:
    """Return all arguments by position, the keywords that name no argument, and the value of out=.

    outputs  the names of the arguments that out= stands for, one array or a tuple of them
    """
    names = [each.name for each in signature.parameters.values() if each.kind is each.POSITIONAL_ONLY]
    rest = dict(named)
    out = rest.pop("out", None) if outputs else None
    if out is not None:
        for output, given in zip(outputs, _arrays(outputs, out)):
            if output in rest:
                raise TypeError(f"{output}: given as {output}= and as out=")
            rest[output] = given
    found = {name: rest.pop(name) for name in names if name in rest}
    _known(signature, outputs, rest)
    twice = [name for name in names[: len(args)] if name in found]
    if twice:
        raise TypeError(f"{twice[0]}: given by its place and by its name")
    if not found:
        return args, rest, out
    last = max(names.index(name) for name in found)
    missing = [name for name in names[len(args) : last] if name not in found and name not in outputs]
    if missing:
        raise TypeError(f"{', '.join(missing)}: missing; this kernel takes {', '.join(names)}")
    return (*args, *(found.get(name) for name in names[len(args) : last + 1])), rest, out


def _known(signature: inspect.Signature, outputs: tuple[str, ...], named: dict[str, Any]) -> None:
    """Raise TypeError for a keyword that the call does not have, with the arguments that it has."""
    parameters = signature.parameters
    unknown = next((name for name in named if name not in parameters), None)
    if unknown is None:
        return
    words = [f"{name}=" if each.kind is each.KEYWORD_ONLY else name for name, each in parameters.items()]
    words += ["out="] if outputs else []
    near = nearest(unknown, [*parameters, *(["out"] if outputs else [])])
    hint = f"; did you mean {near}=?" if near else ""
    raise TypeError(f"{unknown}: not an argument of this kernel; it takes {', '.join(words)}{hint}")


def _arrays(outputs: tuple[str, ...], out: Any) -> tuple[Any, ...]:
    """Return the array that out= gives for each output."""
    if len(outputs) == 1:
        return (out,)
    if not isinstance(out, tuple) or len(out) != len(outputs):
        raise TypeError(f"out: a tuple of {len(outputs)} arrays ({', '.join(outputs)}), not {type(out).__name__}")
    return out
