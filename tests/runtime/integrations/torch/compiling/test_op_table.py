"""The table of ATen operators beside torch's own table: every sample right, by kernels or by what is left to torch."""

from __future__ import annotations

import inspect

import pytest

torch = pytest.importorskip("torch", minversion="2.6")
pytest.importorskip("expecttest")

from tests.runtime.integrations.torch.compiling import op_table  # noqa: E402  # after the check that torch is there
from tilesmith.runtime.integrations.torch.compiling.table import ROWS  # noqa: E402

DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool)
CASES = [(name, dtype) for dtype in DTYPES for name in op_table.named(dtype)]
_RIGHT = """
    add addmm amax argmax baddbmm bmm cat clamp cumsum div eq exp expand gelu index_select linalg_vector_norm
    log_softmax masked_fill mean mm mul nn_functional_avg_pool2d
    nn_functional_batch_norm nn_functional_conv2d nn_functional_conv_transpose2d nn_functional_elu
    nn_functional_embedding nn_functional_gelu nn_functional_group_norm nn_functional_hardswish
    nn_functional_layer_norm nn_functional_leaky_relu nn_functional_linear nn_functional_max_pool2d
    nn_functional_mse_loss nn_functional_relu nn_functional_silu nn_functional_softplus permute rsqrt sigmoid softmax
    split std sub sum tanh topk tril unsqueeze var where
"""
"""Operators of which no sample of f32 may be left to torch."""


@pytest.mark.parametrize("name, row", ROWS.items(), ids=ROWS)
@pytest.mark.grid(300)
def test_a_row_takes_the_arguments_of_its_schema(name, row):
    operator, _, overload = name.partition(".")
    schema = getattr(getattr(torch.ops.aten, operator), overload or "default")._schema
    inspect.signature(row.lower).bind(None, *schema.arguments)


@pytest.mark.parametrize("name, dtype", CASES, ids=lambda each: str(each).replace("torch.", ""))
@pytest.mark.grid(10)
def test_samples_are_right(name, dtype):
    op_table.outcome(op_table.named(dtype)[name], dtype, samples=2)


@pytest.mark.parametrize("name", list(op_table.named(torch.float32)))
@pytest.mark.grid(6)
def test_gradients_of_samples_are_right(name):
    op_table.outcome(op_table.named(torch.float32)[name], torch.float32, samples=2, gradients=True)


@pytest.mark.parametrize("name", _RIGHT.split())
@pytest.mark.grid(6)
def test_kernels_compute_what_models_are_made_of(name):
    found = op_table.outcome(op_table.named(torch.float32)[name], torch.float32, samples=3)
    assert found.kind == "right", found.reasons
