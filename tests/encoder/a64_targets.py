"""An AArch64 processor that has every feature the table names."""

from tests.encoder.targets import features_of
from tilesmith.encoder.a64.rows import ROWS
from tilesmith.encoder.features import Target

EVERYTHING = Target("everything", "a64", "sve256", features_of(ROWS), vector_bits=256, fma_bits=256)
