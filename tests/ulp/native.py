"""Measure the largest error over all 2^32 f32 within seconds, with the kernel as an object linked with sweep.c.

    python -m tests.ulp.native                       every function and slope, standard forms
    python -m tests.ulp.native gelu --accuracy accurate --target avx2

It needs gcc and a C library with vector functions (glibc 2.35 on x86-64). tests/ulp/sweep.py does the same with numpy.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import tilesmith as ts
from tests.ulp.sweep import bound_of
from tilesmith.microkernels.functions.accuracies import ACCURACIES
from tilesmith.microkernels.functions.activations import CATALOGUE

SOURCE = Path(__file__).with_name("sweep.c")
COUNT = 4096
FLAGS = ("-O3", "-march=native", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math", "-D__FAST_MATH__")
"""gcc's options. Without the last one the C library does not declare its vector functions."""


def measured(name: str, accuracy: str, target: str | None) -> tuple[float, float, int, float, float]:
    """Return the largest error in ulp, its argument, the number of wrong NaN, the promised bound, and its floor."""
    slope = name.endswith("_inv")
    kernel = (ts.binary if slope else ts.unary)(name, 1, COUNT, accuracy=accuracy, target=target)
    bound = bound_of(name, accuracy, kernel)
    with tempfile.TemporaryDirectory() as folder:
        program, made = Path(folder, "sweep"), Path(folder, "kernel.o")
        kernel.save(made)
        macros = [f"-DKERNEL={kernel.name}", f"-DFUNCTION=of_{name}", f"-DFLOOR={bound.floor}", *["-DSLOPE"] * slope]
        subprocess.run(["gcc", *FLAGS, *macros, SOURCE, made, "-o", program, "-lmvec", "-lm"], check=True)
        found = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    return float(found[0]), float(found[1]), int(found[2]), bound.ulp, bound.floor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="functions; all unless given")
    parser.add_argument("--accuracy", choices=ACCURACIES, default="standard")
    parser.add_argument("--target", help="a target that this machine runs; its own unless given")
    asked = parser.parse_args()
    for name in asked.names or [*CATALOGUE, *(f"{name}_inv" for name in CATALOGUE)]:
        worst, at, wrong, promised, floor = measured(name, asked.accuracy, asked.target)
        cells = (name, asked.accuracy, f"{worst:.3f}", f"{at:.7g}", f"{promised:g}", f"{floor:.3g}" if floor else "-")
        print(f"| {' | '.join(cells)} | {wrong} |", flush=True)


if __name__ == "__main__":
    main()
