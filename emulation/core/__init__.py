"""What emulated processors of both architectures share: see `memory`, `call` and `closures`."""
