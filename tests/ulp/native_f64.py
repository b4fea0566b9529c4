"""Measure the largest error over 10^9 f64 within seconds, with the kernel as an object linked with sweep_f64.c.

    python -m tests.ulp.native_f64                          every function and slope, standard forms, 10^9 numbers each
    python -m tests.ulp.native_f64 gelu gelu_inv --samples 100000000 --accuracy accurate --target avx2
    --state FOLDER                                          continue where an earlier run with that folder ended

Rounds of 2^24 numbers draw them in these ways, in turn:

    magnitudes from 2^-60 to the end of the function, equally many for each power of two
    uniformly over the arguments where the function varies, from -25 to 25, and from -3 to 3
    around the largest error so far, at distances of 2^-1 to 2^-46 of its argument, equally many for each power

The same number of rounds draws the same numbers. It needs gcc and a C library with vector functions (glibc 2.35 on
x86-64).

The reference of sweep_f64.c is a double word that is right to 2^-9 ulp. `sampled` returns it for some numbers;
tests/microkernels/functions/test_bounds_f64.py compares these with mpmath.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import mpmath
from mpmath import mpf

import tilesmith as ts
from tests.ulp.native import FLAGS
from tests.ulp.sweep import bound_of
from tilesmith.microkernels.functions.accuracies import ACCURACIES

SOURCE = Path(__file__).with_name("sweep_f64.c")
CHUNK = 4096
ROUND = 1 << 24
STEPS, TERMS, FAR = 16, 13, 39
RANGES = {
    "exp": (-746.0, 710.0),
    "exp2": (-1076.0, 1025.0),
    "log": (0.35, 3.0),
    "tanh": (-20.0, 20.0),
    "sigmoid": (-746.0, 40.0),
    "silu": (-752.0, 40.0),
    "gelu": (-38.7, 9.0),
    "gelu_tanh": (-21.7, 8.0),
    "elu": (-40.0, 1.0),
    "softplus": (-746.0, 746.0),
    "exp_inv": (-746.0, 710.0),
    "exp2_inv": (-1076.0, 1025.0),
    "log_inv": (0.35, 3.0),
    "tanh_inv": (-376.0, 376.0),
    "sigmoid_inv": (-746.0, 746.0),
    "silu_inv": (-752.0, 752.0),
    "gelu_inv": (-38.7, 9.0),
    "gelu_tanh_inv": (-21.7, 8.0),
    "elu_inv": (-746.0, 1.0),
    "softplus_inv": (-746.0, 40.0),
}
"""The range in which a function is neither constant nor x."""
FOLLOWED = ("exp", "exp2", "exp_inv", "exp2_inv", "softplus")
"""Functions that overflow early: their arguments are drawn up to 2^9, those of others up to 2^10."""


@dataclass
class Found:
    """The number of arguments tried, and the largest error."""

    tried: int = 0
    worst: float = 0.0
    at: float = 0.0
    wrong: int = 0


def _parts(value: mpf, count: int, first: int = 53) -> list[str]:
    """Return a number as the sum of `count` f64 for C; the first one has `first` bits."""
    made = []
    for i in range(count):
        with mpmath.workprec(first if i == 0 else 53):
            made.append(+value)
        value = value - made[-1]
    return [float(each).hex() for each in made]


def table() -> str:
    """Return the header with the constants and series of sweep_f64.c."""
    with mpmath.workdps(60):
        line, density = 2 * mpmath.sqrt(2 / mpmath.pi), 1 / mpmath.sqrt(2 * mpmath.pi)
        lines = [f"#define {name} {value}" for name, value in (("STEPS", STEPS), ("TERMS", TERMS))]
        cube = line * mpf("0.044715")
        sums = ("LN2", mpmath.log(2), 3, 41), ("LINE", line, 2, 53), ("CUBE", cube, 2, 53), ("DENSITY", density, 2, 53)
        for name, value, count, first in sums:
            lines += [f"#define {name}_{i} {part}" for i, part in enumerate(_parts(value, count, first))]
        high, low = _parts(mpmath.log(2), 2)
        lines += [f"#define LN2_H {high}", f"#define LN2_L {low}"]
        rows = []
        for i in range(FAR * STEPS + 1):
            c = mpf(i) / STEPS
            a = [mpmath.erfc(c / mpmath.sqrt(2)) * mpmath.exp(c * c / 2) / 2]
            a.append(c * a[0] - density)
            for n in range(1, TERMS - 1):
                a.append((c * a[n] + a[n - 1]) / (n + 1))
            rows.append([_parts(each, 2) for each in a])
        for name, part, terms in (("SERIES", 0, TERMS), ("LOWER", 1, 3)):
            inside = ",\n".join("{" + ", ".join(row[k][part] for row in rows) + "}" for k in range(terms))
            lines.append(f"static const double {name}[{terms}][{len(rows)}] = {{{inside}}};")
    return "\n".join(lines) + "\n"


@contextmanager
def program(name: str, accuracy: str, target: str | None) -> Iterator[tuple[Path, ts.Kernel]]:
    """Provide the compiled comparison of a function, and its kernel."""
    slope = name.endswith("_inv")
    kernel = (ts.binary if slope else ts.unary)(name, 1, CHUNK, dtype="f64", accuracy=accuracy, target=target)
    floor = bound_of(name, accuracy, kernel, "f64").floor
    with tempfile.TemporaryDirectory() as folder:
        made, header, run = Path(folder, "kernel.o"), Path(folder, "table.h"), Path(folder, "sweep")
        kernel.save(made)
        header.write_text(table())
        macros = [f"-DKERNEL={kernel.name}", f"-DFUNCTION=of_{name}", f"-DFLOOR={floor}", f'-DTABLE="{header}"']
        subprocess.run(
            [
                "gcc",
                *FLAGS,
                "-ffp-contract=off",
                *macros,
                *["-DSLOPE"] * slope,
                SOURCE,
                made,
                "-o",
                run,
                "-lmvec",
                "-lm",
            ],
            check=True,
        )
        yield run, kernel


def _draws(name: str, at: float) -> list[tuple[str, float, float]]:
    """Return what the rounds draw, in turn, as arguments of sweep_f64.c."""
    low, high = RANGES[name]
    if name in ("log", "log_inv"):
        near = ("p", -1022, 1023), ("u", low, high), ("u", 0.7, 1.5), ("u", 0.97, 1.04)
    else:
        near = ("s", -60, 9 if name in FOLLOWED else 10), ("u", low, high), ("u", -25.0, 25.0), ("u", -3.0, 3.0)
    return [*near, ("n", at, 0) if at else near[1]]


def _run(run: Path, draw: tuple[str, float, float], chunks: int, seed: int, printed: bool = False) -> str:
    kind, a, b = draw
    words = [str(run), kind, repr(a), repr(b), str(chunks), str(seed), str(int(printed))]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def sampled(name: str, accuracy: str = "standard") -> list[list[float]]:
    """Return rows for CHUNK numbers of each way to draw: the argument, the reference as (h + l) 2^n, and the error."""
    with program(name, accuracy, None) as (run, _):
        text = "".join(_run(run, draw, 1, 1, True) for draw in _draws(name, 0.0))
    return [
        [float.fromhex(word) if "0x" in word else float(word) for word in line.split()] for line in text.splitlines()
    ]


def measured(name: str, accuracy: str, target: str | None, samples: int, state: Path | None) -> Found:
    """Run rounds until `samples` numbers have been tried."""
    kept = state / f"{name}_{accuracy}_{target or 'own'}.json" if state else None
    found = Found(**json.loads(kept.read_text())) if kept and kept.exists() else Found()
    with program(name, accuracy, target) as (run, _):
        while found.tried < samples:
            size = min(ROUND, -(-(samples - found.tried) // CHUNK) * CHUNK)
            turn = found.tried // ROUND
            draws = _draws(name, found.at)
            worst, at, wrong = _run(run, draws[turn % len(draws)], size // CHUNK, turn + 1).split()
            if float(worst) > found.worst:
                found.worst, found.at = float(worst), float(at)
            found.tried, found.wrong = found.tried + size, found.wrong + int(wrong)
            if kept:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(asdict(found)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="functions; all unless given")
    parser.add_argument("--accuracy", choices=ACCURACIES[:2], default="standard")
    parser.add_argument("--target", help="a target that this machine runs; its own unless given")
    parser.add_argument("--samples", type=int, default=1_000_000_000, help="numbers for each function")
    parser.add_argument("--state", type=Path, help="a folder that keeps what was found")
    asked = parser.parse_args()
    for name in asked.names or RANGES:
        found = measured(name, asked.accuracy, asked.target, asked.samples, asked.state)
        print(f"| {name} | {found.worst:.3f} | {found.at!r} | {found.tried:.3g} | {found.wrong} |", flush=True)


if __name__ == "__main__":
    main()
