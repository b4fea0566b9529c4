"""Fused kernels of groups of rows: the request (`spec`), a group as one row (`flat`), the loops over groups and
samples around its walks (`plan`)."""
