"""Proofs of kernels: `tilesmith bench proofs [--tables limits loops coverage missing]`, in processor time.

    limits    the limits of issue 24, such as 64^3 in 5 s and a 16 x 16 transpose in 0.05 s
    loops     large kernels: symbolic executions with and without summaries of loops
    coverage  every name and type of the coverage table; none may take more than 60 s
    missing   every kind, type and target with small shapes, at most --seconds each; with --open only those without a
              proof, with --only those whose name has a word. A remark counts the verdicts
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import tilesmith as ts
from tests.side_by_side.verdicts import within
from tilesmith.emulation.symbolic.machine import execute
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted
from tilesmith.runtime.coverage.reduce import NAMES as REDUCTIONS
from tilesmith.runtime.coverage.table import DTYPES, SAMPLE, SHAPE
from tilesmith.runtime.verify.operands import call_of

Make = Callable[[str], Any]
ALL = ("sse", "avx2", "avx512", "neon", "sve256", "sme512")
BARS: dict[str, tuple[float, tuple[str, ...], Make]] = {
    "transpose 16 x 16": (0.05, ALL, lambda t: ts.transpose(16, 16, target=t)),
    "brgemm f32 64 x 64 x 64": (5.0, ALL, lambda t: ts.brgemm(64, 64, 64, target=t)),
    "gelu_inv bf16 2 x 9": (5.0, ("avx2", "neon"), lambda t: ts.binary("gelu_inv", 2, 9, dtype="bf16", target=t)),
}
LOOPS: dict[str, tuple[tuple[str, ...], Make]] = {
    "relu f32 512 x 512": (("avx2", "neon"), lambda t: ts.unary("relu", 512, 512, target=t)),
    "add f32 512 x 512": (("avx512", "sve256"), lambda t: ts.binary("add", 512, 512, target=t)),
    "copy f32 1024 x 1024": (("avx2",), lambda t: ts.unary("identity", 1024, 1024, target=t)),
    "transpose f32 512 x 512": (("avx2", "neon"), lambda t: ts.transpose(512, 512, target=t)),
    "sum of rows f32 64 x 1024": (("avx2",), lambda t: ts.reduce("sum", 64, 1024, axis=1, target=t)),
}
COVERED = ("avx2", "avx512", "neon", "sve256")
MOST = 60.0


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return (seconds of processor time, the result)."""
    began = time.process_time()
    found = run()
    return time.process_time() - began, found


def outcome(kernel: Any) -> str:
    """Return the verdict of a proof, in a word or two."""
    try:
        proof = kernel.verify()
    except ts.UnsupportedError:
        return "no specification"
    return "proved" if proof else "REFUTED" if proof.refuted else "not proved"


def bars(run: Run, name: str, target: str) -> Row:
    """Return the time of a proof. The second of two proofs counts, when the decoder's tables exist."""
    most, _, make = BARS[name]
    outcome(make(target) if most < 1 else ts.transpose(4, 4, target=target))
    seconds, word = timed(lambda: outcome(make(target)))
    return {"kernel": name, "target": target, "most": most, "seconds": seconds, "verdict": word}


def loops(run: Run, name: str, target: str) -> Row:
    """Return the times of symbolic executions alone, which summaries shorten."""
    kernel = LOOPS[name][1](target)
    call = call_of(kernel.spec, kernel.kind)
    (whole, _), (summed, done) = (timed(lambda each=each: execute(
        kernel.code, kernel.target, call.integers, call.regions, call.symbolic(), summaries=each))
        for each in (False, True))
    seconds, word = timed(lambda: outcome(kernel))
    return {"kernel": name, "target": target, "whole": whole, "summarised": summed, "seconds": seconds, "verdict": word,
            "how": "; ".join(done.loops) or "executed whole"}


def covered(run: Run, name: str, kind: str, dtype: str, target: str) -> Row | None:
    """Return the time of a kernel of the coverage table, if there is such a kernel."""
    try:
        kernel = getattr(ts, kind)(name, *SHAPE, dtype=dtype, target=target)
    except (ts.UnsupportedError, ValueError, TypeError):
        return None
    seconds, word = timed(lambda: outcome(kernel))
    return {"kernel": f"{name} {dtype}", "target": target, "seconds": seconds, "verdict": word}


# Kernels without a proof

TARGETS = ("sse", "avx2", "avx512", "neon", "sve256")
FLOATS = ("f32", "f64", "bf16", "f16")
PRODUCTS = ("f32", "f64", "bf16", "f16", "f32x3bf16", "f64xi8", "f8e5m2", "f8e4m3", ("u8", "i8", "i32"),
            ("bf16", "bf16", "f32"), ("f16", "f16", "f32"))
MASKS: dict[str, dict[str, Any]] = {"": {}, " causal": {"causal": True}, " mask row": {"mask": "row"},
                                    " mask full": {"mask": "full"}, " lse": {"lse": True}}
EQUATIONS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "sweep column softmax": (lambda x: ts.exp(x - ts.max(x, 0)) / ts.sum(ts.exp(x - ts.max(x, 0)), 0), {"x": (4, 9)}),
    "sweep centered": (lambda x: x - ts.sum(x, 0) / 4.0, {"x": (4, 9)}),
    "indexed gather": (lambda x, i, e: ts.gather(x, i) * e, {"x": (6, 9), "i": (4,), "e": (4, 9)}),
    "indexed scatter": (lambda x, i: ts.scatter(ts.relu(x), i, 6), {"x": (4, 9), "i": (4,)}),
    "indexed scatter add": (lambda x, i: ts.scatter(x, i, 6, add=True), {"x": (4, 9), "i": (4,)}),
    "argmax inside": (lambda x: ts.argmax(x, 1), {"x": (4, 9)}),
    "chain of any rows": (lambda x, w: ts.relu(x @ w), {"x": (ts.RUNTIME, 3), "w": (3, 5)}),
}
Case = tuple[str, str, Callable[[], Any]]


def kernels(target: str) -> Iterator[Case]:
    """Yield names, the target, and functions that make the kernels; these raise an exception if a target does not
    support one."""

    def named(name: str, function: Callable[..., Any], *given: Any, **more: Any) -> Case:
        return name, target, lambda: function(*given, target=target, **more)

    for kind, names in ts.primitives().items():
        yield from (named(f"{kind} {name} {dtype}", _eltwise, kind, name, dtype) for name in names for dtype in DTYPES)
    for _, name in REDUCTIONS:
        squared = name == "squares"
        yield from (named(f"reduce {name} {dtype} axis {axis}", ts.reduce, "sum" if squared else name, 3, 9, axis=axis,
                          dtype=dtype, squared=squared) for dtype in DTYPES for axis in (0, 1, None))
    for dtype in FLOATS:
        yield from (named(f"fused {name} {dtype}", ts.fused, name, 2, 9, dtype=dtype) for name in ts.composites())
        yield from (named(f"attention {dtype}{words}", ts.attention, 1, 2, 3, 2, dtype=dtype, **more)
                    for words, more in MASKS.items())
        yield named(f"attention_inv {dtype}", ts.attention_inv, 1, 2, 3, 2, dtype=dtype)
        yield from (named(f"layouts relu {dtype} {order}", ts.unary, "relu", 5, 9, dtype=dtype, order=order)
                    for order in ("FC", "CF", "FF"))
        yield from (named(f"layouts packed c {dtype} {order}", ts.brgemm, 5, 9, 3, dtype=dtype, beta=0, order=order,
                          c_layout="vnni") for order in ("CCC", "CCF"))
    yield from (named(f"brgemm {dtypes}", ts.brgemm, 3, 5, 4, dtype=dtypes) for dtypes in PRODUCTS)
    yield from (named(name, ts.equation, function, **shapes) for name, (function, shapes) in EQUATIONS.items())
    yield from (named(f"{name} fast", ts.unary, name, 2, 9, numerics="fast") for name in ("gelu", "exp"))


def _eltwise(kind: str, name: str, dtype: str, target: str) -> Any:
    for words in ((), ("rate",), ("scale", "zero"), ("scale",)):
        try:
            return getattr(ts, kind)(name, 2, 9, dtype=dtype, target=target, **{word: SAMPLE[word] for word in words})
        except TypeError as error:
            reason = error
    raise reason


def verdict(make: Callable[[], Any], seconds: float) -> tuple[str, str] | None:
    """Return (a verdict, the reason), or None if there is no such kernel."""
    try:
        kernel = make()
    except (ts.UnsupportedError, ValueError, TypeError, AttributeError):
        return None
    try:
        with within(seconds):
            proof = kernel.verify()
    except ts.UnsupportedError as error:
        return "no specification", str(error)
    except Exception as error:
        return type(error).__name__, str(error)[:120]
    if proof:
        return "proved", ""
    return "REFUTED" if proof.refuted else "not proved", next(str(each) for each in proof.claims if not each.holds)


def missing(run: Run, name: str, target: str, make: Callable[[], Any]) -> Row | None:
    start = time.process_time()
    found = verdict(make, run.seconds)
    if found is None or run.options.open and found[0] == "proved":
        return None
    return {"kernel": name, "target": target, "seconds": time.process_time() - start, "verdict": found[0],
            "reason": found[1]}


def _tables(run: Run) -> Iterator[Table]:
    asked, columns = run.options, "kernel; target; s=seconds:3; verdict"
    yield Table("limits", columns, [(name, target) for name, (_, targets, _) in BARS.items() for target in targets],
                bars, goals=(Wanted("{kernel} {target}", "most", "seconds", unit="s"),))
    yield Table("loops", "kernel; target; whole s=whole:2; summarised=summarised:2; proof=seconds:2; verdict; how",
                [(name, target) for name, (targets, _) in LOOPS.items() for target in targets], loops)
    yield Table("coverage", columns, [(name, kind, dtype, target) for kind, names in ts.primitives().items()
                for name in names for dtype in DTYPES for target in COVERED], covered,
                goals=(Wanted("the slowest of the coverage table", MOST, "seconds", max, "s"),))
    counts = Counter[str]()

    def counted(*given: Any) -> Row | None:
        row = missing(*given)
        counts[row["verdict"] if row else "none, or proved"] += 1
        return row

    yield Table("missing", f"{columns}; reason", [
        case for target in asked.targets for case in kernels(target) if asked.only in case[0]], counted,
        goals=lambda rows: run.remark(str(dict(counts))) or ())


BENCH = Bench("proofs", __doc__, _tables, {
    "--only": {"default": ""}, "--open": {"action": "store_true"}, "--targets": {"nargs": "+", "default": TARGETS}},
    seconds=10.0, alone=False, quick=("--open", "--only", "attention", "--targets", "avx2", "--seconds", "10"))
