"""Fortran modules: gfortran compiles them, and a program calls C functions and kernels through them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.encoder.test_elf import weighted_sum
from tests.oracles import tools
from tilesmith.encoder.files.fortran import module
from tilesmith.encoder.files.header import Declared, headers

TYPES = {
    "int8_t": ("-8_c_int8_t", "-8"),
    "uint16_t": ("16_c_int16_t", "16"),
    "int32_t": ("-32_c_int32_t", "-32"),
    "uint64_t": ("-1_c_int64_t", "UINT64_MAX"),
    "long": ("64_c_long", "64"),
    "float": ("0.5_c_float", "0.5f"),
    "double": ("0.25_c_double", "0.25"),
}
"""A value of each type, as Fortran and C write it."""
ARRAYS = "const double *x", "float _Complex *__restrict y", "const float *const *z", "void *const *w", "const void *v"
CHECK = """
#include "made.h"
double check_every_type(%(parameters)s, const double *x, float _Complex *__restrict y, const float *const *z,
    void *const *w, const void *v) {
    if (!(%(equal)s) || x[1] != 2 || *z[0] != 3 || w[0] != z[0] || v != x) return 0;
    y[1] = 4.0f * __extension__ 1.0if;
    return 7;
}
"""
MAIN = """
program main
  use, intrinsic :: iso_c_binding
  use made
  implicit none
  real(c_double), target :: x(2) = [1, 2]
  complex(c_float_complex) :: y(2)
  real(c_float), target :: three = 3
  type(c_ptr) :: z(1)
  z(1) = c_loc(three)
  if (Check_Every_Type(%s, &
      x, y, z, z, c_loc(x)) /= 7) stop 1
  if (y(2) /= (0.0, 4.0)) stop 2
  if (room_bytes /= 5000000000_c_int64_t) stop 3
end program main
"""


def declared(name: str, *parameters: str, result: str = "void", macros: tuple[tuple[str, int], ...] = ()) -> Declared:
    return Declared(weighted_sum(name), result, parameters, "It computes.\n\n  " + "words " * 40, macros)


def test_every_type_is_passed_as_c_takes_it(tmp_path: Path) -> None:
    numbers = [f"{kind} a_{number}" for number, kind in enumerate(TYPES)]
    function = declared("check_every_type", *numbers, *ARRAYS, result="double", macros=(("room_bytes", 5_000_000_000),))
    (tmp_path / "made.f90").write_text(module("made", [function, declared("nothing")]))
    (tmp_path / "made.h").write_text(headers("made", [function]))
    equal = " && ".join(f"a_{number} == ({kind}){c}" for number, (kind, (_, c)) in enumerate(TYPES.items()))
    (tmp_path / "check.c").write_text(CHECK % {"parameters": ", ".join(numbers), "equal": equal})
    (tmp_path / "main.f90").write_text(MAIN % ", ".join(fortran for fortran, _ in TYPES.values()))
    program = str(tmp_path / "main")
    sources = [str(tmp_path / name) for name in ("check.o", "made.f90", "main.f90")]
    tools.run("gcc", "-Wall", "-Werror", "-c", "-o", sources[0], str(tmp_path / "check.c"))
    tools.run("gfortran", "-std=f2003", "-Wall", "-Werror", f"-J{tmp_path}", "-o", program, *sources)
    tools.run(program)


def test_names_that_fortran_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="begins with a letter and has at most 63"):
        module("made", [declared("a" * 64)])
    with pytest.raises(ValueError, match="begins with a letter"):
        module("made", [declared("f", "const float *_x")])
    with pytest.raises(ValueError, match="a second name of the module is the same"):
        module("made", [declared("Made")])
    with pytest.raises(ValueError, match="a second name of f is the same"):
        module("made", [declared("f", "const float *a", "int64_t A")])
