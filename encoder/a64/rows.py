"""The AArch64 instruction table, in order of preference for mnemonics that several modules share."""

from . import rows_base, rows_neon, rows_sme, rows_sve

ROWS = (*rows_base.ROWS, *rows_neon.ROWS, *rows_sve.ROWS, *rows_sme.ROWS)
