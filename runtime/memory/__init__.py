"""Executable memory: see `executable`, `owner` and `instruction_cache_a64`."""
