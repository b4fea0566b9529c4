"""Fused kernels of groups of rows: the request (`spec`), a group as one row (`flat`), walks (`plan`), code (`emit`)."""
