"""GEMM in every order: what takes the operands as they lie, and what packs one of them on the fly.

A C that is narrower than the sums and whose product comes in several parts would be rounded more than once. Its sums go
to scratch memory, and a walk over them stores C: an epilogue that changes nothing.
"""

from __future__ import annotations

from typing import Any

from ...encoder.forks import load
from ..contract.machine import Facts, Machine
from ..epilogue.spec import epilogue_spec
from ..errors import UnsupportedError
from ..gemm.plan import GemmPlan
from ..gemm.spec import GemmSpec
from ..operands import RUNTIME
from ..prepack import block_emit as gemm_pack_code
from ..prepack import block_plan as gemm_pack_plan
from ..prepack.block_plan import PackedPlan, RoundedTwice
from ..prepack.operand_plan import UniformPlan

__all__ = ["PackedPlan", "emit", "plan"]


def plan(spec: GemmSpec, facts: Facts) -> Any:
    """The product as the operands lie if there is one, else with one operand packed; or that with its epilogue."""
    try:
        return gemm_pack_plan.plan(spec, facts)
    except RoundedTwice as refusal:
        if spec.leading[2] is RUNTIME:
            raise UnsupportedError(f"{refusal}; with an ldc that is a number it is rounded once") from None
        return _later("epilogue_plan").plan(epilogue_spec(spec, lambda c: c, {}, "fast"), facts)


def emit(m: Machine, plan: Any) -> None:
    """Append the kernel to the machine's assembler."""
    if isinstance(plan, (GemmPlan, PackedPlan, UniformPlan)):
        gemm_pack_code.emit(m, plan)
    else:
        _later("epilogue_code").emit(m, plan)


def _later(module: str) -> Any:
    """A module of this room that few products need: it is imported with the first of them."""
    return load(f".{module}", __package__)
