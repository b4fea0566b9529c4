"""Run the benchmark that the options of `tilesmith bench` select. This module imports all of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from . import call, cold, eltwise, eltwise_f64, fused, gemm, mixed, nests, precision, reduce, stack, start, transpose
from . import tuned as tuning
from .options import MIXED

Options = argparse.Namespace


def run(options: Options) -> None:
    """Measure and print; write `--json` and `--plot` if they are given."""
    _BENCHMARKS[options.what](options)


def _gemm(options: Options) -> None:
    if options.cold:
        cold.bench_cold(options.target, options.dtype or "f32", options.seconds, options.json)
    elif options.dtype in MIXED:
        mixed.bench_mixed(options.dtype, options.seconds, options.json)
    else:
        gemm.bench_gemm(options.target, options.dtype, options.shapes, options.seconds, options.json)


def _eltwise(options: Options) -> None:
    if options.dtype == "f64":
        eltwise_f64.bench_eltwise_f64(options.target, options.seconds, options.json)
    else:
        eltwise.bench_eltwise(options.target, options.seconds, options.json, options.plot)


def _stack(options: Options) -> None:
    dtype = options.dtype if options.dtype in stack.GOALS else None
    stack.bench_stack(options.target, dtype, options.seconds, options.json)


def _nest(options: Options) -> None:
    nests.bench_nest(json_path=options.json, plot=options.plot, most=0 if options.all else options.strings)


_BENCHMARKS: dict[str, Callable[[Options], object]] = {
    "gemm": _gemm,
    "call": lambda options: call.bench_call(options.seconds, options.json),
    "eltwise": _eltwise,
    "reduce": lambda options: reduce.bench_reduce(options.target, options.seconds, options.json),
    "fused": lambda options: fused.bench_fused(options.target, options.seconds, options.json),
    "transpose": lambda options: transpose.bench_transpose(options.seconds, options.json),
    "stack": _stack,
    "nest": _nest,
    "tuned": lambda options: tuning.bench_tuned(json_path=options.json, seconds=options.seconds),
    "precision": lambda options: precision.bench_precision(options.target, options.seconds, options.json),
    "start": lambda options: start.bench_start(json_path=options.json),
}
"""The function of each of `options.KINDS`."""
