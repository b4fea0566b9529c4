"""List kernels without a proof: every kind, type and target with small shapes, and a limit of processor time each.

    python -m tests.bench.proofs_missing                        a line for each kernel and its verdict, then counts
    python -m tests.bench.proofs_missing --only attention --targets neon sve256
    python -m tests.bench.proofs_missing --seconds 30 --open          only those without a proof
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import tilesmith as ts
from tests.side_by_side.verdicts import within
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.coverage.reduce import NAMES as REDUCTIONS
from tilesmith.runtime.coverage.table import DTYPES, SAMPLE

TARGETS = ("sse", "avx2", "avx512", "neon", "sve256")
FLOATS = ("f32", "f64", "bf16", "f16")
PRODUCTS = ("f32", "f64", "bf16", "f16", "f32x3bf16", "f64xi8", "f8e5m2", "f8e4m3", ("u8", "i8", "i32"),
            ("bf16", "bf16", "f32"), ("f16", "f16", "f32"))  # fmt: skip
Make = Callable[[], Any]


def kernels(target: str) -> Iterator[tuple[str, Make]]:
    """Yield names and functions that make the kernels; these raise an exception if a target does not support one."""
    for kind, names in ts.primitives().items():
        for name in names:
            for dtype in DTYPES:
                yield f"{kind} {name} {dtype}", lambda kind=kind, name=name, dtype=dtype: _eltwise(
                    kind, name, dtype, target)  # fmt: skip
    for _, name in REDUCTIONS:
        for dtype in DTYPES:
            for axis in (0, 1, None):
                yield f"reduce {name} {dtype} axis {axis}", lambda name=name, dtype=dtype, axis=axis: _reduce(
                    name, dtype, axis, target)  # fmt: skip
    for name in ts.composites():
        for dtype in FLOATS:
            yield f"fused {name} {dtype}", lambda name=name, dtype=dtype: ts.fused(
                name, 2, 9, dtype=dtype, target=target, **_numbers(name))  # fmt: skip
    yield from _attention(target)
    for dtypes in PRODUCTS:
        yield f"brgemm {dtypes}", lambda dtypes=dtypes: ts.brgemm(3, 5, 4, dtype=dtypes, target=target)
    yield from _equations(target)
    yield from _layouts(target)


def _layouts(target: str) -> Iterator[tuple[str, Make]]:
    for dtype in FLOATS:
        for order in ("FC", "CF", "FF"):
            yield f"layouts relu {dtype} {order}", lambda dtype=dtype, order=order: ts.unary(
                "relu", 5, 9, dtype=dtype, order=order, target=target)  # fmt: skip
        for order in ("CCC", "CCF"):
            yield f"layouts packed c {dtype} {order}", lambda dtype=dtype, order=order: ts.brgemm(
                5, 9, 3, dtype=dtype, beta=0, order=order, c_layout="vnni", target=target)  # fmt: skip


def _eltwise(kind: str, name: str, dtype: str, target: str) -> Any:
    more = {key: SAMPLE[key] for key in ("rate", "scale", "zero")}
    for given in ({}, {"rate": more["rate"]}, {"scale": more["scale"], "zero": more["zero"]}, {"scale": more["scale"]}):
        try:
            return getattr(ts, kind)(name, 2, 9, dtype=dtype, target=target, **given)
        except TypeError as error:
            reason = error
    raise reason


def _reduce(name: str, dtype: str, axis: int | None, target: str) -> Any:
    squared = name == "squares"
    return ts.reduce("sum" if squared else name, 3, 9, axis=axis, dtype=dtype, squared=squared, target=target)


def _numbers(name: str) -> dict[str, Any]:
    return {}


def _attention(target: str) -> Iterator[tuple[str, Make]]:
    for dtype in FLOATS:
        for words, more in (("", {}), (" causal", {"causal": True}), (" mask row", {"mask": "row"}),
                            (" mask full", {"mask": "full"}), (" lse", {"lse": True})):  # fmt: skip
            yield f"attention {dtype}{words}", lambda dtype=dtype, more=more: ts.attention(
                1, 2, 3, 2, dtype=dtype, target=target, **more)  # fmt: skip
        yield f"attention_inv {dtype}", lambda dtype=dtype: ts.attention_inv(1, 2, 3, 2, dtype=dtype, target=target)


def _equations(target: str) -> Iterator[tuple[str, Make]]:
    def made(function: Callable[..., Any], **shapes: Any) -> Make:
        return lambda: ts.equation(function, target=target, **shapes)

    yield "sweep column softmax", made(lambda x: ts.exp(x - ts.max(x, 0)) / ts.sum(ts.exp(x - ts.max(x, 0)), 0),
                                       x=(4, 9))  # fmt: skip
    yield "sweep centered", made(lambda x: x - ts.sum(x, 0) / 4.0, x=(4, 9))
    yield "indexed gather", made(lambda x, i, e: ts.gather(x, i) * e, x=(6, 9), i=(4,), e=(4, 9))
    yield "indexed scatter", made(lambda x, i: ts.scatter(ts.relu(x), i, 6), x=(4, 9), i=(4,))
    yield "indexed scatter add", made(lambda x, i: ts.scatter(x, i, 6, add=True), x=(4, 9), i=(4,))
    yield "argmax inside", made(lambda x: ts.argmax(x, 1), x=(4, 9))
    yield "chain of any rows", made(lambda x, w: ts.relu(x @ w), x=(ts.RUNTIME, 3), w=(3, 5))
    yield "gelu fast", lambda: ts.unary("gelu", 2, 9, numerics="fast", target=target)
    yield "exp fast", lambda: ts.unary("exp", 2, 9, numerics="fast", target=target)


def outcome(make: Make, seconds: float) -> tuple[str, str] | None:
    """Return (a verdict, the reason), or None if there is no such kernel."""
    try:
        kernel = make()
    except (UnsupportedError, ValueError, TypeError, AttributeError):
        return None
    try:
        with within(seconds):
            proof = kernel.verify()
    except UnsupportedError as error:
        return "no specification", str(error)
    except Exception as error:
        return type(error).__name__, str(error)[:120]
    if proof:
        return "proved", ""
    return "REFUTED" if proof.refuted else "not proved", next(str(each) for each in proof.claims if not each.holds)


def main(arguments: list[str]) -> int:
    """Print the verdicts and counts."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.proofs_missing")
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="@")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for target in options.targets:
        for name, make in kernels(target):
            if options.only not in name or options.skip in name:
                continue
            start = time.process_time()
            found = outcome(make, options.seconds)
            if found is None:
                continue
            counts[found[0]] += 1
            if found[0] != "proved" or not options.open:
                took = time.process_time() - start
                print(f"{name:36} {target:8} {took:6.2f} s {found[0]}: {found[1]}", flush=True)
    print(dict(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
