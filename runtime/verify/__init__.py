"""Proofs about the bytes of kernels: see `check`, `specification` and `products`."""
