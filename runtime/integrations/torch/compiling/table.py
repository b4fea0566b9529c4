"""The table of ATen operators: the rows by name, as `add.Tensor`; the overload `default` has the operator's name."""

from __future__ import annotations

import torch

from ..library import NAMESPACE
from .attending import ATTENDING
from .element_rows import ELEMENTS
from .elementwise_rows import ELEMENTWISE
from .loss_rows import CROSS_ENTROPY, LOSSES
from .product_rows import PRODUCTS
from .recurrent import RECURRENT
from .reduction_rows import REDUCTIONS
from .rows import AtenRow
from .view_rows import MOVES, VIEWS

ROWS: dict[str, AtenRow] = {**ELEMENTWISE, **REDUCTIONS, **PRODUCTS, **VIEWS, **MOVES, **ELEMENTS, **LOSSES}
OWN: dict[str, AtenRow] = {**RECURRENT, **ATTENDING, **CROSS_ENTROPY}
"""The rows of operators of this package."""


def row_of(target: torch._ops.OpOverload) -> AtenRow | None:
    """Return the row of an operator, or None."""
    name = target._schema.name.partition("::")[2]
    if target.namespace != "aten":
        return OWN.get(name) if target.namespace == NAMESPACE else None
    overload = target._schema.overload_name
    return ROWS.get(f"{name}.{overload}" if overload else name)
