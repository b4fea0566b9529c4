"""Names that users look for in `tilesmith.integrations.torch` and that are torch's, or are spelled otherwise here."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ....microkernels.names import missing_name
from .library import torch
from .rowwise import ACTIVATIONS

_INSTEAD = {
    "matmul": "write tst.mm for matrices and tst.bmm for batches of them; ts.matmul takes tensors of any rank",
    "sdpa": "write tst.scaled_dot_product_attention",
    "compile": 'write torch.compile(model, backend="tilesmith")',
}
_OF_ANY_RANK = re.compile("(conv|max_pool|avg_pool)[123]d")
"""Functions that are one here, for sequences, images and volumes."""
_LOWER = {"ReLU": "relu", "GELU": "gelu", "SiLU": "silu", "ELU": "elu", "LeakyReLU": "leaky_relu"}
_BESIDE = 'works beside these; torch.compile(model, backend="tilesmith") makes kernels of whole models'


def no_attribute(name: str, names: Iterable[str]) -> AttributeError:
    """Return the error for a name that the module does not have."""
    return missing_name("tilesmith.integrations.torch", name, names, _instead(name))


def _instead(name: str) -> str:
    """Return what to write for a name of torch's or a usual abbreviation, or an empty text."""
    if name.startswith("_"):
        return ""
    function = _LOWER.get(name, name.lower())
    if function in ACTIVATIONS:
        own = f'tst.Activation("{function}")' if name != function else f'tst.activation(x, "{function}")'
        return f'write {own}, or tst.Linear(..., activation="{function}") for one that follows a layer'
    ranked = _OF_ANY_RANK.fullmatch(name)
    if ranked is not None:
        return f"tst.{ranked[1]} takes sequences, images and volumes"
    if name in _INSTEAD:
        return _INSTEAD[name]
    places = ("torch.nn", torch.nn), ("torch.nn.functional", torch.nn.functional), ("torch.optim", torch.optim)
    of = next((place for place, module in (*places, ("torch", torch)) if hasattr(module, name)), "")
    return f"{of}.{name} {_BESIDE}" if of else ""
