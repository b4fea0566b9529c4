"""Compare the registers and memory of two processors by name."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

import numpy as np

State = Mapping[str, "bytes | int"]


def differing(processor: State, emulator: State, ignored: Container[str] = ()) -> Iterator[str]:
    """Yield a line for each part that differs, with the first different words of vectors and memory, or bytes of
    predicates."""
    for name, right in processor.items():
        got = emulator[name]
        if got == right or name in ignored:
            continue
        if isinstance(right, bytes) and isinstance(got, bytes):
            unit = np.dtype(np.uint8 if name[0] == "p" else np.uint32)
            words = [np.frombuffer(data, unit) for data in (right, got)]
            where = np.flatnonzero(words[0] != words[1])[:4].tolist()
            digits = 2 + 2 * unit.itemsize
            yield f"{name}: " + ", ".join(
                f"[{i}] {words[0][i]:#0{digits}x} not {words[1][i]:#0{digits}x}" for i in where
            )
        else:
            yield f"{name}: {right:#x} not {got:#x}"
