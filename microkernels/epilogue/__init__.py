"""Products with an epilogue: see `spec`, `plan` and `emit`."""
