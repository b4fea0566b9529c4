"""Kernels as functions of a vector machine: see `contract.machine`, `expr.graph` and `products.pipeline`."""
