"""Kernels as operators, modules and optimizers of PyTorch, with the names of `tilesmith.integrations.torch`."""
