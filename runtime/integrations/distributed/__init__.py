"""Kernels on several processes and machines, under engines that exist."""
