"""Models of several nodes: a small network of convolutions, a quantized one, and in a soak whole models that pip
installs. onnxruntime is the oracle where it is installed, else onnx.reference for the small ones."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", minversion="1.17", reason="onnx is not installed: the extra onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402  # after the check that onnx is there

import tilesmith as ts  # noqa: E402
from tests.profiles import is_soak  # noqa: E402
from tests.runtime.integrations.onnx.whole_models import BRANCHES, MODELS, NUMPY, TESTED, Whole, in_double, session  # noqa: E402
from tilesmith.integrations import onnx as tso  # noqa: E402
from tilesmith.runtime.integrations.onnx.model import computed  # noqa: E402

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)


def made(nodes: list[Any], x: list[int | str], y: list[int | str], weights: dict[str, Array]) -> Any:
    """Return a model of x and y, both of floats."""
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", x), ("y", y))]
    tensors = [numpy_helper.from_array(each, name) for name, each in weights.items()]
    graph = helper.make_graph(nodes, "graph", infos[:1], infos[1:], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def expected(model: Any, x: Array) -> Array:
    """Return y by onnxruntime, or by onnx.reference if it is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})[0]
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    found = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return found.run(None, {"x": x})[0]


def floats(*shape: int) -> Array:
    """Return weights."""
    return RNG.standard_normal(shape).astype(np.float32) / 4


def network() -> Any:
    """Return a network of convolutions with arithmetic of shapes, two branches and a batch norm."""
    n = helper.make_node
    nodes = [
        n("Conv", ["x", "w0", "b0"], ["a"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        n("BatchNormalization", ["a", "scale", "bias", "mean", "var"], ["b"]),
        n("Relu", ["b"], ["c"]),
        n("Conv", ["c", "w1"], ["d"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=8),
        n("Sigmoid", ["d"], ["e"]),
        n("Mul", ["d", "e"], ["f"]),
        n("Concat", ["c", "f"], ["g"], axis=1),
        n("MaxPool", ["g"], ["h"], kernel_shape=[2, 2], strides=[2, 2]),
        n("Shape", ["h"], ["shape"]),
        n("Slice", ["shape", "zero", "one"], ["rows"]),
        n("Concat", ["rows", "rest"], ["flat"], axis=0),
        n("Reshape", ["h", "flat"], ["i"]),
        n("Gemm", ["i", "w2", "b2"], ["j"], transB=1),
        n("LogSoftmax", ["j"], ["y"], axis=-1),
    ]
    weights = {
        "w0": floats(8, 3, 3, 3),
        "b0": floats(8),
        "scale": floats(8),
        "bias": floats(8),
        "mean": floats(8),
        "var": np.abs(floats(8)) + 0.5,
        "w1": floats(8, 1, 3, 3),
        "w2": floats(5, 16 * 4 * 4),
        "b2": floats(5),
        "zero": np.array([0]),
        "one": np.array([1]),
        "rest": np.array([-1]),
    }
    return made(nodes, ["n", 3, 16, 16], ["n", 5], weights)


def quantized() -> Any:
    """Return two layers of weights in bytes, one with a scale for each column, between quantized activations."""
    n = helper.make_node
    nodes = [
        n("QuantizeLinear", ["x", "sx", "zx"], ["qx"]),
        n("DequantizeLinear", ["qx", "sx", "zx"], ["dx"]),
        n("DequantizeLinear", ["w0", "s0", "z0"], ["d0"], axis=1),
        n("MatMul", ["dx", "d0"], ["a"]),
        n("Add", ["a", "b0"], ["b"]),
        n("Relu", ["b"], ["c"]),
        n("QuantizeLinear", ["c", "sc", "zc"], ["qc"]),
        n("DequantizeLinear", ["qc", "sc", "zc"], ["dc"]),
        n("DequantizeLinear", ["w1", "s1"], ["d1"]),
        n("MatMul", ["dc", "d1"], ["y"]),
    ]
    weights = {
        "sx": np.float32(0.03),
        "zx": np.uint8(120),
        "w0": RNG.integers(-127, 128, (40, 24)).astype(np.int8),
        "s0": (RNG.random(24) / 100 + 0.001).astype(np.float32),
        "z0": np.zeros(24, np.int8),
        "b0": floats(24),
        "sc": np.float32(0.02),
        "zc": np.uint8(3),
        "w1": RNG.integers(-127, 128, (24, 7)).astype(np.int8),
        "s1": np.float32(0.01),
    }
    weights = {name: np.asarray(each) for name, each in weights.items()}
    return made(nodes, ["n", 40], ["n", 7], weights)


def test_a_network_of_convolutions() -> None:
    proto = network()
    model = tso.load(proto)
    for images in (2, 1, 2, 2, 1):  # the second call of a shape is compiled
        x = RNG.standard_normal((images, 3, 16, 16)).astype(np.float32)
        (y,) = model({"x": x})
        assert np.allclose(y, expected(proto, x), rtol=1e-5, atol=1e-5)
    told = model.explain()
    assert "Conv 2" in told and "onnx.reference" not in told and "compiled for x (1, 3, 16, 16): 11 nodes" in told


def test_products_of_dequantized_bytes_are_those_of_whole_numbers() -> None:
    proto = quantized()
    model = tso.load(proto)
    assert "DequantizedMatMul 2" in model.explain() and "DequantizeLinear" not in model.explain()
    x = RNG.standard_normal((9, 40)).astype(np.float32)
    for _ in "eager", "compiled":
        (y,) = model([x])
        assert np.allclose(y, expected(proto, x), rtol=1e-5, atol=1e-5)


def dynamic(weights: Array) -> Any:
    """Return a convolution and a product of bytes whose scales follow from x."""
    n = helper.make_node
    nodes = [
        n("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        n("ConvInteger", ["q", "w0", "z", "z0"], ["a"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        n("Mul", ["s", "s0"], ["t"]),
        n("Div", ["bias", "t"], ["floats"]),
        n("Floor", ["floats"], ["floor"]),
        n("Cast", ["floor"], ["whole"], to=TensorProto.INT32),
        n("Add", ["a", "whole"], ["sums"]),
        n("Cast", ["sums"], ["b"], to=TensorProto.FLOAT),
        n("Mul", ["b", "t"], ["c"]),
        n("Relu", ["c"], ["d"]),
        n("Flatten", ["d"], ["e"]),
        n("DynamicQuantizeLinear", ["e"], ["qe", "se", "ze"]),
        n("MatMulInteger", ["qe", "w1", "ze", "z0"], ["f"]),
        n("Cast", ["f"], ["g"], to=TensorProto.FLOAT),
        n("Mul", ["g", "se"], ["y"]),
    ]
    zero = np.asarray(100 if weights.dtype == np.uint8 else 0, weights.dtype)
    values = {
        "w0": weights[:54].reshape(3, 2, 3, 3),
        "w1": weights[54 : 54 + 3 * 36 * 5].reshape(3 * 36, 5),
        "z0": zero,
        "s0": np.asarray(0.01, np.float32),
        "bias": floats(3, 1, 1),
    }
    return made(nodes, ["n", 2, 6, 6], ["n", 5], values)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_activations_that_are_quantized_in_each_call(dtype: Any) -> None:
    ends = np.iinfo(dtype)
    proto = dynamic(RNG.integers(ends.min, ends.max + 1, 1000).astype(dtype))
    model = tso.load(proto)
    x = RNG.standard_normal((2, 2, 6, 6)).astype(np.float32)
    for _ in "eager", "compiled":
        (y,) = model([x])
        assert np.allclose(y, expected(proto, x), rtol=1e-5, atol=1e-5)


def typed(nodes: list[Any], given: dict[str, Array], output: str, dtype: Any) -> Any:
    """Return a model of inputs like these arrays."""
    kinds = {name: helper.np_dtype_to_tensor_dtype(each.dtype) for name, each in given.items()}
    infos = [helper.make_tensor_value_info(name, kind, given[name].shape) for name, kind in kinds.items()]
    made = helper.make_tensor_value_info(output, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), None)
    graph = helper.make_graph(nodes, "graph", infos, [made])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64])
def test_integers_wrap(dtype: Any) -> None:
    ends = np.iinfo(dtype)
    x, y, w = (RNG.integers(ends.min, ends.max, shape, dtype, endpoint=True) for shape in ((5, 7), (5, 7), (7,)))
    nodes = [helper.make_node("Add", ["x", "y"], ["z"]), helper.make_node("Sub", ["z", "w"], ["u"])]
    model = tso.load(typed(nodes, {"x": x, "y": y, "w": w}, "u", dtype))
    for _ in "eager", "compiled":
        assert np.array_equal(model(x, y, w)[0], x + y - w)
    if ends.min:
        least = np.array([ends.min, -1, 5], dtype)
        for operator, function in (("Neg", np.negative), ("Abs", np.abs)):
            (found,) = tso.run_node(helper.make_node(operator, ["x"], ["y"]), [least])
            assert np.array_equal(found, function(least)), operator


def test_floats_are_cut_to_integers() -> None:
    x = (RNG.standard_normal((5, 7)) * 100).astype(np.float32)
    nodes = [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.INT32), helper.make_node("Add", ["y", "y"], ["z"])]
    model = tso.load(typed(nodes, {"x": x}, "z", np.int32))
    for _ in "eager", "compiled":
        assert np.array_equal(model(x)[0], 2 * np.trunc(x).astype(np.int32))
    assert "2 nodes as 2 kernels" in model.explain()


def test_refused_nodes_are_named_or_left_to_onnx_reference() -> None:
    proto = made([helper.make_node("Det", ["x"], ["d"], "name"), helper.make_node("Neg", ["d"], ["y"])], [3, 3], [], {})
    with pytest.raises(ts.UnsupportedError, match="node .*operator Det: no kernel here"):
        tso.load(proto)
    model, x = tso.load(proto, strict=False), np.diag([1.0, 2.0, 3.0]).astype(np.float32)
    assert model(x)[0] == -6 and "left to onnx.reference: node name, operator Det: no kernel" in model.explain()
    assert not tso.is_compatible(proto) and "Det" in tso.Backend.refusal(proto)


def test_a_branch_is_chosen_by_its_condition() -> None:
    def branch(operator: str) -> Any:
        info = helper.make_tensor_value_info("z", TensorProto.FLOAT, None)
        return helper.make_graph([helper.make_node(operator, ["x"], ["z"])], operator, [], [info])

    nodes = [
        helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
        helper.make_node("Greater", ["s", "zero"], ["b"]),
        helper.make_node("If", ["b"], ["y"], then_branch=branch("Neg"), else_branch=branch("Abs")),
    ]
    model = tso.load(made(nodes, [3], [3], {"zero": np.zeros((), np.float32)}))
    for x in ([1, 2, -1], [1, -2, -1]):
        given = np.array(x, np.float32)
        assert np.array_equal(model(given)[0], -given if given.sum() > 0 else np.abs(given))


def test_branches_are_compiled() -> None:
    """An If by a shape stands where it stood; one by the elements has a program for each branch, whose constants stay
    those of the model. The oracle is onnx.reference."""

    def graph(nodes: Sequence[Any], output: str) -> Any:
        return helper.make_graph(nodes, output, [], [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)])

    def constant(name: str, value: Array) -> Any:
        return helper.make_node("Constant", [], [name], value=onnx.numpy_helper.from_array(value))

    def by_shape(name: str, source: str) -> list[Any]:
        taken = [
            constant(f"{name}pads", np.array([0, 2, 0, 1])),
            helper.make_node("Pad", [source, f"{name}pads"], [f"{name}p"], mode="reflect"),
            constant(f"{name}i", np.array(-2)),
            helper.make_node("Gather", [f"{name}p", f"{name}i"], [f"{name}t"], axis=0),
        ]
        return [
            helper.make_node("Shape", [source], [f"{name}s"]),
            helper.make_node("ReduceSum", [f"{name}s"], [f"{name}n"], keepdims=0),
            constant(f"{name}seven", np.array(7)),
            helper.make_node("Equal", [f"{name}n", f"{name}seven"], [f"{name}c"]),
            helper.make_node(
                "If",
                [f"{name}c"],
                [name],
                then_branch=graph(taken, f"{name}t"),
                else_branch=graph([helper.make_node("Neg", [source], [f"{name}e"])], f"{name}e"),
            ),
        ]

    then = [helper.make_node("Exp", ["x"], ["e"]), *by_shape("k", "e"), helper.make_node("Mul", ["k", "two"], ["then"])]
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
        helper.make_node("Greater", ["s", "zero"], ["b"]),
        helper.make_node(
            "If",
            ["b"],
            ["z"],
            then_branch=graph(then, "then"),
            else_branch=graph([constant("else", np.arange(7, dtype=np.float32))], "else"),
        ),
        helper.make_node("Identity", ["z"], ["y"]),
    ]
    proto = made(nodes, [3, 4], [7], {"zero": np.zeros((), np.float32), "two": np.full((), 2, np.float32)})
    model, oracle = tso.load(proto), onnx.reference.ReferenceEvaluator(proto)
    for number, sign in enumerate((1, 1, -1, -1, 1, -1)):
        x = sign * np.abs(RNG.standard_normal((3, 4))).astype(np.float32)
        (y,), (wanted,) = model(x), oracle.run(None, {"x": x})
        assert np.allclose(y, wanted, rtol=1e-6), number
        y += 1  # of the caller alone
    assert "compiled for x (3, 4): 7 nodes as 6 kernels in 2 programs" in model.explain()


def test_outputs_are_arrays_of_their_own() -> None:
    nodes = [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Identity", ["w"], ["z"])]
    proto = made(nodes, [2], [2], {"w": np.ones(2, np.float32)})
    proto.graph.output.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, [2]))
    model, x = tso.load(proto), np.zeros(2, np.float32)
    for _ in range(3):
        y, z = model(x)
        assert np.array_equal(y, [0, 0]) and np.array_equal(z, [1, 1])
        y += 1
        z += 1


def test_single_nodes_through_the_backend() -> None:
    (y,) = tso.run_node(helper.make_node("Add", ["a", "b"], ["c"]), [np.arange(3), np.arange(3)])
    assert np.array_equal(y, [0, 2, 4])
    run = tso.prepare(network()).run([np.zeros((1, 3, 16, 16), np.float32)])
    assert run.y.shape == run[0].shape == (1, 5)
    assert tso.supports_device("CPU") and not tso.supports_device("CUDA")
    with pytest.raises(ValueError, match="device"):
        tso.prepare(network(), "CUDA")


def _needed(whole: Whole) -> None:
    """Skip a test of a whole model without onnxruntime, or without the model unless a soak installs it."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    if not is_soak() and not whole.is_there:
        pytest.skip(f"{whole.package} is not installed: python -m tests.runtime.integrations.onnx.whole_models")


@pytest.mark.parametrize("name", sorted(MODELS) if is_soak() else TESTED)
def test_whole_models(name: str) -> None:
    """Results are those of onnxruntime. Of models that quantize activations every node is compared on onnxruntime's
    operands, since a difference in the last digit may become a step of the quantization."""
    whole = MODELS[name]
    _needed(whole)
    found = session(whole.path)
    given = whole.drawn({each.name: NUMPY[each.type] for each in found.get_inputs()})
    model = tso.load(whole.path)
    for _ in ("eager", "compiled") if is_soak() or not whole.quantized else ():
        results = model(given)
        if whole.quantized:
            assert all(np.isfinite(y).all() for y in results)
            continue
        for y, other in zip(results, found.run(None, given), strict=True):
            assert np.allclose(y, other, rtol=1e-5, atol=1e-5 * max(1, np.abs(other).max()))
    if whole.quantized:
        _each_node(whole, given)


def test_a_recurrent_model_is_as_near_to_doubles_as_onnxruntime() -> None:
    """The cell amplifies the last digits of both: they differ by more than 1e-5 of the largest element, to which the
    errors of onnxruntime come near, too. Both begin each step with the same state."""
    _needed(BRANCHES)
    file = onnx.load(BRANCHES.path)
    oracle, found, model = onnx.reference.ReferenceEvaluator(in_double(file)), session(BRANCHES.path), tso.load(file)
    errors = [0.0, 0.0]
    for seed in range(8 if is_soak() else 1):
        rng, state = np.random.default_rng(seed), np.zeros((2, 1, 128), np.float32)
        for _ in range(8):
            x = (rng.standard_normal((1, 512)) * 10 ** rng.uniform(-2, 0)).astype(np.float32)
            given = {"input": x, "state": state, "sr": np.array(16000)}
            with np.errstate(over="ignore"):
                exact = oracle.run(None, {**given, "input": x.astype(float), "state": state.astype(float)})
            ours, others = model(given), found.run(None, given)
            for place, made in enumerate((ours, others)):
                for y, wanted in zip(made, exact, strict=True):
                    errors[place] = max(errors[place], np.abs(y - wanted).max() / max(1, np.abs(wanted).max()))
            state = others[1]
    print(f"errors of the largest element: ours {errors[0]:.2e}, onnxruntime's {errors[1]:.2e}")
    assert errors[0] <= max(1e-5, errors[1])


def _each_node(whole: Whole, given: dict[str, Array]) -> None:
    every = session(whole.path, every=True)
    names = [each.name for each in every.get_outputs()]
    model = tso.load(whole.path)
    values = {**model.constants, **given, **dict(zip(names, every.run(None, given)))}
    compared = 0
    for step in model.steps:
        if step.row is None or any(name and name not in values for name in step.inputs):
            continue
        if step.call.operator == "DynamicQuantizeLSTM":
            _one_step(step, values)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs = computed(step, [values[name] if name else None for name in step.inputs])
        for place, (label, y) in enumerate(zip(step.outputs, outputs)):
            if label not in values or y is None or not y.size:
                continue
            other, compared = values[label], compared + 1
            assert y.dtype == other.dtype and y.shape == other.shape, (step.call.name, place)
            if y.dtype.kind == "f":
                seen = np.isfinite(other)
                close = np.allclose(
                    y[seen], other[seen], rtol=1e-5, atol=1e-5 * max(1, np.abs(other[seen]).max(initial=0))
                )
                assert close and np.array_equal(np.isfinite(y), seen), step.call
            else:
                assert np.array_equal(y, other), step.call
    assert compared > len(model.steps) // 2


def _one_step(step: Any, values: dict[str, Array]) -> None:
    """Compare the first step of a layer that quantizes its own state, which would amplify differences in later ones."""
    import onnxruntime

    given = {name: values[name][:1] if place == 0 else values[name] for place, name in enumerate(step.inputs) if name}
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(each.dtype), each.shape)
        for name, each in given.items()
    ]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in step.outputs if name]
    graph = helper.make_graph([step.node], "node", infos, results)
    imports = [helper.make_opsetid("", 15), helper.make_opsetid("com.microsoft", 1)]
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    text = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    others = onnxruntime.InferenceSession(text, options, providers=["CPUExecutionProvider"]).run(None, given)
    made = computed(step, [given.get(name) for name in step.inputs])
    for y, other in zip((each for each, name in zip(made, step.outputs) if name), others, strict=True):
        assert np.allclose(y, other, rtol=1e-5, atol=1e-5)
