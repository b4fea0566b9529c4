"""The speed of a machine as a file: what the model of nests reads, so that strings can be ranked for any machine.

    MachineModel.here().write("here.json")                 measure this machine, and describe it
    MachineModel.read("graviton3.json").kernel_times(nest)  how long the kernels of a nest take there, roughly

Of this machine, the time of each kernel is measured (`kernel_times`). Of another one only its peak is known, so a
kernel takes the longer of its operations at the peak and its bytes at the bandwidth of the first cache, and in addition
for each block the time in which it comes from farther away. Source: Georganas et al., PARLOOPER, section 2.4.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import dataclass
from ...microkernels.dtypes import DTYPES
from ..arguments.arrays import address_of
from ..host import detect as host
from ..kernel.callable import shared
from ..threads.layout import MOST
from .accesses import CallAccess
from .code import Address, Call, Header, Loop, affine, operations
from .job import Job
from .kernel_times import KernelTime, by_kernel, farther, reach, timed
from .machine_facts import SAMPLES, SECONDS, CacheLevel, MachineFacts, facts, is_number

if TYPE_CHECKING:
    from ...microkernels.gemm import spec
    from .nest import Nest

spec = lazy(__package__, "...microkernels.gemm.spec")

_PRODUCTS: dict[str, str | tuple[str, str, str]] = {
    "f32": "f32",
    "f64": "f64",
    "bf16": ("bf16", "bf16", "f32"),
    "u8": ("u8", "i8", "i32"),
}
"""The products whose speed is the peak of a type: that of their first operand."""
_KEYS = ("name", "source", "cores", "caches", "memory", "region", "peak")
_RATES = ("one core", "all cores")


@dataclass(frozen=True)
class MachineModel:
    """The speed of a machine, for `ts.tune(..., machine=...)`.

    name     what it is called
    source   where the figures are from
    cores    the number of cores, each of which one worker has
    caches   (bytes, bytes per second that one core reads from it, that all cores read together), innermost first. A
             core finds so many bytes, those used last, in this cache or in one before it; of a cache that cores share,
             each has its part
    memory   (bytes per second that one core reads from memory, that all cores read together)
    region   seconds of a parallel call that computes nothing
    peak     operations per second of one core by the element type of the first operand, {"f32": 1.2e11, ...}: a
             product's multiplications and additions
    """

    name: str
    source: str
    cores: int
    caches: tuple[tuple[int, float, float], ...]
    memory: tuple[float, float]
    region: float
    peak: Mapping[str, float]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not isinstance(self.source, str):
            raise TypeError(f"name, source: texts, not {self.name!r} and {self.source!r}")
        if type(self.cores) is not int or not 0 < self.cores <= MOST:
            raise ValueError(f"cores: a whole number from 1 to {MOST}, not {self.cores!r}")
        if not self.caches:
            raise ValueError("caches: one or more, the innermost first")
        sizes = [each[0] for each in self.caches]
        if any(type(each) is not int or each < 1 for each in sizes) or sorted(set(sizes)) != sizes:
            raise ValueError(f"caches: each has more bytes for a core than the one before, not {sizes}")
        for name, rates in (*(("caches", each[1:]) for each in self.caches), ("memory", self.memory)):
            if not all(is_number(each) and each for each in rates) or not rates[0] <= rates[1]:
                raise ValueError(f"{name}: bytes per second of one core, and of all, which are no fewer, not {rates}")
        if not is_number(self.region):
            raise ValueError(f"region: seconds of an empty parallel call, not {self.region!r}")
        if not self.peak or not all(is_number(each) and each for each in self.peak.values()):
            raise ValueError(f"peak: operations per second of one core by element type, not {dict(self.peak)}")
        if odd := next((each for each in self.peak if each not in DTYPES), None):
            raise ValueError(f"peak: element types are {', '.join(DTYPES)}, and not {odd!r}")

    @classmethod
    def here(cls) -> MachineModel:
        """Measure this machine, which takes a second: its caches once for this host (docs/cache.md), the peaks now."""
        found = facts()
        sizes = [each.size for each in found.levels[:-1]]
        return cls(
            host.brand(),
            f"measured by Tilesmith on {time.strftime('%Y-%m-%d')}",
            found.workers,
            tuple((size, *_rates(each)) for size, each in zip(accumulate(sizes, _reached), found.levels)),
            _rates(found.levels[-1]),
            found.region,
            {name: _peak(dtypes) for name, dtypes in _PRODUCTS.items()},
        )

    @classmethod
    def read(cls, path: str | Path) -> MachineModel:
        """Return the machine that a file describes, as `write` makes them. ValueError names what is wrong there."""
        if not isinstance(path, (str, Path)):
            raise TypeError(f"machine: a ts.MachineModel, or the path of a file that describes one, not {path!r}")
        try:
            given = json.loads(Path(path).read_text())
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}: no JSON: {error}") from None
        try:
            _check_keys("the file", given, _KEYS)
            for each in given["caches"] if isinstance(given["caches"], list) else [given["caches"]]:
                _check_keys("each of caches", each, ("bytes", *_RATES))
            _check_keys("memory", given["memory"], _RATES)
            if not isinstance(given["peak"], dict):
                raise ValueError(f"peak: operations per second of one core by element type, not {given['peak']!r}")
            caches = tuple((each["bytes"], *(each[rate] for rate in _RATES)) for each in given["caches"])
            memory = (given["memory"][_RATES[0]], given["memory"][_RATES[1]])
            return cls(**{**given, "caches": caches, "memory": memory})
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from None

    def write(self, path: str | Path) -> None:
        """Write a file of JSON that describes the machine, to be edited and read again."""
        caches = [dict(zip(("bytes", *_RATES), each)) for each in self.caches]
        made = {**vars(self), "caches": caches, "memory": dict(zip(_RATES, self.memory)), "peak": dict(self.peak)}
        Path(path).write_text(json.dumps({name: made[name] for name in _KEYS}, indent=2) + "\n")

    @property
    def facts(self) -> MachineFacts:
        """The figures as the model takes them."""
        return MachineFacts(
            (*(CacheLevel(*each) for each in self.caches), CacheLevel(0, *self.memory)), self.region, self.cores
        )

    def kernel_times(self, nest: Nest) -> dict[str, KernelTime]:
        """Return the times of each kernel of a nest, by its name. ValueError for an element type without a peak."""
        found = {}
        for name, uses in by_kernel(nest.accesses).items():
            sizes = [reach(each) for each in uses]
            found[name] = KernelTime(self._seconds(uses), farther(uses, sizes, self.facts))
        return found

    def _seconds(self, uses: Sequence[CallAccess]) -> float:
        call, dtype = uses[0].call, uses[0].matrix.dtype
        if dtype not in self.peak:
            raise ValueError(
                f"peak: {self.name} has none of {dtype}, which {call.kernel.name} reads; add {dtype} to its description"
            )
        return max(operations((call,), {}) / self.peak[dtype], sum(each.bytes for each in uses) / self.caches[0][1])


def _check_keys(what: str, given: object, keys: Sequence[str]) -> None:
    if not isinstance(given, dict):
        raise ValueError(f"{what}: an object with {', '.join(keys)}, not {given!r}")
    if missing := [each for each in keys if each not in given]:
        raise ValueError(f"{what}: lacks {', '.join(missing)}")
    if odd := [each for each in given if each not in keys]:
        raise ValueError(f"{what}: has {', '.join(odd)}, and takes {', '.join(keys)}")


def _reached(before: int, size: int) -> int:
    """Return the bytes that a core finds in a cache or before it. A cache that is smaller holds other bytes than those
    before it: it gets what they evict."""
    return size if size > before else before + size


def _rates(level: CacheLevel) -> tuple[float, float]:
    return level.alone, max(level.alone, level.together)


def _peak(dtypes: str | tuple[str, str, str], extent: int = 64) -> float:
    """Return the operations per second of a product of these types and extents, whose operands are in the nearest
    caches."""
    layout = "plain" if isinstance(dtypes, str) else "vnni"
    product = shared(spec.gemm_spec(extent, extent, extent, dtype=dtypes, b_layout=layout), host.host(), None)
    arrays = [np.zeros(8 * extent**2, np.uint8) for _ in range(3)]  # elements have 8 bytes at most
    call = Call(product, (Address(0), Address(1), Address(2)))

    def seconds(count: int) -> float:
        job = Job([Loop(Header("r", affine(0), (affine(count),), 1, count), (call,))], product.target)
        return min(timed(job, [address_of(each) for each in arrays]) for _ in range(SAMPLES)) / count

    return float(product.flops / seconds(max(1, round(SECONDS / seconds(1)))))
