"""Copies and functions of arrays of any number of axes, as calls of kernels inside of loops."""
