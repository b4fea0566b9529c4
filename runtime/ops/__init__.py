"""Operations of any size on all cores: see `gemm` and `matmul`."""
