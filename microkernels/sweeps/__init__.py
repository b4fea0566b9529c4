"""Fused kernels whose reductions down the columns are used again: several walks over the rows, in one kernel."""
