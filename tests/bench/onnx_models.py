"""Whole ONNX models beside onnxruntime: `tilesmith bench onnx_models [--only PART ...]`, on one thread.

pip installs the models into .build/onnx-models. The seconds of the first two calls are those in which kernels are
made: the second one compiles.
"""

import time
from importlib.util import find_spec

import tilesmith as ts
from tests.runtime.integrations.onnx.whole_models import MODELS, NUMPY, session
from tilesmith.runtime.bench.measure import PythonCall
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted


def models(run: Run, name: str) -> Row | None:
    """Return the times of a model."""
    if not (find_spec("onnx") and find_spec("onnxruntime")):
        return run.remark("needs onnx and onnxruntime")
    ts.set_num_threads(1)
    whole = MODELS[name]
    peer, ours = session(whole.path, precise=False), ts.onnx.load(whole.path)
    given = whole.drawn({each.name: NUMPY[each.type] for each in peer.get_inputs()})
    start = time.process_time()
    ours(given)
    ours(given)
    first = time.process_time() - start
    best = run.turns({
        "ours": PythonCall(lambda: ours(given)),
        "onnxruntime": PythonCall(lambda: peer.run(None, given)),
    })
    shapes = ", ".join(" x ".join(map(str, shape)) for shape, _ in whole.inputs.values())
    ratio = best["onnxruntime"] / best["ours"]
    return {"model": name, "inputs": shapes, **best, "ratio": ratio, "first": first, "wanted": whole.wanted}


BENCH = Bench(
    "onnx_models",
    __doc__,
    lambda run: (
        Table(
            "models",
            "model; inputs; ms=ours:2m; onnxruntime, ms=onnxruntime:2m; ratio:2; first two calls, s=first:1",
            [(name,) for name in MODELS if all(part in name for part in run.options.only)],
            models,
            goals=(Wanted("{model}: of onnxruntime", "wanted", "ratio"),),
        ),
    ),
    {"--only": {"nargs": "+", "default": (), "metavar": "PART", "help": "parts of a model's name"}},
    seconds=1.0,
    quick=("--only", "classifier"),
)
