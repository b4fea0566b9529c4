"""Addresses as arguments of calls: exact ints of at most 60 bits, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.runtime.fastcall.test_entry_code import words_entry
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.fastcall import entry, guards
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.scalar.native import scalar_machine

pytestmark = pytest.mark.skipif(bool(entry.refusal()), reason="calls go through Python here")


class Named(int):
    """An int of another class."""


@pytest.fixture
def words() -> tuple[Callable[..., Any], Any]:
    """Return a function of two words that writes them to an array, and that array."""
    found = np.zeros(2, np.uint64)
    machine = scalar_machine(frozenset())
    machine.begin("write")
    for place, argument in enumerate(machine.arguments[:2]):
        machine.move(machine.x, address_of(found) + 8 * place)
        machine.move(ScalarMemory(machine.x), argument)
    machine.ret()
    block = publish(machine.asm.finish("ts_write").data)
    native = entry.native_type(Kernel)
    assert native is not None
    structure, values = words_entry(2)
    values[guards.FUNCTION] = block.address
    constants = entry.constants_of(values)

    def slow(*args: Any, **named: Any) -> Any:
        return "slow"

    slow.keep = block, constants  # type: ignore[attr-defined]
    made: Any = object.__new__(native.type)
    native.install(made, entry.code_of(structure, native), constants, slow)
    return made, found


NUMBERS = 0, 1, 255, (1 << 30) - 1, 1 << 30, (1 << 30) + 1, (1 << 47) - 64, (1 << 60) - 1


@pytest.mark.parametrize("first", NUMBERS)
@pytest.mark.parametrize("second", NUMBERS)
def test_words(words: tuple[Callable[..., Any], Any], first: int, second: int) -> None:
    call, found = words
    found[...] = 77
    assert call(first, second) is None
    assert [*found.tolist()] == [first, second]


OTHERS = -1, -(1 << 30), -(1 << 40), 1 << 60, 1 << 64, True, 1.0, None, "1", np.int64(1), np.uint64(1), Named(5), [1]


@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_others_are_for_python(words: tuple[Callable[..., Any], Any], other: Any) -> None:
    call, found = words
    found[...] = 77
    for given in ((other, 1), (1, other), (1,), (1, 1, 1), ()):
        assert call(*given) == "slow"
    assert (found == 77).all()
