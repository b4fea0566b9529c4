"""What the tests of functions of JAX share."""

from __future__ import annotations

import os

import pytest

# Programs are compiled for one call each, so that XLA's optimizations cost more than they save.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")


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
