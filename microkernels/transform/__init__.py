"""Transposes and layout transforms: see `spec`, `candidates` and `emit`."""
