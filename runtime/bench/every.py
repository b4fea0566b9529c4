"""Run the benchmark that `tilesmith bench` names, or all of them within a time."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from .options import CHECKOUT, OF_CHECKOUT, modules
from .runner import Bench
from .runner import run as measure

MINUTES = 30.0
"""The time of `tilesmith bench all`."""
MOST, START = 1.5, 20.0
"""When a benchmark is ended: after so many times its time, and so many seconds in which its process starts."""


def load(name: str) -> Bench:
    """Return the benchmark of a name."""
    module = modules()[name]
    if module.startswith(OF_CHECKOUT) and str(CHECKOUT) not in sys.path:
        sys.path.insert(0, str(CHECKOUT))
    declared = vars(importlib.import_module(module)).values()
    return next(each for each in declared if isinstance(each, Bench) and each.name == name)


def run(name: str, given: Sequence[str]) -> None:
    """Measure with these options, and print."""
    measure(load(name), given)


def everything(minutes: float, path: Path | None) -> dict[str, object]:
    """Run every benchmark with its quick options, each in a process of its own. Each gets its share of the time that is
    left; what one does not need goes to the others. The JSON has a report for each, or why there is none; it is written
    after each of them."""
    end, done = time.monotonic() + 60 * minutes, dict[str, object]()
    shares = {name: load(name).share for name in modules()}
    for number, name in enumerate(shares):
        left = max(0.0, end - time.monotonic())
        print(f"{name}: {number} of {len(shares)} done, {left / 60:.1f} minutes left", file=sys.stderr, flush=True)
        seconds = left * shares[name] / sum([*shares.values()][number:])
        done[name] = report(name, seconds) if seconds else "not measured: no time was left"
        if isinstance(done[name], str):
            print(f"{name}: {done[name]}", file=sys.stderr, flush=True)
        if path is not None:
            path.write_text(json.dumps(done, indent=1) + "\n")
    return done


def report(name: str, seconds: float) -> object:
    """Return the report of a benchmark with its quick options, of which no case begins after a time; or why there is
    none. If its cases are so long that it takes much more time, the tables that it has finished are all."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.json")
        command = [sys.executable, "-m", "tilesmith", "bench", name, "--quick", str(seconds), "--json", str(path)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
        # a session of its own, since some benchmarks begin further processes, which end with it
        process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            _, said = process.communicate(timeout=MOST * seconds + START)
            failed = said.strip().rpartition("\n")[2] if process.returncode else ""
        except subprocess.TimeoutExpired as error:
            failed = f"ended after {error.timeout:.0f} s"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        if not path.exists():
            return f"not measured: {failed or 'no report was written'}"
        found: dict[str, object] = json.loads(path.read_text())
        return found | {"failed": failed} if failed else found
