"""Whole ONNX models beside onnxruntime, one thread: processor time, the least of calls that take turns.

    PYTHONPATH=<onnx>:<onnxruntime> python -m tests.bench.onnx_models [-k PATTERN] [--write MACHINE]

pip installs the models into .build/onnx-models. --write puts the rows into the table of docs/results/onnx.json, where
those of other models stay.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable
from datetime import date
from typing import Any

import onnx
import onnxruntime

import tilesmith as ts
from tests.bench.onnx_nodes import column_rows
from tests.results import RESULTS
from tests.runtime.integrations.onnx.test_models import NUMPY
from tests.runtime.integrations.onnx.whole_models import MODELS, session
from tilesmith.integrations import onnx as tso

SECONDS = 1.0


def least(*calls: Callable[[], object]) -> list[float]:
    """Return the least processor time of each call, in ms, in turns."""
    best, end = [1e9] * len(calls), time.monotonic() + SECONDS
    while time.monotonic() < end:
        for place, call in enumerate(calls):
            begin = time.thread_time()
            call()
            best[place] = min(best[place], 1e3 * (time.thread_time() - begin))
    return best


def row(name: str) -> dict[str, Any]:
    """Return the times of a model."""
    whole = MODELS[name]
    peer, ours = session(whole.path, precise=False), tso.load(whole.path)
    given = whole.drawn({each.name: NUMPY[each.type] for each in peer.get_inputs()})
    begin = time.process_time()
    ours(given)
    ours(given)
    made = time.process_time() - begin
    own, other = least(lambda: ours(given), lambda: peer.run(None, given))
    shapes = ", ".join(" x ".join(map(str, shape)) for shape, _ in whole.inputs.values())
    return {
        "model": name,
        "inputs": shapes,
        "ms": f"{own:.2f}",
        "onnxruntime, ms": f"{other:.2f}",
        "ratio": f"{other / own:.2f}",
        "first two calls, s": f"{made:.1f}",
    }


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-k", default="", help="a pattern of names")
    parser.add_argument("--write", metavar="MACHINE", help="what the machine is, and whether it is idle")
    options = parser.parse_args()
    ts.set_num_threads(1)
    rows = []
    for name in MODELS:
        if re.search(options.k, name):
            rows.append(row(name))
            print(*rows[-1].values(), sep="  ", flush=True)
    if options.write:
        path = RESULTS / "onnx.json"
        tables = json.loads(path.read_text())
        kept = {each["model"]: each for each in tables.get("models", {"rows": ()})["rows"]}
        kept |= {each["model"]: each for each in rows}
        tables["models"] = {
            "machine": options.write,
            "date": date.today().isoformat(),
            "command": "python -m tests.bench.onnx_models --write MACHINE",
            "versions": {"onnx": onnx.__version__, "onnxruntime": onnxruntime.__version__},
            "columns": column_rows(*rows[0]),
            "rows": [kept[name] for name in MODELS if name in kept],
        }
        path.write_text(json.dumps(tables, indent=1) + "\n")


if __name__ == "__main__":
    main()
