"""Look for false proofs: verify the bytes of one request against another request that differs in one respect.

    python -m tests.pairs_of_requests --seed 1 --count 100000
    python -m tests.pairs_of_requests --seed 1 --count 100000 --minutes 30     stop after this time; the next continues
    python -m tests.pairs_of_requests --seed 1 --count 100000 --processes 2    processes that share the pairs
    python -m tests.pairs_of_requests --seed 1 --count 2000 --only products

Each pair is drawn from its own seed, so any of them can be run again. Requests that have no kernel, and pairs with the
same bytes, are drawn again. The bytes must be refuted. If they are proved, the emulator executes the kernels of both
requests. If a result differs, the proof was false, and the exit status is 1. If no result differs on inputs of several
seeds, the two cannot be told apart (for example relu of unsigned numbers and a copy), and the pair is counted
separately. Verdicts are kept in .build/proofs, keyed by the hash of the source that decides on them; pairs that are
drawn twice are judged once.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import tilesmith as ts
from tests.kept_results import CRASHED, Kept
from tests.side_by_side.executed import Executed
from tests.side_by_side.verdicts import within
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify.check import verify

TARGETS = ("sse", "avx2", "avx512", "neon", "sve256")
Given = dict[str, Any]
UNARY = ("identity", "relu", "square", "neg", "abs", "reciprocal", "sqrt", "inc")
BINARY = ("add", "sub", "mul", "div", "max", "min")
REDUCED = ("sum", "max", "min", "mean", "absmax", "product")


def _product(random: Random) -> tuple[Given, Given]:
    """Draw matrix products that differ in factors, layouts, extents or batches."""
    given: Given = {
        "m": random.randint(1, 5),
        "n": random.randint(1, 6),
        "k": random.randint(1, 5),
        "beta": 1.0,
        "alpha": 1.0,
        "dtype": random.choice(["f32", "f64", ("u8", "i8", "i32")]),
        "batch": 2,
    }
    changes: list[Given] = [
        {"beta": 0.0},
        {"k": given["k"] + 1},
        {"batch": 1},
        {"batch": 3},
        {"n": given["n"] + 1},
        {"m": given["m"] + 1},
        {"order": ("F", "C", "C")},
        {"order": ("C", "F", "C")},
        {"order": ("C", "C", "F")},
        {"ldc": given["n"] + 2},
        {"lda": given["k"] + 1},
    ]
    if given["dtype"] in ("f32", "f64"):
        changes += [{"beta": 0.5}, {"alpha": -1.0}, {"alpha": 2.0}]
    else:
        changes += [{"dtype": ("i8", "i8", "i32")}, {"dtype": ("u8", "u8", "i32")}]
    return given, given | random.choice(changes)


def _elementwise(random: Random) -> tuple[Given, Given]:
    """Draw elementwise requests that differ in function or extents."""
    names, function = random.choice([(UNARY, "unary"), (BINARY, "binary")])
    given: Given = {
        "function": function,
        "name": random.choice(names),
        "m": random.randint(1, 4),
        "n": random.randint(1, 20),
        "dtype": random.choice(["f32", "f64", "i32"]),
    }
    other = random.choice([each for each in names if each != given["name"]])
    return given, given | random.choice(
        [{"name": other}, {"name": other}, {"n": given["n"] + 1}, {"m": given["m"] + 1}]
    )


def _reduction(random: Random) -> tuple[Given, Given]:
    """Draw reductions that differ in name, axis or extents."""
    given: Given = {
        "name": random.choice(REDUCED),
        "m": random.randint(1, 5),
        "n": random.randint(1, 12),
        "axis": random.choice([0, 1]),
        "dtype": random.choice(["f32", "f64", "i32", "bf16"]),
    }
    other = random.choice([each for each in REDUCED if each != given["name"]])
    return given, given | random.choice(
        [{"name": other}, {"axis": 1 - given["axis"]}, {"n": given["n"] + 1}, {"m": given["m"] + 1}]
    )


def _seeded(random: Random) -> tuple[Given, Given]:
    """Draw requests with random numbers that differ in rate or extents."""
    given: Given = {
        "function": "unary",
        "name": "dropout",
        "m": random.randint(1, 4),
        "n": random.randint(1, 12),
        "rate": random.choice([0.25, 0.5]),
        "dtype": random.choice(["f32", "f64"]),
    }
    return given, given | random.choice([{"rate": 0.75}, {"n": given["n"] + 1}, {"m": given["m"] + 1}, {"rate": 0.3}])


def _transpose(random: Random) -> tuple[Given, Given]:
    """Draw transposes that differ in extents, leading dimensions or element type."""
    given: Given = {
        "m": random.randint(1, 9),
        "n": random.randint(1, 9),
        "dtype": random.choice(["f32", "f64", "bf16", "i8"]),
    }
    sizes = [each for each in ("f32", "f64", "bf16", "i8") if each != given["dtype"]]
    return given, given | random.choice(
        [
            {"n": given["n"] + 1},
            {"m": given["m"] + 1},
            {"ldx": given["n"] + 1},
            {"ldy": given["m"] + 1},
            {"dtype": random.choice(sizes)},
        ]
    )


def _made(family: str, given: Given, target: str) -> Any:
    given = dict(given, target=target)
    if family == "products":
        return ts.brgemm(given.pop("m"), given.pop("n"), given.pop("k"), **given)
    m, n = given.pop("m"), given.pop("n")
    if family == "transposes":
        return ts.transpose(m, n, **given)
    if family == "reductions":
        return ts.reduce(given.pop("name"), m, n, **given)
    return getattr(ts, given.pop("function"))(given.pop("name"), m, n, **given)


FAMILIES: dict[str, Callable[[Random], tuple[Given, Given]]] = {
    "products": _product,
    "elementwise": _elementwise,
    "seeded": _seeded,
    "reductions": _reduction,
    "transposes": _transpose,
}


_SECONDS = 10
"""The most processor time for a proof, in seconds."""
_DRAWS = 50


def drawn(family: str, seed: str) -> tuple[str, Any, Any]:
    """Return (description, emitted kernel, requested kernel): kernels of two requests whose bytes differ."""
    random = Random(seed)
    for _ in range(_DRAWS):
        target = random.choice(TARGETS)
        first, second = FAMILIES[family](random)
        try:
            emitted, wanted = (_made(family, each, target) for each in (first, second))
        except (UnsupportedError, ValueError):
            continue
        if emitted.code != wanted.code:
            return f"{family}, {target}: bytes of {first} for {second}", emitted, wanted
    raise RuntimeError(f"{family} {seed}: no pair in {_DRAWS} draws")


def judged(emitted: Any, wanted: Any) -> str:
    """Return the verdict on a pair."""
    try:
        with within(_SECONDS):
            proof = verify(emitted.code, emitted.target, wanted.spec, wanted.kind)
    except UnsupportedError:
        return "no specification" if Executed(wanted).found(emitted.code) else "no specification, not to be told apart"
    except Exception as error:
        return f"the prover raised {type(error).__name__}"
    if proof.refuted:
        return "refuted"
    different = Executed(wanted).found(emitted.code)
    if proof:
        return "FALSE PROOF" if different else "not to be told apart"
    return "not proved, other results" if different else "not proved, not to be told apart"


def verdict(family: str, seed: str, kept: Kept | None = None) -> tuple[str, str]:
    """Return (the verdict on a pair, the description of the pair)."""
    what, emitted, wanted = drawn(family, seed)
    kept = Kept(None) if kept is None else kept
    found = kept.known(what) or kept.judged(what, lambda: judged(emitted, wanted), CRASHED)
    return found, what


def main(arguments: list[str]) -> int:
    """Return 1 if there is a false proof."""
    parser = argparse.ArgumentParser(prog="python -m tests.pairs_of_requests", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--only", choices=list(FAMILIES))
    parser.add_argument("--minutes", type=float, default=float("inf"), help="then it ends; the next goes on")
    parser.add_argument("--processes", type=int, default=1, help="that share the pairs")
    options = parser.parse_args(arguments)
    os.environ["TILESMITH_CACHE"] = "off"  # the cache would write each kernel to disk
    began, context = time.monotonic(), multiprocessing.get_context("fork")
    until = began + 60 * options.minutes
    others = [context.Process(target=_judge, args=(options, part, until)) for part in range(1, options.processes)]
    for each in others:
        each.start()
    _judge(options, 0, until)
    for each in others:
        each.join()
    families, known = _families(options), _kept(options).results
    found: dict[str, Counter[str]] = {family: Counter() for family in families}
    for number in range(options.count):
        if (word := known.get(_key(number, options))) is not None:
            found[families[number % len(families)]][word] += 1
    for family, counts in found.items():
        print(f"{family}: " + ", ".join(f"{count} {name}" for name, count in counts.most_common()))
    done = sum(counts.total() for counts in found.values())
    print(f"{done} pairs of {options.count}, the latest in {time.monotonic() - began:.0f} s")
    return int(any(counts["FALSE PROOF"] for counts in found.values()))


def _kept(options: Any) -> Kept:
    return Kept.of("pairs", options.seed, ("tests/pairs_of_requests.py", "tests/side_by_side/executed.py"))


def _families(options: Any) -> list[str]:
    return [options.only] if options.only else list(FAMILIES)


def _key(number: int, options: Any) -> str:
    return f"number {number} {options.only}"


def _judge(options: Any, part: int, until: float) -> None:
    """Judge every pair of a part that has no verdict yet, until the time is over."""
    kept, families = _kept(options), _families(options)
    for number in range(part, options.count, options.processes):
        if kept.known(_key(number, options)) is None:
            if time.monotonic() > until:
                break
            word, what = verdict(families[number % len(families)], f"{options.seed}.{number}", kept)
            kept.note(_key(number, options), word)
            if not word.startswith("refuted"):
                print(f"{word}: {what}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
