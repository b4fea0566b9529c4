"""Prove right kernels of all kinds, types and targets, drawn at random: none may be refuted.

    python -m tests.right_kernels --seed 1 --count 2000       the counts by kind, and each reason why one has no verdict
    python -m tests.right_kernels --seed 1736                 one kernel, printed with its proof
    python -m tests.right_kernels --seed 1 --count 2000 --minutes 20     stop after this time

Each kernel has its own seed. Requests that docs/proofs.md names as trusted, for a stated reason, count apart. If a
kernel is refuted, makes the prover fail, or has no verdict without a stated reason in more than one of a hundred cases,
the exit status is 1.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import tilesmith as ts
from tests.proofs_of_graphs import Drawn
from tests.side_by_side.verdicts import OutOfTime, within
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify.check import ProverFailed
from tilesmith.runtime.verify.trusted import KINDS, REASONS

TARGETS = (
    "sse",
    "avx",
    "avx2",
    "avx512",
    "avx512_bf16",
    "neon",
    "neon_dotprod",
    "neon_bf16",
    "sve128",
    "sve256",
    "sve512",
    "sme512",
)
FLOATS = ("f32", "f32", "f64", "bf16", "f16")
ALL = (*FLOATS, "i32", "i16", "u16", "i8", "u8")
REDUCTIONS = ("sum", "mean", "squares", "product", "max", "min", "absmax", "argmax", "argmin")
SECONDS = 20.0
Make = Callable[[], Any]


def _rows(r: Random) -> Any:
    return ts.RUNTIME if r.random() < 0.4 else r.randint(1, 6)


def _transpose(r: Random, t: str) -> Make:
    m, n, dtype = r.randint(1, 20), r.randint(1, 20), r.choice(ALL)
    return lambda: ts.transpose(m, n, dtype=dtype, target=t)


def _layout(r: Random, t: str) -> Make:
    name, m, n = r.choice(["vnni2", "vnni4"]), r.randint(1, 9), r.randint(1, 9)
    dtype = r.choice(["bf16", "f16", "i8", "u8"])
    return lambda: ts.transform(name, m, n, dtype=dtype, target=t)


def _named(kind: str) -> Callable[[Random, str], Make]:
    def draw(r: Random, t: str) -> Make:
        name, dtype, m, n = r.choice(ts.primitives()[kind]), r.choice(ALL), _rows(r), r.randint(1, 20)
        options = {"rate": 0.25} if name.startswith("dropout") else {}
        return lambda: getattr(ts, kind)(name, m, n, dtype=dtype, target=t, **options)

    return draw


def _reduce(r: Random, t: str) -> Make:
    name, dtype, m, n = r.choice(REDUCTIONS), r.choice(ALL), _rows(r), r.randint(1, 20)
    axis = 1 if m is ts.RUNTIME else r.choice([0, 1, None])
    return lambda: ts.reduce(name, m, n, axis=axis, dtype=dtype, target=t)


def _fused(r: Random, t: str) -> Make:
    name, m, n = r.choice(["softmax", "log_softmax", "layernorm", "rmsnorm", "adam", "sgd"]), _rows(r), r.randint(2, 14)
    return lambda: ts.fused(name, m, n, target=t)


def _graph(r: Random, t: str) -> Make:
    return Drawn(r.randrange(1 << 20)).kernel


def _chain(r: Random, t: str) -> Make:
    m, k, n = _rows(r), r.randint(1, 5), r.randint(1, 6)
    return lambda: ts.equation(lambda x, w, b: ts.relu(x @ w + b), x=(m, k), w=(k, n), b=(n,), target=t)


def _product(r: Random, t: str) -> Make:
    m, n, k, beta = r.randint(1, 9), r.randint(1, 9), r.randint(1, 8), r.choice([0, 1])
    batch = r.choice([1, 1, 2, ts.STRIDE, ts.OFFSET, ts.ADDRESS])
    dtype = r.choice(["f32", "f32", "f64", "bf16", ("u8", "i8", "i32"), "f16"])
    return lambda: ts.brgemm(m, n, k, beta=beta, batch=batch, dtype=dtype, target=t)


def _any_product(r: Random, t: str) -> Make:
    n, k, dtype = r.randint(1, 9), r.randint(1, 8), r.choice(["f32", "f32", "f64", "bf16"])
    if r.random() < 0.3:
        return lambda: ts.brgemm(r.randint(1, 5), n, k, stack=ts.RUNTIME, dtype=dtype, target=t)
    return lambda: ts.brgemm(ts.RUNTIME, n, k, dtype=dtype, target=t)


def _epilogue(r: Random, t: str) -> Make:
    m, n, k = r.randint(1, 7), r.randint(1, 9), r.randint(1, 6)
    act = r.choice([ts.relu, abs, lambda c: c * 2.0])
    return lambda: ts.brgemm(m, n, k, epilogue=lambda c, bias: act(c + bias), target=t)


def _gather(r: Random, t: str) -> Make:
    kind, by = r.choice(["gather", "scatter"]), r.choice(["rows", "columns", "offsets", "stride"])
    m, n = _rows(r), r.randint(1, 9)
    bounds = r.choice(["call", "kernel"])
    m = m if by == "rows" else r.randint(1, 5)
    options = {"step": 2} if by == "stride" else {"size": r.randint(4, 9), "bounds": bounds}
    return lambda: getattr(ts, kind)(by, m, n, target=t, **options)


def _bag(r: Random, t: str) -> Make:
    name, bags, n = r.choice(["sum", "mean", "max"]), r.randint(1, 4), r.randint(1, 9)
    return lambda: ts.embedding_bag(bags, n, size=5, count=r.randint(1, 8), name=name, target=t)


def _indexed(r: Random, t: str) -> Make:
    m, n = r.randint(1, 4), r.randint(1, 9)
    if r.random() < 0.5:
        return lambda: ts.equation(lambda x, i, e: ts.gather(x, i) * e, x=(4, n), i=(m,), e=(m, n), target=t)
    return lambda: ts.equation(lambda x, i: ts.scatter(x * 2.0, i, 4, add=True), x=(m, n), i=(m,), target=t)


def _attention(r: Random, t: str) -> Make:
    q, k, d, causal = r.randint(1, 3), r.randint(1, 5), r.randint(1, 4), r.random() < 0.3
    q = min(q, k) if causal else q
    return lambda: ts.attention(1, q, k, d, causal=causal, target=t)


def _whole_product(r: Random, t: str) -> Make:
    m, n, k = r.randint(1, 40), r.randint(1, 40), r.randint(1, 20)
    return lambda: ts.gemm(m, n, k, target=t)


def _layer(r: Random, t: str) -> Make:
    m, k, n = r.randint(1, 9), r.randint(1, 9), r.randint(1, 9)
    return lambda: ts.linear(m, k, n, target=t)


KINDS_DRAWN: dict[str, tuple[int, Callable[[Random, str], Make]]] = {
    "transpose": (4, _transpose),
    "layout": (2, _layout),
    "unary": (8, _named("unary")),
    "binary": (6, _named("binary")),
    "ternary": (3, _named("ternary")),
    "reduce": (8, _reduce),
    "fused": (5, _fused),
    "graph": (6, _graph),
    "chain": (4, _chain),
    "product": (8, _product),
    "product of any rows": (4, _any_product),
    "epilogue": (4, _epilogue),
    "gather": (5, _gather),
    "bag": (2, _bag),
    "rows by an index": (2, _indexed),
    "attention": (1, _attention),
    "product of any size": (1, _whole_product),
    "layer": (1, _layer),
}
"""The kinds, each with its share of the draws."""
DEFECTS = ("refuted", "error")
PROVED, REFUTED, ERROR, NONE, TRUSTED, NO_KERNEL = "proved", "refuted", "error", "no verdict", "trusted", "no kernel"


def drawn(seed: int) -> tuple[str, str, Make]:
    """Return the kind, the target, and a function that makes the kernel."""
    random = Random(seed)
    names, shares = list(KINDS_DRAWN), [share for share, _ in KINDS_DRAWN.values()]
    kind, target = random.choices(names, shares)[0], random.choice(TARGETS)
    return kind, target, KINDS_DRAWN[kind][1](random, target)


def verdict(seed: int) -> tuple[str, str, str, str]:
    """Return the verdict in a word, the kind, the name of the kernel with its target, and the reason."""
    kind, target, make = drawn(seed)
    try:
        kernel = make()
    except (UnsupportedError, ValueError, TypeError) as error:
        return NO_KERNEL, kind, target, str(error)
    name = f"{getattr(kernel, 'name', kind)} for {target}"
    try:
        with within(SECONDS):
            proof = kernel.verify()
    except ProverFailed as error:
        return ERROR, kind, name, str(error)
    except UnsupportedError as error:
        return (TRUSTED if _is_trusted(kernel, str(error)) else NONE), kind, name, str(error)
    except (OutOfTime, TimeoutError):
        return NONE, kind, name, f"no verdict in {SECONDS:g} s of processor time"
    except Exception as error:
        return ERROR, kind, name, repr(error)
    if proof:
        return PROVED, kind, name, ""
    said = next((str(claim) for claim in proof.claims if not claim.holds), "")
    if proof.refuted:
        return REFUTED, kind, name, str(proof)
    return (TRUSTED if _is_trusted(kernel, said) else NONE), kind, name, said


def _is_trusted(kernel: Any, said: str) -> bool:
    """Whether docs/proofs.md or `trusted.KINDS` states the reason why there is no proof."""
    spec = getattr(kernel, "spec", None)
    request = getattr(spec, "request", spec)
    if "rounded to odd" in said or any(reason in said for reason in KINDS.values()):
        return True
    kinds = _COVERED.get(type(request).__name__, ())
    name, dtypes = (
        getattr(request, "name", ""),
        {each.dtype for each in getattr(request, "arguments", ()) if hasattr(each, "dtype")},
    )
    return any(_matches(each, f"{one} {name}", dtypes, said) for one in kinds for each in REASONS)


_COVERED = {"EltwiseSpec": ("unary", "binary", "ternary"), "ReduceSpec": ("reduce",), "BagSpec": ("bag",)}


def _matches(reason: Any, primitive: str, dtypes: set[str], said: str) -> bool:
    return bool(
        re.fullmatch(reason.primitives, primitive)
        and re.search(reason.said, said)
        and (not reason.dtypes or dtypes & {*reason.dtypes})
    )


def main(arguments: list[str]) -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(prog="python -m tests.right_kernels", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    options = parser.parse_args(arguments)
    os.environ["TILESMITH_CACHE"] = "off"
    if options.count == 1:
        kernel = drawn(options.seed)[2]()
        print(kernel, kernel.verify(), sep="\n")
        return 0
    counts: Counter[str] = Counter()
    kinds: Counter[tuple[str, str]] = Counter()
    reasons: Counter[str] = Counter()
    until, seed = time.monotonic() + 60 * options.minutes, options.seed
    while sum(counts.values()) - counts[NO_KERNEL] < options.count and time.monotonic() < until:
        word, kind, name, said = verdict(seed)
        counts[word] += 1
        kinds[kind, word] += 1
        if word in (REFUTED, ERROR, NONE):
            print(f"{word}: {seed} {kind}: {name}: {said[:400]}", flush=True)
        if word == TRUSTED:
            reasons[said[:110]] += 1
        seed += 1
    for kind in KINDS_DRAWN:
        print(f"{kind:22}", *(f"{word} {kinds[kind, word]:5}" for word in (PROVED, REFUTED, ERROR, NONE, TRUSTED)))
    print(*(f"{count:5} trusted: {said}" for said, count in reasons.most_common(12)), sep="\n")
    print(dict(counts))
    judged = sum(counts.values()) - counts[NO_KERNEL]
    return int(counts[REFUTED] + counts[ERROR] > 0 or counts[NONE] > judged / 100)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
