"""Kernels with FMLAL had no proof: its emulation asked for the numbers of its factors, which no prover has."""

from typing import Any

from tilesmith.encoder.a64.registers import V
from tilesmith.microkernels.contract.dot_and_tile import UnitFacts
from tilesmith.microkernels.contract.multiply_add import MultiplyAddOf
from tilesmith.microkernels.contract.tensor_instruction import SINGLE
from tilesmith.microkernels.contract.unit_table import TensorUnit, with_unit
from tilesmith.microkernels.machines.targets import TARGETS
from tilesmith.runtime.api.brgemm import product_spec
from tilesmith.runtime.kernel.callable import Kernel


class Fmlal(MultiplyAddOf[Any, Any, Any, Any]):
    def product(self, phase: int, acc: int, x: int, y: Any, lanes: Any, spare: Any) -> None:
        self.m.asm.fmlal(V[acc].s4, V[x].h4, V[y].h4)


class Wrong(Fmlal):
    def product(self, phase: int, acc: int, x: int, y: Any, lanes: Any, spare: Any) -> None:
        self.m.asm.fmlal2(V[acc].s4, V[x].h4, V[y].h4)  # the upper half of x, which is 0


def test_fmlal_has_a_proof_and_wrong_code_is_refuted() -> None:
    spec = product_spec(1, 5, 3, dtype=("f16", "f16", "f32"))
    for unit, right in ((Fmlal, True), (Wrong, False)):
        row = TensorUnit("f16", "f16", UnitFacts("FMLAL", 1), SINGLE, unit)
        assert bool(Kernel(spec, with_unit(TARGETS["neon_bf16"], row)).verify()) is right
