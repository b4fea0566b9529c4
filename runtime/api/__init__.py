"""The public functions: see `brgemm`, `eltwise` and `functions`."""
