"""Machine code kept on disk: see `store`, `sealed` and `stubs`."""
