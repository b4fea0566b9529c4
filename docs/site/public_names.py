"""The pages of the public names: each with its signature, its types and its help text, from the objects themselves."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from docs.site.docstrings import markdown

MODULES = (
    "tilesmith",
    "tilesmith.testing",
    "tilesmith.integrations.torch",
    "tilesmith.integrations.jax",
    "tilesmith.integrations.onnx",
    "tilesmith.integrations.distributed",
    "tilesmith.integrations.dask",
)
_HEAD = """# Public names

These pages have every public name with its signature, its types and its help text, which `help` prints too. Read them
to find the arguments of a function; the other pages of the reference say what it is for. `make site` writes them from
the objects. Names of types are those of the source.

"""


def pages() -> dict[str, str]:
    """Return the text of each page by its name: one for each module, and `api`, which lists them."""
    written = {f"api-{name.replace('.', '-')}": module_page(importlib.import_module(name)) for name in MODULES}
    listed = [f"- [{name}]({page}.md)" for name, page in zip(MODULES, written, strict=True)]
    tree = ["", "```{toctree}", ":hidden:", "", *written, "```", ""]
    return {"api": _HEAD + "\n".join([*listed, *tree]), **written}


def module_page(module: ModuleType) -> str:
    """Return the page of a module, which has an entry for each name in its `__all__`."""
    name = module.__name__
    kinds: dict[str, list[str]] = {"Functions": [], "Classes": [], "Values": []}
    modules = list[str]()
    for public in sorted(module.__all__):
        value = getattr(module, public)
        if inspect.ismodule(value):
            modules.append(f"- `{name}.{public}`: {markdown(_help(value)).partition(chr(10))[0]}")
        elif inspect.isclass(value):
            kinds["Classes"].append(_class(f"{name}.{public}", value))
        elif callable(value):
            kinds["Functions"].append(_entry("function", f"{name}.{public}{signature(value)}", markdown(_help(value))))
        elif not public.startswith("__"):
            kinds["Values"].append(_entry("data", f"{name}.{public}", markdown(_help(value))))
    parts = [f"# {name}", f"```{{py:module}} {name}\n```", markdown(_help(module))]
    for heading, entries in kinds.items():
        parts += [f"## {heading}", *entries] if entries else []
    return "\n\n".join([*parts, *(["## Modules", "\n".join(modules)] if modules else [])]) + "\n"


def _help(value: object) -> str:
    found = inspect.getdoc(value)
    if not found:
        raise ValueError(f"{value!r} is public and has no docstring")
    return found


class _Annotation(str):
    """The text of an annotation, which `inspect` prints without quotation marks."""

    def __repr__(self) -> str:
        return str(self)


def signature(function: Any) -> str:
    """Return the parameters of a function and its result with their annotations as the source has them; `()` for
    classes whose constructor is in C."""
    try:
        found = inspect.signature(function)
    except ValueError:
        return "()"
    parameters = [
        each.replace(annotation=_Annotation(each.annotation)) if isinstance(each.annotation, str) else each
        for each in found.parameters.values()
    ]
    result = found.return_annotation
    shown = found.replace(
        parameters=parameters, return_annotation=_Annotation(result) if isinstance(result, str) else result
    )
    return " ".join(str(shown).split())


def _entry(kind: str, title: str, *parts: str) -> str:
    """Return a directive of Sphinx's Python domain; its fence is longer than those of its parts."""
    text = "\n\n".join(part for part in parts if part)
    fence = "`" * (3 + max((len(line) - len(line.lstrip("`")) for line in text.splitlines()), default=0))
    return f"{fence}{{py:{kind}}} {title}\n\n{text}\n{fence}"


def _class(title: str, of: type) -> str:
    return _entry("class", f"{title}{signature(of)}", markdown(_help(of)), *_members(of))


def _members(of: type) -> Iterator[str]:
    """Yield the methods and properties of a class and of its bases in this project."""
    for name, member in inspect.getmembers(of):
        owner = next((base for base in of.__mro__ if name in vars(base)), object)
        if name.startswith("_") or not owner.__module__.startswith("tilesmith"):
            continue
        if inspect.isroutine(member) and callable(member):
            yield _entry("method", f"{name}{signature(member)}", markdown(inspect.getdoc(member) or ""))
        elif inspect.isdatadescriptor(member) or hasattr(type(member), "__get__"):
            yield _entry("property", name, markdown(inspect.getdoc(member) or ""))
