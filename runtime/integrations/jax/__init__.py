"""Kernels as functions of JAX, with the names of `tilesmith.integrations.jax`."""

try:
    import jax as _jax
except ImportError as error:
    raise ImportError(
        "tilesmith.integrations.jax needs JAX 0.5 or newer, which is not installed: pip install jax"
    ) from error

try:
    import jax.custom_batching
    import jax.experimental.custom_partitioning
    import jax.ffi
except ImportError as error:
    raise ImportError(f"tilesmith.integrations.jax needs JAX 0.5 or newer, not {_jax.__version__}") from error
