"""The public functions. Start with `brgemm`, `eltwise` and `functions`."""
