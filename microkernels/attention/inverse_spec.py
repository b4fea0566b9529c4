"""InverseSpec: the request for the backward pass of attention.

gq, gk and gv are the gradients of q, k and v. They are computed from g, the gradient of out, and from out and lse of
the forward pass.
"""

from __future__ import annotations

from dataclasses import fields, replace

from ...encoder.records import cached_property, dataclass
from ..operands import Operand
from .spec import AttentionSpec


@dataclass(frozen=True)
class InverseSpec(AttentionSpec):
    """A checked request, made by `inverse_spec`."""

    @cached_property
    def inputs(self) -> tuple[Operand, ...]:
        """g, q, k, v, the mask, out and lse."""
        forward = self.forward
        out, lse = (each._replace(output=False) for each in forward.outputs)
        return (out._replace(name="g"), *forward.inputs, out, lse)

    @cached_property
    def outputs(self) -> tuple[Operand, ...]:
        """gq, gk and gv. They are f32 if the operands have 16 bits, since they are sums in memory."""
        return tuple(
            each._replace(name=f"g{each.name}", dtype=self.compute, output=True) for each in self.forward.inputs[:3]
        )

    @cached_property
    def forward(self) -> AttentionSpec:
        """The request of the forward pass."""
        return AttentionSpec(**{each.name: getattr(self, each.name) for each in fields(AttentionSpec)})

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


def inverse_spec(forward: AttentionSpec) -> InverseSpec:
    """Return the request of the backward pass."""
    forward = replace(forward, lse=True)
    return InverseSpec(**{each.name: getattr(forward, each.name) for each in fields(AttentionSpec)})
