"""Right kernels of a batch by offsets were refuted where no matrix lies at the address that offsets are added to."""

import pytest

import tilesmith as ts


@pytest.mark.parametrize("target, m, n, k", [("avx", 6, 3, 1), ("sve256", 7, 7, 8)])
@pytest.mark.grid(1)
def test_the_offsets_count_from_an_address_outside_of_all_matrices(target: str, m: int, n: int, k: int) -> None:
    assert ts.brgemm(m, n, k, dtype="bf16", batch=ts.OFFSET, target=target).verify()
