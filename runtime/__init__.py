"""Bytes into calls: host probe, executable memory, kernel cache, the public functions."""
