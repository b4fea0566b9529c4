"""`tilesmith bench`: see `measure`, `baselines` and `gemm`."""
