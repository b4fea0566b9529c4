"""Parts of emulated processors that both architectures share. Start with `memory`, `call` and `closures`."""
