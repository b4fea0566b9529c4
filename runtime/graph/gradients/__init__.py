"""Gradients of programs: nodes that compute them, by the chain rule (docs/graph.md)."""
