"""The graph compiler: tensor programs as graphs of operators, cut into kernels (docs/graph.md)."""
