"""Prove results that are a conversion of a part of their own expression.

The part is replaced by a variable, and all values of the variable are tried. If the part is an element of a narrow
type, the variable takes only the values of that type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...emulation.symbolic.concrete import evaluated
from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.exact import OPERATIONS
from ...emulation.symbolic.exhaustive import Exhaustive, form_of
from ...emulation.symbolic.lanes import Lanes, lane
from ...emulation.symbolic.sweep import swept
from ...emulation.symbolic.values import Array
from ...microkernels.dtypes import ELEMENT_BYTES
from .definition.conversions import NAN, NUMPY_TYPES, as_stored, loaded, stored

_FLOATS = ("f16", "f32", "f64")
_INFINITY = 0x7F800000
_CHUNK = 1 << 20
_NEAR = 200
_KEEP_NAN: dict[object, bool] = {}
"""Whether conversions keep each NaN, by the form of their expression, the functions in it, the type of the results and
whether the part is positive. Trying all NaNs takes a second, and most kernels of a type have the same few forms."""


class Converted:
    """Conversions from the computed type to the type of the results.

    narrow: None, or a pair: the narrow type that every part belongs to unless it is a NaN, and whether only absolute
    values occur
    """

    def __init__(self, prover: Prover, compute: np.dtype[Any], out: str, narrow: tuple[str, bool] | None) -> None:
        self.prover, self.table, self.compute, self.out = prover, prover.table, compute, out
        self.any = int(self.table.inputs("@any", 1, compute.itemsize)[0])
        self.few = self._of_few(*narrow) if narrow is not None and ELEMENT_BYTES[narrow[0]] <= 2 else None
        self._known: dict[tuple[int, bool], bool] = {}

    def is_of(self, root: int, part: int, positive: bool) -> bool:
        """Whether `root` is the conversion of its part `part`. `positive` says that the part never has its sign bit
        set, even if it is a NaN."""
        (made,) = as_stored(self.table, [self.prover.rebuilt(root, {part: self.any})])
        if (made, positive) not in self._known:
            alone = all(self.table.leaf(node) is None or node == self.any for node in self.table.below([made]))
            self._known[made, positive] = alone and (self._for_all(made) or self._for_few(made, positive))
        return self._known[made, positive]

    def parts(self, root: int) -> Iterator[int]:
        """Yield the nodes of the computed type below a result, the nearest first."""
        seen, level = {root}, [root]
        while level and len(seen) < _NEAR:
            below = [arg for node in level for arg in self.table.arguments(node)]
            level = [arg for arg in dict.fromkeys(below) if arg not in seen]
            seen.update(level)
            yield from (node for node in level if self.table.size(node) == self.compute.itemsize)

    def _for_all(self, made: int) -> bool:
        wanted = self._stored(self.any)
        (found,) = swept(self.prover, [wanted], [made])
        return self.prover.equal(found, wanted, self.out not in _FLOATS)

    def _for_few(self, made: int, positive: bool) -> bool:
        """Try each element of the narrow type, and each NaN."""
        if self.few is None:
            return False
        found = self.prover.rebuilt(made, {self.any: self.few})
        if not Exhaustive(self.table).equal(found, self._stored(self.few), NAN.get(self.out)):
            return False
        return self.compute.kind != "f" or self._keeps_nan(made, positive)

    def _keeps_nan(self, made: int, positive: bool) -> bool:
        if self.compute.itemsize != 4 or self.out not in NAN:
            return False
        operations = (self.table.parts(node)[0] for node in self.table.below([made]))
        functions = tuple(each.function for each in operations if each is not None)
        form = form_of(self.table, made, made), functions, self.out, positive
        if form not in _KEEP_NAN:
            _KEEP_NAN[form] = self._tried_nan(made, positive)
        return _KEEP_NAN[form]

    def _tried_nan(self, made: int, positive: bool) -> bool:
        for sign in (0, 1 << 31)[: 2 - positive]:
            for first in range(sign + _INFINITY + 1, sign + (1 << 31), _CHUNK):
                bits = np.arange(first, min(first + _CHUNK, sign + (1 << 31)), dtype=np.uint32)
                if not self._all_nan(made, bits):
                    return False
        return True

    def _all_nan(self, made: int, bits: Array) -> bool:
        data = bits.view(np.uint8).reshape(len(bits), 4)
        found = evaluated(self.table, [made], lambda leaf: data, len(bits))[made]
        return bool(NAN[self.out](np.ascontiguousarray(found).view(f"u{found.shape[1]}").reshape(-1)).all())

    def _of_few(self, dtype: str, sizes: bool) -> int:
        """Return a variable with few values, widened to the computed type."""
        own = np.dtype(NUMPY_TYPES[dtype])
        leaf = self.table.bytes_of(self.table.inputs("@few", 1, own.itemsize), own.itemsize)
        value = loaded(Lanes(leaf, own, self.table), dtype, self.compute)
        value = OPERATIONS["a64"]["abs"](value, None) if sizes else value
        return int(value.nodes()[0])

    def _stored(self, node: int) -> int:
        """Return the conversion that the request asks for."""
        value = lane(self.table, node, self.compute)
        return int(stored(value, self.out).nodes()[0])
