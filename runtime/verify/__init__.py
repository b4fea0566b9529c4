"""Proofs that a kernel's machine code computes its request. Start with `check`, `specification` and `products`."""
