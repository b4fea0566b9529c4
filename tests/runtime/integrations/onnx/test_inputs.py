"""Ways to give a model its inputs, and what is said of wrong ones and of what is no model."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest

import tilesmith as ts

onnx = pytest.importorskip("onnx", minversion="1.17", reason="onnx is not installed: the extra onnx")

TAKES = "the model takes a float32 (rows, 4), b float32 (rows, 4)"
A, B = np.arange(12, dtype=np.float32).reshape(3, 4), np.full((3, 4), 2, np.float32)


def proto(operator="Sub", inputs="ab", shape=("rows", 4)):
    infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name in (*inputs, "y")]
    node = onnx.helper.make_node(operator, list(inputs), ["y"], name="only")
    return onnx.helper.make_model(onnx.helper.make_graph([node], "graph", infos[:-1], infos[-1:]))


@pytest.fixture(scope="module")
def model():
    return ts.onnx.load(proto())


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m(A, B),
        lambda m: m([A, B]),
        lambda m: m((A, B)),
        lambda m: m({"b": B, "a": A}),
        lambda m: m(b=B, a=A),
        lambda m: m(A, b=B),
        lambda m: m({"a": A}, b=B),
        lambda m: m(memoryview(A), B),
    ],
)
def test_ways_to_give_the_inputs(model, call):
    assert np.array_equal(call(model)[0], A - B)


def test_no_elements(model):
    assert model(A[:0], B[:0])[0].shape == (0, 4)


def test_tensors_of_torch(model):
    torch = pytest.importorskip("torch", reason="torch is not installed: the extra torch")
    one, other = torch.from_numpy(A), torch.from_numpy(B)
    for made in (model(one, other), model([one, other]), model(a=one, b=B)):
        assert np.array_equal(made[0], A - B)
    assert np.array_equal(ts.onnx.load(proto("Neg", "a"))(one)[0], -A)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: m(), ValueError, f"inputs: a, b missing; {TAKES}"),
        (lambda m: m(A), ValueError, f"inputs: b missing; {TAKES}"),
        (lambda m: m(A, B, B), ValueError, f"inputs: 2, not 3; {TAKES}"),
        (lambda m: m({"a": A, "B": B}), ValueError, "not 'B'; did you mean 'b'?"),
        (lambda m: m(A, a=A), TypeError, f"inputs: a is given twice; {TAKES}"),
        (lambda m: m(None, {"a": A, "b": B}), TypeError, "inputs: arrays one after the other"),
        (lambda m: m(A.astype("f8"), B), TypeError, "a: elements of float32, not float64"),
        (lambda m: m(A, B[0]), ValueError, "b: float32 (rows, 4), not shape (4,)"),
        (lambda m: m(A, B[:2]), ValueError, "node only, operator Sub, of float32 (3, 4), float32 (2, 4)"),
    ],
)
def test_wrong_inputs_are_named_with_types_and_shapes(model, call, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call(model)


def test_copies_and_what_is_printed(model):
    assert repr(model) == "<OnnxModel of 1 nodes: a float32 (rows, 4), b float32 (rows, 4) -> y>"
    for same in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(same(A, B)[0], A - B)
    loose = ts.onnx.load(proto("Cos", "a"), strict=False)
    told = "left to onnx.reference: node only, operator Cos: no kernel here for this operator of version"
    assert loose.explain().startswith(told) and pickle.loads(pickle.dumps(loose)).strict is False


def test_nodes_outside_of_programs_are_named_with_the_reason():
    """Cosh has a kernel, and no operator of the graph compiler; the others do not lie between the same programs."""
    names = ["a", "b", "c", "d", "e", "y"]
    operators = ["Relu", "Sigmoid", "Cosh", "Relu", "Sigmoid"]
    infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["rows", 4]) for name in ("a", "y")]
    nodes = [onnx.helper.make_node(one, [x], [y]) for one, x, y in zip(operators, names, names[1:])]
    given = ts.onnx.load(onnx.helper.make_model(onnx.helper.make_graph(nodes, "graph", infos[:1], infos[1:])))
    for _ in range(2):
        given(A)
    assert "4 nodes as" in given.explain() and "in 2 programs" in given.explain()
    assert "in no program, by its own kernel: 1 Cosh: the graph compiler" in given.explain()


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (b"text", ValueError, "model: the bytes are no model of ONNX"),
        (b"", ValueError, "it has no graph with outputs"),
        (5, TypeError, "model: the path of a file of ONNX, its bytes or a ModelProto, not int"),
        ("/nowhere.onnx", FileNotFoundError, "/nowhere.onnx"),
    ],
)
def test_what_is_no_model(given, error, words):
    with pytest.raises(error, match=re.escape(words)):
        ts.onnx.load(given)


def test_options_of_the_backend():
    with pytest.raises(ValueError, match="device: CPU, not GPU"):
        ts.onnx.prepare(proto(), device="GPU")
    with pytest.raises(TypeError, match="options: strict, not strct"):
        ts.onnx.prepare(proto(), strct=False)


@pytest.mark.parametrize("axis", [-3, -2, -1, 0, 1, 2])
def test_softmax_before_version_13_of_all_elements_from_an_axis_on(axis):
    x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
    infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, x.shape) for name in "xy"]
    node = onnx.helper.make_node("Softmax", ["x"], ["y"], axis=axis)
    graph = onnx.helper.make_graph([node], "graph", infos[:1], infos[1:])
    made = ts.onnx.load(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 11)]))(x)[0]
    powers = np.exp(x.reshape(*x.shape[: axis % 3], -1))
    expected = powers / powers.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(made, expected.reshape(x.shape), rtol=1e-5)
