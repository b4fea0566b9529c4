"""Combine every word of traced functions with every other one: which pairs make a kernel, and why others do not.

    python -m tests.microkernels.fused.vocabulary           prints the pairs that are refused, with the reasons
    python -m tests.microkernels.fused.vocabulary --write   writes them into docs/fused.md

A word takes an expression (8, 8) or the result of another word. A pair applies the second word to the result of the
first; if that result is not an expression, both words have separate results. Kernels of pairs are run in the emulator
with integers, and compared with numpy in float64 if each step is exact.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype

PAGE = Path(__file__).parents[3] / "docs" / "fused.md"
BEGIN, END = "<!-- tests.microkernels.fused.vocabulary: begin -->", "<!-- tests.microkernels.fused.vocabulary: end -->"
N, ROWS = 8, 5
UNPACK = "ts.unpack(x)"
EXACT = 2.0**24
"""Integers up to this one are exact in f32."""


class Word(NamedTuple):
    """A word: its text, its expression of one value with parameters by name, the same by numpy (None: it is random or
    rounded), and arguments of ts.equation."""

    text: str
    traced: Callable[[Any, Any], Any]
    exact: Callable[[Any, Any], Any] | None
    uses: tuple[str, ...] = ()
    last: bool = False  # its result is not an expression that other words take
    options: tuple[tuple[str, Any], ...] = ()


def _reductions() -> Iterator[Word]:
    numpy: dict[str, Any] = {
        "sum": np.sum,
        "mean": np.mean,
        "max": np.max,
        "min": np.min,
        "prod": np.prod,
        "absmax": lambda x, axis, keepdims: np.max(abs(x), axis, keepdims=keepdims),
    }
    for name, function in numpy.items():
        for axis in (1, 0, None):
            yield Word(
                f"ts.{name}(x, axis={axis})" if axis is not None else f"ts.{name}(x)",
                lambda x, p, name=name, axis=axis: getattr(ts, name)(x, axis=axis),
                lambda x, p, f=function, axis=axis: f(x, axis=axis, keepdims=True),
            )
    for axis in (1, 0, None):
        yield Word(
            f"ts.sum(x * x, axis={axis})",
            lambda x, p, axis=axis: ts.sum(x * x, axis=axis),
            lambda x, p, axis=axis: np.sum(x * x, axis, keepdims=True),
        )
    yield Word("ts.argmax(x, axis=1)", lambda x, p: ts.argmax(x, axis=1), lambda x, p: x.argmax(1).reshape(-1, 1))


WORDS: tuple[Word, ...] = (
    *_reductions(),
    Word("x @ w", lambda x, p: x @ p["w"], lambda x, p: x @ p["w"], ("w",)),
    Word("x @ w.T", lambda x, p: x @ p["w"].T, lambda x, p: x @ p["w"].T, ("w",)),
    Word(
        "x + ts.brgemm(a, b)",
        lambda x, p: x + ts.brgemm(p["a"], p["b"]),
        lambda x, p: x + np.einsum("imk,ikn->mn", p["a"], p["b"]),
        ("a", "b"),
    ),
    Word("x.T", lambda x, p: x.T, lambda x, p: x.T),
    Word("x + z.T", lambda x, p: x + p["z"].T, lambda x, p: x + p["z"].T, ("z",)),
    Word(
        "x + ts.gather(t, i)",
        lambda x, p: x + ts.gather(p["t"], p["i"]),
        lambda x, p: x + p["t"][p["i"][:, 0]],
        ("t", "i"),
    ),
    Word("ts.relu(x)", lambda x, p: ts.relu(x), lambda x, p: np.maximum(x, 0)),
    Word("ts.softmax(x, axis=1)", lambda x, p: ts.softmax(x, axis=1), None),
    Word("ts.select(x > 0, x, -x)", lambda x, p: ts.select(x > 0.0, x, -x), lambda x, p: abs(x)),
    Word("ts.dropout(x, 0.5)", lambda x, p: ts.dropout(x, 0.5), None),
    Word("x > 0", lambda x, p: x > 0.0, lambda x, p: np.packbits(x > 0, axis=1, bitorder="little"), last=True),
    Word(
        "ts.scatter(x, j, 5, add=True)",
        lambda x, p: ts.scatter(x, p["j"], ROWS, add=True),
        lambda x, p: _scattered(x, p["j"]),
        ("j",),
        True,
    ),
    Word("x, x * 2", lambda x, p: (x, x * 2.0), lambda x, p: (x, x * 2), last=True),
    Word(UNPACK, lambda x, p: ts.unpack(x), None, last=True, options=(("out", ("bf16", "u16")),)),
    Word('dtype="bf16"', lambda x, p: x * 1.0, lambda x, p: x, options=(("dtype", "bf16"),)),
    Word('dtype="f16"', lambda x, p: x * 1.0, lambda x, p: x, options=(("dtype", "f16"),)),
    Word('dtype="f64"', lambda x, p: x * 1.0, lambda x, p: x, options=(("dtype", "f64"),)),
    Word(
        'dtype="i8", compute="f32"',
        lambda x, p: x * 1.0,
        lambda x, p: x,
        options=(("dtype", "i8"), ("compute", "f32"), ("out", "f32")),
    ),
    Word("(ts.RUNTIME, n)", lambda x, p: x * 1.0, lambda x, p: x, options=(("rows", ts.RUNTIME),)),
    Word('order="F"', lambda x, p: x * 1.0, lambda x, p: x, options=(("order", "F"),)),
)


def _scattered(x: Any, j: Any) -> Any:
    made = np.zeros((ROWS, x.shape[1]))
    np.add.at(made, j[:, 0], np.broadcast_to(x, (len(j), x.shape[1])))
    return made


class Outcome(NamedTuple):
    """The outcome of a pair: the reason of its refusal, or "" if its kernel is made and is right wherever numpy is
    exact."""

    reason: str
    compared: bool = False


def _request(pair: tuple[Word, Word]) -> tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]:
    """Return the traced function, the shapes of its parameters, and further arguments of ts.equation."""
    options = dict(pair[0].options) | dict(pair[1].options)
    rows = options.pop("rows", N)
    every = {
        "x": (rows, N),
        "w": (N, N),
        "z": (N, rows),
        "t": (ROWS, N),
        "i": (rows, 1),
        "j": (rows, 1),
        "a": (2, rows, N),
        "b": (2, N, N),
    }
    names = ["x", *dict.fromkeys(name for word in pair for name in word.uses)]
    dtype = options.get("dtype", "f32")
    if any(name in "ij" for name in names):
        options["dtype"] = {name: "i64" if name in "ij" else dtype for name in names}

    def function(*given: Any) -> Any:
        p = dict(zip(names, given))
        first = pair[0].traced(p["x"], p)
        if pair[0].last:
            second = pair[1].traced(p["x"], p)
            return (*_several(first), *_several(second))
        return pair[1].traced(first, p)

    function.__signature__ = _signature(names)  # type: ignore[attr-defined]
    return function, {name: every[name] for name in names}, options


def _signature(names: list[str]) -> Any:
    import inspect

    return inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names])


def _several(made: Any) -> tuple[Any, ...]:
    return made if isinstance(made, tuple) else (made,)


def outcome(pair: tuple[Word, Word], target: str = "avx2") -> Outcome:
    """Make the kernel, run it in the emulator, and compare."""
    function, shapes, options = _request(pair)
    try:
        kernel = ts.equation(function, **shapes, **options, target=target)
    except (ts.UnsupportedError, TypeError, ValueError, AttributeError) as error:
        return Outcome(re.sub("^(sum|product|max|min|absmax) (down|along)", r"a reduction \2", str(error)))
    if any(word.exact is None for word in pair):
        return Outcome("")
    return Outcome("", _compared(pair, kernel, list(shapes)))


def _compared(pair: tuple[Word, Word], kernel: Any, names: list[str]) -> bool:
    """Compare the kernel with numpy and return whether numpy is exact. Raises AssertionError if they differ."""
    rng = np.random.default_rng(1)
    sizes = {"x": (N, N), "w": (N, N), "z": (N, N), "t": (ROWS, N), "a": (2, N, N), "b": (2, N, N)}
    values = {
        name: rng.integers(-1, 2, sizes[name]).astype(np.float64) if name in sizes else rng.integers(0, ROWS, (N, 1))
        for name in names
    }
    first = _several(pair[0].exact(values["x"], values))  # type: ignore[misc]
    second = _several(pair[1].exact(values["x"] if pair[0].last else first[0], values))  # type: ignore[misc]
    wanted = (*first, *second) if pair[0].last else second
    steps = [values["x"], *first, *wanted]
    limit = 256 if any(word.text in ('dtype="bf16"', 'dtype="f16"') for word in pair) else EXACT
    if not all((abs(each) < limit).all() and (each * 64 == np.rint(each * 64)).all() for each in steps):
        return False
    inputs = [each for each in kernel.spec.arguments if not getattr(each, "output", True)]
    given = [np.asarray(values[each.name], numpy_dtype(each.dtype), order=each.view.order) for each in inputs]
    outputs = [each for each in kernel.spec.arguments if getattr(each, "output", False)]
    results = [
        np.zeros(
            np.shape(want) if each.rows > 1 or np.ndim(want) < 2 else (each.rows, each.columns),
            numpy_dtype(each.dtype),
            order=each.view.order,
        )
        for each, want in zip(outputs, wanted)
    ]
    kernel.run(*given, *results)
    for found, want in zip(results, wanted):
        right = np.array_equal(found.astype(np.float64), np.broadcast_to(want, found.shape))
        assert right, (pair[0].text, pair[1].text, found, want)
    return True


@cache
def pairs() -> dict[tuple[str, str], Outcome]:
    """Return the outcomes of all pairs, keyed by their texts."""
    return {(a.text, b.text): outcome((a, b)) for a, b in every_pair()}


def every_pair() -> Iterator[tuple[Word, Word]]:
    """Yield the pairs of words. A word with its own types (out=) is combined only with words whose results have one
    type."""
    for a in WORDS:
        for b in WORDS:
            if not any(word.text == UNPACK for word in (a, b)) or (b.text == UNPACK and not a.last and not a.options):
                yield a, b


def table() -> str:
    """Return the refused pairs as text: for each reason the second words, and for each of these the first words."""
    found = pairs()
    refused: dict[str, dict[str, list[str]]] = {}
    for (first, second), each in found.items():
        if each.reason:
            refused.setdefault(each.reason, {}).setdefault(second, []).append(first)
    made, compared = sum(not each.reason for each in found.values()), sum(each.compared for each in found.values())
    lines = [
        f"{len(WORDS)} words make {len(found)} pairs: {made} of them make a kernel, of which {compared} are compared",
        f"with numpy bit for bit; {len(found) - made} are refused:",
        "",
    ]
    for reason, seconds in sorted(refused.items(), key=lambda item: -sum(map(len, item[1].values()))):
        lines.append(f"- {reason}")
        groups: dict[tuple[str, ...], list[str]] = {}
        for second, firsts in seconds.items():
            groups.setdefault(tuple(firsts), []).append(second)
        for firsts, some in groups.items():
            lines.append(f"  - {_listed(some)} of {_listed(firsts)}")
    return "\n".join(wrapped for line in lines for wrapped in _wrapped(line))


def _listed(words: Any) -> str:
    return "any word" if len(words) == len(WORDS) else ", ".join(f"`{word}`" for word in words)


def _wrapped(line: str) -> list[str]:
    """Wrap a line at 120 characters; continuation lines of a list are indented."""
    import textwrap

    indent = " " * (len(line) - len(line.lstrip()) + 2) if line.lstrip().startswith("- ") else ""
    return textwrap.wrap(line, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]


def main(write: bool) -> None:
    """Print the table, or write it into the page."""
    made = table()
    if not write:
        print(made)
        return
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main("--write" in sys.argv[1:])
