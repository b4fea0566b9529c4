"""Proofs of traced functions with reductions and products. Start with `rows`; `found` searches the code's
expressions."""
