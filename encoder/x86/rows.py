"""The x86-64 instruction table, in order of preference for mnemonics that several modules share."""

from . import rows_amx, rows_avx, rows_avx10, rows_avx512, rows_base, rows_sse

ROWS = (*rows_base.ROWS, *rows_sse.ROWS, *rows_avx.ROWS, *rows_avx512.ROWS, *rows_avx10.ROWS, *rows_amx.ROWS)
