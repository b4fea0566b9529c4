"""A processor that has every feature the table names."""

from tilesmith.encoder.features import Target
from tilesmith.encoder.x86.assembler import TABLE

EVERYTHING = Target(
    "everything", "x86", "avx512",
    frozenset(feature for mnemonic in TABLE for form in TABLE.forms(mnemonic) for feature in form.features),
    vector_bits=512, fma_bits=512,
)  # fmt: skip
