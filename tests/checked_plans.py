"""Check the plan of every kernel that a test makes: no step may overwrite what is still read."""

from __future__ import annotations

from typing import Any

from tilesmith.runtime.kernel import origin


def check_every_plan() -> None:
    """From now on, let a kernel be made only if its plan is right. Kernels of one walk are left out: nothing of them
    lies in memory between two steps."""
    made = origin.planned

    def planned(spec: Any, target: Any, kind: Any) -> Any:
        from tilesmith.runtime.verify.places.check import OF_SEVERAL_STEPS, overwritten  # by the first plan

        plan = made(spec, target, kind)
        if type(plan) in OF_SEVERAL_STEPS:
            found = overwritten(plan)
            assert found is None, f"{spec} for {target.name}: {found}"
        return plan

    origin.planned = planned
