"""By what calls of `matmul` with an epilogue find their kernels again: by what the function reads, or by its trace."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from types import ModuleType
from typing import Any

from ...encoder.deferred import deferred
from ...microkernels.expr.trace import Settled, trace_key
from ..kernel import accuracy

_KEPT = 256
"""The number of arrangements of arrays whose types are kept."""


@deferred
def _reads() -> ModuleType:
    from ..kernel import reads

    return reads


class EpilogueKeys:
    """The types with which epilogues were traced, by the arrays of a call: the type of the product, and those of the
    operands by name."""

    def __init__(self) -> None:
        self.types: dict[Any, tuple[str, dict[str, str]]] = {}

    def keep_types(self, lying: Any, names: Sequence[str], epilogue: Settled) -> None:
        """Remember the types with which an epilogue was traced in a call with such arrays. The first name is that of
        the product."""
        if len(epilogue.traced) == 1:
            if len(self.types) >= _KEPT:
                self.types = {}
            types = [each if isinstance(each, str) else each[1] for each in next(iter(epilogue.traced))]
            self.types[lying] = types[0], dict(zip(names[1:], types[1:]))

    def key(self, lying: Any, epilogue: Callable[..., Any], operands: Collection[str] | None) -> Any:
        """Return the key of a call: that of its arrays, with what the function reads or, if that cannot be known, its
        trace. It is None if the types for a trace are not known yet."""
        if lying is None:
            return None
        state = self.state(epilogue)
        if state is None and lying in self.types and callable(epilogue):
            state = trace_key(epilogue, operands or (), *self.types[lying])
        return None if state is None else (*lying, state)

    @staticmethod
    def state(epilogue: Callable[..., Any] | None) -> Any:
        """Return a key of what a function reads now and of the accuracy of the process, or None if a trace is needed to
        know."""
        state = None if epilogue is None else _reads().state_of(epilogue)
        return state if state is None else (accuracy.of_process, state)

    def forget(self) -> None:
        """Drop all types."""
        self.types = {}
