"""SME: the instructions of SVE in streaming mode, at the streaming vector length, and the tiles of ZA.

Streaming mode begins after a kernel's first instructions and ends before its last ones. Both changes clear all vector
registers, so d8 to d15 are always saved. NEON, gathers, and a few SVE instructions do not exist in streaming mode.
Sources: Arm ARM DDI 0487, B1.4; AAPCS64 (IHI 0055), 6.7: kernels have a non-streaming interface and a private ZA.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....encoder.a64.names import STREAMING
from ....encoder.a64.registers import D, General, P, S, X, mem, xzr
from ....encoder.asm import Assembler
from ....encoder.features import Target
from ...contract.machine import Facts, Vector
from ...contract.outer_product import OuterProductsOf
from ...dtypes import ELEMENT_BYTES
from .core import A64Address, A64Machine
from .lanes import A64Lanes
from .sve import Sve, sve_facts
from .za import OWN, outer_product_facts_of, outer_products_of

_ALL = P[0]
_SCALARS = {4: S, 8: D}


class Sme(Sve):
    """Verbs on z registers in streaming mode."""

    name = "sme"

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self._masks: dict[int, Any] = {}
        self._keep_own()

    @classmethod
    def facts_of(cls, target: Target) -> Facts:
        """Describe SVE, with outer products instead of dot products for the types that have them."""
        return sve_facts(cls, target, outer_products=outer_product_facts_of(target))

    def outer_products(self, x: str, y: str) -> OuterProductsOf[General, A64Address]:
        """The accumulators of machines/a64/za.py."""
        return outer_products_of(self, x, y)

    def _keep_own(self) -> None:
        self._free_general = [reg for reg in self._free_general if reg not in OWN]

    def reclaim(self, preserved: Sequence[Any]) -> None:
        """Keep the registers of the outer products reserved."""
        super().reclaim(preserved)
        self._keep_own()

    # Predicates: one predicate of byte elements for each number of bytes, whatever the element type

    @contextmanager
    def predicates(self) -> Iterator[None]:
        """Release the predicates that are set up inside at the end of the scope."""
        lanes, masks = self._lanes, self._masks
        self._lanes, self._masks = dict(lanes), dict(masks)
        yield
        made = [mask for size, mask in self._masks.items() if size not in masks]
        self._lanes, self._masks = lanes, masks
        self._free_predicates += reversed(made)

    def _first(self, count: int, dtype: str) -> Any:
        size, many = count * ELEMENT_BYTES[dtype], self._many
        if size not in self._masks:
            if many is not xzr and size != count:
                self._many = X[17]
                self.asm.lsl(X[17], many, ELEMENT_BYTES[dtype].bit_length() - 1)
            self._masks[size] = super()._first(size, "u8")
            self._many = many
        return self._masks[size]

    # Control

    def enter(self, vectors: int) -> None:
        """Save the caller's vector registers before streaming mode clears them."""
        A64Machine.enter(self, self.facts.vector_registers)
        self.asm.smstart(STREAMING["sm"])
        self.asm.ptrue(_ALL.b)

    def leave(self) -> None:
        """Leave streaming mode, then return as SVE does."""
        self.asm.smstop(STREAMING["sm"])
        super().leave()

    # Gathers, which streaming mode lacks

    def gather(self, dst: Vector, addresses: Sequence[A64Address], lanes: A64Lanes, spare: Vector) -> None:
        """Load elements by scalar loads, the last one first: each is inserted below those before it."""
        scalar = _SCALARS[ELEMENT_BYTES[lanes.dtype]][spare]
        self.zero(dst, lanes)
        for address in reversed(addresses):
            self.asm.ldr(scalar, mem[self.place(address)])
            self.asm.insr(lanes.ops[dst], scalar)
