"""`tilesmith bench`: see `measure`, `peers` and `gemm`."""
