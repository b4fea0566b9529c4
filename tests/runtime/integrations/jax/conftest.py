"""What the tests of functions of JAX share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def wide_types():
    """Let arrays have 64 bits, which JAX otherwise makes 32. Tests of handlers need no JAX."""
    try:
        import jax
    except ImportError:
        yield
        return
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)
