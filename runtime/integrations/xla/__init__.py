"""Kernels as handlers of XLA, in machine code: what functions of JAX call. Nothing here needs JAX."""
