"""Kernels of elements with rows given at the call: the request (`spec`), blocks of rows (`plan`), code (`emit`)."""
