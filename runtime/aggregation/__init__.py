"""Reductions over the rows of graphs and CSR matrices, on all cores."""
