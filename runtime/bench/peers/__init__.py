"""The libraries and compilers that benchmarks compare with: see `products`, `elementwise` and `layers`."""
