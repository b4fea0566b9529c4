"""What the workloads of language share: times of parts of a step, and sentences of Python's library.

On one thread, times are those of the process's processor, as those of all workloads; on several, those of the clock.
"""

from __future__ import annotations

import ast
import re
import sysconfig
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tilesmith as ts

UNKNOWN, FIRST = 0, 1
"""The numbers of rare words, and of the one before the first, at whose place a class is read."""
Array = np.ndarray


def now() -> float:
    """Return seconds of the process's processor on one thread, of the clock on several."""
    return time.process_time() if ts.num_threads() == 1 else time.perf_counter()


seconds: dict[str, float] = defaultdict(float)
"""The time of each component."""


def timed(component: str, call: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call it; the time is that of a component."""
    start = now()
    result = call(*args, **named)
    seconds[component] += now() - start
    return result


def docstrings(package: str) -> Iterator[str]:
    """Yield the docstrings of a package of Python's library, which is read and not imported."""
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path in sorted(Path(sysconfig.get_path("stdlib"), package).rglob("*.py")):
        if "test" not in path.parent.parts[-1:]:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, holders) and (text := ast.get_docstring(node)):
                    yield text


def sentences(packages: tuple[str, ...], least: int) -> Iterator[tuple[list[str], int]]:
    """Yield the words of sentences of at least so many, each once, and the number of their package."""
    seen = set()
    for number, package in enumerate(packages):
        for text in re.split(r"(?<=[.:])\s", " ".join(docstrings(package))):
            words = re.findall(r"[a-z]+", text.lower())
            if len(words) >= least and text not in seen:
                seen.add(text)
                yield words, number


class Sentences:
    """The sentences of packages as numbers of their words; four fifths of them are to learn from.

    The numbers are below `most`, and rare words have the same one. Sentences are cut to the next of `lengths`.
    """

    def __init__(
        self, packages: tuple[str, ...], lengths: tuple[int, ...], most: int, rng: np.random.Generator
    ) -> None:
        self.lengths = lengths
        found = list(sentences(packages, lengths[0]))
        counted = Counter(word for words, _ in found for word in words)
        numbers = {word: 2 + place for place, (word, _) in enumerate(counted.most_common(most - 2))}
        self.words = 2 + len(numbers)
        every = [([FIRST, *(numbers.get(word, UNKNOWN) for word in words)], label) for words, label in found]
        order = rng.permutation(len(every))
        self.known = [every[place] for place in order[len(every) // 5 :]]
        self.held = [every[place] for place in order[: len(every) // 5]]

    def batch(self, tokens: int, chosen: Iterator[tuple[list[int], int]]) -> tuple[Array, Array, list[int], Array]:
        """The words of a batch, their places, the ends of sentences, and the classes."""
        ends, words, labels = [0], [], []
        while ends[-1] < tokens:
            sentence, label = next(chosen)
            length = max(each for each in self.lengths if each <= min(len(sentence), tokens - ends[-1]))
            words += sentence[:length]
            labels.append(label)
            ends.append(len(words))
        places = np.concatenate([np.arange(b - a) for a, b in zip(ends, ends[1:])])
        return np.array(words, np.int32), places.astype(np.int32), ends, np.array(labels, np.int32)
