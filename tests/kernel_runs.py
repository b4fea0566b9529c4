"""Call kernels on every machine between guard pages, and make tests that draw such calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guard import check_canary, guarded
from tests.profiles import is_soak, quick, scaled
from tilesmith.encoder.features import Target
from tilesmith.microkernels.machines.registry import TARGETS, machine_for
from tilesmith.microkernels.operands import RUNTIME, Operand
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]

NATIVE = ("avx2", "avx512")
FOREIGN = ("neon", "sve128", "sve256", "sve512")
MACHINES: dict[str, Target] = {name: TARGETS[name] for name in (*NATIVE, *FOREIGN)}


def in_turn(number: int, machines: Sequence[str] = tuple(MACHINES)) -> list[str]:
    """Return the machines that run the case of this number. Consecutive cases take different vector lengths of SVE; in
    a soak, all."""
    lengths = [name for name in machines if name.startswith("sve")]
    left = lengths if is_soak() else [lengths[number % len(lengths)]]
    return [name for name in machines if name not in lengths or name in left]


def runs_here(name: str) -> bool:
    """Return whether this processor executes the code of a target. Other code is emulated, which allows small cases."""
    return not host.runs(TARGETS[name])


def planned_kernel(spec: Any, target: Target, plan: Any, emit: Callable[..., None]) -> Kernel:
    """Return a kernel that computes as planned, whether or not that is the fastest way."""
    machine = machine_for(target)
    emit(machine, plan)
    code = machine.asm.finish("planned")
    origin = SimpleNamespace(
        plan=plan,
        code=code,
        name=code.name,
        data=code.data,
        features=code.features,
        pair_cycles=plan.pair_cycles,
        emulated=False,
        stand_in=None,
        scratch=machine.claimed,
    )
    return Kernel(spec, target, origin=origin)


def server_for(name: str, request: pytest.FixtureRequest) -> Any:
    """Return the server that runs the code of a machine, or None for this processor. If this processor lacks the
    instructions, the test is skipped here, before it draws: hypothesis would try to shrink the first case."""
    if name in FOREIGN:
        return request.getfixturevalue("aarch64")
    if reason := host.runs(TARGETS[name]):
        pytest.skip(reason)
    return None


def call(spec: Any, target: Target, arrays: dict[str, Array], server: Any, side: str) -> dict[str, Array]:
    """Call a kernel and return its outputs, after checking that nothing else was written and nothing outside the
    operands was read.

    `arrays` holds every operand by its name; leading dimensions that are given at the call are those of the arrays.
    """
    kernel = Kernel(spec, target)
    operands = [each for each in spec.arguments if isinstance(each, Operand)]
    if server is None:
        held = {x.name: guarded(arrays[x.name], side, writable=x.output) for x in operands}
        kernel(*held.values())
        for each in operands:
            if each.output:
                check_canary(held[each.name])
        return {each.name: held[each.name] for each in operands if each.output}
    for each in operands:
        arrays[each.name].setflags(write=each.output)
    leading = [arrays[x.name].strides[0] // arrays[x.name].itemsize for x in operands if x.view.leading is RUNTIME]
    bits = target.vector_bits if target.isa == "sve" else None
    server.call(kernel.code, *(_plain(arrays[x.name]) for x in operands), *leading, side=side, vector_bits=bits)
    return {each.name: arrays[each.name] for each in operands if each.output}


def called(
    kernel: Kernel, operands: Sequence[Array | int], side: str = "end", made: Sequence[Array] | None = None
) -> list[Array]:
    """Return the results of a kernel, called natively between guard pages if this processor runs it, else emulated.

    made: arrays for the results; by default dense ones.
    """
    if made is None:
        made = [np.full(each.shape, 7, numpy_dtype(each.dtype)) for each in kernel.spec.outputs]
    if kernel.address is None:
        kernel.run(*operands, *made)
        return list(made)
    results = [guarded(each, side) for each in made]
    kernel(*(each if isinstance(each, int) else guarded(each, side, writable=False) for each in operands), *results)
    for each in results:
        check_canary(each)
    return results


def _plain(array: Array) -> Array:
    """Return the same bits in a type that the server knows."""
    return array.view(f"u{array.itemsize}") if array.dtype.kind in "Vc" else array


def everywhere(
    name: str,
    request: pytest.FixtureRequest,
    cases: st.SearchStrategy[Sequence[Any]],
    one: Callable[..., None],
    examples: int,
) -> None:
    """Call `one(*case, name, server)` for drawn cases."""
    server = server_for(name, request)

    @settings(max_examples=examples)
    @given(cases)
    def test(case: Sequence[Any]) -> None:
        one(*case, name, server)

    test()


def few_and_many(
    cases: st.SearchStrategy[Sequence[Any]], one: Callable[..., None], few: int, many: int
) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return two tests that draw cases on every machine: a quick one with few cases, and a slow one with half of
    many. A soak draws 5,000."""
    machines = pytest.mark.parametrize("name", MACHINES)

    @machines
    def some(name: str, request: pytest.FixtureRequest) -> None:
        everywhere(name, request, cases, one, quick(few))

    @pytest.mark.slow
    @machines
    def often(name: str, request: pytest.FixtureRequest) -> None:
        everywhere(name, request, cases, one, scaled(many // 2, 5000))

    return some, often
