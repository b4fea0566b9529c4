"""Code generation, from expressions to instructions: see `selection`, `linear_scan` and `fitting`."""
