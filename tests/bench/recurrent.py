"""Recurrent layers beside torch's and onnxruntime's: `tilesmith bench recurrent`, on one thread.

100 steps of an LSTM or a GRU with as many inputs as elements of its state, by `ts.graph` with weights that are known,
by torch.nn with the same weights, and by an ONNX model, in f32. A step waits for the one before, so each reads the
weights of its product with the state again: *GB/s of weights* is what that makes. For one sample it is the bound, the
bandwidth of the cache that holds them; for many samples the bound is the peak of products, to which *GFLOP/s* compares.

*training* is both passes of `tst.LSTM` and `tst.GRU` beside torch's modules, with the gradients of the input and of all
weights.
"""

from __future__ import annotations

from importlib.util import find_spec
from itertools import product
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.measure import PythonCall
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted, WrongResult

STEPS = 100
_GATES = {"LSTM": 4, "GRU": 3}
_OPTIONS: dict[str, dict[str, Any]] = {
    "LSTM": {"gates": "ifco"},
    "GRU": {"gates": "rzh", "linear_before_reset": True},
}
Array = np.ndarray[Any, Any]


def _peers(kind: str, x: Array, weights: list[Array]) -> dict[str, Any]:
    """Return the calls of torch and of onnxruntime, and what torch computes."""
    import onnx
    import onnxruntime
    import torch
    from onnx import helper, numpy_helper

    torch.set_num_threads(1)
    module, size = getattr(torch.nn, kind)(x.shape[2], weights[1].shape[2]), weights[1].shape[2]
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    w, r, b = (torch.from_numpy(each[0]) for each in weights)
    module.load_state_dict(dict(zip(names, (w, r, *b.chunk(2)))))
    options = {"linear_before_reset": 1} if kind == "GRU" else {}
    node = helper.make_node(kind, ["x", "w", "r", "b"], ["y"], hidden_size=size, **options)
    graph = helper.make_graph(
        [node],
        "layer",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        [numpy_helper.from_array(each, name) for name, each in zip("wrb", weights)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    given = torch.from_numpy(x)

    def by_torch() -> Any:
        with torch.no_grad():
            return module(given)[0]

    return {"torch": by_torch, "onnxruntime": lambda: session.run(None, {"x": x})[0]}


def layers(run: Run, kind: str, batch: int, size: int) -> Row | None:
    """Return the times of a layer."""
    if not all(map(find_spec, ("torch", "onnx", "onnxruntime"))):
        return run.remark("needs torch, onnx and onnxruntime")
    rng, gates = np.random.default_rng(0), _GATES[kind] * size
    scale = np.float32(size**-0.5)
    shapes = (1, gates, size), (1, gates, size), (1, 2 * gates)
    weights = [rng.uniform(-scale, scale, shape).astype(np.float32) for shape in shapes]
    x = rng.standard_normal((STEPS, batch, size), dtype=np.float32)
    calls = _peers(kind, x, weights)
    g = ts.graph()
    operands = g.input(x.shape), *map(g.constant, weights)
    made: Any = g.lstm(*operands, **_OPTIONS[kind]) if kind == "LSTM" else g.gru(*operands, **_OPTIONS[kind])
    program = g.compile(made[0], threads=1)
    wanted = calls["torch"]().numpy()
    if not np.allclose(program(x)[:, 0], wanted, rtol=0, atol=1e-4):
        raise WrongResult(f"{kind} of {size}: torch's differs")
    best = run.turns({"ours": PythonCall(lambda: program(x)), **{n: PythonCall(call) for n, call in calls.items()}})
    by = {f"by {name}": best[name] / best["ours"] for name in calls}
    read = 4 * gates * size
    flops = 2 * 2 * STEPS * batch * gates * size
    return {
        "layer": kind,
        "batch": batch,
        "size": size,
        **best,
        **by,
        "read": STEPS * read / best["ours"],
        "flops": flops / best["ours"],
    }


def training(run: Run, kind: str, dtype: str, batch: int, size: int) -> Row | None:
    """Return the times of both passes of a layer."""
    if not find_spec("torch"):
        return run.remark("needs torch")
    import torch

    from tilesmith.integrations import torch as tst

    torch.set_num_threads(1)
    ts.set_num_threads(1)
    of = torch.float32 if dtype == "f32" else torch.bfloat16
    own, theirs = (getattr(library, kind)(size, size, dtype=of) for library in (tst, torch.nn))
    theirs.load_state_dict(own.state_dict())
    x = torch.randn(STEPS, batch, size, dtype=of)

    def step(module: Any) -> Any:
        given = x.clone().requires_grad_()
        module.zero_grad()
        module(given)[0].backward(x)
        return given.grad

    one, other = step(own).double(), step(theirs).double()
    if not (one - other).abs().max() <= 100 * torch.finfo(of).eps * other.abs().max():
        raise WrongResult(f"{kind} of {size}: torch's gradient differs")
    best = run.turns({"ours": PythonCall(lambda: step(own)), "torch": PythonCall(lambda: step(theirs))})
    return {
        "layer": kind,
        "type": dtype,
        "batch": batch,
        "size": size,
        **best,
        "by torch": best["torch"] / best["ours"],
    }


BENCH = Bench(
    "recurrent",
    __doc__,
    lambda run: (
        Table(
            "layers",
            "layer; batch; size; us=ours:0u; torch, us=torch:0u; onnxruntime, us=onnxruntime:0u; by torch:2; "
            "by onnxruntime:2; GB/s of weights=read:1G; GFLOP/s=flops:1G",
            list(product(_GATES, run.options.batch, run.options.sizes)),
            layers,
            goals=(Wanted("{layer} of {size}, batch {batch}: of onnxruntime", 1.0, "by onnxruntime"),),
        ),
        Table(
            "training",
            "layer; type; batch; size; us=ours:0u; torch, us=torch:0u; by torch:2",
            list(product(_GATES, run.options.types, run.options.batch, run.options.sizes)),
            training,
            goals=(Wanted("{layer} of {size}, batch {batch}, {type}: training, of torch", 1.0, "by torch"),),
        ),
    ),
    {
        "--batch": {"type": int, "nargs": "+", "default": (1, 32), "metavar": "N"},
        "--sizes": {"type": int, "nargs": "+", "default": (64, 256, 512), "metavar": "N"},
        "--types": {"nargs": "+", "default": ("f32", "bf16"), "choices": ("f32", "bf16"), "help": "of training"},
    },
    seconds=1.0,
    quick=("--batch", "1", "--sizes", "64", "--types", "f32"),
)
