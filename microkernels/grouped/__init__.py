"""Fused kernels of groups of rows: the request (`spec`), a group as one row (`flat`), the walks (`plan`), code
(`emit`)."""
