"""Proofs about the bytes of kernels: see `proof`, `specification` and `summaries`."""
