"""Names that the integrations do not have, and libraries that are not installed: the error says what to write or do."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tilesmith as ts

WITHOUT = """
import sys
sys.modules[{library!r}] = None
import tilesmith as ts
print(ts.{library}.__name__, hasattr(ts.{library}, "__wrapped__"))
for statement in ("ts.{library}.load", "from tilesmith.integrations import {library}"):
    try:
        exec(statement)
    except ImportError as error:
        print(error)
"""


@pytest.mark.parametrize("library", ["torch", "jax", "onnx"])
def test_without_the_library_the_error_says_what_to_install(library):
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(library=library)], capture_output=True, text=True, check=True
    )
    first, *errors = found.stdout.splitlines()
    assert first == f"tilesmith.{library} False"
    assert len(errors) == 2 and all(each.endswith(f"which is not installed: pip install {library}") for each in errors)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("relu", 'write tst.activation(x, "relu")'),
        ("GELU", 'write tst.Activation("gelu")'),
        ("conv2d", "tst.conv takes"),
        ("matmul", "tst.mm"),
        ("layernorm", "did you mean LayerNorm?"),
        ("Linera", "did you mean Linear?"),
        ("Embedding", "torch.nn.Embedding works beside these"),
        ("dropout", "torch.nn.functional.dropout works beside these"),
        ("compile", 'write torch.compile(model, backend="tilesmith")'),
    ],
)
def test_names_of_torch(name, advice):
    pytest.importorskip("torch", reason="torch is not installed: the extra torch")
    with pytest.raises(AttributeError) as told:
        getattr(ts.torch, name)
    assert advice in str(told.value)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("gelu", 'tsj.linear(..., activation="gelu")'),
        ("mm", "write tsj.matmul"),
        ("layernorm", "did you mean layer_norm?"),
        ("einsum", "jax.numpy.einsum works beside these"),
        ("Adam", "write tsj.AdamW"),
    ],
)
def test_names_of_jax(name, advice):
    pytest.importorskip("jax", reason="jax is not installed: the extra jax")
    with pytest.raises(AttributeError) as told:
        getattr(ts.jax, name)
    assert advice in str(told.value)


@pytest.mark.parametrize(
    ("name", "advice"), [("lod", "did you mean load?"), ("InferenceSession", "ts.onnx.load(path)")]
)
def test_names_of_onnx(name, advice):
    pytest.importorskip("onnx", reason="onnx is not installed: the extra onnx")
    with pytest.raises(AttributeError) as told:
        getattr(ts.onnx, name)
    assert advice in str(told.value)


def test_the_short_names_are_the_integrations():
    torch = pytest.importorskip("torch", reason="torch is not installed: the extra torch")
    from tilesmith.integrations import torch as tst

    assert ts.torch.softmax is tst.softmax and set(tst.__all__) <= set(dir(ts.torch))
    assert torch.equal(ts.torch.softmax(torch.zeros(1, 2)), torch.full((1, 2), 0.5))
