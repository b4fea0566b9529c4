"""List kernels without a proof: every kind, type and target with small shapes, and a limit of processor time each.

    tilesmith bench proofs_missing                        a line for each kernel and its verdict, then counts
    tilesmith bench proofs_missing --only attention --targets neon sve256
    tilesmith bench proofs_missing --seconds 30 --open          only those without a proof
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import tilesmith as ts
from tests.side_by_side.verdicts import within
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.coverage.reduce import NAMES as REDUCTIONS
from tilesmith.runtime.coverage.table import DTYPES, SAMPLE

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


def outcome(make: Callable[[], Any], seconds: float) -> tuple[str, str] | None:
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


def _tables(run: Run) -> Iterator[Table]:
    asked, counts = run.options, Counter[str]()

    def measured(run: Run, name: str, target: str, make: Callable[[], Any]) -> Row | None:
        start = time.process_time()
        found = outcome(make, run.seconds)
        if found is None:
            return None
        counts[found[0]] += 1
        row = {"kernel": name, "target": target, "seconds": time.process_time() - start, "verdict": found[0],
               "reason": found[1]}
        return None if asked.open and found[0] == "proved" else row

    cases = [case for target in asked.targets for case in kernels(target)
             if asked.only in case[0] and asked.skip not in case[0]]
    yield Table("proofs", "kernel; target; s=seconds:2; verdict; reason", cases, measured)
    run.remark(str(dict(counts)))


BENCH = Bench("proofs_missing", __doc__, _tables, {
    "--only": {"default": ""}, "--skip": {"default": "@"}, "--open": {"action": "store_true"},
    "--targets": {"nargs": "+", "default": TARGETS}}, seconds=10.0, alone=False,
    quick=("--open", "--only", "attention", "--targets", "avx2"))
