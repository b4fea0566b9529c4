"""An AArch64 processor that has every feature the table names."""

from tilesmith.encoder.a64.assembler import TABLE
from tilesmith.encoder.features import Target

EVERYTHING = Target(
    "everything", "a64", "sve256",
    frozenset(feature for mnemonic in TABLE for form in TABLE.forms(mnemonic) for feature in form.features),
    vector_bits=256, fma_bits=256,
)  # fmt: skip
