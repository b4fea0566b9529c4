"""An x86-64 processor that has every feature the table names."""

import re
from collections.abc import Iterable

from tilesmith.encoder.features import Target
from tilesmith.encoder.table import titled_rows
from tilesmith.encoder.x86.rows import ROWS


def features_of(tables: Iterable[str]) -> frozenset[str]:
    """Return the words of the feature columns. Forms have no other features, and expanding all forms takes four
    seconds."""
    return frozenset(name for _, row in titled_rows(tables) for name in re.findall(r"\w+", row.features))


EVERYTHING = Target("everything", "x86", "avx512", features_of(ROWS), vector_bits=512, fma_bits=512)
