"""ts.gemm refused types that a target does not multiply only at the first call. For a column-major C it refused them at
once, but the error was about the sizes of blocks."""

import pytest

import tilesmith as ts
from tests.fewer_types import FEWER


@pytest.mark.parametrize("order", ["C", "F", "CFC", "FCF"])
@pytest.mark.parametrize("dtype", ["bf16", ("f32", "bf16", "f32"), "f8e5m2"])
def test_refused_when_asked_for(order, dtype):
    with pytest.raises(ts.UnsupportedError, match="gemm: this target multiplies no .* targets that do: avx2, "):
        ts.gemm(100, 100, 100, dtype=dtype, order=order, target=FEWER)


def test_layers_and_networks_too():
    for make in (
        lambda: ts.linear(8, 8, 8, dtype="bf16", target=FEWER),
        lambda: ts.mlp(8, [8, 8], dtype="bf16", target=FEWER),
    ):
        with pytest.raises(ts.UnsupportedError, match="this target multiplies no bf16 by bf16"):
            make()


def test_errors_name_targets_for_every_order():
    with pytest.raises(ts.UnsupportedError, match="targets that do: avx2, "):  # not "none" for this order
        ts.brgemm(16, 16, 16, dtype="bf16", order="CFC", target=FEWER)
