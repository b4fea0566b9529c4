"""InverseSpec: the request for the backward pass of attention.

gq, gk and gv are the gradients of q, k and v. They are computed from g, the gradient of out, and from out and lse of
the forward pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from ...encoder.records import cached_property, dataclass
from ..operands import Operand
from .spec import AttentionSpec, laid_out, orders_of


@dataclass(frozen=True)
class InverseSpec(AttentionSpec):
    """A checked request, made by `inverse_spec`."""

    @cached_property
    def inputs(self) -> tuple[Operand, ...]:
        """g, q, k, v, the mask, out and lse."""
        forward = self.forward
        out, lse = (each._replace(output=False) for each in forward.outputs)
        return (self.stack("g", self.heads, self.queries), *forward.inputs, out, lse)

    @cached_property
    def outputs(self) -> tuple[Operand, ...]:
        """gq, gk and gv. They are f32 if the operands have 16 bits, since they are sums in memory."""
        return tuple(
            self.stack(f"g{each.name}", each.rows, each.columns, self.compute, output=True)
            for each in self.forward.inputs[:3]
        )

    @cached_property
    def forward(self) -> AttentionSpec:
        """The request of the forward pass."""
        return AttentionSpec(**{each.name: getattr(self, each.name) for each in fields(AttentionSpec)})

    def again(self) -> InverseSpec:
        """Return the request made again by its function, which checks it."""
        return inverse_spec(replace(self.forward, views=()).again(), *orders_of(self))

    @property
    def equation(self) -> str:
        """The request as one line."""
        return f"gq, gk, gv = the gradients of {self.forward.equation}"

    @property
    def stem(self) -> str:
        """Part of the C symbol."""
        return f"{super().stem}_inv"

    @property
    def flops(self) -> int:
        """Multiplications and additions of the five products."""
        return super().flops * 5 // 2


def inverse_spec(forward: AttentionSpec, order: Any = "C", leading: Mapping[str, Any] | None = None) -> InverseSpec:
    """Return the request of the backward pass. order, leading: of all its operands, as in `attention_spec`."""
    forward = replace(forward, lse=True, views=(), seen=False)
    made = InverseSpec(**{each.name: getattr(forward, each.name) for each in fields(AttentionSpec)})
    return laid_out(made, order, leading or {})
