"""Tensor programs, and the tensor instructions that can compute them (UNIT: Weng et al., 2021)."""
