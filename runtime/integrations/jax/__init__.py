"""Kernels as functions of JAX, with the names of `tilesmith.integrations.jax`."""
