"""Loop nests as machine code: see `grammar`, `nest` and `races`."""
