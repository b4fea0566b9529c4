"""Names that users look for in `tilesmith.integrations.jax` and that are JAX's, or are spelled otherwise here."""

from __future__ import annotations

from collections.abc import Iterable

from ....microkernels.names import missing_name
from .arrays import jax
from .products import ACTIVATIONS

_INSTEAD = {
    **dict.fromkeys(("mm", "bmm", "dot"), "write tsj.matmul"),
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), "tsj.conv takes sequences, images and volumes"),
    **dict.fromkeys(("Adam", "adam", "adamw"), "write tsj.AdamW; weight_decay=0 makes it Adam"),
    "sgd": "write tsj.SGD",
    "dot_product_attention": "write tsj.attention, with heads before queries and keys",
    "jit": "write jax.jit",
}


def no_attribute(name: str, names: Iterable[str]) -> AttributeError:
    """Return the error for a name that the module does not have."""
    return missing_name("tilesmith.integrations.jax", name, names, _instead(name))


def _instead(name: str) -> str:
    """Return what to write for a name of JAX's or a usual abbreviation, or an empty text."""
    if name.startswith("_") or name in _INSTEAD:
        return _INSTEAD.get(name, "")
    if name in ACTIVATIONS:
        return (
            f'write tsj.linear(..., activation="{name}") after a layer; jax.nn works beside these functions, and '
            f"tsj.equation(lambda x: ts.{name}(x), gradient=...) makes a kernel of any expression"
        )
    places = ("jax.nn", jax.nn), ("jax.numpy", jax.numpy), ("jax.lax", jax.lax)
    of = next((place for place, module in places if hasattr(module, name)), "")
    return f"{of}.{name} works beside these functions, in the same program" if of else ""
