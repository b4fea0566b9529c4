"""Programs that measure themselves in processes of their own, of this checkout and, in turns, of another one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tilesmith.runtime.bench.runner import Run

ROOT = Path(__file__).parents[2]
BESIDE: dict[str, Mapping[str, Any]] = {"--beside": {"type": Path, "help": "another checkout"}}


def checkouts(run: Run) -> list[Path]:
    """Return this checkout, and the one beside which it is measured."""
    return [ROOT, *([run.options.beside.resolve()] if run.options.beside else [])]


def told(program: str, checkout: Path = ROOT, cache: str = "off", *arguments: str) -> Any:
    """Return what a program prints as JSON, in a new process with this cache of kernels."""
    environment = {**os.environ, "TILESMITH_CACHE": cache, "PYTHONPATH": str(checkout)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return json.loads(subprocess.check_output([sys.executable, "-c", program, *arguments], env=environment, cwd="/"))


def rounds(run: Run) -> Iterator[Path]:
    """Yield the checkouts in turns, as often as the options say."""
    for _ in range(run.options.rounds):
        yield from checkouts(run)
