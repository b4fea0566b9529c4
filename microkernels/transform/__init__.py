"""Transposes and changes of layout: see `spec`, `plan` and `emit`."""
