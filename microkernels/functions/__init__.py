"""Elementwise functions as expressions, each with its numeric contract: see `catalogue`, `activations` and `limits`."""
